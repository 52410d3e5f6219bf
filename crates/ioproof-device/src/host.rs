//! The machine that measures, from procfs and sysfs.
//!
//! Reads what a measurement depends on and a reader of the report must know. What happens on it meanwhile is in `snapshot`.
//! Each system call here stands in for a file of procfs that is missing.

use crate::cgroup;
use crate::sysfs_device::fact;
use ioproof_core::facts::{Fact, HostFacts, LimitedResource, OwnLimit};
use ioproof_target::{System, own_io_priority};

/// The machine that this process runs on; in a captured tree the one that was captured.
#[must_use]
pub fn host(system: &System) -> HostFacts {
    let cpuinfo = system.proc_text("cpuinfo").unwrap_or_default();
    HostFacts {
        name: system.proc_text("sys/kernel/hostname").map(|name| Fact::new(name.trim().to_owned(), "/proc/sys/kernel/hostname")),
        cpu_model: Fact::new(cpu_model(&cpuinfo).unwrap_or_else(|| "unknown".into()), "/proc/cpuinfo"),
        cpus_usable: cpus_usable(system),
        kernel: kernel(system),
        memory_bytes: memory_bytes(system),
        governor: fact(system, "devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        clocksource: fact(system, "devices/system/clocksource/clocksource0/current_clocksource"),
        hypervisor: hypervisor(system, &cpuinfo),
        memlock_bytes: memlock_bytes(system),
        limits: cgroup::limits(system).into_iter().chain(cpu_set(system)).collect(),
        nice: system.proc_text("self/stat").and_then(|text| of_stat(&text, NICENESS)),
        runs_when_idle: system.proc_text("self/stat").and_then(|text| of_stat(&text, POLICY)) == Some(SCHED_IDLE),
        io_priority: if system.is_host() { own_io_priority() } else { None },
    }
}

/// The first value of a key in `/proc/cpuinfo`, which has one paragraph a CPU.
fn cpuinfo_value<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    let values = cpuinfo.lines().filter_map(|line| line.split_once(':')).filter(|(name, _)| name.trim() == key);
    values.map(|(_, value)| value.trim()).find(|value| !value.is_empty())
}

/// x86 tells a name, POWER has it under `cpu`; Arm tells numbers only.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let named = ["model name", "cpu model", "cpu"].iter().find_map(|key| cpuinfo_value(cpuinfo, key));
    named.map(str::to_owned).or_else(|| {
        let (implementer, part) = (cpuinfo_value(cpuinfo, "CPU implementer")?, cpuinfo_value(cpuinfo, "CPU part")?);
        Some(format!("Arm implementer {implementer} part {part}"))
    })
}

/// CPUs in the affinity mask, or fewer where a control group allows fewer; a fraction of a CPU does not count.
fn cpus_usable(system: &System) -> u32 {
    let allowed = affinity(system).unwrap_or(1);
    let limit = cgroup::cpu_limit(system).map_or(u32::MAX, |cpus| cpus as u32);
    allowed.min(limit).max(1)
}

/// The CPUs that this process may run on as a limit, where more are online.
fn cpu_set(system: &System) -> Option<OwnLimit> {
    let online = system.sys_text("devices/system/cpu/online").and_then(|list| count_cpus(&list))?;
    let allowed = affinity(system).filter(|allowed| *allowed < online)?;
    let source = "Cpus_allowed_list of /proc/self/status".to_owned();
    Some(OwnLimit { resource: LimitedResource::CpuSet, device: None, value: allowed.into(), source })
}

/// Numbers of fields of `/proc/self/stat` (proc_pid_stat(5)).
const NICENESS: usize = 19;
const POLICY: usize = 41;
/// `include/uapi/linux/sched.h`.
const SCHED_IDLE: i32 = 5;

/// A field behind the name, which is the second and may hold anything, parentheses too.
fn of_stat(stat: &str, field: usize) -> Option<i32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(field - 3)?.parse().ok()
}

/// From `/proc/self/status`, which also tells of more CPUs than a mask of the system call holds.
fn affinity(system: &System) -> Option<u32> {
    let status = system.proc_text("self/status").unwrap_or_default();
    let listed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).and_then(count_cpus);
    listed.or_else(|| Some(rustix::thread::sched_getaffinity(None).ok()?.count()))
}

