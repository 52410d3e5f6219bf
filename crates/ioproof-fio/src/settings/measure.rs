//! Recording and report, errors that are survived, and the steadiness of a rate.

use crate::samples::SampleTimes;

settings! {
    /// Logs.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Logs {
        /// `write_bw_log`.
        pub bandwidth: Option<Log> = None,
        /// `write_lat_log`.
        pub latency: Option<Log> = None,
        /// `write_iops_log`.
        pub iops: Option<Log> = None,
        /// `write_hist_log`.
        pub histogram: Option<Log> = None,
        /// `log_avg_msec`: a line for each such time; 0: for each I/O. Nanoseconds.
        pub average_ns: u64 = 0,
        /// `log_max_value`: the largest instead of the mean.
        pub largest: bool = false,
        /// `log_hist_msec`: a histogram for each such time; 0: none. Nanoseconds.
        pub histogram_ns: u64 = 0,
        /// `log_hist_coarseness`: bins are halved so many times; 0 to 6.
        pub histogram_coarseness: u8 = 0,
        /// `log_offset`: lines bear offsets.
        pub offsets: bool = false,
        /// `log_prio`: lines bear priorities.
        pub priorities: bool = false,
        /// `log_unix_epoch`: times count from the epoch of a clock.
        pub unix_epoch: bool = false,
        /// `log_alternate_epoch`: the same.
        pub alternate_epoch: bool = false,
        /// `log_alternate_epoch_clock_id`: which clock.
        pub epoch_clock: EpochClock = EpochClock::RealTime,
        /// `per_job_logs`: names bear the number of the job.
        pub per_job: bool = true,
        /// `bwavgtime` and `iopsavgtime`: lengths of samples.
        pub samples: SampleTimes = SampleTimes::default(),
    }
}

impl Logs {
    /// Lengths of samples: `bwavgtime` and `iopsavgtime`, or where they are not set that of the windows of such a log (`log_avg_msec`), as in fio 3.33.
    #[must_use]
    pub fn sample_times(&self) -> SampleTimes {
        let usual = SampleTimes::default();
        let of = |log: &Option<Log>, set_ns: u64, usual_ns: u64| {
            let is_set = log.is_none() || self.average_ns == 0 || set_ns != usual_ns;
            if is_set { set_ns } else { self.average_ns }
        };
        SampleTimes {
            bandwidth_ns: of(&self.bandwidth, self.samples.bandwidth_ns, usual.bandwidth_ns),
            ios_ns: of(&self.iops, self.samples.ios_ns, usual.ios_ns),
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

settings! {
    /// Content of the report.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Report {
        /// `group_reporting`: one report for a group.
        pub by_group: bool = false,
        /// `unified_rw_reporting`: all directions as one, or that and each.
        pub unified: crate::results::Unified = crate::results::Unified::Separate,
        /// `stats`: whether the job is shown at all.
        pub shown: bool = true,
        /// `disk_util`: what the kernel counted for the disks.
        pub disks: bool = true,
        /// `disable_slat`: no submission latency.
        pub no_slat: bool = false,
        /// `disable_clat`: no completion latency.
        pub no_clat: bool = false,
        /// `disable_lat`: no total latency.
        pub no_lat: bool = false,
        /// `disable_bw_measurement`: no samples of bandwidth and IOPS.
        pub no_bandwidth: bool = false,
        /// `slat_percentiles`.
        pub slat_percentiles: bool = false,
        /// `clat_percentiles`.
        pub clat_percentiles: bool = true,
        /// `lat_percentiles`.
        pub lat_percentiles: bool = false,
        /// `percentile_list`, ascending. Percent.
        pub percentiles: Vec<f64> = Self::PERCENTILES.to_vec(),
        /// `significant_figures` of rates in text.
        pub figures: u8 = 4,
    }
}

impl Report {
    /// The percentiles that fio shows unless asked for others. Percent.
    pub const PERCENTILES: [f64; 17] =
        [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
}

/// Which errors a job survives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Errors {
    /// `continue_on_error`: which I/Os may fail.
    pub survived: Vec<ErrorKind>,
    /// `ignore_error`: numbers of errors that are not counted at all, of reads, writes and verifying.
    pub ignored: [Vec<i32>; 3],
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

settings! {
    /// When a rate is steady.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SteadyState {
        /// `steadystate`: what is looked at.
        pub criterion: Criterion = Criterion::IopsSlope,
        /// `steadystate`: the limit; percent of the mean where `percent` is set, else in the criterion's unit.
        pub limit: f64 = 0.01,
        /// True where the limit is a share.
        pub percent: bool = true,
        /// `steadystate_duration`: how long it must hold; 0: nothing is looked for. Nanoseconds.
        pub duration_ns: u64 = 0,
        /// `steadystate_ramp_time`: how long nothing is looked at first. Nanoseconds.
        pub ramp_ns: u64 = 0,
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
