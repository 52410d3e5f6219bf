//! CPUs slowed down because they were hot, so that the generator and the kernel's part of the path took longer
//! (`/sys/devices/system/cpu/cpu*/thermal_throttle`, Documentation/admin-guide/thermal).

use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::findings::limit::RuleLimit;
use crate::findings::rule::{finding_on, rule};
use crate::limited_by::{LimitConfidence, Place};
use crate::measured::{Context, Measured};

rule! {
    name: "cpu-throttled",
    about: "CPUs slowed down because they were hot",
    limit: Some(RuleLimit::of_host(Place::Heat, LimitConfidence::Likely, |_, measured| {
        format!("heat: CPUs were slowed down {} times", throttles(measured))
    })),
}

fn check(context: &Context) -> Vec<Finding> {
    context.measured.iter().filter_map(of_job).collect()
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let count = throttles(measured);
    let title = format!("CPUs were slowed down {count} times because they were hot");
    let figure = Evidence::number("times that a CPU was slowed down", count as f64, Unit::Count);
    let remedy = "cool the machine, or leave it idle first, and measure again";
    (count > 0).then(|| finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, vec![figure], remedy))
}

fn throttles(measured: &Measured) -> u64 {
    measured.rounds.iter().filter_map(|part| part.stage.host.as_ref()?.cpu_throttles).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use crate::record::{HostLoad, RunRecord};
    use crate::testing::record;

    pub(in crate::findings) fn fires() -> RunRecord {
        throttled(50)
    }

    pub(in crate::findings) fn silent() -> RunRecord {
        throttled(0)
    }

    fn throttled(count: u64) -> RunRecord {
        let mut record = record();
        record.stages.iter_mut().for_each(|stage| stage.host = Some(HostLoad { cpu_throttles: Some(count), ..HostLoad::default() }));
        record
    }
}
