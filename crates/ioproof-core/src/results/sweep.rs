//! A sweep: one load at rising concurrency, or block size, as a matrix of cells, and what its curves show.
//!
//! Cells that differ in the queue depth only are a series; where every cell has the same depth those that differ in the workers only; else those that differ
//! in the block size. So cells of two backends are never of one series.

mod curve;
mod line;
mod paths;
mod table;
mod words;

pub use curve::{Point, Shape, is_flat};
pub use line::{LinePoint, SeriesLine, series_title};

use crate::claim::{Metric, Statistic};
use crate::limited_by::Place;
use crate::measured::{Context, Measured};
use crate::record::{OWN_DRIVER, ProgramRun, SPDK_PERF};
use crate::stats::{Estimate, median};
use crate::verdict::Row;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// All cells of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sweep {
    /// The condition that rises within a series.
    pub axis: Axis,
    /// The series in the order of the plan.
    pub series: Vec<Series>,
}

/// The condition that rises within a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The queue depth of each worker.
    Depth,
    /// The number of workers.
    Workers,
    /// The size of one I/O.
    BlockSize,
}

/// Cells that differ in one condition only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    /// The cells that were measured, in the order of the axis.
    pub cells: Vec<Cell>,
    /// Conditions of cells that were left out, because what came before them showed that they would only queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Workload>,
    /// The shape of its curve; none for fewer than three cells, and over block sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
}

/// One set of conditions with all its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// Position of its job in the run's list; of another program's run that of the job that it stands beside.
    pub job: u32,
    /// The conditions.
    pub workload: Workload,
    /// I/Os per second.
    pub iops: Estimate,
    /// Bytes per second.
    pub bytes_per_s: Estimate,
    /// Mean latency of all I/Os, as everywhere else. Nanoseconds.
    pub latency_ns: Estimate,
    /// Percentiles of all rounds together; `None` where too few samples lie beyond. Nanoseconds.
    pub percentiles_ns: Vec<(Statistic, Option<u64>)>,
    /// The smallest and the largest latency. Nanoseconds.
    pub extremes_ns: (u64, u64),
    /// I/Os that were measured.
    pub samples: u64,
    /// Threads that made its queue depth, where the backend keeps but one I/O outstanding in each; none: its workers kept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// CPU time of the load generator for one I/O. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_io: Option<f64>,
    /// The place that limits it, in a few words, where that is the generator or the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_limit: Option<String>,
}

const PERCENTILES: [Statistic; 3] = [Statistic::P50, Statistic::P99, Statistic::P999];

impl Axis {
    pub fn of<'a>(workloads: impl Iterator<Item = &'a Workload>) -> Self {
        let workloads: Vec<&Workload> = workloads.collect();
        let varies = |value: fn(&Workload) -> u32| workloads.windows(2).any(|pair| value(pair[0]) != value(pair[1]));
        match (varies(|w| w.depth), varies(|w| w.workers)) {
            (true, _) => Self::Depth,
            (false, true) => Self::Workers,
            (false, false) => Self::BlockSize,
        }
    }

    pub fn value(self, workload: &Workload) -> u32 {
        match self {
            Self::Depth => workload.depth,
            Self::Workers => workload.workers,
            Self::BlockSize => workload.block_bytes,
        }
    }

    /// The workload without it: the same for all cells of a series.
    pub fn rest(self, workload: &Workload) -> Workload {
        let mut rest = workload.clone();
        match self {
            Self::Depth => rest.depth = 1,
            Self::Workers => rest.workers = 1,
            Self::BlockSize => rest.block_bytes = 1,
        }
        rest
    }

    /// Puts cells together that differ in nothing else: series in the order of their first cells, each with its cells in ascending order.
    pub fn series<'w, T>(self, cells: impl Iterator<Item = T>, workload: impl Fn(&T) -> &'w Workload) -> Vec<Vec<T>> {
        let mut all: Vec<(Workload, Vec<T>)> = Vec::new();
        for cell in cells {
            let rest = self.rest(workload(&cell));
            match all.iter_mut().find(|(of, _)| *of == rest) {
                Some((_, known)) => known.push(cell),
                None => all.push((rest, vec![cell])),
            }
        }
        all.iter_mut().for_each(|(_, series)| series.sort_by_key(|cell| self.value(workload(cell))));
        all.into_iter().map(|(_, series)| series).collect()
    }

    /// In words: `queue depth per worker`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Depth => "queue depth per worker",
            Self::Workers => "workers",
            Self::BlockSize => "block size",
        }
    }
}

