//! A made-up sweep: sequential writes of 4 KiB by one and by four workers at rising depth. No figure of it was measured here.

use crate::stored::job_file;
use ioproof_core::claim::Statistic;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::Results;
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::sweep::{Axis, Cell, Point, Series, Shape, Sweep, VERB};
use ioproof_core::workload::{Pattern, Workload};

/// Depth, IOPS, and mean, least and largest latency in microseconds.
type Line = (u32, f64, f64, f64, f64);

const ONE_WORKER: [Line; 9] = [
    (1, 102_351.15, 9.61, 8.15, 2_431.02),
    (2, 195_578.43, 10.06, 8.21, 2_240.77),
    (4, 332_707.7, 11.86, 8.4, 2_504.91),
    (8, 494_580.12, 16.02, 8.86, 2_611.3),
    (16, 604_705.96, 26.29, 9.35, 2_930.54),
    (32, 620_312.92, 51.41, 10.02, 3_104.18),
    (64, 630_753.78, 101.28, 11.4, 3_377.65),
    (128, 632_426.65, 202.21, 13.07, 3_911.08),
    (256, 633_949.05, 403.66, 17.92, 4_880.4),
];
const FOUR_WORKERS: [Line; 5] = [
    (1, 391_040.2, 10.03, 8.2, 2_655.1),
    (2, 560_120.9, 14.09, 8.6, 2_790.44),
    (4, 628_004.4, 25.2, 9.1, 2_981.7),
    (8, 632_800.1, 50.34, 10.2, 3_240.06),
    (16, 633_012.6, 100.9, 12.1, 3_620.91),
];

fn workload(workers: u32, depth: u32) -> Workload {
    Workload::plain(Pattern::Sequential, 0, 4096, workers, depth)
}

fn estimate(median: f64) -> Estimate {
    Estimate { median, low: median * 0.991, high: median * 1.008, runs: 6, method: IntervalMethod::Rank { rank: 1, coverage: 0.96875 } }
}

fn cell(workers: u32, (depth, iops, mean_us, min_us, max_us): Line) -> Cell {
    let ns = |us: f64| (us * 1e3) as u64;
    Cell {
        job: 0,
        workload: workload(workers, depth),
        iops: estimate(iops),
        bytes_per_s: estimate(iops * 4096.0),
        latency_ns: estimate(mean_us * 1e3),
        percentiles_ns: vec![
            (Statistic::P50, Some(ns(mean_us * 0.97))),
            (Statistic::P99, Some(ns(mean_us * 1.9))),
            // Too few samples lie beyond at depth 1.
            (Statistic::P999, (depth > 1).then(|| ns(mean_us * 3.1))),
        ],
        extremes_ns: (ns(min_us), ns(max_us)),
        samples: (iops * 12.0) as u64,
        threads: None,
        cpu_ns_per_io: (workers == 1).then_some(780.0 + f64::from(depth)),
        host_limit: (workers == 4 && depth == 16).then(|| "the generator's CPUs: 99 % busy".to_owned()),
    }
}

fn series(workers: u32, lines: &[Line], left_out: &[u32]) -> Series {
    let cells: Vec<Cell> = lines.iter().map(|line| cell(workers, *line)).collect();
    let shape = Shape::of(&cells.iter().map(Cell::point).collect::<Vec<Point>>());
    Series { cells, left_out: left_out.iter().map(|depth| workload(workers, *depth)).collect(), shape }
}

pub fn sweep() -> Sweep {
    Sweep { axis: Axis::Depth, series: vec![series(1, &ONE_WORKER, &[]), series(4, &FOUR_WORKERS, &[32, 64, 128, 256])] }
}

/// The run of the job file as a sweep.
pub fn run() -> (RunRecord, Judgement) {
    let record = RunRecord { verb: VERB.into(), ..job_file() };
    let judgement = judge(&record);
    (record, Judgement { results: Results { sweep: Some(sweep()), ..judgement.results }, ..judgement })
}
