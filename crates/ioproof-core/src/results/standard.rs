//! The tests of a standard: the rounds of each tracked variable, its measurement window, and the figures over that window, under the names of the
//! specification (SNIA SSS PTS 2.0.2), so that two sheets can be laid side by side.

mod chart;
mod demand;
mod matrix;
mod says;
mod table;

use crate::course::{Course, TestCourse};
use crate::measured::Context;
use crate::metric::Metric;
use crate::record::{Round, RunRecord};
use crate::standard::{Class, Segment, TITLE, Test, Window};
use serde::{Deserialize, Serialize};

/// The tests of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandardResults {
    /// The specification and its version.
    pub specification: String,
    /// Class of the drive.
    pub class: Class,
    /// The tests in their order.
    pub tests: Vec<TestResult>,
    /// Conditions of the tests, a sentence each.
    pub conditions: Vec<String>,
    /// Deviations from the specification, a sentence each.
    pub deviations: Vec<String>,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestResult {
    /// The test.
    pub test: Test,
    /// The metric of its figures; of latency the average.
    pub metric: Metric,
    /// The tracked variable as the specification names it.
    pub tracking_variable: String,
    /// The tracked variable of each whole round; of a test in segments each cell.
    pub rounds: Vec<f64>,
    /// The window over the last rounds; none where there are fewer than five.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The end of the test.
    pub state: SteadyState,
    /// Writes of each block size, which the steady-state convergence plot shows.
    pub convergence: Vec<Convergence>,
    /// Figures over the reported rounds, in the order of the test.
    pub cells: Vec<StandardCell>,
    /// Averages over the segments of a test that runs through once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SegmentResult>,
}

/// Average over a segment of a test, as far as it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SegmentResult {
    /// Its name: `wait state 5 s`.
    pub name: String,
    /// Number of its cells that were measured.
    pub cells: u32,
    /// Average over them in the metric of the test.
    pub average: f64,
    /// Average over its last tenth.
    pub last: f64,
}

/// The end of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SteadyState {
    /// The last five rounds are steady.
    Steady,
    /// It ended after its most rounds without a steady state.
    NotSteady,
    /// It ended as the specification has it without a steady state: by bytes or by time, or it ran through.
    Ended,
    /// I/O failed.
    Failed,
    /// The run ended before it.
    Unfinished,
}

/// Rounds of the writes of one block size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Convergence {
    /// The block. Bytes.
    pub block_bytes: u32,
    /// Figures of each round in the metric of the test.
    pub rounds: Vec<f64>,
}

/// A cell of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandardCell {
    /// Position of its job in the run's list.
    pub job: u32,
    /// Reads of its R/W mix. Per cent.
    pub read_percent: u8,
    /// The block. Bytes.
    pub block_bytes: u32,
    /// Average over the reported rounds, in the metric of the test.
    pub average: f64,
    /// The longest response time in them. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Its place in the grid of demand intensity; none in other tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<Demand>,
}

/// A place in the grid of demand intensity, and the wait there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Demand {
    /// Thread count (TC).
    pub workers: u32,
    /// OIO of each thread (QD).
    pub depth: u32,
    /// Average response time over the reported rounds. Nanoseconds.
    pub response_ns: f64,
}

impl StandardResults {
    /// The tests of a run; `None` of one by no standard.
    pub fn of(context: &Context) -> Option<Self> {
        let course = Course::of(context.record)?;
        let standard = context.record.plan.as_ref()?.standard.as_ref()?;
        Some(Self {
            specification: TITLE.to_owned(),
            class: standard.class,
            tests: course.tests.iter().map(|test| TestResult::of(context.record, test)).collect(),
            conditions: says::conditions(context.record, standard),
            deviations: says::deviations(context.record, standard, &course),
        })
    }

    /// Tests that ended without the steady state that they ask for.
    pub fn unsteady(&self) -> impl Iterator<Item = &TestResult> {
        self.tests.iter().filter(|of| of.state == SteadyState::NotSteady)
    }
}

impl TestResult {
    fn of(record: &RunRecord, course: &TestCourse) -> Self {
        let is_in_rounds = course.test.segments().is_empty();
        let cells = if is_in_rounds { course.cells.as_slice() } else { &[] };
        let writes = cells.iter().enumerate().filter(|(_, cell)| cell.read_percent == 0);
        let rounds = |at: usize| course.rounds.iter().map(|round| round[at]).collect();
        let reported = (0..cells.len()).filter(|at| course.test.reports(&cells[*at]));
        Self {
            test: course.test,
            metric: course.test.metric(),
            tracking_variable: course.test.tracking_variable().to_owned(),
            rounds: if is_in_rounds { course.tracked.clone() } else { course.figures() },
            window: course.window,
            state: SteadyState::of(course),
            convergence: writes.map(|(at, cell)| Convergence { block_bytes: cell.block_bytes, rounds: rounds(at) }).collect(),
            cells: reported.filter_map(|at| StandardCell::of(record, course, at)).collect(),
            segments: SegmentResult::all(course.test, &course.figures()),
        }
    }

    pub fn is_steady(&self) -> bool {
        self.state == SteadyState::Steady
    }
}

impl SteadyState {
    fn of(course: &TestCourse) -> Self {
        match () {
            () if course.failed => Self::Failed,
            () if !course.is_over() => Self::Unfinished,
            () if course.is_steady() => Self::Steady,
            () if course.test.may_end_unsteady() => Self::Ended,
            () => Self::NotSteady,
        }
    }
}

impl SegmentResult {
    fn all(test: Test, figures: &[f64]) -> Vec<Self> {
        let of = |(segment, cells): (&Segment, std::ops::Range<usize>)| {
            let ran = figures.get(cells.start..figures.len().min(cells.end)).filter(|ran| !ran.is_empty())?;
            let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
            let last = mean(&ran[ran.len() - ran.len().div_ceil(10)..]);
            Some(Self { name: segment.name.to_owned(), cells: ran.len() as u32, average: mean(ran), last })
        };
        test.segment_cells().filter_map(of).collect()
    }
}

impl StandardCell {
    fn of(record: &RunRecord, course: &TestCourse, at: usize) -> Option<Self> {
        let (cell, average) = (&course.cells[at], course.average(at)?);
        let rounds: Vec<&Round> = course.stages_of(at).filter_map(|stage| record.stages.get(stage as usize)?.rounds.first()).collect();
        let (mut job, mut max_ns) = (0, None);
        for round in &rounds {
            (job, max_ns) = (round.job, max_ns.max(round.latency().max_ns()));
        }
        let demand = (course.test == Test::DemandIntensity).then(|| Demand::of(cell, &rounds));
        Some(Self { job, read_percent: cell.read_percent, block_bytes: cell.block_bytes, average, max_ns, demand })
    }
}

#[cfg(test)]
mod tests;
