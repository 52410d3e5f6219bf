//! Kinds of runs. A further one is a variant and a row here; whatever stages it has of its own are a source (`../sources/`).

use super::StandardRequest;
use crate::spdk_perf::SpdkPerf;
use ioproof_core::record::{RunRecord, verbs};
use ioproof_core::syncs::Goal;
use std::time::Duration;

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

/// The traits of a kind that its plan, its estimates and its first words go by. One that differs from `verify` in a few is a row of few fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KindRow {
    /// Name of the verb, as the record has it.
    pub verb: &'static str,
    /// Beginning of the line that is said when the run begins.
    pub doing: &'static str,
    /// Time for everything where none was named: on a scratch file, and on a device or a file that exists.
    pub time: [Duration; 2],
    /// True where its workloads run in the order of the plan.
    pub in_order: bool,
    /// True where its workloads are cells of series.
    pub has_series: bool,
    /// True where its figures are held against each other, so that each needs an interval.
    pub needs_intervals: bool,
    /// True where a datasheet would judge it.
    pub takes_datasheet: bool,
    /// Advice where the time is too short for all of it.
    pub fewer: &'static str,
}

const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// On a device or a file that exists all is measured thoroughly.
const VERIFY: KindRow = KindRow {
    verb: verbs::VERIFY,
    doing: "verifying",
    time: [minutes(1), minutes(10)],
    in_order: false,
    has_series: false,
    needs_intervals: false,
    takes_datasheet: true,
    fewer: "fewer workloads (--rw)",
};

/// Its cells are many.
const SWEEP: KindRow = KindRow {
    verb: verbs::SWEEP,
    doing: "sweeping",
    time: [minutes(5), minutes(5)],
    has_series: true,
    fewer: "fewer cells (--rw, --depth, --workers, --bs)",
    ..VERIFY
};

/// On what is no scratch file more is filled first.
const SYNC: KindRow = KindRow {
    verb: verbs::SYNC,
    doing: "measuring durable writes on",
    time: [minutes(1), minutes(3)],
    in_order: true,
    needs_intervals: true,
    fewer: SWEEP.fewer,
    ..VERIFY
};

/// Layers are held against one another, and take no datasheet.
const LAYERS: KindRow = KindRow {
    verb: verbs::LAYERS,
    time: SWEEP.time,
    takes_datasheet: false,
    fewer: "fewer turns (--runs), databases (--db) or directories (--dir)",
    ..VERIFY
};

/// Its tests come one after the other.
const STANDARD: KindRow = KindRow { in_order: true, ..VERIFY };

impl RunKind {
    pub(crate) fn row(&self) -> &'static KindRow {
        match self {
            Self::Verify | Self::InTurns | Self::AtOnce => &VERIFY,
            Self::Sweep { .. } => &SWEEP,
            Self::Sync(_) => &SYNC,
            Self::Layers => &LAYERS,
            Self::Standard(_) => &STANDARD,
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
