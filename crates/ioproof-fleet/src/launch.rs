//! The seam between a fleet and what runs its nodes. One file a launcher: `hosts` are shells, here or over ssh; `slurm` is its scheduler.

mod hosts;
mod shell;
mod slurm;
mod work;

use crate::end::ClockOffset;
use crate::plan::NodePlan;
use crate::state::FleetState;
use anyhow::Result;

pub use hosts::Hosts;
pub use slurm::Slurm;

/// An attempt of a node, as a launcher knows it.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The node.
    pub node: &'a NodePlan,
    /// Number of the attempt, from 1.
    pub attempt: usize,
    /// Name that the launcher gave to it; empty before.
    pub handle: &'a str,
}

/// The state of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It waits, for this reason.
    Queued(String),
    /// It runs.
    Running,
    /// Its last file is written.
    Ended,
    /// It is gone, and has not written its last file.
    Died(String),
    /// Nobody could be asked.
    Unknown(String),
}

/// An attempt that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Name by which it is found again.
    pub handle: String,
    /// Clock of the node, where it was measured.
    pub clock: Option<ClockOffset>,
}

/// Something that runs nodes. Every call may be repeated: what has begun is not begun again.
pub trait Launch {
    /// True where it keeps the plan's limits itself, so that all nodes are handed over at once.
    fn keeps_limits(&self) -> bool;

    /// Begins attempts; a result for each.
    fn begin(&self, state: &FleetState, parts: &[Part<'_>]) -> Vec<Result<Begun>>;

    /// Looks at attempts that have begun; an answer for each.
    fn look(&self, parts: &[Part<'_>]) -> Vec<Seen>;

    /// Brings the files of a node into its folder.
    ///
    /// # Errors
    /// When that fails, or a file is damaged after a second try.
    fn fetch(&self, part: Part<'_>) -> Result<()>;

    /// Ends an attempt; its report is waited for a moment.
    ///
    /// # Errors
    /// When it cannot be reached.
    fn cancel(&self, part: Part<'_>) -> Result<()>;

    /// Removes what is left of an attempt where it ran.
    ///
    /// # Errors
    /// When it cannot be reached.
    fn clean(&self, part: Part<'_>) -> Result<()>;

    /// Clock of a node that has begun at this time by its own account, RFC 3339.
    fn clock(&self, _part: Part<'_>, _started_at: &str) -> Option<ClockOffset> {
        None
    }
}
