//! An open loop asks at its own times. Where less comes back than was asked for, the queue only grows, and the response times show how long the run was and not
//! what the drive does.

use crate::findings::limit::queueing;
use crate::findings::prelude::*;
use crate::search::LEAST_DELIVERED;

rule! {
    name: "pace-not-kept",
    about: "less was done than the pace asked for",
    check: Check::EachJob(|_, measured| of_workload(measured)),
    limit: RuleLimit::on_the_way(LimitRank::Pace, |context, measured| queueing(context, measured).words),
}

/// I/Os below which a pace cannot be held against what was done.
const FEWEST: u64 = 100;

/// Share of a pace below which it is not kept where the queue is full all the time, so that ever more waits before it.
const LEAST_FROM_A_FULL_QUEUE: f64 = 0.999;

fn of_workload(measured: &Measured) -> Option<Finding> {
    let asked = measured.workload().shape.pace.ios_per_s()? as f64;
    let done = measured.median_of(|r| r.iops())?;
    let enough = measured.sum_of(|r| r.ios()) >= FEWEST;
    let least = if measured.keeps_queue_full() { LEAST_FROM_A_FULL_QUEUE } else { LEAST_DELIVERED };
    if !enough || done >= least * asked {
        return None;
    }
    let title = format!("the pace was not kept: {} of {} that were asked for", Metric::Iops.show(done), Metric::Iops.show(asked));
    let figures = vec![
        Evidence::number("done", done, Unit::IosPerSecond).against(least * asked),
        Evidence::number("asked for", asked, Unit::IosPerSecond),
        Evidence::number("share", done / asked, Unit::Share),
    ];
    let remedy = "its response times grow with the length of the run; ask for less, or allow more outstanding (--depth, --workers)";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: paced(200_000), silent: paced(10_000) }

    fn done() -> f64 {
        let record = record();
        let context = Context::new(&record);
        context.measured[0].median_of(|r| r.iops()).unwrap()
    }

    #[test]
    fn a_queue_that_is_full_all_the_time_tells_of_little_that_is_missing() {
        let of = |share: f64, kept: f64| {
            let mut record = paced((done() / share) as u64);
            let wanted = f64::from(record.jobs[0].workload.outstanding());
            let rounds = record.rounds_mut().filter(|round| round.job == 0);
            rounds.for_each(|round| round.edge_ns += ((kept * wanted - round.outstanding()) * round.elapsed_ns as f64) as i64);
            RULE.found(&record).iter().filter(|found| found.subject.concerns(0)).count()
        };
        assert_eq!((of(0.985, 0.97), of(0.985, 0.9), of(0.97, 0.9), of(1.0, 1.0)), (1, 0, 1, 0));
    }

    fn paced(ios_per_s: u64) -> RunRecord {
        let pace = Pace::Fixed { ios_per_s };
        record().with(|record| record.jobs.iter_mut().for_each(|job| job.workload.shape.pace = pace))
    }

    #[test]
    fn a_pace_that_is_kept_is_not_worth_a_word() {
        RULE.says(&fires(), Effect::Unsteady, |title| title.contains("200 kIOPS"));
    }
}
