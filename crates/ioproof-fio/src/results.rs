//! Results of a run of job files in fio's terms: the input of everything that writes fio's text, JSON, terse lines and logs.
//!
//! It holds raw histograms and counts; percentiles, means and bucket shares are made by the writers, so that all of them agree.

use ioproof_core::record::{CheckResult, Direction, QueueUse};
use serde::{Deserialize, Serialize};

/// A whole run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Results {
    /// When the report was made. Milliseconds since 1970 (UTC).
    pub timestamp_ms: u64,
    /// The same for people, as ctime(3) writes it: `Sat Nov 21 09:09:45 2026`.
    pub time: String,
    /// Options of `[global]` sections and of the command line before the first job, as typed, in order.
    pub global_options: Vec<(String, String)>,
    /// One a report line: a clone, or with `group_reporting` all jobs of a group together.
    pub jobs: Vec<JobResult>,
    /// Totals of each group, in order of their numbers.
    pub groups: Vec<GroupResult>,
    /// Counters of the kernel for the disks under the files.
    pub disks: Vec<DiskUse>,
    /// The identifier of ioproof's own record of this run.
    pub run_id: Option<String>,
    /// True where the user ended it early, so that the figures are of what ran until then.
    pub interrupted: bool,
    /// Notes about the run: approximations, warnings of the audit, notes of the engine.
    pub notes: Vec<String>,
    /// Notes that take away from the figures or change what they are of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Failures of jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<JobFailure>,
}

/// Failure of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFailure {
    /// Name of its job.
    pub job: String,
    /// The error.
    pub text: String,
    /// The way out, where one is known.
    pub hint: Option<String>,
}

impl std::fmt::Display for JobFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.job, self.text)
    }
}

/// Results of one job, or of one group of jobs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JobResult {
    /// Name of the job; with `group_reporting` that of the group's first.
    pub name: String,
    /// Text of `description=`.
    pub description: Option<String>,
    /// Number of the group, from 0.
    pub group: u32,
    /// Number among all clones, from 1, and how many are put together here.
    pub number: u32,
    /// Clones that are put together here.
    pub clones: u32,
    /// Process identifier.
    pub pid: u32,
    /// The job's own options as typed, in order; `name` is among them where the command line began the job.
    pub options: Vec<(String, String)>,
    /// The errno of the first error; 0 for none.
    pub error: i32,
    /// Failed I/Os.
    pub errors_total: u64,
    /// I/Os that read something else than was written.
    pub different_ios: u64,
    /// True where errors are counted instead of ending the job (`continue_on_error`).
    pub continue_on_error: bool,
    /// When it began. Milliseconds since 1970.
    pub started_ms: u64,
    /// From the first I/O to the last, summed over the clones that are put together here. Milliseconds.
    pub runtime_ms: u64,
    /// Since the job was started, ramp included. Seconds.
    pub elapsed_s: u64,
    /// Throughput of all directions together over time. Bytes per second.
    pub bandwidth: Samples,
    /// I/Os per second of all directions together over time.
    pub iops: Samples,
    /// Reads.
    pub read: Side,
    /// Writes.
    pub write: Side,
    /// Trims.
    pub trim: Side,
    /// Syncs: fsync, fdatasync, sync_file_range.
    pub sync: Direction,
    /// CPU time in user space, share of the runtime. Percent.
    pub cpu_user_percent: f64,
    /// CPU time in the kernel, share of the runtime. Percent.
    pub cpu_system_percent: f64,
    /// Context switches.
    pub context_switches: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// Queue depth asked for.
    pub depth: u32,
    /// Most I/Os of one call (`iodepth_batch`); 0 where it was not set.
    #[serde(default)]
    pub batch: u32,
    /// Use of the queue.
    pub queue: QueueUse,
    /// Percentiles that are shown, in ascending order; fio's seventeen by default. Percent.
    pub percentiles: Vec<f64>,
    /// Which latencies are reported.
    pub reported: Reported,
    /// `latency_target`, `latency_percentile`, `latency_window`.
    pub latency_target: LatencyTarget,
    /// Result of steady-state detection, where it was asked for.
    pub steady_state: Option<SteadyState>,
    /// Result of reading back, where data was verified.
    pub check: Option<CheckResult>,
    /// `unified_rw_reporting`: all directions as one (`mixed`), or that and each (`both`).
    pub unified: Unified,
    /// Units of rates and sizes in text.
    #[serde(default)]
    pub units: Units,
}

impl JobResult {
    /// Failed I/Os and those that read something else than was written, which fio counts together.
    #[must_use]
    pub fn all_errors(&self) -> u64 {
        self.errors_total.saturating_add(self.different_ios)
    }
}

/// Units of rates and sizes in text. The default is fio's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// Digits of a number (`significant_figures`).
    pub digits: u8,
    /// True where rates are in bits (`unit_base=1`).
    pub bits: bool,
    /// True where factors of 1000 come before those of 1024 (`kb_base=1000`).
    pub thousands: bool,
}

