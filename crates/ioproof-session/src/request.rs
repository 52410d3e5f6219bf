//! Requests: what was asked for, settled once, as three values. What is to be run is the plan, what may be written of a target its consent; where results go is for
//! whoever asks. Nothing here or below has a command line.

mod extent;
mod latency_target;
mod load;
mod openings;
mod standard;

pub use extent::TargetExtent;
pub use latency_target::LatencyTarget;
pub use load::LoadRequest;
pub use openings::Openings;
pub use standard::{PurgeWish, StandardRequest};

use crate::spdk_perf::SpdkPerf;
use ioproof_core::policy::Policy;
use ioproof_core::record::{RunRecord, verbs};
use ioproof_core::syncs::Goal;
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

/// The way in which workloads become stages.
#[derive(Debug, Clone)]
pub enum RunKind {
    /// Rounds of the plan's workloads.
    Verify,
    /// The same on two targets in turns, which are compared.
    InTurns,
    /// The same on each of several targets alone, and on all of them at once.
    AtOnce,
    Sweep {
        /// All cells are measured, also those that would only queue.
        full: bool,
        /// SPDK's program, which runs the cells of the own driver too.
        with: Option<SpdkPerf>,
        taken_up: Option<Box<RunRecord>>,
    },
    /// Ways of making writes durable, and the limits that they are held against.
    Sync(Vec<Goal>),
    Layers,
    /// The tests of a standard.
    Standard(Box<StandardRequest>),
}

impl RunKind {
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Verify | Self::InTurns | Self::AtOnce | Self::Standard(_) => verbs::VERIFY,
            Self::Sweep { .. } => verbs::SWEEP,
            Self::Sync(_) => verbs::SYNC,
            Self::Layers => verbs::LAYERS,
        }
    }

    /// Limits that workloads are held against.
    pub fn goals(&self) -> &[Goal] {
        if let Self::Sync(goals) = self { goals } else { &[] }
    }

    /// The interrupted run that this one goes on with.
    pub fn taken_up(&self) -> Option<&RunRecord> {
        match self {
            Self::Sweep { taken_up, .. } => taken_up.as_deref(),
            Self::Standard(request) => request.taken_up.as_deref(),
            _ => None,
        }
    }

    /// The tests of a standard; none of other kinds.
    pub fn standard(&self) -> Option<&StandardRequest> {
        if let Self::Standard(request) = self { Some(request) } else { None }
    }

    /// Rounds of a turn on so many targets; 1 where there are no turns.
    pub fn steps(&self, targets: usize) -> usize {
        match self {
            Self::InTurns => targets,
            Self::AtOnce => targets + 1,
            _ => 1,
        }
    }
}
