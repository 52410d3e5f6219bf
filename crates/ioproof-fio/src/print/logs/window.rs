//! Samples put together by time, as `log_avg_msec` does: their mean, or with `log_max_value` the largest.

use super::entry::{DIRECTIONS, LogDirection, LogEntry};
use std::collections::VecDeque;

/// Samples by windows. A window ends with the first sample that lies a window's length after its begin; that sample belongs to it and gives it its
/// time. The next one begins at the last multiple of the length. What remains at the end bears the time of the last sample of all.
pub struct Averaged<I> {
    samples: I,
    window_ms: u64,
    largest: bool,
    open: [OpenAverage; DIRECTIONS],
    last_ms: u64,
    ready: VecDeque<LogEntry>,
    ended: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct OpenAverage {
    begin_ms: u64,
    count: u64,
    sum: u128,
    largest: u64,
    priority: u32,
}

impl OpenAverage {
    fn add(&mut self, entry: &LogEntry) {
        self.count += 1;
        self.sum = self.sum.saturating_add(entry.value.into());
        self.largest = self.largest.max(entry.value);
        self.priority = entry.priority;
    }

    fn close(&mut self, time_ms: u64, direction: LogDirection, largest: bool) -> Option<LogEntry> {
        let count = u128::from(self.count);
        let closed = std::mem::take(self);
        self.begin_ms = closed.begin_ms;
        (count > 0).then(|| {
            let mean = ((closed.sum + count / 2) / count) as u64;
            let value = if largest { closed.largest } else { mean };
            LogEntry { time_ms, value, direction, block_bytes: 0, offset_bytes: 0, priority: 0 }
        })
    }
}

impl<I: Iterator<Item = LogEntry>> Averaged<I> {
    pub fn new(samples: I, window_ms: u64, largest: bool) -> Self {
        let open = [OpenAverage::default(); DIRECTIONS];
        Self { samples, window_ms: window_ms.max(1), largest, open, last_ms: 0, ready: VecDeque::new(), ended: false }
    }

    fn take(&mut self, entry: &LogEntry) {
        self.last_ms = self.last_ms.max(entry.time_ms);
        let open = &mut self.open[entry.direction as usize];
        open.add(entry);
        if entry.time_ms.saturating_sub(open.begin_ms) >= self.window_ms {
            self.ready.extend(open.close(entry.time_ms, entry.direction, self.largest));
            open.begin_ms = entry.time_ms - entry.time_ms % self.window_ms;
        }
    }

    fn end(&mut self) {
        self.ended = true;
        let (last_ms, largest) = (self.last_ms, self.largest);
        let rest = LogDirection::ALL.iter().zip(&mut self.open);
        self.ready.extend(rest.filter_map(|(direction, open)| open.close(last_ms, *direction, largest)));
    }
}

impl<I: Iterator<Item = LogEntry>> Iterator for Averaged<I> {
    type Item = LogEntry;

    fn next(&mut self) -> Option<LogEntry> {
        while self.ready.is_empty() && !self.ended {
            match self.samples.next() {
                Some(entry) => self.take(&entry),
                None => self.end(),
            }
        }
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(time_ms: u64, value: u64, write: bool) -> LogEntry {
        let direction = if write { LogDirection::Write } else { LogDirection::Read };
        LogEntry { time_ms, value, direction, block_bytes: 4096, offset_bytes: 0, priority: 0 }
    }

    fn averaged(samples: &[(u64, u64, bool)], window_ms: u64, largest: bool) -> Vec<(u64, u64, u8)> {
        let samples = samples.iter().map(|(time_ms, value, write)| entry(*time_ms, *value, *write));
        Averaged::new(samples, window_ms, largest).map(|e| (e.time_ms, e.value, e.direction as u8)).collect()
    }

    /// Both logs of one job of fio 3.33: every sample, and windows of 20 ms.
    #[test]
    fn windows_are_those_of_fio() {
        let (a, b, c) = (9_000_001, 7_000_002, 1_000_001);
        #[rustfmt::skip]
        let samples = [
            (9, 9_058_663, false), (16, b, false), (17, c, false), (26, a, true), (33, b, false), (34, c, false), (43, a, true),
            (50, b, true), (51, c, true), (60, a, false), (67, b, true), (68, c, false), (77, a, true), (84, b, false), (85, c, false),
            (94, a, false), (101, b, true), (102, c, true), (111, a, false), (118, b, false),
        ];
        #[rustfmt::skip]
        let fio = [
            (26, 9_000_001, 1), (33, 6_014_667, 0), (43, 9_000_001, 1), (60, 5_000_001, 0), (67, 5_000_002, 1), (84, 4_000_002, 0),
            (101, 8_000_002, 1), (111, 6_333_335, 0), (118, 7_000_002, 0), (118, 1_000_001, 1),
        ];
        let ours = averaged(&samples, 20, false);
        let near = |a: u64, b: u64| a.abs_diff(b) <= 1;
        assert_eq!(ours.len(), fio.len());
        assert!(ours.iter().zip(&fio).all(|(a, b)| (a.0, a.2) == (b.0, b.2) && near(a.1, b.1)), "{ours:?}");
        assert_eq!(averaged(&samples, 20, true)[3], (60, 9_000_001, 0));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(averaged(&[], 0, false), []);
        assert_eq!(averaged(&[(0, 5, false)], 10, false), [(0, 5, 0)]);
    }
}
