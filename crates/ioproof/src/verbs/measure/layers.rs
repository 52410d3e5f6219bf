//! The verb `layers`: random reads and durable writes on a filesystem, and a database on it, in turns. Here its flags are settled.

mod given;
pub mod options;
mod scripts;

use super::finish::finish;
use crate::flags;
use crate::flags::load::LoadFlags;
use crate::flags::verify::VerifyFlags;
use crate::reports::Reports;
use crate::settle::{self, RunOutputs};
use anyhow::{Context, Result};
use ioproof_core::units::binary_size;
use ioproof_process::complaint::{self, complaint};
use ioproof_process::interrupt;
use ioproof_report::Format;
use ioproof_session::layers::db::{self, Db};
use ioproof_session::layers::request::{LayersRequest, NewFilesystem, rounds_of_drives};
use ioproof_session::layers::server::{self, ServerOptions};
use ioproof_session::layers::{measure, memory};
use ioproof_session::measure::MeasuredRun;
use ioproof_session::observers::progress::ProgressLine;
use ioproof_session::request::{RunKind, SessionRequest, TargetExtent, TargetRequest};
use ioproof_target::{Recipe, System};
use options::LayersFlags;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

const TIME: Duration = Duration::from_secs(20);
/// Size of the scratch file and of each database: more than their own caches, and made in a few seconds. Bytes.
const SIZE_BYTES: u64 = 256 << 20;

/// Runs `layers` and gives the exit status.
pub fn run(args: LayersFlags) -> Result<u8> {
    let system = System::host();
    let (request, outputs) = settle(args, &system)?;
    // Before the machine is looked at, so that the record has this limit among those of the process.
    let _group = if outputs.dry_run { None } else { memory::enter(&request, &system)? };
    let stop = interrupt::flag()?;
    // Programs that make a filesystem or a database fail when they are ended.
    run_settled(&system, &request, &outputs, &stop).or_else(|error| complaint::or_interrupted(error, stop.load(Relaxed)))
}

fn run_settled(system: &System, request: &LayersRequest, outputs: &RunOutputs, stop: &AtomicBool) -> Result<u8> {
    let reports = Reports::open(&outputs.reports)?;
    request.new.iter().flat_map(|new| &new.drives).try_for_each(|drive| reports.spare(drive))?;
    if outputs.dry_run {
        return measure::show(system, request, outputs.reports.shown == Some(Format::Json)).map(|()| 0);
    }
    let mut progress = ProgressLine::on_stderr();
    let measured: MeasuredRun = measure::measure(system, request, stop, &mut progress)?;
    progress.clear();
    finish(&RunKind::Layers, outputs, reports, &measured)
}

fn settle(args: LayersFlags, system: &System) -> Result<(LayersRequest, RunOutputs)> {
    if args.fs.is_some() && args.drives.is_empty() {
        return Err(complaint(
            "--fs is of a drive on which a filesystem is made",
            "--drive DEVICE with --destroy SERIAL, or leave out --fs",
        ));
    }
    let given = given::address(args.postgres.as_deref())?;
    let databases = if given.is_some() { vec![Db::Given] } else { db::each_once(&args.db)? };
    let page_bytes = args.page.unwrap_or_else(|| databases.iter().map(Db::page_bytes).max().unwrap_or(4096));
    if let Some(page) = args.page.filter(|page| databases.iter().any(|db| db.is_postgres() && db.page_bytes() != *page)) {
        return Err(complaint(
            format!(
                "--page {}: PostgreSQL has pages of 8 KiB, and writes of a filesystem are held against commits of the same",
                binary_size(page.into())
            ),
            "leave out --page, or measure SQLite alone",
        ));
    }
    let places = places(&args)?;
    if args.fail_if.is_some() && places.len() != 2 {
        let hint = "name two with --dir, or hold two runs against each other: ioproof compare RUN RUN --fail-if worse";
        return Err(complaint("--fail-if is of two directories in turns", hint));
    }
    if given.is_some() && places.len() != 1 {
        return Err(complaint("--postgres is of one server, and its files are held against one directory", "name one with --dir"));
    }
    let server = ServerOptions {
        given,
        pg_test_fsync: args.pg_test_fsync,
        programs: args.db_bin.clone(),
        user: args.db_user.clone(),
        settings: args.db_set.clone(),
        scripts: scripts::read_all(&args.scripts)?,
    };
    match args.drives.is_empty() {
        false => server::check_on_new(&databases, &server)?,
        true => server::check(&databases, &places, &server)?,
    }
    let clients = ascending(&args.clients);
    memory::check(args.memory_limit, args.db_cache, &databases, clients.last().copied().unwrap_or(1))?;
    // Of several drives what they give before; of each filesystem the reads, and the durable writes and each database with each number of clients.
    let layers = places.len() * (readers(&args, 1).len() + (1 + databases.len()) * clients.len()) + rounds_of_drives(args.drives.len());
    let time = args.time.unwrap_or(TIME * layers as u32);
    let (session, outputs) = loads(&args, &places, page_bytes, &clients, time, system)?;
    let request = LayersRequest {
        session,
        new: new_filesystem(&args)?,
        databases,
        clients,
        mix: args.mix,
        page_bytes,
        cache_bytes: args.db_cache,
        memory_limit_bytes: args.memory_limit,
        server,
        turns: args.runs,
        time,
    };
    Ok((request, RunOutputs { fail_if: args.fail_if, ..outputs }))
}

