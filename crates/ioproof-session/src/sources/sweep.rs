//! A sweep as a source: the cells of a plan, reads before sequential writes before random ones, each of these groups in two parts.
//!
//! First it climbs: every series in ascending order, until two steps in a row brought no more throughput; cells beyond would only queue, and are left out unless
//! all are asked for. Then it repeats, every pass over what was climbed in random order, until each cell is precise, has had its most runs, or the group's
//! share of the time is spent. What the record holds already, because a sweep goes on that was interrupted, counts as measured.

use super::load::{Lengths, Tasks};
use ioproof_core::plan::Plan;
use ioproof_core::record::{Part, Purpose, RoundOutcome, RunRecord};
use ioproof_core::splitmix::shuffle;
use ioproof_core::stats::median;
use ioproof_core::sweep::{Axis, Point, is_flat};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_runner::{Failure, Source, StageSpec};
use std::collections::VecDeque;
use std::time::Duration;

pub struct SweepSource<'a> {
    tasks: Tasks<'a>,
    /// All cells are measured, also those that would only queue.
    full: bool,
    /// Made when the first stage is asked for.
    course: Option<Course>,
    /// The cell of the stage that was asked for last.
    last: Option<usize>,
}

/// The cells, and how far they are.
struct Course {
    plan: Plan,
    cells: Vec<SweepCell>,
    /// Groups that are still to be measured, the first under way; each has its series, each series its cells in ascending order.
    groups: VecDeque<Vec<Vec<usize>>>,
    /// When the time of the group under way is spent; none before it has begun. Nanoseconds since the run began.
    deadline_ns: Option<u64>,
    /// Rest of the pass over the group's cells.
    pass: Vec<usize>,
    random: u64,
}

struct SweepCell {
    workload: Workload,
    /// I/Os per second and mean latency of each run that counts. Nanoseconds.
    runs: Vec<(f64, f64)>,
    /// Runs, counted or not.
    attempts: u32,
    /// It cannot be measured.
    is_closed: bool,
}

impl<'a> SweepSource<'a> {
    /// Over the record's plan.
    pub fn new(tasks: Tasks<'a>, full: bool) -> Self {
        Self { tasks, full, course: None, last: None }
    }

    fn learn(&mut self, record: &RunRecord) {
        let (Some(course), Some(cell)) = (&mut self.course, self.last.take()) else { return };
        if let Some(part) = record.stages.last().and_then(|stage| stage.parts(&record.jobs).next()) {
            course.cells[cell].learn(&part);
        }
    }

    fn stage(&mut self, record: &mut RunRecord, number: usize, elapsed_ns: u64) -> Option<StageSpec> {
        let course = self.course.as_ref()?;
        let cell = &course.cells[number];
        let (workload, repetition) = (cell.workload.clone(), cell.attempts);
        let lengths = Lengths::of_workload(&course.plan, &workload);
        let left = Duration::from_nanos(course.plan.time_ns.saturating_sub(elapsed_ns));
        let title = format!("{} (queue depth {}), run {}", workload.title(), workload.concurrency(), repetition + 1);
        let job = self.tasks.job(record, &workload);
        let task = self.tasks.measured(job, &workload, record.stages.len() as u32, lengths);
        self.last = Some(number);
        Some(StageSpec::of(task, Purpose::Measure, repetition, title, Some(left)))
    }
}

impl Source for SweepSource<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        self.learn(record);
        if self.course.is_none() {
            self.course = record.plan.clone().map(|plan| Course::new(plan, record));
        }
        let full = self.full;
        let next = self.course.as_mut().and_then(|course| course.next(elapsed_ns, full));
        Ok(next.and_then(|number| self.stage(record, number, elapsed_ns)))
    }

    fn close(&mut self, record: &mut RunRecord) {
        self.learn(record);
    }
}

impl Course {
    fn new(plan: Plan, record: &RunRecord) -> Self {
        let cells = plan.all().map(|planned| SweepCell::new(&planned.workload, record)).collect::<Vec<_>>();
        let axis = Axis::of(cells.iter().map(|cell| &cell.workload));
        let mut groups = VecDeque::new();
        for kind in 0..KINDS {
            let members: Vec<usize> = (0..cells.len()).filter(|cell| kind_of(&cells[*cell].workload) == kind).collect();
            if !members.is_empty() {
                groups.push_back(axis.series(members.into_iter(), |member| &cells[*member].workload));
            }
        }
        Self { plan, cells, groups, deadline_ns: None, pass: Vec::new(), random: record.config.seed }
    }

    /// The cell to measure next; `None` when nothing is left.
    fn next(&mut self, elapsed_ns: u64, full: bool) -> Option<usize> {
        while let Some(group) = self.groups.front().cloned() {
            let deadline_ns = self.deadline_ns.unwrap_or_else(|| self.share(&group, elapsed_ns));
            self.deadline_ns = Some(deadline_ns);
            if let Some(cell) = self.climb(&group, full).or_else(|| self.repeat(&group, elapsed_ns < deadline_ns)) {
                return Some(cell);
            }
            self.groups.pop_front();
            (self.deadline_ns, self.pass) = (None, Vec::new());
        }
        None
    }

