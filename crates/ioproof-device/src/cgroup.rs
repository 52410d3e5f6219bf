//! The control groups of this process: the limits that they set it, the time for which they stopped it, and how often they took memory from it.
//!
//! `Documentation/admin-guide/cgroup-v2.rst` describes version 2, `Documentation/scheduler/sched-bwc.rst` and
//! `Documentation/admin-guide/cgroup-v1/blkio-controller.rst` and `memory.rst` beside it version 1. The groups are looked for where distributions mount them, below `/sys/fs/cgroup`.

mod io_group;
mod memory_group;

pub(crate) use io_group::IoCounts;
pub use memory_group::MemoryGroup;

use ioproof_core::facts::{LimitedResource, OwnLimit};
use ioproof_target::System;

/// A folder of a group, in sysfs.
pub(crate) struct Group {
    pub folder: String,
    pub is_version_2: bool,
}

/// The groups of a controller of version 1, and all of version 2, from this process's own up to the root.
pub(crate) fn groups(system: &System, controller: &str) -> Vec<Group> {
    let listed = system.proc_text("self/cgroup").unwrap_or_default();
    listed.lines().flat_map(|line| groups_of(line, controller)).collect()
}

/// Those along one line of `/proc/self/cgroup`, `0::/user.slice` (version 2) or `4:cpu,cpuacct:/docker/1f` (version 1).
fn groups_of(line: &str, controller: &str) -> Vec<Group> {
    let parts: Vec<&str> = line.splitn(3, ':').collect();
    let [_, controllers, path] = parts[..] else { return Vec::new() };
    let mounts: Vec<String> = match controllers {
        // Beside version 1 it is mounted in a folder of its own.
        "" => vec!["fs/cgroup".into(), "fs/cgroup/unified".into()],
        v1 if v1.split(',').any(|one| one == controller) => vec![format!("fs/cgroup/{v1}")],
        _ => return Vec::new(),
    };
    // A path may name folders that this mount does not show (containers without their own namespace); the ones above still count.
    let folders = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0)).map(|path| path.trim_end_matches('/'));
    let group = |folder: &str, mount: &String| Group { folder: format!("{mount}{folder}"), is_version_2: controllers.is_empty() };
    let mut groups: Vec<Group> = folders.flat_map(|folder| mounts.iter().map(move |mount| group(folder, mount))).collect();
    groups.dedup_by(|one, other| one.folder == other.folder);
    groups
}

/// The smallest CPU limit on this process or on a group above it, in CPUs; `None` where there is no limit.
pub(crate) fn cpu_limit(system: &System) -> Option<f64> {
    groups(system, "cpu").iter().filter_map(|group| cpus(system, group)).min_by(f64::total_cmp)
}

/// Version 2 holds quota and period in one file, `200000 100000`, or `max 100000`; in version 1 a quota of -1 is no limit.
fn cpus(system: &System, group: &Group) -> Option<f64> {
    let text = |file: &str| system.sys_text(&format!("{}/{file}", group.folder));
    if group.is_version_2 {
        let text = text("cpu.max")?;
        let (quota, period) = text.split_once(' ')?;
        share(quota, period)
    } else {
        share(&text("cpu.cfs_quota_us")?, &text("cpu.cfs_period_us")?)
    }
}

