//! Settings of a job: the options of a job file as typed values, with fio's defaults.
//!
//! The table of options (`options/`) fills these structures and says what each field means. They hold what was asked for and nothing that depends on the
//! machine: shares stay shares until the size of the target is known.

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
pub(crate) use settings;

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

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub name: Option<String>,
    pub description: Option<String>,
    /// `kb_base=1000`: `k` in values is 1000 and not 1024, and reports prefer kB to KiB.
    pub thousands: bool,
    /// `unit_base`: whether the report shows bits (1) or bytes (8); 0: bytes.
    pub unit_base: u8,
    pub files: Files,
    pub region: Region,
    pub access: Access,
    pub blocks: Blocks,
    pub random: Random,
    pub engine: Engine,
    pub submission: Submission,
    pub syncs: Syncs,
    pub pace: Pace,
    pub think: Think,
    pub latency_target: LatencyTarget,
    pub time: Time,
    pub start: Start,
    pub buffers: Buffers,
    pub memory: Memory,
    pub verify: Verify,
    pub host: Host,
    pub hooks: Hooks,
    pub logs: Logs,
    pub report: Report,
    pub errors: Errors,
    pub steady_state: SteadyState,
}

impl Settings {
    pub fn units(&self) -> Units {
        Units { digits: self.report.figures, bits: self.unit_base == 1, thousands: self.thousands }
    }

    pub fn kb_base(&self) -> u32 {
        if self.thousands { 1000 } else { 1024 }
    }
}
