//! This process was stopped as a whole for a while: by a signal, a freezer (Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst), a debugger, or a
//! virtual machine that was paused. What was under way seems to have taken as long.
//!
//! A thread that only watches sleeps for 50 ms at a time; where it wakes up much later, so did everybody else. The time for which it was ready and waited for
//! a CPU is no stop, and `busy-host` tells it (`run_delay`, Documentation/scheduler/sched-stats.rst).

use super::{Context, Limit, Measured, Rule, finding_on};
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::limited_by::{LimitConfidence, Place};
use crate::units::latency;

pub(super) const RULE: Rule = Rule {
    name: "stopped",
    about: "the whole process was stopped for a while",
    check,
    limit: Some(Limit::of_host(Place::Generator, LimitConfidence::Likely, |_, measured| {
        format!("the generator: it was stopped for up to {} at a time", latency(longest(measured) as f64))
    })),
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// Lateness from which on it is told. Nanoseconds.
pub(super) const LEAST_NS: u64 = 250_000_000;

/// Time by which a stop may be longer than the lateness that it makes, and an I/O than the stop. Nanoseconds.
const SEEN_LATE_NS: u64 = 250_000_000;

fn check(context: &Context) -> Vec<Finding> {
    context.measured.iter().filter_map(of_job).collect()
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let stopped_ns = longest(measured);
    let title = format!(
        "the whole process was stopped for up to {} at a time, and what was under way seems to have taken as long",
        latency(stopped_ns as f64)
    );
    let name = "lateness of a thread that only sleeps, less its wait for a CPU";
    let figure = Evidence::number(name, stopped_ns as f64, Unit::Nanoseconds).against(LEAST_NS as f64);
    let remedy = "look for what stops it (a freezer, a debugger, a hypervisor that pauses this machine), and measure again";
    is_found(measured).then(|| finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, vec![figure], remedy))
}

/// True where the rule speaks about a job.
pub(crate) fn is_found(measured: &Measured) -> bool {
    longest(measured) >= LEAST_NS
}

/// The longest time that no wait for a CPU accounts for.
fn longest(measured: &Measured) -> u64 {
    late(measured).max().unwrap_or(0)
}

/// Lateness of each round, less the wait for a CPU where the kernel tells it.
fn late(measured: &Measured) -> impl Iterator<Item = u64> {
    let hosts = measured.met().filter_map(|part| part.stage.host.as_ref());
    hosts.filter_map(|host| host.watch_stopped_ns.or(host.watch_late_ns))
}

/// True where so many I/Os, which took up to `longest_ns`, are no more than what is under way when the whole process is stopped, and took no longer than that.
pub(super) fn explains(measured: &Measured, count: u64, longest_ns: u64) -> bool {
    let stops = late(measured).filter(|late_ns| *late_ns >= LEAST_NS).count() as u64;
    let at_a_time = u64::from(measured.job.workload.outstanding());
    count <= stops * at_a_time && longest_ns <= longest(measured) + SEEN_LATE_NS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{HostLoad, RunRecord};
    use crate::testing::record;

    pub(in super::super) fn fires() -> RunRecord {
        late(520_000_000, None)
    }

    pub(in super::super) fn silent() -> RunRecord {
        late(60_000_000, None)
    }

    fn late(ns: u64, stopped_ns: Option<u64>) -> RunRecord {
        let mut record = record();
        let load = HostLoad { watch_late_ns: Some(ns), watch_stopped_ns: stopped_ns, ..HostLoad::default() };
        record.stages.iter_mut().for_each(|stage| stage.host = Some(load.clone()));
        record
    }

    #[test]
    fn a_wait_for_a_cpu_is_no_stop() {
        let found = |stopped_ns| check(&Context::new(&late(520_000_000, Some(stopped_ns)))).len();
        assert!(found(250_000_000) > 0);
        assert_eq!(found(249_000_000), 0);
    }
}
