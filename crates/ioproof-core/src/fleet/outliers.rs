//! Slow drives and slow nodes: deviations from the median of drives like them, held against limits that are corrected for the number of tests.
//!
//! Each figure of each drive is one test, the mean of all figures of a drive is one more, and each node with several drives is one. Bonferroni's correction
//! divides the probability of a false alarm among all of them, so that it is one of the whole fleet. A slow node is looked for first: its drives are then held
//! against the node's own median, so that they are not blamed for it.

use super::drive::DriveRun;
use super::groups::{Group, GroupFigure, believed_spread};
use super::limit::{FEWEST, limit, share_below};
use crate::stats::median;
use serde::Serialize;
use std::collections::BTreeMap;

/// Probability with which anything is named in a fleet without a slow drive or node.
pub const FALSE_ALARM: f64 = 0.025;
/// Less is no fault, however alike the others are. Share below the median.
pub const LEAST_BELOW: f64 = 0.05;
/// A node with fewer drives is never called slow.
const FEWEST_OF_NODE: usize = 2;

/// A node whose drives are slow together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlowNode {
    pub node: String,
    /// Drives that were measured there, and those of them that are slow.
    pub drives: usize,
    pub slow: usize,
    /// Share below the median of drives like them: the median of its drives.
    pub below: f64,
}

/// A drive that is slower than drives like it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SlowDrive {
    /// Position in the list of runs.
    pub run: usize,
    /// Figures by their position in the group, with the share below the median; none where only the mean of all figures is low.
    pub figures: Vec<(usize, f64)>,
    /// Share below the median, of all figures together.
    pub below: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Slow {
    pub nodes: Vec<SlowNode>,
    pub drives: Vec<SlowDrive>,
    /// Figures, means and nodes that were tested.
    pub tests: usize,
}

/// Finds both, and puts the limits into the groups.
pub(super) fn slow(runs: &[DriveRun], groups: &mut [Group]) -> Slow {
    let mut means: Vec<Vec<(usize, f64)>> = groups.iter().map(means).collect();
    let mut nodes = nodes(runs, &means);
    let tests = count(groups, &means, nodes.len());
    let probability = FALSE_ALARM / tests.max(1) as f64;
    retain_slow(&mut nodes, probability);
    let shifts: BTreeMap<&str, f64> = nodes.iter().map(|node| (node.name, node.shift)).collect();
    let slow_node = |run: usize| shifts.get_key_value(runs[run].node.as_str()).map(|(node, shift)| (*node, *shift));
    let mut drives = Vec::new();
    for (group, means) in groups.iter_mut().zip(&mut means) {
        means.iter_mut().for_each(|(run, mean)| *mean -= slow_node(*run).map_or(0.0, |(_, shift)| shift));
        drives.extend(slow_drives(group, means, probability, &slow_node));
    }
    let mut found: Vec<SlowNode> = nodes.iter().map(NodeMeans::named).collect();
    let mut rest = slow_by_their_drives(runs, &means, &drives);
    rest.retain(|node| found.iter().all(|known| known.node != node.node));
    drives.retain(|drive| !rest.iter().any(|node| node.node == runs[drive.run].node));
    found.extend(rest);
    Slow { nodes: found, drives, tests }
}

/// The mean deviation of each drive over the figures that enough drives have.
fn means(group: &Group) -> Vec<(usize, f64)> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for figure in group.figures.iter().filter(|figure| figure.is_testable()) {
        for ((run, _), deviation) in figure.values.iter().zip(&figure.deviations) {
            let sum = sums.entry(*run).or_default();
            *sum = (sum.0 + deviation, sum.1 + 1.0);
        }
    }
    let means: Vec<(usize, f64)> = sums.into_iter().map(|(run, (sum, figures))| (run, sum / figures)).collect();
    let middle = median(&means.iter().map(|(_, mean)| *mean).collect::<Vec<_>>()).unwrap_or(0.0);
    means.into_iter().map(|(run, mean)| (run, mean - middle)).collect()
}

fn count(groups: &[Group], means: &[Vec<(usize, f64)>], nodes: usize) -> usize {
    let testable =
        |group: &Group| group.figures.iter().filter(|figure| figure.is_testable()).map(|figure| figure.values.len()).sum::<usize>();
    let has_mean = |means: &&Vec<(usize, f64)>| means.len() >= FEWEST;
    groups.iter().map(testable).sum::<usize>() + means.iter().filter(has_mean).map(Vec::len).sum::<usize>() + nodes
}

/// A node with the means of its drives.
struct NodeMeans<'a> {
    name: &'a str,
    means: Vec<f64>,
    /// The median of them.
    shift: f64,
    /// The same in standard deviations of drives like them.
    standard: f64,
}

impl NodeMeans<'_> {
    fn slow(&self) -> usize {
        self.means.iter().filter(|mean| **mean <= self.shift / 2.0).count()
    }

    fn named(&self) -> SlowNode {
        SlowNode { node: self.name.to_owned(), drives: self.means.len(), slow: self.slow(), below: share_below(self.shift) }
    }
}

