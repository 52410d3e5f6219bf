//! Results as data: one table for every kind of results, which formats render without a word of the kind.

use super::bars::BarChart;
use super::chart::LineChart;
use super::strip::DotStrip;
use crate::stats::{Estimate, IntervalMethod};
use crate::text::grouped;
use crate::units::{block_size, latency, rate, three_digits, throughput};
use crate::verdict::Verdict;
use crate::workload::Workload;
use std::ops::Range;

/// Results of one kind.
#[derive(Debug, Clone, Default)]
pub struct ResultTable {
    /// Short name, unique within a report.
    pub id: &'static str,
    pub title: String,
    /// A row in a word: `layer`.
    pub row_name: &'static str,
    /// True where each part stands for itself, so that text needs no title of the whole.
    pub is_parted: bool,
    pub columns: Vec<Column>,
    pub rows: Vec<ResultRow>,
    /// True where text tables must name the target of each row.
    pub has_targets: bool,
    /// True where the rows of the judgement say nothing more.
    pub replaces_rows: bool,
    /// Tables of text; a table of numbers holds all rows and columns at once.
    pub parts: Vec<Part>,
    /// The meaning of the columns; empty where their names say it.
    pub legend: &'static str,
    /// The meaning of the columns of numbers, where it is another.
    pub number_legend: Option<String>,
    /// The meaning of a dash, for screens that lack the legend.
    pub dash: &'static str,
    /// Answers to what people hold the results against.
    pub answers: Vec<Answer>,
    /// The meaning of the results, a sentence each.
    pub says: Vec<String>,
    /// The command that compares two sides of the run.
    pub compared_by: Option<String>,
}

/// A row: figures with the job and the load that they are of.
#[derive(Debug, Clone, Default)]
pub struct ResultRow {
    /// Position of the job in the run's list.
    pub job: Option<u32>,
    /// The load in words.
    pub title: String,
    pub workload: Option<Workload>,
    /// The target as it was given; empty where the job tells it.
    pub target: String,
    /// The place on its curve.
    pub note: String,
    pub figures: Vec<Figure>,
}

/// A table of text: some columns of some rows.
#[derive(Debug, Clone, Default)]
pub struct Part {
    pub caption: String,
    /// Empty where the title of the whole is enough.
    pub heading: String,
    pub columns: Vec<usize>,
    /// Fewer columns for narrow screens, from the widest on.
    pub narrower: Vec<Vec<usize>>,
    /// Columns that go where none of these fits, the first one first.
    pub first_to_go: Vec<usize>,
    pub rows: Range<usize>,
    /// The same rows as bars.
    pub charts: Vec<BarChart>,
    /// The same rows as lines.
    pub lines: Vec<LineChart>,
    /// Things behind these rows, a dot each.
    pub strips: Vec<DotStrip>,
    /// A sentence on rows without a bar.
    pub without_bar: Option<String>,
    /// The meaning of these rows, a sentence each.
    pub says: Vec<String>,
}

/// An answer to what results are held against.
#[derive(Debug, Clone)]
pub struct Answer {
    pub verdict: Verdict,
    /// The expectation: `syncs are as fast as etcd asks`.
    pub expected: String,
    pub text: String,
    /// The text for where findings stand beside it.
    pub brief: String,
    /// True where a sentence of the table has it too.
    pub is_in_sentences: bool,
}

/// One column. Either name may be empty: such tables leave the column out.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name in tables of text, whose figures bring their units.
    pub name: String,
    /// Name in tables of numbers, with the unit.
    pub number: &'static str,
    /// Names of the ends of the interval in tables of numbers.
    pub ends: Option<[&'static str; 2]>,
    pub unit: Unit,
    /// The column's figures as rows of a tidy table, which states them as they are stored.
    pub tidy: Option<Tidy>,
}

/// The name of a figure in tidy tables.
#[derive(Debug, Clone, Copy)]
pub struct Tidy {
    pub metric: &'static str,
    pub statistic: &'static str,
    pub unit: &'static str,
}

/// The statistic of a rate: each round has one, and the value is their median.
pub const OF_ROUNDS: &str = "median of rounds";

/// The meaning of a number, and thus how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Text,
    /// Text beside figures.
    Note,
    Count,
    /// Bytes of a block; KiB as a number.
    Block,
    PerSecond,
    /// Bytes per second; MB/s as a number.
    Throughput,
    /// Nanoseconds with a fitting unit; microseconds as a number.
    Time,
    /// Nanoseconds, printed in microseconds.
    Micros,
    /// Bytes, printed in KiB.
    Kib,
    /// 0 to 1, printed in per cent.
    Share,
    /// Few of one thing for each other.
    PerOne,
    Factor,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// Does not apply, was not counted, or has too few samples.
    None,
    Text(String),
    Number(f64),
    Estimate(Estimate),
}

/// A column of text tables and of number tables.
pub fn column(name: impl Into<String>, number: &'static str, unit: Unit) -> Column {
    Column { name: name.into(), number, ends: None, unit, tidy: None }
}

