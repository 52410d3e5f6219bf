//! The rate rose once and stayed high: a drive that had to wake up, a cache that had to fill, a volume that was still being fetched from elsewhere.

use super::cliff::{EVEN_ROUNDS, TIMES, evenness, fall_at};
use crate::findings::bytes::foreign_io;
use crate::findings::host::busy_host;
use crate::findings::prelude::*;

rule! {
    name: "late-rise",
    about: "the rate rose once and stayed high, as of a drive that had to wake up",
    check: Check::Run(check),
}

fn check(context: &Context) -> Vec<Finding> {
    // The rate rises too where somebody else ends; then the runs before it are uneven.
    let is_own = |m: &&Measured| foreign_io::of_job(context, m).is_none() && (!busy_host::is_found(m) || is_even_before(m));
    context.measured.iter().filter(is_own).filter_map(of_job).collect()
}

/// The rates of the runs, and the first one after a rise.
fn rise(measured: &Measured) -> Option<(Vec<f64>, usize)> {
    let rates: Vec<f64> = measured.rounds.iter().map(Part::rate).collect();
    let times: Vec<f64> = rates.iter().map(|rate| 1.0 / rate.max(f64::MIN_POSITIVE)).collect();
    let at = fall_at(&times)?;
    Some((rates, at))
}

fn is_even_before(measured: &Measured) -> bool {
    rise(measured).is_some_and(|(rates, at)| evenness(&rates[..at], EVEN_ROUNDS).is_some())
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let (rates, at) = rise(measured)?;
    let (before, after, unit) = (median(&rates[..at])?, median(&rates[at..])?, Unit::of(measured.workload().rate_metric()));
    let title = format!("it rose from {} to {} after {at} of {} runs, and stayed there", unit.show(before), unit.show(after), rates.len());
    let figures = vec![
        Evidence::number("before", before, unit),
        Evidence::number("after", after, unit),
        Evidence::number("worst after / best before, at least", TIMES, Unit::Average),
    ];
    let remedy = "measure again at once, or for longer (--time): the first runs are of another state than the rest";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: record_with(|_, run| if run < 2 { 130.0 } else { 3700.0 + f64::from(run) }),
        silent: record_with(|_, run| if run % 2 == 0 { 3700.0 } else { 130.0 }),
    }

    #[test]
    fn a_rise_beside_others_that_crowd_the_cpus_is_not_the_drives() {
        RULE.silent_on([fires().with_host(cpu_load(0.99, 0, 4))]);
        let even = record_with(|_, run| if run < 3 { 130.0 } else { 150.0 * f64::from(run) });
        assert!(!RULE.found(&even.with_host(cpu_load(0.99, 0, 4))).is_empty(), "a crowd is not that even");
        let titles = RULE.titles(&fires());
        assert!(titles[0].ends_with("after 2 of 6 runs, and stayed there"), "{titles:?}");
    }
}
