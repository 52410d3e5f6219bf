//! Random I/O takes much longer in one part of the span than in another: a cache or another medium holds a part, a link or a channel is slow, or a spot is bad.

use crate::findings::host::busy_host;
use crate::findings::prelude::*;
use crate::places::Places;

rule! {
    name: "slow-places",
    about: "random I/O takes much longer in one part of the span than in another",
    check: Check::EachCounted(|_, measured| of_job(measured)),
}

/// Least ratio of the mean latency of the slow parts to that of the others, over all runs.
const TIMES: f64 = 2.0;
/// The same beside others on the CPUs: waiting for one adds the same to all parts, so that the true ratio is larger than the measured one.
const TIMES_CROWDED: f64 = 1.6;
/// The same in a single run.
pub(super) const TIMES_IN_A_RUN: f64 = 1.5;
/// Least step from one part to the next slower one.
const STEP: f64 = 1.4;
/// Share of the runs in which the slow parts must be slower.
pub(super) const RUNS: f64 = 0.7;
/// Fewest I/Os of each part, over all runs.
const FEWEST: u64 = 50;

/// Parts of the span that are slower than the others.
struct SlowPlaces {
    is_slow: Vec<bool>,
    part_bytes: u64,
    /// Mean latencies. Nanoseconds.
    slow_ns: f64,
    other_ns: f64,
    /// Runs in which they were slower.
    slower: usize,
}

/// Least ratio at which places of a job are called slow.
pub(super) fn least_times(measured: &Measured) -> f64 {
    if busy_host::is_found(measured) { TIMES_CROWDED } else { TIMES }
}

/// Mean latency of the slow parts of a job, where it has some. Nanoseconds.
pub(super) fn slow_ns(measured: &Measured) -> Option<f64> {
    found(measured).map(|found| found.slow_ns)
}

fn found(measured: &Measured) -> Option<SlowPlaces> {
    let all = merged(measured.rounds.iter())?;
    let is_slow = slow_parts(&all)?;
    let (slow_ns, other_ns) = means(&all.ios, &all.sum_ns, &is_slow)?;
    let seen: Vec<f64> = measured.rounds.iter().filter_map(|part| ratio_in_a_run(part, &is_slow)).collect();
    let slower = seen.iter().filter(|times| **times >= TIMES_IN_A_RUN).count();
    let is_told = slow_ns >= least_times(measured) * other_ns && !seen.is_empty() && slower as f64 >= RUNS * measured.rounds.len() as f64;
    is_told.then_some(SlowPlaces { is_slow, part_bytes: all.part_bytes, slow_ns, other_ns, slower })
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let SlowPlaces { is_slow, part_bytes, slow_ns, other_ns, slower } = found(measured)?;
    let (times, place) = (slow_ns / other_ns, describe(&is_slow, part_bytes));
    let title = format!(
        "{place} an I/O takes {} times as long as elsewhere: {} against {}",
        three_digits(times),
        latency(slow_ns),
        latency(other_ns)
    );
    let figures = vec![
        Evidence::number("mean latency there", slow_ns, Unit::Nanoseconds),
        Evidence::number("elsewhere", other_ns, Unit::Nanoseconds),
        Evidence::number("ratio", times, Unit::Average).against(least_times(measured)),
        Evidence::text("runs in which it was slower", format!("{slower} of {}", measured.rounds.len())),
    ];
    let remedy = "measure both parts apart (--offset, --size): the figure of the whole is of neither";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

/// Reads and writes of these runs together; none where nobody counted by place.
fn merged<'a>(parts: impl Iterator<Item = &'a Part<'a>>) -> Option<Places> {
    let mut all = Places::default();
    let directions = parts.flat_map(|part| [&part.round.read, &part.round.write]);
    directions.filter_map(|direction| direction.places.as_ref()).for_each(|places| all.merge(places));
    (all.ios.len() > 1).then_some(all)
}

/// The parts above the largest step between two parts that follow each other by their latency; none where a part has too few I/Os to tell.
fn slow_parts(all: &Places) -> Option<Vec<bool>> {
    // The last part may be a small rest of the span.
    let counted = |ios: &u64| *ios >= FEWEST;
    if !all.ios[..all.ios.len() - 1].iter().all(counted) {
        return None;
    }
    let means: Vec<f64> = all.means_ns().map(|mean| mean.unwrap_or(f64::NAN)).collect();
    let least = above_step(means.iter().zip(&all.ios).filter(|(_, ios)| counted(ios)).map(|(mean, _)| *mean))?;
    Some(means.iter().zip(&all.ios).map(|(mean, ios)| *mean >= least && counted(ios)).collect())
}