impl Column {
    #[must_use]
    pub fn with_ends(self, low: &'static str, high: &'static str) -> Self {
        Self { ends: Some([low, high]), ..self }
    }

    /// With a median over rounds in tidy tables.
    #[must_use]
    pub fn tidy(self, metric: &'static str, unit: &'static str) -> Self {
        self.tidy_as(metric, OF_ROUNDS, unit)
    }

    #[must_use]
    pub fn tidy_as(self, metric: &'static str, statistic: &'static str, unit: &'static str) -> Self {
        Self { tidy: Some(Tidy { metric, statistic, unit }), ..self }
    }

    /// The figure as text, with its interval; a dash if it is missing.
    pub fn text(&self, figure: &Figure) -> String {
        let sign = if self.unit == Unit::Share { " %" } else { "" };
        match figure {
            Figure::None => "-".to_owned(),
            Figure::Text(text) => text.clone(),
            Figure::Number(value) => self.unit.show(*value) + sign,
            Figure::Estimate(estimate) => with_ends(*estimate, |value| self.unit.show(value)) + sign,
        }
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Text | Self::Note => format!("{value:.0}"),
            Self::Count => grouped(value as u64),
            Self::Block => block_size(value as u64),
            Self::PerSecond => rate(value),
            Self::Throughput => throughput(value),
            Self::Time => latency(value),
            Self::Micros => three_digits(value / 1e3),
            Self::Kib => three_digits(value / 1024.0),
            Self::Share => three_digits(value * 100.0),
            Self::PerOne => format!("{value:.2}"),
            Self::Factor => three_digits(value),
        }
    }

    /// Stored units in one of a table of numbers.
    pub fn factor(self) -> f64 {
        match self {
            Self::Block => 1024.0,
            Self::Time | Self::Micros => 1e3,
            Self::Throughput => 1e6,
            _ => 1.0,
        }
    }
}

impl ResultTable {
    /// Names of a part's columns.
    pub fn names<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'a str> {
        part.columns.iter().map(|at| self.columns[*at].name.as_str())
    }

    /// The rows of a part as text.
    pub fn cells(&self, part: &Part) -> Vec<Vec<String>> {
        let line = |row: &ResultRow| {
            let mut cells = self.texts(row, &part.columns);
            if self.has_targets {
                cells[0] += &format!(" on {}", row.target);
            }
            cells
        };
        self.rows[part.rows.clone()].iter().map(line).collect()
    }

    /// These cells of a row as text.
    pub fn texts(&self, row: &ResultRow, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|at| self.columns[*at].text(&row.figures[*at])).collect()
    }

    /// Answers that no sentence repeats.
    pub fn separate_answers(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| !answer.is_in_sentences)
    }

    /// All sentences of a report that has no comparison, with the command that makes one of the same format.
    pub fn sentences(&self, extension: &str) -> Vec<String> {
        let compared = |command: &String| format!("both directories are held against each other by {command} -o FILE.{extension}");
        self.says.iter().cloned().chain(self.compared_by.iter().map(compared)).collect()
    }
}

/// A figure with its ends: `4887 (4120 to 5300)`; `1263 [88 to 2438]` where they are a mere spread; of a single run alone.
pub fn with_ends(e: Estimate, show: impl Fn(f64) -> String) -> String {
    let (median, low, high) = (show(e.median), show(e.low), show(e.high));
    match e.method {
        IntervalMethod::Spread if e.runs < 2 => median,
        IntervalMethod::Spread => format!("{median} [{low} to {high}]"),
        IntervalMethod::Rank { .. } | IntervalMethod::Worst => format!("{median} ({low} to {high})"),
    }
}

/// A share with its ends: `45.2 (40.7 to 49.7) %`.
pub(super) fn share_with_ends(share: Estimate) -> String {
    format!("{} %", with_ends(share, |share| three_digits(share * 100.0)))
}

impl From<String> for Figure {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Figure {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<u32> for Figure {
    fn from(count: u32) -> Self {
        Self::Number(count.into())
    }
}

impl From<&str> for Figure {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Figure {
    fn from(count: u64) -> Self {
        Self::Number(count as f64)
    }
}

impl From<Estimate> for Figure {
    fn from(estimate: Estimate) -> Self {
        Self::Estimate(estimate)
    }
}

impl<T: Into<Self>> From<Option<T>> for Figure {
    fn from(known: Option<T>) -> Self {
        known.map_or(Self::None, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_too_few_runs_are_marked_and_one_run_has_none() {
        let shown = |values: &[f64]| with_ends(Estimate::of(values, 0.95).unwrap(), rate);
        assert_eq!(shown(&[1626.0]), "1626");
        assert_eq!(shown(&[88.0, 2438.0]), "1263 [88 to 2438]");
        assert_eq!(shown(&[100.0; 6]), "100 (100 to 100)");
    }
}
