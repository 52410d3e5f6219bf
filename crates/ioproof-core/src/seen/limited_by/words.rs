//! The limit of a number at length: sureness, figures, what was ruled out, what is left, and the run that would tell.

use super::{LimitedBy, Place, RuledOut, TellingRun};
use crate::finding::{Evidence, Value};
use crate::text::visible;

/// A limit in words, each part under its label.
pub struct LimitWords {
    /// Sureness in a word or two.
    pub confidence: &'static str,
    /// Label and text of each part that there is.
    pub parts: Vec<(&'static str, String)>,
    /// The command that would tell more, and its outcomes.
    pub to_tell: Option<(String, String)>,
}

impl LimitWords {
    pub fn new(limit: &LimitedBy) -> Self {
        let figures: Vec<String> = limit.evidence.iter().map(|figure| format!("{} {}", figure.name, figure.describe())).collect();
        let left: Vec<&str> = limit.left.iter().map(|place| place.title()).collect();
        let ruled_out = ruled_out(&limit.ruled_out).into_iter().map(|text| ("ruled out", text));
        let parts = std::iter::once(("rests on", figures.join("; "))).chain(ruled_out).chain([("not ruled out", left.join(", "))]);
        Self {
            confidence: limit.confidence.title(),
            parts: parts.filter(|(_, text)| !text.is_empty()).map(|(label, text)| (label, visible(&text))).collect(),
            to_tell: limit.telling_run.as_ref().map(|run| (visible(&run.command), outcomes(run))),
        }
    }
}

/// A text for each place, once, with all figures that rule it out: `the link: throughput 410 MB/s (limit 3.5 GB/s)`, `a limit on CPU time: none is set`.
fn ruled_out(all: &[RuledOut]) -> Vec<String> {
    let mut places: Vec<(Place, Vec<String>)> = Vec::new();
    for out in all {
        match places.iter_mut().find(|(place, _)| *place == out.place) {
            Some((_, figures)) => figures.push(describe(&out.by)),
            None => places.push((out.place, vec![describe(&out.by)])),
        }
    }
    places.into_iter().map(|(place, figures)| format!("{}: {}", place.title(), figures.join("; "))).collect()
}

fn describe(by: &Evidence) -> String {
    match &by.value {
        Value::Text { text } => text.clone(),
        Value::Number { .. } => format!("{} {}", by.name, by.describe()),
    }
}

/// `more IOPS: concurrency; as many: the drive itself`.
fn outcomes(run: &TellingRun) -> String {
    let outcome = |seen: &str, place: Place| format!("{seen}: {}", place.title());
    visible(&run.outcomes.iter().map(|one| outcome(&one.seen, one.place)).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Unit;

    #[test]
    fn a_place_that_two_figures_rule_out_has_one_line() {
        let out = |place, name: &str, share| RuledOut { place, by: Evidence::number(name, share, Unit::Share) };
        let all = [out(Place::OthersOnCpu, "used", 0.5), out(Place::Link, "full", 0.1), out(Place::OthersOnCpu, "waited", 0.25)];
        assert_eq!(ruled_out(&all), ["others on the host's CPU: used 50.0 %; waited 25.0 %", "the link: full 10.0 %"]);
    }
}
