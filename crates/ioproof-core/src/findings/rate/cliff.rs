//! The rate fell once and stayed low: most often a write cache, of flash in its fast mode or of memory, that was used up.
//!
//! Looked for over all rounds of a job in the order of time: a moment before which every round was far better than any after it. Where others began to use the
//! CPUs at that moment the fall is not told as the drive's: `busy-host` and `not-steady` say what there is to say.

use crate::findings::bytes::foreign_io;
use crate::findings::host::busy_host;
use crate::findings::prelude::*;

rule! {
    name: "cliff",
    about: "the rate fell once and stayed low, as when a write cache is used up",
    check: Check::Run(check),
    limit: RuleLimit::on_the_way(LimitRank::Drive, |_, measured| describe(measured)),
}

/// Smallest ratio of the worst round before to the best one after.
pub(super) const TIMES: f64 = 1.5;
/// Fewest rounds after the fall, and fewest of all.
const AFTER: usize = 2;
const ROUNDS: usize = 4;
/// Most that slow rounds may stay below the best of them where a limit sets their rate, as a share of it, and fewest such. Others on the host make rounds uneven.
const EVEN: f64 = 0.02;
pub(super) const EVEN_ROUNDS: usize = 3;
/// Where the rate falls to this part of it, and fewest such rounds then.
const DEEP: f64 = 3.0;
const DEEP_ROUNDS: usize = 2;

struct Fall {
    before: f64,
    after: f64,
    /// Bytes that the run had written when it came.
    written_bytes: u64,
    /// Bytes that the job had moved by then.
    moved_bytes: u64,
    rounds: usize,
    /// Largest difference of the rounds after it, where they are even; a share.
    even: Option<f64>,
}

impl Fall {
    fn of(measured: &Measured) -> Option<Self> {
        // A latency falls too when its rate does.
        let rates: Vec<f64> = measured.rounds.iter().map(Part::rate).collect();
        let at = fall_at(&rates).filter(|at| !others_began(&measured.rounds, *at))?;
        Some(Self {
            before: median(&rates[..at])?,
            after: median(&rates[at..])?,
            written_bytes: measured.rounds[at].stage.state_before.written_bytes,
            moved_bytes: measured.rounds[..at]
                .iter()
                .map(|part| part.total_bytes.0.saturating_add(part.total_bytes.1))
                .fold(0, u64::saturating_add),
            rounds: at,
            even: evenness(&rates[at..], fewest_even(&rates, at)),
        })
    }
}

fn fewest_even(rates: &[f64], at: usize) -> usize {
    let most = rates[at..].iter().copied().fold(0.0, f64::max);
    if rates[..at].iter().all(|rate| *rate >= DEEP * most) { DEEP_ROUNDS } else { EVEN_ROUNDS }
}

/// Largest difference of slow rounds that are as even as a limit makes them, as a share of their rate: half of them and more. Others on the host leave no such.
pub(super) fn evenness(slow: &[f64], fewest: usize) -> Option<f64> {
    let most = slow.iter().copied().reduce(f64::max).filter(|most| *most > 0.0)?;
    let even = || slow.iter().copied().filter(|rate| *rate >= (1.0 - EVEN) * most);
    let spread = (most - even().reduce(f64::min)?) / most;
    (even().count() >= fewest && 2 * even().count() >= slow.len()).then_some(spread)
}

/// The first value after a fall: all before it are far larger than all from there on.
pub(super) fn fall_at(values: &[f64]) -> Option<usize> {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let ratio = |at: &usize| least(&values[..*at]) / most(&values[*at..]).max(f64::MIN_POSITIVE);
    let last = values.len().checked_sub(AFTER).filter(|_| values.len() >= ROUNDS)?;
    (1..=last).max_by(|a, b| ratio(a).total_cmp(&ratio(b))).filter(|at| ratio(at) >= TIMES)
}

/// True where others use more of the CPUs from this round on, by as much as is told of others at all.
fn others_began(rounds: &[Part], at: usize) -> bool {
    let used = |rounds: &[Part]| median(&rounds.iter().filter_map(busy_host::others_in).collect::<Vec<_>>());
    let rise = || Some(used(&rounds[at..])? - used(&rounds[..at])?);
    rise().is_some_and(|rise| rise >= busy_host::OTHERS)
}

