//! What the kernel counts for the disks under the files, from before the first job to after the last.

use super::clone::Clone;
use ioproof_core::facts::StackNode;
use ioproof_fio::results::DiskUse;
use ioproof_core::record::DeviceCounters;
use ioproof_device::Snapshot;
use ioproof_target::System;
use std::time::Instant;

/// Counters before the run.
pub struct Watch {
    stacks: Vec<(StackNode, Snapshot)>,
    started: Instant,
}

/// Bytes of the kernel's sectors.
const SECTOR_BYTES: u64 = 512;

impl Watch {
    /// Reads the counters of every disk under the files.
    pub fn start(system: &System, clones: &[Clone]) -> Self {
        let mut stacks: Vec<StackNode> = Vec::new();
        for stack in clones.iter().flat_map(|clone| &clone.files).filter_map(|file| file.facts.stack.as_ref()) {
            let whole = whole_disk(stack);
            if !stacks.iter().any(|known| known.name == whole.name) {
                stacks.push(whole.clone());
            }
        }
        let stacks = stacks.into_iter().map(|stack| (Snapshot::take(system, Some(&stack)), stack)).map(|(shot, stack)| (stack, shot));
        Self { stacks: stacks.collect(), started: Instant::now() }
    }

    /// What was counted since.
    pub fn end(self, system: &System) -> Vec<DiskUse> {
        let elapsed_ns = self.started.elapsed().as_nanos().max(1) as f64;
        let of = |(stack, before): &(StackNode, Snapshot)| {
            let (counters, _) = Snapshot::take(system, Some(stack)).since(before);
            disk(stack, &counters, elapsed_ns)
        };
        self.stacks.iter().filter_map(of).collect()
    }
}

/// A partition's disk; all else is what it is.
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
