//! The kernel's counters at one moment, and what was counted between two moments.
//!
//! `counters` and `cpu` read one file each; the record keeps the difference around a whole job.
//! Deliberately absent: sampling during a measurement, which would disturb it.

mod counters;
mod cpu;
mod own_use;
mod pressure;

use crate::cgroup::IoCounts;
use crate::identify::SECTOR_BYTES;
use crate::sysfs_device::SysfsDevice;
use counters::BlockStat;
use cpu::CpuTimes;
use ioproof_core::facts::StackNode;
use ioproof_core::record::{DeviceCounters, HostLoad};
use ioproof_target::System;
use own_use::OwnUse;
use pressure::Pressure;

/// Counters of every device of a stack, and of the host.
#[derive(Debug, Clone)]
pub struct CounterSnapshot {
    devices: Vec<DeviceReading>,
    cpu: Option<CpuTimes>,
    each_cpu: Vec<(u32, CpuTimes)>,
    load_1min: f64,
    own: OwnUse,
    groups: IoCounts,
    all_disks: Option<(u64, u64)>,
    pressure: Pressure,
    cpu_throttles: Option<u64>,
}

#[derive(Debug, Clone)]
struct DeviceReading {
    name: String,
    is_drive: bool,
    stat: BlockStat,
}

impl CounterSnapshot {
    /// Reads `stat` of every device of the stack that has one, `/proc/stat`, `/proc/loadavg`, `/proc/pressure` and what this process has used.
    #[must_use]
    pub fn take(system: &System, stack: Option<&StackNode>) -> Self {
        let stat = system.proc_text("stat").unwrap_or_default();
        Self {
            devices: stack.map(|stack| readings(system, stack)).unwrap_or_default(),
            cpu: CpuTimes::parse(&stat),
            each_cpu: CpuTimes::of_each(&stat),
            own: OwnUse::take(system),
            groups: IoCounts::take(system),
            all_disks: if stack.is_none() { all_disks_bytes(system) } else { None },
            pressure: Pressure::take(system),
            cpu_throttles: cpu_throttles(system),
            load_1min: system.proc_text("loadavg").and_then(|text| load_1min(&text)).unwrap_or(0.0),
        }
    }

    /// Counts since `earlier`; a device that was not there then is left out.
    #[must_use]
    pub fn since(&self, earlier: &CounterSnapshot) -> (Vec<DeviceCounters>, HostLoad) {
        let devices = self.devices.iter().filter_map(|later| later.since(earlier)).collect();
        let shares = self.cpu.zip(earlier.cpu).and_then(|(later, earlier)| later.shares_since(&earlier));
        let busy = |((_, later), (_, earlier)): (&(u32, CpuTimes), &(u32, CpuTimes))| later.shares_since(earlier).map(|(busy, _)| busy);
        let mut host = HostLoad {
            load_1min: self.load_1min,
            cpus: u32::try_from(self.each_cpu.len()).ok().filter(|cpus| *cpus > 0),
            cpu_busy: shares.map(|(busy, _)| busy),
            cpu_steal: shares.map(|(_, steal)| steal),
            busiest_cpu: self.each_cpu.iter().zip(&earlier.each_cpu).filter_map(busy).reduce(f64::max),
            interrupted_cpu: CpuTimes::most_interrupted(&self.each_cpu, &earlier.each_cpu),
            cpu_throttles: self.cpu_throttles.zip(earlier.cpu_throttles).map(|(later, earlier)| later.saturating_sub(earlier)),
            limit_uses: self.groups.since(&earlier.groups),
            all_disks_bytes: self
                .all_disks
                .zip(earlier.all_disks)
                .map(|(to, from)| (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1))),
            ..HostLoad::default()
        };
        self.own.since(earlier.own, &mut host);
        self.pressure.since(earlier.pressure, &mut host);
        (devices, host)
    }
}

impl DeviceReading {
    fn since(&self, earlier: &CounterSnapshot) -> Option<DeviceCounters> {
        let earlier = earlier.devices.iter().find(|reading| reading.name == self.name)?;
        Some(self.stat.since(&earlier.stat, &self.name, self.is_drive))
    }
}

/// Times that CPUs were slowed down because they were hot, since boot; none where no CPU counts them.
fn cpu_throttles(system: &System) -> Option<u64> {
    const CPUS: &str = "devices/system/cpu";
    let is_cpu = |name: &String| name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok());
    let names = system.sys_list(CPUS).into_iter().filter(is_cpu);
    let counts = names.filter_map(|name| system.sys_number(&format!("{CPUS}/{name}/thermal_throttle/core_throttle_count")));
    counts.reduce(u64::saturating_add)
}