fn check(context: &Context) -> Vec<Finding> {
    // Reads fall where somebody else begins to use the drive, which foreign-io says, or where others crowd the CPUs even more, which busy-host says: then they are
    // uneven.
    let is_even = |m: &Measured| Fall::of(m).is_some_and(|fall| fall.even.is_some());
    let is_told = |m: &Measured| foreign_io::of_job(context, m).is_some() || (busy_host::is_found(m) && !is_even(m));
    let is_own = |m: &&Measured| m.workload().writes() || !is_told(m);
    context.measured.iter().filter(is_own).filter_map(of_job).collect()
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let fall = Fall::of(measured)?;
    let unit = Unit::of(measured.workload().rate_metric());
    let (before, after) = (unit.show(fall.before), unit.show(fall.after));
    let title = format!("it fell from {before} to {after} after {} of {} runs", fall.rounds, measured.rounds.len());
    let title = match fall.written_bytes {
        0 => title,
        bytes => format!("{title}, when {} had been written", decimal_size(bytes)),
    };
    let title = match fall.even {
        Some(spread) if !measured.workload().writes() => format!(
            "{title}, when it had read {}; since then it stays within {}, as where a credit is used up",
            decimal_size(fall.moved_bytes),
            percent(spread)
        ),
        _ => title,
    };
    let figures = vec![
        Evidence::number("before", fall.before, unit),
        Evidence::number("after", fall.after, unit),
        Evidence::number("written until then", fall.written_bytes as f64, Unit::Bytes),
        Evidence::number("moved until then", fall.moved_bytes as f64, Unit::Bytes),
        Evidence::number("worst before / best after, at least", TIMES, Unit::Average),
    ];
    let remedy = "bring the drive to a steady state first (--precondition), or ask for the rate after its cache is used up";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

fn describe(measured: &Measured) -> String {
    let Some(fall) = Fall::of(measured) else { return "a fall in its rate".into() };
    let what = match (measured.workload().read_percent < 100, fall.even.is_some()) {
        (true, false) => "a write cache that was used up",
        (true, true) => "a write cache or a credit that was used up",
        (false, true) => "a credit that was used up, or something else that changed on the way",
        (false, false) => "something that changed on the way",
    };
    let metric = measured.workload().rate_metric();
    format!("{what}: {} before, {} after", metric.show(fall.before), metric.show(fall.after))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: record_with(|_, run| if run < 2 { 4000.0 } else { 300.0 + f64::from(run) }),
        silent: record_with(|_, run| if run % 2 == 0 { 4000.0 } else { 300.0 }),
    }

    #[test]
    fn both_rates_are_told() {
        RULE.says(&fires(), Effect::Unsteady, |title| title.contains("after 2 of 6 runs"));
    }

    #[test]
    fn a_fall_with_which_others_began_to_use_the_cpus_is_not_the_drives() {
        let with_load = |busy_after: f64| {
            let mut record = fires();
            for stage in &mut record.stages {
                stage.host = Some(cpu_load(if stage.repetition < 2 { 0.1 } else { busy_after }, 0, 4));
            }
            RULE.found(&record).len()
        };
        assert_eq!(with_load(0.1), RULE.found(&fires()).len(), "they used as much before");
        assert_eq!(with_load(0.9), 0);
    }

    #[test]
    fn reads_beside_others_that_crowd_the_cpus_are_no_cliff_unless_they_are_even_and_writes_are() {
        let found = |after: fn(f64) -> f64| {
            let record = record_with(|_, run| if run < 2 { 4000.0 } else { after(f64::from(run)) });
            RULE.found(&record.with_host(cpu_load(0.99, 0, 4))).len()
        };
        let (all, uneven) = (RULE.found(&fires()).len(), found(|run| 300.0 + 10.0 * run));
        assert!(uneven > 0 && uneven < all, "{uneven}");
        assert_eq!(found(|run| 300.0 + run), all);
    }

    #[test]
    fn one_slow_round_at_the_end_is_no_cliff() {
        RULE.silent_on([record_with(|_, run| if run < 5 { 4000.0 } else { 300.0 })]);
    }
}
