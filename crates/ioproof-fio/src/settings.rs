//! Settings of a job: the options of a job file as typed values, with fio's defaults.
//!
//! The options' table (`options/`) fills these structures; whoever builds the engine's jobs and the reports reads them. They hold what was asked for and
//! nothing that depends on the machine: shares stay shares until the size of the target is known.

/// A structure of settings, each with fio's default.
macro_rules! settings {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

mod access;
mod data;
mod files;
mod measure;
mod pace;
mod run;
mod submission;

pub use access::{Access, Blocks, Generator, Random, Region, Sequencer, Zones};
pub use data::{Buffers, Checksum, Memory, MemoryKind, Verify};
pub use files::{Fallocate, Files, Service, ServiceOrder};
pub use measure::{Criterion, EpochClock, ErrorKind, Errors, Log, Logs, Report, SteadyState};
pub use pace::{LatencyTarget, Pace, RateProcess, Think};
pub use run::{CpuPolicy, Engine, EngineName, ExitWhat, Hooks, Host, MemoryPolicy, OpenSync, Start, Syncs, Time};
pub use submission::Submission;

use super::results::Units;

/// All options of one job.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// `name`: takes the place of the section's name in reports.
    pub name: Option<String>,
    /// `description`: text for the report.
    pub description: Option<String>,
    /// `kb_base=1000`: `k` in values is 1000 and not 1024, and reports prefer kB to KiB.
    pub thousands: bool,
    /// `unit_base`: whether the report shows bits (1) or bytes (8); 0: bytes.
    pub unit_base: u8,
    /// Which files, and how they are made.
    pub files: Files,
    /// Which part of them, and how much.
    pub region: Region,
    /// Directions and order.
    pub access: Access,
    /// Sizes of I/Os.
    pub blocks: Blocks,
    /// Drawing of random offsets.
    pub random: Random,
    /// The I/O engine and its own options.
    pub engine: Engine,
    /// Depth of the queue and how it is filled.
    pub submission: Submission,
    /// Syncs and flags that make writes durable.
    pub syncs: Syncs,
    /// Rates.
    pub pace: Pace,
    /// Pauses.
    pub think: Think,
    /// Limits and targets of latency.
    pub latency_target: LatencyTarget,
    /// Duration.
    pub time: Time,
    /// When it starts, beside whom, and how it ends the others.
    pub start: Start,
    /// Content of writes.
    pub buffers: Buffers,
    /// Where buffers lie.
    pub memory: Memory,
    /// Reading back, and comparing with what was written.
    pub verify: Verify,
    /// CPUs, memory nodes, priorities.
    pub host: Host,
    /// Commands before and after.
    pub hooks: Hooks,
    /// Logs.
    pub logs: Logs,
    /// Content of the report.
    pub report: Report,
    /// Which errors are survived.
    pub errors: Errors,
    /// When a rate is steady, so that the job can end.
    pub steady_state: SteadyState,
}

impl Settings {
    /// Units of rates and sizes in text.
    #[must_use]
    pub fn units(&self) -> Units {
        Units { digits: self.report.figures, bits: self.unit_base == 1, thousands: self.thousands }
    }

    /// Bytes of `k` in values.
    pub fn kb_base(&self) -> u32 {
        if self.thousands { 1000 } else { 1024 }
    }
}
