//! The layers of directories, in turns in one run. Each goes the way of every target; a filesystem may be made first, and databases are made once scratch files
//! are written. A layer below, such as the extents of the scratch file on the block device, is one more step of the turns.

use super::below::{self, DeviceBelow};
use super::databases::{DatabaseMaker, RunDatabases};
use super::db::Db;
use super::request::LayersRequest;
use super::turns::{all_time, of_other_length, with_lengths};
use super::{dry_run, new_filesystem, raw, server};
use crate::measure::MeasuredRun;
use crate::observers::progress::ProgressLine;
use crate::open::found::{FoundTarget, OpenTarget};
use crate::open::{method, record, target};
use crate::request::{RunKind, TargetRequest};
use crate::session::{Session, SessionExtras, Stages};
use crate::sources::layers::{LayerStep, LayersSource};
use crate::sources::load::Lengths;
use anyhow::{Context, Result};
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, duration};
use ioproof_process::complaint::complaint;
use ioproof_process::{memory_room, messages};
use ioproof_runner::Observer;
use ioproof_target::{OwnFilesystem, System, TargetError};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Measures the layers; whatever was made for them is gone when it returns.
///
/// # Errors
/// When one of them cannot be measured.
pub fn measure(system: &System, request: &LayersRequest, stop: &AtomicBool, progress: &mut ProgressLine) -> Result<MeasuredRun> {
    let started = Instant::now();
    let Some(new) = &request.new else {
        let directory = request.session.targets[0].path.as_deref().unwrap_or(Path::new("."));
        server::ask_given(&request.server, directory, stop)?;
        return measure_on(system, request, None, None, (stop, started), progress);
    };
    // A pool that a kill left has the very drives in use.
    ioproof_target::remove_left_filesystems(system);
    let permitted = new_filesystem::permit(system, request, new)?;
    let raw = raw::measure(system, &permitted, (stop, started), progress)?;
    let own = permitted.make(system, stop)?;
    measure_on(system, &request.on(&own.path()), Some(&own), raw, (stop, started), progress)
}

/// Shows every step that would be taken.
///
/// # Errors
/// When one of them would be refused, or it cannot be printed.
pub fn show(system: &System, request: &LayersRequest, as_json: bool) -> Result<()> {
    if let Some(new) = &request.new {
        let permitted = new_filesystem::permit(system, request, new)?;
        return dry_run::show(request, &[permitted.planned(system)?], permitted.steps(), as_json);
    }
    let found = request.session.targets.iter().map(|of| look(system, request, of, None)).collect::<Result<Vec<_>>>()?;
    found.iter().try_for_each(|found| check_room(found, request))?;
    dry_run::show(request, &found, Vec::new(), as_json)
}

/// Measures the layers of directories that are there; on a filesystem of ours, which is unmounted by whoever made it.
fn measure_on(
    system: &System,
    request: &LayersRequest,
    own: Option<&OwnFilesystem>,
    raw: Option<RunRecord>,
    (stop, started): (&AtomicBool, Instant),
    progress: &mut ProgressLine,
) -> Result<MeasuredRun> {
    let plan = &request.session.plan;
    let found = request.session.targets.iter().map(|of| look(system, request, of, own)).collect::<Result<Vec<_>>>()?;
    found.iter().try_for_each(|found| check_room(found, request))?;
    let directories: Vec<_> = found.iter().filter_map(|found| found.chosen.directory()).collect();
    let mut targets = Vec::new();
    for found in found {
        let given = visible(&found.chosen.facts().given);
        let mut target = found.open(system, plan).context(given)?;
        own.iter().for_each(|own| own.tell(&mut target.target.facts));
        targets.push(target);
    }
    let below: Vec<DeviceBelow> = targets.iter().map(|target| below::open(system, target.handle())).collect();
    let mut record = record::open(plan, &targets);
    record.warnings = method::warnings(plan, true, &record);
    let steps = steps(request, &record, &below);
    raw.into_iter().for_each(|raw| raw::join(&mut record, raw));
    record.notes.extend(
        request.memory_limit_bytes.map(|limit| format!("the whole run had at most {} of memory (--memory-limit)", binary_size(limit))),
    );
    let span_bytes = record.plan.as_ref().map_or(0, |plan| plan.span.length_bytes);
    memory_room::check(system, record.jobs.iter().map(|job| plan.load.needs(&job.workload, span_bytes)))?;
    progress.say(&opening(request, &record));
    of_other_length(request).iter().for_each(|text| messages::note(text));
    let tasks = targets.iter().map(|target| record::tasks(plan, target.plan.span)).collect();
    let stages = Stages::Layers(LayersSource::new(tasks, steps, request.turns, Lengths::from_plan(&targets[0].plan)));
    let places = directories.into_iter().zip(targets.iter().map(|target| target.handle().size_bytes())).collect();
    let making = DatabaseMaker { system, request, places, stop };
    // Servers are stopped and folders removed with these.
    let databases = RunDatabases::default();
    let made_after_content = &mut |targets: &[OpenTarget<'_>], record: &mut RunRecord, observer: &mut dyn Observer| {
        if record.status != RunStatus::Running {
            return Ok(());
        }
        for (at, (file, below)) in (0..).zip(targets.iter().zip(&below)) {
            below::add(record, file.handle(), below, at);
        }
        databases.make(&making, record, observer)
    };
    let session = Session { system, request: plan, targets, record, stages, purge: None, stop, started };
    session.say_beforehand();
    let devices = below.iter().filter_map(|below| below.as_ref().ok()).map(|(_, handle)| handle).collect();
    let beside = SessionExtras { handles: devices, databases: Some(&databases), made_after_content: Some(made_after_content) };
    session.measure_beside(beside, vec![progress])
}

