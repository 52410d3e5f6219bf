//! CPU time of a thread, and bytes that it handed to write calls, as the kernel counts them.

use rustix::time::{ClockId, clock_gettime};

/// Use of a thread so far, or between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Use {
    /// CPU time. Nanoseconds.
    pub cpu_ns: u64,
    /// Bytes handed to write calls (`wchar` of proc_pid_io(5)); none where the kernel does not count them.
    pub written_bytes: Option<u64>,
}

impl Use {
    /// Use of the calling thread so far.
    pub(crate) fn of_this_thread() -> Self {
        let cpu = clock_gettime(ClockId::ThreadCPUTime);
        let cpu_ns = u64::try_from(cpu.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(cpu.tv_nsec).unwrap_or(0);
        let io = std::fs::read_to_string("/proc/thread-self/io").unwrap_or_default();
        Self { cpu_ns, written_bytes: written_bytes(&io) }
    }

    /// Use since an earlier moment.
    pub(crate) fn since(self, earlier: Self) -> Self {
        let written_bytes = self.written_bytes.zip(earlier.written_bytes).map(|(now, before)| now.saturating_sub(before));
        Self { cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns), written_bytes }
    }

    /// This and another's.
    pub(crate) fn and(self, other: Self) -> Self {
        let written_bytes = self.written_bytes.zip(other.written_bytes).map(|(one, other)| one.saturating_add(other));
        Self { cpu_ns: self.cpu_ns.saturating_add(other.cpu_ns), written_bytes }
    }
}

/// The count of a file as `/proc/PID/io`.
pub(crate) fn written_bytes(io: &str) -> Option<u64> {
    io.lines().find_map(|line| line.strip_prefix("wchar:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_file() {
        assert_eq!(written_bytes("rchar: 5\nwchar: 77\nsyscr: 1\nwrite_bytes: 4096\n"), Some(77));
        assert_eq!([written_bytes(""), written_bytes("wchar: many")], [None, None]);
    }

    #[test]
    fn what_one_does_not_count_is_not_counted_of_both() {
        let one = Use { cpu_ns: 5, written_bytes: Some(7) };
        assert_eq!(one.and(one), Use { cpu_ns: 10, written_bytes: Some(14) });
        assert_eq!(one.and(Use { cpu_ns: 1, written_bytes: None }).written_bytes, None);
        assert_eq!(one.and(one).since(one), one);
    }
}
