//! The verb `run`: fio's job files and command line. Its front reads them and opens their files, its back prints as fio does; everything between is `measure`,
//! the same for every verb.
//!
//! `request` reads what was typed, `audit` says what is wrong with it, `prepare` opens the files and makes the engine's jobs, `tasks` and `record` make
//! stages and a record of them, `watching` follows them while they run, `results` puts together what they measured, `outputs` prints it.

#![forbid(unsafe_code)]

mod affinity;
mod audit;
mod board;
mod dry_run;
mod files;
mod flows;
mod named;
mod outputs;
mod prepare;
mod record;
mod replays;
mod request;
mod results;
mod steady;
mod subjob;
mod tasks;
mod verify_state;
mod watching;

use anyhow::Result;
use dry_run::FAILED;
use ioproof_core::finding::{Effect, Finding, Severity, Subject};
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;
use ioproof_fio::results::Results;
use ioproof_fio::settings::Hooks;
use ioproof_process::complaint::{self, complaint, describe};
use ioproof_process::{colors, interrupt, messages, output};
use ioproof_runner::{Engine, FileLayout, Observer, RunEnding, TaskEnd, lay_out};
use ioproof_session::measure::{MeasuredRun, Measurement, measure};
use ioproof_session::sources::fixed::Fixed;
use ioproof_target::{Handle, JobFiles, System};
use record::Preamble;
use request::FioRequest;
use results::disks;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;
use subjob::Subjob;
use watching::Watching;

/// Most files of which it is said that somebody appended to them.
const MOST_APPENDED_TO_TOLD: usize = 20;

/// The full screen that `--live` asks for, of whoever has a terminal.
#[derive(Clone, Copy)]
pub struct FullScreen {
    /// Refuses what is no terminal.
    pub check: fn() -> Result<()>,
    /// Shows the run from its record on; none where nothing can be shown.
    pub begin: BeginScreen,
}

type BeginScreen = fn(&RunRecord) -> Result<Option<Box<dyn Observer>>>;

/// Runs the verb with fio's own arguments.
///
/// # Errors
/// When nothing could be run; what goes wrong with the I/O is part of the results.
pub fn run(arguments: &[OsString], command: Vec<String>, full_screen: FullScreen) -> Result<u8> {
    let system = System::host();
    let request = match request::read(&system, arguments, command)? {
        request::ReadRequest::Answered(status) => return Ok(status),
        request::ReadRequest::Run(request) => replays::read(*request)?,
    };
    let full_screen = Some(full_screen).filter(|_| request.line.own.live && !request.line.own.dry_run);
    full_screen.map_or(Ok(()), |full_screen| (full_screen.check)())?;
    let stop = interrupt::flag()?;
    let mut permit = prepare::permit(&system, &request);
    let mut notes = Vec::new();
    let ready = ready(&system, &request, &mut permit, &mut notes, &stop).inspect_err(|_| permit.abandon());
    let (mut subjobs, warnings) = match ready {
        Ok(Ready::Shown(status)) => return Ok(status),
        Ok(Ready::Run(subjobs, warnings)) => (subjobs, warnings),
        Err(error) => return complaint::or_interrupted(error, stop.load(Relaxed)),
    };
    if request.jobs.iter().all(|job| job.settings.files.create_only) {
        permit.settle(handles(&mut subjobs))?;
        return only_created(&request, &subjobs, notes).map(|()| 0);
    }
    outputs::begin(&request, &subjobs).inspect_err(|_| permit.abandon())?;
    hooks(&request, |hooks| hooks.before.as_ref())?;
    measured(&system, &request, &mut permit, subjobs, Preamble { notes, warnings }, full_screen, &stop)
}

/// The exit status where data was lost.
const DATA_LOST: u8 = 1;

