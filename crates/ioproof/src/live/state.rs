//! All that the live view shows, as plain data: events go in, `frame` makes a picture of it. Neither a clock nor a terminal is known here.

use super::meter::{self, Meter, MeterFigures};
use super::track::Track;
use ioproof_core::finding::{Finding, Severity};
use ioproof_core::job::Until;
use ioproof_core::record::{Purpose, RunRecord, Stage};
use ioproof_core::sweep;
use ioproof_core::text::visible;
use ioproof_report::findings_in_words;
use ioproof_runner::{Latencies, StageSpec, Task};
use ioproof_session::observers::tally::RunTally;
use std::time::Duration;

const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// Notes that are kept for the screen; all of them are said when it is gone.
const MOST_NOTES: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigurePeriod {
    Now,
    ThisRun,
    /// The run before, while there is nothing of this one.
    LastRun,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FigureRow {
    /// `read`, `write`, `trim`.
    pub direction: &'static str,
    pub piece: FigurePeriod,
    pub figures: MeterFigures,
}

/// A finding, or a sentence that a user must read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveFinding {
    /// Its weight; none of a sentence.
    pub severity: Option<Severity>,
    pub label: &'static str,
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveState {
    /// The verb and what is measured.
    pub heading: String,
    pub step: String,
    pub why: String,
    /// Its progress in words, where it tells.
    pub detail: String,
    /// Time since the run began.
    pub elapsed: Duration,
    /// Time until all is done, or until the stage under way is.
    pub left: Option<Duration>,
    /// True where it is the stage's alone.
    pub is_left_of_stage: bool,
    /// True while nothing counts yet.
    pub in_ramp: bool,
    pub rows: Vec<FigureRow>,
    /// The most rows that there were, for which there is room, so that nothing jumps.
    pub most_rows: usize,
    /// I/Os that are to be outstanding, and those that are (rate by mean latency).
    pub depth: Option<(u64, Option<f64>)>,
    /// CPUs that ioproof uses, and the number that it may use.
    pub cpus: (Option<f64>, usize),
    /// Temperature of each drive, read beside the last stage. Degrees Celsius.
    pub temperatures: Vec<(String, f64)>,
    /// The workload that the rows are of, where it is not the one under way.
    pub before: Option<String>,
    /// Rate and latency over the run.
    pub track: Track,
    /// Results so far, a line a job.
    pub results: Vec<String>,
    /// Findings so far, and notes, the newest of these first.
    pub findings: Vec<LiveFinding>,
    pub notes: Vec<String>,
}

impl LiveState {
    /// The same so much later, while nothing new has come.
    pub fn later(&self, by: Duration) -> Self {
        Self { elapsed: self.elapsed + by, left: self.left.map(|left| left.saturating_sub(by)), ..self.clone() }
    }
}

#[derive(Debug, Default)]
pub struct Story {
    pub state: LiveState,
    tally: RunTally,
    meters: Vec<Meter>,
    /// True once the stage under way has a figure of the moment.
    has_counted: bool,
    is_sweep: bool,
    shown: String,
    /// Number of claims that each job of the record answers.
    claims: Vec<usize>,
}

impl Story {
    pub fn new(record: &RunRecord, cpus: usize) -> Self {
        let targets: Vec<String> = record.targets.iter().map(|target| visible(&target.facts.given)).collect();
        let more = targets.len().saturating_sub(1);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let heading = format!("ioproof {} {}{more}", record.verb, targets.first().map_or("no file", String::as_str));
        let state = LiveState { heading, step: "getting ready".to_owned(), cpus: (None, cpus), ..LiveState::default() };
        let mut story = Self { state, is_sweep: record.verb == sweep::VERB, ..Self::default() };
        story.learn(record);
        story.findings(record, &record.warnings);
        story
    }

    /// A step other than a stage begins.
    pub fn step(&mut self, text: &str, left: Option<Duration>) {
        (self.state.step, self.state.why, self.state.detail) = (visible(text), String::new(), String::new());
        (self.state.left, self.state.is_left_of_stage) = (left, false);
        self.forget_load();
    }

    pub fn progress(&mut self, text: &str) {
        self.state.detail = visible(text);
    }

    pub fn note(&mut self, text: &str) {
        self.state.notes.insert(0, visible(text));
        self.state.notes.truncate(MOST_NOTES);
    }

    pub fn stage_began(&mut self, spec: &StageSpec) {
        self.step(&title(spec), spec.left.or_else(|| length(spec)));
        self.name_rows(name(spec));
        self.state.track.begin(&short_name(spec));
        self.state.is_left_of_stage = spec.left.is_none();
        self.state.why = self.why(spec).to_owned();
        let outstanding = spec.tasks.iter().map(|task| u64::from(task.spec.workload.outstanding())).sum();
        self.state.depth = Some((outstanding, None));
        self.state.in_ramp = spec.tasks.iter().any(|task| task.spec.ramp_ns > 0);
        self.meters = spec.tasks.iter().map(|task| Meter::new(task.spec.ramp_ns)).collect();
    }

    pub fn latencies(&mut self, position: usize, look: Latencies) {
        if let Some(meter) = self.meters.get_mut(position) {
            meter.take(look);
        }
    }

    /// Makes the figures of what has come.
    pub fn count(&mut self) {
        let (moment, run, all) = meter::figures(&self.meters);
        let used = DIRECTIONS.into_iter().zip(moment).zip(run).filter(|(_, run)| run.iops > 0.0);
        let row = |direction, piece, figures| FigureRow { direction, piece, figures };
        let rows: Vec<FigureRow> =
            used.flat_map(|((of, now), run)| [row(of, FigurePeriod::Now, now), row(of, FigurePeriod::ThisRun, run)]).collect();
        if !rows.is_empty() {
            self.put_rows(rows);
        }
        let Some(mean_ns) = all.mean_ns else { return };
        self.has_counted = true;
        if let Some((_, outstanding)) = &mut self.state.depth {
            // Little's law.
            *outstanding = Some(all.iops * mean_ns / 1e9);
        }
        self.state.track.push(all.iops, all.percentiles_ns[1]);
    }

    fn put_rows(&mut self, rows: Vec<FigureRow>) {
        (self.state.in_ramp, self.state.before) = (false, None);
        self.state.most_rows = self.state.most_rows.max(rows.len());
        self.state.rows = rows;
    }

    /// A workload begins; rows that are there are of the one before.
    fn name_rows(&mut self, name: String) {
        let is_other = self.shown != name && !self.state.rows.is_empty();
        self.state.before = is_other.then(|| std::mem::take(&mut self.shown)).filter(|before| !before.is_empty());
        self.shown = name;
    }

    /// The figures of a stage that has ended; of one that was too short for any look they are all that is over time.
    fn last_run(&mut self, stage: &Stage) {
        let (each, all) = meter::of_rounds(&stage.rounds);
        let used = DIRECTIONS.into_iter().zip(each).filter(|(_, figures)| figures.iops > 0.0);
        let rows: Vec<FigureRow> =
            used.map(|(direction, figures)| FigureRow { direction, piece: FigurePeriod::LastRun, figures }).collect();
        if rows.is_empty() {
            return;
        }
        self.put_rows(rows);
        if !self.has_counted {
            self.state.track.push(all.iops, all.percentiles_ns[1]);
        }
    }

    pub fn stage_ended(&mut self, stage: &Stage, record: &RunRecord) {
        self.last_run(stage);
        self.tally.add(stage, record);
        self.state.results = self.tally.lines();
        for drive in &stage.drives {
            self.learn_temperature(&drive.name, drive.after.temperature_celsius);
        }
    }

    pub fn findings(&mut self, record: &RunRecord, findings: &[Finding]) {
        let told = findings_in_words(record, findings).into_iter();
        self.state.findings = told.map(|(severity, label, text)| LiveFinding { severity: Some(severity), label, text }).collect();
    }

    /// Claims of the jobs, and temperatures from before the first stage.
    pub fn learn(&mut self, record: &RunRecord) {
        self.claims = record.jobs.iter().map(|job| job.claims.len()).collect();
        for drive in &record.health {
            self.learn_temperature(&drive.name, drive.before.temperature_celsius);
        }
    }

    fn learn_temperature(&mut self, drive: &str, celsius: Option<f64>) {
        let Some(celsius) = celsius else { return };
        match self.state.temperatures.iter_mut().find(|(name, _)| name == drive) {
            Some((_, known)) => *known = celsius,
            None => self.state.temperatures.push((drive.to_owned(), celsius)),
        }
    }

    fn forget_load(&mut self) {
        (self.meters, self.has_counted, self.state.depth, self.state.in_ramp) = (Vec::new(), false, None, false);
        self.state.rows.retain(|row| row.piece == FigurePeriod::LastRun);
    }

    fn why(&self, spec: &StageSpec) -> &'static str {
        let answers = |task: &Task| self.claims.get(task.job as usize).is_some_and(|claims| *claims > 0);
        match spec.purpose {
            Purpose::Measure if spec.tasks.iter().any(answers) => "a claim of the datasheet is held against the median of its runs",
            Purpose::Measure if spec.is_job_file => "jobs of the job file that run side by side",
            Purpose::Measure if self.is_sweep => "a cell of the sweep: the median of its runs is a point of the curve",
            Purpose::Measure => "a run of this workload: its figure is the median of all of them",
            Purpose::Search => "a step of the search for the highest rate that keeps the latency",
            Purpose::Precondition => "brings the target to steady state before writes are measured; counts for no figure",
            Purpose::ReadBack => "what was written is read back and compared",
            Purpose::Tell => "a run beside the others: it tells what limits one of them",
            Purpose::Together => "all targets at once: held against the sum of what each gives alone",
        }
    }
}

