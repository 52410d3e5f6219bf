//! The number changes from run to run: range or trend of the last runs exceeds what SNIA SSS PTS 2.0.2 calls steady.

use super::{Context, Measured, Rule, finding_on};
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::stats::Steadiness;
use crate::units::percent;

pub(super) const RULE: Rule = Rule {
    name: "not-steady",
    about: "range or trend of the last runs is more than steady state allows",
    check,
    limit: None,
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// Runs in the measurement window (SNIA SSS PTS 2.0.2).
const WINDOW: usize = 5;

fn check(context: &Context) -> Vec<Finding> {
    let policy = &context.record.policy;
    context.measured.iter().filter_map(|m| of_workload(m, policy.steady_range, policy.steady_slope)).collect()
}

fn of_workload(measured: &Measured, most_range: f64, most_slope: f64) -> Option<Finding> {
    let values: Vec<f64> = measured.rounds.iter().map(|r| r.main_value()).collect();
    let window = values.get(values.len().checked_sub(WINDOW)?..)?;
    let steadiness = Steadiness::of(window)?;
    if steadiness.range <= most_range && steadiness.slope_excursion.abs() <= most_slope {
        return None;
    }
    let title = format!(
        "not steady: the last {WINDOW} runs range over {} of their mean, with a trend of {}",
        percent(steadiness.range),
        percent(steadiness.slope_excursion)
    );
    let figures = vec![
        Evidence::number("range / mean", steadiness.range, Unit::Share).against(most_range),
        Evidence::number("trend / mean", steadiness.slope_excursion, Unit::Share).against(most_slope),
    ];
    let remedy = "give it longer (--time), and keep the host and the drive free of other work";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunRecord;
    use crate::testing::record_with;

    pub(in super::super) fn fires() -> RunRecord {
        record_with(|_, run| 1000.0 * (1.0 - 0.08 * f64::from(run)))
    }

    pub(in super::super) fn silent() -> RunRecord {
        record_with(|_, run| 1000.0 + f64::from(run))
    }

    #[test]
    fn a_falling_series_is_not_steady() {
        let falling = record_with(|_, run| 1000.0 * (1.0 - 0.08 * f64::from(run)));
        let flat = record_with(|_, run| 1000.0 + f64::from(run));
        assert!(check(&Context::new(&flat)).is_empty());
        assert!(!check(&Context::new(&falling)).is_empty());
    }

    #[test]
    fn few_runs_are_not_judged() {
        let mut record = record_with(|_, run| 1000.0 * (1.0 + f64::from(run)));
        record.stages.retain(|stage| stage.repetition < 4);
        assert!(check(&Context::new(&record)).is_empty());
    }
}