    /// When the time of a group that begins now is spent: its cells have their share of what is left.
    fn share(&self, group: &[Vec<usize>], elapsed_ns: u64) -> u64 {
        let rounds = self.plan.rounds();
        let round_ns = |cell: &usize| rounds.round_ns_of(&self.cells[*cell].workload) as f64;
        let own: f64 = group.iter().flatten().map(round_ns).sum();
        let all: f64 = self.groups.iter().flatten().flatten().map(round_ns).sum();
        let left_ns = self.plan.time_ns.saturating_sub(elapsed_ns);
        if self.plan.time_limited { elapsed_ns + (left_ns as f64 * own / all.max(1.0)) as u64 } else { u64::MAX }
    }

    /// The next cell of a series that was never measured, unless it lies beyond a flat part of it.
    fn climb(&self, group: &[Vec<usize>], full: bool) -> Option<usize> {
        for series in group {
            let Some(at) = series.iter().position(|cell| self.cells[*cell].is_new()) else { continue };
            let below: Vec<Point> = series[..at].iter().filter_map(|cell| self.cells[*cell].point()).collect();
            let outstanding_rises = below.windows(2).all(|pair| pair[0].outstanding < pair[1].outstanding);
            // By the medians so far: what a single round said wrongly the repeats mend.
            if full || !outstanding_rises || !is_flat(&below) {
                return Some(series[at]);
            }
        }
        None
    }

    /// The next cell of a pass in random order over those that need further runs.
    fn repeat(&mut self, group: &[Vec<usize>], has_time: bool) -> Option<usize> {
        if !has_time {
            return None;
        }
        if self.pass.is_empty() {
            self.pass = group.iter().flatten().copied().filter(|cell| self.needs_more(*cell)).collect();
            shuffle(&mut self.pass, &mut self.random);
        }
        self.pass.pop()
    }

    fn needs_more(&self, cell: usize) -> bool {
        let cell = &self.cells[cell];
        let iops = || cell.runs.iter().map(|(iops, _)| *iops).collect::<Vec<f64>>();
        !cell.is_new()
            && !cell.is_closed
            && cell.attempts < self.plan.max_runs
            && (cell.attempts < self.plan.min_runs || !self.plan.is_precise(&iops()))
    }
}

impl SweepCell {
    /// With what the record holds of it already.
    fn new(workload: &Workload, record: &RunRecord) -> Self {
        let mut cell = Self { workload: workload.clone(), runs: Vec::new(), attempts: 0, is_closed: false };
        let measured = record.stages.iter().filter(|stage| stage.purpose == Purpose::Measure);
        let parts = measured.flat_map(|stage| stage.parts(&record.jobs)).filter(|part| part.job.workload == *workload);
        parts.for_each(|part| cell.learn(&part));
        cell
    }

    fn learn(&mut self, part: &Part<'_>) {
        self.attempts += 1;
        let latency_ns = part.latency().mean_ns();
        self.runs.extend(latency_ns.filter(|_| part.counts()).map(|latency_ns| (part.iops(), latency_ns)));
        self.is_closed |= part.outcome == RoundOutcome::Failed;
    }

    fn is_new(&self) -> bool {
        self.attempts == 0 && !self.is_closed
    }

    /// Medians of its runs as a point of a curve.
    fn point(&self) -> Option<Point> {
        let (iops, latency_ns): (Vec<f64>, Vec<f64>) = self.runs.iter().copied().unzip();
        let iops = median(&iops)?;
        Some(Point { outstanding: self.workload.outstanding(), iops, iops_low: iops, iops_high: iops, latency_ns: median(&latency_ns)? })
    }
}

/// Kinds of cells that are not measured in one group, because writing changes what is measured after it.
const KINDS: u8 = 3;

