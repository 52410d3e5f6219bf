//! The state of a fleet: `state.json`. Only what cannot be found out again is in it; results are in the folders of the nodes.

use crate::end::ClockOffset;
use crate::plan::Launcher;
use serde::{Deserialize, Serialize};

/// The content of `state.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetState {
    /// [`SCHEMA_VERSION`](crate::SCHEMA_VERSION) of the writer.
    pub schema_version: u32,
    /// Id of the fleet, sortable by when it began: `20261121-031500-128-3f9a`.
    pub id: String,
    /// The way in which its nodes are reached.
    pub launcher: Launcher,
    /// When it began, RFC 3339.
    pub began_at: String,
    /// When all nodes begin, RFC 3339, where they start together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<String>,
    /// The nodes, in the order of the plan.
    pub nodes: Vec<NodeState>,
}

impl FleetState {
    /// When all nodes begin, where they start together. Nanoseconds since 1970.
    #[must_use]
    pub fn start_at_ns(&self) -> Option<i64> {
        let at: jiff::Timestamp = self.start_at.as_ref()?.parse().ok()?;
        i64::try_from(at.as_nanosecond()).ok()
    }
}

/// A node of a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeState {
    /// Its name in the plan, which is that of its folder.
    pub name: String,
    /// Switch or chassis that it shares with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its state.
    pub phase: Phase,
    /// Reason of the last failure or of the wait, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Clock of the node against the one here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockOffset>,
    /// Its attempts, at most two.
    pub attempts: Vec<Attempt>,
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Its next attempt has not begun.
    Waiting,
    /// An attempt was handed over to the launcher.
    Running,
    /// It has ended, and its files are here.
    Done,
    /// Its attempts are used up.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// An attempt to measure a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The launcher's name of it: a Slurm job, or the folder of a process.
    pub handle: String,
    /// When it was handed over, RFC 3339.
    pub began_at: String,
    /// When its end was noticed, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Reason of its failure, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Attempts that a node has.
pub(crate) const MOST_ATTEMPTS: usize = 2;

impl Phase {
    /// In a word.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// True where nothing more will happen.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

impl NodeState {
    /// A node that has not begun.
    #[must_use]
    pub fn new(name: &str, group: Option<&str>) -> Self {
        let group = group.map(str::to_owned);
        Self { name: name.to_owned(), group, phase: Phase::Waiting, reason: None, clock: None, attempts: Vec::new() }
    }

    /// Notes that the attempt under way failed: the node waits for the next one, if there is one.
    pub fn fail(&mut self, now: &str, why: &str) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended_at = Some(now.to_owned());
            attempt.failure = Some(why.to_owned());
        }
        self.reason = Some(why.to_owned());
        self.phase = if self.attempts.len() < MOST_ATTEMPTS { Phase::Waiting } else { Phase::Failed };
    }

    /// Ends it.
    pub fn end(&mut self, now: &str, phase: Phase) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended_at.get_or_insert_with(|| now.to_owned());
        }
        if phase == Phase::Done {
            self.reason = None;
        }
        self.phase = phase;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_failed_is_tried_once_more() {
        let mut node = NodeState::new("n1", None);
        let mut phases = Vec::new();
        for _ in 0..2 {
            node.attempts.push(Attempt { handle: "1".into(), began_at: "t".into(), ended_at: None, failure: None });
            node.phase = Phase::Running;
            node.fail("u", "it died");
            phases.push(node.phase);
        }
        assert_eq!(phases, [Phase::Waiting, Phase::Failed]);
        assert!(node.attempts.iter().all(|attempt| attempt.failure.as_deref() == Some("it died")));
    }
}
