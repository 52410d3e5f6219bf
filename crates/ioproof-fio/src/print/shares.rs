//! Use of the queue and spread of latencies, in fio's classes and as shares of all in percent.

use super::bins;
use crate::results::JobResult;
use ioproof_core::histogram::Histogram;

pub(super) const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
pub(super) const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
/// Upper ends, not themselves included, of the classes of latencies below a thousand of their unit.
pub(super) const LATENCIES: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

pub(super) fn depths(job: &JobResult) -> [f64; 7] {
    let mut classes = [0u64; 7];
    for (power, n) in job.queue.depths.iter().enumerate() {
        add(&mut classes, power.min(6), *n);
    }
    // I/Os that failed were outstanding too; those of the ramp were as well, and fio shows more than all.
    let all = classes.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)).min(ios(job).saturating_add(job.errors_total));
    shares(classes, all.max(ios(job)), 0.1)
}

pub(super) fn submitted(job: &JobResult) -> [f64; 7] {
    batches(&job.queue.submitted, if job.batch > 0 { job.batch.min(job.depth) } else { job.depth })
}

pub(super) fn completed(job: &JobResult) -> [f64; 7] {
    batches(&job.queue.reaped, job.depth)
}

/// fio's classes end with a power of two, ours begin with one: of 4 to 7 only the 4 belong to the lower class. All are counted in the higher,
/// except where there can be no more than 4 (8, 16, ...), because that is the queue depth, or what is handed over in one call.
fn batches(powers: &[u64], most: u32) -> [f64; 7] {
    let mut classes = [0u64; 7];
    for (power, n) in powers.iter().enumerate() {
        let only_the_lowest = 1u32.checked_shl(power as u32) == Some(most);
        let class = power.saturating_sub(usize::from(only_the_lowest));
        add(&mut classes, class.clamp(1, 6), *n);
    }
    let total = classes.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
    shares(classes, total, 0.1)
}

fn add(classes: &mut [u64; 7], class: usize, n: u64) {
    classes[class] = classes[class].saturating_add(n);
}

/// Shares of latencies: below a microsecond, below a millisecond, and longer ones; the last class of all is 2 s and more.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LatencyShares {
    pub ns: [f64; 10],
    pub us: [f64; 10],
    pub ms: [f64; 12],
}

pub(super) fn spread(job: &JobResult) -> LatencyShares {
    let mut counts = ([0u64; 10], [0u64; 10], [0u64; 12]);
    for side in [&job.read, &job.write, &job.trim] {
        if job.reported.clat {
            classify(side.io.completion.as_ref().unwrap_or(&side.io.latency), &mut counts);
        }
    }
    let all = ios(job);
    LatencyShares { ns: shares(counts.0, all, 0.01), us: shares(counts.1, all, 0.01), ms: shares(counts.2, all, 0.01) }
}

fn classify(histogram: &Histogram, counts: &mut ([u64; 10], [u64; 10], [u64; 12])) {
    for (lowest, width, n) in bins::counted(histogram) {
        let ns = lowest + width / 2;
        let count = |classes: &mut [u64], value: u64| {
            let class = LATENCIES.iter().position(|end| value < *end).unwrap_or(if value < 2000 { 10 } else { 11 });
            if let Some(class) = classes.get_mut(class) {
                *class = class.saturating_add(n);
            }
        };
        match ns {
            0..1_000 => count(&mut counts.0, ns),
            1_000..1_000_000 => count(&mut counts.1, ns / 1_000),
            _ => count(&mut counts.2, ns / 1_000_000),
        }
    }
}

fn ios(job: &JobResult) -> u64 {
    [&job.read, &job.write, &job.trim].iter().fold(0, |sum: u64, side| sum.saturating_add(side.io.ios))
}

/// In percent. What is there but less than `least` is shown as that, as fio does, so that it is seen.
fn shares<const N: usize>(counts: [u64; N], all: u64, least: f64) -> [f64; N] {
    counts.map(|n| if n == 0 || all == 0 { 0.0 } else { (n as f64 * 100.0 / all as f64).max(least) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(latencies: &[u64]) -> JobResult {
        let mut job = JobResult::default();
        latencies.iter().for_each(|ns| job.read.io.latency.record(*ns));
        job.read.io.ios = latencies.len() as u64;
        job
    }

    #[test]
    fn latencies_are_classed_by_upper_ends() {
        let spread = spread(&job(&[1, 5, 1_000, 99_000, 101_000, 100_300_000, 1_010_000_000, 250_000_000_000, 1_999, 2_010]));
        assert_eq!(spread.ns, [10.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(spread.us, [20.0, 10.0, 0.0, 0.0, 0.0, 10.0, 10.0, 0.0, 0.0, 0.0]);
        assert_eq!(spread.ms, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 10.0, 10.0]);
    }

    #[test]
    fn what_is_there_is_seen() {
        let mut job = job(&[]);
        job.read.io.ios = 1_000_000;
        job.queue.depths = vec![1, 999_999];
        assert_eq!(depths(&job), [0.1, 99.9999, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn failed_ios_were_outstanding_too() {
        let mut job = job(&[1000]);
        (job.queue.depths, job.errors_total) = (vec![4], 3);
        assert_eq!(depths(&job)[0], 100.0);
    }

    #[test]
    fn batches_of_up_to_three_are_in_the_first_class() {
        let mut job = job(&[]);
        job.queue.submitted = vec![3, 1, 0, 0, 0, 0, 0, 2, 2];
        assert_eq!(submitted(&job), [0.0, 50.0, 0.0, 0.0, 0.0, 0.0, 50.0]);
        job.queue.submitted = vec![0, 0, 1, 0, 1];
        job.depth = 16;
        assert_eq!(submitted(&job), [0.0, 0.0, 50.0, 50.0, 0.0, 0.0, 0.0], "4 to 7, and 16 where no more is possible");
        (job.queue.submitted, job.batch) = (vec![0, 0, 1], 4);
        assert_eq!(submitted(&job), [0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0], "4 in one call");
    }
}
