//! The counts of a worker where the watching thread can see them: plain stores by one writer, read by another thread without a lock.

use ioproof_core::histogram::{BINS, Histogram, bin_of};
use ioproof_core::job::Span;
use ioproof_core::places::{PARTS, Places, STRIPE_SHIFT, STRIPES, Stripes, part_shift};
use std::sync::OnceLock;
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
    /// Counts a value that was seen so often. For the worker only.
    #[inline]
    pub(crate) fn record(&self, ns: u64, times: u64) {
        bump(&self.bins[bin_of(ns)], times);
        bump(&self.sum_ns, ns.wrapping_mul(times));
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

    /// Adds the counts to `bins`, which are as many, or none yet.
    pub(crate) fn add_to(&self, bins: &mut Vec<u64>) {
        if bins.is_empty() {
            return bins.extend(self.bins.iter().map(|bin| bin.load(Relaxed)));
        }
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

/// Latency in its two parts, where a job asks for them.
#[derive(Debug, Default)]
pub(crate) struct SplitLatency {
    /// From just before the kernel was entered until it had accepted the I/O.
    pub(crate) submission: LiveHistogram,
    /// From then until the completion was seen.
    pub(crate) completion: LiveHistogram,
}

/// Latencies of one direction by the part of the span.
#[derive(Debug)]
pub(crate) struct LivePlaces {
    begin_bytes: u64,
    /// Of an offset within the span; gives its part.
    shift: u32,
    parts: Cells<PARTS>,
    stripes: Cells<STRIPES>,
}

/// I/Os and the sum of their latencies, by cell.
#[derive(Debug)]
struct Cells<const N: usize>([(AtomicU64, AtomicU64); N]);

impl<const N: usize> Default for Cells<N> {
    fn default() -> Self {
        Self([const { (AtomicU64::new(0), AtomicU64::new(0)) }; N])
    }
}

impl<const N: usize> Cells<N> {
    #[inline]
    fn record(&self, cell: usize, ns: u64) {
        let (ios, sum_ns) = &self.0[cell % N];
        bump(ios, 1);
        bump(sum_ns, ns);
    }

    fn clear(&self) {
        self.0.iter().for_each(|(ios, sum_ns)| {
            ios.store(0, Relaxed);
            sum_ns.store(0, Relaxed);
        });
    }

    /// I/Os and sums as they are at this moment, up to the last cell that counted any.
    fn snapshot(&self) -> (Vec<u64>, Vec<u64>) {
        let (mut ios, mut sum_ns): (Vec<u64>, Vec<u64>) = self.0.iter().map(|(ios, sum)| (ios.load(Relaxed), sum.load(Relaxed))).unzip();
        let used = ios.iter().rposition(|ios| *ios > 0).map_or(0, |last| last + 1);
        ios.truncate(used);
        sum_ns.truncate(used);
        (ios, sum_ns)
    }
}

impl LivePlaces {
    fn of(span: Span) -> Self {
        let (begin_bytes, shift) = (span.offset_bytes, part_shift(span.length_bytes));
        Self { begin_bytes, shift, parts: Cells::default(), stripes: Cells::default() }
    }

    /// Counts an I/O. For the worker only.
    #[inline]
    pub(crate) fn record(&self, offset_bytes: u64, ns: u64) {
        self.parts.record((offset_bytes.wrapping_sub(self.begin_bytes) >> self.shift) as usize, ns);
        self.stripes.record((offset_bytes >> STRIPE_SHIFT) as usize, ns);
    }

    fn clear(&self) {
        self.parts.clear();
        self.stripes.clear();
    }

    /// As it is at this moment; parts behind the span are left out.
    pub(crate) fn snapshot(&self) -> Places {
        let ((ios, sum_ns), stripes) = (self.parts.snapshot(), self.stripes.snapshot());
        Places { part_bytes: 1 << self.shift, ios, sum_ns, stripes: Stripes { ios: stripes.0, sum_ns: stripes.1 } }
    }
}

/// One direction of one worker.
#[derive(Debug, Default)]
pub(crate) struct LiveSide {
    /// Of the whole job, ramp and drain included.
    ios: AtomicU64,
    /// Of the whole job, ramp and drain included.
    bytes: AtomicU64,
    /// Of the measurement.
    pub(crate) latency: LiveHistogram,
    /// Of what was under way when the measurement ended.
    pub(crate) late: LiveHistogram,
    /// The same in its parts, where they are timed.
    pub(crate) split: Option<SplitLatency>,
    /// Of the measurement, by place, where that is counted.
    pub(crate) places: Option<LivePlaces>,
    /// Its count when the measurement began.
    ios_before: AtomicU64,
    /// Its count when the measurement began.
    bytes_before: AtomicU64,
}

impl LiveSide {
    fn new(split: bool, places: Option<Span>) -> Self {
        Self { split: split.then(SplitLatency::default), places: places.map(LivePlaces::of), ..Self::default() }
    }

    /// The measurement begins: forgets latencies, and notes the counts so far. For the worker only.
    pub(crate) fn clear(&self) {
        self.latency.clear();
        if let Some(SplitLatency { submission, completion }) = &self.split {
            submission.clear();
            completion.clear();
        }
        if let Some(places) = &self.places {
            places.clear();
        }
        let Counted { ios, bytes } = self.so_far();
        self.ios_before.store(ios, Relaxed);
        self.bytes_before.store(bytes, Relaxed);
    }

    /// I/Os and bytes from before the measurement.
    pub(crate) fn before(&self) -> Counted {
        Counted { ios: self.ios_before.load(Relaxed), bytes: self.bytes_before.load(Relaxed) }
    }

    /// I/Os and bytes since the measurement began; another thread may ask.
    pub(crate) fn measured(&self) -> Counted {
        let (Counted { ios, bytes }, before) = (self.so_far(), self.before());
        Counted { ios: ios.saturating_sub(before.ios), bytes: bytes.saturating_sub(before.bytes) }
    }

    /// Sum of all submissions, where they are timed. Nanoseconds.
    pub(crate) fn submission_sum_ns(&self) -> u64 {
        self.split.as_ref().map_or(0, |split| split.submission.sum_ns())
    }

    /// Records the parts of latency, where they are timed, of so many I/Os that were submitted, accepted and seen to be complete at the same times. For
    /// the worker only. Nanoseconds.
    #[inline]
    pub(crate) fn record_parts(&self, submitted_ns: u64, accepted_ns: u64, now_ns: u64, times: u64) {
        if let Some(SplitLatency { submission, completion }) = &self.split {
            submission.record(accepted_ns.saturating_sub(submitted_ns), times);
            completion.record(now_ns.saturating_sub(accepted_ns), times);
        }
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
    /// The count after `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self { ios: self.ios - earlier.ios, bytes: self.bytes - earlier.bytes }
    }
}

/// The figures that a worker shows while it runs, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Live {
    pub(crate) read: LiveSide,
    pub(crate) write: LiveSide,
    pub(crate) trim: LiveSide,
    /// When something last completed. Nanoseconds of the job's clock.
    pub(crate) last_seen_ns: AtomicU64,
    /// Set when its measurement has begun: since the job began. Nanoseconds.
    pub(crate) begun_ns: OnceLock<u64>,
    /// Set when its measurement has ended.
    pub(crate) ended: OnceLock<Ended>,
}

/// The end of a worker's measurement. What it has under way then still counts for the whole job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// Since the job began. Nanoseconds.
    pub(crate) elapsed_ns: u64,
    /// Reads, writes and trims since the job began.
    pub(crate) counted: [Counted; 3],
}

