//! The verb `verify`: its front (a target, its drives, a plan made of claims or flags, a permit) and its back (summary and reports). Everything between is
//! `measure`, the same for every verb.

mod admit;
mod dry_run;
mod estimate;
mod identify;
pub mod layers;
mod method;
mod polled;
pub mod record;
mod several;
mod take_over;
mod target;

use crate::cli;
use crate::compared::Compared;
use crate::measure::{Measured, Measurement, measure};
use crate::observers::live::{self, LiveView};
use crate::observers::progress::Progress;
use crate::reports::Reports;
use crate::reports::print;
use crate::request::VerifyRequest;
use crate::sources::load::{Tasks, for_data};
use crate::sources::plan::PlanSource;
use crate::sources::precondition::Precondition;
use crate::sources::rate_search::RateSearch;
use crate::sources::sweep::SweepSource;
use crate::sources::telling::Telling;
use anyhow::Result;
use ioproof_core::compare::Comparison;
use ioproof_core::job::Span;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_process::complaint::{self, complaint};
use ioproof_process::interrupt;
use ioproof_process::memory_room;
use ioproof_process::messages;
use ioproof_process::output;
use ioproof_report::Format;
use ioproof_runner::{Engine, Observer, Sequence, Source, ToFill, fill, look_at_content};
use ioproof_target::{Handle, System};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Blocks sampled for zeros, and the most time for that.
const SAMPLES: u64 = 256;
const LOOK: Duration = Duration::from_secs(5);

/// Runs `verify` and gives the exit status.
///
/// # Errors
/// When nothing can be measured; what goes wrong with the drive is part of the record.
pub fn run(args: cli::Verify) -> Result<u8> {
    let system = System::host();
    let request = VerifyRequest::settle(args, &system)?;
    measure_request(&system, request)
}

/// Measures what a request asks for, reports it and gives the exit status.
///
/// # Errors
/// When nothing can be measured.
pub fn measure_request(system: &System, request: VerifyRequest) -> Result<u8> {
    if request.live {
        live::check()?;
    }
    let reports = Reports::open(&request.outputs)?;
    if let Some(several) = &request.several {
        return several::measure(system, &request, several, reports);
    }
    request.target.as_ref().map_or(Ok(()), |target| reports.spare(target))?;
    let stop = interrupt::flag()?;
    let started = Instant::now();

    let chosen = target::choose(system, &request)?;
    let facts = identify::identify(system, &chosen, &request)?;
    admit::admit(system, &request, &facts)?;
    polled::check(system, &request, chosen.facts())?;
    let plan = record::plan(&request, &chosen, &facts)?;
    target::say_new(&request, chosen.size_bytes());
    if request.precondition && plan.writes.is_empty() {
        return Err(complaint("--precondition: nothing is written by this run", "it needs consent to write, and a workload that writes"));
    }
    if request.dry_run {
        return dry_run::show(system, &request, chosen, facts, plan);
    }
    memory_room::check(system, plan.all().map(|of| request.load.needs(&of.workload, plan.span.length_bytes)))?;
    let scratch_in = chosen.directory();
    let (under_test, handle) = match target::permit(system, &request, chosen) {
        Ok(permitted) => permitted,
        Err(error) => return complaint::or_interrupted(error, stop.load(Relaxed)),
    };
    let plan = record::possible(plan, &under_test, &handle)?;
    let mut record = record::open(&request, &under_test, &handle, facts, plan);
    let handles = target::open_rest(system, &request, scratch_in.as_deref(), handle)?;
    if let Some(earlier) = request.sweep.as_ref().and_then(|sweep| sweep.taken_up.as_ref()) {
        take_over::take_over(&mut record, earlier)?;
    }
    request.baseline.as_ref().map_or(Ok(()), |baseline| baseline.check(&record))?;
    record.warnings = method::warnings(&request, &record);
    let mut progress = Progress::new();
    progress.say(&record::opening(&request, &record));
    say_beforehand(&request, &record);

    let tasks = record::tasks(&request, record.plan.as_ref().map_or(NOTHING, |plan| plan.span));
    let mut live = if request.live { LiveView::begin(&record)? } else { None };
    let measurement = Measurement { system, handles: handles.iter().collect(), databases: None, record, stop: &stop, started };
    let prepare = &mut |engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer| {
        prepare(&Preparation { system, request: &request, handles: &handles, tasks, stop: &stop }, engine, record, observer)
    };
    let measured = measure(measurement, prepare, &mut source(&request, tasks), live::beside(&mut progress, &mut live))?;
    drop((handles, live));
    progress.clear();
    end(&request, reports, &measured, |record| request.baseline.as_ref().map(|baseline| baseline.compare(record)))
}

