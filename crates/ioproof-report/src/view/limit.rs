//! The limit of a number at length: sureness, figures, what was ruled out, what is left, and the run that would tell.

use ioproof_core::finding::Value;
use ioproof_core::limited_by::{LimitedBy, Place, RuledOut, TellingRun};
use ioproof_core::text::visible;

/// A limit in words, each part under its label.
pub(crate) struct LimitView {
    /// Sureness in a word or two.
    pub confidence: &'static str,
    /// Label and text of each part that there is.
    pub parts: Vec<(&'static str, String)>,
    /// The command that would tell more, and its outcomes.
    pub to_tell: Option<(String, String)>,
}

impl LimitView {
    pub(super) fn new(limit: &LimitedBy) -> Self {
        let figures: Vec<String> = limit.evidence.iter().map(|figure| format!("{} {}", figure.name, figure.describe())).collect();
        let left: Vec<&str> = limit.left.iter().map(|place| place.title()).collect();
        let ruled_out = limit.ruled_out.iter().map(|out| ("ruled out", describe(out)));
        let parts = std::iter::once(("rests on", figures.join("; "))).chain(ruled_out).chain([("not ruled out", left.join(", "))]);
        Self {
            confidence: limit.confidence.title(),
            parts: parts.filter(|(_, text)| !text.is_empty()).map(|(label, text)| (label, visible(&text))).collect(),
            to_tell: limit.telling_run.as_ref().map(|run| (visible(&run.command), outcomes(run))),
        }
    }
}

/// `the link: throughput 410 MB/s (limit 3.5 GB/s)`, `a limit on CPU time: none is set`.
fn describe(out: &RuledOut) -> String {
    match &out.by.value {
        Value::Text { text } => format!("{}: {text}", out.place.title()),
        Value::Number { .. } => format!("{}: {} {}", out.place.title(), out.by.name, out.by.describe()),
    }
}

/// `more IOPS: concurrency; as many: the drive itself`.
fn outcomes(run: &TellingRun) -> String {
    let outcome = |seen: &str, place: Place| format!("{seen}: {}", place.title());
    visible(&run.outcomes.iter().map(|one| outcome(&one.seen, one.place)).collect::<Vec<_>>().join("; "))
}
