//! This machine, whatever it is: only what must hold on every one.
use ioproof_core::facts::StackNode;
use ioproof_core::record::DeviceCounters;
use ioproof_device::{CounterSnapshot, host, identify};
use ioproof_target::System;
use std::io::Write;

/// A stack that lies on every block device of this machine.
fn everything(system: &System) -> StackNode {
    let under = system.sys_list("block").iter().map(|name| StackNode::disk(name)).collect();
    StackNode { under, ..StackNode::disk("everything") }
}

fn write_something() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[0x5a; 1 << 20]).unwrap();
    file.sync_all().unwrap();
}

/// A counter that went back reads as an advance of nearly 2^32 or 2^64.
fn is_plausible(device: &DeviceCounters) -> bool {
    let ios = device.read_ios.max(device.write_ios).max(device.flush_ios);
    let hour_ns = 3600 * 1_000_000_000;
    ios < 1 << 31 && device.read_bytes.max(device.write_bytes) < 1 << 40 && device.busy_ns < hour_ns
}

#[test]
fn counters_never_go_back() {
    let system = System::host();
    let stack = everything(&system);
    let earlier = CounterSnapshot::take(&system, Some(&stack));
    write_something();
    let (devices, load) = CounterSnapshot::take(&system, Some(&stack)).since(&earlier);
    assert!(devices.iter().all(is_plausible), "{devices:#?}");
    let shares = [load.cpu_busy, load.cpu_steal].into_iter().flatten();
    assert!(load.load_1min >= 0.0 && shares.into_iter().all(|share| (0.0..=1.0).contains(&share)), "{load:?}");
}

#[test]
fn every_disk_has_counters_and_a_source_for_each_fact() {
    let system = System::host();
    let stack = everything(&system);
    let now = CounterSnapshot::take(&system, Some(&stack));
    let counted: Vec<String> = now.since(&now).0.into_iter().map(|device| device.name).collect();
    for disk in &stack.under {
        assert_eq!(counted.contains(&disk.name), system.sys(&format!("block/{}/stat", disk.name)).exists(), "{}", disk.name);
        let capacity = identify(&system, disk).capacity_bytes;
        assert!(!capacity.source.starts_with("/sys") || std::path::Path::new(&capacity.source).exists(), "{capacity:?}");
    }
}

#[test]
fn this_host_has_memory_and_a_cpu() {
    let facts = host(&System::host());
    assert!(facts.cpus_usable >= 1 && facts.memory_bytes.value > 0 && !facts.kernel.value.is_empty(), "{facts:?}");
    assert_eq!(facts.memory_bytes.source, "/proc/meminfo");
}
