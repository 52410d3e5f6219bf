//! A search has found a rate at which a latency was kept; the rounds that followed at this rate are the proof, and here they say otherwise. One try is a draw,
//! and of many draws a search picks the lucky ones, so the rounds are to be believed.

use crate::findings::prelude::*;
use crate::search::{Found, Searched};

rule! {
    name: "target-not-held",
    about: "the rate or depth that a search led to does not keep the latency",
    check: Check::Run(check),
}

fn check(context: &Context) -> Vec<Finding> {
    let searches = context.record.searches.iter();
    let of_depths = context.measured.iter().filter_map(of_depth);
    let of_rates = searches.filter_map(|s| s.found.map(|found| (s, found))).flat_map(|(s, found)| of_search(context, s, found));
    of_rates.chain(of_depths).collect()
}

/// A job that searches for a depth goes on at one I/O at a time where no depth keeps its latency, but where all I/Os must.
fn of_depth(measured: &Measured) -> Option<Finding> {
    let found = measured.depth_found().filter(|found| found.is_settled && found.is_missed)?;
    let limit = latency(found.target_ns as f64);
    let title =
        format!("no depth keeps the latency: {} % of the I/Os within {limit}, not even {} at a time", found.percentile, found.deepest());
    let figures = vec![
        Evidence::number("deepest queue", found.deepest().into(), Unit::Count),
        Evidence::number("latency to be kept", found.target_ns as f64, Unit::Nanoseconds),
    ];
    Some(finding_on(
        measured,
        &RULE,
        Severity::Warn,
        Effect::Unsteady,
        title,
        figures,
        "take a longer latency, or a smaller share of the I/Os",
    ))
}

fn of_search(context: &Context, searched: &Searched, found: Found) -> Vec<Finding> {
    let at_its_rate = |m: &&Measured| {
        let workload = m.workload();
        workload.shape.pace.ios_per_s() == Some(found.rate)
            && workload.pattern == searched.workload.pattern
            && workload.read_percent == searched.workload.read_percent
            && workload.block_bytes == searched.workload.block_bytes
            && workload.outstanding() == searched.workload.outstanding()
    };
    context.measured.iter().filter(at_its_rate).filter_map(|m| judged(m, searched, found)).collect()
}

fn judged(measured: &Measured, searched: &Searched, found: Found) -> Option<Finding> {
    let goal = &searched.goal;
    let mut all = Histogram::default();
    measured
        .rounds
        .iter()
        .flat_map(|r| [&r.round.read, &r.round.write, &r.round.trim])
        .filter_map(|d| d.response.as_ref())
        .for_each(|h| all.merge(h));
    let seen_ns = all.quantile_ns(goal.quantile).filter(|seen| *seen > goal.target_ns)?;
    let limit = latency(goal.target_ns as f64);
    let title = format!(
        "the latency is not kept when it is repeated: {} at {} IOPS, where {limit} was the limit",
        latency(seen_ns as f64),
        found.rate
    );
    let figures = vec![
        Evidence::number("in the search", found.latency_ns as f64, Unit::Nanoseconds),
        Evidence::number("in the rounds that followed", seen_ns as f64, Unit::Nanoseconds).against(goal.target_ns as f64),
        Evidence::number("I/Os in these", all.count() as f64, Unit::Count),
    ];
    let remedy = "take a lower rate; a search with longer steps (--time) and a host without other work are less easily deceived";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Unsteady, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Ending, Goal};

    records! { fires: searched(146_000_000), silent: searched(990_000) }

    fn searched(response_ns: u64) -> RunRecord {
        let mut record = record();
        let planned = record.jobs[1].workload.clone();
        let goal = Goal { target_ns: 1_000_000, quantile: 0.99, first_ios_per_s: 1, ceiling_ios_per_s: 2, precision: 0.05, most_steps: 1 };
        let result = Found { rate: 5000, latency_ns: 900_000, bracket: (5000, 5000) };
        record.searches.push(Searched { workload: planned.clone(), goal, steps: vec![], ending: Ending::Close, found: Some(result) });
        record.jobs[1].workload.shape.pace = Pace::Fixed { ios_per_s: 5000 };
        let response = Some(histogram(&[(response_ns, 1000)]));
        record.rounds_mut().filter(|round| round.job == 1).for_each(|round| round.read.response.clone_from(&response));
        record
    }

    #[test]
    fn a_depth_that_keeps_nothing_is_none() {
        let told = |is_settled, is_missed| {
            let found = DepthFound { target_ns: 100_000, percentile: 99.0, most: 64, depths: vec![1], is_settled, is_missed };
            let mut record = record();
            record.rounds_mut().filter(|round| round.job == 0).for_each(|round| round.depth_found = Some(found.clone()));
            RULE.titles(&record)
        };
        assert_eq!(told(true, true), ["no depth keeps the latency: 99 % of the I/Os within 100 µs, not even 1 at a time"]);
        assert!(told(true, false).is_empty() && told(false, true).is_empty());
    }

    #[test]
    fn the_rounds_are_believed() {
        RULE.says(&fires(), Effect::Unsteady, |title| title.contains("146 ms at 5000 IOPS"));
        assert_eq!(RULE.found(&fires()).len(), 1);
    }
}
