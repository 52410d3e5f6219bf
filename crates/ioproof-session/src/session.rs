//! A session: what a request asks for, open and ready to be measured. Verbs differ in its source of stages; one target is a list of one.
//!
//! ```text
//! choose -> identify -> plan -> permit, of each target -> record -> source, and then `measure`
//! ```

use crate::clock::clock_choice;
use crate::compared::Baseline;
use crate::measure::{MeasuredRun, Measurement, RanStages, measure, run_stages};
use crate::observers::status_on_signal::StatusOnSignal;
use crate::open::content::ContentMaker;
use crate::open::found::{FoundTarget, OpenTarget};
use crate::open::{estimate, left_out, method, purge, record, same_work, standard, take_over, target};
use crate::request::{PlanRequest, RunKind, SessionRequest, TargetRequest};
use crate::sources::diagnostic_runs::DiagnosticRuns;
use crate::sources::interleave::{Interleave, TurnTarget};
use crate::sources::layers::LayersSource;
use crate::sources::load::Tasks;
use crate::sources::plan::PlanSource;
use crate::sources::precondition::Precondition;
use crate::sources::purge_first::PurgeFirst;
use crate::sources::rate_search::RateSearch;
use crate::sources::standard::StandardSource;
use crate::sources::sweep::SweepSource;
use anyhow::{Context, Result};
use ioproof_core::job::Span;
use ioproof_core::plan::{Plan, Planned};
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;
use ioproof_core::together;
use ioproof_core::units::binary_size;
use ioproof_process::complaint::complaint;
use ioproof_process::{memory_room, messages};
use ioproof_runner::{DatabaseRunner, Engine, Failure, Observer, Sequence, Source, Task};
use ioproof_target::purge::PurgeMethod;
use ioproof_target::{Handle, System};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const NOTHING: Span = Span { offset_bytes: 0, length_bytes: 0 };

/// Targets that are open, the record that begins with them, and the source of stages.
pub struct Session<'a> {
    pub(crate) system: &'a System,
    pub(crate) request: &'a PlanRequest,
    pub(crate) targets: Vec<OpenTarget<'a>>,
    pub(crate) record: RunRecord,
    pub(crate) stages: Stages<'a>,
    /// Before each test of a standard the target is purged so.
    pub(crate) purge: Option<PurgeMethod>,
    pub(crate) stop: &'a AtomicBool,
    /// Since when the time of the run counts.
    pub(crate) started: Instant,
}

pub(crate) enum Stages<'a> {
    /// The plan's, with what goes before and after it, of the one target that these tasks are on.
    Planned(Sequence<'a>, Tasks<'a>),
    Turns(Box<Interleave<'a>>),
    Layers(LayersSource<'a>),
}

/// Things that are measured beside the targets of a session.
#[derive(Default)]
pub(crate) struct SessionExtras<'b> {
    /// Further handles, behind those of targets.
    pub handles: Vec<&'b Handle>,
    pub databases: Option<&'b dyn DatabaseRunner>,
    pub made_after_content: Option<&'b mut MadeAfterContent<'b>>,
}

pub(crate) type MadeAfterContent<'b> = dyn FnMut(&[OpenTarget<'_>], &mut RunRecord, &mut dyn Observer) -> Result<()> + 'b;

/// Opens everything that a request asks for, as far as the write rule allows it.
pub fn open<'a>(system: &'a System, request: &'a SessionRequest, baseline: Option<&Baseline>, stop: &'a AtomicBool) -> Result<Session<'a>> {
    let started = Instant::now();
    let SessionRequest { targets: requests, plan: request } = request;
    let found = requests.iter().map(|of| look(system, request, of, requests.len())).collect::<Result<Vec<_>>>()?;
    same_work::check(&found)?;
    standard::check_endurance(request.kind.standard(), &found[0])?;
    crate::open::plan::check_room(found.iter().map(|found| (&found.chosen, &found.plan)))?;
    if request.precondition && found[0].plan.writes.is_empty() {
        return Err(complaint("--precondition: nothing is written by this run", "it needs consent to write, and a workload that writes"));
    }
    check_memory(system, request, &found)?;
    let open_one = |found: FoundTarget| {
        let given = (requests.len() > 1).then(|| visible(&found.chosen.facts().given));
        let opened = found.open(system, request);
        match given {
            Some(given) => opened.context(given),
            None => opened,
        }
    };
    let mut targets = found.into_iter().map(open_one).collect::<Result<Vec<_>>>()?;
    // As much of each as there is of the smallest.
    let length_bytes = targets.iter().map(|target| target.plan.span.length_bytes).min().unwrap_or(0);
    targets.iter_mut().for_each(|target| target.plan.span.length_bytes = length_bytes);
    let purge = purge::choose(system, request.kind.standard(), &mut targets[0])?;
    let mut record = record::open(request, &targets);
    if let Some(earlier) = request.kind.taken_up() {
        take_over::take_over(&mut record, earlier)?;
    }
    match &request.kind {
        RunKind::InTurns | RunKind::AtOnce => {
            let shared = together::one_drive(&record);
            record.notes.extend(shared);
        }
        _ => {}
    }
    baseline.map_or(Ok(()), |baseline| baseline.check(&record))?;
    record.warnings = method::warnings(request, requests[0].path.is_some(), &record);
    let stages = stages(request, &targets, &record);
    Ok(Session { system, request, targets, record, stages, purge, stop, started })
}

