//! The load generator ran out of CPU, so the number is the host's, not the drive's. CPU time is summed over workers, never averaged: 32 workers at 3 % are a whole core.

use crate::findings::host::own_limit::EXCEEDED;
use crate::findings::prelude::*;

rule! {
    name: "generator-cpu",
    about: "the generator's CPU is saturated",
    check: Check::Run(check),
    limit: RuleLimit::of_host(Place::Cpu, LimitConfidence::Certain, cpu).looked_at(look),
}

fn check(context: &Context) -> Vec<Finding> {
    let most = context.record.policy.cpu_saturated;
    let loaded = context.measured.iter().filter(|m| !m.workload().is_unloaded());
    loaded.filter_map(|m| of_workload(m, usable(context, m), most)).collect()
}

/// CPUs that can be used: those that are allowed, unless the process used far more than that, so that the limit is not in force.
fn usable(context: &Context, measured: &Measured) -> f64 {
    let allowed = f64::from(context.record.host.cpus_usable.max(1));
    let online = measured.median_counted(|part| part.stage.host.as_ref()?.cpus.map(f64::from)).unwrap_or(allowed);
    let is_exceeded = measured.median_counted(own_cores).is_some_and(|used| used > EXCEEDED * allowed);
    if is_exceeded { online.max(allowed) } else { allowed }
}

fn of_workload(measured: &Measured, cpus: f64, most: f64) -> Option<Finding> {
    // Threads that wait for a CPU begin and end at different times, so that their shares can add up to more than there is.
    let workers = measured.median_of(|r| cores_used(r))?.min(cpus);
    let all = measured.median_counted(own_cores).unwrap_or(0.0).max(workers).min(cpus);
    let busiest = measured.median_of(|r| busiest_worker(r))?;
    let host = measured.median_counted(|r| r.stage.cpu_busy());
    if all < most * cpus && busiest < most {
        return None;
    }
    let outside = if all - workers >= OUTSIDE {
        format!(", {:.2} of them outside of its workers, as in the kernel's threads for io_uring", all - workers)
    } else {
        String::new()
    };
    let title =
        format!("the generator's CPU is saturated: it uses {all:.2} of {cpus} CPUs{outside}, the busiest worker {}", percent(busiest));
    let figures = [
        Some(Evidence::number("CPU of all workers together", workers, Unit::Cpus)),
        Some(Evidence::number("CPU with the kernel's threads for io_uring", all, Unit::Cpus).against(most * cpus)),
        Some(Evidence::number("busiest worker", busiest, Unit::Share).against(most)),
        host.map(|share| Evidence::number("CPU of the host used by anyone", share, Unit::Share)),
    ];
    let figures = figures.into_iter().flatten().collect();
    let remedy = "more CPUs or more workers; the drive may be faster than this host can ask";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let (cpus, most) = (usable(context, measured), context.record.policy.cpu_saturated);
    let figure = || {
        let workers = measured.median_counted(|part| (!part.workers.is_empty()).then(|| cores_used(part)))?;
        let all = measured.median_counted(own_cores).unwrap_or(0.0).max(workers);
        let is_spared = all < most * cpus && measured.median_of(|part| busiest_worker(part))? < most;
        is_spared.then(|| Evidence::number("CPUs that the generator used", all, Unit::Cpus).against(most * cpus))
    };
    LimitCheck::by(figure())
}

/// The CPUs in words, as the limit of a number.
fn cpu(context: &Context, measured: &Measured) -> String {
    let usable = usable(context, measured);
    let workers = measured.median_of(|r| cores_used(r)).unwrap_or(0.0);
    let used = measured.median_counted(own_cores).unwrap_or(0.0).max(workers).min(usable);
    let outside = if used - workers >= OUTSIDE { format!(", {:.1} of them outside of its workers", used - workers) } else { String::new() };
    format!("the generator's CPU: it uses {used:.1} of {usable}{outside}")
}

/// Least CPUs outside of the workers that are told apart.
const OUTSIDE: f64 = 0.25;

/// CPUs that the whole process kept busy, where one job alone ran in the stage: ramps and reading back are in it, so it is a little less than of the measurement.
pub(crate) fn own_cores(part: &Part) -> Option<f64> {
    let alone = part.stage.rounds.len() == 1;
    let cpu_ns = part.stage.host.as_ref()?.own_cpu_ns.filter(|_| alone)?;
    Some(cpu_ns as f64 / part.stage.elapsed_ns.max(1) as f64)
}

/// CPUs that all workers kept busy over the length of the measurement.
fn cores_used(round: &Round) -> f64 {
    round.workers.iter().map(|w| w.cpu_ns() as f64 / w.wall_ns.max(1) as f64).sum()
}

/// Share of its time for which the busiest worker used a CPU, 0 to 1.
pub(crate) fn busiest_worker(round: &Round) -> f64 {
    round.workers.iter().map(|w| w.cpu_ns() as f64 / w.wall_ns.max(1) as f64).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: busy(1), silent: busy(64) }

    /// 32 workers that each use 3 % of a CPU.
    fn busy(cpus_usable: u32) -> RunRecord {
        let mut record = record();
        let each = WorkerUsage { cpu_user_ns: 10, cpu_system_ns: 20, wall_ns: 1000, ..WorkerUsage::default() };
        record.host.cpus_usable = cpus_usable;
        record.rounds_mut().for_each(|round| round.workers = vec![each; 32]);
        record
    }

    #[test]
    fn more_cpus_than_a_limit_allows_are_held_against_those_that_are_there() {
        let with = |cpus| busy(1).with_host(HostLoad { own_cpu_ns: Some(2_000_000_000), cpus: Some(cpus), ..HostLoad::default() });
        RULE.says(&with(2), Effect::Harder, |title| title.contains("2.00 of 2 CPUs"));
        assert!(RULE.found(&with(8)).is_empty(), "the limit of one CPU is not in force");
    }

    #[test]
    fn many_small_shares_add_up() {
        RULE.says(&fires(), Effect::Harder, |title| title.contains("0.96 of 1 CPUs, the busiest worker 3.0 %"));
    }
}
