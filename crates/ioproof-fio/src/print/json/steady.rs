//! Steady-state detection.

use super::formatter::Decimal;
use crate::print::number::{finite, whole};
use crate::print::steady::Shown;
use crate::results::SteadyState;
use serde::Serialize;

/// The criterion, its value, and the samples that it was found in.
#[derive(Serialize)]
pub(super) struct SteadyJson {
    ss: String,
    duration: u64,
    attained: u64,
    criterion: String,
    max_deviation: Decimal,
    slope: Decimal,
    data: Data,
}

#[derive(Serialize)]
struct Data {
    bw_mean: u64,
    iops_mean: u64,
    iops: Vec<u64>,
    bw: Vec<u64>,
}

impl SteadyJson {
    /// The detection of a job.
    pub fn of(found: &SteadyState) -> Self {
        let shown = Shown(found);
        let samples = |values: &[f64]| values.iter().map(|value| whole(*value)).collect();
        Self {
            ss: shown.criterion(),
            duration: found.duration_s,
            attained: u64::from(found.attained),
            criterion: format!("{:.6}{}", finite(found.value), shown.sign()),
            max_deviation: Decimal(found.deviation),
            slope: Decimal(found.slope),
            data: Data {
                bw_mean: whole(shown.bytes_per_s()),
                iops_mean: whole(shown.iops()),
                iops: samples(&found.iops),
                bw: samples(&found.bytes_per_s),
            },
        }
    }
}
