//! Limits over several runs of the engine, each of which begins with an I/O that none of them held back.
//!
//! A run of I/Os at a limit lasts until the limit allows the next one, so that many short ones together keep it, and so does the figure of each.

use crate::clock;
use ioproof_core::job::JobSpec;
use ioproof_core::shape::Pace;
use ioproof_core::workload::Workload;
use ioproof_engine::Outcome;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Waits until the limits of a load allow what comes after it, for `most_ns` nanoseconds at most or until it is stopped. What was waited counts as time of
/// its measurement, up to what they ask for its I/Os.
pub(crate) fn pay(spec: &JobSpec, outcome: &mut Outcome, most_ns: u64, stop: &AtomicBool) {
    let Outcome { read, write, trim, total_bytes, .. } = &*outcome;
    let measured = [(read.ios, read.bytes), (write.ios + trim.ios, write.bytes + trim.bytes)];
    // What the ramp did is known by its bytes alone.
    let ios = |bytes: u64| bytes / u64::from(spec.workload.block_bytes.max(1));
    let all = [(ios(total_bytes.0), total_bytes.0), (ios(total_bytes.1), total_bytes.1)];
    let of_measurement_ns = time_ns(&spec.workload, measured);
    // What the ramp left unused pays for nothing.
    let of_all_ns = time_ns(&spec.workload, all).saturating_sub(spec.ramp_ns);
    let owed_ns = of_all_ns.max(of_measurement_ns).saturating_sub(outcome.elapsed_ns).min(most_ns);
    let began = Instant::now();
    clock::wait(Duration::from_nanos(owed_ns), stop);
    let waited_ns = began.elapsed().as_nanos() as u64;
    outcome.elapsed_ns = outcome.elapsed_ns.max(of_measurement_ns.min(outcome.elapsed_ns.saturating_add(waited_ns)));
}

/// The least time that limits allow for I/Os and bytes of reads, and of writes and trims. Nanoseconds.
fn time_ns(workload: &Workload, [reads, writes]: [(u64, u64); 2]) -> u64 {
    let limits = &workload.shape.limits;
    let pace = if let Pace::Fixed { ios_per_s } = workload.shape.pace { Some(ios_per_s) } else { None };
    let asked = [
        (reads.0, limits.read_ios_per_s),
        (reads.1, limits.read_bytes_per_s),
        (writes.0, limits.write_ios_per_s),
        (writes.1, limits.write_bytes_per_s),
        (reads.0.saturating_add(writes.0), pace),
    ];
    let time_ns = |(amount, per_s): (u64, Option<u64>)| Some((u128::from(amount) * 1_000_000_000 / u128::from(per_s?.max(1))) as u64);
    asked.into_iter().filter_map(time_ns).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::shape::{Limits, Shape};
    use ioproof_core::workload::Pattern;

    #[test]
    fn the_slowest_limit_says_how_long_it_takes() {
        let plain = Workload::plain(Pattern::Random, 50, 4096, 1, 1);
        let limits = Limits { read_ios_per_s: Some(4), write_bytes_per_s: Some(4096), ..Limits::default() };
        let limited = Workload { shape: Shape { limits, ..Shape::PLAIN }, ..plain.clone() };
        let of = |reads: u64, writes: u64| time_ns(&limited, [reads, writes].map(|ios| (ios, ios * 4096)));
        assert_eq!([of(0, 0), of(1, 0), of(8, 1), of(8, 3)], [0, 250_000_000, 2_000_000_000, 3_000_000_000]);
        assert_eq!(time_ns(&plain, [(1000, 1000); 2]), 0);
        let paced = Workload { shape: Shape { pace: Pace::Fixed { ios_per_s: 10 }, ..Shape::PLAIN }, ..plain };
        assert_eq!(time_ns(&paced, [(5, 0), (5, 0)]), 1_000_000_000);
    }
}
