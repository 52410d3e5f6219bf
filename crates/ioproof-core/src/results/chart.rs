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
    /// Names of its places, where these are no rounds: block sizes. Such lines are a matrix, a row each.
    pub names: Option<ChartNames>,
    pub lines: Vec<ChartLine>,
    /// First and last round of the window.
    pub window: Option<(u32, u32)>,
    /// Levels across the chart, each with its name.
    pub levels: Vec<(f64, &'static str)>,
}

/// Names in a chart that is not over rounds.
#[derive(Debug, Clone)]
pub struct ChartNames {
    /// Name of the axis: `block size`.
    pub axis: &'static str,
    /// The condition that sets the lines apart: `R/W mix`.
    pub lines: &'static str,
    /// Names of the places of the axis.
    pub places: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct ChartLine {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}
