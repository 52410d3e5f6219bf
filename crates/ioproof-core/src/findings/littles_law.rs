//! IOPS x mean latency must be the number of I/Os outstanding. Where it is not, time was lost outside of the measured latency or the depth was not kept,
//! and latency and throughput of the run do not belong together.

use super::{Context, Measured, Rule, evidence, finding};
use crate::claim::Metric;
use crate::record::Round;
use crate::units::percent;
use crate::verdict::{Effect, Finding, Severity};

pub(super) const RULE: Rule = Rule { name: "littles-law", about: "IOPS x mean latency differs from the I/O outstanding", check };

fn check(context: &Context) -> Vec<Finding> {
    let most = context.record.policy.little_tolerance;
    context.measured.iter().filter_map(|m| of_workload(m, most)).collect()
}

fn of_workload(measured: &Measured, most: f64) -> Option<Finding> {
    let outstanding = f64::from(measured.workload().outstanding());
    let kept = measured.median_of(outstanding_kept)?;
    let off = (kept - outstanding) / outstanding;
    if off.abs() <= most + measured.median_of(edges)? {
        return None;
    }
    let title = format!(
        "{}: IOPS x mean latency is {kept:.2}, {outstanding} were to be outstanding ({} off)",
        measured.workload().title(),
        percent(off)
    );
    let figures = vec![
        evidence("IOPS", Metric::Iops.show(measured.median_of(Round::iops)?)),
        evidence("mean latency", Metric::Latency.show(measured.median_of(|r| r.latency().mean_ns().unwrap_or(0.0))?)),
        evidence("outstanding", measured.workload().concurrency()),
    ];
    let remedy = "the host spends time outside of the I/O, or cannot keep the queue full: look at its CPU";
    Some(Finding { workload: Some(measured.workload().clone()), ..finding(&RULE, Severity::Warn, Effect::None, title, figures, remedy) })
}

/// The share of the measurement during which I/O was under way that began before it or ended after it.
fn edges(round: &Round) -> f64 {
    2.0 * round.latency().mean_ns().unwrap_or(0.0) / round.elapsed_ns.max(1) as f64
}

fn outstanding_kept(round: &Round) -> f64 {
    round.iops() * round.latency().mean_ns().unwrap_or(0.0) / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn fires_beyond_the_tolerance() {
        let mut record = record();
        assert!(check(&Context::new(&record)).is_empty());
        record.rounds.iter_mut().for_each(|r| r.elapsed_ns = r.elapsed_ns * 12 / 10);
        let found = check(&Context::new(&record));
        assert_eq!(found.len(), record.plan.all().count());
    }
}
