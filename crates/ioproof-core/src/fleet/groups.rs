//! Drives that can be held against each other: of the same model and capacity; and their figures of the same load.

use super::drive::DriveRun;
use super::limit::{FEWEST, spread};
use crate::claim::Metric;
use crate::stats::median;
use std::collections::BTreeMap;

/// Drives of one model and capacity.
#[derive(Debug, Clone)]
pub struct Group {
    pub model: String,
    pub capacity_bytes: u64,
    /// Positions in the list of runs.
    pub members: Vec<usize>,
    /// Their figures, in the order of the first run that has them.
    pub figures: Vec<GroupFigure>,
}

/// Positions in the list of runs, each with a value.
type RunValues = Vec<(usize, f64)>;

/// One figure of all drives of a group.
#[derive(Debug, Clone)]
pub struct GroupFigure {
    pub name: String,
    pub metric: Metric,
    /// By position in the list of runs: the value in the metric's stored unit.
    pub values: RunValues,
    pub median: f64,
    /// Logarithm of each value over the median, so turned that slower is below 0.
    pub deviations: Vec<f64>,
    /// Deviation below which a drive is named; `None` where too few drives have the figure.
    pub limit: Option<f64>,
}

/// The least spread that is believed, so that figures that a link holds alike make no outlier of a drive a little off. 0.5 %.
const LEAST_SPREAD: f64 = 0.005;

/// The spread of deviations, and no less than can be believed.
pub(super) fn believed_spread(deviations: &[f64]) -> f64 {
    spread(deviations).max(LEAST_SPREAD)
}

impl GroupFigure {
    /// True where enough drives have it.
    pub(super) fn is_testable(&self) -> bool {
        self.values.len() >= FEWEST
    }

    /// The value of a deviation in the metric's stored unit.
    pub fn value_at(&self, deviation: f64) -> f64 {
        self.median * (sign(self.metric) * deviation).exp()
    }

    fn new(name: String, metric: Metric, values: RunValues) -> Option<Self> {
        let median = median(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>())?;
        let deviations = values.iter().map(|(_, value)| sign(metric) * (value / median).ln()).collect();
        Some(Self { name, metric, values, median, deviations, limit: None })
    }
}

/// Longer latencies are slower.
fn sign(metric: Metric) -> f64 {
    if metric == Metric::Latency { -1.0 } else { 1.0 }
}

/// All groups, the largest first.
pub(super) fn groups(runs: &[DriveRun]) -> Vec<Group> {
    let mut members: BTreeMap<(&str, u64), Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        members.entry((&run.model, run.capacity_bytes)).or_default().push(at);
    }
    let group = |((model, capacity_bytes), members): ((&str, u64), Vec<usize>)| Group {
        model: model.to_owned(),
        capacity_bytes,
        figures: figures(runs, &members),
        members,
    };
    let mut groups: Vec<Group> = members.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    groups
}

fn figures(runs: &[DriveRun], members: &[usize]) -> Vec<GroupFigure> {
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut found: Vec<(&str, Metric, RunValues)> = Vec::new();
    for run in members {
        for figure in &runs[*run].figures {
            let Some(value) = figure.value() else { continue };
            let at = *places.entry((&figure.name, figure.metric.name())).or_insert_with(|| {
                found.push((&figure.name, figure.metric, Vec::new()));
                found.len() - 1
            });
            // Several claims may be of one load.
            if found[at].2.last().is_none_or(|(last, _)| last != run) {
                found[at].2.push((*run, value));
            }
        }
    }
    found.into_iter().filter_map(|(name, metric, values)| GroupFigure::new(name.to_owned(), metric, values)).collect()
}
