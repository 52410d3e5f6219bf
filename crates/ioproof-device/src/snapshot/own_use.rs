//! Use that this process itself made of the machine so far: bytes of storage, CPU time, and the time for which a limit on CPU time stopped it.
//!
//! The kernel's threads that work for io_uring (io-wq) belong to the process, so that their time is in it (`fs/proc/array.c`, `do_task_stat`).

use crate::cgroup;
use ioproof_core::record::HostLoad;
use ioproof_target::System;

/// Length of the tick in which `/proc/self/stat` counts: `USER_HZ` is 100 on every architecture that Linux still runs on. Nanoseconds.
const TICK_NS: u64 = 10_000_000;

/// Counts since the process began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OwnUse {
    storage_bytes: Option<(u64, u64)>,
    cpu_ns: Option<u64>,
    stopped_ns: Option<u64>,
    memory_limit_hits: Option<u64>,
}

impl OwnUse {
    pub(crate) fn take(system: &System) -> Self {
        Self {
            storage_bytes: system.proc_text("self/io").and_then(|text| storage_bytes(&text)),
            cpu_ns: system.proc_text("self/stat").and_then(|text| cpu_ns(&text)),
            stopped_ns: cgroup::cpu_stopped_ns(system),
            memory_limit_hits: cgroup::memory_limit_hits(system),
        }
    }

    /// Puts what was used since `earlier` into the load.
    pub(crate) fn since(self, earlier: Self, load: &mut HostLoad) {
        let used = |later: Option<u64>, earlier: Option<u64>| Some(later?.saturating_sub(earlier?));
        let bytes = self.storage_bytes.zip(earlier.storage_bytes);
        load.own_storage_bytes = bytes.map(|(to, from)| (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1)));
        load.own_cpu_ns = used(self.cpu_ns, earlier.cpu_ns);
        load.cpu_stopped_ns = used(self.stopped_ns, earlier.stopped_ns);
        load.memory_limit_hits = used(self.memory_limit_hits, earlier.memory_limit_hits);
    }
}

/// `read_bytes` and `write_bytes` of `/proc/self/io` (proc_pid_io(5)): read from and written to storage, not to the page cache.
fn storage_bytes(text: &str) -> Option<(u64, u64)> {
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
    Some((value("read_bytes:")?, value("write_bytes:")?))
}

/// Fields 14 and 15 of `/proc/self/stat` (proc_pid_stat(5)), in user mode and in the kernel; the name in field 2 may hold anything, parentheses too.
fn cpu_ns(text: &str) -> Option<u64> {
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user.saturating_add(system).saturating_mul(TICK_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files() {
        assert_eq!(storage_bytes("rchar: 9\nread_bytes: 4096\nwrite_bytes: 512\ncancelled_write_bytes: 0\n"), Some((4096, 512)));
        assert_eq!(storage_bytes("rchar: 9\n"), None);
        assert_eq!(cpu_ns("7 (a) b) R 1 7 7 0 -1 4194304 100 0 0 0 25 17 0 0 20 0 1 0 5 6 7"), Some(420_000_000));
        assert_eq!(cpu_ns("7 (a"), None);
    }

    #[test]
    fn the_difference_goes_into_the_load() {
        let earlier = OwnUse { storage_bytes: Some((10, 20)), cpu_ns: Some(5), stopped_ns: None, memory_limit_hits: Some(4) };
        let mut load = HostLoad::default();
        OwnUse { storage_bytes: Some((30, 25)), cpu_ns: Some(9), stopped_ns: Some(4), memory_limit_hits: Some(9) }
            .since(earlier, &mut load);
        assert_eq!(load.memory_limit_hits, Some(5));
        assert_eq!((load.own_storage_bytes, load.own_cpu_ns, load.cpu_stopped_ns), (Some((20, 5)), Some(4), None));
    }
}
