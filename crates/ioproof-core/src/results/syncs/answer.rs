//! Answers to limits in sentences.

use super::GoalResult;
use crate::base::distinct::distinct;
use crate::text::counted;
use crate::units::{latency, percent};
use crate::verdict::Verdict;

impl GoalResult {
    /// The answer with what bears on it.
    pub fn answer(&self) -> String {
        answer(self, &bearing(self))
    }

    /// The answer with the rules that bear on it, for where their findings are printed too.
    pub fn brief(&self) -> String {
        answer(self, &bearing_rules(self))
    }

    /// The findings that bear on it.
    pub fn bearing(&self) -> String {
        let texts: Vec<&str> = self.reasons.iter().map(|reason| reason.text.as_str()).collect();
        texts.join("; ")
    }
}

/// The answer to a limit, by the share of the syncs that took longer: that is held against the share that may, whether or not a percentile can be stated.
fn answer(result: &GoalResult, bears: &str) -> String {
    let goal = &result.goal;
    let (verdict, most, which) = (result.verdict.title(), latency(goal.most_ns as f64), goal.statistic.title());
    let may = percent(may_exceed(result));
    let percentile = result.measured_ns.map_or(String::new(), |ns| percentile(result, ns));
    let (longer, why) = (longer(result), why_open(result));
    let (name, source) = (&goal.name, &goal.source);
    format!(
        "{name} {verdict}: it asks for at most {most} at {which}: {may} of the syncs may take longer, and {longer}{percentile}{why}{bears}. Source: {source}"
    )
}

/// The percentile of the syncs of all runs together. The share that took longer is the median of runs, so where these differ much the two may disagree.
fn percentile(result: &GoalResult, ns: u64) -> String {
    let (which, holds) = (result.goal.statistic.title(), ns <= result.goal.most_ns);
    match result.share_beyond {
        Some(share) if (share.median <= may_exceed(result)) != holds => {
            format!(", the median of the runs; {which} of all syncs together is {}, since the runs differ", latency(ns as f64))
        }
        _ => format!("; {which} of a sync is {}", latency(ns as f64)),
    }
}

/// Share of the syncs that may take longer than the limit.
fn may_exceed(result: &GoalResult) -> f64 {
    1.0 - result.goal.statistic.quantile().unwrap_or(1.0)
}

/// `26.6 % did (9.0 % to 65.2 % in 8 runs)`.
fn longer(result: &GoalResult) -> String {
    let Some(share) = result.share_beyond else { return "none was timed".to_owned() };
    let (did, runs) = (percent(share.median), counted(share.runs.into(), "run"));
    match share.runs {
        1 => format!("{did} did in {runs}"),
        _ => format!("{did} did ({} to {} in {runs})", percent(share.low), percent(share.high)),
    }
}

/// The reason for which it cannot be told; empty where it can.
fn why_open(result: &GoalResult) -> &'static str {
    let may = may_exceed(result);
    match result.share_beyond.filter(|_| result.verdict == Verdict::CannotTell) {
        None => "",
        Some(share) if !share.is_interval() => "; these are too few runs for an interval, six are enough (--runs 6, or more --time)",
        Some(share) if share.low <= may && may < share.high => "; the interval has more and less than that, and more runs would narrow it",
        Some(_) => "; that would be an answer, but the figures are doubted",
    }
}

fn bearing(result: &GoalResult) -> String {
    if result.reasons.is_empty() { String::new() } else { format!(". What bears on it: {}", result.bearing()) }
}

/// The rules that bear on an answer.
fn bearing_rules(result: &GoalResult) -> String {
    let rules = distinct(result.reasons.iter().map(|reason| reason.about.as_str()));
    if rules.is_empty() { String::new() } else { format!(". What bears on it (`ioproof rules NAME`): {}", rules.join(", ")) }
}
