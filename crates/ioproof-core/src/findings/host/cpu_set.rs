//! The generator takes up all of the CPUs that it may run on, or its tasks wait for them, while others of this machine are not for it:
//! `taskset`, or the cpuset of a control group.
//!
//! The set is read from `/proc/self/status` (cpuset(7), sched_setaffinity(2)). Where the CPUs are neither taken up nor waited for the set
//! holds nothing back.

use crate::findings::host::busy_host;
use crate::findings::host::cpu_waiting;
use crate::findings::host::generator_cpu::own_cores;
use crate::findings::host::own_limit::EXCEEDED;
use crate::findings::prelude::*;

rule! {
    name: "cpu-set",
    about: "the generator takes up all CPUs that it may run on, and more are there",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::CpuSet, LimitConfidence::Likely, describe).looked_at(look),
}

/// CPU time of others, as a share of the generator's own, that is hardly any.
const HARDLY: f64 = 0.25;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let set = set(context)?;
    let least = context.record.policy.cpu_saturated * set.value;
    let used = measured.median_counted(own_cores).filter(|used| *used <= EXCEEDED * set.value)?;
    let waited = crowded(measured);
    if measured.workload().is_unloaded() || (used < least && waited.is_none()) {
        return None;
    }
    let title = format!("this process may run on {}, and {}", allowed(measured, set), taken(waited.filter(|_| used < least)));
    let figures = [
        Some(Evidence::number("CPUs that it may run on", set.value, Unit::Count).read_at(set.source.clone())),
        online(measured).map(|online| Evidence::number("CPUs that are there", online, Unit::Count).read_at("/proc/stat")),
        Some(Evidence::number("CPUs that it uses", used, Unit::Cpus).against(least)),
        waited.map(cpu_waiting::figure),
    ];
    let remedy = "measure without taskset, and outside of that cpuset";
    let figures = figures.into_iter().flatten().collect();
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, figures, remedy))
}

/// Share of the time for which tasks waited for a CPU though hardly anybody else used one, so that they are the generator's own.
fn crowded(measured: &Measured) -> Option<f64> {
    let others = busy_host::others(measured)? * online(measured)?;
    let used = measured.median_counted(own_cores)?;
    cpu_waiting::much_waited(measured).filter(|_| others <= HARDLY * used)
}

fn taken(waited: Option<f64>) -> String {
    waited.map_or_else(|| "takes them up".into(), |share| format!("its threads waited for them for {} of the time", percent(share)))
}

fn set<'a>(context: &'a Context) -> Option<&'a OwnLimit> {
    context.record.host.limits_on(LimitedResource::CpuSet).next()
}

fn online(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| part.stage.host.as_ref()?.cpus.map(f64::from))
}

/// `1 of 8 CPUs`.
fn allowed(measured: &Measured, set: &OwnLimit) -> String {
    let of = online(measured).map(|online| format!(" of {online:.0}")).unwrap_or_default();
    format!("{:.0}{of} CPUs", set.value)
}

fn describe(context: &Context, measured: &Measured) -> String {
    let allowed = set(context).map(|set| allowed(measured, set)).unwrap_or_default();
    format!("the CPUs that this process may run on: {allowed}, all taken up or waited for")
}

fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let Some(set) = set(context) else { return LimitCheck::Absent };
    let most = context.record.policy.cpu_saturated * set.value;
    let used = measured.median_counted(own_cores).filter(|used| *used < most);
    LimitCheck::by(
        used.filter(|_| crowded(measured).is_none())
            .map(|used| Evidence::number("CPUs used of those that are allowed", used, Unit::Cpus).against(most)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: on_one_of_eight(980_000_000), silent: on_one_of_eight(300_000_000) }

    /// Stages of a second.
    fn on_one_of_eight(own_cpu_ns: u64) -> RunRecord {
        let load = HostLoad { own_cpu_ns: Some(own_cpu_ns), cpus: Some(8), ..HostLoad::default() };
        let record = record().with_host(load).with_limit(LimitedResource::CpuSet, None, 1.0);
        record.with(|record| record.host.cpus_usable = 1)
    }

    #[test]
    fn its_own_threads_wait_for_one_another_while_another_cpu_is_idle() {
        let crowded = |busy, some_ns| {
            let cpu_waiting = Some(Waiting { some_ns, full_ns: None });
            let load = HostLoad { cpu_waiting, ..cpu_load(busy, 600_000_000, 8) };
            RULE.titles(&on_one_of_eight(0).with_host(load)).into_iter().next()
        };
        let title = "this process may run on 1 of 8 CPUs, and its threads waited for them for 70.0 % of the time";
        assert_eq!(crowded(0.08, 700_000_000).as_deref(), Some(title));
        assert_eq!(crowded(0.08, 300_000_000), None, "they did not wait long");
        assert_eq!(crowded(0.20, 700_000_000), None, "others use a CPU: they may be those that waited");
    }

    #[test]
    fn all_cpus_of_the_machine_are_no_set() {
        RULE.says(&fires(), Effect::HeldBack, |title| title.contains("may run on 1 of 8 CPUs"));
        // It used four of them in the second case: the set is not in force.
        RULE.silent_on([fires().with(|record| record.host.limits.clear()), on_one_of_eight(4_000_000_000)]);
    }
}
