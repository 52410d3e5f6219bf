//! `ioproof run`: fio's job files and command line, run on our engine, with fio's outputs. Each step is a file of its own; here is their order.
//!
//! `ask` reads what was typed and answers questions about it, `audit` says what is wrong with it, `prepare` opens the files and makes the engine's jobs, `stage` runs clones side by side,
//! `gather` puts together what they measured, `write` prints it, `keep` stores it as our own record.

mod ask;
mod audit;
mod clone;
mod disks;
mod dry_run;
mod gather;
mod help;
mod keep;
mod lay_out;
mod loader;
mod named;
mod one;
mod patience;
mod place;
mod prepare;
mod sink;
mod stage;
mod status;
mod write;

use crate::complaint::{self, complaint};
use crate::interrupt;
use anyhow::Result;
use ask::Asked;
use ioproof_fio::results::Results;
use ioproof_target::{JobFiles, System};
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Exit status of a run that was interrupted.
const INTERRUPTED: u8 = 3;
/// Exit status where data that was read back is not what was written.
const DATA_LOST: u8 = 1;
/// Exit status where a job ended by an error.
const FAILED: u8 = 2;

/// Runs the verb with fio's own arguments.
///
/// # Errors
/// When nothing could be run; what goes wrong with the I/O is part of the results.
pub fn run(arguments: &[OsString]) -> Result<u8> {
    let system = System::host();
    let asked = match ask::read(&system, arguments)? {
        ask::Answer::Said(status) => return Ok(status),
        ask::Answer::Run(asked) => *asked,
    };
    let stop = interrupt::flag()?;
    let mut permit = prepare::permit(&system, &asked, &stop);
    let mut notes = Vec::new();
    let ready = ready(&system, &asked, &mut permit, &mut notes, &stop).inspect_err(|_| permit.abandon());
    let clones = match ready {
        Ok(Ready::Shown(status)) => return Ok(status),
        Ok(Ready::Run(clones)) => clones,
        Err(error) if stop.load(Relaxed) => {
            complaint::print(&error);
            return Ok(INTERRUPTED);
        }
        Err(error) => return Err(error),
    };
    if asked.jobs.iter().all(|job| job.settings.files.create_only) {
        permit.settle()?;
        return only_created(&asked, &clones, notes).map(|()| 0);
    }
    write::begin(&asked, &clones).inspect_err(|_| permit.abandon())?;
    hooks_before(&asked)?;
    let disks = disks::Watch::start(&system, &clones);
    let ends = stage::all(&system, &asked, &clones, &stop);
    let disks = disks.end(&system);
    // Whatever goes wrong from here on, what was measured is not lost by it.
    let after = hooks_after(&asked);
    tidy(&asked, &permit, &clones, &mut notes);
    let interrupted = stop.load(Relaxed);
    let results = Results { interrupted, ..gather::results(&asked, &clones, &ends, disks, notes) };
    let kept = keep::keep(&system, &asked, &clones, &ends, results.clone());
    write::write(&asked, &clones, &ends, kept.as_ref().unwrap_or(&results))?;
    if let Err(error) = kept {
        complaint::warn("the run is not stored", &error);
    }
    after?;
    if interrupted {
        eprintln!("error: the run was interrupted: its figures are of what ran until then");
    }
    Ok(status(&ends, interrupted))
}

/// The report of jobs that were only to make their files (`create_only`): that nothing was measured.
fn only_created(asked: &Asked, clones: &[clone::Clone], notes: Vec<String>) -> Result<()> {
    let ends: Vec<one::End> = clones.iter().map(|_| one::End::default()).collect();
    write::begin(asked, clones)?;
    write::write(asked, clones, &ends, &gather::results(asked, clones, &ends, Vec::new(), notes))
}

/// What came of getting ready.
enum Ready {
    /// A dry run has said what would be done, with this exit status.
    Shown(u8),
    /// The clones with their files laid out.
    Run(Vec<clone::Clone>),
}

/// Everything before the clock starts. Where it fails, what it made is worth nothing.
fn ready(system: &System, asked: &Asked, permit: &mut JobFiles<'_>, notes: &mut Vec<String>, stop: &AtomicBool) -> Result<Ready> {
    let clones = prepare::prepare(system, asked, permit, notes, stop)?;
    notes.extend(clones.iter().filter_map(|clone| one::note(system, asked.job(clone), clone)));
    audit::say(system, asked, &clones)?;
    if asked.line.own.dry_run {
        return dry_run::show(system, asked, &clones, permit).map(Ready::Shown);
    }
    write::open(asked, &clones)?;
    lay_out::all(asked, permit, &clones, stop)?;
    Ok(Ready::Run(clones))
}

/// Commands of jobs were refused unless `--allow-exec` was given.
fn hooks_before(asked: &Asked) -> Result<()> {
    asked.jobs.iter().filter_map(|job| job.settings.hooks.before.as_ref()).try_for_each(|command| execute(command))
}

fn hooks_after(asked: &Asked) -> Result<()> {
    asked.jobs.iter().filter_map(|job| job.settings.hooks.after.as_ref()).try_for_each(|command| execute(command))
}

fn execute(command: &str) -> Result<()> {
    let status = std::process::Command::new("/bin/sh").args(["-c", command]).stdout(std::process::Stdio::null()).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(complaint(format!("the command `{command}` ended with {status}"), "correct it or leave it out"))
    }
}

/// Removes files of jobs with `unlink`, and notes what was made as ours.
fn tidy(asked: &Asked, permit: &JobFiles<'_>, clones: &[clone::Clone], notes: &mut Vec<String>) {
    if let Err(error) = permit.settle() {
        notes.push(format!("what was made could not be noted as ours, so writing it again takes --overwrite: {error}"));
    }
    for clone in clones.iter().filter(|clone| asked.job(clone).settings.files.unlink) {
        for file in &clone.files {
            match permit.remove(&file.path) {
                Ok(false) if file.is_regular() && file.path.exists() => {
                    notes.push(format!("unlink=1: {} stays, because ioproof did not make it", file.path.display()));
                }
                Ok(_) => {}
                Err(error) => notes.push(format!("unlink=1: {}: {error}", file.path.display())),
            }
        }
    }
}

fn status(ends: &[one::End], stopped: bool) -> u8 {
    let lost = |end: &one::End| end.round.as_ref().is_some_and(|round| round.check.as_ref().is_some_and(|check| check.bad() > 0));
    match () {
        () if ends.iter().any(lost) => DATA_LOST,
        () if ends.iter().any(|end| end.failed.is_some()) => FAILED,
        () if stopped => INTERRUPTED,
        () => 0,
    }
}
