//! The record of a run: everything a judgement needs, in the stored format.
//!
//! A run directory holds `run.json` ([`RunRecord`] without its rounds) and one file a round ([`Round`]); a reader puts them together.
//! The format is a stable interface: [`SCHEMA_VERSION`] rises with every change that an older reader would misread.

use crate::claim::{Datasheet, Metric};
use crate::facts::{ContentFacts, DeviceFacts, HostFacts, TargetFacts};
use crate::histogram::Histogram;
use crate::job::Span;
use crate::plan::Plan;
use crate::policy::Policy;
use crate::search::Searched;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// Version of the stored format and of `--json`.
pub const SCHEMA_VERSION: u32 = 1;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum RunStatus {
    /// Under way; where nobody holds its lock, it was killed.
    Running,
    /// Everything planned was measured, as far as time allowed.
    Complete,
    /// Ended early by the user or by a kill.
    Interrupted,
    /// The kernel never gave an I/O back.
    Hung {
        /// What hung.
        reason: String,
    },
    /// Ended by an error of the target or of ours.
    Failed {
        /// What failed.
        reason: String,
    },
}

/// The datasheet in force, embedded whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasheetUse {
    /// Its claims and all else.
    pub datasheet: Datasheet,
    /// How it was chosen: `model "INTEL SSDPEDMD020T4" matches "INTEL SSDPED?D*"`, `--datasheet intel-dc-p3700`.
    pub chosen_by: String,
    /// Nominal capacity of the matched variant in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
}

/// What was asked for on the command line, after defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The command line as typed.
    pub command: Vec<String>,
    /// Time for all in seconds.
    pub time_s: f64,
    /// Whether `--quick` was in force.
    pub quick: bool,
    /// Runs of each workload, where set by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// The engine's backend.
    pub backend: String,
    /// Seed of offsets, data and the order of rounds.
    pub seed: u64,
    /// Faults injected by request; such a run shows nothing about a drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Sortable by when the run began: `20261121-031500-128-3f9a`.
    pub id: String,
    /// Version of the program that wrote it.
    pub program_version: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How it ended.
    pub status: RunStatus,
    /// What was asked for.
    pub config: Config,
    /// SHA-256 over configuration, policy, plan and datasheet, in hexadecimal: equal hashes were judged by equal rules.
    pub config_sha256: String,
    /// The target; of job files the first file.
    pub target: TargetFacts,
    /// The other files of job files, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_targets: Vec<String>,
    /// Names of the jobs of job files; none for what is no such run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// The machine.
    pub host: HostFacts,
    /// The drives under the target, in the order of the stack.
    pub drives: Vec<DeviceFacts>,
    /// The datasheet it is judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datasheet: Option<DatasheetUse>,
    /// The thresholds it is judged by.
    pub policy: Policy,
    /// What was planned.
    pub plan: Plan,
    /// Whether what is read was written before.
    pub content: ContentFacts,
    /// The first pass of writing, where ioproof filled the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// What the load generator is capable of here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_test: Option<SelfTest>,
    /// Searches for the highest rate under a latency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Searched>,
    /// What a user must know.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The rounds, in the order of time. Stored beside, one file each.
    #[serde(default)]
    pub rounds: Vec<Round>,
}

impl RunRecord {
    /// The rounds of one workload, in the order of time.
    pub fn rounds_of<'a>(&'a self, workload: &'a Workload) -> impl Iterator<Item = &'a Round> {
        self.rounds.iter().filter(move |r| r.workload == *workload)
    }

    /// The one drive under the target; `None` where there are several or it cannot be told.
    #[must_use]
    pub fn drive(&self) -> Option<&DeviceFacts> {
        match self.drives.as_slice() {
            [drive] => Some(drive),
            _ => None,
        }
    }
}

/// The pass that wrote the target before anything was read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// Bytes written.
    pub bytes: u64,
    /// Time taken, with the final flush. Nanoseconds.
    pub elapsed_ns: u64,
}

