//! Runs behind a figure, and shares of a claim, in words.

use crate::stats::{Estimate, IntervalMethod};
use crate::units::percent;
use crate::verdict::Match;

/// The probability with which the ends enclose the median; `None` for a mere spread.
pub fn coverage(e: &Estimate) -> Option<f64> {
    match e.method {
        IntervalMethod::Rank { coverage, .. } => Some(coverage),
        IntervalMethod::Spread | IntervalMethod::Worst => None,
    }
}

/// Number of runs and coverage of the interval: `6 (96.9 %)`, `3 (spread)`, `1`.
pub fn runs_text(measured: Option<Estimate>) -> String {
    let Some(e) = measured else { return "-".into() };
    match coverage(&e) {
        Some(coverage) => format!("{} ({:.1} %)", e.runs, coverage * 100.0),
        None if e.method == IntervalMethod::Worst => format!("{} (the worst)", e.runs),
        None if e.runs > 1 => format!("{} (spread)", e.runs),
        None => e.runs.to_string(),
    }
}

/// The share of a claim that was delivered.
pub fn share(matched: Option<Match>) -> Option<String> {
    matched.map(|m| percent(m.share))
}

/// The ends of that share: `97.8 to 99.1 %`.
pub fn match_range(matched: Option<Match>) -> Option<String> {
    matched.map(|m| format!("{} to {}", percent(m.low).trim_end_matches(" %"), percent(m.high)))
}
