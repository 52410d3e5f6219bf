//! A hypervisor gave this machine's CPUs to others while it measured (steal in `/proc/stat`, proc_stat(5)).

use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::findings::limit::{LimitCheck, RuleLimit};
use crate::findings::rule::{finding_on, rule};
use crate::limited_by::{LimitConfidence, Place};
use crate::measured::{Context, Measured};
use crate::units::percent;

rule! {
    name: "stolen-cpu",
    about: "a hypervisor took CPU time away during the measurement",
    limit: Some(
        RuleLimit::of_host(Place::Hypervisor, LimitConfidence::Likely, |_, measured| {
            format!("the hypervisor: it took {} of the CPU time", percent(stolen(measured).unwrap_or(0.0)))
        })
        .looked_at(|_, measured| look(measured)),
    ),
}

/// Share of the CPU time that may go without a word.
const MOST: f64 = 0.05;

fn check(context: &Context) -> Vec<Finding> {
    context.measured.iter().filter_map(of_job).collect()
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let share = stolen(measured).filter(|share| *share > MOST)?;
    let title = format!("a hypervisor took {} of the CPU time away", percent(share));
    let figures = vec![Evidence::number("steal", share, Unit::Share).against(MOST)];
    let remedy = "no command in this machine mends that: measure on one that has its CPUs for itself";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

fn look(measured: &Measured) -> LimitCheck {
    let little = stolen(measured).filter(|share| *share <= MOST);
    LimitCheck::by(little.map(|share| Evidence::number("steal", share, Unit::Share).against(MOST)))
}

fn stolen(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| part.stage.host.as_ref()?.cpu_steal)
}

#[cfg(test)]
mod tests {
    use crate::record::{HostLoad, RunRecord};
    use crate::testing::record;

    pub(in crate::findings) fn fires() -> RunRecord {
        steal(0.2)
    }

    pub(in crate::findings) fn silent() -> RunRecord {
        steal(0.01)
    }

    fn steal(share: f64) -> RunRecord {
        let mut record = record();
        record.stages.iter_mut().for_each(|stage| stage.host = Some(HostLoad { cpu_steal: Some(share), ..HostLoad::default() }));
        record
    }
}
