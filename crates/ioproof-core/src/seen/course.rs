//! The course of a run by a standard: how far each of its tests is, told by the stages of its record alone. So a source that goes on with an interrupted
//! run, and whoever judges a stored one, see the same.

use crate::plan::Plan;
use crate::record::{Part, Purpose, RoundOutcome, RunRecord, SteadyState};
use crate::standard::{PASSES, Standard, Test, Window};
use crate::workload::Workload;
use std::collections::BTreeSet;

/// The tests of a run in their order.
#[derive(Debug, Clone)]
pub struct Course {
    pub tests: Vec<TestCourse>,
}

#[derive(Debug, Clone)]
pub struct TestCourse {
    pub test: Test,
    /// The cells that can be run on the target, in the order of the test.
    pub cells: Vec<Workload>,
    /// Passes of preconditioning that were completed.
    pub passes: u32,
    /// Figures of whole rounds in the metric of the test, cell by cell; 0 where nothing was done.
    pub rounds: Vec<Vec<f64>>,
    /// The tracked variable of each whole round.
    pub tracked: Vec<f64>,
    /// The window over the last rounds.
    pub window: Option<Window>,
    /// True where a pass or a round could not be completed.
    pub failed: bool,
    /// Figures and stages of the round under way.
    under_way: Vec<(f64, u32)>,
    /// Stages of each whole round, in the order of the cells.
    stages: Vec<Vec<u32>>,
    written_bytes: u64,
    elapsed_ns: u64,
    capacity_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A pass of preconditioning, from 0, before the test at this position.
    Pass { test: usize, number: u32 },
    /// A cell of a round, from 0.
    Cell { test: usize, round: usize, cell: usize },
}

impl Course {
    /// Of a run by a standard; `None` of any other.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let plan = record.plan.as_ref()?;
        let standard = plan.standard.as_ref()?;
        let mut tests: Vec<TestCourse> = standard.tests.iter().map(|test| TestCourse::new(*test, standard, plan)).collect();
        let mut at = 0;
        for part in record.parts() {
            while tests.get(at).is_some_and(TestCourse::is_over) {
                at += 1;
            }
            let Some(test) = tests.get_mut(at) else { break };
            test.take(&part);
        }
        Some(Self { tests })
    }

    /// The next step; `None` when all tests are over.
    pub fn next(&self) -> Option<Step> {
        let test = self.tests.iter().position(|test| !test.is_over())?;
        let course = &self.tests[test];
        Some(match course.passes < course.wanted_passes() {
            true => Step::Pass { test, number: course.passes },
            false => Step::Cell { test, round: course.rounds.len(), cell: course.under_way.len() },
        })
    }

    /// True where the next step is the first of a test, before which the specification purges.
    pub fn begins_a_test(&self) -> bool {
        match self.next() {
            Some(Step::Pass { number, .. }) => number == 0,
            Some(Step::Cell { test, round, cell }) => {
                let test = self.tests[test].test;
                (round, cell) == (0, 0) && !test.is_preconditioned() && test.is_purged()
            }
            None => false,
        }
    }

    /// The steady state of the last test that reached one, to be kept for the drive.
    pub fn steady_state(&self, record: &RunRecord) -> Option<SteadyState> {
        let of = self.tests.iter().rfind(|of| of.is_steady())?;
        let cell = of.cells.iter().find(|cell| of.test.tracks(cell))?;
        Some(SteadyState {
            at: record.started_at.clone(),
            run: record.id.clone(),
            workload: cell.title(),
            block_bytes: cell.block_bytes,
            metric: of.test.metric(),
            rate: of.window?.average,
        })
    }

    /// Stages whose figures are reported: those of the measurement window of each test.
    pub fn reported_stages(&self) -> BTreeSet<u32> {
        self.tests.iter().flat_map(|test| test.stages[test.reported()].iter().flatten().copied()).collect()
    }
}

impl TestCourse {
    fn new(test: Test, standard: &Standard, plan: &Plan) -> Self {
        let is_planned = |cell: &Workload| plan.all().any(|planned| planned.workload == *cell);
        Self {
            test,
            cells: test.cells(standard).into_iter().filter(is_planned).collect(),
            passes: 0,
            rounds: Vec::new(),
            tracked: Vec::new(),
            window: None,
            failed: false,
            under_way: Vec::new(),
            stages: Vec::new(),
            written_bytes: 0,
            elapsed_ns: 0,
            capacity_bytes: plan.span.length_bytes,
        }
    }

    fn wanted_passes(&self) -> u32 {
        if self.test.is_preconditioned() { PASSES } else { 0 }
    }

    /// Takes the next stage. One that was interrupted is as if it had not been.
    fn take(&mut self, part: &Part<'_>) {
        if part.outcome == RoundOutcome::Interrupted {
            return;
        }
        self.failed |= part.outcome != RoundOutcome::Complete;
        match part.stage.purpose {
            Purpose::Precondition if self.passes < self.wanted_passes() => self.passes += 1,
            Purpose::Measure if self.cells.get(self.under_way.len()) == Some(&part.job.workload) => self.take_cell(part),
            _ => {}
        }
    }

    fn take_cell(&mut self, part: &Part<'_>) {
        self.under_way.push((part.value_of(self.test.metric()), part.stage.index));
        self.written_bytes = self.written_bytes.saturating_add(part.total_bytes.1);
        self.elapsed_ns = self.elapsed_ns.saturating_add(part.elapsed_ns);
        if self.under_way.len() < self.cells.len() {
            return;
        }
        let (figures, stages): (Vec<f64>, Vec<u32>) = std::mem::take(&mut self.under_way).into_iter().unzip();
        self.tracked.extend(self.cells.iter().position(|cell| self.test.tracks(cell)).map(|at| figures[at]));
        self.rounds.push(figures);
        self.stages.push(stages);
        self.window = Window::of_every(self.test.looks_every(), &self.tracked);
    }

    /// Cells until so many whole rounds are done.
    pub fn cells_until(&self, rounds: usize) -> usize {
        (rounds * self.cells.len()).saturating_sub(self.rounds.len() * self.cells.len() + self.under_way.len())
    }

    pub fn is_steady(&self) -> bool {
        self.window.is_some_and(|window| window.is_steady)
    }

    /// True where nothing of it is left to run.
    pub fn is_over(&self) -> bool {
        let has_ended = || self.test.ends_after(self.rounds.len(), self.written_bytes, self.capacity_bytes, self.elapsed_ns);
        self.cells.is_empty() || self.failed || self.under_way.is_empty() && (self.is_steady() || has_ended())
    }

    /// Figures of the cells of its round, also of one under way: all that a test in segments has.
    pub fn figures(&self) -> Vec<f64> {
        self.rounds.last().cloned().unwrap_or_else(|| self.under_way.iter().map(|(figure, _)| *figure).collect())
    }

    /// Positions of the rounds whose figures are reported: the last five, or as many as there are.
    pub fn reported(&self) -> std::ops::Range<usize> {
        self.rounds.len().saturating_sub(crate::standard::MEASUREMENT_WINDOW)..self.rounds.len()
    }

    /// Average of a cell over the reported rounds; `None` where there is none.
    pub fn average(&self, cell: usize) -> Option<f64> {
        let rounds = &self.rounds[self.reported()];
        let sum: f64 = rounds.iter().map(|round| round[cell]).sum();
        (!rounds.is_empty()).then(|| sum / rounds.len() as f64)
    }

    /// Stages of a cell in the reported rounds.
    pub fn stages_of(&self, cell: usize) -> impl Iterator<Item = u32> {
        self.stages[self.reported()].iter().map(move |round| round[cell])
    }
}