/// Bytes read from and written to all disks of this machine since boot; devices that lie on others or in memory are left out. None without a disk.
fn all_disks_bytes(system: &System) -> Option<(u64, u64)> {
    const NO_DISKS: [&str; 4] = ["loop", "ram", "zram", "zd"];
    let is_disk = |name: &String| {
        !NO_DISKS.iter().any(|prefix| name.starts_with(prefix)) && system.sys_list(&format!("block/{name}/slaves")).is_empty()
    };
    let disks = system.sys_list("block").into_iter().filter(is_disk);
    let stats = disks.filter_map(|name| BlockStat::read(&SysfsDevice::find(system, &name)));
    let bytes = |sectors: u64| sectors.saturating_mul(SECTOR_BYTES);
    stats
        .map(|stat| (bytes(stat.read_sectors), bytes(stat.write_sectors)))
        .reduce(|sum, one| (sum.0.saturating_add(one.0), sum.1.saturating_add(one.1)))
}

fn readings(system: &System, stack: &StackNode) -> Vec<DeviceReading> {
    let drives: Vec<&str> = stack.drives().iter().map(|drive| drive.name.as_str()).collect();
    let reading = |name: String| {
        let stat = BlockStat::read(&SysfsDevice::find(system, &name))?;
        Some(DeviceReading { is_drive: drives.contains(&name.as_str()), name, stat })
    };
    stack.names().into_iter().filter_map(reading).collect()
}

/// The first field of `/proc/loadavg` (proc_loadavg(5)).
fn load_1min(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite() && *load >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn node(name: &str, under: Vec<StackNode>) -> StackNode {
        StackNode { under, ..StackNode::disk(name) }
    }

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn machine(root: &Path, [disk, part, upper, second]: [u64; 4], cpu: &str) {
        let stat = |ios: u64| format!("{ios} 0 {} 0 0 0 0 0 0 0 0\n", ios * 8);
        write(root, "sys/block/sda/stat", &stat(disk));
        write(root, "sys/block/sda/sda1/partition", "1\n");
        write(root, "sys/block/sda/sda1/stat", &stat(part));
        write(root, "sys/block/dm-0/stat", &stat(upper));
        write(root, "sys/block/sdb/stat", &stat(second));
        write(root, "proc/stat", &format!("cpu  {cpu} 0 0\n"));
        write(root, "proc/loadavg", "0.25 0.07 0.01 1/88 5117\n");
    }

    /// (name, is a drive, bytes read) of each device, after counters went from `from` to `to`.
    fn bytes_read(stack: &StackNode, from: [u64; 4], to: [u64; 4]) -> (Vec<(String, bool, u64)>, HostLoad) {
        let dir = tempfile::tempdir().unwrap();
        let system = System::captured(dir.path());
        machine(dir.path(), from, "0 0 0 0 0 0 0 0");
        let earlier = CounterSnapshot::take(&system, Some(stack));
        machine(dir.path(), to, "20 0 10 60 0 0 0 10");
        let (devices, host) = CounterSnapshot::take(&system, Some(stack)).since(&earlier);
        (devices.into_iter().map(|d| (d.name, d.is_drive, d.read_bytes)).collect(), host)
    }

    #[test]
    fn every_node_is_counted_and_the_bottom_is_a_drive() {
        let stack = node("dm-0", vec![node("sda1", vec![node("sda", vec![])])]);
        let (devices, host) = bytes_read(&stack, [5, 5, 5, 5], [8, 7, 6, 5]);
        assert_eq!(devices, [("dm-0".into(), false, 4096), ("sda1".into(), false, 8192), ("sda".into(), true, 12288)]);
        let expected = HostLoad { load_1min: 0.25, cpu_busy: Some(0.3), cpu_steal: Some(0.1), ..HostLoad::default() };
        assert_eq!(host, expected);
    }

    #[test]
    fn a_device_that_came_in_between_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let (system, stack) = (System::captured(dir.path()), node("sda", vec![]));
        let earlier = CounterSnapshot::take(&system, Some(&stack));
        machine(dir.path(), [9; 4], "1 0 0 0 0 0 0 0");
        let (devices, host) = CounterSnapshot::take(&system, Some(&stack)).since(&earlier);
        assert_eq!((devices, host.cpu_busy), (vec![], None));
    }

    #[test]
    fn without_a_stack_the_host_and_all_its_disks_are_still_told() {
        let dir = tempfile::tempdir().unwrap();
        let system = System::captured(dir.path());
        write(dir.path(), "sys/block/dm-0/slaves/sda/dev", "8:0\n");
        machine(dir.path(), [1; 4], "1 0 0 0 0 0 0 0");
        let earlier = CounterSnapshot::take(&system, None);
        machine(dir.path(), [3, 9, 9, 2], "1 0 0 0 0 0 0 0");
        let later = CounterSnapshot::take(&system, None).since(&earlier);
        assert_eq!(later.1, HostLoad { load_1min: 0.25, all_disks_bytes: Some((3 * 4096, 0)), ..HostLoad::default() });
    }
}
