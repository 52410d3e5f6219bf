//! The past of a drive in a line: its last purge, what was written since, and its last steady state.

use crate::record::{DriveHistory, Freshness, RunRecord};
use crate::text::visible;
use crate::units::decimal_size;

/// Less than this is within the rounding of a drive's own counter. Bytes.
const ROUNDING_BYTES: u64 = 2_000_000;

/// The drives of a run, a line each; none of a drive that nothing is known of.
pub fn lines(record: &RunRecord) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for target in &record.targets {
        let history = target.history.as_ref().zip(target.drive());
        let line = history.and_then(|(history, drive)| describe(history, drive.capacity_bytes.value));
        lines.extend(line.filter(|line| !lines.contains(line)));
    }
    lines
}

/// The state of a drive of this capacity; `None` where neither a purge nor a steady state is known, and it is not new.
pub fn describe(history: &DriveHistory, capacity_bytes: u64) -> Option<String> {
    let freshness = history.freshness(capacity_bytes, 0);
    if freshness != Freshness::Fresh && history.purge.is_none() && history.steady.is_none() {
        return None;
    }
    let purged = match &history.purge {
        _ if freshness == Freshness::Fresh => Some(fresh(history)),
        Some(purge) if purge.is_complete => Some(format!("{} on {}, {}", visible(&purge.method), minute(&purge.at), written(history))),
        Some(purge) => Some(format!("{} begun on {}, and its end not seen", visible(&purge.method), minute(&purge.at))),
        None => Some(format!("no purge known, {}", written(history))),
    };
    let steady = history.steady.as_ref().map(|steady| {
        let (rate, workload) = (steady.metric.show(steady.rate), visible(&steady.workload));
        format!("steady at {rate} of {workload} on {} ({})", minute(&steady.at), visible(&steady.run))
    });
    let wear = [
        history.last.temperature_celsius.map(|celsius| format!("{celsius:.0} °C")),
        history.last.used_percent.map(|used| format!("{used:.0} % of its endurance used")),
    ];
    let parts: Vec<String> = purged.into_iter().chain(steady).chain(wear.into_iter().flatten()).collect();
    Some(parts.join("; "))
}

/// `fresh out of the box: discard on 2026-11-28 18:04 UTC, 12 GB written since, 3 GB of it by others`.
pub fn fresh(history: &DriveHistory) -> String {
    match (&history.purge, history.last.written_bytes) {
        (None, Some(bytes)) => format!("fresh out of the box: {} written since it was made", decimal_size(bytes)),
        (None, None) => "fresh out of the box".to_owned(),
        (Some(purge), _) => {
            format!("fresh out of the box: {} on {}, {}", visible(&purge.method), minute(&purge.at), written(history))
        }
    }
}

fn written(history: &DriveHistory) -> String {
    let span = match history.span_bytes {
        0 => String::new(),
        bytes => format!(", over a span of {}", decimal_size(bytes)),
    };
    let others = match history.others_bytes {
        None => ", without what others wrote: it does not count".to_owned(),
        Some(bytes) if bytes > ROUNDING_BYTES => format!(", {} of it by others", decimal_size(bytes)),
        Some(_) => String::new(),
    };
    format!("{} written since{others}{span}", decimal_size(history.written_bytes()))
}

/// `2026-11-28 18:04 UTC` of a time of the record.
fn minute(at: &str) -> String {
    let shown = at.get(..16).map(|text| format!("{} UTC", text.replacen('T', " ", 1)));
    visible(&shown.unwrap_or_else(|| at.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Metric;
    use crate::record::{DriveState, SteadyState};

    #[test]
    fn a_past_is_told_in_one_line() {
        let at = |written, celsius| DriveState {
            written_bytes: Some(written),
            temperature_celsius: Some(celsius),
            used_percent: Some(3.0),
            ..DriveState::default()
        };
        let tera = 1_000_000_000_000;
        let mut history = DriveHistory::new("S1", "2026-11-27T10:00:00.000Z");
        history.look(&at(9 * tera, 30.0), "2026-11-27T10:00:00.000Z");
        assert_eq!(describe(&history, 2 * tera), None);
        history.begin_purge("sanitize (block erase)", "2026-11-28T18:03:00.000Z");
        let unseen = describe(&history, 2 * tera).unwrap();
        assert!(unseen.starts_with("sanitize (block erase) begun on 2026-11-28 18:03 UTC, and its end not seen"), "{unseen}");
        history.end_purge(&at(9 * tera, 41.0), "2026-11-28T18:04:00.000Z");
        history.look(&at(9 * tera + 3_000_000_000, 41.0), "2026-11-28T19:00:00.000Z");
        let fresh = "fresh out of the box: sanitize (block erase) on 2026-11-28 18:04 UTC, 3 GB written since, 3 GB of it by others; 41 °C; 3 % of its endurance used";
        assert_eq!(describe(&history, 2 * tera).unwrap(), fresh);
        history.end_run(4 * tera, 2 * tera, &at(13 * tera + 3_000_000_000, 55.0), "2026-11-28T21:00:00.000Z");
        history.steady = Some(SteadyState {
            at: "2026-11-28T19:00:00.000Z".into(),
            run: "20261128-190000-1-3f9a".into(),
            workload: "random write 4 KiB".into(),
            block_bytes: 4096,
            metric: Metric::Iops,
            rate: 75_000.0,
        });
        let text = describe(&history, 2 * tera).unwrap();
        assert!(text.starts_with("sanitize (block erase) on 2026-11-28 18:04 UTC, 4 TB written since, 3 GB of it by others, over a span of 2 TB; steady at 75 kIOPS of random write 4 KiB on 2026-11-28 19:00 UTC (20261128-190000-1-3f9a); 55 °C"), "{text}");
    }
}
