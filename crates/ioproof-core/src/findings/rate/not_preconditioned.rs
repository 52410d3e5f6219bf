//! Writes of a drive that is not in steady state: preconditioning ended before it was, or a claim of steady state meets a drive that is fresh or whose past is not known.

use crate::claim::DriveState;
use crate::drive_state;
use crate::findings::prelude::*;
use crate::preconditioning::Preconditioning;
use crate::stats::{PRECONDITION_WINDOW, Steadiness};

rule! {
    name: "not-preconditioned",
    about: "the drive was not in steady state: preconditioning ended too early, or the drive is fresh",
    check: Check::Run(check),
}

fn check(context: &Context) -> Vec<Finding> {
    // The tests of a standard have a rule of their own.
    if context.record.plan.as_ref().is_some_and(|plan| plan.standard.is_some()) {
        return Vec::new();
    }
    let writes = context.measured.iter().filter(|measured| measured.workload().writes());
    match Preconditioning::of(context.record) {
        Some(done) => {
            let unsteady = done.window().filter(|window| !window.is_preconditioned());
            unsteady.map_or_else(Vec::new, |window| writes.map(|measured| ended_early(measured, done.values.len(), window)).collect())
        }
        None => writes.filter_map(|measured| by_its_past(context, measured)).collect(),
    }
}

fn ended_early(measured: &Measured, rounds: usize, window: Steadiness) -> Finding {
    let trend = percent(window.slope_excursion.abs());
    let title = format!(
        "not steady after {rounds} rounds of preconditioning: a range of {} and a trend of {trend} over the last {PRECONDITION_WINDOW}",
        percent(window.range)
    );
    let figures = vec![
        Evidence::number("range / mean", window.range, Unit::Share).against(Steadiness::MOST_RANGE),
        Evidence::number("trend / mean", window.slope_excursion, Unit::Share).against(Steadiness::MOST_SLOPE),
        Evidence::number("rounds", rounds as f64, Unit::Count),
    ];
    let remedy = "run it again: the drive goes on from its present state; or give longer rounds (--time)";
    finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy)
}

/// Which side a claim favours is for its conditions to say (`judge::conditions`), so there is no effect here.
fn by_its_past(context: &Context, measured: &Measured) -> Option<Finding> {
    let record = context.record;
    let [target] = measured.job.targets.as_slice() else { return None };
    let history = record.targets.get(*target as usize)?.history.as_ref()?;
    let capacity_bytes = record.drive_of(measured.job)?.capacity_bytes.value;
    let of_run_bytes = measured.rounds.first()?.stage.state_before.written_bytes;
    let is_claimed_steady = claims_steady(context, measured);
    let (severity, title) = match (history.freshness(capacity_bytes, of_run_bytes), is_claimed_steady) {
        (Freshness::Fresh, true) => (Severity::Warn, format!("the claim is of steady state, the drive is {}", drive_state::fresh(history))),
        (Freshness::Fresh, false) => (Severity::Info, drive_state::fresh(history)),
        (Freshness::Unknown, true) => {
            (Severity::Warn, "the claim is of steady state, and nothing is known of what the drive went through".to_owned())
        }
        _ => return None,
    };
    let written_bytes = history.written_bytes().saturating_add(of_run_bytes) as f64;
    let figures = vec![Evidence::number("written since", written_bytes, Unit::Bytes).against(capacity_bytes as f64)];
    let remedy = "bring the drive to steady state first (--precondition)";
    Some(finding_on(measured, &RULE, severity, Effect::None, title, figures, remedy))
}

fn claims_steady(context: &Context, measured: &Measured) -> bool {
    let claims = context.record.datasheet_of(measured.job).map(|used| &used.datasheet.claims);
    let mut of_job = measured.job.claims.iter().filter_map(|claim| claims?.get(*claim));
    of_job.any(|claim| claim.state == Some(DriveState::Steady))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: preconditioned(|round| 1.0 - 0.1 * f64::from(round)), silent: preconditioned(|_| 1.0) }

    /// Six rounds of the first write job of a run, each at a share of its rate, before it.
    fn preconditioned(share: fn(u32) -> f64) -> RunRecord {
        let mut record = record();
        let job = record.jobs.iter().position(|job| job.workload.writes() && !job.workload.is_unloaded()).unwrap() as u32;
        let stage = record.stages.iter().find(|stage| stage.rounds[0].job == job).unwrap().clone();
        let rounds = (0..6).map(|number| {
            let mut stage = stage.clone();
            stage.purpose = Purpose::Precondition;
            stage.rounds[0].elapsed_ns = (stage.rounds[0].elapsed_ns as f64 / share(number)) as u64;
            stage
        });
        record.stages = rounds.chain(record.stages.clone()).collect();
        record
    }

    #[test]
    fn each_write_is_doubted_and_no_read() {
        let record = fires();
        RULE.says(&record, Effect::Unsteady, |_| true);
        assert_eq!(RULE.found(&record).len(), record.jobs.iter().filter(|job| job.workload.writes()).count());
        assert_eq!(crate::judge::judge(&record).exit_status, 3);
    }

    /// A run whose first write job is claimed in steady state, on a drive with this past.
    fn claimed(history: Option<DriveHistory>) -> RunRecord {
        let mut record = with_claim(record(), 1.0, None);
        record.jobs.iter_mut().for_each(|job| job.claims.clear());
        let claim = &mut record.targets[0].datasheet.as_mut().unwrap().datasheet.claims[0];
        (claim.read_percent, claim.state) = (0, Some(DriveState::Steady));
        record.jobs.iter_mut().find(|job| job.workload.writes()).unwrap().claims = vec![0];
        record.targets[0].history = history;
        record
    }

    fn said(record: &RunRecord) -> Vec<(Severity, String)> {
        RULE.found(record).into_iter().map(|finding| (finding.severity, finding.title)).collect()
    }

    #[test]
    fn a_claim_of_steady_state_is_doubted_on_a_fresh_drive_and_on_one_that_nothing_is_known_of() {
        let mut history = DriveHistory::new("S1", "2026-01-01T00:00:00Z");
        let unknown = said(&claimed(Some(history.clone())));
        assert!(matches!(unknown.as_slice(), [(Severity::Warn, title)] if title.contains("nothing is known")), "{unknown:?}");
        assert_eq!(said(&claimed(None)), [], "a target whose drive has no past");
        history.begin_purge("discard", "2026-01-02T00:00:00Z");
        history.end_purge(&crate::record::DriveState::default(), "2026-01-02T00:00:00Z");
        let record = claimed(Some(history.clone()));
        let fresh = said(&record);
        assert_eq!(fresh.iter().filter(|(severity, _)| *severity == Severity::Warn).count(), 1);
        assert_eq!(fresh.len(), record.jobs.iter().filter(|job| job.workload.writes()).count());
        assert!(fresh.iter().all(|(_, title)| title.contains("fresh out of the box: discard on 2026-01-02 00:00 UTC")), "{fresh:?}");
        history.own_bytes = u64::MAX;
        assert_eq!(said(&claimed(Some(history))), []);
    }
}
