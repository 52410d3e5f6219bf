//! IOPS x mean latency must be the number of I/Os outstanding. Where it is not, time was lost outside of the measured latency or the depth was not kept,
//! and latency and throughput of the run do not belong together. What was under way at the edges of the measurement is accounted for, so short rounds do not
//! break the law by themselves.

use super::{Context, Measured, Rule, evidence, finding_on};
use crate::claim::Metric;
use crate::record::Round;
use crate::units::percent;
use crate::verdict::{Effect, Finding, Severity};

pub(super) const RULE: Rule = Rule { name: "littles-law", about: "IOPS x mean latency differs from the I/O outstanding", check };

/// I/Os for each place of the queue below which a round is mostly its own beginning and end.
const FEW: u32 = 100;

fn check(context: &Context) -> Vec<Finding> {
    let most = context.record.policy.little_tolerance;
    context.measured.iter().filter_map(|m| of_workload(m, most)).collect()
}

fn of_workload(measured: &Measured, most: f64) -> Option<Finding> {
    // A pace leaves the queue empty on purpose; without timing nothing is known, and so few I/Os are mostly beginning and end.
    let few = FEW * measured.workload().outstanding();
    if measured.workload().shape.is_held_back() || measured.rounds.iter().any(|r| r.latency().count() < few.into()) {
        return None;
    }
    let outstanding = f64::from(measured.workload().outstanding());
    let kept = measured.median_of(Round::outstanding)?;
    let off = (kept - outstanding) / outstanding;
    if off.abs() <= most {
        return None;
    }
    let title = format!("IOPS x mean latency is {kept:.2}, {outstanding} were to be outstanding ({} off)", percent(off));
    let figures = vec![
        evidence("IOPS", Metric::Iops.show(measured.median_of(Round::iops)?)),
        evidence("mean latency", Metric::Latency.show(measured.median_of(|r| r.latency().mean_ns().unwrap_or(0.0))?)),
        evidence("outstanding on average", format!("{kept:.2}")),
        evidence("to be outstanding", measured.workload().concurrency()),
    ];
    let remedy = "the host spends time outside of the I/O, or cannot keep the queue full: look at its CPU";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Pace;
    use crate::testing::record;
    use crate::workload::Workload;

    #[test]
    fn fires_beyond_the_tolerance() {
        let mut record = record();
        assert!(check(&Context::new(&record)).is_empty());
        record.rounds.iter_mut().for_each(|r| r.elapsed_ns = r.elapsed_ns * 11 / 10);
        let found = check(&Context::new(&record));
        assert_eq!(found.len(), record.plan.all().count());
    }

    #[test]
    fn silent_where_the_queue_is_not_meant_to_be_full() {
        let mut record = record();
        record.rounds.iter_mut().for_each(|r| r.elapsed_ns = r.elapsed_ns * 11 / 10);
        let paced = |w: &mut Workload| w.shape.pace = Pace::Fixed { ios_per_s: 1000 };
        record.plan.reads.iter_mut().chain(&mut record.plan.writes).for_each(|p| paced(&mut p.workload));
        record.rounds.iter_mut().for_each(|r| paced(&mut r.workload));
        assert!(check(&Context::new(&record)).is_empty());
    }

    #[test]
    fn silent_where_nothing_was_timed() {
        let mut record = record();
        for round in &mut record.rounds {
            (round.read.latency, round.write.latency, round.durable) = Default::default();
        }
        assert!(check(&Context::new(&record)).is_empty());
    }

    #[test]
    fn a_durable_mix_counts_its_reads_too() {
        let mut record = record();
        let round = &mut record.rounds[0];
        round.durable = Some(round.write.latency.clone());
        assert!((round.outstanding() - f64::from(round.workload.outstanding())).abs() < 0.05 * f64::from(round.workload.outstanding()));
    }
}