/// The least of these latencies above the largest step between two that follow each other.
pub(super) fn above_step(means: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = means.collect();
    sorted.sort_by(f64::total_cmp);
    let steps = sorted.windows(2).map(|pair| (pair[1] / pair[0], pair[1]));
    steps.filter(|(step, _)| step.is_finite() && *step >= STEP).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, least)| least)
}

/// Mean latency of the slow parts and of the others. Nanoseconds.
pub(super) fn means(ios: &[u64], sum_ns: &[u64], is_slow: &[bool]) -> Option<(f64, f64)> {
    let mean = |wanted: bool| {
        let sum = |counts: &[u64]| counts.iter().zip(is_slow).filter(|(_, slow)| **slow == wanted).map(|(n, _)| *n as f64).sum::<f64>();
        (sum(ios) > 0.0).then(|| sum(sum_ns) / sum(ios))
    };
    Some((mean(true)?, mean(false)?))
}

fn ratio_in_a_run(part: &Part, is_slow: &[bool]) -> Option<f64> {
    let own = merged(std::iter::once(part))?;
    means(&own.ios, &own.sum_ns, is_slow).map(|(slow, other)| slow / other)
}

/// `from 512 MiB to 1 GiB of the span`, or how many parts it is where they lie apart.
fn describe(is_slow: &[bool], part_bytes: u64) -> String {
    let first = is_slow.iter().position(|slow| *slow).unwrap_or(0);
    let last = is_slow.iter().rposition(|slow| *slow).unwrap_or(0);
    let at = |part: usize| binary_size(part as u64 * part_bytes);
    if is_slow[first..=last].iter().all(|slow| *slow) {
        return match (first, last + 1 == is_slow.len()) {
            (0, _) => format!("in the first {} of the span", at(last + 1)),
            (_, true) => format!("from {} of the span on", at(first)),
            _ => format!("from {} to {} of the span", at(first), at(last + 1)),
        };
    }
    format!("in {} of {} parts of {} of the span", is_slow.iter().filter(|slow| **slow).count(), is_slow.len(), binary_size(part_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: with_places(|part| if part < 8 { 100_000 } else { 300_000 }),
        silent: with_places(|part| if part < 8 { 100_000 } else { 150_000 }),
    }

    /// Sixteen parts of 1 GiB with 100 I/Os each in every run, and their latency by part in nanoseconds.
    fn with_places(latency_ns: fn(u64) -> u64) -> RunRecord {
        let mut record = record();
        for round in record.rounds_mut() {
            let sum_ns = (0..16).map(|part| 100 * latency_ns(part)).collect();
            round.read.places = Some(Places { part_bytes: 1 << 30, ios: vec![100; 16], sum_ns, ..Places::default() });
        }
        record
    }

    #[test]
    fn the_place_is_named() {
        let said = |latency_ns| RULE.distinct_titles(&with_places(latency_ns));
        assert_eq!(
            said(|part| if part == 3 { 900 } else { 90 }),
            ["from 3 GiB to 4 GiB of the span an I/O takes 10 times as long as elsewhere: 900 ns against 90 ns"]
        );
        assert!(said(|part| if part < 2 { 900 } else { 90 })[0].starts_with("in the first 2 GiB of the span"));
        assert!(said(|part| if part % 4 == 0 { 900 } else { 90 })[0].starts_with("in 4 of 16 parts of 1 GiB of the span"));
    }

    #[test]
    fn waiting_for_a_cpu_adds_to_all_places() {
        let record = with_places(|part| if part < 8 { 5_900_000 } else { 11_600_000 });
        RULE.silent_on([record.clone()]);
        let titles = RULE.distinct_titles(&record.with_host(cpu_load(0.99, 0, 2)));
        assert!(titles[0].starts_with("from 8 GiB of the span on an I/O takes 1.97 times as long"), "{titles:?}");
    }

    #[test]
    fn a_gradient_or_a_single_slow_run_is_no_place() {
        let once = |record: &mut RunRecord| record.stages[0].rounds[0].read.places.as_mut().unwrap().sum_ns[3] *= 100;
        let few = |record: &mut RunRecord| {
            record.rounds_mut().filter_map(|round| round.read.places.as_mut()).for_each(|places| places.ios[4] = 1);
        };
        RULE.silent_on([with_places(|part| 100 + 20 * part), silent().with(once), fires().with(few)]);
    }
}
