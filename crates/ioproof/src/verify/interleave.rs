//! `verify --interleave`: two targets measured in turns in one run, and the second held against the first as it ends. Each goes through the same front as a single
//! target: it is identified, admitted, planned and opened by itself, and the write rule is asked for each.

use super::dry_run::{self, DryRun};
use super::{Content, Preparation, admit, end, estimate, identify, polled, record, say_beforehand, target};
use crate::compared::Compared;
use crate::complaint::complaint;
use crate::interrupt;
use crate::measure::{Measurement, measure};
use crate::memory_room;
use crate::observers::live::{self, LiveView};
use crate::observers::progress::Progress;
use crate::plain::plain;
use crate::reports::Reports;
use crate::request::{self, VerifyRequest};
use crate::sources::interleave::{Interleave, Turn};
use anyhow::{Context, Result};
use ioproof_core::compare::sides;
use ioproof_core::job::Span;
use ioproof_core::plan::{self, Plan};
use ioproof_core::record::RunRecord;
use ioproof_core::units::binary_size;
use ioproof_runner::{Engine, Observer};
use ioproof_target::{Handle, System, Target};
use std::time::{Duration, Instant};

/// One of both targets, open.
struct Side {
    request: VerifyRequest,
    target: Target,
    handle: Handle,
    facts: identify::Facts,
    plan: Plan,
}

/// Measures both targets, compares them, and gives the exit status.
///
/// # Errors
/// When one of them cannot be measured, or both do not run the same.
pub fn measure_both(system: &System, request: &VerifyRequest, both: &request::Interleave, reports: Reports) -> Result<u8> {
    both.sides.iter().try_for_each(|side| reports.spare(&side.target))?;
    let (stop, started) = (interrupt::flag()?, Instant::now());
    let [mut first, mut second] = opened(system, request, both)?;
    let length_bytes = first.plan.span.length_bytes.min(second.plan.span.length_bytes);
    [&mut first, &mut second].into_iter().for_each(|side| side.plan.span.length_bytes = length_bytes);
    let record = record_of(request, &first, &second);
    if request.dry_run {
        say_beforehand(request, &record);
        return shown(system, &first, &second);
    }
    let mut progress = Progress::new();
    progress.say(&opening(&record, &of_both(&first.plan)));
    say_beforehand(request, &record);
    let mut live = if request.live { LiveView::begin(&record)? } else { None };
    let turn = |side: &Side| Turn { tasks: record::tasks(request, side.plan.span), name: plain(&side.target.facts.given).to_string() };
    let mut source = Interleave::new([turn(&first), turn(&second)], &first.plan, request.seed);
    let preview = source.preview();
    let prepare = &mut |engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer| {
        preview.iter().try_for_each(|task| engine.check(task))?;
        for (position, side) in [&first, &second].into_iter().enumerate() {
            let with = Preparation {
                system,
                request,
                handles: std::slice::from_ref(&side.handle),
                tasks: record::tasks(request, side.plan.span),
                stop: &stop,
            };
            let left = Duration::from_nanos(side.plan.time_ns);
            let content = Content { handle: &side.handle, position, target: position, span: side.plan.span, fill: side.plan.fill, left };
            content.prepare(&with, engine, record, observer)?;
        }
        Ok(())
    };
    let measurement = Measurement { system, handles: vec![&first.handle, &second.handle], databases: None, record, stop: &stop, started };
    let measured = measure(measurement, prepare, &mut source, live::beside(&mut progress, &mut live))?;
    drop(live);
    progress.clear();
    end(request, reports, &measured, |record| Some(Compared::of(&sides(record), both.fail_if)))
}

/// Both targets, open under a permit of their own. Nothing is opened before both could be planned.
fn opened(system: &System, request: &VerifyRequest, both: &request::Interleave) -> Result<[Side; 2]> {
    let [first, second] = &both.sides;
    let (of_first, of_second) = (planned(system, request, first)?, planned(system, request, second)?);
    same_work(&of_first, &of_second)?;
    let workloads = of_first.plan.all().map(|planned| &planned.workload);
    memory_room::check(system, workloads)?;
    Ok([of_first.open(system)?, of_second.open(system)?])
}

/// One of both targets, looked at and planned.
struct Planned {
    request: VerifyRequest,
    chosen: target::Chosen,
    facts: identify::Facts,
    plan: Plan,
}

