//! Random I/O takes much longer in each so-manieth stripe of the target: one channel of a drive, or one member of a stripe set, is slow.

use super::slow_places::{RUNS, TIMES_IN_A_RUN, above_step, least_times, means};
use crate::findings::prelude::*;
use crate::places::{STRIPE_SHIFT, STRIPES, Stripes, means_ns};

rule! {
    name: "slow-channel",
    about: "random I/O takes much longer in each so-manieth stripe of the target",
    check: Check::EachCounted(|_, measured| of_job(measured)),
    limit: RuleLimit::on_the_way(LimitRank::Drive, |_, measured| describe(measured)),
}

/// Fewest I/Os of each stripe, over all runs.
const FEWEST: u64 = 20;

/// Stripes that are slower than the others, and their pattern.
pub(super) struct SlowChannel {
    is_slow: Vec<bool>,
    /// Stripes after which the pattern comes again, and how many of them are slow.
    period: usize,
    slow: usize,
    /// Mean latencies. Nanoseconds.
    pub(super) slow_ns: f64,
    other_ns: f64,
    /// Share of the time that all I/Os took together.
    time: f64,
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let found = found(measured)?;
    let times = found.slow_ns / found.other_ns;
    let title = format!(
        "in {} an I/O takes {} times as long as elsewhere, {} against {}, and {} of the time of all",
        found.pattern(),
        three_digits(times),
        latency(found.slow_ns),
        latency(found.other_ns),
        percent(found.time)
    );
    let figures = vec![
        Evidence::number("mean latency there", found.slow_ns, Unit::Nanoseconds),
        Evidence::number("elsewhere", found.other_ns, Unit::Nanoseconds),
        Evidence::number("ratio", times, Unit::Average).against(least_times(measured)),
        Evidence::number("share of the time that all I/Os took", found.time, Unit::Share),
    ];
    let remedy =
        "look for a slow member of a stripe set (ioproof identify); inside a drive it is a channel or a die, and no setting mends it";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

fn describe(measured: &Measured) -> String {
    found(measured)
        .map_or_else(String::new, |found| format!("a slow channel: {} take {} of the time", found.pattern(), percent(found.time)))
}

/// The slow stripes of a job, where they come again and again and are slow in most runs.
pub(super) fn found(measured: &Measured) -> Option<SlowChannel> {
    let all = merged(measured.rounds.iter())?;
    let is_slow = slow_stripes(&all)?;
    let period = period(&is_slow)?;
    let (slow_ns, other_ns) = means(&all.ios, &all.sum_ns, &is_slow)?;
    let ratio = |part: &Part| {
        let own = merged(std::iter::once(part))?;
        means(&own.ios, &own.sum_ns, &is_slow).map(|(slow, other)| slow / other)
    };
    let slower = measured.rounds.iter().filter_map(ratio).filter(|times| *times >= TIMES_IN_A_RUN).count();
    if slow_ns < least_times(measured) * other_ns || (slower as f64) < RUNS * measured.rounds.len() as f64 {
        return None;
    }
    let slow_sum = all.sum_ns.iter().zip(&is_slow).filter(|(_, slow)| **slow).map(|(sum, _)| *sum as f64).sum::<f64>();
    let time = slow_sum / all.sum_ns.iter().map(|sum| *sum as f64).sum::<f64>();
    let slow = is_slow[..period].iter().filter(|slow| **slow).count();
    Some(SlowChannel { is_slow, period, slow, slow_ns, other_ns, time })
}

impl SlowChannel {
    /// `128 KiB of each 1 MiB (from 896 KiB on)`.
    fn pattern(&self) -> String {
        let size = |stripes: usize| binary_size((stripes as u64) << STRIPE_SHIFT);
        let first = self.is_slow[..self.period].iter().position(|slow| *slow).unwrap_or(0);
        let is_one = self.is_slow[first..self.period].iter().take(self.slow).all(|slow| *slow);
        let from = if is_one { format!(" (from {} on)", size(first)) } else { String::new() };
        format!("{} of each {}{from}", size(self.slow), size(self.period))
    }
}

/// Reads and writes of these runs together. None where nothing was counted, or where parts of the span are so small that a slow one looks like a stripe.
fn merged<'a>(parts: impl Iterator<Item = &'a Part<'a>>) -> Option<Stripes> {
    let mut all = Stripes::default();
    let directions = parts.flat_map(|part| [&part.round.read, &part.round.write]);
    let places = directions.filter_map(|direction| direction.places.as_ref());
    for places in places.filter(|places| places.part_bytes >= (STRIPES as u64) << STRIPE_SHIFT) {
        all.add(&places.stripes);
    }
    (all.ios.len() == STRIPES && all.sum_ns.len() == STRIPES).then_some(all)
}

/// The stripes above the largest step between two that follow each other by their latency: at most half of them.
fn slow_stripes(all: &Stripes) -> Option<Vec<bool>> {
    if all.ios.iter().any(|ios| *ios < FEWEST) {
        return None;
    }
    let means: Vec<f64> = means_ns(&all.ios, &all.sum_ns).flatten().collect();
    let least = above_step(means.iter().copied())?;
    let is_slow: Vec<bool> = means.iter().map(|mean| *mean >= least).collect();
    (2 * is_slow.iter().filter(|slow| **slow).count() <= STRIPES).then_some(is_slow)
}

/// Stripes after which the pattern comes again; none where it does not within half of them, as where a few are slow by chance.
fn period(is_slow: &[bool]) -> Option<usize> {
    let repeats = |period: &usize| is_slow.iter().zip(&is_slow[*period..]).all(|(one, next)| one == next);
    [2, 4, 8, 16, 32].into_iter().find(repeats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Places;

    records! {
        fires: with_stripes(|stripe| if stripe % 16 >= 14 { 1_000_000 } else { 100_000 }),
        silent: with_stripes(|stripe| if stripe % 16 >= 14 { 150_000 } else { 100_000 }),
    }

    /// Stripes with 100 I/Os each in every run, and their latency by number in nanoseconds.
    fn with_stripes(latency_ns: fn(u64) -> u64) -> RunRecord {
        let mut record = record();
        for round in record.rounds_mut() {
            let sum_ns = (0..STRIPES as u64).map(|stripe| 100 * latency_ns(stripe)).collect();
            let stripes = Stripes { ios: vec![100; STRIPES], sum_ns };
            round.read.places = Some(Places { part_bytes: 1 << 30, stripes, ..Places::default() });
        }
        record
    }

    #[test]
    fn the_pattern_is_named() {
        let said = RULE.distinct_titles(&fires());
        assert!(said[0].starts_with("in 128 KiB of each 1 MiB (from 896 KiB on) an I/O takes 10 times as long"), "{said:?}");
        let apart = RULE.distinct_titles(&with_stripes(|stripe| if stripe % 8 == 1 || stripe % 8 == 4 { 900 } else { 90 }));
        assert!(apart[0].starts_with("in 128 KiB of each 512 KiB an I/O takes"), "{apart:?}");
    }

    #[test]
    fn stripes_without_a_pattern_and_parts_that_are_too_small_are_no_channel() {
        let small = |record: &mut RunRecord| {
            record.rounds_mut().filter_map(|round| round.read.places.as_mut()).for_each(|places| places.part_bytes = 1 << 20);
        };
        RULE.silent_on([with_stripes(|stripe| if stripe == 5 || stripe == 40 { 900 } else { 90 }), fires().with(small)]);
    }
}