/// Runs the jobs, and gives the exit status.
fn measured(
    system: &System,
    request: &FioRequest,
    permit: &mut JobFiles<'_>,
    mut subjobs: Vec<Subjob>,
    said: Preamble,
    full_screen: Option<FullScreen>,
    stop: &AtomicBool,
) -> Result<u8> {
    prepare::by_name::give_up(request, &mut subjobs, permit).inspect_err(|_| permit.abandon())?;
    let (record, jobs) = record::open(system, request, &subjobs, &said);
    let mut notes = said.notes;
    let mut source = Fixed::new(tasks::stages(system, request, &subjobs, &jobs, &permit.writes()));
    let targets = subjobs.iter().flat_map(Subjob::targets);
    let handles = targets.chain(subjobs.iter().filter_map(|subjob| subjob.buffers.as_ref())).collect();
    let mut live = full_screen.map_or(Ok(None), |full_screen| (full_screen.begin)(&record))?;
    let measurement = Measurement { system, handles, databases: None, record, stop, started: Instant::now() };
    let mut watching = Watching::new(request, &subjobs);
    let mut known = 0;
    let look = &mut |_: &Engine<'_>, record: &mut RunRecord, _: &mut dyn Observer| {
        record::look_at_content(record, &subjobs);
        known = record.notes.len();
        Ok(())
    };
    let mut observers: Vec<&mut dyn Observer> = vec![&mut watching];
    observers.extend(live.iter_mut().map(|live| -> &mut dyn Observer { &mut **live }));
    let measured = measure(measurement, look, &mut source, observers)?;
    drop(live);
    let MeasuredRun { mut record, mut judgement, mut stored, ending, failure } = measured;
    let steady = watching.end();
    let ends = in_order(source, subjobs.len());
    let disks = disks::of_run(&record, &subjobs);
    // Whatever goes wrong from here on, what was measured is not lost by it.
    let after = hooks(request, |hooks| hooks.after.as_ref());
    notes.extend(record.notes.iter().skip(known).cloned());
    let before = notes.len();
    notes.extend(steady::sentences(request, &subjobs, &steady));
    tidy(request, permit, &mut subjobs, &mut notes);
    if notes.len() > before {
        record.notes.extend(notes[before..].iter().cloned());
        stored.finish(&record, &judgement);
    }
    let interrupted = ending == RunEnding::CutShort;
    let run_id = stored.folder().is_some().then(|| record.id.clone());
    let results = Results { interrupted, run_id, ..results::results(request, &subjobs, &ends, &steady, disks, notes) };
    failure.iter().for_each(complaint::print);
    // Why a job failed comes last.
    tell_findings(&record, &judgement.findings);
    let told = outputs::write(request, &subjobs, &ends, &results).and(after);
    if let Err(error) = told {
        // That data was lost is worse than that a result is not where it should be.
        if judgement.exit_status != DATA_LOST {
            (judgement.exit_status, judgement.exit_reason) = (FAILED, visible(&describe(&error)));
            stored.finish(&record, &judgement);
            return Err(error);
        }
        complaint::print(&error);
    }
    if interrupted {
        let by_hand = || "the run was interrupted: its figures are of what ran until then".to_owned();
        messages::error(&interrupt::limit_note().unwrap_or_else(by_hand));
    }
    Ok(against_baseline(request, &record, judgement.exit_status))
}

/// Tells how the run compares with its baseline, and gives the exit status. Whoever reads fio's outputs finds them as they are.
fn against_baseline(request: &FioRequest, record: &RunRecord, status: u8) -> u8 {
    let Some(compared) = request.baseline.as_ref().map(|baseline| baseline.compare(record)) else { return status };
    if let Some(comparison) = compared.told() {
        let style = ioproof_report::Style { color: colors::is_colored(), width: output::width() };
        ioproof_report::comparison_text(comparison, style).lines().for_each(messages::say);
    }
    compared.exit_status(status)
}

/// The ends of all tasks in the order of clones; one that never ran has measured nothing.
fn in_order(source: Fixed, count: usize) -> Vec<TaskEnd> {
    let mut ends: Vec<TaskEnd> = (0..count).map(|_| TaskEnd::default()).collect();
    source.ends.into_iter().for_each(|(id, end)| ends[id] = end);
    ends
}

/// Says which figures are not the drive's or are doubtful, a line each, as the stored run says it too.
fn tell_findings(record: &RunRecord, findings: &[Finding]) {
    // Failed I/O has its own line, and what was found before the jobs ran was said then.
    let is_said = |f: &Finding| f.rule == "io-errors" || record.warnings.contains(f);
    let grave = |f: &&Finding| f.severity < Severity::Info && f.effect != Effect::None && !is_said(f);
    for finding in findings.iter().filter(grave) {
        let of = match &finding.subject {
            Subject::Job(job) => record.jobs.get(*job as usize).map_or_else(String::new, |job| format!("{}: ", job.title())),
            _ => String::new(),
        };
        messages::warning(&format!("{of}{}", finding.title));
    }
}

