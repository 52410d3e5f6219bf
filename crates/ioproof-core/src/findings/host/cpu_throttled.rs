//! CPUs slowed down because they were hot, so that the generator and the kernel's part of the path took longer
//! (`/sys/devices/system/cpu/cpu*/thermal_throttle`, Documentation/admin-guide/thermal).

use crate::findings::prelude::*;

rule! {
    name: "cpu-throttled",
    about: "CPUs slowed down because they were hot",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::of_host(Place::Heat, LimitConfidence::Likely, |_, measured| {
        format!("heat: CPUs were slowed down {} times", throttles(measured))
    }),
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
    use super::*;

    records! { fires: throttled(50), silent: throttled(0) }

    fn throttled(count: u64) -> RunRecord {
        record().with_host(HostLoad { cpu_throttles: Some(count), ..HostLoad::default() })
    }
}
