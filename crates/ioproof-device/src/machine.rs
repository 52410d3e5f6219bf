//! The machine that measures, as a page: all that `doctor` judges it by, each fact with its file.
//!
//! `host` gives the facts that a stored run keeps; this page goes further and is not stored. A further file is a further row of [`FILES`].

use crate::cgroup;
use crate::host::host;
use crate::kernel_page::{KernelPage, Label};
use crate::sysfs_device::fact;
use ioproof_core::facts::Fact;
use ioproof_pages::field::{Page, Value};
use ioproof_target::System;

/// Folder of a file.
#[derive(Debug, Clone, Copy)]
enum Root {
    Sys,
    Proc,
}

/// Conversion of its text.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Words,
    Number,
}

const FILES: [(Root, &str, Kind, Label); 12] = [
    (Root::Sys, "devices/system/clocksource/clocksource0/current_clocksource", Kind::Text, Label::plain("clocksource", "clock source")),
    (
        Root::Sys,
        "devices/system/clocksource/clocksource0/available_clocksource",
        Kind::Words,
        Label::plain("clocksources", "clock sources to choose from"),
    ),
    (Root::Sys, "devices/system/cpu/online", Kind::Text, Label::plain("cpus_online", "CPUs online")),
    (Root::Sys, "devices/system/node/online", Kind::Text, Label::plain("numa_nodes", "NUMA nodes")),
    (Root::Sys, "kernel/mm/transparent_hugepage/enabled", Kind::Text, Label::plain("transparent_huge_pages", "transparent huge pages")),
    (Root::Proc, "sys/kernel/osrelease", Kind::Text, Label::plain("kernel", "kernel")),
    (Root::Proc, "cmdline", Kind::Text, Label::plain("kernel_command_line", "kernel's command line")),
    (
        Root::Proc,
        "sys/kernel/io_uring_disabled",
        Kind::Number,
        Label::plain("io_uring_disabled", "io_uring: 0 for all, 1 for privileged, 2 for nobody"),
    ),
    (Root::Proc, "sys/fs/aio-nr", Kind::Number, Label::plain("aio_used", "events of libaio in use")),
    (Root::Proc, "sys/fs/aio-max-nr", Kind::Number, Label::plain("aio_max", "events of libaio at most")),
    (Root::Proc, "sys/vm/nr_hugepages", Kind::Number, Label::plain("huge_pages", "huge pages set aside")),
    (Root::Proc, "sys/kernel/numa_balancing", Kind::Number, Label::plain("numa_balancing", "pages are moved between NUMA nodes")),
];

/// The page `host`. What the kernel does not tell is left out.
#[must_use]
pub fn host_page(system: &System) -> Page {
    let mut page = KernelPage::new("host", "/sys and /proc");
    for (root, file, kind, label) in FILES {
        let found = match root {
            Root::Sys => fact(system, file),
            Root::Proc => system.proc_text(file).map(|text| Fact::new(text, format!("/proc/{file}"))),
        };
        match kind {
            Kind::Text => page.text(label, found),
            Kind::Number => page.number(label, found),
            Kind::Words => put_words(&mut page, label, found),
        }
    }
    governors(&mut page, system);
    mitigations(&mut page, system);
    process(&mut page, system);
    limits(&mut page, system);
    steal(&mut page, system);
    page.done()
}

fn put_words(page: &mut KernelPage, label: Label, found: Option<Fact<String>>) {
    if let Some(Fact { value, source }) = found {
        page.put(label, Value::List(value.split_whitespace().map(str::to_owned).collect()), source);
    }
}

/// The governors in use, each once: one CPU that is slow makes a worker slow.
fn governors(page: &mut KernelPage, system: &System) {
    let cpus = system.sys_list("devices/system/cpu");
    let governor = |cpu: &String| system.sys_text(&format!("devices/system/cpu/{cpu}/cpufreq/scaling_governor"));
    let mut found: Vec<String> = cpus.iter().filter_map(governor).collect();
    found.sort();
    found.dedup();
    if !found.is_empty() {
        page.put(
            Label::plain("governors", "frequency governors"),
            Value::List(found),
            "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
        );
    }
}

/// The kernel's mitigations of faults of the CPU; much of their cost is paid at each system call.
fn mitigations(page: &mut KernelPage, system: &System) {
    let folder = "devices/system/cpu/vulnerabilities";
    let line = |name: &String| system.sys_text(&format!("{folder}/{name}")).map(|text| format!("{name}: {text}"));
    let found: Vec<String> = system.sys_list(folder).iter().filter_map(line).filter(|line| !line.ends_with(": Not affected")).collect();
    if !found.is_empty() {
        page.put(Label::plain("mitigations", "vulnerabilities of the CPU"), Value::List(found), format!("/sys/{folder}"));
    }
}

/// Bits of `CapEff` (capabilities(7)).
const IPC_LOCK: u32 = 14;
const SYS_ADMIN: u32 = 21;