/// The report of jobs that were only to make their files (`create_only`): that nothing was measured.
fn only_created(request: &FioRequest, subjobs: &[Subjob], notes: Vec<String>) -> Result<()> {
    let ends: Vec<TaskEnd> = subjobs.iter().map(|_| TaskEnd::default()).collect();
    outputs::begin(request, subjobs)?;
    outputs::write(request, subjobs, &ends, &results::results(request, subjobs, &ends, &Default::default(), Vec::new(), notes))
}

enum Ready {
    /// A dry run has said what would be done, with this exit status.
    Shown(u8),
    /// The clones with their files laid out, and findings about their method.
    Run(Vec<Subjob>, Vec<Finding>),
}

/// Everything before the clock starts. Where it fails, what it made is worth nothing.
fn ready(system: &System, request: &FioRequest, permit: &mut JobFiles<'_>, notes: &mut Vec<String>, stop: &AtomicBool) -> Result<Ready> {
    let subjobs = prepare::prepare(system, request, permit, notes, stop)?;
    if let Some(baseline) = &request.baseline {
        baseline.check(&record::open(system, request, &subjobs, &Preamble::default()).0)?;
    }
    notes.extend(subjobs.iter().filter_map(|subjob| tasks::note(system, request.job(subjob), subjob)));
    let warnings = audit::say(system, request, &subjobs)?;
    if request.line.own.dry_run {
        return dry_run::show(system, request, &subjobs, permit).map(Ready::Shown);
    }
    outputs::open(request, &subjobs)?;
    let files: Vec<FileLayout<'_>> = prepare::to_lay_out(request, &subjobs);
    lay_out(&files, stop, &mut ioproof_session::observers::progress::ProgressLine::on_stderr(), |path| permit.filled(path))?;
    permit.laid_out();
    Ok(Ready::Run(subjobs, warnings))
}

/// Runs commands of jobs, which were refused unless `--allow-exec` was given.
fn hooks(request: &FioRequest, of: fn(&Hooks) -> Option<&String>) -> Result<()> {
    request.jobs.iter().filter_map(|job| of(&job.settings.hooks)).try_for_each(|command| execute(command))
}

fn execute(command: &str) -> Result<()> {
    let status = std::process::Command::new("/bin/sh").args(["-c", command]).stdout(std::process::Stdio::null()).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(complaint(format!("the command `{command}` ended with {status}"), "correct it or leave it out"))
    }
}

fn handles(subjobs: &mut [Subjob]) -> impl Iterator<Item = &mut Handle> {
    subjobs.iter_mut().flat_map(|subjob| subjob.files.iter_mut().map(|file| &mut file.handle).chain(&mut subjob.buffers))
}

/// Removes files of jobs with `unlink`, and notes the files that were made as ours.
fn tidy(request: &FioRequest, permit: &mut JobFiles<'_>, subjobs: &mut [Subjob], notes: &mut Vec<String>) {
    let settled = permit.settle(handles(subjobs)).and_then(|()| prepare::by_name::settle(request, subjobs, permit));
    if let Err(error) = settled {
        notes.push(format!("what was made could not be noted as ours, so writing it again takes --overwrite: {error}"));
    }
    for path in permit.appended_to().take(MOST_APPENDED_TO_TOLD) {
        let path = visible(&path.to_string_lossy());
        notes.push(format!(
            "{path} is longer than the jobs made it: somebody appended to it meanwhile, so writing it again takes --overwrite"
        ));
    }
    for subjob in subjobs.iter().filter(|subjob| request.job(subjob).settings.files.unlink) {
        for file in &subjob.files {
            match permit.remove(&file.path) {
                Ok(false) if file.is_regular() && file.path.exists() => {
                    notes
                        .push(format!("unlink=1: {} stays, because ioproof did not make it, somebody changed it since, or another process has it open for writing", file.path.display()));
                }
                Ok(_) => {}
                Err(error) => notes.push(format!("unlink=1: {}: {error}", file.path.display())),
            }
        }
    }
}