/// Tells what was measured and what it was held against, and gives the exit status. Whatever a comparison meets in another run, what was measured is in its files
/// before.
fn end(
    request: &VerifyRequest,
    reports: Reports,
    measured: &Measured,
    compared: impl FnOnce(&RunRecord) -> Option<Compared>,
) -> Result<u8> {
    let keep_all = reports.keep_all();
    let files = Files { keep_all, written: reports.write(&measured.record, &measured.judgement) };
    let compared = compared(&measured.record);
    let reported = report(request, files, measured, compared.as_ref().and_then(Compared::told));
    measured.failure.iter().for_each(complaint::print);
    if let Err(error) = reported {
        // That data was lost is worse than that a result is not where it should be.
        if !interrupt::is_data_lost() {
            return Err(error);
        }
        complaint::print(&error);
    }
    let status = measured.judgement.exit_status;
    Ok(compared.map_or(status, |compared| compared.exit_status(status)))
}

/// Says what makes the run pointless, longer or less than was asked for, while it can still be ended.
fn say_beforehand(request: &VerifyRequest, record: &RunRecord) {
    record.plan.iter().for_each(|plan| estimate::warn(request, plan));
    method::say_pace(&record.warnings);
    if let Some((text, hint)) = record::less_than_asked(request, record) {
        messages::warning(&text);
        messages::hint(&hint);
    }
}

const NOTHING: Span = Span { offset_bytes: 0, length_bytes: 0 };

/// The stages of a run: the target is brought to steady state and rates are found where that was asked for, then the plan, then what tells more about it; of a sweep its
/// cells stand in the place of the plan.
fn source<'a>(request: &VerifyRequest, tasks: Tasks<'a>) -> Sequence<'a> {
    let mut sources: Vec<Box<dyn Source + 'a>> = Vec::new();
    if request.precondition {
        sources.push(Box::new(Precondition::new(tasks)));
    }
    if let Some(sweep) = &request.sweep {
        sources.push(Box::new(SweepSource::new(tasks, sweep.full)));
        return Sequence::new(sources);
    }
    if let Some(target) = request.load.latency_target {
        sources.push(Box::new(RateSearch::new(tasks, target)));
    }
    sources.push(Box::new(PlanSource::new(tasks)));
    sources.push(Box::new(Telling::new(tasks)));
    Sequence::new(sources)
}

/// Everything that preparing works with.
struct Preparation<'a> {
    system: &'a System,
    request: &'a VerifyRequest,
    handles: &'a [Handle],
    tasks: Tasks<'a>,
    stop: &'a AtomicBool,
}

/// Refuses what the engine would refuse, fills the span where the plan says so, then samples it. Nothing is read before it was written; without I/O neither is
/// done.
fn prepare(with: &Preparation<'_>, engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer) -> Result<()> {
    for task in PlanSource::preview(&with.tasks, record)? {
        engine.check(&task)?;
    }
    let Some(plan) = record.plan.as_ref().filter(|_| !with.request.load.is_null()) else { return Ok(()) };
    let (fill, left) = (plan.fill, Duration::from_nanos(plan.time_ns));
    let (span, files) = (plan.span, with.request.load.openings().files);
    for (position, handle) in with.handles.iter().enumerate().take(files) {
        if record.status != RunStatus::Running || with.stop.load(Relaxed) {
            break;
        }
        let span = Span { length_bytes: span.length_bytes.min(handle.size_bytes()), ..span };
        Content { handle, position, target: 0, span, fill, left }.prepare(with, engine, record, observer)?;
    }
    Ok(())
}

