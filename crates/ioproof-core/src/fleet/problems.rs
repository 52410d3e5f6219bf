//! Results that are missing or in doubt, and drives that were measured twice.

use super::drive::DriveRun;
use crate::moment::unix_seconds;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A result that is missing or in doubt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The node, or the file below the fleet's folder.
    pub place: String,
    pub text: String,
    /// True where a drive of the fleet has no result by it.
    pub is_missing: bool,
}

impl Problem {
    /// A result that the fleet lacks.
    pub fn missing(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { place: place.into(), text: text.into(), is_missing: true }
    }

    /// Something that a reader must know, by which no result is lost.
    pub fn note(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { place: place.into(), text: text.into(), is_missing: false }
    }
}

/// Runs by node and drive, of each drive the newest. A drive without a serial number is one of its node.
pub fn each_once(mut runs: Vec<DriveRun>) -> (Vec<DriveRun>, Vec<Problem>) {
    runs.sort_by(|a, b| (&a.node, a.name(), &a.run_id).cmp(&(&b.node, b.name(), &b.run_id)));
    let began = |run: &DriveRun| unix_seconds(&run.started_at).unwrap_or(f64::NEG_INFINITY);
    let key = |run: &DriveRun| match run.serial.is_empty() {
        true => (run.node.clone(), run.file.clone()),
        false => (String::new(), format!("{}\n{}", run.model, run.serial)),
    };
    let mut newest: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        let kept = newest.entry(key(run)).or_insert(at);
        if began(run) > began(&runs[*kept]) {
            *kept = at;
        }
    }
    let kept: BTreeSet<usize> = newest.values().copied().collect();
    let left_out = |(_, run): (usize, &DriveRun)| {
        let other = &runs[newest[&key(run)]];
        let text = match run.node == other.node {
            true => format!("left out: {} was measured again ({})", run.name(), other.run_id),
            false => format!(
                "left out: the serial number {} is that of a newer run on {} too; a drive that moved, or two with one number",
                run.name(),
                other.node
            ),
        };
        Problem::note(format!("{}/{}", run.node, run.file), text)
    };
    let problems = runs.iter().enumerate().filter(|(at, _)| !kept.contains(at)).map(left_out).collect();
    (runs.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, run)| run).collect(), problems)
}
