//! The number rises or falls over the runs: a trend that chance does not explain, larger than SNIA SSS PTS 2.0.2 allows in steady state.
//!
//! Judged over all rounds of a job. That rounds differ without a trend is no unsteadiness: their interval says how much. With many jobs in a run each has to
//! be clearer, so that about one in a hundred quiet runs is called unsteady and not one job in a hundred. Of six runs each the clearest trend has to do.

use crate::findings::host::busy_host::{OTHERS, others_in};
use crate::findings::prelude::*;
use crate::stats::{Steadiness, trend_probability};

rule! {
    name: "not-steady",
    about: "the number rises or falls over the runs by more than steady state allows",
    check: Check::Run(check),
}

/// Share of runs without any trend that may be called unsteady.
const WRONGLY: f64 = 0.01;

/// Fewest runs of which a trend is told: the clearest of six comes by chance once in 360 times.
const FEWEST: usize = 6;

/// Share of the CPU time by which others use more in the slower runs, where they may be why.
const MORE: f64 = 0.1;

fn check(context: &Context) -> Vec<Finding> {
    let judged = context.measured.iter().filter(|m| m.rounds.len() >= FEWEST).count();
    let least_likely = WRONGLY / judged.max(1) as f64;
    context.measured.iter().filter_map(|m| of_job(m, context.record.policy.steady_slope, least_likely)).collect()
}

fn of_job(measured: &Measured, most_slope: f64, least_likely: f64) -> Option<Finding> {
    let values: Vec<f64> = measured.rounds.iter().map(|r| r.main_value()).collect();
    if values.len() < FEWEST {
        return None;
    }
    let steadiness = Steadiness::of(&values)?;
    // No order of so few values is less likely than this; then the clearest one has to do.
    let clearest = 2.0 / (1..=values.len()).map(|n| n as f64).product::<f64>();
    let by_chance = trend_probability(&values)?;
    if steadiness.slope_excursion.abs() <= most_slope || by_chance > least_likely.max(clearest) {
        return None;
    }
    let (direction, slope) = (if steadiness.slope_excursion > 0.0 { "rises" } else { "falls" }, percent(steadiness.slope_excursion.abs()));
    let mut title = format!("not steady: over {} runs it {direction} by {slope} of its mean, clearer than by chance", values.len());
    let mut figures = vec![
        Evidence::number("trend / mean", steadiness.slope_excursion, Unit::Share).against(most_slope),
        Evidence::number("range / mean", steadiness.range, Unit::Share),
        Evidence::number("probability of such a trend by chance", by_chance, Unit::Share).against(least_likely),
    ];
    if let Some((slower, faster)) = others_by_rate(measured) {
        title += &format!("; others used {} of the CPUs in its slower runs, {} in its faster ones", percent(slower), percent(faster));
        figures.push(Evidence::number("CPU time used by others in the slower runs", slower, Unit::Share).against(OTHERS));
        figures.push(Evidence::number("CPU time used by others in the faster runs", faster, Unit::Share));
    }
    let remedy = "give it longer (--time), bring the drive to a steady state first (--precondition), and keep the host and the drive free of other work";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

/// CPU time that others used in the slower half of the rounds and in the faster one, where it may be why they are slower.
fn others_by_rate(measured: &Measured) -> Option<(f64, f64)> {
    let counted = measured.rounds.iter().map(|part| Some((part.iops(), others_in(part)?)));
    let mut rounds = counted.collect::<Option<Vec<_>>>()?;
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let of = |half: &[(f64, f64)]| median(&half.iter().map(|(_, others)| *others).collect::<Vec<_>>());
    let (slower, faster) = (of(&rounds[..rounds.len() / 2])?, of(&rounds[rounds.len().div_ceil(2)..])?);
    (slower >= OTHERS && slower - faster >= MORE).then_some((slower, faster))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: record_with(|_, run| 1000.0 * (1.0 - 0.08 * f64::from(run))), silent: record_with(|_, run| 1000.0 + f64::from(run)) }

    #[test]
    fn six_runs_each_lower_than_the_last_are_not_steady() {
        const RATES: [f64; 6] = [2459.0, 2013.0, 1855.0, 1627.0, 1410.0, 1321.0];
        let fading = record_with(|_, run| RATES[run as usize]);
        assert_eq!(RULE.found(&fading).len(), fading.jobs.len());
    }

    #[test]
    fn others_on_the_cpus_of_the_slower_runs_are_named() {
        let title = |busy: [f64; 2]| {
            let mut record = fires();
            for stage in &mut record.stages {
                stage.host = Some(cpu_load(busy[usize::from(stage.repetition >= 3)], 0, 2));
            }
            RULE.titles(&record).remove(0)
        };
        assert!(title([0.1, 0.6]).ends_with("; others used 60.0 % of the CPUs in its slower runs, 10.0 % in its faster ones"));
        let is_named = |busy| title(busy).contains("others");
        assert!(!is_named([0.6, 0.1]) && !is_named([0.1, 0.2]) && !is_named([0.6, 0.65]));
    }

    #[test]
    fn noise_is_not_unsteady_and_few_runs_are_not_judged() {
        let noisy = record_with(|_, run| 1000.0 * (1.0 + 0.2 * f64::from((run * 7) % 5)));
        let few = record_with(|_, run| 1000.0 * (1.0 + f64::from(run)));
        RULE.silent_on([noisy, few.with(|record| record.stages.retain(|stage| stage.repetition < 4))]);
    }
}
