//! ioproof against fio, on devices that complete at once and on a file, as it comes and tuned.

use super::fio::{self, Setup};
use super::pair::{self, Conditions, Verb};
use super::setting::{Place, Setting};
use super::{Kind, Row};
use anyhow::Result;

pub const KIND: Kind = Kind { name: "against fio", columns: pair::COLUMNS, titles: || LINES.iter().map(|line| line.title).collect(), run };

struct Line {
    title: &'static str,
    conditions: Conditions,
    fio: Setup,
}

const fn line(
    title: &'static str,
    place: Place,
    rw: &'static str,
    workers: u32,
    fio: Setup,
    least_iops: Option<f64>,
    most_cpu: Option<f64>,
) -> Line {
    Line { title, conditions: Conditions { verb: Verb::Verify, place, rw, workers, least_iops, most_cpu }, fio }
}

const LINES: [Line; 16] = [
    line("default, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, Setup::Default, Some(3.5), Some(0.25)),
    line("tuned, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, Setup::Tuned, None, None),
    line("tuned, no latency, /dev/zero randread, 1 worker", Place::Zero, "randread", 1, Setup::TunedNoLatency, Some(1.4), Some(0.7)),
    line("default, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, Setup::Default, Some(3.5), Some(0.25)),
    line("tuned, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, Setup::Tuned, None, None),
    line("tuned, no latency, /dev/null randwrite, 1 worker", Place::Null, "randwrite", 1, Setup::TunedNoLatency, Some(1.4), Some(0.7)),
    line("default, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, Setup::Default, Some(3.5), Some(0.25)),
    line("tuned, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, Setup::Tuned, None, None),
    line("tuned, no latency, /dev/zero randread, 2 workers", Place::Zero, "randread", 2, Setup::TunedNoLatency, Some(1.4), Some(0.7)),
    line("default, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, Setup::Default, Some(3.5), Some(0.25)),
    line("tuned, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, Setup::Tuned, None, None),
    line("tuned, no latency, /dev/null randwrite, 2 workers", Place::Null, "randwrite", 2, Setup::TunedNoLatency, Some(1.4), Some(0.7)),
    line("default, file randread, 1 worker", Place::File, "randread", 1, Setup::Default, None, Some(0.6)),
    line("tuned, file randread, 1 worker", Place::File, "randread", 1, Setup::Tuned, None, Some(0.75)),
    line("default, file randread, 2 workers", Place::File, "randread", 2, Setup::Default, None, Some(0.6)),
    line("tuned, file randread, 2 workers", Place::File, "randread", 2, Setup::Tuned, None, Some(0.75)),
];

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let line = &LINES[index];
    let target = setting.path(line.conditions.place)?;
    pair::run(setting, &line.conditions, || fio::sample(&line.conditions, line.fio, target, setting.seconds))
}
