//! Settings of a job: the options of a job file as typed values, with fio's defaults.
//!
//! The options' table (`options/`) fills these structures; whoever builds the engine's jobs and the reports reads them. They hold what was asked for and
//! nothing that depends on the machine: shares stay shares until the size of the target is known.

mod access;
mod data;
mod files;
mod measure;
mod pace;
mod run;
mod submission;

pub use access::{Access, Blocks, Generator, Random, Region, Sequencer, Zones};
pub use data::{Buffers, Checksum, DedupeMode, Memory, MemoryKind, Verify};
pub use files::{Fallocate, Files, Service, ServiceOrder};
pub use measure::{Criterion, EpochClock, ErrorKind, Errors, Log, Logs, Report, SteadyState};
pub use pace::{LatencyTarget, Pace, RateProcess, Think, ThinkAt};
pub use run::{CpuPolicy, Engine, EngineName, ExitWhat, Hooks, Host, MemoryPolicy, OpenSync, RangeSync, Start, Syncs, Time};
pub use submission::Submission;

use super::results::Units;

/// All options of one job.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `name`: takes the place of the section's name in reports.
    pub name: Option<String>,
    /// `description`: text for the report.
    pub description: Option<String>,
    /// `kb_base`: bytes of `k` in values, and the prefixes that are preferred in the report; 1000 or 1024.
    pub kb_base: u32,
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
        Units { digits: self.report.figures, bits: self.unit_base == 1, thousands: self.kb_base == 1000 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: None,
            description: None,
            kb_base: 1024,
            unit_base: 0,
            files: Files::default(),
            region: Region::default(),
            access: Access::default(),
            blocks: Blocks::default(),
            random: Random::default(),
            engine: Engine::default(),
            submission: Submission::default(),
            syncs: Syncs::default(),
            pace: Pace::default(),
            think: Think::default(),
            latency_target: LatencyTarget::default(),
            time: Time::default(),
            start: Start::default(),
            buffers: Buffers::default(),
            memory: Memory::default(),
            verify: Verify::default(),
            host: Host::default(),
            hooks: Hooks::default(),
            logs: Logs::default(),
            report: Report::default(),
            errors: Errors::default(),
            steady_state: SteadyState::default(),
        }
    }
}