fn look(system: &System, request: &LayersRequest, of: &TargetRequest, own: Option<&OwnFilesystem>) -> Result<FoundTarget> {
    let plan = &request.session.plan;
    let mut chosen = target::choose(system, of, plan.size)?;
    own.iter().for_each(|own| own.tell(chosen.facts_mut()));
    if !chosen.is_scratch() {
        let given = visible(&chosen.facts().given);
        return Err(complaint(format!("{given} is no directory"), "layers makes its files in a directory"));
    }
    let found = FoundTarget::new(system, plan, chosen, RunKind::Layers.steps(1))?;
    Ok(FoundTarget { plan: with_lengths(found.plan, request), ..found })
}

/// Refuses a directory without room for its scratch file and the largest of its databases, before anything is made.
fn check_room(found: &FoundTarget, request: &LayersRequest) -> Result<()> {
    let Some(directory) = found.chosen.directory() else { return Ok(()) };
    let size_bytes = found.chosen.size_bytes();
    let largest_bytes = request.databases.iter().map(|db| request.server.room_bytes(*db, size_bytes)).max().unwrap_or(0);
    let all = ioproof_target::check_room_of(&directory, size_bytes.saturating_add(largest_bytes));
    all.map_err(|error| of_room(&error, [size_bytes, largest_bytes], request.databases.contains(&Db::Postgres)))
}

/// The error with what the room is for, and what makes the log of PostgreSQL smaller, which is most of a small database.
fn of_room(error: &TargetError, [scratch_bytes, largest_bytes]: [u64; 2], has_log: bool) -> anyhow::Error {
    let hint = error.hint().unwrap_or_default();
    let of = match largest_bytes {
        0 => String::new(),
        _ => {
            format!("; {} are for the scratch file and {} for the largest database", binary_size(scratch_bytes), binary_size(largest_bytes))
        }
    };
    let log = if has_log { ", and PostgreSQL's log takes less with --db-set max_wal_size=64MB" } else { "" };
    complaint(error.to_string(), format!("{hint}{of}{log}"))
}

/// The layers of a turn, directory by directory, the lowest first. Devices below directories stand behind these among the handles.
fn steps(request: &LayersRequest, record: &RunRecord, below: &[DeviceBelow]) -> Vec<LayerStep> {
    let databases = request.rounds_of_databases();
    let mut devices = below.len()..;
    let mut all = Vec::new();
    for (at, below) in below.iter().enumerate() {
        all.extend(below.as_ref().ok().and_then(|_| devices.next()).map(|handle| LayerStep::Blocks { side: at, handle }));
        let jobs = (0..).zip(&record.jobs).filter(|(_, job)| job.targets == [at as u32]);
        all.extend(jobs.map(|(job, of)| LayerStep::Load { job, side: at, workload: Box::new(of.workload.clone()) }));
        all.extend((at * databases..(at + 1) * databases).map(|database| LayerStep::Database(database as u32)));
    }
    all
}

/// The line that is said when the run begins.
fn opening(request: &LayersRequest, record: &RunRecord) -> String {
    let directories = record.targets.iter().filter(|target| target.below.is_none());
    let names: Vec<String> = directories.map(|target| visible(&target.facts.given).to_string()).collect();
    let size = record.target().map_or(0, |target| target.facts.size_bytes);
    let databases: Vec<String> = request.databases.iter().map(|db| format!(" and {}", db.title())).collect();
    let rates = if request.server.pg_test_fsync { ", and pg_test_fsync, 16 s in each directory" } else { "" };
    format!(
        "measuring the filesystem of {} by a scratch file of {}{}, {}, about {} beside what is made first{rates}",
        names.join(" and "),
        binary_size(size),
        databases.concat(),
        request.turns_in_words(),
        duration(all_time(request))
    )
}