/// Rights of this process: CPUs, locked memory, and whether it stands above limits.
fn process(page: &mut KernelPage, system: &System) {
    let facts = host(system);
    page.put(Label::plain("cpus_usable", "CPUs that this process may use"), Value::Number(facts.cpus_usable.into()), "/proc/self/status");
    let status = system.proc_text("self/status").unwrap_or_default();
    let line = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(|text| text.trim().to_owned());
    let cpus = line("Cpus_allowed_list:").map(|list| Fact::new(list, "/proc/self/status"));
    page.text(Label::plain("cpus_allowed", "CPUs in the affinity mask"), cpus);
    if let Some(bits) = line("CapEff:").and_then(|hex| u64::from_str_radix(&hex, 16).ok()) {
        page.put(
            Label::plain("may_lock_memory", "stands above the limit of locked memory"),
            Value::Flag(bits >> IPC_LOCK & 1 == 1),
            "/proc/self/status",
        );
        page.put(Label::plain("may_administer", "is privileged"), Value::Flag(bits >> SYS_ADMIN & 1 == 1), "/proc/self/status");
    }
    if let Some(bytes) = facts.memlock_bytes {
        page.put(Label { key: "memlock_bytes", title: "locked memory at most", unit: "bytes" }, Value::Number(bytes), "/proc/self/limits");
    }
    page.text(Label::plain("hypervisor", "hypervisor"), facts.hypervisor);
}

/// Limits of control groups: CPU time of this process, and I/O of each drive.
fn limits(page: &mut KernelPage, system: &System) {
    if let Some(cpus) = cgroup::cpu_limit(system) {
        let label = Label { key: "cgroup_cpus", title: "CPUs that the control group leaves", unit: "CPUs" };
        page.put(label, Value::Real(cpus), "cpu.max of /proc/self/cgroup and above");
    }
    let found = io_limits(system);
    if !found.is_empty() {
        page.put(Label::plain("cgroup_io_limits", "limits of I/O"), Value::List(found), "io.max of /proc/self/cgroup and above");
    }
}

/// The lines of `io.max` that limit anything, each with its file behind it: `8:16 rbps=1048576 wbps=max riops=max wiops=max (/sys/fs/cgroup/a/io.max)`.
fn io_limits(system: &System) -> Vec<String> {
    let groups = system.proc_text("self/cgroup").unwrap_or_default();
    let Some(own) = groups.lines().find_map(|line| line.strip_prefix("0::")) else { return Vec::new() };
    let above = std::iter::successors(Some(own.trim_end_matches('/')), |path| Some(path.rsplit_once('/')?.0));
    let of = |path: &str| -> Vec<String> {
        let file = format!("fs/cgroup{path}/io.max");
        let text = system.sys_text(&file).unwrap_or_default();
        text.lines().filter(|line| is_limit(line)).map(|line| format!("{line} (/sys/{file})")).collect()
    };
    above.flat_map(of).collect()
}

fn is_limit(line: &str) -> bool {
    line.split_whitespace().skip(1).any(|pair| pair.split_once('=').is_some_and(|(_, value)| value != "max"))
}

/// Share of all CPU time since boot that a hypervisor gave to others (proc_stat(5)), to a hundredth of a per cent.
fn steal(page: &mut KernelPage, system: &System) {
    let text = system.proc_text("stat").unwrap_or_default();
    let ticks: Vec<u64> =
        text.lines().next().unwrap_or_default().split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    let total = ticks.iter().fold(0_u64, |sum, ticks| sum.saturating_add(*ticks));
    if let Some(stolen) = ticks.get(7).filter(|_| total > 0) {
        let label = Label { key: "steal_since_boot_percent", title: "CPU time that the hypervisor took away since boot", unit: "percent" };
        page.put(label, Value::Real((*stolen as f64 / total as f64 * 10_000.0).round() / 100.0), "/proc/stat");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(files: &[(&str, &str)]) -> Page {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        host_page(&System::captured(dir.path()))
    }

    #[test]
    fn governors_are_told_once_each() {
        let governor = |cpu: u32| format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
        let page = page(&[(&governor(0), "performance\n"), (&governor(1), "powersave\n"), (&governor(2), "performance\n")]);
        assert_eq!(page.field("governors").unwrap().value, Value::List(vec!["performance".into(), "powersave".into()]));
    }

    #[test]
    fn limits_of_io_on_the_way_up() {
        let page = page(&[
            ("proc/self/cgroup", "1:cpu:/x\n0::/a/b\n"),
            ("sys/fs/cgroup/a/io.max", "8:16 rbps=1048576 wbps=max riops=max wiops=max\n8:0 rbps=max wbps=max riops=max wiops=max\n"),
        ]);
        let expected = "8:16 rbps=1048576 wbps=max riops=max wiops=max (/sys/fs/cgroup/a/io.max)";
        assert_eq!(page.field("cgroup_io_limits").unwrap().value, Value::List(vec![expected.into()]));
    }

    #[test]
    fn what_this_process_may() {
        let page = page(&[
            ("proc/self/status", "Cpus_allowed_list:\t0-3\nCapEff:\t0000000000004000\n"),
            ("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n"),
            ("proc/stat", "cpu  50 0 20 900 10 0 0 20 0 0\n"),
        ]);
        assert_eq!(
            (page.number("cpus_usable"), page.text("cpus_allowed"), page.number("memlock_bytes")),
            (Some(4), Some("0-3"), Some(8 << 20))
        );
        assert_eq!(page.field("may_lock_memory").unwrap().value, Value::Flag(true));
        assert_eq!(page.field("may_administer").unwrap().value, Value::Flag(false));
        assert_eq!(page.field("steal_since_boot_percent").unwrap().value, Value::Real(2.0));
    }

    #[test]
    fn a_file_with_something_else_is_a_problem() {
        let page = page(&[("proc/sys/fs/aio-nr", "none\n"), ("proc/sys/fs/aio-max-nr", "65536\n")]);
        assert!(page.field("aio_used").is_none() && page.number("aio_max") == Some(65_536) && page.problems.len() == 1);
    }
}
