//! Tasks of this machine waited for memory while it measured: it was short, and the kernel had to take it back before it could go on.
//!
//! The kernel counts the time for which at least one task waited so (`some` of PSI, Documentation/accounting/psi.rst). That of I/O gives no finding: the load's
//! own workers wait for their I/O.

use crate::findings::prelude::*;

rule! {
    name: "memory-pressure",
    about: "tasks of this machine waited for memory",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::of_host(Place::HostMemory, LimitConfidence::Likely, |_, measured| {
        format!("waiting for memory, for {} of the time", percent(waited(measured).unwrap_or(0.0)))
    })
    .looked_at(|_, measured| look(measured)),
}

/// Share of the time from which on it bears on a number.
const MUCH: f64 = 0.1;

fn of_job(measured: &Measured) -> Option<Finding> {
    let share = waited(measured).filter(|share| *share >= MUCH)?;
    let title = format!("tasks of this machine waited for memory for {} of the time", percent(share));
    let figure = Evidence::number("time for which a task waited for memory", share, Unit::Share).against(MUCH);
    let remedy = "end what takes the memory, or measure outside of a control group that limits it";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, vec![figure.read_at("/proc/pressure/memory")], remedy))
}

fn look(measured: &Measured) -> LimitCheck {
    waited(measured).map_or(LimitCheck::Absent, |share| {
        let figure = Evidence::number("time for which a task waited for memory", share, Unit::Share).against(MUCH);
        LimitCheck::by((share < MUCH).then_some(figure))
    })
}

fn waited(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| part.stage.share_waited(|host| host.memory_waiting))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: waiting(Some(200_000_000)), silent: waiting(Some(0)) }

    /// Stages of a second.
    fn waiting(some_ns: Option<u64>) -> RunRecord {
        let memory_waiting = some_ns.map(|some_ns| Waiting { some_ns, full_ns: Some(0) });
        record().with_host(HostLoad { memory_waiting, ..HostLoad::default() })
    }

    #[test]
    fn nobody_waited_is_ruled_out_and_not_counted_is_not() {
        let look = |some_ns| {
            let record = waiting(some_ns);
            look(&Context::new(&record).measured[0])
        };
        assert!(matches!(look(Some(0)), LimitCheck::RuledOut(_)));
        assert_eq!((look(None), look(Some(900_000_000))), (LimitCheck::Absent, LimitCheck::Open));
    }
}