impl Planned {
    fn open(self, system: &System) -> Result<Side> {
        let Self { request, chosen, facts, plan } = self;
        let given = plain(&chosen.facts().given).to_string();
        let (target, handle) = target::permit(system, &request, chosen).context(given)?;
        Ok(Side { request, target, handle, facts, plan })
    }
}

fn planned(system: &System, request: &VerifyRequest, side: &request::Side) -> Result<Planned> {
    let request::Side { target, destroy, overwrite } = side.clone();
    let mut request = VerifyRequest { target: Some(target), destroy, overwrite, interleave: None, ..request.clone() };
    target::must_exist(&request)?;
    let chosen = target::choose(system, &request)?;
    let facts = identify::identify(system, &chosen, &request)?;
    admit::admit(system, &request, &facts)?;
    polled::check(system, &request, chosen.facts())?;
    // Each of both has half of the time.
    let time = record::time(&request, &chosen);
    if request.runs.is_none() || request.time.is_some() || request.quick {
        request.time = Some(time / 2);
    }
    let plan = record::plan(&request, &chosen, &facts)?;
    let plan = Plan { time_ns: time.as_nanos() as u64, ..plan };
    Ok(Planned { request, chosen, facts, plan })
}

/// Refuses targets that are one, and those that would not run the same.
fn same_work(first: &Planned, second: &Planned) -> Result<()> {
    let (one, other) = (first.chosen.facts(), second.chosen.facts());
    let is_scratch = matches!(first.chosen, target::Chosen::Scratch { .. });
    // A scratch file's identity is that of its filesystem.
    let is_same = one.identity.as_ref().zip(other.identity.as_ref()).is_some_and(|(one, other)| !is_scratch && one.is_proven(other));
    if is_same || one.resolved == other.resolved {
        return Err(complaint(format!("{} is held against itself", plain(&one.resolved)), "name two different targets"));
    }
    let is_written = |side: &Planned| side.chosen.is_written(&side.request);
    if !is_scratch && !matches!(second.chosen, target::Chosen::Scratch { .. }) && is_written(first) != is_written(second) {
        let (written, read) = if is_written(first) { (one, other) } else { (other, one) };
        return Err(complaint(
            format!("{} would be written, and {} only read", plain(&written.given), plain(&read.given)),
            "give consent to write for both or for none",
        ));
    }
    let workloads = |side: &Planned| side.plan.all().map(|planned| planned.workload.clone()).collect::<Vec<_>>();
    if workloads(first) == workloads(second) {
        return Ok(());
    }
    let more = if workloads(first).len() > workloads(second).len() { (one, other) } else { (other, one) };
    let (more, less) = (plain(&more.0.given), plain(&more.1.given));
    Err(complaint(
        format!("more can be run on {more} than on {less}, and targets in turns run the same"),
        "give consent to write for both or for none, or name workloads that both can run (--rw, --bs)",
    ))
}

/// The record of both.
fn record_of(request: &VerifyRequest, first: &Side, second: &Side) -> RunRecord {
    let of = |side: &Side| record::open(&side.request, &side.target, &side.handle, side.facts.clone(), side.plan.clone());
    record::joined(request, of(first), [of(second)])
}

/// The line that is said when the run begins.
fn opening(record: &RunRecord, both: &Plan) -> String {
    let names: Vec<String> = record.targets.iter().map(|target| plain(&target.facts.given).to_string()).collect();
    let each_bytes = both.span.length_bytes / 2;
    format!("measuring {} of {} in turns, {}", binary_size(each_bytes), names.join(" and "), estimate::words(both))
}

/// The work on both targets as one plan, by which time is estimated.
fn of_both(plan: &Plan) -> Plan {
    let twice = |planned: &[plan::Planned]| [planned, planned].concat();
    let span = Span { length_bytes: plan.span.length_bytes.saturating_mul(2), ..plan.span };
    Plan { reads: twice(&plan.reads), writes: twice(&plan.writes), span, ..plan.clone() }
}

/// Shows both sides of `--dry-run`, and gives the exit status.
fn shown(system: &System, first: &Side, second: &Side) -> Result<u8> {
    let dry = |side: &Side| {
        let mut record = record::open(&side.request, &side.target, &side.handle, side.facts.clone(), side.plan.clone());
        DryRun::of(system, &side.request, &side.facts, side.plan.clone(), &side.handle, &mut record)
    };
    dry_run::show_both(&first.request, [dry(first), dry(second)], &of_both(&first.plan))
}
