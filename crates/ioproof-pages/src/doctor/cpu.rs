//! The CPU: a frequency that is held down, CPUs that may not be used, mitigations that are off.

use super::{RuleInput, RuleOutput, Severity, cpus};

pub(super) fn governor(input: &RuleInput) -> Option<RuleOutput> {
    let slow: Vec<&str> = input.list("governors").iter().map(String::as_str).filter(|name| *name != "performance").collect();
    let slow = Some(slow.join(" and ")).filter(|slow| !slow.is_empty())?;
    let title = format!("the frequency governor is {slow}: a CPU that idles between I/Os wakes up slow");
    let mend = "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    input.found(Severity::Warn, title, &["governors"], Some(mend.into()))
}

pub(super) fn limit(input: &RuleInput) -> Option<RuleOutput> {
    let online = input.text("cpus_online").and_then(cpus).map_or(0, |cpus| cpus.len());
    let left = input.real("cgroup_cpus").filter(|left| *left < online as f64)?;
    let title = format!("a control group leaves {left} of {online} CPUs: workers are stopped when the share of a period is used up");
    let mend = "echo max > /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/cpu.max";
    input.found(Severity::Warn, title, &["cgroup_cpus", "cpus_online"], Some(mend.into()))
}

/// By taskset, by a service's settings or by a container's; the control group `cpuset` shows in the same mask.
pub(super) fn affinity(input: &RuleInput) -> Option<RuleOutput> {
    let count = |key| input.text(key).and_then(cpus).map(|cpus| cpus.len());
    let online = count("cpus_online")?;
    let allowed = count("cpus_allowed").filter(|allowed| *allowed < online)?;
    let list = input.text("cpus_online").unwrap_or_default();
    let title = format!("this shell may use {allowed} of {online} CPUs (taskset, or the cpuset of a control group): workers share them");
    input.found(Severity::Warn, title, &["cpus_allowed", "cpus_online"], Some(format!("taskset -cp {list} $$")))
}

/// Nothing mends it, and the drive behind may be anything; so it is said, and is not held against the machine.
pub(super) fn virtual_machine(input: &RuleInput) -> Option<RuleOutput> {
    let name = input.text("hypervisor")?;
    let title =
        format!("this is a virtual machine ({name}): emulated drives and their caches are the host's, and its load is out of sight");
    input.found(Severity::Info, title, &["hypervisor"], None)
}

pub(super) fn mitigations_off(input: &RuleInput) -> Option<RuleOutput> {
    input.text("kernel_command_line")?.split_whitespace().find(|word| *word == "mitigations=off")?;
    let title = "the CPU's mitigations are off: system calls cost less than on machines with the default";
    input.found(Severity::Info, title, &["kernel_command_line"], None)
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{list, said, text};
    use crate::field::Value;
    use ioproof_core::finding::Severity;

    #[test]
    fn one_cpu_that_is_held_down_is_enough() {
        assert!(said("governor", &[("governors", list(&["performance"]))], &[]).is_empty());
        let told = said("governor", &[("governors", list(&["performance", "schedutil"]))], &[]);
        assert!(told[0].title.contains("is schedutil:") && told[0].remedy.contains("performance"));
    }

    #[test]
    fn a_limit_below_the_cpus_that_are_there() {
        let of = |left| said("cpu-limit", &[("cgroup_cpus", Value::Real(left)), ("cpus_online", text("0-3"))], &[]);
        assert!(of(4.0).is_empty());
        assert!(of(1.5)[0].title.contains("1.5 of 4 CPUs"));
    }

    #[test]
    fn cpus_that_may_not_be_used() {
        let of = |allowed| said("cpu-affinity", &[("cpus_allowed", text(allowed)), ("cpus_online", text("0-3"))], &[]);
        assert!(of("0-3").is_empty() && of("0-7").is_empty());
        let told = &of("2")[0];
        assert!(told.title.contains("1 of 4 CPUs") && told.remedy == "taskset -cp 0-3 $$", "{told:?}");
    }

    #[test]
    fn a_virtual_machine_is_no_fault() {
        assert!(said("virtual-machine", &[], &[]).is_empty());
        assert_eq!(said("virtual-machine", &[("hypervisor", text("KVM"))], &[])[0].severity, Severity::Info);
    }

    #[test]
    fn mitigations_that_are_off() {
        let of = |line| said("mitigations-off", &[("kernel_command_line", text(line))], &[]);
        assert!(of("quiet mitigations=auto").is_empty() && of("quiet mitigations=off").len() == 1);
    }
}
