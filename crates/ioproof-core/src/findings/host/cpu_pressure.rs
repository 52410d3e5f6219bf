//! Tasks of this machine waited for a CPU for much of the time, although its CPUs were neither all busy nor taken up by the generator: too
//! many of them shared one.
//!
//! Where CPUs are all in use `generator-cpu` and `busy-host` have said so; where the generator's own threads shared too few, `cpu-set`.

use crate::findings::host::busy_host;
use crate::findings::host::cpu_set;
use crate::findings::host::cpu_waiting::{MUCH, figure, much_waited, waited};
use crate::findings::host::generator_cpu;
use crate::findings::prelude::*;

rule! {
    name: "cpu-pressure",
    about: "tasks of this machine waited for a CPU for much of the time",
    check: Check::Run(check),
    limit: RuleLimit::of_host(Place::OthersOnCpu, LimitConfidence::Likely, |_, measured| {
        format!("waiting for a CPU, for {} of the time", percent(waited(measured).unwrap_or(0.0)))
    })
    .looked_at(|_, measured| look(measured)),
}

fn check(context: &Context) -> Vec<Finding> {
    let told: Vec<Finding> = [generator_cpu::RULE, busy_host::RULE, cpu_set::RULE].iter().flat_map(|rule| rule.find(context)).collect();
    let untold = context.measured.iter().filter(|m| told.iter().all(|found| found.subject.job() != Some(m.index)));
    untold.filter_map(of_job).collect()
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let share = much_waited(measured)?;
    let title = format!("tasks of this machine waited for a CPU for {} of the time, though its CPUs were not all in use", percent(share));
    let busy = measured.median_counted(|part| part.stage.cpu_busy());
    let figures = [Some(figure(share)), busy.map(|busy| Evidence::number("CPU time used by anyone", busy, Unit::Share))];
    let remedy = "measure while nothing else runs, without --pin, and with no more workers than CPUs";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures.into_iter().flatten().collect(), remedy))
}

/// A kernel that does not count it leaves it to what else is known of the CPUs.
fn look(measured: &Measured) -> LimitCheck {
    waited(measured).map_or(LimitCheck::Absent, |share| LimitCheck::by((share < MUCH).then(|| figure(share))))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: waiting(Some(700_000_000), 0.6), silent: waiting(Some(100_000_000), 0.6) }

    /// Stages of a second.
    fn waiting(some_ns: Option<u64>, busy: f64) -> RunRecord {
        let cpu_waiting = some_ns.map(|some_ns| Waiting { some_ns, full_ns: None });
        record().with_host(HostLoad { cpu_waiting, ..cpu_load(busy, 1000, 2) })
    }

    #[test]
    fn silent_where_nobody_counts_or_another_rule_has_said_it() {
        assert!(RULE.found(&waiting(None, 0.6)).is_empty());
        assert!(RULE.found(&waiting(Some(900_000_000), 0.99)).is_empty(), "busy-host says it");
        assert!(RULE.found(&fires())[0].title.contains("for 70.0 % of the time"));
    }
}
