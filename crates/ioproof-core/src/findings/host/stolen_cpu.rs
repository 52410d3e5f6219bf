//! A hypervisor gave this machine's CPUs to others while it measured (steal in `/proc/stat`, proc_stat(5)).

use crate::findings::host::generator_cpu::{busiest_worker, own_cores};
use crate::findings::prelude::*;

rule! {
    name: "stolen-cpu",
    about: "a hypervisor took CPU time away during the measurement",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::of_host(Place::Hypervisor, LimitConfidence::Likely, |_, measured| {
        format!("the hypervisor: it took {} of the CPU time", percent(stolen(measured).unwrap_or(0.0)))
    })
    .looked_at(|_, measured| look(measured)),
}

/// Share of the CPU time that may go without a word.
const MOST: f64 = 0.05;
/// Share of an I/O's time from which on steal is the limit.
const EXPLAINS: f64 = 0.5;

fn of_job(measured: &Measured) -> Option<Finding> {
    let share = stolen(measured).filter(|share| *share > MOST)?;
    let title = format!("a hypervisor took {} of the CPU time away", percent(share));
    let figures = vec![Evidence::number("steal", share, Unit::Share).against(MOST)];
    let remedy = "no command in this machine mends that: measure on one that has its CPUs for itself";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

fn look(measured: &Measured) -> LimitCheck {
    let little = stolen(measured).filter(|share| *share <= MOST);
    let little = little.map(|share| Evidence::number("steal", share, Unit::Share).against(MOST));
    LimitCheck::by(little.or_else(|| {
        let share = explained(measured).filter(|share| *share < EXPLAINS)?;
        Some(Evidence::number("share of an I/O's time that steal explains", share, Unit::Share).against(EXPLAINS))
    }))
}

/// True where counters show that steal explains most of an I/O's time.
pub(crate) fn explains_most(measured: &Measured) -> bool {
    explained(measured).is_some_and(|share| share >= EXPLAINS)
}

/// Share of an I/O's time that steal explains, 0 to 1; `None` where the CPU time was not counted.
///
/// Steal is counted only while a task is ready to run, so it stretches the CPU time of the load as
/// it stretches that of all tasks.
fn explained(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| {
        let host = part.stage.host.as_ref()?;
        let stretch = host.cpu_steal? / host.cpu_busy?.max(f64::EPSILON);
        let busiest = busiest_worker(part).max(own_cores(part).unwrap_or(0.0).min(1.0));
        Some((busiest * stretch).min(1.0))
    })
}

fn stolen(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| part.stage.host.as_ref()?.cpu_steal)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: steal(0.2), silent: steal(0.01) }

    fn steal(share: f64) -> RunRecord {
        record().with_host(HostLoad { cpu_steal: Some(share), ..HostLoad::default() })
    }
}
