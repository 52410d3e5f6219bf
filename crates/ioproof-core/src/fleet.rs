//! A fleet: runs of many drives, judged beside one another. Which drives miss or fail, which are slow among drives like them, and which node is slow rather than
//! its drives.
//!
//! Everything follows from the small facts of each run ([`DriveRun`]). Reading files, and waiting for nodes, is for others.

mod drive;
mod faults;
mod groups;
mod limit;
mod outliers;
mod problems;
mod tables;
#[cfg(test)]
mod tests;
mod words;

pub use drive::{DriveFigure, DriveRun, UNKNOWN};
pub use faults::{Fault, FaultKind};
pub use groups::{Group, GroupFigure};
pub use outliers::{FALSE_ALARM, LEAST_BELOW, SlowNode};
pub use problems::{Problem, each_once};
pub use tables::tables;

use crate::verdict::Verdict;
use outliers::SlowDrive;
use serde::Serialize;
use std::collections::BTreeMap;

/// The judgement of a fleet.
#[derive(Debug, Clone, Serialize)]
pub struct Fleet {
    /// Drives that were measured.
    pub drives: usize,
    /// Nodes that they were measured on.
    pub nodes: usize,
    /// Drives with a fault, the gravest first.
    pub faulty: Vec<FaultyDrive>,
    pub slow_nodes: Vec<SlowNode>,
    /// Results that are missing or in doubt.
    pub problems: Vec<Problem>,
    /// Facts that are no fault and worth knowing, a sentence each.
    pub notes: Vec<String>,
    /// The method of comparison and its rate of false alarms, a sentence each.
    pub method: Vec<String>,
    pub exit_status: u8,
    pub exit_reason: String,
    /// Drives that are held against each other.
    #[serde(skip)]
    pub groups: Vec<Group>,
}

/// A drive with its faults.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultyDrive {
    /// Position in the list of runs.
    #[serde(skip)]
    pub run: usize,
    pub node: String,
    /// The serial number, else the name of its file.
    pub drive: String,
    pub model: String,
    pub firmware: String,
    pub faults: Vec<Fault>,
}

/// Judges the runs of a fleet, each drive once; `problems` are those of reading it.
pub fn judge_fleet(runs: &[DriveRun], problems: Vec<Problem>) -> Fleet {
    let mut groups = groups::groups(runs);
    let slow = outliers::slow(runs, &mut groups);
    let (faults, link_notes) = faults_of(runs, &groups, &slow.drives);
    let mut faulty: Vec<FaultyDrive> = faults.into_iter().map(|(run, faults)| FaultyDrive::new(run, &runs[run], faults)).collect();
    faulty.sort_by_key(|drive| drive.faults.first().map(|fault| fault.kind));
    let nodes = runs.iter().map(|run| run.node.as_str()).collect::<std::collections::BTreeSet<_>>().len();
    let (exit_status, exit_reason) = status(runs, &faulty, &slow.nodes, &problems);
    Fleet {
        drives: runs.len(),
        nodes,
        notes: words::notes(runs, &groups).into_iter().chain(link_notes).chain(words::nodes_of_faults(runs, &faulty)).collect(),
        method: words::method(&groups, slow.tests),
        faulty,
        slow_nodes: slow.nodes,
        problems,
        exit_status,
        exit_reason,
        groups,
    }
}

impl FaultyDrive {
    fn new(run: usize, of: &DriveRun, mut faults: Vec<Fault>) -> Self {
        faults.sort_by_key(|fault| fault.kind);
        Self { run, node: of.node.clone(), drive: of.name().to_owned(), model: of.model.clone(), firmware: of.firmware.clone(), faults }
    }
}

/// All faults of each drive that has any, and notes on links.
fn faults_of(runs: &[DriveRun], groups: &[Group], slow: &[SlowDrive]) -> (BTreeMap<usize, Vec<Fault>>, Vec<String>) {
    let mut faults: BTreeMap<usize, Vec<Fault>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        let own = faults::by_itself(run);
        if !own.is_empty() {
            faults.insert(at, own);
        }
    }
    let mut notes = Vec::new();
    for group in groups {
        let (links, note) = faults::slow_links(runs, group);
        links.into_iter().for_each(|(run, fault)| faults.entry(run).or_default().push(fault));
        notes.extend(note);
        let of_group = slow.iter().filter(|drive| group.members.binary_search(&drive.run).is_ok());
        of_group.for_each(|drive| faults.entry(drive.run).or_default().push(words::slow(group, drive)));
    }
    (faults, notes)
}

/// The exit status, and the reason for it.
fn status(runs: &[DriveRun], faulty: &[FaultyDrive], slow_nodes: &[SlowNode], problems: &[Problem]) -> (u8, String) {
    let open = runs.iter().filter(|run| run.exit_status > 1).count();
    let missing = problems.iter().filter(|problem| problem.is_missing).count();
    let count = |n: usize, thing: &str| crate::text::counted(n as u64, thing);
    match () {
        () if !faulty.is_empty() && !slow_nodes.is_empty() => {
            (1, format!("{} at fault, {}", count(faulty.len(), "drive"), count(slow_nodes.len(), "slow node")))
        }
        () if !faulty.is_empty() => (1, format!("{} at fault", count(faulty.len(), "drive"))),
        () if !slow_nodes.is_empty() => (1, count(slow_nodes.len(), "slow node")),
        () if runs.is_empty() => (3, "no drive was measured".into()),
        () if missing > 0 => (3, format!("{} missing", count(missing, "result"))),
        () if open > 0 => (3, format!("{} cannot be told", count(open, "drive"))),
        () if runs.iter().any(|run| run.with_verdict(Verdict::Meets).next().is_some()) => (0, "no fault; no claim missed".into()),
        () => (0, "no fault; nothing was promised".into()),
    }
}
