//! What a worker counts where the watching thread can see it: plain stores by one writer, read by another thread without a lock.

use ioproof_core::histogram::{BINS, Histogram, bin_of};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Adds to a counter that only this thread writes; cheaper than an atomic addition, which would lock the cache line.
#[inline]
pub(crate) fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
}

/// Latencies counted by one worker.
#[derive(Debug)]
pub(crate) struct LiveHistogram {
    bins: Box<[AtomicU64; BINS]>,
    sum_ns: AtomicU64,
    min_ns: AtomicU64,
    max_ns: AtomicU64,
}

impl Default for LiveHistogram {
    fn default() -> Self {
        Self {
            bins: Box::new([const { AtomicU64::new(0) }; BINS]),
            sum_ns: AtomicU64::new(0),
            min_ns: AtomicU64::new(u64::MAX),
            max_ns: AtomicU64::new(0),
        }
    }
}

impl LiveHistogram {
    /// Counts one value. For the worker only.
    #[inline]
    pub(crate) fn record(&self, ns: u64) {
        bump(&self.bins[bin_of(ns)], 1);
        bump(&self.sum_ns, ns);
        if ns < self.min_ns.load(Relaxed) {
            self.min_ns.store(ns, Relaxed);
        }
        if ns > self.max_ns.load(Relaxed) {
            self.max_ns.store(ns, Relaxed);
        }
    }

    /// Forgets everything. For the worker only.
    pub(crate) fn clear(&self) {
        self.bins.iter().for_each(|bin| bin.store(0, Relaxed));
        self.sum_ns.store(0, Relaxed);
        self.min_ns.store(u64::MAX, Relaxed);
        self.max_ns.store(0, Relaxed);
    }

    /// As it is at this moment.
    pub(crate) fn snapshot(&self) -> Histogram {
        let counts = self.bins.iter().map(|bin| bin.load(Relaxed));
        Histogram::from_bins(counts, self.sum_ns.load(Relaxed).into(), self.min_ns.load(Relaxed), self.max_ns.load(Relaxed))
    }

    /// Adds the counts to `bins`, which has as many.
    pub(crate) fn add_to(&self, bins: &mut [u64]) {
        bins.iter_mut().zip(self.bins.iter()).for_each(|(sum, bin)| *sum = sum.wrapping_add(bin.load(Relaxed)));
    }

    /// Largest value; 0 for none. Nanoseconds.
    pub(crate) fn max_ns(&self) -> u64 {
        self.max_ns.load(Relaxed)
    }

    /// Sum of all values. Nanoseconds.
    pub(crate) fn sum_ns(&self) -> u64 {
        self.sum_ns.load(Relaxed)
    }
}

/// One direction of one worker.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// Of the whole job, ramp and drain included.
    ios: AtomicU64,
    /// Of the whole job, ramp and drain included.
    bytes: AtomicU64,
    /// Of the measurement.
    pub(crate) latency: LiveHistogram,
    /// Time until the kernel had accepted the I/Os of the measurement, where that is timed. Nanoseconds.
    submission_sum_ns: AtomicU64,
    /// What had been counted when the measurement began.
    ios_before: AtomicU64,
    /// What had been counted when the measurement began.
    bytes_before: AtomicU64,
}

impl Side {
    /// Adds what one submission took. For the worker only.
    pub(crate) fn add_submission(&self, ns: u64) {
        bump(&self.submission_sum_ns, ns);
    }

    /// The measurement begins: forgets what was timed, and notes what was counted. For the worker only.
    pub(crate) fn clear(&self) {
        self.latency.clear();
        self.submission_sum_ns.store(0, Relaxed);
        let Counted { ios, bytes } = self.so_far();
        self.ios_before.store(ios, Relaxed);
        self.bytes_before.store(bytes, Relaxed);
    }

    /// I/Os and bytes since the measurement began, by what is known of it; another thread may ask.
    pub(crate) fn measured(&self) -> Counted {
        let Counted { ios, bytes } = self.so_far();
        Counted { ios: ios.saturating_sub(self.ios_before.load(Relaxed)), bytes: bytes.saturating_sub(self.bytes_before.load(Relaxed)) }
    }

    /// Sum of what submissions took. Nanoseconds.
    pub(crate) fn submission_sum_ns(&self) -> u64 {
        self.submission_sum_ns.load(Relaxed)
    }

    /// Counts completed I/Os. For the worker only.
    #[inline]
    pub(crate) fn add(&self, ios: u64, bytes: u64) {
        bump(&self.ios, ios);
        bump(&self.bytes, bytes);
    }

    /// I/Os and bytes since the job began.
    pub(crate) fn so_far(&self) -> Counted {
        Counted { ios: self.ios.load(Relaxed), bytes: self.bytes.load(Relaxed) }
    }
}

/// So many I/Os of so many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
}

impl Counted {
    /// What was counted after `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self { ios: self.ios - earlier.ios, bytes: self.bytes - earlier.bytes }
    }
}

/// What a worker shows while it runs, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Live {
    pub(crate) read: Side,
    pub(crate) write: Side,
    pub(crate) trim: Side,
    /// When something last completed. Nanoseconds of the job's clock.
    pub(crate) last_seen_ns: AtomicU64,
}

impl Live {
    /// Bytes read, and bytes written or trimmed, since the job began.
    pub(crate) fn total_bytes(&self) -> (u64, u64) {
        (self.read.so_far().bytes, self.write.so_far().bytes + self.trim.so_far().bytes)
    }

    /// I/Os since the job began, syncs left aside.
    pub(crate) fn total_ios(&self) -> u64 {
        self.read.so_far().ios + self.write.so_far().ios + self.trim.so_far().ios
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ramp_counted_is_left_out() {
        let side = Side::default();
        side.add(3, 3000);
        side.clear();
        side.add(2, 1024);
        assert_eq!((side.measured(), side.so_far()), (Counted { ios: 2, bytes: 1024 }, Counted { ios: 5, bytes: 4024 }));
    }

    #[test]
    fn it_counts_as_a_plain_histogram_does() {
        let live = LiveHistogram::default();
        let mut plain = Histogram::default();
        for ns in [0, 1, 127, 128, 5_000, 123_456_789, u64::MAX >> 20] {
            live.record(ns);
            plain.record(ns);
        }
        assert_eq!(live.snapshot(), plain);
        live.clear();
        assert_eq!(live.snapshot(), Histogram::default());
    }
}