/// How a round ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundOutcome {
    /// It ran its time.
    Complete,
    /// Ended early by the user; what it measured counts for nothing.
    Interrupted,
    /// Ended by failed I/O.
    Failed,
    /// An I/O did not come back.
    Hung,
}

/// One run of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Position in the run, from 0.
    pub index: u32,
    /// What was run.
    pub workload: Workload,
    /// Where.
    pub span: Span,
    /// Which repetition of the workload, from 0.
    pub repetition: u32,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// What preceded it.
    pub state_before: StateBefore,
    /// How it ended.
    pub outcome: RoundOutcome,
    /// Length of the measurement without ramp and drain. Nanoseconds.
    pub elapsed_ns: u64,
    /// Completed reads.
    pub read: Direction,
    /// Completed writes.
    pub write: Direction,
    /// Completed syncs (fdatasync).
    pub sync: Direction,
    /// Write and the sync that made it durable together, where the workload syncs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<Histogram>,
    /// I/O time inside the measurement that no completed I/O in it accounts for, less the time before it that some do: the sum of all latencies and this is
    /// the time integral of the I/O outstanding. Nanoseconds.
    #[serde(default)]
    pub edge_ns: i64,
    /// Completed trims.
    #[serde(default, skip_serializing_if = "Direction::is_empty")]
    pub trim: Direction,
    /// How the queue was filled and emptied.
    #[serde(default, skip_serializing_if = "QueueUse::is_empty")]
    pub queue: QueueUse,
    /// What reading back showed, where what was read had been written with headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
    /// Failed I/O.
    pub errors: IoErrors,
    /// Per worker.
    pub workers: Vec<WorkerUsage>,
    /// What the kernel counted for every device of the stack during the whole job, ramp and drain included.
    pub devices: Vec<DeviceCounters>,
    /// Bytes completed during the whole job, ramp and drain included; to hold against `devices`. (read, write)
    pub total_bytes: (u64, u64),
    /// How it was generated.
    pub engine: EngineFacts,
    /// The host meanwhile.
    pub host: HostLoad,
    /// Throughput over time.
    pub intervals: Vec<Interval>,
}

impl Round {
    /// Completed reads, writes and trims.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.read.ios.saturating_add(self.write.ios).saturating_add(self.trim.ios)
    }

    /// I/O operations per second, all directions.
    #[must_use]
    pub fn iops(&self) -> f64 {
        self.per_second(self.ios())
    }

    /// Bytes read, written and trimmed per second.
    #[must_use]
    pub fn bytes_per_s(&self) -> f64 {
        self.per_second(self.read.bytes.saturating_add(self.write.bytes).saturating_add(self.trim.bytes))
    }

    /// I/Os outstanding on average over the measurement, by the time that each was under way.
    #[must_use]
    pub fn outstanding(&self) -> f64 {
        let sum = |histogram: &Histogram| histogram.sum_ns() as f64;
        // Where a sync follows each write, the latency of both together is the time that they hold their place of the queue.
        let written_ns = self.durable.as_ref().map_or_else(|| sum(&self.write.latency) + sum(&self.sync.latency), sum);
        let under_way_ns = sum(&self.read.latency) + written_ns + sum(&self.trim.latency) + self.edge_ns as f64;
        if self.elapsed_ns == 0 { 0.0 } else { under_way_ns / self.elapsed_ns as f64 }
    }

    fn per_second(&self, n: u64) -> f64 {
        if self.elapsed_ns == 0 { 0.0 } else { n as f64 * 1e9 / self.elapsed_ns as f64 }
    }

    /// Latency of what the workload is about: write + sync where it syncs, else reads, writes and trims together.
    #[must_use]
    pub fn latency(&self) -> Histogram {
        if let Some(durable) = &self.durable {
            return durable.clone();
        }
        let mut both = self.read.latency.clone();
        both.merge(&self.write.latency);
        both.merge(&self.trim.latency);
        both
    }

    /// The figure that the workload is about, in the stored unit of [`Workload::main_metric`].
    #[must_use]
    pub fn main_value(&self) -> f64 {
        match self.workload.main_metric() {
            Metric::Throughput => self.bytes_per_s(),
            Metric::Iops => self.iops(),
            Metric::Latency => self.latency().mean_ns().unwrap_or(0.0),
        }
    }

    /// This and another round of the same workload that ran at the same time, as one with the workers of both. Slices are left out, as their edges differ.
    #[must_use]
    pub fn beside(mut self, other: &Round) -> Self {
        self.workload.workers = self.workload.workers.saturating_add(other.workload.workers);
        self.outcome = if self.outcome == RoundOutcome::Complete { other.outcome } else { self.outcome };
        self.elapsed_ns = self.elapsed_ns.max(other.elapsed_ns);
        for (mine, theirs) in
            [(&mut self.read, &other.read), (&mut self.write, &other.write), (&mut self.trim, &other.trim), (&mut self.sync, &other.sync)]
        {
            mine.merge(theirs);
        }
        merge_some(&mut self.durable, other.durable.as_ref());
        self.edge_ns = self.edge_ns.saturating_add(other.edge_ns);
        self.queue.merge(&other.queue);
        if let Some(check) = &other.check {
            self.check.get_or_insert_default().merge(check);
        }
        self.errors.merge(&other.errors);
        self.workers.extend(other.workers.iter().copied());
        self.total_bytes = (self.total_bytes.0.saturating_add(other.total_bytes.0), self.total_bytes.1.saturating_add(other.total_bytes.1));
        self.intervals.clear();
        self
    }

    /// Whether its figures count.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.outcome == RoundOutcome::Complete && self.ios() > 0
    }
}

