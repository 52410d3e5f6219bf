//! Results as data: one table for every kind of results, which formats render without a word of the kind.

use crate::stats::{Estimate, IntervalMethod};
use crate::units::{block_size, latency, rate, three_digits};
use crate::verdict::Verdict;
use std::ops::Range;

/// Results of one kind.
#[derive(Debug, Clone)]
pub struct ResultTable {
    /// Short name, unique within a report.
    pub id: &'static str,
    pub title: &'static str,
    pub columns: Vec<Column>,
    /// A figure for each column.
    pub rows: Vec<Vec<Figure>>,
    /// Tables of text; a table of numbers holds all rows and columns at once.
    pub parts: Vec<Part>,
    /// The meaning of the columns.
    pub legend: &'static str,
    /// Answers to what people hold the results against.
    pub answers: Vec<(Verdict, String)>,
    /// The meaning of the results, a sentence each.
    pub says: Vec<String>,
    /// The command that compares two sides of the run.
    pub compared_by: Option<String>,
}

/// A table of text: some columns of some rows.
#[derive(Debug, Clone)]
pub struct Part {
    pub caption: String,
    /// Empty where the title of the whole is enough.
    pub heading: String,
    pub columns: Vec<usize>,
    pub rows: Range<usize>,
}

/// One column. Either name may be empty: such tables leave the column out.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Name in tables of text, whose figures bring their units.
    pub name: &'static str,
    /// Name in tables of numbers, with the unit.
    pub number: &'static str,
    /// Names of the ends of the interval in tables of numbers.
    pub ends: Option<[&'static str; 2]>,
    pub unit: Unit,
}

/// The meaning of a number, and thus how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Text,
    Count,
    /// Bytes of a block; KiB as a number.
    Block,
    PerSecond,
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

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// Does not apply, was not counted, or has too few samples.
    None,
    Text(String),
    Number(f64),
    Estimate(Estimate),
}

/// A column of text tables and of number tables.
#[must_use]
pub const fn column(name: &'static str, number: &'static str, unit: Unit) -> Column {
    Column { name, number, ends: None, unit }
}

impl Column {
    #[must_use]
    pub const fn with_ends(self, low: &'static str, high: &'static str) -> Self {
        Self { ends: Some([low, high]), ..self }
    }

    /// The figure as text, with its interval; a dash if it is missing.
    #[must_use]
    pub fn text(&self, figure: &Figure) -> String {
        self.shown(figure, |estimate| with_ends(estimate, |value| self.unit.show(value)))
    }

    /// The figure as text, without its interval.
    #[must_use]
    pub fn median_text(&self, figure: &Figure) -> String {
        self.shown(figure, |estimate| self.unit.show(estimate.median))
    }

    fn shown(&self, figure: &Figure, of_estimate: impl Fn(Estimate) -> String) -> String {
        let sign = if self.unit == Unit::Share { " %" } else { "" };
        match figure {
            Figure::None => "-".to_owned(),
            Figure::Text(text) => text.clone(),
            Figure::Number(value) => self.unit.show(*value) + sign,
            Figure::Estimate(estimate) => of_estimate(*estimate) + sign,
        }
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Text | Self::Count => format!("{value:.0}"),
            Self::Block => block_size(value as u64),
            Self::PerSecond => rate(value),
            Self::Time => latency(value),
            Self::Micros => three_digits(value / 1e3),
            Self::Kib => three_digits(value / 1024.0),
            Self::Share => three_digits(value * 100.0),
            Self::PerOne => format!("{value:.2}"),
            Self::Factor => three_digits(value),
        }
    }

    /// Stored units in one of a table of numbers.
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::Block => 1024.0,
            Self::Time | Self::Micros => 1e3,
            _ => 1.0,
        }
    }
}

impl Part {
    /// A part of all rows with all columns that text tables have.
    #[must_use]
    pub fn whole(caption: &str, columns: &[Column], rows: usize) -> Self {
        let named = columns.iter().enumerate().filter(|(_, column)| !column.name.is_empty());
        Self { caption: caption.to_owned(), heading: String::new(), columns: named.map(|(at, _)| at).collect(), rows: 0..rows }
    }
}

impl ResultTable {
    /// Names of a part's columns.
    pub fn names<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'static str> + 'a {
        part.columns.iter().map(|at| self.columns[*at].name)
    }

    /// The rows of a part as text.
    #[must_use]
    pub fn cells(&self, part: &Part) -> Vec<Vec<String>> {
        let line = |row: &Vec<Figure>| part.columns.iter().map(|at| self.columns[*at].text(&row[*at])).collect();
        self.rows[part.rows.clone()].iter().map(line).collect()
    }

    /// All sentences of a report that has no comparison, with the command that makes one of the same format.
    #[must_use]
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
