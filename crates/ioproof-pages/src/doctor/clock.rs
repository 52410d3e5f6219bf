//! The clock that stamps each I/O: where the kernel does not go by the CPU's own counter, a reading may be a system call or an access to a slow device.

use super::{RuleInput, RuleOutput, Severity};

const OWN: [&str; 5] = ["tsc", "arch_sys_counter", "timebase", "tod", "riscv_clocksource"];
/// Pages shared with a hypervisor, which are read without a system call.
const SHARED: [&str; 3] = ["kvm-clock", "hyperv_clocksource_tsc_page", "xen"];
/// Cost of a reading above which it bears on a latency of some microseconds. Nanoseconds.
const MOST_NS: f64 = 100.0;

pub(super) fn source(input: &RuleInput) -> Option<RuleOutput> {
    let name = input.text("clocksource").filter(|name| !OWN.contains(name))?;
    let severity = if SHARED.contains(&name) { Severity::Info } else { Severity::Warn };
    let better = input.list("clocksources").iter().find(|name| OWN.contains(&name.as_str()));
    let mend = better.map(|better| format!("echo {better} > /sys/devices/system/clocksource/clocksource0/current_clocksource"));
    input.found(severity, format!("the kernel's clock is {name}, not the CPU's counter"), &["clocksource", "clocksources"], mend)
}

pub(super) fn cost(input: &RuleInput) -> Option<RuleOutput> {
    let cost_ns = input.real("clock_cost_ns").filter(|cost_ns| *cost_ns > MOST_NS)?;
    let title = format!("a reading of the clock takes {cost_ns:.0} ns, and each I/O needs two");
    input.found(Severity::Warn, title, &["clock_cost_ns", "clocksource"], None)
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{list, said, text};
    use crate::field::Value;
    use ioproof_core::finding::Severity;

    #[test]
    fn the_counter_is_good_and_others_are_told() {
        let of = |name: &str, others: &[&str]| said("clock-source", &[("clocksource", text(name)), ("clocksources", list(others))], &[]);
        assert!(of("tsc", &["tsc", "hpet"]).is_empty() && of("arch_sys_counter", &[]).is_empty());
        let hpet = &of("hpet", &["tsc", "hpet"])[0];
        assert_eq!(hpet.severity, Severity::Warn);
        assert!(hpet.remedy.starts_with("echo tsc > /sys/"));
        assert_eq!(of("acpi_pm", &["acpi_pm"])[0].remedy, "");
        assert_eq!(of("kvm-clock", &["kvm-clock"])[0].severity, Severity::Info);
    }

    #[test]
    fn a_slow_clock_is_told() {
        let of = |cost_ns| said("clock-cost", &[("clock_cost_ns", Value::Real(cost_ns))], &[]);
        assert!(of(100.0).is_empty());
        assert!(of(640.4)[0].title.contains("640 ns"));
    }
}