/// What was done to the target before a round.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StateBefore {
    /// Bytes that this run had written.
    pub written_bytes: u64,
    /// The workload that ran last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_workload: Option<String>,
    /// Time since it ended. Nanoseconds.
    pub idle_ns: u64,
    /// Temperature of the drive, where it says. Degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<f64>,
}

/// Completed I/O of one direction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Direction {
    /// How many.
    pub ios: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Service time: from just before the kernel is entered to when its completion is seen.
    pub latency: Histogram,
    /// Response time, where I/O is asked for at a pace: from when it was meant to start to when its completion is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
    /// From just before the kernel is entered until it has accepted the I/O, where this was asked for; fio's slat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<Histogram>,
    /// From when the kernel has accepted the I/O to when its completion is seen, where this was asked for; fio's clat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Histogram>,
}

impl Direction {
    /// Whether nothing of it was done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ios == 0
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Direction) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.latency.merge(&other.latency);
        merge_some(&mut self.response, other.response.as_ref());
        merge_some(&mut self.submission, other.submission.as_ref());
        merge_some(&mut self.completion, other.completion.as_ref());
    }
}

fn merge_some(mine: &mut Option<Histogram>, theirs: Option<&Histogram>) {
    if let Some(theirs) = theirs {
        mine.get_or_insert_default().merge(theirs);
    }
}

/// How the queue was filled and emptied. Index `n` counts for values from `2^n` to `2^(n+1) - 1`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueUse {
    /// I/Os by how many, themselves included, were outstanding when they were submitted.
    pub depths: Vec<u64>,
    /// Calls by how many I/Os they handed to the kernel.
    pub submitted: Vec<u64>,
    /// Looks by how many completions they found at once. All of them bear the stamp of that look, so the more there are,
    /// the less exactly is known when each was done.
    pub reaped: Vec<u64>,
}

impl QueueUse {
    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.depths, &self.submitted, &self.reaped].into_iter().all(Vec::is_empty)
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &QueueUse) {
        for (mine, theirs) in
            [(&mut self.depths, &other.depths), (&mut self.submitted, &other.submitted), (&mut self.reaped, &other.reaped)]
        {
            mine.resize(mine.len().max(theirs.len()), 0);
            mine.iter_mut().zip(theirs).for_each(|(m, t)| *m = m.saturating_add(*t));
        }
    }
}

