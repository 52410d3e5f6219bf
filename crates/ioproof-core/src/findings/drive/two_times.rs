//! Two kinds of service time: a share of the I/Os takes many times as long as the others, with hardly any between. A mean is of neither kind.

use super::{slow_channel, slow_places};
use crate::findings::host::busy_host;
use crate::findings::prelude::*;

rule! {
    name: "two-times",
    about: "a share of the I/Os takes many times as long as the others, with few between",
    check: Check::EachCounted(|_, measured| of_job(measured)),
    limit: RuleLimit::on_the_way(LimitRank::Drive, |_, measured| describe(measured)),
}

/// Least share of the I/Os that either kind has; fewer slow ones are a tail.
const SHARE: f64 = 0.05;
/// Largest share of the I/Os that the slow kind has. Behind a limit most I/Os wait, and those after a lull do not: that is one drive and its queue.
const MOST: f64 = 0.6;
/// Least share of the time that the slow kind takes.
const MUCH: f64 = 1.0 / 3.0;
/// Least ratio of the medians of both kinds.
const TIMES: f64 = 4.0;
/// Least ratio of what nine tenths of the slow kind exceed to what nine tenths of the fast kind stay below.
const GAP: f64 = 2.0;
/// Share of the runs in which the share of the slow kind must be near that of all runs.
const RUNS: f64 = 0.7;
/// Shortest time of the slow kind beside others on the CPUs: a thread that waits for one waits for less. Nanoseconds.
const NOT_A_CPU_NS: f64 = 10_000_000.0;
/// Fewest I/Os of either kind.
const FEWEST: u64 = 50;