fn kind_of(workload: &Workload) -> u8 {
    match (workload.writes(), workload.pattern) {
        (false, _) => 0,
        (true, Pattern::Sequential) => 1,
        (true, Pattern::Random) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_runner::Script;
    use std::collections::BTreeMap;

    /// A drive of eight slots that each take 0.1 ms.
    fn eight_slots() -> Script<'static> {
        Script::new(|task, _| {
            let (workers, depth) = (task.spec.workload.workers, task.spec.workload.depth);
            let outstanding = workers * depth;
            let rate = f64::from(outstanding.min(8)) * 10_000.0;
            Ok(Script::outcome(task, (rate / 10.0) as u64, (f64::from(outstanding) / rate * 1e9) as u64, 100_000_000))
        })
    }

    /// Depths in the order in which they were measured.
    fn sweep(flags: &str, full: bool) -> (RunRecord, Vec<(u32, u32)>) {
        let load = testing::load(flags);
        let mut record = testing::record(&load);
        testing::play(&mut record, &eight_slots(), &mut SweepSource::new(testing::tasks(&load), full)).unwrap();
        let order = record.stages.iter().flat_map(|stage| stage.parts(&record.jobs)).map(|part| {
            let workload = &part.job.workload;
            (workload.workers, workload.depth)
        });
        let order = order.collect();
        (record, order)
    }

    #[test]
    fn it_climbs_until_more_would_only_queue_and_repeats_what_it_climbed() {
        let (_, order) = sweep("--rw randread --workers 1 --depth 1,2,4,8,16,32,64,128", false);
        let climbed: Vec<u32> = order[..6].iter().map(|(_, depth)| *depth).collect();
        assert_eq!(climbed, [1, 2, 4, 8, 16, 32]);
        assert!(order.iter().all(|(_, depth)| *depth <= 32));
        let mut runs = BTreeMap::new();
        order.iter().for_each(|(_, depth)| *runs.entry(*depth).or_insert(0) += 1);
        assert!(runs.values().all(|runs| *runs == 6), "six equal runs are precise: {runs:?}");
        assert!(!order[6..].is_sorted(), "the passes are in random order");
    }

    #[test]
    fn all_cells_are_measured_where_that_is_asked_for() {
        let (_, order) = sweep("--rw randread --workers 1 --depth 1,2,4,8,16,32,64,128", true);
        assert_eq!(order.iter().filter(|(_, depth)| *depth == 128).count(), 6);
    }

    #[test]
    fn every_series_is_climbed_by_itself() {
        let (_, order) = sweep("--rw randread --workers 1,8 --depth 1,2,4,8,16,32,64", false);
        let most = |workers| order.iter().filter(|(of, _)| *of == workers).map(|(_, depth)| *depth).max();
        assert_eq!((most(1), most(8)), (Some(32), Some(4)));
    }

    #[test]
    fn reads_come_before_sequential_writes_and_these_before_random_ones() {
        let (record, _) = sweep("--rw randwrite,write,randread --workers 1 --depth 1,2,4", false);
        let kinds: Vec<u8> =
            record.stages.iter().flat_map(|stage| stage.parts(&record.jobs)).map(|part| kind_of(&part.job.workload)).collect();
        assert!(kinds.is_sorted() && kinds.contains(&0) && kinds.contains(&1) && kinds.contains(&2));
    }

    #[test]
    fn rounds_of_larger_blocks_are_longer() {
        let load = testing::load("--rw randread --workers 1 --depth 1,2,4 --bs 4KiB,1MiB");
        let mut record = testing::record(&load);
        record.plan.as_mut().unwrap().by_size = true;
        let plan = record.plan.clone().unwrap();
        let lengths = std::sync::Mutex::new(BTreeMap::new());
        let script = Script::new(|task, _| {
            let ioproof_core::job::Until::ElapsedNs(ns) = task.spec.until else { panic!("{:?}", task.spec.until) };
            lengths.lock().unwrap().entry(task.spec.workload.block_bytes).or_insert_with(Vec::new).push(ns);
            Ok(Script::outcome(task, 1000, 10_000, 100_000_000))
        });
        testing::play(&mut record, &script, &mut SweepSource::new(testing::tasks(&load), true)).unwrap();
        let lengths = lengths.lock().unwrap().clone();
        let each = |bytes: u32| lengths[&bytes].clone();
        assert!(each(4096).iter().all(|ns| *ns < plan.measure_ns) && each(1 << 20).iter().all(|ns| *ns > plan.measure_ns), "{lengths:?}");
    }

    #[test]
    fn it_goes_on_where_the_record_ends() {
        let flags = "--rw randread --workers 1 --depth 1,2,4,8,16,32,64,128";
        let (whole, _) = sweep(flags, false);
        let mut part = whole.clone();
        part.stages.truncate(10);
        part.status = ioproof_core::record::RunStatus::Running;
        let load = testing::load(flags);
        testing::play(&mut part, &eight_slots(), &mut SweepSource::new(testing::tasks(&load), false)).unwrap();
        assert_eq!(part.stages.len(), whole.stages.len());
    }

    #[test]
    fn a_cell_whose_io_fails_is_not_tried_again() {
        let load = testing::load("--rw randread --workers 1 --depth 1,2,4");
        let mut record = testing::record(&load);
        let script = Script::new(|task, _| {
            let good = Script::outcome(task, 1000, 10_000, 100_000_000);
            let fails = task.spec.workload.depth == 2;
            Ok(if fails { ioproof_engine::Outcome { outcome: RoundOutcome::Failed, ..good } } else { good })
        });
        testing::play(&mut record, &script, &mut SweepSource::new(testing::tasks(&load), false)).unwrap();
        let tried = record.stages.iter().flat_map(|stage| stage.parts(&record.jobs)).filter(|part| part.job.workload.depth == 2).count();
        assert_eq!(tried, 1);
    }
}
