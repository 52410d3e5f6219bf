//! A load as rules of method see it: conditions, backend, targets, parts, time and neighbours, whoever asked for it.
//!
//! A job of a job file, a workload of `--rw`, a point of a sweep and a transcript of another tool all become this. What is not known stays `None` or empty,
//! and rules that need it say nothing. The arithmetic over it is in `derived`.

use crate::finding::Subject;
use crate::job::Span;
use crate::workload::Workload;

#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Its name; empty where nobody gave it one.
    pub name: String,
    pub subject: Subject,
    /// The conditions, with the workers of all clones and the depth that each of them really keeps. Rates and limits are over all workers.
    pub workload: Workload,
    /// The depth that was asked for, where the backend may keep another.
    pub depth_asked: Option<u32>,
    /// The way I/O is handed to the kernel.
    pub backend: Option<BackendTraits>,
    /// True with O_DIRECT; `None`: not known.
    pub direct: Option<bool>,
    pub cache: CacheUse,
    /// The files and devices, each once.
    pub targets: Vec<LoadTarget>,
    /// The part of each target that each worker uses, in the order of the workers.
    pub parts: Vec<Part>,
    /// True where workers begin at different places; `None`: not known.
    pub begins_apart: Option<bool>,
    /// Sizes that the author gave for the targets or for the amount. Bytes.
    pub asked_bytes: Vec<u64>,
    pub time: LoadTime,
    /// The buffers that are written in turn; `None`: not known, or made anew for every write.
    pub buffers: Option<WriteBuffers>,
    /// True where every run visits the same blocks in the same order.
    pub repeats_offsets: Option<bool>,
    /// True where all data is synced before the clock stops.
    pub ends_with_sync: Option<bool>,
    /// The percentiles that will be reported.
    pub percentiles: Option<Percentiles>,
    /// Logs that it keeps with a line for each I/O.
    pub logs_of_each_io: u32,
    /// Its place among the other loads.
    pub start: Start,
    pub host: HostSize,
}

/// The way I/O is handed to the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendTraits {
    /// Its name: `io_uring`, `psync`.
    pub name: String,
    /// True where one call does one I/O.
    pub synchronous: bool,
    /// True where the target is mapped into memory, so that I/O goes through the page cache whatever else is asked for.
    pub mapped: bool,
    pub transfers_nothing: bool,
    /// Threads of each worker that never sleep: its own that polls, the kernel's that submits.
    pub spinning_threads: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheUse {
    /// True where the author said that I/O is to go through it.
    pub is_meant: bool,
    /// True where all is read into it first.
    pub filled_first: bool,
    /// True where its content of before is left in it.
    pub kept: bool,
}

/// The kind of thing under a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediumKind {
    Device,
    /// A file of a filesystem on a drive, there or still to be made.
    File,
    /// A file that is kept in memory, as on tmpfs.
    Memory,
    /// Something without an end and without a drive: `/dev/zero`, `/dev/null`.
    Generator,
}

/// A file or a device.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadTarget {
    pub path: String,
    /// The file or device itself, whatever it is called: numbers of device and inode; `None`: not known.
    pub identity: Option<(u64, u64)>,
    /// True where the author named it; else its name was made up.
    pub is_named: bool,
    pub medium: Option<MediumKind>,
    /// Its size before the load; 0 where it is still to be made. Bytes.
    pub size_bytes: Option<u64>,
    /// Bytes of it that hold written data, by the filesystem's own map.
    pub written_bytes: Option<u64>,
    /// Kernel names of the drives under it; empty where they are not known.
    pub drives: Vec<String>,
    /// True where these drives turn.
    pub rotational: Option<bool>,
}

/// The part of a target that a worker uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Number of the worker, from 0.
    pub worker: u32,
    /// Position of the target in the load's list.
    pub target: usize,
    /// The bytes; `None`: not known before the target is.
    pub span: Option<Span>,
}

/// Duration and amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadTime {
    /// The most time that it takes after the ramp; `None`: no time ends it. Nanoseconds.
    pub runtime_ns: Option<u64>,
    /// Length of each of its runs after the ramp, where time ends them and their figures are taken one by one. Nanoseconds.
    pub run_ns: Option<u64>,
    /// True where it goes on until that time is over; else it ends when its amount is done, if that is sooner.
    pub fills_runtime: bool,
    /// I/O before it that does not count. Nanoseconds.
    pub ramp_ns: Option<u64>,
    /// True where it ends only when its rate is steady.
    pub until_steady: bool,
    /// Times that it is run; `None`: once.
    pub repeats: Option<u32>,
    /// The amount of all workers where no time ends it. Bytes.
    pub total_bytes: Option<u64>,
    /// I/Os after which each worker ends.
    pub ios_each: Option<u64>,
    /// True where the author said how much is to be done, beside the size of the targets.
    pub amount_is_meant: bool,
}

/// Buffers that are written in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteBuffers {
    /// Number of buffers over all workers.
    pub count: u64,
    /// True where a few bytes of a buffer are changed for each write.
    pub changed: bool,
}

/// The percentiles that will be reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentiles {
    /// The highest that matters. Percent.
    pub highest: f64,
    /// True where the author asked for certain percentiles.
    pub asked: bool,
    /// True where each worker is reported by itself.
    pub per_worker: bool,
    /// True where reads and writes are reported each by themselves.
    pub per_direction: bool,
}

/// The place of a load among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Start {
    /// Loads of one stage start together, stages follow one another; `None`: not known.
    pub stage: Option<u32>,
    /// Delay after the start of the stage, least and most. Nanoseconds.
    pub delay_ns: (u64, u64),
    /// True where it waits for another load of its stage to end.
    pub waits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostSize {
    /// Its memory. Bytes.
    pub memory_bytes: Option<u64>,
    pub cpus: Option<u32>,
}

impl Load {
    /// A load of which only name and conditions are known.
    pub fn new(name: &str, workload: Workload) -> Self {
        Self {
            name: name.to_owned(),
            subject: Subject::Named(name.to_owned()),
            workload,
            depth_asked: None,
            backend: None,
            direct: None,
            cache: CacheUse::default(),
            targets: Vec::new(),
            parts: Vec::new(),
            begins_apart: None,
            asked_bytes: Vec::new(),
            time: LoadTime::default(),
            buffers: None,
            repeats_offsets: None,
            ends_with_sync: None,
            percentiles: None,
            logs_of_each_io: 0,
            start: Start::default(),
            host: HostSize::default(),
        }
    }
}
