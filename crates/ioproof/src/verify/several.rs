//! `verify` of several targets in one run: each alone and all at once, or with `--interleave` two in turns, of which the second is held against the first as the run
//! ends. Each goes through the same front as a single target: it is identified, admitted, planned and opened by itself, and the write rule is asked for each, for all
//! before anything is written.

use super::dry_run::{self, DryRun};
use super::{Content, Preparation, admit, end, estimate, identify, polled, record, say_beforehand, target};
use crate::compared::Compared;
use crate::measure::{self, Measurement};
use crate::observers::live::{self, LiveView};
use crate::observers::progress::Progress;
use crate::reports::Reports;
use crate::request::{self, Several, VerifyRequest};
use crate::sources::interleave::{self, Interleave};
use anyhow::{Context, Result};
use ioproof_core::compare::sides as halves;
use ioproof_core::job::Span;
use ioproof_core::plan::{self, Plan};
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::text::visible;
use ioproof_core::together;
use ioproof_core::units::binary_size;
use ioproof_process::complaint::complaint;
use ioproof_process::interrupt;
use ioproof_process::memory_room;
use ioproof_runner::{Engine, Observer};
use ioproof_target::{Handle, System, Target};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// One of the targets, open.
struct Side {
    request: VerifyRequest,
    target: Target,
    handle: Handle,
    facts: identify::Facts,
    plan: Plan,
}

/// Measures the targets, holds them against one another, and gives the exit status.
///
/// # Errors
/// When one of them cannot be measured, or not all run the same.
pub fn measure(system: &System, request: &VerifyRequest, several: &Several, reports: Reports) -> Result<u8> {
    several.sides.iter().try_for_each(|side| reports.spare(&side.target))?;
    let (stop, started) = (interrupt::flag()?, Instant::now());
    let sides = opened(system, request, several)?;
    let record = record_of(request, &sides);
    let all = of_all(&sides, several);
    if request.dry_run {
        say_beforehand(request, &record);
        return shown(system, &sides, several, &all);
    }
    let mut progress = Progress::new();
    progress.say(&opening(&record, several, &all));
    say_beforehand(request, &record);
    let mut live = if request.live { LiveView::begin(&record)? } else { None };
    let turn = |side: &Side| interleave::Side {
        tasks: record::tasks(request, side.plan.span),
        name: visible(&side.target.facts.given).to_string(),
    };
    let mut source = Interleave::new(sides.iter().map(turn).collect(), several.at_once, &sides[0].plan, request.seed);
    let preview = source.preview();
    let prepare = &mut |engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer| {
        preview.iter().try_for_each(|task| engine.check(task))?;
        (0..).zip(&sides).try_for_each(|(at, side)| side.prepare(&Preparing { system, request, stop: &stop, at }, engine, record, observer))
    };
    let handles = sides.iter().map(|side| &side.handle).collect();
    let measurement = Measurement { system, handles, databases: None, record, stop: &stop, started };
    let measured = measure::measure(measurement, prepare, &mut source, live::beside(&mut progress, &mut live))?;
    drop(live);
    progress.clear();
    end(request, reports, &measured, |record| (!several.at_once).then(|| Compared::of(&halves(record), several.fail_if)))
}

/// The surroundings in which the content of a target is made.
struct Preparing<'a> {
    system: &'a System,
    request: &'a VerifyRequest,
    stop: &'a AtomicBool,
    /// Position of the target.
    at: usize,
}

impl Side {
    fn prepare(&self, with: &Preparing<'_>, engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer) -> Result<()> {
        if record.status != RunStatus::Running || with.stop.load(Relaxed) {
            return Ok(());
        }
        let &Preparing { system, request, stop, at } = with;
        let Plan { span, fill, time_ns, .. } = self.plan;
        let handles = std::slice::from_ref(&self.handle);
        let with = Preparation { system, request, handles, tasks: record::tasks(request, span), stop };
        let left = Duration::from_nanos(time_ns);
        Content { handle: &self.handle, position: at, target: at, span, fill, left }.prepare(&with, engine, record, observer)
    }
}

/// All targets, open under a permit of their own, with as much of each used as there is of the smallest. Nothing is opened before all could be planned.
fn opened(system: &System, request: &VerifyRequest, several: &Several) -> Result<Vec<Side>> {
    let planned = several.sides.iter().map(|side| planned(system, request, side, several)).collect::<Result<Vec<_>>>()?;
    same_work(&planned)?;
    let count = if several.at_once { planned.len() } else { 1 };
    let plan = &planned[0].plan;
    memory_room::check_together(system, plan.all().map(|of| vec![request.load.needs(&of.workload, plan.span.length_bytes); count]))?;
    let mut sides = planned.into_iter().map(|planned| planned.open(system)).collect::<Result<Vec<_>>>()?;
    let length_bytes = sides.iter().map(|side| side.plan.span.length_bytes).min().unwrap_or(0);
    sides.iter_mut().for_each(|side| side.plan.span.length_bytes = length_bytes);
    Ok(sides)
}

/// One of the targets, looked at and planned.
struct Planned {
    request: VerifyRequest,
    chosen: target::Chosen,
    facts: identify::Facts,
    plan: Plan,
}

impl Planned {
    fn is_scratch(&self) -> bool {
        matches!(self.chosen, target::Chosen::Scratch { .. })
    }