impl Default for Units {
    fn default() -> Self {
        Self { digits: 4, bits: false, thousands: false }
    }
}

/// Which latencies are reported. The default is fio's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    /// Submission latency (`disable_slat` takes it away).
    pub slat: bool,
    /// Completion latency (`disable_clat` takes it away).
    pub clat: bool,
    /// Total latency (`disable_lat` takes it away).
    pub lat: bool,
    /// Percentiles of submission latency (`slat_percentiles`).
    pub slat_percentiles: bool,
    /// Percentiles of completion latency (`clat_percentiles`).
    pub clat_percentiles: bool,
    /// Percentiles of total latency (`lat_percentiles`).
    pub lat_percentiles: bool,
}

impl Default for Reported {
    fn default() -> Self {
        Self { slat: true, clat: true, lat: true, slat_percentiles: false, clat_percentiles: true, lat_percentiles: false }
    }
}

/// Grouping of directions in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Unified {
    /// Each by itself.
    #[default]
    Separate,
    /// All as one, named `mixed`.
    Mixed,
    /// Each, and all as one.
    Both,
}

/// The target of latency that was asked for, and its result.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LatencyTarget {
    /// The depth that was found; the depth asked for where no target was set.
    pub depth: u32,
    /// The most that is allowed. Nanoseconds; 0 for none.
    pub target_ns: u64,
    /// Share of the I/Os that must keep it. Percent; 0 is taken for fio's default of 100.
    pub percentile: f64,
    /// Time that each depth is tried for. Nanoseconds.
    pub window_ns: u64,
}

/// Result of steady-state detection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SteadyState {
    /// The criterion as typed: `iops_slope:0.3%`.
    pub criterion: String,
    /// Time that must be steady. Seconds.
    pub duration_s: u64,
    /// True where it was reached.
    pub attained: bool,
    /// True where there were samples enough to judge.
    #[serde(default)]
    pub is_judged: bool,
    /// Deviation or slope at the end, in the criterion's unit.
    pub value: f64,
    /// The limit, in the criterion's unit.
    pub limit: f64,
    /// True where value and limit are percentages.
    pub percent: bool,
    /// Slope of the line through the samples.
    pub slope: f64,
    /// Largest deviation from the mean.
    pub deviation: f64,
    /// The samples over the duration, oldest first: IOPS.
    pub iops: Vec<f64>,
    /// The samples over the duration, oldest first: bytes per second.
    pub bytes_per_s: Vec<f64>,
}

/// Completed I/O of one direction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Side {
    /// Counts and latency: `latency` is fio's lat, `submission` its slat, `completion` its clat.
    pub io: Direction,
    /// From the first to the last I/O of the direction. Milliseconds.
    pub runtime_ms: u64,
    /// I/Os that moved fewer bytes than asked for.
    pub short_ios: u64,
    /// I/Os that were given up.
    pub dropped_ios: u64,
    /// Throughput in samples of half a second, or `bwavgtime`. Bytes per second.
    pub bandwidth: Samples,
    /// Operations in samples of half a second, or `iopsavgtime`. I/Os per second.
    pub iops: Samples,
    /// This direction's share of the group's throughput. Percent.
    pub bandwidth_share_percent: f64,
}

/// Samples of a rate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Samples {
    /// Their number.
    pub count: u64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// Totals of a group (`Run status group 0 (all jobs)`), each of reads, writes and trims.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupResult {
    /// Its number.
    pub group: u32,
    /// One a direction that was used; reads, writes, trims.
    pub sides: [Option<GroupSide>; 3],
}

/// Totals of a direction over a group. Rates are those of its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupSide {
    /// Bytes moved.
    pub bytes: u64,
    /// Over all jobs together. Bytes per second.
    pub total_bytes_per_s: f64,
    /// Of the slowest job. Bytes per second.
    pub min_bytes_per_s: f64,
    /// Of the fastest job. Bytes per second.
    pub max_bytes_per_s: f64,
    /// Of the job that ended first. Milliseconds.
    pub min_runtime_ms: u64,
    /// Of the job that ended last. Milliseconds.
    pub max_runtime_ms: u64,
}

/// Counters of the kernel for one disk (Documentation/admin-guide/iostats.rst).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiskUse {
    /// Kernel name.
    pub name: String,
    /// Reads and writes.
    pub ios: (u64, u64),
    /// Sectors of 512 bytes read and written.
    pub sectors: (u64, u64),
    /// Reads and writes that were merged with others.
    pub merges: (u64, u64),
    /// Time that reads and writes took in the queue and on the disk. Milliseconds.
    pub ticks_ms: (u64, u64),
    /// Sum over all of the time in the queue. Milliseconds.
    pub in_queue_ms: u64,
    /// Share of the time in which it was busy. Percent.
    pub busy_percent: f64,
    /// Disks below it (of device-mapper and md), which are shown indented.
    pub below: Vec<DiskUse>,
}
