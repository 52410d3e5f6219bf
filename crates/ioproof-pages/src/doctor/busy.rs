//! Other work of the machine at this moment: CPU time, processes that wait for a CPU, time that a hypervisor took, I/O of others.
//!
//! All of it comes from two looks a fraction of a second apart, not from totals since boot, which say nothing about now.

use super::{RuleInput, RuleOutput, Severity};
use ioproof_core::units::percent;

/// Share of the CPU time that others may use. Per cent.
const MOST_BUSY_PERCENT: f64 = 10.0;
/// Share of the CPU time that a hypervisor may take; a single tick of the clock in a short look is less. Per cent.
const MOST_STEAL_PERCENT: f64 = 2.0;

pub(super) fn cpu(input: &RuleInput) -> Option<RuleOutput> {
    let share = input.real("cpu_busy_percent").filter(|share| *share > MOST_BUSY_PERCENT)?;
    let title = format!(
        "other processes use {} of this machine's CPU time now: they are measured as well (`top` shows who)",
        percent(share / 100.0)
    );
    input.found(Severity::Warn, title, &["cpu_busy_percent", "load_1min"], None)
}

/// Beside this process, which runs while it counts.
pub(super) fn run_queue(input: &RuleInput) -> Option<RuleOutput> {
    let cpus = input.number("cpus_usable")?;
    let others = input.real("runnable_others").filter(|others| *others >= cpus as f64)?;
    let title = format!("{others} other processes want to run now, and {cpus} CPUs may be used: workers wait for a CPU");
    input.found(Severity::Warn, title, &["runnable_others", "cpus_usable", "load_1min"], None)
}

pub(super) fn steal(input: &RuleInput) -> Option<RuleOutput> {
    let share = input.real("steal_percent").filter(|share| *share > MOST_STEAL_PERCENT)?;
    let title = format!(
        "the hypervisor takes {} of the CPU time away now (steal): the longest latencies are the host's, not this machine's",
        percent(share / 100.0)
    );
    input.found(Severity::Warn, title, &["steal_percent", "steal_since_boot_percent"], None)
}

pub(super) fn drive(input: &RuleInput) -> Option<RuleOutput> {
    let (reads, writes) = (input.number("foreign_reads")?, input.number("foreign_writes")?);
    if reads + writes == 0 {
        return None;
    }
    let title = format!("others use the drive now: {reads} reads and {writes} writes in a moment in which nothing was measured");
    let keys = ["foreign_reads", "foreign_writes", "foreign_read_bytes", "foreign_written_bytes", "drive_busy_percent"];
    let severity =
        if input.real("drive_busy_percent").is_some_and(|share| share > MOST_BUSY_PERCENT) { Severity::Warn } else { Severity::Info };
    input.found(severity, title, &keys, None)
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{number, said};
    use crate::field::Value;
    use ioproof_core::finding::Severity;

    #[test]
    fn time_that_others_use_and_time_that_is_taken() {
        let of = |rule, key, share| said(rule, &[(key, Value::Real(share))], &[]);
        assert!(of("cpu-busy", "cpu_busy_percent", 10.0).is_empty());
        assert!(of("cpu-busy", "cpu_busy_percent", 42.0)[0].title.contains("use 42.0 % of this machine's CPU time"));
        assert!(of("steal", "steal_percent", 2.0).is_empty() && of("steal", "steal_since_boot_percent", 50.0).is_empty());
        assert!(of("steal", "steal_percent", 12.5)[0].title.contains("the hypervisor takes 12.5 %"));
    }

    #[test]
    fn processes_that_wait() {
        let of = |others| said("run-queue", &[("runnable_others", Value::Real(others)), ("cpus_usable", number(2))], &[]);
        assert!(of(1.9).is_empty() && of(2.0)[0].title.starts_with("2 other processes want to run now, and 2 CPUs"));
    }

    #[test]
    fn a_drive_that_others_use() {
        let of = |reads, busy| {
            let fields = [("foreign_reads", number(reads)), ("foreign_writes", number(0)), ("drive_busy_percent", Value::Real(busy))];
            said("drive-busy", &[], &fields).first().map(|told| told.severity)
        };
        assert_eq!([of(0, 0.0), of(3, 1.0), of(3, 60.0)], [None, Some(Severity::Info), Some(Severity::Warn)]);
    }
}
