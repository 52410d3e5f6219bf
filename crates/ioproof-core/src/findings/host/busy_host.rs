//! Others used the CPUs of this machine while it measured, so that the generator, or the kernel's part of the path, had to wait for one.

use crate::findings::host::stopped;
use crate::findings::prelude::*;

rule! {
    name: "busy-host",
    about: "others used the CPUs of this machine during the measurement",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::of_host(Place::OthersOnCpu, LimitConfidence::Likely, |_, measured| {
        format!("the host's CPU: others use {} of it", percent(others(measured).unwrap_or(0.0)))
    })
    .looked_at(|_, measured| look(measured)),
}

/// From this share of all CPU time on, nobody finds a free CPU at once.
const BUSY: f64 = 0.90;
/// Least share of it that is somebody else's.
pub(crate) const OTHERS: f64 = 0.25;

pub(crate) fn of_job(measured: &Measured) -> Option<Finding> {
    let (title, figures) = busy_throughout(measured).or_else(|| crowded_once(measured))?;
    let remedy = "measure while nothing else runs on this machine";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

fn busy_throughout(measured: &Measured) -> Option<(String, Vec<Evidence>)> {
    let busy = measured.median_counted(|part| part.stage.cpu_busy()).filter(|busy| *busy >= BUSY)?;
    let others = others(measured).filter(|others| *others >= OTHERS)?;
    let title = format!("the CPUs of this machine are {} busy, and {} of their time goes to others", percent(busy), percent(others));
    let figures = vec![
        Evidence::number("CPU time used by anyone", busy, Unit::Share).against(BUSY),
        Evidence::number("CPU time used by others", others, Unit::Share).against(OTHERS),
    ];
    Some((title, figures))
}

/// A thread of ours was ready, and found no CPU for as long as a stop takes.
fn crowded_once(measured: &Measured) -> Option<(String, Vec<Evidence>)> {
    let waited = |part: &Part| Some((part.stage.host.as_ref()?.watch_waited_ns?, others_in(part)?));
    let of_rounds = measured.rounds.iter().filter_map(waited);
    let crowded = of_rounds.filter(|(waited_ns, others)| *waited_ns >= stopped::LEAST_NS && *others >= OTHERS);
    let (waited_ns, others) = crowded.max_by_key(|(waited_ns, _)| *waited_ns)?;
    let title = format!(
        "a thread of ioproof waited for a CPU for up to {}, in a run in which {} of the CPU time went to others",
        latency(waited_ns as f64),
        percent(others)
    );
    let figures = vec![
        Evidence::number("longest wait for a CPU", waited_ns as f64, Unit::Nanoseconds).against(stopped::LEAST_NS as f64),
        Evidence::number("CPU time used by others", others, Unit::Share).against(OTHERS),
    ];
    Some((title, figures))
}

/// True where the rule speaks about a job.
pub(crate) fn is_found(measured: &Measured) -> bool {
    of_job(measured).is_some()
}

fn look(measured: &Measured) -> LimitCheck {
    if is_found(measured) {
        return LimitCheck::Open;
    }
    let busy = measured.median_counted(|part| part.stage.cpu_busy()).filter(|busy| *busy < BUSY);
    let free = busy.map(|busy| Evidence::number("CPU time used by anyone", busy, Unit::Share).against(BUSY));
    let own = || {
        let others = others(measured).filter(|others| *others < OTHERS)?;
        Some(Evidence::number("CPU time used by others", others, Unit::Share).against(OTHERS))
    };
    LimitCheck::by(free.or_else(own))
}

/// Share of all CPU time that somebody else used; none where it is not counted.
pub(crate) fn others(measured: &Measured) -> Option<f64> {
    measured.median_counted(others_in)
}

/// The same in one round.
pub(crate) fn others_in(part: &Part) -> Option<f64> {
    let host = part.stage.host.as_ref()?;
    let own_cpus = host.own_cpu_ns? as f64 / part.stage.elapsed_ns.max(1) as f64;
    Some((host.cpu_busy? - own_cpus / cpus(part)?).max(0.0))
}

fn cpus(part: &Part) -> Option<f64> {
    part.stage.host.as_ref()?.cpus.filter(|cpus| *cpus > 0).map(f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: used(0.99, 400_000_000), silent: used(0.99, 1_900_000_000) }

    /// Two CPUs, and stages of a second.
    fn used(busy: f64, own_cpu_ns: u64) -> RunRecord {
        record().with_host(cpu_load(busy, own_cpu_ns, 2))
    }

    #[test]
    fn a_machine_with_free_cpus_is_not_busy() {
        assert!(RULE.found(&used(0.6, 100_000_000)).is_empty());
        assert!(RULE.found(&fires())[0].title.contains("99.0 % busy, and 79.0 % of their time goes to others"));
    }

    #[test]
    fn a_long_wait_for_a_cpu_among_others_is_told() {
        let waited = |ns, busy| {
            let late = |record: &mut RunRecord| record.stages[0].host.as_mut().unwrap().watch_waited_ns = Some(ns);
            RULE.titles(&used(busy, 100_000_000).with(late))
        };
        let title = "a thread of ioproof waited for a CPU for up to 480 ms, in a run in which 65.0 % of the CPU time went to others";
        assert_eq!(waited(480_000_000, 0.7), [title]);
        assert!(waited(249_000_000, 0.7).is_empty() && waited(480_000_000, 0.29).is_empty());
    }
}
