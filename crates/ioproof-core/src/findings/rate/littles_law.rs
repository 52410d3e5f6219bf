//! IOPS x mean latency must be the number of I/Os outstanding. Where it is not, time was lost outside of the measured latency or the depth was not kept,
//! and latency and throughput of the run do not belong together. What was under way at the edges of the measurement is accounted for, so short rounds do not
//! break the law by themselves.

use crate::findings::host::busy_host;
use crate::findings::prelude::*;

rule! {
    name: "littles-law",
    about: "IOPS x mean latency differs from the I/O outstanding",
    check: Check::Run(check),
}

/// I/Os for each place of the queue below which a round is mostly its own beginning and end.
const FEW: u32 = 100;
/// Share of the queue that may stay empty in such a round.
const EMPTY: f64 = 0.3;

fn check(context: &Context) -> Vec<Finding> {
    let most = context.record.policy.little_tolerance;
    // A worker that others keep from its CPU loses time between I/Os, which busy-host says already.
    context.measured.iter().filter(|m| !busy_host::is_found(m)).filter_map(|m| of_workload(m, most)).collect()
}

fn of_workload(measured: &Measured, most: f64) -> Option<Finding> {
    // A pace leaves the queue empty on purpose, without timing nothing is known, and where no I/O is done none is outstanding between two calls.
    // The time between calls on files (closing one that was made) is the caller's.
    if measured.is_without_io()
        || measured.calls().is_some()
        || measured.workload().shape.is_held_back()
        || measured.rounds.iter().any(|r| r.latency().count() == 0)
    {
        return None;
    }
    let outstanding = measured.outstanding()?;
    let few = u64::from(FEW) * u64::from(outstanding);
    let is_short = measured.rounds.iter().any(|r| r.latency().count() < few);
    let outstanding = f64::from(outstanding);
    let kept = measured.median_of(|r| r.outstanding())?;
    let off = (kept - outstanding) / outstanding;
    if off.abs() <= most || is_short && off > -EMPTY {
        return None;
    }
    let title = format!("IOPS x mean latency is {kept:.2}, {outstanding} were to be outstanding ({} off)", percent(off));
    let figures = vec![
        Evidence::number("IOPS", measured.median_of(|r| r.iops())?, Unit::IosPerSecond),
        Evidence::number("mean latency", measured.median_counted(|r| r.latency().mean_ns())?, Unit::Nanoseconds),
        Evidence::number("outstanding on average", kept, Unit::Average),
        Evidence::number("difference", off, Unit::Share).against(most),
        Evidence::text("to be outstanding", measured.workload().concurrency()),
    ];
    let remedy = "the host spends time outside of the I/O, or cannot keep the queue full: look at its CPU";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: longer(), silent: record() }

    /// The usual run in rounds that last a tenth longer.
    fn longer() -> RunRecord {
        record().with(|record| record.rounds_mut().for_each(|round| round.elapsed_ns = round.elapsed_ns * 11 / 10))
    }

    #[test]
    fn fires_beyond_the_tolerance() {
        assert_eq!(RULE.found(&fires()).len(), fires().jobs.len());
    }

    #[test]
    fn silent_where_the_queue_is_not_meant_to_be_full_or_nothing_was_timed() {
        let pace = Pace::Fixed { ios_per_s: 1000 };
        let paced = fires().with(|record| record.jobs.iter_mut().for_each(|job| job.workload.shape.pace = pace));
        let mut untimed = record();
        for round in untimed.rounds_mut() {
            (round.read.latency, round.write.latency, round.durable) = Default::default();
        }
        RULE.silent_on([paced, untimed]);
    }

    #[test]
    fn the_depth_that_was_found_is_held_against_the_law() {
        let searched = |depths: &[u32], is_settled| {
            let mut record = record();
            let job = record.jobs.iter().position(|job| job.workload.outstanding() == 128).unwrap();
            record.jobs[job].workload = Workload { workers: 2, depth: 90, ..record.jobs[job].workload.clone() };
            for round in record.rounds_mut().filter(|round| round.job == job as u32) {
                round.depth_found = Some(DepthFound { depths: depths.to_vec(), is_settled, ..DepthFound::default() });
            }
            RULE.found(&record).len()
        };
        assert_eq!((searched(&[90, 38], true), searched(&[90, 90], true)), (0, 1));
        assert_eq!(searched(&[90, 90], false), 0, "figures of several depths");
    }

    #[test]
    fn a_durable_mix_counts_its_reads_too() {
        let mut record = record();
        let wanted = f64::from(record.jobs[0].workload.outstanding());
        let round = &mut record.stages[0].rounds[0];
        round.durable = Some(round.write.latency.clone());
        assert!((round.outstanding() - wanted).abs() < 0.05 * wanted);
    }
}
