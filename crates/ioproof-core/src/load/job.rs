//! A job: a workload with a place, a time and a seed. This is what the engine is given.

mod scheduling;

pub use scheduling::{CommandPriorities, CommandPriority, IoPriority, MemoryNodes, OrderHint};

use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// The part of the target that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// First byte.
    pub offset_bytes: u64,
    /// Length in bytes.
    pub length_bytes: u64,
}

/// When a job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Order in which I/O goes to several targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Turns {
    /// One after the other, each for one I/O.
    #[default]
    InTurn,
    /// One after the other, each for so many I/Os; at least 1.
    Each(u32),
    /// Any of them at each I/O.
    Random,
    /// One after the other, each for as many I/Os as it has blocks.
    Sequential,
}

/// Where workers stand: on which CPUs, in which memory, on which part of the target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placement {
    /// CPUs that a worker may run on; worker `n` takes the list at `n` modulo their number. Empty: wherever the kernel likes.
    pub cpus: Vec<Vec<u32>>,
    pub huge_pages: bool,
    /// Parts of the target by worker, taken as `cpus` are. Empty: all work on the job's span.
    pub spans: Vec<Span>,
    /// Parts by target, for targets that differ in size. Empty: the job's span, or that of the worker, on each.
    pub target_spans: Vec<Span>,
    /// Order in which I/O goes to several targets.
    pub turns: Turns,
    /// Priority of the workers' I/O; `None`: that of the program.
    pub io_priority: Option<IoPriority>,
    /// Priorities of single I/Os.
    pub command_priorities: CommandPriorities,
    /// Nodes that buffers are taken from; `None`: as the program does.
    pub memory_nodes: Option<MemoryNodes>,
    /// Memory of the machine that each worker locks away while it runs. Bytes.
    pub locked_bytes: u64,
    /// Order of the I/O that the kernel is told; `None`: none.
    pub order_hint: Option<OrderHint>,
    /// Where in its part each worker's sequential I/O begins, when it goes on until time or I/Os are over; at the end of the part it goes on at its start.
    /// Parts per million of the part, below 1,000,000.
    pub begin_ppm: u32,
}

/// Recording beyond counts and latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recording {
    /// True where I/O is timed at all. Without, there are counts only; to find out what timing costs.
    pub latency: bool,
    /// True where latency is also split into submission (until the kernel has accepted) and completion (from then on), as fio's slat and clat.
    /// It takes one more system call a batch.
    pub split: bool,
    /// Length of the slices in which the run over time is recorded. Nanoseconds, 1 ms to 1 h.
    pub slice_ns: u64,
    /// I/Os of each worker that are noted one by one, with time, latency and place; 0 for none. Takes 48 bytes each, of memory that is
    /// reserved before the job and used as it fills. What comes after is counted only.
    pub noted_ios: u64,
    /// I/Os of each worker that are recorded when they are issued, ramp and syncs included; 0 for none. Takes 32 bytes each, of memory that is reserved
    /// before the job and used as it fills.
    pub recorded_ios: u64,
    /// True where I/Os that are under way when the time is over count as all others do, and the measurement ends with the last of them, as a job of fio does.
    /// Without, they are timed and do not count.
    pub to_the_last: bool,
}

impl Default for Recording {
    fn default() -> Self {
        Self { latency: true, split: false, slice_ns: 100_000_000, noted_ios: 0, recorded_ios: 0, to_the_last: false }
    }
}

/// One job for the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSpec {
    pub workload: Workload,
    /// Where on the target.
    pub span: Span,
    /// I/O before the measurement begins; its results are dropped. Nanoseconds.
    pub ramp_ns: u64,
    pub until: Until,
    /// The most that the measurement takes, where it ends by what was done. Nanoseconds.
    pub at_most_ns: Option<u64>,
    /// The most that is moved, where it ends by a number of I/Os or by time. Bytes of reads, writes and trims together, of each worker.
    pub at_most_bytes: Option<u64>,
    /// Seed of offsets and data, so that the same job visits the same blocks again.
    pub seed: u64,
    /// An I/O outstanding for longer than this ends the job as hung. Nanoseconds.
    pub io_timeout_ns: u64,
    /// The job ends after this many failed I/Os.
    pub error_limit: u64,
    pub placement: Placement,
    /// Recording.
    pub recording: Recording,
    /// True where each worker ends with an fsync(2), timed as a sync.
    pub end_fsync: bool,
}

impl JobSpec {
    /// A job without ramp, limits or anything special, whose first error ends it.
    pub fn plain(workload: Workload, span: Span, until: Until) -> Self {
        Self {
            workload,
            span,
            ramp_ns: 0,
            until,
            at_most_ns: None,
            at_most_bytes: None,
            seed: 1,
            io_timeout_ns: u64::MAX,
            error_limit: 1,
            placement: Placement::default(),
            recording: Recording::default(),
            end_fsync: false,
        }
    }

    /// The part of the target that worker `worker` uses.
    #[inline]
    pub fn span_of(&self, worker: u32) -> Span {
        match self.placement.spans.len() {
            0 => self.span,
            n => self.placement.spans[worker as usize % n],
        }
    }

    /// The part of target `target` that worker `worker` uses.
    #[inline]
    pub fn span_on(&self, worker: u32, target: usize) -> Span {
        self.placement.target_spans.get(target).copied().unwrap_or_else(|| self.span_of(worker))
    }
}
