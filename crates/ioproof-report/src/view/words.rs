//! Words of the trade, explained to a buyer where they stand: only those that a report uses.

use super::View;
use ioproof_core::finding::Effect;
use ioproof_core::verdict::Verdict;

/// The words that the table of claims uses, each with its meaning in a sentence.
pub(super) fn of_claims(view: &View) -> Vec<(&'static str, String)> {
    let has = |verdict| view.rows.iter().any(|row| row.verdict == Some(verdict));
    let bears = |effect| view.rows.iter().flat_map(|row| &row.reasons).any(|reason| reason.effect == effect);
    let is_judged = view.rows.iter().any(|row| row.matched.is_some());
    let is_repeated = view.rows.iter().any(|row| row.measured.is_some_and(|e| e.runs > 1));
    let threshold = ioproof_core::units::percent(view.threshold);
    let words = [
        (is_judged, "match", format!("the share of the promise that was delivered; 100 % is all of it, and {threshold} is enough here")),
        (is_repeated, "interval", "the range in which the median of another such run would lie while nothing else changes".into()),
        (has(Verdict::Meets), "meets", "even the worse end of the interval is enough".into()),
        (has(Verdict::Misses), "misses", "even the better end of the interval is not enough".into()),
        (has(Verdict::CannotTell), "cannot tell", "the interval is too wide, or something else took part".into()),
        (
            has(Verdict::Indicative),
            "indicative",
            "measured under other conditions than the promise's, in a way that neither passes nor fails it".into(),
        ),
        (
            bears(Effect::Easier),
            "easier",
            "a condition that helps the drive more than the promise's would: meeting it then proves nothing".into(),
        ),
        (bears(Effect::Harder), "harder", "a condition that helps it less: missing it then proves nothing".into()),
    ];
    words.into_iter().filter(|(is_used, ..)| *is_used).map(|(_, word, meaning)| (word, meaning)).collect()
}
