//! The part of a synchronous I/O that no reported latency holds: the loop's time over its I/Os, less their mean latency.
//!
//! That is the generator's own: choosing the next block, counting, and the part of reading the clock that falls outside of the stamps.

use super::program::{self, number};
use super::setting::{Place, Setting};
use super::table::{median, most, spread};
use super::{Kind, Row};
use anyhow::Result;

pub const KIND: Kind = Kind {
    name: "outside",
    columns: &["ioproof ns", "to reach", "fio ns", "ioproof latency ns", "fio latency ns"],
    titles: || vec!["psync, /dev/zero randread, queue depth 1"],
    run,
};

const MOST_NS: f64 = 50.0;

fn run(setting: &Setting, _: usize) -> Result<Row> {
    let target = setting.path(Place::Zero)?;
    let (mut ours, mut theirs) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let add = |of: &mut [Vec<f64>; 2], elapsed_ns: f64, ios: f64, latency_ns: f64| {
        of[0].push(elapsed_ns / ios - latency_ns);
        of[1].push(latency_ns);
    };
    for _ in 0..setting.rounds {
        let round = program::round(setting, target, "randread", &["--backend", "psync", "--depth", "1", "--workers", "1"])?;
        let (read, latency) = (&round["read"], &round["read"]["latency"]);
        let mean_ns = number(&latency["sum_ns"])? / number(&latency["count"])?;
        add(&mut ours, number(&round["elapsed_ns"])?, number(&read["ios"])?, mean_ns);
        let job = program::fio(target, "randread", setting.seconds, &["--ioengine=psync", "--iodepth=1"])?;
        let read = &job["read"];
        // fio gives its run time in whole milliseconds: a part in thousands of the result.
        add(&mut theirs, number(&read["runtime"])? * 1e6, number(&read["total_ios"])?, number(&read["lat_ns"]["mean"])?);
    }
    let [outside, latency] = ours;
    let reached = most(median(&outside), Some(MOST_NS), 0);
    Ok(Row::Cells(vec![spread(&outside), reached, spread(&theirs[0]), spread(&latency), spread(&theirs[1])]))
}