/// A target whose content is made and looked at before it is measured.
struct Content<'a> {
    handle: &'a Handle,
    /// Its position among handles.
    position: usize,
    /// The target that it is of.
    target: usize,
    span: Span,
    /// True where it is written in full first.
    fill: bool,
    left: Duration,
}

impl Content<'_> {
    fn prepare(&self, with: &Preparation<'_>, engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer) -> Result<()> {
        if self.fill {
            let to_fill = ToFill {
                handle_position: self.position,
                handle: self.handle,
                stack: record.targets[self.target].facts.stack.as_ref(),
                span: self.span,
                generate: for_data(with.request.load.generate),
                seed: with.request.seed.wrapping_add(u64::from(u32::MAX) << 16),
                io_timeout_ns: with.request.io_timeout_ns,
                left: self.left,
            };
            let (filled, status) = fill(with.system, engine, &to_fill, with.stop, observer)?;
            record.status = status;
            let target = &mut record.targets[self.target];
            target.content.filled_bytes = filled.bytes;
            target.fill = Some(target.fill.map_or(filled, |before| before.and(filled)));
        }
        if self.handle.may_read() && record.status == RunStatus::Running && !with.stop.load(Relaxed) {
            let target = &mut record.targets[self.target];
            // Of a drive that takes a second for each, the time of the run is not for this.
            let (began, stop) = (Instant::now(), with.stop);
            let goes_on = &|| began.elapsed() < LOOK && !stop.load(Relaxed);
            let samples = (SAMPLES, with.request.seed);
            let (content, note) = look_at_content(self.handle, self.span, samples, target.content.filled_bytes, goes_on);
            target.content = content;
            record.notes.extend(note);
        }
        Ok(())
    }
}

/// The files that were asked for.
struct Files {
    /// True if one of them holds all of the run.
    keep_all: bool,
    written: Result<()>,
}

/// Tells the result: on standard output, and where the run is kept. What cannot be printed changes nothing else.
fn report(request: &VerifyRequest, files: Files, measured: &Measured, compared: Option<&Comparison>) -> Result<()> {
    let Measured { record, judgement, stored, .. } = measured;
    let Files { keep_all, written } = files;
    let is_kept = stored.folder().is_some() || keep_all && written.is_ok();
    let printed = match (request.outputs.shown, stored.folder()) {
        (Some(Format::Json), _) => print::print_json_of_run(record, judgement, compared),
        (Some(format), _) => print::print_report(format, record, judgement),
        (None, Some(_)) => print::print_run(record, judgement),
        (None, None) if keep_all && written.is_ok() => {
            output::print(&ioproof_report::summary_of_unstored(record, judgement, print::style()))
        }
        // Nothing else will ever show it.
        (None, None) => output::print(&ioproof_report::text_of_unstored(record, judgement, output::columns())),
    };
    let printed = match compared.filter(|_| request.outputs.shown.is_none()) {
        Some(comparison) => {
            printed.and_then(|()| output::print(&format!("\n{}", ioproof_report::comparison_text(comparison, print::style()))))
        }
        None => printed,
    };
    let is_lost = !is_kept && (printed.is_err() || output::reader_has_gone());
    output::or_warn(printed);
    match stored.folder() {
        Some(folder) => messages::say(&format!("stored in {}", folder.display())),
        None => stored.say_how_to_keep(),
    }
    written?;
    if is_lost { Err(complaint("the result is kept nowhere", "-o run.json keeps it in that file")) } else { Ok(()) }
}