/// Nodes with several drives; none where they are too few to be held against each other.
fn nodes<'a>(runs: &'a [DriveRun], means: &[Vec<(usize, f64)>]) -> Vec<NodeMeans<'a>> {
    let mut by_node: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for group in means.iter().filter(|group| group.len() >= FEWEST) {
        let spread = believed_spread(&group.iter().map(|(_, mean)| *mean).collect::<Vec<_>>());
        for (run, mean) in group {
            let (plain, standard) = by_node.entry(runs[*run].node.as_str()).or_default();
            plain.push(*mean);
            standard.push(mean / spread);
        }
    }
    let node = |(name, (means, standard)): (&'a str, (Vec<f64>, Vec<f64>))| {
        let (shift, standard) = (median(&means)?, median(&standard)?);
        (means.len() >= FEWEST_OF_NODE).then_some(NodeMeans { name, means, shift, standard })
    };
    let nodes: Vec<NodeMeans> = by_node.into_iter().filter_map(node).collect();
    if nodes.len() >= FEWEST { nodes } else { Vec::new() }
}

/// Keeps the nodes of which most drives are low together, against other nodes.
fn retain_slow(nodes: &mut Vec<NodeMeans>, probability: f64) {
    let Some(middle) = median(&nodes.iter().map(|node| node.standard).collect::<Vec<_>>()) else { return };
    let distances: Vec<f64> = nodes.iter().map(|node| node.standard - middle).collect();
    let low = -limit(nodes.len(), probability) * super::limit::spread(&distances);
    let mut distances = distances.into_iter();
    nodes.retain(|node| {
        let is_low = distances.next().is_some_and(|distance| distance < low);
        is_low && share_below(node.shift) >= LEAST_BELOW && node.slow() * 3 >= node.means.len() * 2
    });
}

/// The slow node of a run, with its shift; `None` on any other node.
type NodeOf<'a> = &'a dyn Fn(usize) -> Option<(&'a str, f64)>;

/// Deviations of a figure, those of a slow node from the median of its own drives; of a single one from what is known of the node.
fn own_deviations(figure: &GroupFigure, slow_node: NodeOf) -> Vec<f64> {
    let mut by_node: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let all = || figure.values.iter().zip(&figure.deviations).map(|((run, _), deviation)| (slow_node(*run), *deviation));
    all()
        .filter_map(|(node, deviation)| Some((node?.0, deviation)))
        .for_each(|(node, deviation)| by_node.entry(node).or_default().push(deviation));
    let shift = |(node, shift): (&str, f64)| match &by_node[node] {
        several if several.len() >= FEWEST_OF_NODE => median(several).unwrap_or(shift),
        _ => shift,
    };
    all().map(|(node, deviation)| deviation - node.map_or(0.0, shift)).collect()
}

fn slow_drives(group: &mut Group, means: &[(usize, f64)], probability: f64, slow_node: NodeOf) -> Vec<SlowDrive> {
    let low_of = |deviations: &[f64]| (-limit(deviations.len(), probability) * believed_spread(deviations)).min((1.0 - LEAST_BELOW).ln());
    let mut found: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, figure) in group.figures.iter_mut().enumerate().filter(|(_, figure)| figure.is_testable()) {
        let own = own_deviations(figure, slow_node);
        let low = low_of(&own);
        figure.limit = Some(low);
        for ((run, _), deviation) in figure.values.iter().zip(&own).filter(|(_, deviation)| **deviation < low) {
            found.entry(*run).or_default().push((at, share_below(*deviation)));
        }
    }
    if means.len() >= FEWEST {
        let low = low_of(&means.iter().map(|(_, mean)| *mean).collect::<Vec<_>>());
        for (run, _) in means.iter().filter(|(_, mean)| *mean < low) {
            found.entry(*run).or_default();
        }
    }
    let mean_of = |run: usize| means.binary_search_by_key(&run, |(of, _)| *of).map_or(0.0, |at| share_below(means[at].1));
    found.into_iter().map(|(run, figures)| SlowDrive { run, figures, below: mean_of(run) }).collect()
}

/// Nodes of which most drives were named one by one, where nodes are too few to be held against each other.
fn slow_by_their_drives(runs: &[DriveRun], means: &[Vec<(usize, f64)>], drives: &[SlowDrive]) -> Vec<SlowNode> {
    let mut measured: BTreeMap<&str, usize> = BTreeMap::new();
    means.iter().flatten().for_each(|(run, _)| *measured.entry(&runs[*run].node).or_default() += 1);
    let mut slow: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    drives.iter().for_each(|drive| slow.entry(&runs[drive.run].node).or_default().push(drive.below));
    let is_of_node =
        |(name, slow): &(&str, Vec<f64>)| slow.len() >= FEWEST_OF_NODE && slow.len() * 3 >= measured[name] * 2 && measured.len() > 1;
    let node = |(name, slow): (&str, Vec<f64>)| SlowNode {
        node: name.to_owned(),
        drives: measured[name],
        slow: slow.len(),
        below: median(&slow).unwrap_or_default(),
    };
    slow.into_iter().filter(is_of_node).map(node).collect()
}
