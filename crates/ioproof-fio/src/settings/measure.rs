//! Recording and report, errors that are survived, and the steadiness of a rate.

use crate::samples::SampleTimes;

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Logs {
        pub bandwidth: Option<LogName> = None,
        pub latency: Option<LogName> = None,
        pub iops: Option<LogName> = None,
        pub histogram: Option<LogName> = None,
        /// `log_avg_msec`: a line for each such time; 0: for each I/O. Nanoseconds.
        pub average_ns: u64 = 0,
        pub largest: bool = false,
        /// `log_hist_msec`: a histogram for each such time; 0: none. Nanoseconds.
        pub histogram_ns: u64 = 0,
        /// `log_hist_coarseness`: bins are halved so many times; 0 to 6.
        pub histogram_coarseness: u8 = 0,
        pub offsets: bool = false,
        pub priorities: bool = false,
        pub unix_epoch: bool = false,
        pub alternate_epoch: bool = false,
        pub epoch_clock: EpochClock = EpochClock::RealTime,
        pub per_job: bool = true,
        pub samples: SampleTimes = SampleTimes::default(),
    }
}

impl Logs {
    /// Lengths of samples: `bwavgtime` and `iopsavgtime`, or where they are not set that of the windows of such a log (`log_avg_msec`), as in fio 3.33.
    pub fn sample_times(&self) -> SampleTimes {
        let usual = SampleTimes::default();
        let of = |log: &Option<LogName>, set_ns: u64, usual_ns: u64| {
            let is_set = log.is_none() || self.average_ns == 0 || set_ns != usual_ns;
            if is_set { set_ns } else { self.average_ns }
        };
        SampleTimes {
            bandwidth_ns: of(&self.bandwidth, self.samples.bandwidth_ns, usual.bandwidth_ns),
            ios_ns: of(&self.iops, self.samples.ios_ns, usual.ios_ns),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpochClock {
    RealTime,
    /// Since the machine was started, the time left out that it was suspended for.
    Monotonic,
    BootTime,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogName {
    OfJob,
    Named(String),
}

settings! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReportSettings {
        pub by_group: bool = false,
        pub unified: crate::results::Unified = crate::results::Unified::Separate,
        pub shown: bool = true,
        pub disks: bool = true,
        pub no_slat: bool = false,
        pub no_clat: bool = false,
        pub no_lat: bool = false,
        pub no_bandwidth: bool = false,
        pub slat_percentiles: bool = false,
        pub clat_percentiles: bool = true,
        pub lat_percentiles: bool = false,
        /// `percentile_list`, ascending. Percent.
        pub percentiles: Vec<f64> = Self::PERCENTILES.to_vec(),
        pub figures: u8 = 4,
    }
}

impl ReportSettings {
    pub const PERCENTILES: [f64; 17] =
        [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Errors {
    pub survived: Vec<ErrorKind>,
    /// `ignore_error`: numbers of errors that are not counted at all, of reads, writes and verifying.
    pub ignored: [Vec<i32>; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    Read,
    Write,
    Verify,
}

settings! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct SteadyStateSettings {
        pub criterion: Criterion = Criterion::IopsSlope,
        /// `steadystate`: the limit; percent of the mean where `percent` is set, else in the criterion's unit.
        pub limit: f64 = 0.01,
        pub percent: bool = true,
        /// `steadystate_duration`: how long it must hold; 0: nothing is looked for. Nanoseconds.
        pub duration_ns: u64 = 0,
        pub ramp_ns: u64 = 0,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    Iops,
    IopsSlope,
    Bandwidth,
    BandwidthSlope,
}
