//! The summary that the terminal shows at the end of a run, on one screen: target, table of claims, latencies, findings, exit status.
//!
//! Footnotes carry texts that do not fit a column. The caller decides about colour (`NO_COLOR`, no terminal).

mod claims;
pub(crate) mod parts;
pub(crate) mod results;

use crate::layout::{Tone, clip, labelled};
use crate::view::{Conditions, View};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::ResultTable;
use ioproof_core::verdict::Verdict;

/// Look of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True where verdicts are coloured; their words stay the same.
    pub color: bool,
    /// Columns of the terminal; fewer than 40 are treated as 40.
    pub width: usize,
}

impl Style {
    /// A file without colour, which has so many columns.
    pub(crate) const fn of_file(width: usize) -> Self {
        Self { color: false, width }
    }

    pub(crate) fn on_screen(self) -> Self {
        Self { width: self.width.max(40), ..self }
    }
}

/// The summary of a run, for people. Its text may change between versions.
#[must_use]
pub fn summary(record: &RunRecord, judgement: &Judgement, style: Style) -> String {
    of_view(&View::new(record, judgement), style.on_screen())
}

/// The same of a run that is kept nowhere.
#[must_use]
pub fn summary_of_unstored(record: &RunRecord, judgement: &Judgement, style: Style) -> String {
    of_view(&View { run_id: parts::NOT_STORED.into(), ..View::new(record, judgement) }, style.on_screen())
}

pub(crate) fn of_view(view: &View, style: Style) -> String {
    let mut notes = Notes::default();
    let mut lines = parts::head(view, style);
    let (first, later): (Vec<&ResultTable>, Vec<&ResultTable>) = view.results.iter().partition(|results| results.replaces_rows);
    lines.extend(first.into_iter().flat_map(|of| results::results(of, style)));
    lines.extend(claims::claims(view, &mut notes, style));
    // The matrix has them all.
    let latencies = if !view.has_own_table() { parts::latencies(view, &mut notes, style) } else { Vec::new() };
    lines.extend(notes.lines(style));
    lines.extend(later.into_iter().flat_map(|of| results::results(of, style)));
    lines.extend(latencies);
    lines.extend(parts::findings(view, style));
    lines.extend(parts::tail(view, style));
    lines.join("\n") + "\n"
}

/// Numbered footnotes; equal ones share a number.
#[derive(Default)]
struct Notes {
    texts: Vec<String>,
}

/// Up to so many footnotes have two lines each; more have one, so that all stays on one screen.
const LONG_NOTES: usize = 6;

impl Notes {
    fn mark(&mut self, text: String) -> usize {
        if let Some(at) = self.texts.iter().position(|known| *known == text) {
            return at + 1;
        }
        self.texts.push(text);
        self.texts.len()
    }

    fn lines(&self, style: Style) -> Vec<String> {
        let most = if self.texts.len() <= LONG_NOTES { 2 } else { 1 };
        let numbered = self.texts.iter().enumerate();
        numbered.flat_map(|(n, text)| labelled(&format!("{:>3} ", n + 1), text, style.width, most)).collect()
    }
}

/// The footnote for the special conditions of a workload.
fn describe_special(conditions: &Conditions) -> String {
    format!("conditions: {}", conditions.special)
}

/// The colour that supports a verdict's word.
fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Meets => Tone::Good,
        Verdict::Misses => Tone::Bad,
        Verdict::CannotTell => Tone::Doubt,
        Verdict::Indicative => Tone::Aside,
    }
}

/// The heading of a block, after an empty line.
fn heading(text: &str, style: Style) -> [String; 2] {
    [String::new(), Tone::Bold.paint(&clip(text, style.width), style.color)]
}
