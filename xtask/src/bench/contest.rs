//! The lines of the table, and what is to be reached in each. A further peer or target is a further row.

use super::tools::Fio;

/// Where a line is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `/dev/zero`: completes at once, so it shows the generator's cost alone.
    Zero,
    /// `/dev/null`: the same for writes.
    Null,
    /// A file on a disk with O_DIRECT: true asynchronous I/O.
    File,
}

/// One line: 4 KiB at random, queue depth 32 per worker.
#[derive(Debug)]
pub struct Line {
    pub title: &'static str,
    pub place: Place,
    /// As both tools spell it.
    pub rw: &'static str,
    pub workers: u32,
    pub fio: Fio,
    /// Least ratio of IOPS; `None` where the drive sets the rate.
    pub least_iops: Option<f64>,
    /// Most ratio of CPU time per I/O.
    pub most_cpu: f64,
}

const fn line(title: &'static str, place: Place, rw: &'static str, workers: u32, fio: Fio, least_iops: Option<f64>, most_cpu: f64) -> Line {
    Line { title, place, rw, workers, fio, least_iops, most_cpu }
}

pub const LINES: [Line; 14] = [
    line("default, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, Fio::Default, Some(3.5), 0.25),
    line("tuned, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, Fio::Tuned, Some(2.0), 0.5),
    line("tuned, no latency, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, Fio::TunedNoLatency, Some(1.4), 0.7),
    line("default, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, Fio::Default, Some(3.5), 0.25),
    line("tuned, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, Fio::Tuned, Some(2.0), 0.5),
    line("tuned, no latency, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, Fio::TunedNoLatency, Some(1.4), 0.7),
    line("default, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, Fio::Default, Some(3.5), 0.25),
    line("tuned, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, Fio::Tuned, Some(2.0), 0.5),
    line("tuned, no latency, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, Fio::TunedNoLatency, Some(1.4), 0.7),
    line("default, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, Fio::Default, Some(3.5), 0.25),
    line("tuned, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, Fio::Tuned, Some(2.0), 0.5),
    line("tuned, no latency, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, Fio::TunedNoLatency, Some(1.4), 0.7),
    line("default, file randread, 1 worker", Place::File, "randread", 1, Fio::Default, None, 0.6),
    line("tuned, file randread, 1 worker", Place::File, "randread", 1, Fio::Tuned, None, 0.75),
];
