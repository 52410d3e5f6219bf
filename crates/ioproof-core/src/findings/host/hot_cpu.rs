//! Interrupts took up one CPU while others were free: completions of the drive wait for that CPU, however many there are beside it.
//!
//! The kernel counts each CPU's time in interrupts and in what they leave to be done soon after (`irq` and `softirq`, proc_stat(5)). Where they go is said by
//! `/proc/irq/*/smp_affinity_list` (Documentation/core-api/irq/irq-affinity.rst).

use crate::findings::prelude::*;

rule! {
    name: "hot-cpu",
    about: "interrupts took up one CPU while others were free",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::of_host(Place::Interrupts, LimitConfidence::Likely, |_, measured| describe(measured)).looked_at(|_, measured| look(measured)),
}

/// Share of its time from which on a CPU has no more to give.
const FULL: f64 = 0.9;
/// Share of its time in interrupts from which on they are what takes it up.
const MOSTLY: f64 = 0.5;
/// Share of all CPU time up to which others are free.
const FREE: f64 = 0.8;

fn of_job(measured: &Measured) -> Option<Finding> {
    let (taken, all) = (taken_up(measured)?, measured.median_counted(|part| part.stage.cpu_busy())?);
    let InterruptedCpu { cpu, interrupts, busy } = taken;
    let title =
        format!("interrupts take up CPU {cpu}: {} of its time, while {} of all CPU time is in use", percent(interrupts), percent(all));
    let figures = vec![
        Evidence::number("time of that CPU in interrupts", interrupts, Unit::Share).against(MOSTLY).read_at("/proc/stat"),
        Evidence::number("time of that CPU in use", busy, Unit::Share).against(FULL),
        Evidence::number("CPU time used by anyone", all, Unit::Share).against(FREE),
    ];
    let remedy = "spread the drive's interrupts over the CPUs (ioproof doctor says how)";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

/// The CPU with the most interrupts of the round in the middle, where they take it up and others are free.
fn taken_up(measured: &Measured) -> Option<InterruptedCpu> {
    let all = measured.median_counted(|part| part.stage.cpu_busy())?;
    middle(measured).filter(|cpu| cpu.interrupts >= MOSTLY && cpu.busy >= FULL && all <= FREE)
}

/// Of the CPU with the most interrupts in each round, the one in the middle.
fn middle(measured: &Measured) -> Option<InterruptedCpu> {
    let of = |part: &Part| part.stage.host.as_ref()?.interrupted_cpu;
    let mut cpus: Vec<InterruptedCpu> = measured.rounds.iter().filter_map(of).collect();
    cpus.sort_by(|a, b| a.interrupts.total_cmp(&b.interrupts));
    cpus.get(cpus.len() / 2).copied()
}

fn describe(measured: &Measured) -> String {
    let InterruptedCpu { cpu, interrupts, .. } = taken_up(measured).unwrap_or_default();
    format!("interrupts on one CPU: they take {} of CPU {cpu}", percent(interrupts))
}

/// A kernel that does not count it leaves it to what else is known of the CPUs.
fn look(measured: &Measured) -> LimitCheck {
    middle(measured).map_or(LimitCheck::Absent, |cpu| {
        let figure = Evidence::number("time of any CPU in interrupts, at most", cpu.interrupts, Unit::Share).against(MOSTLY);
        LimitCheck::by((cpu.interrupts < MOSTLY).then_some(figure))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: interrupted(0.7, 0.98, 0.3), silent: interrupted(0.2, 0.98, 0.3) }

    fn interrupted(interrupts: f64, busy: f64, all: f64) -> RunRecord {
        let cpu = InterruptedCpu { cpu: 3, interrupts, busy };
        record().with_host(HostLoad { interrupted_cpu: Some(cpu), cpu_busy: Some(all), ..HostLoad::default() })
    }

    #[test]
    fn a_cpu_with_time_left_and_a_machine_that_is_busy_throughout_are_no_hot_cpu() {
        RULE.silent_on([interrupted(0.6, 0.7, 0.3), interrupted(0.7, 0.98, 0.95)]);
        assert!(RULE.found(&fires())[0].title.starts_with("interrupts take up CPU 3: 70.0 % of its time"));
        assert_eq!(look(&Context::new(&record()).measured[0]), LimitCheck::Absent, "not counted");
    }
}
