//! This process was stopped as a whole for a while: by a signal, a freezer (Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst), a debugger, or a
//! virtual machine that was paused. What was under way seems to have taken as long.
//!
//! A thread that only watches sleeps for 50 ms at a time; where it wakes up much later, so did everybody else. The time for which it was ready and waited for
//! a CPU is no stop, and `busy-host` tells it (`run_delay`, Documentation/scheduler/sched-stats.rst).

use crate::findings::prelude::*;

rule! {
    name: "stopped",
    about: "the whole process was stopped for a while",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::of_host(Place::Generator, LimitConfidence::Likely, |_, measured| {
        format!("the generator: it was stopped for up to {} at a time", latency(longest(measured) as f64))
    }),
}

/// Lateness from which on it bears on a verdict. Nanoseconds.
pub(crate) const LEAST_NS: u64 = 250_000_000;

/// Lateness from which on it is told, where the wait for a CPU is known: as long as what is called a stall. Nanoseconds.
const TOLD_NS: u64 = 100_000_000;

/// Most time by which a stop may be longer than the lateness that it makes, and an I/O than the stop; never more than twice the lateness. Nanoseconds.
const SEEN_LATE_NS: u64 = 250_000_000;

fn of_job(measured: &Measured) -> Option<Finding> {
    let stopped_ns = late(measured).max().filter(|ns| *ns >= TOLD_NS)?;
    let (severity, effect) = if is_found(measured) { (Severity::Warn, Effect::HeldBack) } else { (Severity::Info, Effect::None) };
    let title = format!(
        "the whole process was stopped for up to {} at a time, and what was under way seems to have taken as long",
        latency(stopped_ns as f64)
    );
    let name = "lateness of a thread that only sleeps, less its wait for a CPU";
    let figure = Evidence::number(name, stopped_ns as f64, Unit::Nanoseconds).against(LEAST_NS as f64);
    let remedy = "look for what stops it (a freezer, a debugger, a hypervisor that pauses this machine), and measure again";
    Some(finding_on(measured, &RULE, severity, effect, title, vec![figure], remedy))
}

/// True where a stop bears on a job's verdict.
pub(crate) fn is_found(measured: &Measured) -> bool {
    longest(measured) >= LEAST_NS
}

/// The longest time that no wait for a CPU accounts for.
fn longest(measured: &Measured) -> u64 {
    late(measured).max().unwrap_or(0)
}

/// Lateness of each round in which the process was stopped.
fn late(measured: &Measured) -> impl Iterator<Item = u64> {
    hosts(measured).filter_map(stopped_ns)
}

fn hosts<'a>(measured: &'a Measured) -> impl Iterator<Item = &'a HostLoad> {
    measured.met().filter_map(|part| part.stage.host.as_ref())
}

/// Lateness, less the wait for a CPU where the kernel tells it, if it is a stop.
fn stopped_ns(host: &HostLoad) -> Option<u64> {
    match host.watch_stopped_ns {
        Some(stopped_ns) => Some(stopped_ns).filter(|ns| *ns >= STOP_NS),
        None => host.watch_late_ns.filter(|ns| *ns >= LEAST_NS),
    }
}

/// Number of stops; one a round where they were not counted.
fn stops(measured: &Measured) -> u64 {
    let of_round = |host: &HostLoad| stopped_ns(host).map_or(0, |_| host.watch_stops.unwrap_or(1));
    hosts(measured).map(of_round).fold(0, u64::saturating_add)
}

/// True where so many I/Os, which took up to `longest_ns`, are no more than what is under way when the whole process is stopped, and took no longer than that.
pub(crate) fn explains(measured: &Measured, count: u64, longest_ns: u64) -> bool {
    let (at_a_time, stopped_ns) = (u64::from(measured.job.workload.outstanding()), longest(measured));
    let seen_late_ns = SEEN_LATE_NS.min(stopped_ns.saturating_mul(2));
    count <= stops(measured).saturating_mul(at_a_time) && longest_ns <= stopped_ns.saturating_add(seen_late_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: late(520_000_000, None), silent: late(60_000_000, None) }

    fn late(ns: u64, stopped_ns: Option<u64>) -> RunRecord {
        record().with_host(HostLoad { watch_late_ns: Some(ns), watch_stopped_ns: stopped_ns, ..HostLoad::default() })
    }

    #[test]
    fn a_wait_for_a_cpu_is_no_stop() {
        let weight = |stopped_ns| RULE.found(&late(520_000_000, stopped_ns)).first().map(|finding| finding.effect);
        let weights = [Some(250_000_000), Some(249_000_000), Some(99_000_000), None].map(weight);
        assert_eq!(weights, [Some(Effect::HeldBack), Some(Effect::None), None, Some(Effect::HeldBack)]);
    }

    #[test]
    fn what_waits_for_a_cpu_untold_is_no_short_stop() {
        RULE.silent_on([late(200_000_000, None)]);
    }
}
