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
mod replay;
mod run;
mod submission;

pub use access::{Access, Blocks, Generator, RandomSettings, Region, Sequencer, Zbd, Zones};
pub use data::{BufferSettings, Checksum, MemoryKind, MemorySettings, Verify};
pub use files::{Fallocate, FileSettings, Service, ServiceOrder};
pub use measure::{Criterion, EpochClock, ErrorKind, Errors, LogName, Logs, ReportSettings, SteadyStateSettings};
pub use pace::{LatencyTargetSettings, PaceSettings, RateProcess, ThinkSettings};
pub use replay::{ReplaySettings, ReplaySkip};
pub use run::{
    CpuPolicy, EngineName, EngineSettings, ExitWhat, Hooks, HostSettings, MemoryPolicy, OpenSync, PrioritySettings, PrioritySplit,
    StartSettings, StatCall, SyncSettings, TimeSettings,
};
pub use submission::Submission;

use super::results::Units;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobSettings {
    pub name: Option<String>,
    pub description: Option<String>,
    /// `kb_base=1000`: `k` in values is 1000 and not 1024, and reports prefer kB to KiB.
    pub thousands: bool,
    /// `unit_base`: whether the report shows bits (1) or bytes (8); 0: bytes.
    pub unit_base: u8,
    pub files: FileSettings,
    pub region: Region,
    pub access: Access,
    pub blocks: Blocks,
    pub random: RandomSettings,
    pub engine: EngineSettings,
    pub submission: Submission,
    pub syncs: SyncSettings,
    pub pace: PaceSettings,
    pub think: ThinkSettings,
    pub latency_target: LatencyTargetSettings,
    pub time: TimeSettings,
    pub start: StartSettings,
    pub buffers: BufferSettings,
    pub memory: MemorySettings,
    pub verify: Verify,
    pub host: HostSettings,
    pub hooks: Hooks,
    pub replay: ReplaySettings,
    pub logs: Logs,
    pub report: ReportSettings,
    pub errors: Errors,
    pub steady_state: SteadyStateSettings,
}

impl JobSettings {
    pub fn units(&self) -> Units {
        Units { digits: self.report.figures, bits: self.unit_base == 1, thousands: self.thousands }
    }

    /// True where it changes its files or what is in them.
    pub fn changes_files(&self) -> bool {
        self.access.changes_data() || self.engine.name.changes_files() || self.memory.file.is_some()
    }

    pub fn kb_base(&self) -> u32 {
        if self.thousands { 1000 } else { 1024 }
    }
}
