//! The part of a synchronous I/O that no reported latency holds: the loop's time over its I/Os, less their mean latency.
//!
//! That is the generator's own: choosing the next block, counting, and the part of reading the clock that falls outside of the stamps.

use super::program::{self, number};
use super::setting::{Place, Setting};
use super::table::{median, most, spread};
use super::{Kind, Row, fio};
use anyhow::Result;
use serde_json::Value;

pub const KIND: Kind = Kind {
    name: "outside",
    columns: &["ioproof ns", "to reach", "fio ns", "ioproof latency ns", "fio latency ns"],
    titles: || vec![TITLE],
    run,
};

const TITLE: &str = "psync, /dev/zero randread, queue depth 1";

/// Most time outside of the measured latency. Nanoseconds.
const MOST_NS: f64 = 50.0;

/// Nanoseconds for each I/O.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Split {
    latency_ns: f64,
    outside_ns: f64,
}

impl Split {
    fn new(elapsed_ns: f64, ios: f64, latency_ns: f64) -> Self {
        Self { latency_ns, outside_ns: elapsed_ns / ios - latency_ns }
    }
}

fn run(setting: &Setting, _: usize) -> Result<Row> {
    let target = setting.path(Place::Zero)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        let flags = ["--backend", "psync", "--depth", "1", "--workers", "1"];
        ours.push(of_ioproof(&program::round(setting, target, "randread", &flags)?)?);
        theirs.push(of_fio(&fio::job(target, "randread", setting.seconds, &["--ioengine=psync", "--iodepth=1"])?)?);
    }
    Ok(Row::Cells(cells(&ours, &theirs)))
}

fn cells(ours: &[Split], theirs: &[Split]) -> Vec<String> {
    let outside = |of: &[Split]| of.iter().map(|s| s.outside_ns).collect::<Vec<_>>();
    let latency = |of: &[Split]| of.iter().map(|s| s.latency_ns).collect::<Vec<_>>();
    let reached = most(median(&outside(ours)), Some(MOST_NS), 0);
    vec![spread(&outside(ours)), reached, spread(&outside(theirs)), spread(&latency(ours)), spread(&latency(theirs))]
}

fn of_ioproof(round: &Value) -> Result<Split> {
    let latency = &round["read"]["latency"];
    let mean_ns = number(&latency["sum_ns"])? / number(&latency["count"])?;
    Ok(Split::new(number(&round["elapsed_ns"])?, number(&round["read"]["ios"])?, mean_ns))
}

/// fio gives its run time in whole milliseconds: a part in thousands of the result.
fn of_fio(job: &Value) -> Result<Split> {
    let read = &job["read"];
    Ok(Split::new(number(&read["runtime"])? * 1e6, number(&read["total_ios"])?, number(&read["lat_ns"]["mean"])?))
}