/// Both kinds of one direction.
#[derive(Debug, Clone, Copy)]
struct Kinds {
    of: &'static str,
    /// Medians. Nanoseconds.
    fast_ns: f64,
    slow_ns: f64,
    /// Shortest time of the slow kind. Nanoseconds.
    least_ns: u64,
    /// Shares of the slow kind: of the I/Os, and of the time of all.
    share: f64,
    time: f64,
    gap: f64,
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let kinds = kinds(measured)?;
    let Kinds { of, fast_ns, slow_ns, share, time, .. } = kinds;
    let title = format!(
        "{} of the {of} take {}, the others {}, with few between: the mean is of neither, and the slow ones take {} of the time",
        percent(share),
        latency(slow_ns),
        latency(fast_ns),
        percent(time)
    );
    let figures = vec![
        Evidence::number("median of the slow kind", slow_ns, Unit::Nanoseconds),
        Evidence::number("median of the fast kind", fast_ns, Unit::Nanoseconds),
        Evidence::number("share of the slow kind", share, Unit::Share).against(SHARE),
        Evidence::number("ratio of the medians", slow_ns / fast_ns, Unit::Average).against(TIMES),
        Evidence::number("ratio across the gap", kinds.gap, Unit::Average).against(GAP),
        Evidence::number("share of the time that the slow kind takes", time, Unit::Share).against(MUCH),
    ];
    let remedy = "look at p50 and p99 rather than at the mean, and for a cache or a faster tier that answers a part";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

fn describe(measured: &Measured) -> String {
    kinds(measured).map_or_else(String::new, |kinds| {
        let (share, slow, fast) = (percent(kinds.share), latency(kinds.slow_ns), latency(kinds.fast_ns));
        format!("two kinds of service: {share} of the {} take {slow}, the others {fast}", kinds.of)
    })
}

/// Median of the slow kind, where there are two. Nanoseconds.
pub(super) fn slow_ns(measured: &Measured) -> Option<f64> {
    kinds(measured).map(|kinds| kinds.slow_ns)
}

/// Both kinds of the direction in which they lie further apart. None where the place of an I/O tells its time, or its size may.
fn kinds(measured: &Measured) -> Option<Kinds> {
    let shape = &measured.workload().shape;
    let is_of_one_size = shape.read_sizes.is_empty() && shape.write_sizes.is_empty() && shape.read_range.or(shape.write_range).is_none();
    if !is_of_one_size || slow_places::slow_ns(measured).is_some() || slow_channel::found(measured).is_some() {
        return None;
    }
    let of_all = [of_direction(measured, "reads", |round| &round.read), of_direction(measured, "writes", |round| &round.write)];
    let is_no_cpu = |kinds: &Kinds| kinds.slow_ns >= NOT_A_CPU_NS || !busy_host::is_found(measured);
    of_all.into_iter().flatten().max_by(|a, b| a.gap.total_cmp(&b.gap)).filter(is_no_cpu)
}

fn of_direction(measured: &Measured, of: &'static str, direction: fn(&Round) -> &Direction) -> Option<Kinds> {
    let kinds = split(of, &measured.rounds.iter().map(|part| &direction(part.round).latency).collect())?;
    let share = |part: &Part| {
        let latency = &direction(part.round).latency;
        latency.at_least(kinds.least_ns).0 as f64 / latency.count().max(1) as f64
    };
    let near = measured.rounds.iter().map(share).filter(|share| (0.5..=1.5).contains(&(share / kinds.share))).count();
    (near as f64 >= RUNS * measured.rounds.len() as f64).then_some(kinds)
}

/// Both sides of the widest gap, where they are kinds of their own.
fn split(of: &'static str, all: &Histogram) -> Option<Kinds> {
    let bins: Vec<(f64, u64)> = all.counted().map(|(low, width, n)| ((low + width / 2) as f64, n)).collect();
    let ends: Vec<u64> = bins
        .iter()
        .scan(0_u64, |sum, (_, n)| {
            *sum = sum.saturating_add(*n);
            Some(*sum)
        })
        .collect();
    let count = *ends.last()?;
    // The time of the I/O of this rank, from 1.
    let at = |rank: u64| bins[ends.partition_point(|end| *end < rank.max(1)).min(bins.len() - 1)].0;
    let fewest = FEWEST.max((count as f64 * SHARE) as u64);
    let gap = |fast: u64| at(fast + (count - fast) / 10) / at(fast - fast / 10).max(1.0);
    let cuts = (0..bins.len().saturating_sub(1)).filter(|cut| ends[*cut] >= fewest && count - ends[*cut] > fewest);
    let (cut, gap) = cuts.map(|cut| (cut, gap(ends[cut]))).max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, gap)| *gap >= GAP)?;
    let fast = ends[cut];
    let least_ns = bins[cut + 1].0 as u64;
    let (fast_ns, slow_ns) = (at(fast / 2), at(fast + (count - fast) / 2));
    let (slow, time) = all.at_least(least_ns);
    let share = slow as f64 / count as f64;
    (slow_ns >= TIMES * fast_ns && time >= MUCH && share <= MOST).then_some(Kinds { of, fast_ns, slow_ns, least_ns, share, time, gap })
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: with_kinds(|_| 30, 19), silent: with_kinds(|_| 30, 5) }

    /// In a run of this number so many in a hundred reads take so many milliseconds, and the others 2 or a little more.
    fn with_kinds(percent: fn(u32) -> u64, slow_ms: u64) -> RunRecord {
        let mut record = record();
        for stage in &mut record.stages {
            let repetition = stage.repetition;
            for read in stage.rounds.iter_mut().map(|round| &mut round.read).filter(|read| read.ios > 0) {
                let slow = read.ios * percent(repetition) / 100;
                let counts = [(slow_ms * 1_000_000, slow), (2_000_000, read.ios / 2), (2_500_000, read.ios - read.ios / 2 - slow)];
                read.latency = histogram(&counts);
            }
        }
        record
    }

    #[test]
    fn both_times_and_the_share_are_said() {
        let said = RULE.distinct_titles(&fires());
        assert!(said[0].starts_with("30.0 % of the reads take 18.9 ms, the others 2 ms"), "{said:?}");
    }

    #[test]
    fn runs_that_are_slow_as_a_whole_a_tail_and_a_queue_that_runs_empty_at_times_are_no_kinds() {
        let mut empty_at_times = fires();
        for read in empty_at_times.reads_mut() {
            read.latency = histogram(&[(700_000, read.ios / 4), (6_700_000, read.ios - read.ios / 4)]);
        }
        RULE.silent_on([with_kinds(|run| if run % 2 == 0 { 0 } else { 49 }, 19), with_kinds(|_| 4, 190), empty_at_times]);
    }

    #[test]
    fn a_wait_for_a_cpu_is_no_kind_of_the_drive() {
        let record = with_kinds(|_| 30, 9);
        assert!(!RULE.distinct_titles(&record).is_empty());
        RULE.silent_on([record.with_host(cpu_load(0.99, 0, 4))]);
    }
}
