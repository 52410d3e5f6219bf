//! Steady-state detection.

use super::value::{Json, Object};
use crate::print::number::{finite, whole};
use crate::print::steady::Shown;
use crate::results::SteadyState;

/// The criterion, what was found, and the samples that it was found in.
pub(super) fn steady(found: &SteadyState) -> Object {
    let shown = Shown(found);
    let samples = |values: &[f64]| Json::List(values.iter().map(|value| Json::Whole(whole(*value))).collect());
    Object::default()
        .with("ss", shown.criterion())
        .with("duration", found.duration_s)
        .with("attained", u64::from(found.attained))
        .with("criterion", format!("{:.6}{}", finite(found.value), shown.sign()))
        .with("max_deviation", found.deviation)
        .with("slope", found.slope)
        .with("data", data(&shown).with("iops", samples(&found.iops)).with("bw", samples(&found.bytes_per_s)))
}

fn data(shown: &Shown) -> Object {
    Object::default().with("bw_mean", whole(shown.bytes_per_s())).with("iops_mean", whole(shown.iops()))
}
