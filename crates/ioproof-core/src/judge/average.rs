//! The rate over all measured time together, stalls included, beside the median of runs, which a run without completions or a slow one does not move.
//!
//! Where the two differ by more than the interval of the median the row says so; a claim that only the median meets is not met for sure.

use super::{Threshold, reason};
use crate::claim::Metric;
use crate::finding::Effect;
use crate::measured::Measured;
use crate::record::RoundOutcome;
use crate::stats::Estimate;
use crate::units::duration;
use crate::verdict::Reason;
use std::time::Duration;

pub const AVERAGE: &str = "average";
/// Share of the median by which the average must at least lie outside of the interval.
const LEAST: f64 = 0.01;

/// All completions over all measured seconds, of runs without any completion too; none for a latency, whose mean is of all I/Os already.
pub(super) fn averaged(measured: &Measured, metric: Metric) -> Option<f64> {
    let whole = || measured.all.iter().filter(|part| part.outcome == RoundOutcome::Complete);
    let sum = || whole().map(|part| part.value_of(metric) * part.elapsed_ns as f64).sum::<f64>();
    let elapsed_ns: f64 = whole().map(|part| part.elapsed_ns as f64).sum();
    (metric != Metric::Latency && elapsed_ns > 0.0 && !measured.rounds.is_empty()).then(|| sum() / elapsed_ns)
}

/// The difference as a reason of the row; with a claim, one that bears on the verdict where the average alone would not meet it.
pub(super) fn differs(measured: &Measured, metric: Metric, estimate: Option<Estimate>, claim: Option<(f64, Threshold)>) -> Option<Reason> {
    let (average, of) = (averaged(measured, metric)?, estimate.filter(Estimate::is_interval)?);
    let margin = LEAST * of.median;
    if (of.low - margin..=of.high + margin).contains(&average) {
        return None;
    }
    let seconds =
        measured.all.iter().filter(|part| part.outcome == RoundOutcome::Complete).map(|part| part.elapsed_ns).fold(0, u64::saturating_add);
    let falls_short = claim.is_some_and(|(claimed, threshold)| average < threshold.meets * claimed);
    let text = format!(
        "over all {} that were measured it is {}, outside of the interval of the median ({} to {}): some runs or stalls weigh more than the median shows",
        duration(Duration::from_nanos(seconds)),
        metric.show(average),
        metric.show(of.low),
        metric.show(of.high)
    );
    Some(reason(AVERAGE, if falls_short { Effect::Unsteady } else { Effect::None }, &text))
}

#[cfg(test)]
mod tests {
    use crate::judge::judge;
    use crate::record::RunRecord;
    use crate::testing::{record, with_claim};
    use crate::verdict::{Row, Verdict};

    /// Six runs of 100 kIOPS and one without any completion, three times as long as all of them.
    fn stalled() -> RunRecord {
        let mut record = record();
        let job = record.jobs.iter().position(|job| job.workload.id() == "rand-read-4k-4x32").unwrap() as u32;
        let mut nothing = record.stages.iter().find(|stage| stage.rounds[0].job == job).unwrap().clone();
        let round = &mut nothing.rounds[0];
        (round.read, round.elapsed_ns, round.total_bytes) = (Default::default(), 18_000_000_000, (0, 0));
        record.stages.push(nothing);
        record
    }

    fn queued(record: &RunRecord) -> Row {
        let is_queued = |row: &Row| row.workload.id() == "rand-read-4k-4x32";
        judge(record).rows.into_iter().find(is_queued).unwrap()
    }

    #[test]
    fn a_run_without_completions_moves_the_average_and_the_row_says_so() {
        let row = queued(&stalled());
        assert_eq!((row.measured.unwrap().median, row.averaged), (100_000.0, Some(25_000.0)));
        let said = row.reasons.iter().find(|reason| reason.about == super::AVERAGE).unwrap();
        assert!(said.text.starts_with("over all 24 s that were measured it is 25 kIOPS, outside of the interval"), "{}", said.text);
        let even = queued(&record());
        assert_eq!((even.averaged, even.reasons.iter().any(|reason| reason.about == super::AVERAGE)), (Some(100_000.0), false));
    }

    #[test]
    fn a_claim_that_only_the_median_meets_is_not_met_for_sure() {
        let verdict = |record| queued(&with_claim(record, 100_000.0, Some(128))).verdict;
        assert_eq!((verdict(record()), verdict(stalled())), (Some(Verdict::Meets), Some(Verdict::CannotTell)));
        assert_eq!(
            queued(&with_claim(stalled(), 20_000.0, Some(128))).reasons.iter().filter(|r| r.effect == super::Effect::Unsteady).count(),
            0
        );
    }

    #[test]
    fn a_latency_has_no_rate() {
        let rows = judge(&stalled()).rows;
        assert!(rows.iter().filter(|row| row.workload.is_unloaded()).all(|row| row.averaged.is_none()));
    }
}
