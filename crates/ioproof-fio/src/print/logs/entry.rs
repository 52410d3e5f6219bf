//! A sample of a log, and its line: `time, value, direction, block size, offset, priority`.

use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDirection {
    Read,
    Write,
    Trim,
}

pub(super) const DIRECTIONS: usize = 3;

impl LogDirection {
    pub const ALL: [Self; DIRECTIONS] = [Self::Read, Self::Write, Self::Trim];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogEntry {
    pub time_ms: u64,
    /// Latency in nanoseconds, throughput in KiB/s, or IOPS.
    pub value: u64,
    pub direction: LogDirection,
    /// Size of the I/O in bytes; 0 for an average.
    pub block_bytes: u64,
    pub offset_bytes: u64,
    /// Priority: 1 where it was a high one, or with `log_prio` the kernel's number.
    pub priority: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogShape {
    pub offset: bool,
    /// With the kernel's number of the priority, in hexadecimal (`log_prio`).
    pub priority: bool,
    /// Offset of the times: the start of the job in milliseconds since 1970 with `log_unix_epoch`; else 0.
    pub epoch_ms: u64,
}

pub fn log_line(entry: &LogEntry, shape: LogShape, out: &mut String) {
    let time_ms = entry.time_ms.saturating_add(shape.epoch_ms);
    // Writing to a string cannot fail.
    let _ = write!(out, "{time_ms}, {}, {}, {}", entry.value, entry.direction as u8, entry.block_bytes);
    if shape.offset {
        let _ = write!(out, ", {}", entry.offset_bytes);
    }
    let _ = if shape.priority { writeln!(out, ", 0x{:04x}", entry.priority) } else { writeln!(out, ", {}", entry.priority) };
}

pub fn log_lines(entries: impl Iterator<Item = LogEntry>, shape: LogShape) -> String {
    let mut out = String::new();
    entries.for_each(|entry| log_line(&entry, shape, &mut out));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_shape() {
        let entry =
            LogEntry { time_ms: 7, value: 42, direction: LogDirection::Trim, block_bytes: 4096, offset_bytes: 8192, priority: 0x4003 };
        let line = |shape| log_lines([entry].into_iter(), shape);
        assert_eq!(line(LogShape::default()), "7, 42, 2, 4096, 16387\n");
        assert_eq!(line(LogShape { offset: true, ..LogShape::default() }), "7, 42, 2, 4096, 8192, 16387\n");
        let all = LogShape { offset: true, priority: true, epoch_ms: 1_795_254_920_200 };
        assert_eq!(line(all), "1795254920207, 42, 2, 4096, 8192, 0x4003\n");
    }
}
