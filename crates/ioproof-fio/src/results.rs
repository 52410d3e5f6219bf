//! Results of a run of job files in fio's terms: the input of everything that writes fio's text, JSON, terse lines and logs.
//!
//! It holds raw histograms and counts; percentiles, means and bucket shares are made by the writers, so that all of them agree.

use ioproof_core::histogram::Histogram;
use ioproof_core::record::{CheckResult, Direction, QueueUse};
use serde::{Deserialize, Serialize};

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
    pub groups: Vec<GroupResult>,
    pub disks: Vec<DiskUse>,
    pub run_id: Option<String>,
    pub interrupted: bool,
    pub notes: Vec<String>,
    /// Notes that take away from the figures or change what they are of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<JobFailure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFailure {
    pub job: String,
    pub text: String,
    pub hint: Option<String>,
}

impl std::fmt::Display for JobFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.job, self.text)
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JobResult {
    pub name: String,
    pub description: Option<String>,
    pub group: u32,
    /// Number among all clones, from 1, and how many are put together here.
    pub number: u32,
    pub clones: u32,
    pub pid: u32,
    /// The job's own options as typed, in order; `name` is among them where the command line began the job.
    pub options: Vec<(String, String)>,
    pub error: i32,
    pub errors_total: u64,
    pub different_ios: u64,
    pub continue_on_error: bool,
    /// When it began. Milliseconds since 1970.
    pub started_ms: u64,
    pub runtime_ms: u64,
    pub elapsed_s: u64,
    pub bandwidth: Samples,
    pub iops: Samples,
    pub read: DirectionResult,
    pub write: DirectionResult,
    pub trim: DirectionResult,
    pub sync: Direction,
    pub cpu_user_percent: f64,
    pub cpu_system_percent: f64,
    pub context_switches: u64,
    pub major_faults: u64,
    pub minor_faults: u64,
    pub depth: u32,
    /// Most I/Os of one call (`iodepth_batch`); 0 where it was not set.
    #[serde(default)]
    pub batch: u32,
    pub queue: QueueUse,
    /// Percentiles that are shown, in ascending order; fio's seventeen by default. Percent.
    pub percentiles: Vec<f64>,
    pub reported: Reported,
    pub latency_target: LatencyTargetResult,
    pub steady_state: Option<SteadyStateResult>,
    pub check: Option<CheckResult>,
    pub unified: Unified,
    #[serde(default)]
    pub units: Units,
}

impl JobResult {
    pub fn all_errors(&self) -> u64 {
        self.errors_total.saturating_add(self.different_ios)
    }
}

/// Units of rates and sizes in text. The default is fio's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    pub digits: u8,
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
    pub slat: bool,
    pub clat: bool,
    pub lat: bool,
    pub slat_percentiles: bool,
    pub clat_percentiles: bool,
    pub lat_percentiles: bool,
}

impl Default for Reported {
    fn default() -> Self {
        Self { slat: true, clat: true, lat: true, slat_percentiles: false, clat_percentiles: true, lat_percentiles: false }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Unified {
    #[default]
    Separate,
    Mixed,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LatencyTargetResult {
    /// The depth that was found; the depth asked for where no target was set.
    pub depth: u32,
    /// The most that is allowed. Nanoseconds; 0 for none.
    pub target_ns: u64,
    /// Share of the I/Os that must keep it. Percent; 0 is taken for fio's default of 100.
    pub percentile: f64,
    pub window_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SteadyStateResult {
    /// The criterion as typed: `iops_slope:0.3%`.
    pub criterion: String,
    pub duration_s: u64,
    pub attained: bool,
    #[serde(default)]
    pub is_judged: bool,
    /// Deviation or slope at the end, in the criterion's unit.
    pub value: f64,
    pub limit: f64,
    pub percent: bool,
    pub slope: f64,
    pub deviation: f64,
    /// The samples over the duration, oldest first: IOPS.
    pub iops: Vec<f64>,
    /// The samples over the duration, oldest first: bytes per second.
    pub bytes_per_s: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DirectionResult {
    /// Counts and latency: `latency` is fio's lat, `submission` its slat, `completion` its clat.
    pub io: Direction,
    /// From the first to the last I/O of the direction. Milliseconds.
    pub runtime_ms: u64,
    pub short_ios: u64,
    pub dropped_ios: u64,
    /// Latency by priority, where single I/Os have priorities; the completion's, or with percentiles of the total one that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<PriorityResult>,
    /// Throughput in samples of half a second, or `bwavgtime`. Bytes per second.
    pub bandwidth: Samples,
    /// Operations in samples of half a second, or `iopsavgtime`. I/Os per second.
    pub iops: Samples,
    pub bandwidth_share_percent: f64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PriorityResult {
    /// 0 none set, 1 real time, 2 best effort, 3 idle.
    pub class: u8,
    pub level: u8,
    pub latency: Histogram,
}

impl PriorityResult {
    /// Adds those of others, each to its own priority.
    pub fn merge(all: &mut Vec<Self>, others: &[Self]) {
        for other in others {
            match all.iter_mut().find(|one| (one.class, one.level) == (other.class, other.level)) {
                Some(one) => one.latency.merge(&other.latency),
                None => all.push(other.clone()),
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Samples {
    pub count: u64,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub deviation: f64,
}

/// Totals of a group (`Run status group 0 (all jobs)`), each of reads, writes and trims.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupResult {
    pub group: u32,
    /// One a direction that was used; reads, writes, trims.
    pub sides: [Option<GroupSide>; 3],
}

/// Totals of a direction over a group. Rates are those of its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupSide {
    pub bytes: u64,
    pub total_bytes_per_s: f64,
    pub min_bytes_per_s: f64,
    pub max_bytes_per_s: f64,
    pub min_runtime_ms: u64,
    pub max_runtime_ms: u64,
}

/// Counters of the kernel for one disk (Documentation/admin-guide/iostats.rst).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiskUse {
    pub name: String,
    pub ios: (u64, u64),
    /// Sectors of 512 bytes read and written.
    pub sectors: (u64, u64),
    pub merges: (u64, u64),
    /// Time that reads and writes took in the queue and on the disk. Milliseconds.
    pub ticks_ms: (u64, u64),
    /// Sum over all of the time in the queue. Milliseconds.
    pub in_queue_ms: u64,
    pub busy_percent: f64,
    /// Disks below it (of device-mapper and md), which are shown indented.
    pub below: Vec<DiskUse>,
}