/// The directories, or the first drive.
fn places(args: &LayersFlags) -> Result<Vec<PathBuf>> {
    let places = match args.drives.first() {
        Some(drive) => return Ok(vec![drive.clone()]),
        None if args.dirs.is_empty() => vec![PathBuf::from(".")],
        None => args.dirs.clone(),
    };
    match places.iter().find(|place| !place.is_dir()) {
        Some(place) => {
            let text = format!("{} is no directory", ioproof_core::text::visible(&place.to_string_lossy()));
            Err(complaint(text, "layers makes its files in a directory; --drive DEVICE --fs NAME makes a filesystem on a whole drive"))
        }
        None => each_another(&places).map(|()| places),
    }
}

/// Refuses one directory that is named twice: turns of two are compared, and those of one with itself would be.
fn each_another(places: &[PathBuf]) -> Result<()> {
    let ids: Vec<_> = places.iter().map(|place| place.metadata().map(|of| (of.dev(), of.ino())).ok()).collect();
    match (1..ids.len()).find(|at| ids[*at].is_some() && ids[..*at].contains(&ids[*at])) {
        Some(at) => {
            let text = format!("--dir {} is a directory that is named twice", ioproof_core::text::visible(&places[at].to_string_lossy()));
            Err(complaint(text, "name each directory once; --runs has it measured more often"))
        }
        None => Ok(()),
    }
}

fn new_filesystem(args: &LayersFlags) -> Result<Option<NewFilesystem>> {
    let Some(choice) = args.fs else { return Ok(None) };
    let is_force = |option: &String| matches!(option.trim(), "-F" | "-f" | "--force");
    let hint = match args.mkfs_opt.iter().any(is_force) {
        true => "leave it out: an empty drive needs no force, and one that holds something is refused",
        false => "an option that names another device or a file is never taken",
    };
    let recipe = Recipe::read(&choice, &args.mkfs_opt, &args.mount_opt).map_err(|error| complaint(error, hint))?;
    Ok(Some(NewFilesystem { drives: args.drives.clone(), destroy: args.destroy.clone(), choice, recipe }))
}

/// The loads of a filesystem in each directory, or on the drive.
fn loads(
    args: &LayersFlags,
    places: &[PathBuf],
    page_bytes: u32,
    clients: &[u32],
    time: Duration,
    system: &System,
) -> Result<(SessionRequest, RunOutputs)> {
    let of = |rw: &str, workers: &str, sync: &str| {
        LoadFlags::of_flags(&format!("--rw {rw} --bs {page_bytes} --depth 1 --workers {workers} --sync {sync}"))
    };
    // Databases read and write by calls that wait.
    let load = |rw: &str, workers: &str, sync: &str| {
        let load = of(rw, workers, sync).context("a load of this verb cannot be read")?;
        Ok::<_, anyhow::Error>(LoadFlags { backend: vec![ioproof_engine::BackendChoice::PSYNC], ..load })
    };
    // Each number of clients is held against as many writers; reads are held against those of the blocks below, by as many as ever.
    let most = clients.last().copied().unwrap_or(1);
    let readers = readers(args, most).iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let each = clients.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let (reads, writes) = (load("randread", &readers, "none")?, load("randwrite", &each, &args.sync)?);
    let usual: VerifyFlags = flags::read(["verify"]).context("the flags of verify cannot be read")?;
    let verify = VerifyFlags {
        target: places.first().cloned(),
        size: Some(args.size.unwrap_or(TargetExtent::Bytes(SIZE_BYTES))),
        time: Some(time),
        runs: Some(args.runs),
        threshold_filesystem: args.threshold_filesystem,
        dry_run: args.dry_run,
        seed: args.seed,
        destroy_unknown_content: args.destroy_unknown_content,
        destroy_unseen_users: args.destroy_unseen_users,
        outputs: args.outputs.clone(),
        load: writes.clone(),
        ..usual
    };
    let (mut request, outputs) = settle::settle(verify, system)?;
    request.plan.load.workloads = reads.workloads().into_iter().chain(writes.workloads()).collect();
    request.plan.kind = RunKind::Layers;
    let of_place = |place: &PathBuf| TargetRequest { path: Some(place.clone()), ..request.targets[0].clone() };
    request.targets = places.iter().map(of_place).collect();
    Ok((request, outputs))
}

/// Numbers of readers of a filesystem: as many as a drive below it has, and of several drives also as many as all of them have at once.
fn readers(args: &LayersFlags, of_a_drive: u32) -> Vec<u32> {
    let drives = args.drives.len().max(1) as u32;
    ascending(&[of_a_drive, of_a_drive.saturating_mul(drives)])
}

fn ascending(typed: &[u32]) -> Vec<u32> {
    let mut all = typed.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}
