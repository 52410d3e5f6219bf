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
    /// After each worker has started so many I/Os.
    Ios(u64),
    /// After each worker has started so many bytes.
    Bytes(u64),
}

/// Where workers stand: on which CPUs, in which memory, on which part of the target.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Placement {
    /// CPUs that a worker may run on; worker `n` takes the list at `n` modulo their number. Empty: wherever the kernel likes.
    pub cpus: Vec<Vec<u32>>,
    /// Whether buffers are asked for in huge pages.
    pub huge_pages: bool,
    /// Parts of the target by worker, taken as `cpus` are. Empty: all work on the job's span.
    pub spans: Vec<Span>,
}

/// What is recorded beyond counts and latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recording {
    /// Whether I/O is timed at all. Without, there are counts only; to find out what timing costs.
    pub latency: bool,
    /// Whether latency is also split into submission (until the kernel has accepted) and completion (from then on), as fio's slat and clat.
    /// It takes one more system call a batch.
    pub split: bool,
}

impl Default for Recording {
    fn default() -> Self {
        Self { latency: true, split: false }
    }
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
    /// Where workers stand.
    #[serde(default)]
    pub placement: Placement,
    /// What is recorded.
    #[serde(default)]
    pub recording: Recording,
    /// Whether each worker ends with an fsync(2), timed as a sync.
    #[serde(default)]
    pub end_fsync: bool,
}

impl JobSpec {
    /// The part of the target that worker `worker` uses.
    #[must_use]
    pub fn span_of(&self, worker: u32) -> Span {
        match self.placement.spans.len() {
            0 => self.span,
            n => self.placement.spans[worker as usize % n],
        }
    }
}