fn share(quota_us: &str, period_us: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota_us.parse().ok()?, period_us.parse().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

/// Time for which threads of these groups were stopped because their share of CPU time was used up. Nanoseconds; `None` where nobody counts it.
pub(crate) fn cpu_stopped_ns(system: &System) -> Option<u64> {
    let of = |group: &Group| {
        let stat = system.sys_text(&format!("{}/cpu.stat", group.folder))?;
        let value = |key: &str| stat.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
        value("throttled_usec ").map(|us| us.saturating_mul(1000)).or_else(|| value("throttled_time "))
    };
    groups(system, "cpu").iter().filter_map(of).reduce(u64::saturating_add)
}

/// Files of a limit on memory and of its count, for version 2 and version 1.
const MEMORY: [&str; 2] = ["memory.max", "memory.high"];
const MEMORY_OF_VERSION_1: [&str; 1] = ["memory.limit_in_bytes"];

/// From this on a limit of version 1 is none. Bytes.
const NO_LIMIT: u64 = 1 << 62;

/// Limits on memory; version 1 says so many pages as a number has room for where there is none.
fn memory_limits(system: &System, group: &Group) -> Vec<OwnLimit> {
    let files = if group.is_version_2 { &MEMORY[..] } else { &MEMORY_OF_VERSION_1 };
    let limit = |file: &&str| {
        let bytes = system.sys_number(&format!("{}/{file}", group.folder)).filter(|bytes| *bytes < NO_LIMIT)?;
        let source = format!("/sys/{}/{file}", group.folder);
        Some(OwnLimit { resource: LimitedResource::Memory, device: None, value: bytes as f64, source })
    };
    files.iter().filter_map(limit).collect()
}

/// Memory that the limits on this process and on the groups above it leave: beyond them the kernel ends a program. What is in the page cache is given back, so it is not counted as
/// used. `None` where there is no limit. Bytes.
#[must_use]
pub fn memory_left_bytes(system: &System) -> Option<u64> {
    let of = |group: &Group| {
        let number = |file: &str| system.sys_number(&format!("{}/{file}", group.folder));
        let [limit, used] =
            if group.is_version_2 { ["memory.max", "memory.current"] } else { ["memory.limit_in_bytes", "memory.usage_in_bytes"] };
        let stat = system.sys_text(&format!("{}/memory.stat", group.folder)).unwrap_or_default();
        // In version 1 those that begin so count the groups below too, as the limit does.
        let total = if group.is_version_2 { "" } else { "total_" };
        let cached =
            |key: &str| stat.lines().find_map(|line| line.strip_prefix(total)?.strip_prefix(key)?.trim().parse::<u64>().ok()).unwrap_or(0);
        let used = number(used)?.saturating_sub(cached("inactive_file ")).saturating_sub(cached("active_file "));
        number(limit).filter(|limit| *limit < NO_LIMIT).map(|limit| limit.saturating_sub(used))
    };
    groups(system, "memory").iter().filter_map(of).min()
}

/// Times that a limit on memory made the kernel take memory back, of the group with most of them, since a group counts those below it too; `None` where
/// nobody counts it. Version 2 tells `high` and `max` in `memory.events`, version 1 has `memory.failcnt`.
pub(crate) fn memory_limit_hits(system: &System) -> Option<u64> {
    let of = |group: &Group| {
        if !group.is_version_2 {
            return system.sys_number(&format!("{}/memory.failcnt", group.folder));
        }
        let events = system.sys_text(&format!("{}/memory.events", group.folder))?;
        let value = |key: &str| events.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
        Some(value("high ")?.saturating_add(value("max ")?))
    };
    groups(system, "memory").iter().filter_map(of).max()
}

/// Every limit on I/O, CPU time and memory that is set on this process or on a group above it.
#[must_use]
pub fn limits(system: &System) -> Vec<OwnLimit> {
    let io = groups(system, "blkio").into_iter().flat_map(|group| io_group::limits(system, &group));
    let cpu = groups(system, "cpu").into_iter().filter_map(|group| {
        let source = format!("/sys/{}/{}", group.folder, if group.is_version_2 { "cpu.max" } else { "cpu.cfs_quota_us" });
        Some(OwnLimit { resource: LimitedResource::Cpus, device: None, value: cpus(system, &group)?, source })
    });
    let memory = groups(system, "memory").into_iter().flat_map(|group| memory_limits(system, &group));
    io.chain(cpu).chain(memory).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with<T>(files: &[(&str, &str)], ask: fn(&System) -> T) -> T {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        ask(&System::captured(dir.path()))
    }

    #[test]
    fn the_smallest_limit_on_the_way_up() {
        let tree = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
        ];
        assert_eq!(with(&tree, cpu_limit), Some(1.5));
        assert_eq!(with(&tree, limits).len(), 2, "of groups without a limit there is none");
    }

    #[test]
    fn version_1_and_a_path_that_the_mount_does_not_show() {
        let tree = [
            ("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/1f\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 70000000\n"),
        ];
        assert_eq!(with(&tree, cpu_limit), Some(3.0));
        assert_eq!(with(&tree, cpu_stopped_ns), Some(70_000_000));
    }

    #[test]
    fn no_limit() {
        assert_eq!(with(&[], cpu_limit), None);
        let none = [
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/io.max", "8:0 rbps=max wbps=max\n"),
        ];
        assert_eq!((with(&none, cpu_limit), with(&none, limits), with(&none, cpu_stopped_ns)), (None, vec![], None));
        assert_eq!((share("-1", "100000"), share("1", "0")), (None, None));
    }

    #[test]
    fn limits_on_io_of_both_versions() {
        let version_1 =
            [("proc/self/cgroup", "7:blkio:/\n"), ("sys/fs/cgroup/blkio/blkio.throttle.read_iops_device", "7:0 40000\n8:16 5\n")];
        let limit =
            |resource, device: &str, value, source: &str| OwnLimit { resource, device: Some(device.into()), value, source: source.into() };
        let file = "/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device";
        assert_eq!(
            with(&version_1, limits),
            [limit(LimitedResource::ReadIops, "7:0", 40_000.0, file), limit(LimitedResource::ReadIops, "8:16", 5.0, file)]
        );
        let version_2 = [
            ("proc/self/cgroup", "0::/job\n"),
            ("sys/fs/cgroup/unified/job/io.max", "259:0 rbps=max wbps=1048576 riops=500 wiops=max\n"),
            ("sys/fs/cgroup/unified/job/cpu.stat", "usage_usec 5\nthrottled_usec 12\n"),
        ];
        let file = "/sys/fs/cgroup/unified/job/io.max";
        assert_eq!(
            with(&version_2, limits),
            [limit(LimitedResource::WriteBytes, "259:0", 1_048_576.0, file), limit(LimitedResource::ReadIops, "259:0", 500.0, file)]
        );
        assert_eq!(with(&version_2, cpu_stopped_ns), Some(12_000));
    }

    #[test]
    fn memory_that_limits_leave_is_what_is_neither_used_nor_cache() {
        let version_2 = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "600\n"),
            ("sys/fs/cgroup/a/memory.current", "500\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 100\ninactive_file 300\nactive_file 100\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "500\n"),
        ];
        assert_eq!(with(&version_2, memory_left_bytes), Some(500));
        let version_1 = [
            ("proc/self/cgroup", "4:memory:/a\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "600\n"),
            ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "200\n"),
            ("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 0\ntotal_inactive_file 50\ntotal_active_file 0\n"),
        ];
        assert_eq!(with(&version_1, memory_left_bytes), Some(450));
        assert_eq!((with(&version_1[..3], memory_left_bytes), with(&[], memory_left_bytes)), (None, None));
    }

    #[test]
    fn limits_on_memory_of_both_versions_and_their_counts() {
        let version_2 = [
            ("proc/self/cgroup", "0::/job\n"),
            ("sys/fs/cgroup/job/memory.max", "max\n"),
            ("sys/fs/cgroup/job/memory.high", "1048576\n"),
            ("sys/fs/cgroup/job/memory.events", "low 0\nhigh 7\nmax 2\noom 0\n"),
        ];
        let found = with(&version_2, limits);
        assert_eq!((found.len(), found[0].value, found[0].source.as_str()), (1, 1_048_576.0, "/sys/fs/cgroup/job/memory.high"));
        assert_eq!((found[0].resource, with(&version_2, memory_limit_hits)), (LimitedResource::Memory, Some(9)));
        let version_1 = [
            ("proc/self/cgroup", "4:memory:/a\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "536870912\n"),
            ("sys/fs/cgroup/memory/a/memory.failcnt", "3\n"),
            ("sys/fs/cgroup/memory/memory.failcnt", "0\n"),
        ];
        let found = with(&version_1, limits);
        assert_eq!((found.len(), found[0].value), (1, 536_870_912.0), "the root's is none");
        assert_eq!((with(&version_1, memory_limit_hits), with(&[], memory_limit_hits)), (Some(3), None));
    }

    proptest! {
        #[test]
        fn any_line_gives_finite_limits(line in "\\PC{0,30}|[0-9]:(cpu|)?(,x)?:[/a]{0,9}", quota in "[0-9a-z -]{0,24}", io in "[0-9a-z:= ]{0,40}") {
            let files = [("proc/self/cgroup", line.as_str()), ("sys/fs/cgroup/cpu.max", quota.as_str()), ("sys/fs/cgroup/io.max", io.as_str())];
            prop_assert!(with(&files, limits).iter().all(|limit| limit.value.is_finite()));
        }
    }
}
