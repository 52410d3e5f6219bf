//! Throughput over time: the watching thread's looks at the workers' counters become slices of the measurement, without touching the loop.

use crate::run::{Snapshot, TICK};
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::Interval;

/// Turns snapshots into slices of the measurement.
#[derive(Default)]
pub(crate) struct Sampler {
    last: Option<Snapshot>,
    pub(crate) intervals: Vec<Interval>,
}

impl Sampler {
    /// Takes one look.
    pub(crate) fn sample(&mut self, spec: &JobSpec, now: Snapshot) {
        let measured = |s: &Snapshot| s.elapsed_ns >= spec.ramp_ns;
        let over = matches!(spec.until, Until::ElapsedNs(ns) if now.elapsed_ns > spec.ramp_ns + ns + TICK.as_nanos() as u64 / 2);
        if !over
            && let Some(last) = self.last.filter(measured)
            && now.elapsed_ns > last.elapsed_ns
        {
            let block = u64::from(spec.workload.block_bytes);
            let (read_bytes, write_bytes) = (now.read_bytes - last.read_bytes, now.written_bytes - last.written_bytes);
            self.intervals.push(Interval {
                end_ns: now.elapsed_ns - spec.ramp_ns,
                length_ns: now.elapsed_ns - last.elapsed_ns,
                read_ios: read_bytes / block,
                write_ios: write_bytes / block,
                read_bytes,
                write_bytes,
            });
        }
        self.last = Some(now);
    }
}
