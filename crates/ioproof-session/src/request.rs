//! Requests: what was asked for, settled once, as three values. What is to be run is the plan, what may be written of a target its consent; where results go is for
//! whoever asks. Nothing here or below has a command line.

mod extent;
mod kind;
mod latency_target;
mod load;
mod openings;
mod standard;

pub use extent::TargetExtent;
pub use kind::RunKind;
pub use latency_target::LatencyTarget;
pub use load::LoadRequest;
pub use openings::Openings;
pub use standard::{PurgeWish, StandardRequest};

use ioproof_core::policy::Policy;
use ioproof_pages::health::Admission;
use ioproof_target::Consent;
use std::path::PathBuf;
use std::time::Duration;

/// A request to measure one target, or several in one run.
#[derive(Debug, Clone)]
pub struct SessionRequest {
    /// The targets; of two in turns the one to compare with first. At least one.
    pub targets: Vec<TargetRequest>,
    pub plan: PlanRequest,
}

/// One target, and what may be written of it.
#[derive(Debug, Clone, Default)]
pub struct TargetRequest {
    /// A directory, a file or a device; none: a scratch file in `dir` or here.
    pub path: Option<PathBuf>,
    /// Directory of the scratch file.
    pub dir: Option<PathBuf>,
    pub consent: Consent,
}

/// The work that was asked for, the same on each target.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    pub kind: RunKind,
    pub load: LoadRequest,
    /// Size of the scratch file, or the part of the target that is used.
    pub size: Option<TargetExtent>,
    /// First byte that is used, where it was named.
    pub offset_bytes: Option<u64>,
    pub time: Option<Duration>,
    pub runs: Option<u32>,
    pub quick: bool,
    pub datasheet: Option<String>,
    /// State that the drive must be in.
    pub admit: Option<Admission>,
    /// Bring the target to steady state before its writes are measured.
    pub precondition: bool,
    pub policy: Policy,
    /// Seed of offsets, data and the order of rounds. Below 2^53, so that every reader of JSON gives the same number back.
    pub seed: u64,
    /// An I/O outstanding for longer ends the run as hung. Nanoseconds.
    pub io_timeout_ns: u64,
    /// The command line as typed, for the record.
    pub command: Vec<String>,
}

impl PlanRequest {
    /// True where time ends it, not only the number of runs.
    pub fn is_time_limited(&self) -> bool {
        self.runs.is_none() || self.time.is_some() || self.quick
    }
}
