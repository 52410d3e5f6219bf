//! ioproof against fio, on devices that complete at once and on a file, as it comes and tuned; and against itself without latency statistics.

use super::program::{self, Conditions, Verb};
use super::setting::{Place, Setting};
use super::{Kind, Row};
use anyhow::Result;
use std::process::Command;

pub const KIND: Kind = Kind { name: "against fio", columns: program::COLUMNS, titles: || LINES.iter().map(|line| line.0).collect(), run };

pub const STATISTICS: Kind =
    Kind { name: "statistics", columns: program::COLUMNS, titles: || WITHOUT.iter().map(|line| line.0).collect(), run: run_without };

type Line = (&'static str, Conditions, &'static [&'static str]);

const fn line(
    title: &'static str,
    place: Place,
    rw: &'static str,
    workers: u32,
    flags: &'static [&'static str],
    least_iops: Option<f64>,
    most_cpu: Option<f64>,
) -> Line {
    (title, Conditions { verb: Verb::Verify, place, rw, workers, least_iops, most_cpu }, flags)
}

const DEFAULT: &[&str] = &[];
/// With everything that makes it faster and keeps its percentiles.
const TUNED: &[&str] = &["--fixedbufs --registerfiles --iodepth_batch_submit=32 --iodepth_batch_complete_min=1 \
                          --iodepth_batch_complete_max=32 --norandommap --random_generator=tausworthe64"];
const NO_LATENCY: &[&str] = &[TUNED[0], "--gtod_reduce=1"];

const LINES: [Line; 16] = [
    line("default, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, DEFAULT, Some(3.5), Some(0.25)),
    line("tuned, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, TUNED, None, None),
    line("tuned, no latency, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, NO_LATENCY, Some(1.4), Some(0.7)),
    line("default, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, DEFAULT, Some(3.5), Some(0.25)),
    line("tuned, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, TUNED, None, None),
    line("tuned, no latency, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, NO_LATENCY, Some(1.4), Some(0.7)),
    line("default, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, DEFAULT, Some(3.5), Some(0.25)),
    line("tuned, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, TUNED, None, None),
    line("tuned, no latency, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, NO_LATENCY, Some(1.4), Some(0.7)),
    line("default, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, DEFAULT, Some(3.5), Some(0.25)),
    line("tuned, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, TUNED, None, None),
    line("tuned, no latency, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, NO_LATENCY, Some(1.4), Some(0.7)),
    line("default, file randread, 1 worker", Place::File, "randread", 1, DEFAULT, None, Some(0.6)),
    line("tuned, file randread, 1 worker", Place::File, "randread", 1, TUNED, None, Some(0.75)),
    line("default, file randread, 2 workers", Place::File, "randread", 2, DEFAULT, None, Some(0.6)),
    line("tuned, file randread, 2 workers", Place::File, "randread", 2, TUNED, None, Some(0.75)),
];

const WITHOUT: [Line; 3] = [
    line("without, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, DEFAULT, Some(0.9), Some(1.15)),
    line("without, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, DEFAULT, Some(0.9), Some(1.15)),
    line("without, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, DEFAULT, Some(0.9), Some(1.15)),
];

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, conditions, flags) = &LINES[index];
    let flags: Vec<&str> = flags.iter().flat_map(|group| group.split_whitespace()).collect();
    let Conditions { place, rw, workers, .. } = *conditions;
    program::run_pair(setting, conditions, || program::sample_of_job(setting, Command::new("fio"), place, rw, workers, &flags))
}

fn run_without(setting: &Setting, index: usize) -> Result<Row> {
    let (_, conditions, _) = &WITHOUT[index];
    program::run_pair(setting, conditions, || program::ioproof(setting, conditions, &["--no-latency"]))
}
