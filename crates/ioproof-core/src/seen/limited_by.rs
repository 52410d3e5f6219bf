//! The limit of a number as data: the place that kept it from being better, how sure that is, what was ruled out, and the run that would tell more.
//!
//! `judge::limit` makes it; the row keeps the same in a few words (`limited_by`).

mod words;

pub use words::LimitWords;

use crate::finding::Evidence;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// Flags of `verify` that have no value, by which a command that was typed is read again; the program's command line is held against them.
pub const SWITCHES: [&str; 17] = [
    "--all-idle-drives",
    "--quick",
    "--precondition",
    "--dry-run",
    "--json",
    "--live",
    "--destroy-unknown-content",
    "--destroy-unseen-users",
    "--end-fsync",
    "--buffered",
    "--check",
    "--polled",
    "--kernel-submits",
    "--huge-pages",
    "--split-latency",
    "--verbose",
    "--no-latency",
];

/// A place on the way of an I/O, or a cause, that can keep a number from being better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A cache in memory answered instead of the drive.
    Memory,
    /// Faults that were injected by request.
    InjectedFaults,
    /// I/O that failed.
    FailedIo,
    /// The filesystem alone, as with trims of a file.
    Filesystem,
    /// The load generator itself.
    Generator,
    /// The pace, the limits or the pauses that were asked for.
    Pace,
    /// A control group's limit on I/O.
    IoLimit,
    /// A control group's limit on CPU time.
    CpuLimit,
    /// A limit on the memory that the page cache may take.
    MemoryLimit,
    /// The set of CPUs that this process may run on.
    CpuSet,
    /// The low priority of this process, or of its I/O.
    Priority,
    /// CPUs of the host, in use by the load generator.
    Cpu,
    /// CPUs of the host, in use by others.
    OthersOnCpu,
    /// Interrupts that take up one CPU.
    Interrupts,
    /// Memory of the host, which is short.
    HostMemory,
    /// A hypervisor that gives the CPUs to others.
    Hypervisor,
    /// Others that use the drive.
    OtherUsers,
    /// Heat, by the drive's own count.
    Heat,
    /// The link between host and drive.
    Link,
    /// The flush that makes writes durable.
    Flush,
    /// A queue of requests that is shorter than the load's.
    RequestQueue,
    /// The way before any device that counts: filesystem, kernel.
    Path,
    /// A device above the drive: device-mapper, md, a loop device.
    Layer,
    /// The drive itself.
    Drive,
    /// The load's own concurrency: too little is outstanding to keep the drive busy.
    Concurrency,
    /// Nothing points to one place.
    NotTold,
}

impl Place {
    pub fn title(self) -> &'static str {
        match self {
            Self::Memory => "a cache in memory",
            Self::InjectedFaults => "injected faults",
            Self::FailedIo => "failed I/O",
            Self::Filesystem => "the filesystem",
            Self::Generator => "the load generator",
            Self::Pace => "the pace that was asked for",
            Self::IoLimit => "a control group's limit on I/O",
            Self::CpuLimit => "a limit on CPU time",
            Self::MemoryLimit => "a limit on memory",
            Self::CpuSet => "the CPUs that are allowed",
            Self::Priority => "a low priority",
            Self::Cpu => "the generator's CPU",
            Self::OthersOnCpu => "others on the host's CPU",
            Self::Interrupts => "interrupts on one CPU",
            Self::HostMemory => "the host's memory",
            Self::Hypervisor => "the hypervisor",
            Self::OtherUsers => "others on the drive",
            Self::Heat => "heat",
            Self::Link => "the link",
            Self::Flush => "the flush",
            Self::RequestQueue => "the request queue",
            Self::Path => "the way to the devices",
            Self::Layer => "a layer above the drive",
            Self::Drive => "the drive itself",
            Self::Concurrency => "concurrency",
            Self::NotTold => "not told",
        }
    }

    /// One or two words for a column.
    pub fn short(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::InjectedFaults => "faults",
            Self::FailedIo => "errors",
            Self::Filesystem => "filesystem",
            Self::Generator => "generator",
            Self::Pace => "pace",
            Self::IoLimit => "I/O limit",
            Self::CpuLimit => "CPU limit",
            Self::MemoryLimit => "RAM limit",
            Self::CpuSet => "CPU set",
            Self::Priority => "priority",
            Self::Cpu | Self::OthersOnCpu => "host CPU",
            Self::Interrupts => "interrupts",
            Self::HostMemory => "host RAM",
            Self::Hypervisor => "hypervisor",
            Self::OtherUsers => "other I/O",
            Self::Heat => "heat",
            Self::Link => "link",
            Self::Flush => "flush",
            Self::RequestQueue => "queue",
            Self::Path => "kernel",
            Self::Layer => "layer",
            Self::Drive => "drive",
            Self::Concurrency => "depth",
            Self::NotTold => "-",
        }
    }
}

/// Sureness of a limit, by a rule for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitConfidence {
    /// Its own figure shows it at its bound (a count of stops, a rate at a limit that is set, the pace that was asked for, CPUs in full use), or figures point to
    /// it and every other place was ruled out by one.
    Certain,
    /// Figures point to it (most of an I/O's time passes there, others use what the run needs), and at least one other place was not ruled out.
    Likely,
    /// No figure points to one place.
    NotTold,
}

impl LimitConfidence {
    pub fn title(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::NotTold => "not told",
        }
    }
}

/// A place that does not limit a number, by a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuledOut {
    /// The place.
    pub place: Place,
    /// The figure that rules it out, with the limit it was held against.
    pub by: Evidence,
}

/// An outcome of a further run, and the place that it points to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    /// The outcome in words: `more IOPS`.
    pub seen: String,
    /// The place that limits then.
    pub place: Place,
}

/// A further run that tells places apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TellingRun {
    /// The command, ready for a shell.
    pub command: String,
    /// The load of it, where it is of the same target: `verify` makes such a run itself while time is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// Its outcomes.
    pub outcomes: Vec<Outcome>,
}

/// The limit of a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitedBy {
    /// The place.
    pub place: Place,
    /// Sureness of it.
    pub confidence: LimitConfidence,
    /// The figures that it rests on.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Places that were ruled out, each by a figure.
    #[serde(default)]
    pub ruled_out: Vec<RuledOut>,
    /// Other places that no figure rules out.
    #[serde(default)]
    pub left: Vec<Place>,
    /// The run that would tell two of the places apart; none where nothing is left to tell, or no command can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telling_run: Option<TellingRun>,
}

impl LimitedBy {
    /// A limit that needs no other place ruled out.
    pub fn plainly(place: Place, confidence: LimitConfidence, evidence: Vec<Evidence>) -> Self {
        Self { place, confidence, evidence, ruled_out: Vec::new(), left: Vec::new(), telling_run: None }
    }

    /// True where more outstanding might give more: concurrency is named, or nothing tells it from the place in which the time of an I/O passes.
    pub fn is_depth_open(&self) -> bool {
        let is_where_time_passes = matches!(self.place, Place::Drive | Place::Layer | Place::Path | Place::OthersOnCpu | Place::NotTold);
        self.place == Place::Concurrency || is_where_time_passes && self.left.contains(&Place::Concurrency)
    }
}
