//! fio's disk statistics, from the counters around the stages of a run.

use crate::subjob::Subjob;
use ioproof_core::facts::StackNode;
use ioproof_core::record::{DeviceCounters, RunRecord};
use ioproof_fio::results::DiskUse;
use ioproof_fio::settings::EngineName;

/// Bytes of the kernel's sectors.
const SECTOR_BYTES: u64 = 512;

/// The disks under the files of all clones, each once.
pub fn of_run(record: &RunRecord, subjobs: &[Subjob]) -> Vec<DiskUse> {
    let mut disks: Vec<&StackNode> = Vec::new();
    // Files that are made while they are timed are on no disk before, and fio shows none.
    let files = subjobs.iter().filter(|subjob| subjob.compiled.engine != EngineName::Filecreate);
    for stack in files.flat_map(Subjob::facts).filter_map(|facts| facts.stack.as_ref()) {
        let whole = whole_disk(stack);
        if !disks.iter().any(|known| known.name == whole.name) {
            disks.push(whole);
        }
    }
    let (counted, elapsed_ns) = counted(record);
    disks.into_iter().filter_map(|node| disk(node, &counted, elapsed_ns.max(1) as f64)).collect()
}

/// The counters of all stages added up, and the time that they took. Nanoseconds.
fn counted(record: &RunRecord) -> (Vec<DeviceCounters>, u64) {
    let mut all: Vec<DeviceCounters> = Vec::new();
    for device in record.stages.iter().flat_map(|stage| stage.devices.iter().flatten()) {
        match all.iter_mut().find(|known| known.name == device.name) {
            Some(known) => known.add(device),
            None => all.push(device.clone()),
        }
    }
    (all, record.stages.iter().map(|stage| stage.elapsed_ns).sum())
}

/// A partition's disk; anything else is itself.
fn whole_disk(node: &StackNode) -> &StackNode {
    match (node.kind.as_str(), node.under.as_slice()) {
        ("partition", [disk]) => disk,
        _ => node,
    }
}

fn disk(node: &StackNode, all: &[DeviceCounters], elapsed_ns: f64) -> Option<DiskUse> {
    let counters = all.iter().find(|counters| counters.name == node.name)?;
    let ms = |ns: u64| ns / 1_000_000;
    Some(DiskUse {
        name: node.name.clone(),
        ios: (counters.read_ios, counters.write_ios),
        sectors: (counters.read_bytes / SECTOR_BYTES, counters.write_bytes / SECTOR_BYTES),
        merges: (counters.read_merges, counters.write_merges),
        ticks_ms: (ms(counters.read_wait_ns), ms(counters.write_wait_ns)),
        in_queue_ms: ms(counters.queued_ns),
        busy_percent: (counters.busy_ns as f64 * 100.0 / elapsed_ns).min(100.0),
        below: node.under.iter().map(whole_disk).filter_map(|below| disk(below, all, elapsed_ns)).collect(),
    })
}
