//! A hypervisor gave this machine's CPUs to others while it measured (steal in `/proc/stat`, proc_stat(5)).

use super::{Context, Limit, LimitRank, Measured, Rule, finding_on};
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::units::percent;

pub(super) const RULE: Rule = Rule {
    name: "stolen-cpu",
    about: "a hypervisor took CPU time away during the measurement",
    check,
    limit: Some(Limit {
        rank: LimitRank::Host,
        words: |_, measured| format!("the hypervisor: it took {} of the CPU time", percent(stolen(measured))),
    }),
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// Share of the CPU time that may go without a word.
const MOST: f64 = 0.05;

fn check(context: &Context) -> Vec<Finding> {
    let stolen_from = context.measured.iter().filter(|m| stolen(m) > MOST);
    stolen_from.map(of_job).collect()
}

fn of_job(measured: &Measured) -> Finding {
    let share = stolen(measured);
    let title = format!("a hypervisor took {} of the CPU time away", percent(share));
    let figures = vec![Evidence::number("steal", share, Unit::Share).against(MOST)];
    let remedy = "no command in this machine mends that: measure on one that has its CPUs for itself";
    finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy)
}

fn stolen(measured: &Measured) -> f64 {
    measured.median_counted(|part| part.stage.host.as_ref()?.cpu_steal).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use crate::record::{HostLoad, RunRecord};
    use crate::testing::record;

    pub(in super::super) fn fires() -> RunRecord {
        steal(0.2)
    }

    pub(in super::super) fn silent() -> RunRecord {
        steal(0.01)
    }

    fn steal(share: f64) -> RunRecord {
        let mut record = record();
        record.stages.iter_mut().for_each(|stage| stage.host = Some(HostLoad { cpu_steal: Some(share), ..HostLoad::default() }));
        record
    }
}