impl Live {
    /// Of a worker that has counted nothing; with room for the parts of latency where they are timed, and for the parts of a span where they are counted.
    pub(crate) fn new(split: bool, places: Option<Span>) -> Self {
        let [read, write, trim] = [(); 3].map(|()| LiveSide::new(split, places));
        Self { read, write, trim, ..Self::default() }
    }

    /// Reads, writes and trims.
    pub(crate) fn sides(&self) -> [&LiveSide; 3] {
        [&self.read, &self.write, &self.trim]
    }

    /// Reads, writes and trims since the job began, until its measurement ended.
    pub(crate) fn counted(&self) -> [Counted; 3] {
        self.ended.get().map_or_else(|| self.sides().map(LiveSide::so_far), |ended| ended.counted)
    }

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
        let side = LiveSide::default();
        side.add(3, 3000);
        side.clear();
        side.add(2, 1024);
        assert_eq!((side.measured(), side.so_far()), (Counted { ios: 2, bytes: 1024 }, Counted { ios: 5, bytes: 4024 }));
    }

    #[test]
    fn latency_is_counted_by_the_part_of_the_span() {
        let side = LiveSide::new(false, Some(Span { offset_bytes: 1 << 20, length_bytes: 16 << 12 }));
        let places = side.places.as_ref().unwrap();
        [(0, 10), (4095, 30), (5 << 12, 7)].into_iter().for_each(|(at, ns)| places.record((1 << 20) + at, ns));
        let mut stripes = Stripes { ios: vec![0; 17], sum_ns: vec![0; 17] };
        (stripes.ios[16], stripes.sum_ns[16]) = (3, 47);
        let expected = Places { part_bytes: 4096, ios: vec![2, 0, 0, 0, 0, 1], sum_ns: vec![40, 0, 0, 0, 0, 7], stripes };
        assert_eq!(places.snapshot(), expected);
        side.clear();
        assert!(places.snapshot().ios.is_empty());
    }

    #[test]
    fn the_parts_of_latency_are_of_the_same_ios_and_make_up_the_whole() {
        let side = LiveSide::new(true, None);
        side.record_parts(100, 130, 200, 3);
        side.record_parts(100, 150, 400, 1);
        let Some(SplitLatency { submission, completion }) = &side.split else { panic!("it was asked for") };
        assert_eq!((submission.snapshot().count(), completion.snapshot().count()), (4, 4));
        assert_eq!((side.submission_sum_ns(), completion.sum_ns()), (3 * 30 + 50, 3 * 70 + 250));
        side.clear();
        assert_eq!((side.submission_sum_ns(), completion.snapshot().count()), (0, 0));
        LiveSide::new(false, None).record_parts(1, 2, 3, 4);
    }

    #[test]
    fn it_counts_as_a_plain_histogram_does() {
        let live = LiveHistogram::default();
        let mut plain = Histogram::default();
        for ns in [0, 1, 127, 128, 5_000, 123_456_789, u64::MAX >> 20] {
            live.record(ns, 2);
            plain.record(ns);
            plain.record(ns);
        }
        assert_eq!(live.snapshot(), plain);
        live.clear();
        assert_eq!(live.snapshot(), Histogram::default());
    }
}
