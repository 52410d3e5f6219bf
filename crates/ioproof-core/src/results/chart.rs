//! Lines as data, for every format that draws them: values of rounds, the window that counts, and its bounds.

use crate::metric::Metric;

/// One chart over rounds, which begin at 1, or over names.
#[derive(Debug, Clone)]
pub struct LineChart {
    /// Unique within a report.
    pub id: String,
    pub title: String,
    /// The meaning of lines, band and levels, in a line below the title.
    pub about: &'static str,
    pub metric: Metric,
    /// Length of the axis in rounds.
    pub rounds: u32,
    /// Names of its places, and of the axis, where these are no rounds: block sizes. Such lines are a matrix, a row each.
    pub names: Option<(&'static str, Vec<String>)>,
    pub lines: Vec<ChartLine>,
    /// First and last round of the window.
    pub window: Option<(u32, u32)>,
    /// Levels across the chart, each with its name.
    pub levels: Vec<(f64, &'static str)>,
}

/// A line: rounds and values.
#[derive(Debug, Clone)]
pub struct ChartLine {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}
