//! Sentences on a fleet.

use super::drive::DriveRun;
use super::faults::{Fault, FaultKind, first_few};
use super::groups::Group;
use super::limit::{FEWEST, share_below};
use super::outliers::{FALSE_ALARM, LEAST_BELOW, SlowDrive};
use super::{FaultyDrive, SlowNode};
use crate::text::counted;
use crate::units::{decimal_size, percent};
use std::collections::BTreeMap;

/// A drive that is slow, with its figures beside those of drives like it.
pub(super) fn slow(group: &Group, drive: &SlowDrive) -> Fault {
    let of_figure = |(at, below): &(usize, f64)| {
        let figure = &group.figures[*at];
        let own = figure.values.binary_search_by_key(&drive.run, |(run, _)| *run).map(|at| figure.metric.show(figure.values[at].1));
        let (own, median) = (own.unwrap_or_default(), figure.metric.show(figure.median));
        format!("{}: {own}, {} slower than the median {median} of {}", figure.name, percent(*below), figure.values.len())
    };
    let mut figures = drive.figures.clone();
    figures.sort_by(|a, b| b.1.total_cmp(&a.1));
    let texts: Vec<String> = figures.iter().map(of_figure).collect();
    let text =
        if texts.is_empty() { format!("all figures together: {} slower than the median", percent(drive.below)) } else { first_few(&texts) };
    Fault { kind: FaultKind::Slow, text }
}

impl SlowNode {
    /// The node in a sentence.
    pub fn sentence(&self) -> String {
        let Self { node, drives, slow, below } = self;
        format!(
            "{node}: {slow} of {drives} drives are slow together, {} below drives like them elsewhere: look at the node (CPU, memory, firmware settings, slots), not at the drives",
            percent(*below)
        )
    }
}

/// Nodes of which most drives have the same fault.
pub(super) fn nodes_of_faults(runs: &[DriveRun], faulty: &[FaultyDrive]) -> Vec<String> {
    let mut drives: BTreeMap<&str, usize> = BTreeMap::new();
    runs.iter().for_each(|run| *drives.entry(&run.node).or_default() += 1);
    let mut found: BTreeMap<(&str, FaultKind), usize> = BTreeMap::new();
    for drive in faulty {
        drive.faults.iter().for_each(|fault| *found.entry((&drive.node, fault.kind)).or_default() += 1);
    }
    let is_most = |((node, _), count): &((&str, FaultKind), usize)| *count >= 2 && *count * 3 >= drives[node] * 2 && drives.len() > 1;
    let sentence = |((node, kind), count): ((&str, FaultKind), usize)| {
        format!("{node}: {count} of its {} drives have one fault ({}): look at the node first", drives[node], kind.title())
    };
    found.into_iter().filter(is_most).map(sentence).collect()
}

/// Mixed firmware, wear, and groups that are too small to be compared.
pub(super) fn notes(runs: &[DriveRun], groups: &[Group]) -> Vec<String> {
    let firmware = groups.iter().filter_map(|group| mixed_firmware(runs, group));
    let small: Vec<&Group> = groups.iter().filter(|group| group.members.len() < FEWEST).collect();
    let small_drives: usize = small.iter().map(|group| group.members.len()).sum();
    let small = (small_drives > 0).then(|| {
        format!(
            "{} of models with fewer than {FEWEST} drives of one capacity are not compared with others",
            counted(small_drives as u64, "drive")
        )
    });
    firmware.chain(mixed_programs(runs)).chain(wear(runs)).chain(worn(runs)).chain(small).collect()
}

/// `MODEL 2 TB: mixed firmware, 8DV10171 on 20 drives, 8DV10131 on 4 drives`.
fn mixed_firmware(runs: &[DriveRun], group: &Group) -> Option<String> {
    let each = mixed(group.members.iter().map(|run| runs[*run].firmware.as_str()))?;
    Some(format!("{} {}: mixed firmware, {each}", group.model, decimal_size(group.capacity_bytes)))
}

fn mixed_programs(runs: &[DriveRun]) -> Option<String> {
    let each = mixed(runs.iter().map(|run| run.program_version.as_str()))?;
    Some(format!("measured by different versions of ioproof: {each}"))
}

/// Versions with the drives of each, the most usual first; `None` where all are alike.
fn mixed<'a>(all: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut versions: BTreeMap<&str, u64> = BTreeMap::new();
    all.filter(|version| !version.is_empty()).for_each(|version| *versions.entry(version).or_default() += 1);
    let mut versions: Vec<(&str, u64)> = versions.into_iter().collect();
    versions.sort_by_key(|(_, drives)| std::cmp::Reverse(*drives));
    let each: Vec<String> = versions.iter().map(|(version, drives)| format!("{version} on {}", counted(*drives, "drive"))).collect();
    (each.len() > 1).then(|| each.join(", "))
}

/// The endurance that is used: the median, and the most with its drive.
fn wear(runs: &[DriveRun]) -> Option<String> {
    let used: Vec<(f64, &DriveRun)> = runs.iter().filter_map(|run| Some((run.used_percent?, run))).collect();
    let (most, drive) = used.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let median = crate::stats::median(&used.iter().map(|(used, _)| *used).collect::<Vec<_>>())?;
    Some(format!("wear: {median:.0} % of the endurance used at the median, {most:.0} % at most ({} on {})", drive.name(), drive.node))
}

/// Drives that are worn or to be watched by their own account.
fn worn(runs: &[DriveRun]) -> Option<String> {
    let named = |word: &str| -> Vec<String> {
        runs.iter().filter(|run| run.health == word).map(|run| format!("{} on {}", run.name(), run.node)).collect()
    };
    let each = [("worn", named("worn")), ("to watch", named("watch"))].into_iter().filter(|(_, drives)| !drives.is_empty());
    let each: Vec<String> = each.map(|(word, drives)| format!("{} {word}: {}", drives.len(), first_few(&drives))).collect();
    (!each.is_empty()).then(|| format!("by their own account {}", each.join("; ")))
}

/// The method of comparison, in sentences.
pub(super) fn method(groups: &[Group], tests: usize) -> Vec<String> {
    if tests == 0 {
        return vec![format!("No drive is compared with others: that takes {FEWEST} drives of one model and capacity with the same load.")];
    }
    let limits = groups.iter().flat_map(|group| &group.figures).filter_map(|figure| figure.limit).map(share_below);
    let (least, most) = limits.fold((f64::INFINITY, 0.0_f64), |(least, most), share| (least.min(share), most.max(share)));
    let range = match (percent(least), percent(most)) {
        _ if !least.is_finite() => String::new(),
        (least, most) if least == most => format!(" Here that is {least}."),
        (least, most) => format!(" Here that is {least} to {most}, by figure."),
    };
    vec![
        format!(
            "Drives of one model and capacity are compared by each figure, and by the mean of all. Slow is a drive that is far below the median, by the median of absolute deviations (MAD), and at least {} below.{range}",
            percent(LEAST_BELOW)
        ),
        format!(
            "Limits are corrected for {} (Bonferroni): of a hundred fleets without a fault, {} name anything by chance.",
            counted(tests as u64, "test"),
            FALSE_ALARM * 100.0
        ),
        format!(
            "A node is slow where most of its drives are low together, against other nodes; it takes {FEWEST} nodes with two drives each. Where a node has one drive, either may be the reason."
        ),
    ]
}
