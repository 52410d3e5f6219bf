//! A job: a workload with a place, a time and a seed. This is what the engine is given.

use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// The part of the target that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub offset_bytes: u64,
    /// Length in bytes.
    pub length_bytes: u64,
}

/// When a job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// After this many nanoseconds of measurement, which follow the ramp.
    ElapsedNs(u64),
    /// After every block of the span was visited once by one of the workers.
    SpanCovered,
}

/// One job for the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// The conditions.
    pub workload: Workload,
    /// Where on the target.
    pub span: Span,
    /// I/O before the measurement begins; its results are dropped. Nanoseconds.
    pub ramp_ns: u64,
    /// When it ends.
    pub until: Until,
    /// Seed of offsets and data, so that the same job visits the same blocks again.
    pub seed: u64,
    /// An I/O outstanding for longer than this ends the job as hung. Nanoseconds.
    pub io_timeout_ns: u64,
    /// The job ends after this many failed I/Os.
    pub error_limit: u64,
}
