//! Throughput and IOPS over time from completed I/Os.

use super::entry::{DIRECTIONS, LogDirection, LogEntry};
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    Bandwidth,
    Iops,
}

/// The value of one I/O in a log without windows: its bytes over its latency in kB/s (of 1000 bytes, as fio has it here alone); 1 for IOPS.
pub fn value_of_one(kind: LogKind, bytes: u64, latency_ns: u64) -> u64 {
    match kind {
        LogKind::Iops => 1,
        LogKind::Bandwidth => (u128::from(bytes) * 1_000_000 / u128::from(latency_ns.max(1))).try_into().unwrap_or(u64::MAX),
    }
}

/// Rates by windows, from completed I/Os in the order of time (their `value` is left aside): KiB/s or IOPS.
pub struct Throughput<I> {
    ios: I,
    kind: LogKind,
    window_ms: u64,
    begin_ms: u64,
    last_ms: u64,
    amounts: [u64; DIRECTIONS],
    ready: VecDeque<LogEntry>,
    ended: bool,
}

impl<I: Iterator<Item = LogEntry>> Throughput<I> {
    pub fn new(ios: I, kind: LogKind, window_ms: u64) -> Self {
        let (window_ms, amounts) = (window_ms.max(1), [0; DIRECTIONS]);
        Self { ios, kind, window_ms, begin_ms: 0, last_ms: 0, amounts, ready: VecDeque::new(), ended: false }
    }

    fn take(&mut self, io: &LogEntry) {
        self.last_ms = self.last_ms.max(io.time_ms);
        while io.time_ms.saturating_sub(self.begin_ms) >= self.window_ms && self.holds() {
            self.close(self.begin_ms.saturating_add(self.window_ms));
        }
        if io.time_ms.saturating_sub(self.begin_ms) >= self.window_ms {
            self.begin_ms = io.time_ms - io.time_ms % self.window_ms;
        }
        let amount = if self.kind == LogKind::Iops { 1 } else { io.block_bytes };
        let sum = &mut self.amounts[io.direction as usize];
        *sum = sum.saturating_add(amount);
    }

    fn holds(&self) -> bool {
        self.amounts.iter().any(|amount| *amount > 0)
    }

    fn close(&mut self, time_ms: u64) {
        let spent_ms = time_ms.saturating_sub(self.begin_ms).max(1);
        let unit = if self.kind == LogKind::Iops { 1 } else { 1024 };
        for direction in LogDirection::ALL {
            let amount = std::mem::take(&mut self.amounts[direction as usize]);
            let value = (u128::from(amount) * 1000 / u128::from(spent_ms) / unit) as u64;
            let entry = LogEntry { time_ms, value, direction, block_bytes: 0, offset_bytes: 0, priority: 0 };
            self.ready.extend((amount > 0).then_some(entry));
        }
        self.begin_ms = time_ms;
    }
}

impl<I: Iterator<Item = LogEntry>> Iterator for Throughput<I> {
    type Item = LogEntry;

    fn next(&mut self) -> Option<LogEntry> {
        while self.ready.is_empty() && !self.ended {
            if let Some(io) = self.ios.next() {
                self.take(&io);
            } else {
                self.ended = true;
                self.close(self.last_ms);
            }
        }
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_io_as_fio_logs_it() {
        assert_eq!(value_of_one(LogKind::Bandwidth, 4096, 10_109), 405_183);
        assert_eq!(value_of_one(LogKind::Bandwidth, 4096, 70), 58_514_285);
        assert_eq!(value_of_one(LogKind::Iops, 4096, 70), 1);
        assert_eq!(value_of_one(LogKind::Bandwidth, u64::MAX, 0), u64::MAX);
    }

    #[test]
    fn rates_by_windows() {
        let io = |time_ms, direction| LogEntry { time_ms, value: 0, direction, block_bytes: 4096, offset_bytes: 0, priority: 0 };
        let ios = [0, 10, 20, 30, 60, 400, 450].map(|t| io(t, LogDirection::Read));
        let mixed = ios.into_iter().chain([io(451, LogDirection::Write)]);
        let rates = |kind| Throughput::new(mixed.clone(), kind, 50).map(|e| (e.time_ms, e.value, e.direction as u8)).collect::<Vec<_>>();
        assert_eq!(rates(LogKind::Iops), [(50, 80, 0), (100, 20, 0), (450, 20, 0), (451, 1000, 0), (451, 1000, 1)]);
        assert_eq!(rates(LogKind::Bandwidth)[0], (50, 320, 0));
    }
}
