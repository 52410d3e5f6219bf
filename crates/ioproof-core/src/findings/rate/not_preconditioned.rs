//! Preconditioning ran all its rounds and the drive was not steady: every write after it is doubtful.

use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::findings::rule::{finding_on, rule};
use crate::measured::{Context, Measured};
use crate::record::{Part, Purpose};
use crate::stats::{PRECONDITION_WINDOW, Steadiness};
use crate::units::percent;

rule! {
    name: "not-preconditioned",
    about: "preconditioning ended before the drive was steady",
    limit: None,
}

fn check(context: &Context) -> Vec<Finding> {
    let rounds: Vec<Part> = context.record.parts().filter(|part| part.stage.purpose == Purpose::Precondition).collect();
    let Some(last) = rounds.last().map(|part| part.round.job) else { return Vec::new() };
    // The passes before the rounds are another job.
    let values: Vec<f64> = rounds.iter().filter(|part| part.round.job == last).map(Part::main_value).collect();
    let window = values.len().checked_sub(PRECONDITION_WINDOW).map(|from| &values[from..]);
    let Some(unsteady) = window.and_then(Steadiness::of).filter(|window| !window.is_preconditioned()) else { return Vec::new() };
    let writes = context.measured.iter().filter(|measured| measured.workload().writes());
    writes.map(|measured| of_job(measured, values.len(), unsteady)).collect()
}

fn of_job(measured: &Measured, rounds: usize, window: Steadiness) -> Finding {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunRecord;
    use crate::testing::record;

    pub(in crate::findings) fn fires() -> RunRecord {
        preconditioned(|round| 1.0 - 0.1 * f64::from(round))
    }

    pub(in crate::findings) fn silent() -> RunRecord {
        preconditioned(|_| 1.0)
    }

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
        let (context, writes) = (Context::new(&record), record.jobs.iter().filter(|job| job.workload.writes()).count());
        let found = check(&context);
        assert_eq!(found.len(), writes);
        assert!(found.iter().all(|finding| finding.effect == Effect::Unsteady));
        assert_eq!(crate::judge::judge(&record).exit_status, 3);
    }
}