/// Number of CPUs in a list like `0-3,8` (cpuset(7), list format); `None` where it is not such a list.
fn count_cpus(list: &str) -> Option<u32> {
    list.trim().split(',').try_fold(0_u32, |count, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

fn kernel(system: &System) -> Fact<String> {
    match system.proc_text("sys/kernel/osrelease") {
        Some(release) => Fact::new(release, "/proc/sys/kernel/osrelease"),
        None => Fact::new(rustix::system::uname().release().to_string_lossy().into_owned(), "uname(2)"),
    }
}

fn memory_bytes(system: &System) -> Fact<u64> {
    match system.proc_text("meminfo").and_then(|text| mem_total_bytes(&text)) {
        Some(bytes) => Fact::new(bytes, "/proc/meminfo"),
        None => {
            let info = rustix::system::sysinfo();
            Fact::new((info.totalram as u64).saturating_mul(info.mem_unit.into()), "sysinfo(2)")
        }
    }
}

/// `MemTotal:        8140632 kB`, where kB is 1024 bytes (proc_meminfo(5)).
fn mem_total_bytes(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    value.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Name of the hypervisor: as Xen tells it; else, where the CPU tells of a virtual machine, the names that the hypervisor gave the machine.
fn hypervisor(system: &System, cpuinfo: &str) -> Option<Fact<String>> {
    if let Some(xen) = fact(system, "hypervisor/type") {
        return Some(xen);
    }
    let is_virtual = cpuinfo_value(cpuinfo, "flags")?.split_whitespace().any(|flag| flag == "hypervisor");
    is_virtual.then(|| named_by_dmi(system).unwrap_or_else(|| Fact::new("a hypervisor".into(), "/proc/cpuinfo")))
}

fn named_by_dmi(system: &System) -> Option<Fact<String>> {
    let names: Vec<Fact<String>> =
        ["sys_vendor", "product_name"].iter().filter_map(|file| fact(system, &format!("class/dmi/id/{file}"))).collect();
    let source = names.first()?.source.clone();
    Some(Fact::new(names.into_iter().map(|name| name.value).collect::<Vec<_>>().join(" "), source))
}

fn memlock_bytes(system: &System) -> Option<u64> {
    let limits = system.proc_text("self/limits").unwrap_or_default();
    soft_memlock(&limits).unwrap_or_else(|| rustix::process::getrlimit(rustix::process::Resource::Memlock).current)
}

/// `Max locked memory         8388608              8388608              bytes`: the soft limit comes first; `Some(None)` is no limit.
fn soft_memlock(limits: &str) -> Option<Option<u64>> {
    let soft = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"))?.split_whitespace().next()?;
    if soft == "unlimited" { Some(None) } else { Some(Some(soft.parse().ok()?)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cpu_lists() {
        assert_eq!([count_cpus("0-3,8,10-11\n"), count_cpus("5"), count_cpus("0-0")], [Some(7), Some(1), Some(1)]);
        assert_eq!([count_cpus(""), count_cpus("3-0"), count_cpus("0-4294967295"), count_cpus("a")], [None; 4]);
    }

    #[test]
    fn cpu_models_of_several_makers() {
        assert_eq!(cpu_model("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763\n").as_deref(), Some("AMD EPYC 7763"));
        assert_eq!(cpu_model("processor\t: 0\ncpu\t\t: POWER9\n").as_deref(), Some("POWER9"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_model(arm).as_deref(), Some("Arm implementer 0x41 part 0xd0c"));
        assert_eq!(cpu_model(""), None);
    }

    #[test]
    fn limits_of_locked_memory() {
        let line = |soft| {
            format!("Limit    Soft Limit  Hard Limit  Units\nMax locked memory         {soft}              unlimited              bytes\n")
        };
        assert_eq!(soft_memlock(&line("8388608")), Some(Some(8_388_608)));
        assert_eq!(soft_memlock(&line("unlimited")), Some(None));
        assert_eq!(soft_memlock("Max open files 1 1 files"), None);
    }

    #[test]
    fn a_kilobyte_of_meminfo_is_1024_bytes() {
        assert_eq!(mem_total_bytes("MemTotal:        8140632 kB\nMemFree: 1 kB\n"), Some(8_140_632 * 1024));
        assert_eq!([mem_total_bytes("MemTotal: 5"), mem_total_bytes("")], [None, None]);
    }

    #[test]
    fn a_virtual_machine_without_a_name_is_still_one() {
        let dir = tempfile::tempdir().unwrap();
        let system = System::captured(dir.path());
        let of = |flags: &str| hypervisor(&system, &format!("flags\t: {flags}\n")).map(|fact| (fact.value, fact.source));
        assert_eq!(of("fpu hypervisor sse"), Some(("a hypervisor".into(), "/proc/cpuinfo".into())));
        assert_eq!(of("fpu sse"), None);
    }

    #[test]
    fn fewer_cpus_than_are_online_are_a_limit() {
        let limit = |allowed: &str, online: &str| {
            let dir = tempfile::tempdir().unwrap();
            for (file, text) in
                [("proc/self/status", format!("Cpus_allowed_list:\t{allowed}\n")), ("sys/devices/system/cpu/online", online.to_owned())]
            {
                let path = dir.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            cpu_set(&System::captured(dir.path())).map(|limit| limit.value)
        };
        assert_eq!([limit("0-3", "0-7\n"), limit("0-7", "0-7\n"), limit("0-7", "0-3"), limit("0", "")], [Some(4.0), None, None, None]);
    }

    #[test]
    fn niceness_is_read_behind_any_name() {
        let stat = "7 (a) b) R 1 7 7 0 -1 4194304 100 0 0 0 25 17 0 0 20 -5 1 0 5 6 7";
        assert_eq!([of_stat(stat, NICENESS), of_stat(stat, POLICY), of_stat("7 (a", NICENESS)], [Some(-5), None, None]);
        let own = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert!(of_stat(&own, POLICY).is_some());
    }

    #[test]
    fn a_control_group_leaves_fewer_cpus_and_at_least_one() {
        let usable = |quota: &str| {
            let dir = tempfile::tempdir().unwrap();
            for folder in ["proc/self", "sys/fs/cgroup"] {
                std::fs::create_dir_all(dir.path().join(folder)).unwrap();
            }
            std::fs::write(dir.path().join("proc/self/status"), "Name:\tx\nCpus_allowed_list:\t0-7\n").unwrap();
            std::fs::write(dir.path().join("proc/self/cgroup"), "0::/\n").unwrap();
            std::fs::write(dir.path().join("sys/fs/cgroup/cpu.max"), quota).unwrap();
            cpus_usable(&System::captured(dir.path()))
        };
        assert_eq!([usable("max 100000"), usable("350000 100000"), usable("20000 100000"), usable("9000000 100000")], [8, 3, 1, 8]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(Cpus_allowed_list:|MemTotal:|Max locked memory|model name:|flags:)?\\PC{0,40}") {
            let _ = (count_cpus(&text), cpu_model(&text), mem_total_bytes(&text), soft_memlock(&text), cpuinfo_value(&text, "flags"));
        }
    }
}