fn look(system: &System, request: &PlanRequest, of: &TargetRequest, count: usize) -> Result<FoundTarget> {
    FoundTarget::new(system, request, target::choose(system, of, request.size)?, request.kind.steps(count))
}

/// Makes sure that there is memory for each workload, of all targets at once where they are measured so.
fn check_memory(system: &System, request: &PlanRequest, found: &[FoundTarget]) -> Result<()> {
    let (plan, count) = (&found[0].plan, if matches!(request.kind, RunKind::AtOnce) { found.len() } else { 1 });
    memory_room::check_together(system, plan.all().map(|of| vec![request.load.needs(&of.workload, plan.span.length_bytes); count]))
}

/// The stages of a run. On one target it is brought to steady state and rates are found where that was asked for, then comes the plan, then what tells more about it;
/// of a sweep and of syncs their cells stand in the place of the plan.
fn stages<'a>(request: &'a PlanRequest, targets: &[OpenTarget<'_>], record: &RunRecord) -> Stages<'a> {
    if let RunKind::InTurns | RunKind::AtOnce = request.kind {
        return Stages::Turns(Box::new(turns(request, targets, matches!(request.kind, RunKind::AtOnce))));
    }
    let tasks = record::tasks(request, record.plan.as_ref().map_or(NOTHING, |plan| plan.span));
    let mut sources: Vec<Box<dyn Source + 'a>> = Vec::new();
    if request.precondition {
        sources.push(Box::new(Precondition::new(tasks)));
    }
    match &request.kind {
        RunKind::Sweep { full, .. } => sources.push(Box::new(SweepSource::new(tasks, *full))),
        RunKind::Sync(_) => sources.push(Box::new(SweepSource::new(tasks, true))),
        RunKind::Standard(_) => {
            sources.extend(record.plan.as_ref().map(|plan| -> Box<dyn Source + 'a> { Box::new(StandardSource::new(tasks, plan)) }))
        }
        _ => {
            if let Some(target) = request.load.latency_target {
                sources.push(Box::new(RateSearch::new(tasks, target)));
            }
            sources.push(Box::new(PlanSource::new(tasks)));
            sources.push(Box::new(DiagnosticRuns::new(tasks)));
        }
    }
    Stages::Planned(Sequence::new(sources), tasks)
}

pub(crate) fn turns<'a>(request: &'a PlanRequest, targets: &[OpenTarget<'_>], at_once: bool) -> Interleave<'a> {
    let turn = |of: &OpenTarget<'_>| TurnTarget { tasks: record::tasks(request, of.plan.span), name: visible(&of.target.facts.given) };
    Interleave::new(targets.iter().map(turn).collect(), at_once, &targets[0].plan, request.seed)
}

impl<'a> Session<'a> {
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// The line that is said when the run begins.
    pub fn opening(&self) -> String {
        if self.targets.len() == 1 {
            return record::opening(self.request, &self.record);
        }
        let targets: Vec<u32> = (0..).zip(&self.record.targets).map(|(at, _)| at).collect();
        let each_bytes = self.record.plan.as_ref().map_or(0, |plan| plan.span.length_bytes);
        let (size, names) = (binary_size(each_bytes), together::names(&self.record, &targets));
        format!("measuring {size} of {} {}, {}", visible(&names), self.way(), estimate::describe(&self.work_of_all(), false))
    }

    pub(crate) fn way(&self) -> &'static str {
        if matches!(self.request.kind, RunKind::AtOnce) { "each alone and all at once" } else { "in turns" }
    }

    /// The work on all targets as one plan, by which time is estimated.
    pub(crate) fn work_of_all(&self) -> Plan {
        let plan = &self.targets[0].plan;
        let times = |planned: &[Planned]| vec![planned; self.request.kind.steps(self.targets.len())].concat();
        let length_bytes = plan.span.length_bytes.saturating_mul(self.targets.len() as u64);
        Plan { reads: times(&plan.reads), writes: times(&plan.writes), span: Span { length_bytes, ..plan.span }, ..plan.clone() }
    }

    /// Says what makes the run pointless, longer or less than was asked for, while it can still be ended.
    pub fn say_beforehand(&self) {
        let Self { request, record, .. } = self;
        record.plan.iter().for_each(|plan| estimate::warn(request, plan));
        method::say_pace(&record.warnings);
        if let Some((text, hint)) = left_out::less_than_asked(request, record) {
            messages::warning(&text);
            messages::hint(&hint);
        }
    }

    /// Refuses what the engine would refuse, before anything is stored or written.
    ///
    /// # Errors
    /// When a workload cannot be run on the targets.
    pub fn check_engine(&self) -> Result<()> {
        let handles = self.targets.iter().flat_map(|target| &target.handles).map(|handle| &**handle).collect();
        let engine = Engine::new(handles, clock_choice(self.system), Instant::now());
        let tasks = self.stages.preview(&mut self.record.clone())?;
        tasks.iter().try_for_each(|task| Ok(engine.check(task)?))
    }

    pub fn measure(self, observers: Vec<&mut dyn Observer>) -> Result<MeasuredRun> {
        self.measure_beside(SessionExtras::default(), observers)
    }

    pub(crate) fn measure_beside(self, beside: SessionExtras<'_>, observers: Vec<&mut dyn Observer>) -> Result<MeasuredRun> {
        self.with(beside, |measurement, prepare, source| measure(measurement, prepare, source, observers))
    }

    /// Measures everything as a part of another run, which judges and keeps it.
    pub(crate) fn measure_part(self, observers: Vec<&mut dyn Observer>) -> Result<RanStages> {
        self.with(SessionExtras::default(), |measurement, prepare, source| {
            run_stages(measurement, prepare, source, observers, StatusOnSignal::begin())
        })
    }

    fn with<T>(
        self,
        beside: SessionExtras<'_>,
        run: impl FnOnce(Measurement<'_>, &mut crate::measure::Prepare<'_>, &mut dyn Source) -> Result<T>,
    ) -> Result<T> {
        let Self { system, request, targets, record, mut stages, purge: method, stop, started } = self;
        let SessionExtras { handles: further, databases, mut made_after_content } = beside;
        let mut preview = Some(stages.preview(&mut record.clone()));
        let content = ContentMaker { system, request, stop };
        let prepare = &mut |engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer| {
            if let Some(tasks) = preview.take() {
                tasks?.iter().try_for_each(|task| engine.check(task))?;
            }
            content.make(&targets, engine, record, observer)?;
            made_after_content.as_mut().map_or(Ok(()), |make| make(&targets, record, observer))
        };
        let handles = targets.iter().flat_map(|target| &target.handles).map(|handle| &**handle).chain(further).collect();
        let measurement = Measurement { system, handles, databases, record, stop, started };
        let source = stages.source();
        match method {
            Some(method) => {
                let mut purge = || purge::run(system, &targets[0], method);
                run(measurement, prepare, &mut PurgeFirst { source, purge: &mut purge })
            }
            None => run(measurement, prepare, source),
        }
    }
}

impl Stages<'_> {
    fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Planned(sequence, _) => sequence,
            Self::Turns(turns) => turns.as_mut(),
            Self::Layers(layers) => layers,
        }
    }

    /// The tasks of all workloads, so that what the engine would refuse is refused before anything is written.
    ///
    /// # Errors
    /// When the span is too large to remember what was written where.
    fn preview(&self, record: &mut RunRecord) -> Result<Vec<Task>, Failure> {
        match self {
            Self::Planned(_, tasks) => PlanSource::preview(tasks, record),
            Self::Turns(turns) => Ok(turns.preview()),
            Self::Layers(layers) => Ok(layers.preview()),
        }
    }
}
