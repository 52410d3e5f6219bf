//! The runs of a job differ so much that their median says little, in whatever order they came.

use crate::findings::prelude::*;

rule! {
    name: "wide-range",
    about: "the runs of a job differ threefold or more",
    check: Check::EachJob(|_, measured| of_job(measured)),
}

/// Least ratio of the second fastest run to the second slowest.
const TIMES: f64 = 3.0;

/// Fewest runs. The fastest and the slowest are left out.
const FEWEST: usize = 6;

fn of_job(measured: &Measured) -> Option<Finding> {
    let mut values: Vec<f64> = measured.rounds.iter().map(|round| round.main_value()).collect();
    values.sort_by(f64::total_cmp);
    let [_, low, .., high, _] = values.as_slice() else { return None };
    if values.len() < FEWEST || *low <= 0.0 || high / low < TIMES {
        return None;
    }
    let metric = measured.workload().main_metric();
    let title = format!(
        "its runs differ by a factor of {}: from {} to {}, without the best and the worst of {}",
        three_digits(high / low),
        metric.show(*low),
        metric.show(*high),
        values.len()
    );
    let figures = vec![Evidence::number("second highest run / second lowest", high / low, Unit::Average).against(TIMES)];
    let remedy = "measure while nothing else uses the host and the drive; where it stays so, judge the drive by its slow runs";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: record_with(|_, run| if run % 2 == 0 { 1000.0 } else { 4000.0 }),
        silent: record_with(|_, run| if run == 3 { 4000.0 } else { 1000.0 }),
    }

    #[test]
    fn one_run_that_is_apart_is_not_spoken_of() {
        assert_eq!(RULE.found(&fires()).len(), fires().jobs.len());
        RULE.silent_on([record_with(|_, run| if run % 2 == 0 { 1000.0 } else { 2900.0 })]);
    }
}