    fn open(self, system: &System) -> Result<Side> {
        let Self { request, chosen, facts, plan } = self;
        let given = visible(&chosen.facts().given).to_string();
        let (target, handle) = target::permit(system, &request, chosen).context(given)?;
        Ok(Side { request, target, handle, facts, plan })
    }
}

fn planned(system: &System, request: &VerifyRequest, side: &request::Side, several: &Several) -> Result<Planned> {
    let request::Side { target, destroy, overwrite } = side.clone();
    let mut request = VerifyRequest { target: Some(target), destroy, overwrite, several: None, ..request.clone() };
    target::must_exist(&request)?;
    let chosen = target::choose(system, &request)?;
    let facts = identify::identify(system, &chosen, &request)?;
    admit::admit(system, &request, &facts)?;
    polled::check(system, &request, chosen.facts())?;
    // Each step of a turn has its share of the time.
    let time = record::time(&request, &chosen);
    if request.runs.is_none() || request.time.is_some() || request.quick {
        request.time = Some(time / steps(several) as u32);
    }
    let plan = record::plan(&request, &chosen, &facts)?;
    let plan = Plan { time_ns: time.as_nanos() as u64, ..plan };
    Ok(Planned { request, chosen, facts, plan })
}

fn steps(several: &Several) -> usize {
    interleave::steps(several.sides.len(), several.at_once)
}

/// Refuses targets of which two are one, and those that would not run the same as the first.
fn same_work(sides: &[Planned]) -> Result<()> {
    let Some((first, others)) = sides.split_first() else { return Ok(()) };
    for (at, side) in sides.iter().enumerate() {
        sides[..at].iter().try_for_each(|other| not_the_same(other, side))?;
    }
    others.iter().try_for_each(|other| as_much(first, other))
}

/// Refuses two names of one target.
fn not_the_same(first: &Planned, second: &Planned) -> Result<()> {
    let (one, other) = (first.chosen.facts(), second.chosen.facts());
    // A scratch file's identity is that of its filesystem.
    let is_same =
        one.identity.as_ref().zip(other.identity.as_ref()).is_some_and(|(one, other)| !first.is_scratch() && one.is_proven(other));
    if is_same || one.resolved == other.resolved {
        return Err(complaint(format!("{} is held against itself", visible(&one.resolved)), "name different targets"));
    }
    Ok(())
}

/// Refuses a target on which something else would be run than on the first.
fn as_much(first: &Planned, second: &Planned) -> Result<()> {
    let (one, other) = (first.chosen.facts(), second.chosen.facts());
    let is_written = |side: &Planned| side.chosen.is_written(&side.request);
    if !first.is_scratch() && !second.is_scratch() && is_written(first) != is_written(second) {
        let (written, read) = if is_written(first) { (one, other) } else { (other, one) };
        return Err(complaint(
            format!("{} would be written, and {} only read", visible(&written.given), visible(&read.given)),
            "give consent to write for all or for none",
        ));
    }
    let workloads = |side: &Planned| side.plan.all().map(|planned| planned.workload.clone()).collect::<Vec<_>>();
    if workloads(first) == workloads(second) {
        return Ok(());
    }
    let more = if workloads(first).len() > workloads(second).len() { (one, other) } else { (other, one) };
    let (more, less) = (visible(&more.0.given), visible(&more.1.given));
    Err(complaint(
        format!("more can be run on {more} than on {less}, and targets of one run run the same"),
        "give consent to write for all or for none, or name workloads that all can run (--rw, --bs)",
    ))
}

/// The record of all targets.
fn record_of(request: &VerifyRequest, sides: &[Side]) -> RunRecord {
    let of = |side: &Side| record::open(&side.request, &side.target, &side.handle, side.facts.clone(), side.plan.clone());
    let mut record = record::joined(request, of(&sides[0]), sides[1..].iter().map(of));
    let shared = together::one_drive(&record);
    record.notes.extend(shared);
    record
}

/// The line that is said when the run begins.
fn opening(record: &RunRecord, several: &Several, all: &Plan) -> String {
    let targets: Vec<u32> = (0..).zip(&record.targets).map(|(at, _)| at).collect();
    let each_bytes = record.plan.as_ref().map_or(0, |plan| plan.span.length_bytes);
    format!(
        "measuring {} of {} {}, {}",
        binary_size(each_bytes),
        visible(&together::names(record, &targets)),
        way(several),
        estimate::words(all, false)
    )
}

fn way(several: &Several) -> &'static str {
    if several.at_once { "each alone and all at once" } else { "in turns" }
}

/// The work on all targets as one plan, by which time is estimated.
fn of_all(sides: &[Side], several: &Several) -> Plan {
    let plan = &sides[0].plan;
    let times = |planned: &[plan::Planned]| vec![planned; steps(several)].concat();
    let length_bytes = plan.span.length_bytes.saturating_mul(sides.len() as u64);
    Plan { reads: times(&plan.reads), writes: times(&plan.writes), span: Span { length_bytes, ..plan.span }, ..plan.clone() }
}

/// Shows all sides of `--dry-run`, and gives the exit status.
fn shown(system: &System, sides: &[Side], several: &Several, all: &Plan) -> Result<u8> {
    let dry = |side: &Side| {
        let mut record = record::open(&side.request, &side.target, &side.handle, side.facts.clone(), side.plan.clone());
        DryRun::of(system, &side.request, &side.facts, side.plan.clone(), &side.handle, &mut record)
    };
    dry_run::show_several(&sides[0].request, sides.iter().map(dry).collect(), way(several), all)
}