/// What reading back showed of blocks that were written with headers. Counted in pieces of 512 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckResult {
    /// Pieces that were as they were last written.
    pub good: u64,
    /// Pieces that nobody of this run had written; nothing is known of them.
    pub unwritten: u64,
    /// Pieces whose checksum is wrong or that bear no header.
    pub corrupt: u64,
    /// Pieces that are sound but were written for another place.
    pub misplaced: u64,
    /// Pieces that are sound but older than the last acknowledged write.
    pub stale: u64,
    /// I/Os whose pieces are sound but of different writes.
    pub torn: u64,
    /// Pieces of acknowledged writes that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// The first that was not good, in words, with its offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// I/Os with a piece that was not good.
    #[serde(skip_serializing_if = "is_zero")]
    pub bad_ios: u64,
    /// Seeds of the runs that wrote it, where it was not known beforehand who had; at most [`Self::SEEDS_MAX`] of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl CheckResult {
    /// Seeds that are kept.
    pub const SEEDS_MAX: usize = 8;

    /// Keeps a seed, unless it is known or there is no room.
    #[inline]
    pub fn note_seed(&mut self, seed: u64) {
        if !self.seeds.contains(&seed) && self.seeds.len() < Self::SEEDS_MAX {
            self.seeds.push(seed);
        }
    }

    /// Pieces that are not what was written.
    #[must_use]
    pub fn bad(&self) -> u64 {
        [self.misplaced, self.stale, self.torn, self.unreadable].into_iter().fold(self.corrupt, u64::saturating_add)
    }

    /// Those in words.
    #[must_use]
    pub fn bad_words(&self) -> String {
        match self.bad() {
            1 => "1 piece or I/O that was read back is not what was written".to_owned(),
            bad => format!("{bad} pieces or I/Os that were read back are not what was written"),
        }
    }

    /// Adds another's counts; the first that was not good stays.
    pub fn merge(&mut self, other: &CheckResult) {
        self.good = self.good.saturating_add(other.good);
        self.unwritten = self.unwritten.saturating_add(other.unwritten);
        self.corrupt = self.corrupt.saturating_add(other.corrupt);
        self.misplaced = self.misplaced.saturating_add(other.misplaced);
        self.stale = self.stale.saturating_add(other.stale);
        self.torn = self.torn.saturating_add(other.torn);
        self.unreadable = self.unreadable.saturating_add(other.unreadable);
        self.bad_ios = self.bad_ios.saturating_add(other.bad_ios);
        other.seeds.iter().for_each(|seed| self.note_seed(*seed));
        self.first = self.first.take().or_else(|| other.first.clone());
    }
}

/// Failed I/O.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IoErrors {
    /// I/Os that returned an error.
    pub failed: u64,
    /// I/Os that moved fewer bytes than asked.
    pub short: u64,
    /// I/Os that never returned.
    pub lost: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<IoError>,
}

impl IoErrors {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.failed.saturating_add(self.short).saturating_add(self.lost)
    }

    /// Adds another's counts; the first error stays.
    pub fn merge(&mut self, other: &IoErrors) {
        self.failed = self.failed.saturating_add(other.failed);
        self.short = self.short.saturating_add(other.short);
        self.lost = self.lost.saturating_add(other.lost);
        self.first = self.first.take().or_else(|| other.first.clone());
    }
}

/// One failed I/O.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoError {
    /// `read`, `write` or `fdatasync`.
    pub operation: String,
    /// Where it was to happen.
    pub offset_bytes: u64,
    /// errno, or 0 for a short transfer.
    pub errno: i32,
    /// In words: `Input/output error (EIO)`.
    pub message: String,
}

/// What a worker cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkerUsage {
    /// Reads and writes it completed in the measurement.
    pub ios: u64,
    /// CPU time in user mode. Nanoseconds.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel. Nanoseconds.
    pub cpu_system_ns: u64,
    /// Time over which CPU time was counted. Nanoseconds.
    pub wall_ns: u64,
    /// Context switches because it waited.
    pub voluntary_switches: u64,
    /// Context switches because it was preempted.
    pub involuntary_switches: u64,
    /// Page faults that had to wait for a disk.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub major_faults: u64,
    /// Page faults that memory alone could serve.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub minor_faults: u64,
}

