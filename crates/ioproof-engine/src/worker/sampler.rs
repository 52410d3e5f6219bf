//! The run over time: the watching thread's looks at the workers' counters become slices of the measurement, without touching the loop.

use crate::live::{Counted, Live};
use ioproof_core::histogram::Histogram;
use ioproof_core::job::JobSpec;
use ioproof_core::record::{BEYOND, Interval, SliceLatency, Spread};
use std::time::Duration;

/// Period between two looks of the watching thread.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Turns looks into slices of the measurement.
pub(crate) struct Sampler {
    /// Counts from the begin of the job on, be it a ramp, and not from when the workers begin to measure.
    of_all: bool,
    /// When the measurement began, since the job did. Nanoseconds.
    begun_ns: u64,
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
#[derive(Default)]
struct Counters {
    ios: u64,
    bytes: u64,
    /// Empty where nothing was counted.
    bins: Vec<u64>,
    sum_ns: u64,
    submission_sum_ns: u64,
}

/// Period between two looks of the watching thread while such a job runs.
pub(crate) fn tick(spec: &JobSpec) -> Duration {
    TICK.min(Duration::from_nanos(spec.recording.slice_ns.max(1_000_000)))
}

impl Sampler {
    /// Of all that a job does, its ramp included.
    pub(crate) fn of_job() -> Self {
        Self { of_all: true, begun_ns: 0, last: None, intervals: Vec::new() }
    }

    /// Of what comes after the ramp, or of all where there is none.
    pub(crate) fn of_measurement(spec: &JobSpec) -> Self {
        Self { of_all: spec.ramp_ns == 0, ..Self::of_job() }
    }

    /// Takes one look, if the last slice is over or `at_end`. Nothing is told before all workers measure.
    pub(crate) fn sample(&mut self, spec: &JobSpec, elapsed_ns: u64, live: &[Live], at_end: bool) {
        if self.last.is_none() {
            let begun = if self.of_all { Some(0) } else { begun_ns(live, at_end) };
            self.begun_ns = begun.unwrap_or(0);
            self.last = begun.map(|elapsed_ns| Look { elapsed_ns, ..Look::at_begin(live, self.of_all) });
        }
        let Some(last) = &self.last else { return };
        let half_a_tick_ns = tick(spec).as_nanos() as u64 / 2;
        if !at_end && elapsed_ns + half_a_tick_ns < last.elapsed_ns + spec.recording.slice_ns {
            return;
        }
        let now = Look::at(elapsed_ns, live, self.of_all);
        if now.elapsed_ns > last.elapsed_ns {
            self.intervals.push(now.since(last, self.begun_ns));
        }
        self.last = Some(now);
    }
}

/// When the first of the workers began to measure; `None` before all have that had not ended by then, but for the last look.
fn begun_ns(live: &[Live], at_end: bool) -> Option<u64> {
    let is_ready = at_end || live.iter().all(|worker| worker.begun_ns.get().is_some() || worker.ended.get().is_some());
    live.iter().filter_map(|worker| worker.begun_ns.get().copied()).min().filter(|_| is_ready)
}

impl Look {
    /// The counters when the measurement began.
    fn at_begin(live: &[Live], of_all: bool) -> Self {
        let [read, write, trim] = [0, 1, 2].map(|side| if of_all { Counters::default() } else { Counters::before(live, side) });
        Self { elapsed_ns: 0, read, write, trim }
    }

    /// The counters now, or when the last of the workers ended its measurement.
    fn at(elapsed_ns: u64, live: &[Live], of_all: bool) -> Self {
        let ends: Option<Vec<u64>> = live.iter().map(|worker| worker.ended.get().map(|ended| ended.elapsed_ns)).collect();
        let elapsed_ns = ends.and_then(|ends| ends.into_iter().max()).map_or(elapsed_ns, |end_ns| end_ns.min(elapsed_ns));
        let [read, write, trim] = [0, 1, 2].map(|side| Counters::of(live, side, of_all));
        Self { elapsed_ns, read, write, trim }
    }

    fn since(&self, last: &Look, begun_ns: u64) -> Interval {
        Interval {
            end_ns: self.elapsed_ns - begun_ns,
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

/// The workers that measure, or all.
fn counting(live: &[Live], of_all: bool) -> impl Iterator<Item = &Live> {
    live.iter().filter(move |worker| of_all || worker.begun_ns.get().is_some())
}

impl Counters {
    /// Of reads, writes or trims, by their position, when the measurement began. Latencies are of the measurement alone.
    fn before(live: &[Live], at: usize) -> Self {
        let sum = |of: fn(&Counted) -> u64| counting(live, false).map(|worker| of(&worker.sides()[at].before())).sum();
        Self { ios: sum(|counted| counted.ios), bytes: sum(|counted| counted.bytes), ..Self::default() }
    }

    /// Of reads, writes or trims, by their position.
    fn of(live: &[Live], at: usize, of_all: bool) -> Self {
        // A direction that is not used has no bins: hundreds of jobs are watched side by side, and most have one direction.
        let used = live.iter().any(|worker| worker.sides()[at].so_far().ios > 0);
        let mut counters = Self::default();
        for worker in counting(live, of_all) {
            let (side, Counted { ios, bytes }) = (worker.sides()[at], worker.counted()[at]);
            counters.ios += ios;
            counters.bytes += bytes;
            counters.sum_ns += side.latency.sum_ns();
            counters.submission_sum_ns += side.submission_sum_ns();
            if used {
                side.latency.add_to(&mut counters.bins);
            }
        }
        counters
    }

    /// `None` where nothing was timed. A worker that forgets its ramp between two looks makes the first slice smaller, never wrong by more than that.
    fn latency_since(&self, last: &Counters) -> Option<SliceLatency> {
        let counted = counted_since(&self.bins, &last.bins);
        let sum_ns = self.sum_ns.saturating_sub(last.sum_ns);
        let slice = Histogram::from_counted(counted.iter().copied(), sum_ns.into(), 0, u64::MAX);
        let told = |q: f64| slice.quantile_ns(q).filter(|_| slice.samples_beyond(q) >= BEYOND);
        (slice.count() > 0).then(|| SliceLatency {
            mean_ns: slice.mean_ns().unwrap_or(0.0) as u64,
            submission_mean_ns: (self.submission_sum_ns > 0)
                .then(|| self.submission_sum_ns.saturating_sub(last.submission_sum_ns) / slice.count()),
            max_ns: slice.quantile_ns(1.0),
            p50_ns: told(0.5),
            p99_ns: told(0.99),
            p999_ns: told(0.999),
            spread: Spread::of_counted(counted.into_iter()),
        })
    }
}

/// Bins that are compared at once: in a slice few change.
const CHUNK: usize = 64;

/// The bins that have counted since an earlier look, which may have none of them, each by its number.
fn counted_since(now: &[u64], before: &[u64]) -> Vec<(usize, u64)> {
    let mut counted = Vec::new();
    for (at, now) in now.chunks(CHUNK).enumerate() {
        let from = at * CHUNK;
        let before = before.get(from..from + now.len()).unwrap_or(&[0; CHUNK][..now.len()]);
        if now != before {
            let counts = now.iter().zip(before).map(|(now, before)| now.saturating_sub(*before));
            counted.extend((from..).zip(counts).filter(|(_, count)| *count > 0));
        }
    }
    counted
}
