//! A largest latency a thousand times the mean: a stall that rate and mean hide.

use crate::checks::{Findings, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    const TIMES: f64 = 1000.0;
    for measured in &reading.measured {
        for side in &measured.sides {
            let (Some(mean), Some(max)) = (side.latency.mean, side.latency.max) else { continue };
            if mean.value <= 0.0 || max.value < TIMES * mean.value || max.value < 1e6 {
                continue;
            }
            let title = format!(
                "the longest {} took {}, {} times the mean",
                side.direction.word(),
                show::time(max.value),
                show::whole(max.value / mean.value)
            );
            let submit = side
                .submit_max_ns
                .filter(|submit| submit.value > 0.9 * max.value)
                .map_or(String::new(), |submit| format!("; of it {} in the submission", show::time(submit.value)));
            let because =
                format!("max {} / mean {} = {:.0}{submit}", show::time(max.value), show::time(mean.value), max.value / mean.value);
            let missing = if side.latency.percentiles.is_empty() {
                "; no percentiles are printed, so that one event cannot be told from many"
            } else {
                ""
            };
            findings.note("stall", reading.at(side.latency.line), title, format!("{because}{missing}"));
        }
    }
}