impl WorkerUsage {
    /// CPU time in both modes. Nanoseconds.
    #[must_use]
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_user_ns.saturating_add(self.cpu_system_ns)
    }
}

/// The kernel's counters of one block device over a round (`/sys/block/*/stat`, Documentation/block/stat.rst).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceCounters {
    /// Kernel name.
    pub name: String,
    /// Whether it is at the bottom of the stack.
    pub is_drive: bool,
    /// Reads completed.
    pub read_ios: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes completed.
    pub write_ios: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flush requests completed.
    pub flush_ios: u64,
    /// Time with at least one request under way. Nanoseconds.
    pub busy_ns: u64,
    /// Reads that were put together with others before they reached the device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub read_merges: u64,
    /// Writes that were put together with others before they reached the device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub write_merges: u64,
    /// Sum of the time that reads spent in the queue and on the device. Nanoseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub read_wait_ns: u64,
    /// Sum of the time that writes spent in the queue and on the device. Nanoseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub write_wait_ns: u64,
    /// Time integral of the requests in the queue and on the device. Nanoseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queued_ns: u64,
}

/// How the load was generated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EngineFacts {
    /// `io_uring`, `psync`.
    pub backend: String,
    /// What of it was in use: `registered buffers`, `DEFER_TASKRUN`.
    pub features: Vec<String>,
    /// What it could not use, and why.
    pub fallbacks: Vec<String>,
    /// Memory that a map of visited blocks would have taken, where it was left out and blocks come with repetition instead. Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_left_out_bytes: Option<u64>,
    /// The clock that stamped: `tsc` or `clock_gettime(CLOCK_MONOTONIC)`.
    pub clock: String,
    /// What one reading of it costs. Nanoseconds.
    pub clock_cost_ns: f64,
}

/// What the load generator and its host are capable of, measured before a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelfTest {
    /// The loop with all its statistics and no I/O: what one I/O costs in it. Nanoseconds.
    pub loop_ns_per_io: f64,
    /// Most I/Os per second of one worker, where the kernel completes each at once (io_uring no-ops).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_ios_per_s: Option<f64>,
    /// Longest time for which the CPU was taken away from a thread that only looked at the clock. Nanoseconds.
    pub jitter_ns_max: u64,
    /// Share of the time for which it did so, in gaps over 1 us. 0 to 1.
    pub jitter_share: f64,
    /// For how long it looked. Nanoseconds.
    pub looked_ns: u64,
    /// Whether the target makes io_uring hand I/O to kernel threads, which changes what is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub punts: Option<bool>,
}

/// The host during a round.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HostLoad {
    /// Load average over one minute at the end.
    pub load_1min: f64,
    /// Share of all CPU time that was used by anyone, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_busy: Option<f64>,
    /// Share of CPU time that a hypervisor took away, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_steal: Option<f64>,
    /// Temperature of the drive at the end. Degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<f64>,
}

/// One slice of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Interval {
    /// End of the slice since the measurement began. Nanoseconds.
    pub end_ns: u64,
    /// Length of the slice. Nanoseconds.
    pub length_ns: u64,
    /// Reads completed in it.
    pub read_ios: u64,
    /// Writes completed in it.
    pub write_ios: u64,
    /// Bytes read in it.
    pub read_bytes: u64,
    /// Bytes written in it.
    pub write_bytes: u64,
    /// Trims completed in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_ios: u64,
    /// Bytes trimmed in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_bytes: u64,
    /// Service time of the reads in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency: Option<SliceLatency>,
    /// Service time of the writes in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency: Option<SliceLatency>,
    /// Service time of the trims in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_latency: Option<SliceLatency>,
}

/// Latency within one slice. It cannot be merged with others: the round's histogram is for that. A percentile is left out where fewer than ten samples lie beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SliceLatency {
    /// Mean. Nanoseconds.
    pub mean_ns: u64,
    /// Mean of the part until the kernel had accepted the I/O, where submission is timed. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_mean_ns: Option<u64>,
    /// Largest, within the width of a bin (0.4 %). Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Median. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// 99 %. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// 99.9 %. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999_ns: Option<u64>,
}
