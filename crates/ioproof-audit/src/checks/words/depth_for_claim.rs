//! A figure held against a promise that its count of outstanding I/Os cannot reach at its latency.

use super::bind::outputs;
use super::ratio::ratios;
use crate::checks::{Findings, Kind, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for ratio in
        ratios(reading).iter().filter(|ratio| ratio.stated.kind == Kind::Percent && ratio.above.number.value < ratio.below.number.value)
    {
        if !outputs(reading, &ratio.below).is_empty() {
            continue;
        }
        let Some(measured) =
            outputs(reading, &ratio.above).into_iter().find(|measured| measured.sides.iter().any(|side| side.latency.mean.is_some()))
        else {
            continue;
        };
        let (Some(offered), Some(mean)) = (measured.load.outstanding(), measured.sides.iter().find_map(|side| side.latency.mean)) else {
            continue;
        };
        let need = ratio.below.number.value * mean.value / 1e9;
        if need > 1.2 * offered as f64 {
            let title = format!(
                "{} at {} need {need:.0} I/Os outstanding, the run of line {} had {offered}",
                ratio.below.text,
                show::time(mean.value),
                measured.first
            );
            let because = format!(
                "Little's law: {} x {} = {need:.1}; {offered} / {} = {} at most",
                ratio.below.text,
                show::time(mean.value),
                show::time(mean.value),
                show::iops(offered as f64 / mean.value * 1e9)
            );
            findings
                .doubt("depth-for-claim", reading.at(ratio.stated.line), title, because)
                .mend("measure at the depth of the claim, and say what limits the latency");
        }
    }
}