impl Sweep {
    /// The cells of a run, with what the rows of its judgement say of them; `None` where it is no sweep, or nothing was measured.
    pub fn of(context: &Context, rows: &[Row]) -> Option<Self> {
        let plan = context.record.plan.as_ref().filter(|_| context.record.verb == VERB)?;
        let planned = || plan.all().map(|planned| &planned.workload);
        let axis = Axis::of(planned());
        // Measured before the plan began: the drive was given back to the kernel then.
        let is_beside = |workload: &&Workload| workload.backend.as_deref() == Some(OWN_DRIVER) && !planned().any(|of| of == *workload);
        let all = planned().chain(context.record.jobs.iter().map(|job| &job.workload).filter(is_beside));
        let mut series: Vec<Series> = axis.series(all, |workload| *workload).iter().map(|of| Series::of(axis, of, context, rows)).collect();
        let programs = context.record.targets.iter().flat_map(|target| &target.programs);
        series.extend(axis.series(programs, |run| &run.workload).iter().map(|runs| Series::of_program(runs, context)));
        series.iter().any(|series| !series.cells.is_empty()).then_some(Self { axis, series })
    }

    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.series.iter().flat_map(|series| &series.cells)
    }
}

pub use crate::record::verbs::SWEEP as VERB;

impl Series {
    fn first_workload(&self) -> Option<&Workload> {
        self.cells.first().map(|cell| &cell.workload).or(self.left_out.first())
    }

    /// Of workloads in ascending order, with what was measured of them.
    fn of(axis: Axis, workloads: &[&Workload], context: &Context, rows: &[Row]) -> Self {
        let mut series = Self { cells: Vec::new(), left_out: Vec::new(), shape: None };
        for workload in workloads {
            let measured = context.counted().find(|measured| measured.workload() == *workload);
            match measured.and_then(|measured| Cell::of(measured, rows)) {
                Some(cell) => series.cells.push(cell),
                None => series.left_out.push((*workload).clone()),
            }
        }
        let points: Vec<Point> = series.cells.iter().map(Cell::point).collect();
        series.shape = Shape::of(&points).filter(|_| axis != Axis::BlockSize);
        series
    }

    /// Of another program's runs in ascending order. They have no intervals, so nothing is said of their shape.
    fn of_program(runs: &[&ProgramRun], context: &Context) -> Self {
        Self { cells: runs.iter().filter_map(|run| Cell::of_program(run, context)).collect(), left_out: Vec::new(), shape: None }
    }
}

impl Cell {
    fn of(measured: &Measured, rows: &[Row]) -> Option<Self> {
        let latency = measured.merged_latency();
        let percentile = |statistic| (statistic, measured.statistic_ns(&latency, statistic).map(|ns| ns as u64));
        let is_own = |row: &&Row| row.job == Some(measured.index) && row.limit.as_ref().is_some_and(|limit| is_of_host(limit.place));
        Some(Self {
            job: measured.index,
            workload: measured.workload().clone(),
            iops: measured.estimate(Metric::Iops, None)?,
            bytes_per_s: measured.estimate(Metric::Throughput, None)?,
            latency_ns: measured.estimate(Metric::Latency, Some(Statistic::Mean))?,
            percentiles_ns: PERCENTILES.map(percentile).to_vec(),
            extremes_ns: (latency.min_ns()?, latency.max_ns()?),
            samples: latency.count(),
            threads: threads(measured),
            cpu_ns_per_io: cpu_ns_per_io(measured),
            host_limit: rows.iter().find(is_own).and_then(|row| Some(row.limit.as_ref()?.place.title().to_owned())),
        })
    }

