//! `layers`: the filesystems of several directories with databases on them, in turns in one run. Each directory goes through the same front as the only one of
//! `verify`: it is identified, planned and opened by itself, and the write rule is asked for each. A layer below, such as the extents of the scratch file on the block
//! device, is one more step of the turns. Two directories are held against each other as the run ends.

mod below;
mod drive;
mod dry_run;
mod raw;

use super::target::Chosen;
use super::{Content, Preparation, end, identify, record, say_beforehand, target};
use crate::compared::Compared;
use crate::layers::LayersRequest;
use crate::layers::databases::{self, Databases, Making};
use crate::layers::db::Db;
use crate::measure::{Measurement, measure};
use crate::observers::progress::Progress;
use crate::reports::Reports;
use crate::request::VerifyRequest;
use crate::sources::layers::{Layers, Step};
use crate::sources::load::Lengths;
use anyhow::{Context, Result};
use below::Below;
use ioproof_core::compare::{self, is_interleaved};
use ioproof_core::plan::Plan;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, duration};
use ioproof_process::complaint::{self, complaint};
use ioproof_process::interrupt;
use ioproof_process::{memory_room, messages};
use ioproof_runner::{Engine, Observer};
use ioproof_target::{Handle, OwnFilesystem, System, Target, TargetError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Share of a round that is warm-up.
const WARM_UP: u32 = 5;
/// Shortest and longest round with its warm-up: what is shorter is the start of clients, what is longer is no turn any more.
const ROUND: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

/// One directory as it was found; nothing is made in it.
struct Found {
    request: VerifyRequest,
    chosen: Chosen,
    directory: PathBuf,
    facts: identify::Facts,
    plan: Plan,
}

/// The same with its scratch file.
struct Side {
    request: VerifyRequest,
    directory: PathBuf,
    target: Target,
    handle: Handle,
    facts: identify::Facts,
    plan: Plan,
    below: Below,
}

/// Measures the layers, and gives the exit status.
///
/// # Errors
/// When one of them cannot be measured.
pub fn measure_layers(system: &System, request: &LayersRequest) -> Result<u8> {
    let stop = interrupt::flag()?;
    // Programs that make a filesystem or a database fail when they are ended.
    measure_all(system, request, &stop).or_else(|error| complaint::or_interrupted(error, stop.load(Relaxed)))
}

fn measure_all(system: &System, request: &LayersRequest, stop: &Arc<AtomicBool>) -> Result<u8> {
    let first = request.sides.first().context("there is no directory")?;
    let reports = Reports::open(&first.outputs)?;
    let begun = Begun { stop: stop.clone(), started: Instant::now(), reports };
    if let Some(new) = &request.new {
        new.drives.iter().try_for_each(|drive| begun.reports.spare(drive))?;
        if !first.dry_run {
            // A pool that a kill left has the very drives in use.
            ioproof_target::remove_left_filesystems(system);
        }
        let permitted = drive::permit(system, request, new)?;
        if first.dry_run {
            return dry_run::show(request, &[permitted.planned(system)?], permitted.steps());
        }
        let raw = raw::measure(system, &permitted, &begun)?;
        let own = permitted.make(system, &begun.stop)?;
        let request = request.on(&own.path());
        return measure_on(system, &request, Some(Made { own, raw }), begun);
    }
    if first.dry_run {
        let found = request.sides.iter().map(|side| find(system, request, side, None)).collect::<Result<Vec<_>>>()?;
        found.iter().try_for_each(|found| found.check_room(request))?;
        return dry_run::show(request, &found, Vec::new());
    }
    let directory = first.target.as_deref().unwrap_or(Path::new("."));
    databases::ask_given(&request.server, directory, &begun.stop)?;
    measure_on(system, request, None, begun)
}

/// A filesystem that was made, and what its drives gave before.
struct Made {
    own: OwnFilesystem,
    raw: Option<RunRecord>,
}

/// A run before it has targets.
struct Begun {
    stop: Arc<AtomicBool>,
    started: Instant,
    reports: Reports,
}

/// Measures the layers of directories that are there; on a filesystem of ours, which is unmounted before anything is told.
fn measure_on(system: &System, request: &LayersRequest, made: Option<Made>, begun: Begun) -> Result<u8> {
    let Begun { stop, started, reports } = begun;
    let (own, raw) = made.map_or((None, None), |made| (Some(made.own), made.raw));
    let first = request.sides.first().context("there is no directory")?;
    let found = request.sides.iter().map(|side| find(system, request, side, own.as_ref())).collect::<Result<Vec<_>>>()?;
    found.iter().try_for_each(|found| found.check_room(request))?;
    let sides = found.into_iter().map(|found| found.open(system, own.as_ref())).collect::<Result<Vec<_>>>()?;
    let mut record = record_of(first, &sides);
    let steps = steps(request, &record, &sides);
    raw.into_iter().for_each(|raw| raw::join(&mut record, raw));
    record.notes.extend(
        request.memory_limit_bytes.map(|limit| format!("the whole run had at most {} of memory (--memory-limit)", binary_size(limit))),
    );
    let span_bytes = record.plan.as_ref().map_or(0, |plan| plan.span.length_bytes);
    memory_room::check(system, record.jobs.iter().map(|job| first.load.needs(&job.workload, span_bytes)))?;
    let mut progress = Progress::new();
    progress.say(&opening(request, &record));
    of_other_length(request).iter().for_each(|text| messages::note(text));
    say_beforehand(first, &record);
    let databases = Databases::default();
    let tasks = || sides.iter().map(|side| record::tasks(&side.request, side.plan.span)).collect();
    let mut source = Layers::new(tasks(), steps, request.turns, Lengths::of(&sides[0].plan));
    let preview = source.preview();
    let places: Vec<(PathBuf, u64)> = sides.iter().map(|side| (side.directory.clone(), side.handle.size_bytes())).collect();
    let prepare = &mut |engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer| {
        preview.iter().try_for_each(|task| engine.check(task))?;
        (0..).zip(&sides).try_for_each(|(at, side)| side.fill(system, &stop, at, engine, record, observer))?;
        let making = Making { system, request, places: &places, stop: &stop };
        if record.status != RunStatus::Running {
            return Ok(());
        }
        (0..).zip(&sides).for_each(|(at, side)| below::add(record, side, at));
        databases.make(&making, record, observer)
    };
    let devices = sides.iter().filter_map(|side| side.below.as_ref().ok());
    let handles = sides.iter().map(|side| &side.handle).chain(devices.map(|(_, handle)| handle)).collect();
    let measurement = Measurement { system, handles, databases: Some(&databases), record, stop: &stop, started };
    let measured = measure(measurement, prepare, &mut source, vec![&mut progress])?;
    // Servers are stopped and folders removed before anything is told: that may wait for whoever reads.
    drop(databases);
    drop(sides);
    drop(own);
    progress.clear();
    end(first, reports, &measured, |record| is_interleaved(record).then(|| Compared::of(&compare::sides(record), request.fail_if)))
}

fn find(system: &System, layers: &LayersRequest, request: &VerifyRequest, own: Option<&OwnFilesystem>) -> Result<Found> {
    let mut chosen = target::choose(system, request)?;
    own.iter().for_each(|own| own.tell(chosen.facts_mut()));
    let Some(directory) = chosen.directory() else {
        let given = visible(&chosen.facts().given).to_string();
        return Err(complaint(format!("{given} is no directory"), "layers makes its files in a directory"));
    };
    let facts = identify::identify(system, &chosen, request)?;
    let plan = with_lengths(record::plan(request, &chosen, &facts)?, layers);
    Ok(Found { request: request.clone(), chosen, directory, facts, plan })
}

impl Found {
    /// Refuses a directory without room for its scratch file and the largest of its databases, before anything is made.
    fn check_room(&self, request: &LayersRequest) -> Result<()> {
        let size_bytes = self.chosen.size_bytes();
        let largest_bytes = request.databases.iter().map(|db| request.server.room_bytes(*db, size_bytes)).max().unwrap_or(0);
        let all = ioproof_target::check_room_of(&self.directory, size_bytes.saturating_add(largest_bytes));
        all.map_err(|error| of_room(&error, [size_bytes, largest_bytes], request.databases.contains(&Db::Postgres)))
    }

    /// Makes the scratch file.
    fn open(self, system: &System, own: Option<&OwnFilesystem>) -> Result<Side> {
        let Self { request, chosen, directory, facts, plan } = self;
        let given = visible(&chosen.facts().given).to_string();
        let (mut target, handle) = target::permit(system, &request, chosen).context(given)?;
        own.iter().for_each(|own| own.tell(&mut target.facts));
        let below = below::open(system, &handle);
        Ok(Side { request, directory, target, handle, facts, plan, below })
    }
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

/// Rounds of all layers in all turns.
fn rounds(request: &LayersRequest) -> u32 {
    let layers = request.sides.len() * (1 + request.loads() + request.rounds_of_databases()) + request.rounds_of_drives();
    (layers as u32 * request.turns).max(1)
}

/// The time that all rounds take together, none shorter or longer than rounds may be.
fn all_time(request: &LayersRequest) -> Duration {
    round(request) * rounds(request)
}

fn round(request: &LayersRequest) -> Duration {
    (request.time / rounds(request)).clamp(ROUND.0, ROUND.1)
}

/// A sentence where the time that was asked for is shorter than that, or more than twice as long.
fn of_other_length(request: &LayersRequest) -> Option<String> {
    let (all, asked) = (all_time(request), duration(request.time));
    if round(request) == ROUND.1 && request.time > all * 2 {
        let most = duration(ROUND.1);
        return Some(format!(
            "of --time {asked}, {} rounds of {most} each, the longest, take {}; more --runs take more",
            rounds(request),
            duration(all)
        ));
    }
    (all > request.time).then(|| {
        format!(
            "--time {} is too short for {} rounds of at least {}, which take {}; fewer --runs are shorter",
            duration(request.time),
            rounds(request),
            duration(ROUND.0),
            duration(all)
        )
    })
}

/// The plan with rounds of which all turns of all layers fit into the time.
fn with_lengths(plan: Plan, request: &LayersRequest) -> Plan {
    let round = round(request);
    let ramp = round / WARM_UP;
    Plan { ramp_ns: ramp.as_nanos() as u64, measure_ns: (round - ramp).as_nanos() as u64, ..plan }
}

impl Side {
    /// Writes its scratch file in full and looks at it.
    fn fill(
        &self,
        system: &System,
        stop: &AtomicBool,
        at: usize,
        engine: &Engine<'_>,
        record: &mut RunRecord,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if record.status != RunStatus::Running {
            return Ok(());
        }
        let handles = std::slice::from_ref(&self.handle);
        let with = Preparation { system, request: &self.request, handles, tasks: record::tasks(&self.request, self.plan.span), stop };
        let left = Duration::from_nanos(self.plan.time_ns);
        let content = Content { handle: &self.handle, position: at, target: at, span: self.plan.span, fill: self.plan.fill, left };
        content.prepare(&with, engine, record, observer)
    }
}

/// The record of all directories.
fn record_of(request: &VerifyRequest, sides: &[Side]) -> RunRecord {
    let of = |side: &Side| record::open(&side.request, &side.target, &side.handle, side.facts.clone(), side.plan.clone());
    record::joined(request, of(&sides[0]), sides[1..].iter().map(of))
}

/// The layers of a turn, directory by directory, the lowest first. Devices below directories stand behind these among the handles.
fn steps(request: &LayersRequest, record: &RunRecord, sides: &[Side]) -> Vec<Step> {
    let databases = request.rounds_of_databases();
    let mut devices = sides.len()..;
    let mut all = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        all.extend(side.below.as_ref().ok().and_then(|_| devices.next()).map(|handle| Step::Blocks { side: at, handle }));
        let jobs = (0..).zip(&record.jobs).filter(|(_, job)| job.targets == [at as u32]);
        all.extend(jobs.map(|(job, of)| Step::Load { job, side: at, workload: Box::new(of.workload.clone()) }));
        all.extend((at * databases..(at + 1) * databases).map(|database| Step::Database(database as u32)));
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
