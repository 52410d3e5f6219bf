//! ioproof with its latency statistics against itself without: what the measuring costs.

use super::pair::{self, Conditions, Verb};
use super::setting::{Place, Setting};
use super::{Kind, Row};
use anyhow::Result;

pub const KIND: Kind = Kind { name: "statistics", columns: pair::COLUMNS, titles: || LINES.iter().map(|line| line.0).collect(), run };

const LINES: [(&str, Conditions); 3] = [
    ("without, /dev/zero randread, 1 worker", conditions(Place::Zero, "randread", 1)),
    ("without, /dev/null randwrite, 1 worker", conditions(Place::Null, "randwrite", 1)),
    ("without, /dev/zero randread, 2 workers", conditions(Place::Zero, "randread", 2)),
];

const fn conditions(place: Place, rw: &'static str, workers: u32) -> Conditions {
    Conditions { verb: Verb::Verify, place, rw, workers, least_iops: Some(0.9), most_cpu: Some(1.15) }
}

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, conditions) = &LINES[index];
    pair::run(setting, conditions, || pair::ioproof(setting, conditions, &["--no-latency"]))
}