    fn of_program(run: &ProgramRun, context: &Context) -> Option<Self> {
        let one = |value: f64| Estimate::of(&[value], context.record.policy.confidence);
        let percentile = |statistic: Statistic| {
            let share = statistic.quantile()? * 100.0;
            run.percentiles_ns.iter().find(|(printed, _)| (printed - share).abs() < 1e-6).map(|(_, ns)| *ns)
        };
        let own = Workload { backend: Some(OWN_DRIVER.to_owned()), ..run.workload.clone() };
        Some(Self {
            job: context.record.jobs.iter().position(|job| job.workload == own)? as u32,
            workload: run.workload.clone(),
            iops: one(run.iops)?,
            bytes_per_s: one(run.bytes_per_s)?,
            latency_ns: one(run.mean_ns)?,
            percentiles_ns: PERCENTILES.map(|statistic| (statistic, percentile(statistic))).to_vec(),
            extremes_ns: run.extremes_ns,
            samples: (run.iops * f64::from(run.seconds)) as u64,
            threads: None,
            cpu_ns_per_io: None,
            host_limit: None,
        })
    }

    /// True where another program ran it.
    pub(super) fn is_of_program(&self) -> bool {
        self.workload.backend.as_deref() == Some(SPDK_PERF)
    }

    pub fn point(&self) -> Point {
        Point {
            outstanding: self.workload.outstanding(),
            iops: self.iops.median,
            iops_low: self.iops.low,
            iops_high: self.iops.high,
            latency_ns: self.latency_ns.median,
        }
    }
}

/// The threads of its rounds, where they are more than the workers that were asked for.
fn threads(measured: &Measured) -> Option<u32> {
    let most = measured.rounds.iter().map(|part| part.round.workers.len()).max()? as u32;
    (most > measured.workload().workers).then_some(most)
}

fn cpu_ns_per_io(measured: &Measured) -> Option<f64> {
    let of = |part: &crate::record::Part| {
        let ios = part.round.ios();
        let cpu_ns: u64 = part.round.workers.iter().map(crate::record::WorkerUsage::cpu_ns).sum();
        (ios > 0).then(|| cpu_ns as f64 / ios as f64)
    };
    median(&measured.rounds.iter().filter_map(of).collect::<Vec<_>>())
}

/// True for what limits the generator or its host, so that the cell says nothing of the drive.
fn is_of_host(place: Place) -> bool {
    use Place::{CpuLimit, CpuSet, Generator, HostMemory, Hypervisor, Interrupts, IoLimit, MemoryLimit, OthersOnCpu, Priority};
    matches!(
        place,
        Generator | IoLimit | CpuLimit | MemoryLimit | CpuSet | Priority | Place::Cpu | OthersOnCpu | Interrupts | HostMemory | Hypervisor
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn runs_of_another_program_are_a_series_of_their_own() {
        let mut record = testing::record();
        VERB.clone_into(&mut record.verb);
        let by = |backend: &str, job: &crate::record::JobRecord| Workload { backend: Some(backend.into()), ..job.workload.clone() };
        let (own, theirs) = (by(OWN_DRIVER, &record.jobs[0]), by(SPDK_PERF, &record.jobs[0]));
        record.jobs.push(crate::record::JobRecord { workload: own, ..record.jobs[0].clone() });
        let percentiles_ns = vec![(50.0, 900), (99.0, 2_000)];
        let run = ProgramRun {
            workload: theirs.clone(),
            seconds: 2,
            iops: 1e6,
            bytes_per_s: 4.096e9,
            mean_ns: 1_000.0,
            extremes_ns: (500, 9_000),
            percentiles_ns,
        };
        record.targets[0].programs.push(run);
        let sweep = Sweep::of(&Context::new(&record), &[]).unwrap();
        let last = &sweep.series.last().unwrap().cells[0];
        assert_eq!((&last.workload, last.job, last.samples), (&theirs, record.jobs.len() as u32 - 1, 2_000_000));
        assert_eq!(last.percentiles_ns, [(Statistic::P50, Some(900)), (Statistic::P99, Some(2_000)), (Statistic::P999, None)]);
        let table = sweep.table("");
        assert_eq!(table.rows.last().unwrap().job, None, "no job of the run");
    }
}
