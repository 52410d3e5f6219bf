//! Bars as data, for every format that draws them. What has no figure has no bar.

use crate::stats::{Estimate, IntervalMethod};
use crate::verdict::Verdict;

/// The largest share at the end of a scale; a longer bar is cut off there.
const MOST_SHARE: f64 = 2.0;

#[derive(Debug, Clone)]
pub struct BarChart {
    pub title: &'static str,
    /// The meaning of the bars, in a line below the title.
    pub about: &'static str,
    /// True of shares. Their charts have one scale.
    pub is_of_shares: bool,
    pub groups: Vec<BarGroup>,
}

/// Bars that stand together.
#[derive(Debug, Clone)]
pub struct BarGroup {
    /// The target or the run that they are of; empty where there is only one.
    pub place: String,
    pub bars: Vec<Bar>,
    /// The least share that policy asks for.
    pub mark: Option<f64>,
    pub verdict: Option<Verdict>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub name: String,
    /// A share, 0 to 1 or more, or a figure.
    pub value: f64,
    /// The ends of its interval; none of too few turns, and of 100 %.
    pub ends: Option<(f64, f64)>,
    /// True of what counts as 100 %.
    pub is_whole: bool,
    /// The figure in words, with its ends.
    pub text: String,
}

impl Bar {
    pub(super) fn new(name: String, of: Estimate, text: String) -> Self {
        let ends = matches!(of.method, IntervalMethod::Rank { .. }).then_some((of.low, of.high));
        Self { name, value: of.median, ends, is_whole: false, text }
    }

    pub(super) fn is_drawable(&self) -> bool {
        self.value.is_finite() && self.value >= 0.0
    }

    /// True where turns were too few for an interval.
    pub fn is_pale(&self) -> bool {
        self.ends.is_none() && !self.is_whole
    }

    /// The largest value that is drawn of it.
    pub fn reach(&self) -> f64 {
        self.ends.map_or(self.value, |(_, high)| high).max(self.value)
    }
}

/// The end of the scale that charts of shares have in common.
pub fn top_of_shares(charts: &[&BarChart]) -> f64 {
    let bars = charts.iter().flat_map(|chart| &chart.groups).flat_map(|group| &group.bars);
    (bars.map(Bar::reach).fold(1.0, f64::max) * 4.0).ceil().min(MOST_SHARE * 4.0) / 4.0
}
