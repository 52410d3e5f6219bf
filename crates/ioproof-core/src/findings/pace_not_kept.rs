//! An open loop asks at its own times. Where less comes back than was asked for, the queue only grows, and the response times show how long the run was and not
//! what the drive does.

use super::{Context, Limit, LimitRank, Measured, Rule, finding_on, queueing};
use crate::claim::Metric;
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::search::LEAST_DELIVERED;

pub(super) const RULE: Rule = Rule {
    name: "pace-not-kept",
    about: "less was done than the pace asked for",
    check,
    limit: Some(Limit::on_the_way(LimitRank::Pace, |context, measured| queueing(context, measured).words)),
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// I/Os below which a pace cannot be held against what was done.
const FEWEST: u64 = 100;

fn check(context: &Context) -> Vec<Finding> {
    context.measured.iter().filter_map(of_workload).collect()
}

fn of_workload(measured: &Measured) -> Option<Finding> {
    let asked = measured.workload().shape.pace.ios_per_s()? as f64;
    let done = measured.median_of(|r| r.iops())?;
    let enough = measured.rounds.iter().map(|r| r.ios()).fold(0, u64::saturating_add) >= FEWEST;
    if !enough || done >= LEAST_DELIVERED * asked {
        return None;
    }
    let title = format!("the pace was not kept: {} of {} that were asked for", Metric::Iops.show(done), Metric::Iops.show(asked));
    let figures = vec![
        Evidence::number("done", done, Unit::IosPerSecond).against(LEAST_DELIVERED * asked),
        Evidence::number("asked for", asked, Unit::IosPerSecond),
        Evidence::number("share", done / asked, Unit::Share),
    ];
    let remedy = "its response times grow with the length of the run; ask for less, or allow more outstanding (--depth, --workers)";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunRecord;
    use crate::shape::Pace;
    use crate::testing::record;

    pub(in super::super) fn fires() -> RunRecord {
        paced(200_000)
    }

    pub(in super::super) fn silent() -> RunRecord {
        paced(10_000)
    }

    fn paced(ios_per_s: u64) -> RunRecord {
        let mut record = record();
        let pace = Pace::Fixed { ios_per_s };
        record.jobs.iter_mut().for_each(|job| job.workload.shape.pace = pace);
        record
    }

    #[test]
    fn a_pace_that_is_kept_is_not_worth_a_word() {
        let record = paced(200_000);
        let missed = check(&Context::new(&record));
        assert!(!missed.is_empty() && missed.iter().all(|f| f.effect == Effect::Unsteady && f.title.contains("200 kIOPS")));
    }
}
