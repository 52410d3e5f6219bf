//! Recording and report, errors that are survived, and the steadiness of a rate.

use crate::samples::SampleTimes;

/// Logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logs {
    /// `write_bw_log`.
    pub bandwidth: Option<Log>,
    /// `write_lat_log`.
    pub latency: Option<Log>,
    /// `write_iops_log`.
    pub iops: Option<Log>,
    /// `write_hist_log`.
    pub histogram: Option<Log>,
    /// `log_avg_msec`: a line for each such time; 0: for each I/O. Nanoseconds.
    pub average_ns: u64,
    /// `log_max_value`: the largest instead of the mean.
    pub largest: bool,
    /// `log_hist_msec`: a histogram for each such time; 0: none. Nanoseconds.
    pub histogram_ns: u64,
    /// `log_hist_coarseness`: bins are halved so many times; 0 to 6.
    pub histogram_coarseness: u8,
    /// `log_offset`: lines bear offsets.
    pub offsets: bool,
    /// `log_prio`: lines bear priorities.
    pub priorities: bool,
    /// `log_unix_epoch`: times count from the epoch of a clock.
    pub unix_epoch: bool,
    /// `log_alternate_epoch`: the same.
    pub alternate_epoch: bool,
    /// `log_alternate_epoch_clock_id`: which clock.
    pub epoch_clock: EpochClock,
    /// `per_job_logs`: names bear the number of the job.
    pub per_job: bool,
    /// `bwavgtime` and `iopsavgtime`: lengths of samples.
    pub samples: SampleTimes,
}

impl Default for Logs {
    fn default() -> Self {
        Self {
            bandwidth: None,
            latency: None,
            iops: None,
            histogram: None,
            average_ns: 0,
            largest: false,
            histogram_ns: 0,
            histogram_coarseness: 0,
            offsets: false,
            priorities: false,
            unix_epoch: false,
            alternate_epoch: false,
            epoch_clock: EpochClock::RealTime,
            per_job: true,
            samples: SampleTimes::default(),
        }
    }
}

/// Clocks of clock_gettime(2) that logs can count by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpochClock {
    /// Since 1970.
    RealTime,
    /// Since the machine was started, the time left out that it was suspended for.
    Monotonic,
    /// Since the machine was started.
    BootTime,
}

/// Where a log goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Log {
    /// Its name is made of the job's.
    OfJob,
    /// Its name begins so.
    Named(String),
}

/// Content of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// `group_reporting`: one report for a group.
    pub by_group: bool,
    /// `unified_rw_reporting`: all directions as one, or that and each.
    pub unified: crate::results::Unified,
    /// `stats`: whether the job is shown at all.
    pub shown: bool,
    /// `disk_util`: what the kernel counted for the disks.
    pub disks: bool,
    /// `disable_slat`: no submission latency.
    pub no_slat: bool,
    /// `disable_clat`: no completion latency.
    pub no_clat: bool,
    /// `disable_lat`: no total latency.
    pub no_lat: bool,
    /// `disable_bw_measurement`: no samples of bandwidth and IOPS.
    pub no_bandwidth: bool,
    /// `slat_percentiles`.
    pub slat_percentiles: bool,
    /// `clat_percentiles`.
    pub clat_percentiles: bool,
    /// `lat_percentiles`.
    pub lat_percentiles: bool,
    /// `percentile_list`, ascending. Percent.
    pub percentiles: Vec<f64>,
    /// `significant_figures` of rates in text.
    pub figures: u8,
}

impl Report {
    /// The percentiles that fio shows unless asked for others. Percent.
    pub const PERCENTILES: [f64; 17] =
        [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
}

impl Default for Report {
    fn default() -> Self {
        Self {
            by_group: false,
            unified: crate::results::Unified::Separate,
            shown: true,
            disks: true,
            no_slat: false,
            no_clat: false,
            no_lat: false,
            no_bandwidth: false,
            slat_percentiles: false,
            clat_percentiles: true,
            lat_percentiles: false,
            percentiles: Self::PERCENTILES.to_vec(),
            figures: 4,
        }
    }
}

/// Which errors a job survives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Errors {
    /// `continue_on_error`: which I/Os may fail.
    pub survived: Vec<ErrorKind>,
    /// `ignore_error`: numbers of errors that are not counted at all, of reads, writes and verifying.
    pub ignored: [Vec<i32>; 3],
    /// `error_dump`: every error is shown.
    pub dump: bool,
}

/// Direction of the I/O that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// Data that was read back.
    Verify,
}

/// When a rate is steady.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyState {
    /// `steadystate`: what is looked at.
    pub criterion: Criterion,
    /// `steadystate`: the limit; percent of the mean where `percent` is set, else in the criterion's unit.
    pub limit: f64,
    /// True where the limit is a share.
    pub percent: bool,
    /// `steadystate_duration`: how long it must hold; 0: nothing is looked for. Nanoseconds.
    pub duration_ns: u64,
    /// `steadystate_ramp_time`: how long nothing is looked at first. Nanoseconds.
    pub ramp_ns: u64,
}

impl Default for SteadyState {
    fn default() -> Self {
        Self { criterion: Criterion::IopsSlope, limit: 0.01, percent: true, duration_ns: 0, ramp_ns: 0 }
    }
}

/// The figure that must be steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// No sample of IOPS is farther from the mean than the limit.
    Iops,
    /// The slope of the line through the samples of IOPS.
    IopsSlope,
    /// No sample of bandwidth is farther from the mean than the limit.
    Bandwidth,
    /// The slope of the line through the samples of bandwidth.
    BandwidthSlope,
}
