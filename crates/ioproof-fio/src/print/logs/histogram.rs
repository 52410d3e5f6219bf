//! `write_hist_log`: the histogram of each window of `log_hist_msec`, one line a window and direction.

use super::entry::{DIRECTIONS, LogDirection, LogEntry};
use crate::print::bins::{BINS, bin_of};
use std::fmt::Write;

pub const LOG_BINS: usize = BINS;
const COARSEST: u8 = 6;

/// Takes the latency of each I/O and gives a line whenever a window is full: `time, direction, block size, count of bin 0, ...`.
///
/// A window begins with a direction's first I/O; the I/O that fills it belongs to it, and gives the line its time and block size. What remains at
/// the end is not written, as fio does not write it.
pub struct HistogramLog {
    window_ms: u64,
    coarseness: u8,
    epoch_ms: u64,
    open: [Option<OpenHistogram>; DIRECTIONS],
}

struct OpenHistogram {
    begin_ms: u64,
    counts: Box<[u64]>,
}

impl HistogramLog {
    /// Windows of `log_hist_msec`, and `2^coarseness` bins put together in one (`log_hist_coarseness`, 0 to 6); `epoch_ms` is added to the time.
    pub fn new(window_ms: u64, coarseness: u8, epoch_ms: u64) -> Self {
        Self { window_ms: window_ms.max(1), coarseness: coarseness.min(COARSEST), epoch_ms, open: [None, None, None] }
    }

    /// Counts one I/O, whose value is its latency in nanoseconds, and appends a line where its window is full.
    pub fn record(&mut self, io: &LogEntry, out: &mut String) {
        let (window_ms, coarseness) = (self.window_ms, self.coarseness);
        let new = || OpenHistogram { begin_ms: io.time_ms, counts: vec![0; BINS >> coarseness].into_boxed_slice() };
        let open = self.open[io.direction as usize].get_or_insert_with(new);
        open.counts[bin_of(io.value).min(BINS - 1) >> coarseness] += 1;
        let passed_ms = io.time_ms.saturating_sub(open.begin_ms);
        if passed_ms >= window_ms {
            line(io.time_ms.saturating_add(self.epoch_ms), io.direction, io.block_bytes, &open.counts, out);
            open.counts.fill(0);
            open.begin_ms = io.time_ms - passed_ms % window_ms;
        }
    }
}

fn line(time_ms: u64, direction: LogDirection, block_bytes: u64, counts: &[u64], out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{time_ms}, {}, {block_bytes}", direction as u8);
    for n in counts {
        let _ = write!(out, ", {n}");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(log: &mut HistogramLog, samples: &[(u64, u64)]) -> Vec<Vec<u64>> {
        let mut out = String::new();
        for (time_ms, value) in samples {
            let io = LogEntry {
                time_ms: *time_ms,
                value: *value,
                direction: LogDirection::Read,
                block_bytes: 4096,
                offset_bytes: 0,
                priority: 0,
            };
            log.record(&io, &mut out);
        }
        out.lines().map(|line| line.split(", ").map(|n| n.parse().unwrap()).collect()).collect()
    }

    /// Of a job of fio 3.33 whose I/Os took 7, 11, 3, 29 and 1.5 ms by turns, with windows of 50 ms and coarseness 3.
    #[test]
    fn windows_and_bins_are_those_of_fio() {
        const MS: u64 = 1_000_000;
        let turns = [7 * MS, 11 * MS, 3 * MS, 29 * MS, 3 * MS / 2];
        let mut now = 0;
        let samples: Vec<(u64, u64)> = (0..50)
            .map(|n| turns[n % 5])
            .map(|ns| {
                now += ns;
                (now / MS, ns)
            })
            .collect();
        let lines = record(&mut HistogramLog::new(50, 3, 0), &samples);
        assert_eq!(lines.iter().map(|line| line[0]).collect::<Vec<_>>(), [58, 110, 161, 213, 257, 307, 359, 410, 462, 513]);
        assert!(lines.iter().all(|line| line.len() == 235 && line[1..3] == [0, 4096]));
        let of_the_first: Vec<(usize, u64)> = lines[0][3..].iter().copied().enumerate().filter(|(_, n)| *n > 0).collect();
        assert_eq!(of_the_first, [(123, 1), (131, 1), (141, 2), (146, 1), (157, 1)]);
        assert_eq!(lines.iter().map(|line| line[3..].iter().sum::<u64>()).collect::<Vec<_>>(), [6, 5, 5, 5, 4, 4, 5, 5, 5, 5]);
    }

    #[test]
    fn without_coarseness_a_line_has_every_bin() {
        let lines = record(&mut HistogramLog::new(10, 0, 1000), &[(0, 50), (10, u64::MAX)]);
        assert_eq!((lines.len(), lines[0].len(), lines[0][0]), (1, 3 + LOG_BINS, 1010));
        assert_eq!((lines[0][3 + 50], lines[0][2 + LOG_BINS]), (1, 1));
    }
}
