//! Memory that the machine, control groups and limits of this process leave to it (`ulimit -v`, `ulimit -d`, getrlimit(2)), looked at before a run begins. A program that finds no
//! memory in the middle of something can only end at once, or the kernel ends it, and what it measured is lost.

use crate::complaint::complaint;
use anyhow::Result;
use ioproof_core::units::binary_size;
use ioproof_core::workload::Workload;
use ioproof_device::memory_left_bytes;
use ioproof_engine::BackendChoice;
use ioproof_target::System;
use ioproof_target::threads::THREAD_POOLS;
use rustix::process::{Resource, getrlimit};

/// Memory that a run takes beside its workers: records, counters, reports. Bytes.
const RUN_BYTES: u64 = 40 << 20;

/// The stacks of a worker and of a thread that waits for it, rings and counts, beside its buffers. Bytes.
const WORKER_BYTES: u64 = 4 << 20;

/// Addresses that the C library reserves for the memory of threads: twice as many for a moment, of which it keeps the half that is aligned
/// (HEAP_MAX_SIZE and new_heap of glibc's malloc/arena.c). Bytes.
const POOLS_BYTES: u64 = (THREAD_POOLS as u64 + 1) * (64 << 20);

/// The limits, each with the line of `/proc/self/status` that says what is used of it, and the words for people.
const LIMITS: [(Resource, &str, &str); 2] = [(Resource::Data, "VmData:", "ulimit -d"), (Resource::As, "VmSize:", "ulimit -v")];

/// Memory without which not even a report is written: of data, and of addresses, which the C library reserves for each thread. Bytes.
const PROGRAM_BYTES: [u64; 2] = [64 << 20, 192 << 20];

/// Makes sure that the limits leave enough for the program itself, whatever it is asked for.
pub fn for_the_program() -> Result<()> {
    let missing = LIMITS.iter().zip(PROGRAM_BYTES).find_map(|((resource, _, name), needed)| {
        getrlimit(*resource).current.filter(|limit| *limit < needed).map(|limit| too_little(name, limit, "ioproof", needed))
    });
    missing.map_or(Ok(()), |text| Err(complaint(text, "raise that limit")))
}

fn too_little(name: &str, left: u64, who: &str, needed: u64) -> String {
    format!("`{name}` leaves {} of memory to this process, and {who} may take {}", binary_size(left), binary_size(needed))
}

#[derive(Debug, Clone, Copy)]
pub struct MemoryNeeds {
    /// Its threads that do I/O.
    pub workers: u64,
    /// Their buffers and maps. Bytes.
    pub bytes: u64,
    /// Addresses at which they see what they work on. Bytes.
    pub mapped_bytes: u64,
}

impl MemoryNeeds {
    /// Of a workload on so much of its targets, where its backend does the I/O.
    pub fn new(workload: &Workload, backend: BackendChoice, span_bytes: u64) -> Self {
        let outstanding = u64::from(workload.outstanding());
        let workers = if backend.is_synchronous() { outstanding } else { workload.workers.into() };
        let bytes = outstanding.saturating_mul(workload.largest_block_bytes().into());
        Self { workers, bytes, mapped_bytes: Self::mapped_bytes(backend, workers, span_bytes) }
    }

    /// Addresses of a backend each of whose workers maps what it works on. Bytes.
    pub fn mapped_bytes(backend: BackendChoice, workers: u64, span_bytes: u64) -> u64 {
        if backend.is_cached() { workers.saturating_mul(span_bytes) } else { 0 }
    }

    /// Of loads that run side by side.
    fn sum(group: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> u64| group.iter().map(of).fold(0, u64::saturating_add);
        Self { workers: sum(|needs| needs.workers), bytes: sum(|needs| needs.bytes), mapped_bytes: sum(|needs| needs.mapped_bytes) }
    }

    /// Data that it takes. Bytes.
    fn data_bytes(&self) -> u64 {
        self.workers.saturating_mul(WORKER_BYTES).saturating_add(self.bytes).saturating_add(RUN_BYTES)
    }

    /// Addresses that it takes, with and without something at them. Bytes.
    fn address_bytes(&self) -> u64 {
        self.data_bytes().saturating_add(self.mapped_bytes).saturating_add(POOLS_BYTES)
    }
}

/// Makes sure that there is enough for these loads, of which one runs at a time.
pub fn check(system: &System, loads: impl Iterator<Item = MemoryNeeds>) -> Result<()> {
    check_together(system, loads.map(|load| vec![load]))
}

/// The same of groups of loads that run side by side, one group at a time.
pub fn check_together(system: &System, groups: impl Iterator<Item = Vec<MemoryNeeds>>) -> Result<()> {
    let groups: Vec<MemoryNeeds> = groups.map(|group| MemoryNeeds::sum(&group)).collect();
    within_limits(system, &groups)?;
    let needed = groups.iter().map(|group| group.bytes).max().unwrap_or(0);
    match available_bytes(system) {
        Some(there) if there < needed => {
            let text = format!(
                "buffers and maps of what runs side by side take {}, and {} of memory are available",
                binary_size(needed),
                binary_size(there)
            );
            Err(complaint(
                text,
                "take fewer workers (numjobs), less depth (iodepth) or smaller blocks (bs), or raise the limit of the control group",
            ))
        }
        _ => Ok(()),
    }
}

/// Makes sure that limits of this process leave enough to each of these.
fn within_limits(system: &System, groups: &[MemoryNeeds]) -> Result<()> {
    let status = system.proc_text("self/status").unwrap_or_default();
    for (resource, line, name) in LIMITS {
        let of_group = if resource == Resource::As { MemoryNeeds::address_bytes } else { MemoryNeeds::data_bytes };
        let needed = groups.iter().map(of_group).max().unwrap_or(0);
        let left = getrlimit(resource).current.map(|limit| limit.saturating_sub(used(&status, line)));
        if let Some(left) = left.filter(|left| *left < needed) {
            let text = too_little(name, left, "the run", needed);
            return Err(complaint(text, "raise that limit, or take fewer workers, less depth or smaller blocks"));
        }
    }
    Ok(())
}

/// Memory that this program can have without that others are swapped out, as the kernel reckons it, or that the kernel ends it for a limit of its control group. Bytes.
pub fn available_bytes(system: &System) -> Option<u64> {
    let of_machine = available(&system.proc_text("meminfo").unwrap_or_default());
    of_machine.into_iter().chain(memory_left_bytes(system)).min()
}

/// `MemAvailable:` of `/proc/meminfo`. Bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `VmData:     1234 kB`. Bytes.
fn used(status: &str, line: &str) -> u64 {
    let kib = || status.lines().find_map(|text| text.strip_prefix(line))?.trim().trim_end_matches("kB").trim().parse::<u64>().ok();
    kib().unwrap_or(0).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_read_from_the_kernels_line() {
        assert_eq!(used("VmPeak:\t 9 kB\nVmData:\t    1234 kB\n", "VmData:"), 1234 * 1024);
        assert_eq!((used("", "VmData:"), used("VmData: x\n", "VmData:")), (0, 0));
    }

    #[test]
    fn what_is_available_is_read_from_the_kernels_line() {
        assert_eq!(available("MemTotal:  100 kB\nMemAvailable:    24105 kB\n"), Some(24105 * 1024));
        assert_eq!((available("MemTotal: 1 kB\n"), available("MemAvailable: x kB\n")), (None, None));
    }
}
