//! The run over time: the watching thread's looks at the workers' counters become slices of the measurement, without touching the loop.

use crate::live::{Counted, Live};
use ioproof_core::histogram::{BINS, Histogram};
use ioproof_core::job::JobSpec;
use ioproof_core::record::{BEYOND, Interval, SliceLatency, Spread};
use std::sync::atomic::Ordering::Acquire;
use std::time::Duration;

/// Period between two looks of the watching thread.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Turns looks into slices of the measurement.
pub(crate) struct Sampler {
    /// Time before the measurement. Nanoseconds.
    ramp_ns: u64,
    last: Option<Look>,
    pub(crate) intervals: Vec<Interval>,
}

/// The counters of all workers at one moment.
struct Look {
    elapsed_ns: u64,
    read: Counters,
    write: Counters,
    trim: Counters,
}

/// One direction of all workers.
struct Counters {
    ios: u64,
    bytes: u64,
    bins: Box<[u64]>,
    sum_ns: u64,
    submission_sum_ns: u64,
}

/// Period between two looks of the watching thread while such a job runs.
pub(crate) fn tick(spec: &JobSpec) -> Duration {
    TICK.min(Duration::from_nanos(spec.recording.slice_ns.max(1_000_000)))
}

impl Sampler {
    /// Of a measurement that begins so long after the job.
    pub(crate) fn new(ramp_ns: u64) -> Self {
        Self { ramp_ns, last: None, intervals: Vec::new() }
    }

    /// Takes one look, if the last slice is over or `at_end`.
    pub(crate) fn sample(&mut self, spec: &JobSpec, elapsed_ns: u64, live: &[Live], at_end: bool) {
        let is_measured = |look: &Look| look.elapsed_ns >= self.ramp_ns;
        if elapsed_ns >= self.ramp_ns && !self.last.as_ref().is_some_and(is_measured) {
            self.last = Look::at_begin(self.ramp_ns, live).or(self.last.take());
        }
        let half_a_tick_ns = tick(spec).as_nanos() as u64 / 2;
        let is_due =
            |last: &Look| elapsed_ns + half_a_tick_ns >= last.elapsed_ns + spec.recording.slice_ns || last.elapsed_ns < self.ramp_ns;
        if !at_end && !self.last.as_ref().is_none_or(is_due) {
            return;
        }
        let now = Look::at(elapsed_ns, live);
        if let Some(last) = self.last.as_ref().filter(|look| is_measured(look))
            && now.elapsed_ns > last.elapsed_ns
        {
            self.intervals.push(now.since(last, self.ramp_ns));
        }
        self.last = Some(now);
    }
}

impl Look {
    /// The counters when the measurement began, so long after the job; `None` where one of the workers is still in its ramp.
    fn at_begin(ramp_ns: u64, live: &[Live]) -> Option<Self> {
        let has_begun = ramp_ns == 0 || live.iter().all(|worker| worker.has_begun.load(Acquire));
        let [read, write, trim] = [0, 1, 2].map(|side| Counters::before(live, side, ramp_ns == 0));
        has_begun.then_some(Self { elapsed_ns: ramp_ns, read, write, trim })
    }

    /// The counters now, or when the last of the workers ended its measurement.
    fn at(elapsed_ns: u64, live: &[Live]) -> Self {
        let ends: Option<Vec<u64>> = live.iter().map(|worker| worker.ended.get().map(|ended| ended.elapsed_ns)).collect();
        let elapsed_ns = ends.and_then(|ends| ends.into_iter().max()).map_or(elapsed_ns, |end_ns| end_ns.min(elapsed_ns));
        let [read, write, trim] = [0, 1, 2].map(|side| Counters::of(live, side));
        Self { elapsed_ns, read, write, trim }
    }

    fn since(&self, last: &Look, ramp_ns: u64) -> Interval {
        Interval {
            end_ns: self.elapsed_ns - ramp_ns,
            length_ns: self.elapsed_ns - last.elapsed_ns,
            read_ios: self.read.ios - last.read.ios,
            write_ios: self.write.ios - last.write.ios,
            read_bytes: self.read.bytes - last.read.bytes,
            write_bytes: self.write.bytes - last.write.bytes,
            trim_ios: self.trim.ios - last.trim.ios,
            trim_bytes: self.trim.bytes - last.trim.bytes,
            read_latency: self.read.latency_since(&last.read),
            write_latency: self.write.latency_since(&last.write),
            trim_latency: self.trim.latency_since(&last.trim),
        }
    }
}

impl Counters {
    /// Of reads, writes or trims, by their position, when the measurement began, or nothing at all. Latencies are of the measurement alone.
    fn before(live: &[Live], at: usize, is_nothing: bool) -> Self {
        let sum = |of: fn(&Counted) -> u64| live.iter().map(|worker| of(&worker.sides()[at].before())).sum::<u64>();
        let (ios, bytes) = if is_nothing { (0, 0) } else { (sum(|counted| counted.ios), sum(|counted| counted.bytes)) };
        Self { ios, bytes, bins: Box::default(), sum_ns: 0, submission_sum_ns: 0 }
    }

    /// Of reads, writes or trims, by their position.
    fn of(live: &[Live], at: usize) -> Self {
        // A direction that is not used has no bins: hundreds of jobs are watched side by side, and most have one direction.
        let used = live.iter().any(|worker| worker.sides()[at].so_far().ios > 0);
        let mut counters = Self { ios: 0, bytes: 0, bins: vec![0; if used { BINS } else { 0 }].into(), sum_ns: 0, submission_sum_ns: 0 };
        for worker in live {
            let (side, Counted { ios, bytes }) = (worker.sides()[at], worker.counted()[at]);
            counters.ios += ios;
            counters.bytes += bytes;
            counters.sum_ns += side.latency.sum_ns();
            counters.submission_sum_ns += side.submission_sum_ns();
            side.latency.add_to(&mut counters.bins);
        }
        counters
    }

    /// `None` where nothing was timed. A worker that forgets its ramp between two looks makes the first slice smaller, never wrong by more than that.
    fn latency_since(&self, last: &Counters) -> Option<SliceLatency> {
        let counts =
            || self.bins.iter().zip(last.bins.iter().chain(std::iter::repeat(&0))).map(|(now, before)| now.saturating_sub(*before));
        let sum_ns = self.sum_ns.saturating_sub(last.sum_ns);
        let slice = Histogram::from_bins(counts(), sum_ns.into(), 0, u64::MAX);
        let told = |q: f64| slice.quantile_ns(q).filter(|_| slice.samples_beyond(q) >= BEYOND);
        (slice.count() > 0).then(|| SliceLatency {
            mean_ns: slice.mean_ns().unwrap_or(0.0) as u64,
            submission_mean_ns: (self.submission_sum_ns > 0)
                .then(|| self.submission_sum_ns.saturating_sub(last.submission_sum_ns) / slice.count()),
            max_ns: slice.quantile_ns(1.0),
            p50_ns: told(0.5),
            p99_ns: told(0.99),
            p999_ns: told(0.999),
            spread: Spread::of_bins(counts()),
        })
    }
}