fn title(spec: &StageSpec) -> String {
    match spec.tasks.as_slice() {
        _ if !spec.title.is_empty() => spec.title.clone(),
        [one] => format!("{}: {}, queue depth {}", one.name, one.spec.workload.title(), one.spec.workload.concurrency()),
        tasks => format!("{} jobs side by side", tasks.len()),
    }
}

/// The workload of a stage without the number of its run.
fn name(spec: &StageSpec) -> String {
    match spec.tasks.as_slice() {
        [one] => visible(&format!("{}, queue depth {}", one.spec.workload.title(), one.spec.workload.concurrency())),
        tasks => format!("{} jobs side by side", tasks.len()),
    }
}

/// The same below a chart: `rand read 4k-4x32`.
fn short_name(spec: &StageSpec) -> String {
    let of = || spec.tasks.iter().map(|task| task.spec.workload.id().replacen('-', " ", 2)).next().unwrap_or_default();
    match spec.purpose {
        Purpose::Precondition => "preparing".to_owned(),
        Purpose::ReadBack => "reading back".to_owned(),
        _ if spec.tasks.len() > 1 => format!("{} jobs", spec.tasks.len()),
        Purpose::Search | Purpose::Measure | Purpose::Tell | Purpose::Together => of(),
    }
}

/// Length of a stage of which each task ends by the time.
fn length(spec: &StageSpec) -> Option<Duration> {
    let of = |task: &Task| match task.spec.until {
        Until::ElapsedNs(ns) if task.waits_for.is_empty() => Some(task.delay + Duration::from_nanos(task.spec.ramp_ns.saturating_add(ns))),
        _ => None,
    };
    spec.tasks.iter().filter(|task| !task.idle).map(of).collect::<Option<Vec<_>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::histogram::Histogram;
    use ioproof_core::record::{Direction, Round};
    use ioproof_runner::Source;
    use ioproof_session::sources::testing;

    fn record() -> RunRecord {
        testing::record(&testing::load("--rw randread --workers 1 --depth 4"))
    }

    fn stage() -> StageSpec {
        let load = testing::load("--rw randread --workers 1 --depth 4");
        let mut record = testing::record(&load);
        ioproof_session::sources::sweep::SweepSource::new(testing::tasks(&load), true).next(&mut record, 0).unwrap().unwrap()
    }

    /// So many reads in so many seconds after the ramp, each of 2 ms.
    fn reads(stage: &StageSpec, seconds: u64, ios: u64) -> Latencies {
        let mut latency = Histogram::default();
        (0..ios).for_each(|_| latency.record(2_000_000));
        let read = Direction { ios, bytes: ios * 4096, latency, ..Direction::default() };
        let elapsed_ns = stage.tasks[0].spec.ramp_ns + seconds * 1_000_000_000;
        Latencies { elapsed_ns, measured: [read, Direction::default(), Direction::default()] }
    }

    fn pieces(story: &Story) -> Vec<(&'static str, FigurePeriod, f64)> {
        story.state.rows.iter().map(|row| (row.direction, row.piece, row.figures.iops.round())).collect()
    }

    #[test]
    fn a_stage_has_its_reason_its_depth_and_figures_as_they_come() {
        let (mut story, stage) = (Story::new(&record(), 2), stage());
        story.stage_began(&stage);
        assert!(story.state.step.contains("queue depth 4") && !story.state.why.is_empty(), "{:?}", story.state);
        assert_eq!((story.state.depth, story.state.rows.len()), (Some((4, None)), 0));
        story.latencies(0, reads(&stage, 1, 1000));
        story.latencies(0, reads(&stage, 2, 3000));
        story.count();
        assert_eq!(pieces(&story), [("read", FigurePeriod::Now, 2000.0), ("read", FigurePeriod::ThisRun, 1500.0)]);
        let (_, now) = story.state.depth.unwrap();
        assert!((now.unwrap() - 4.0).abs() < 0.1, "2000 I/Os a second of 2 ms each are 4 at a time: {now:?}");
    }

    #[test]
    fn figures_of_a_run_that_ended_stay_until_there_are_others() {
        let (mut story, stage) = (Story::new(&record(), 2), stage());
        story.stage_began(&stage);
        let read = reads(&stage, 1, 500).measured[0].clone();
        let ended = Stage { rounds: vec![Round { elapsed_ns: 500_000_000, read, ..Round::default() }], ..Stage::default() };
        story.stage_ended(&ended, &record());
        story.stage_began(&stage);
        assert_eq!(pieces(&story), [("read", FigurePeriod::LastRun, 1000.0)]);
        let track: Vec<f64> = story.state.track.within(9).iter().flat_map(|(stretch, columns)| stretch.iops.in_columns(*columns)).collect();
        assert_eq!(track, [1000.0], "a stage that was too short for any look");
        assert_eq!(story.state.before, None, "the same workload again");
        story.latencies(0, reads(&stage, 1, 100));
        story.count();
        assert!(story.state.rows.iter().all(|row| row.piece != FigurePeriod::LastRun));
        story.step("reading back", None);
        assert!(story.state.rows.is_empty() && story.state.why.is_empty() && story.state.depth.is_none());
    }

    #[test]
    fn figures_of_another_workload_bear_its_name() {
        let (mut story, stage) = (Story::new(&record(), 2), stage());
        let mut other = stage.clone();
        other.tasks[0].spec.workload.block_bytes = 8192;
        let read = reads(&stage, 1, 500).measured[0].clone();
        let ended = Stage { rounds: vec![Round { elapsed_ns: 500_000_000, read, ..Round::default() }], ..Stage::default() };
        story.stage_began(&stage);
        story.stage_ended(&ended, &record());
        assert_eq!(story.state.before, None);
        story.stage_began(&other);
        assert_eq!(story.state.before.as_deref(), Some("random read 4 KiB, queue depth 4"));
        story.latencies(0, reads(&other, 1, 100));
        story.count();
        assert_eq!(story.state.before, None, "there are figures of this one");
        story.stage_ended(&ended, &record());
        let names: Vec<&str> = story.state.track.within(80).iter().map(|(stretch, _)| stretch.name.as_str()).collect();
        assert_eq!(names, ["rand read 4k-1x4", "rand read 8k-1x4"]);
    }

    #[test]
    fn notes_come_newest_first_and_are_bounded() {
        let mut story = Story::new(&record(), 2);
        (0..2 * MOST_NOTES).for_each(|n| story.note(&format!("{n}\x1b[2J")));
        assert_eq!(story.state.notes.len(), MOST_NOTES);
        assert!(story.state.notes[0].starts_with("99") && !story.state.notes[0].contains('\x1b'));
    }
}
