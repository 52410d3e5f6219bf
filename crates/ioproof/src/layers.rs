//! The verb `layers`: random reads and durable writes on a filesystem, and a database on it, in turns. Here its flags are settled; `db` says which database is meant,
//! `databases` makes them and runs their rounds, `verify::layers` goes the way of every measuring verb.

pub mod databases;
pub mod db;
mod given;
pub mod memory;
mod scripts;

use crate::cli;
use crate::compared::FailIf;
use crate::load::Load;
use crate::request::{Extent, Sweeping, VerifyRequest};
use crate::sources::interleave;
use crate::verify;
use anyhow::{Context, Result};
use clap::{Args, Command, FromArgMatches};
use databases::ServerOptions;
use db::Db;
use ioproof_core::layers::VERB;
use ioproof_core::record::{DatabaseRecord, Mix};
use ioproof_core::units::binary_size;
use ioproof_process::complaint::complaint;
use ioproof_target::{FilesystemChoice, Recipe, System};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time for all turns of one layer.
const TIME: Duration = Duration::from_secs(20);
/// Size of the scratch file and of each database: more than their own caches, and made in a few seconds. Bytes.
const SIZE_BYTES: u64 = 256 << 20;

/// A request to hold layers against one another.
#[derive(Debug, Clone)]
pub struct LayersRequest {
    /// A request for each directory; they differ in nothing else. Of drives it is one, with the first drive as its target until the filesystem on them is mounted.
    pub sides: Vec<VerifyRequest>,
    /// The filesystem that is made first, and the drives for it.
    pub new: Option<NewFilesystem>,
    /// The databases on each of them.
    pub databases: Vec<Db>,
    /// The numbers of clients that each of them is measured with, the fewest first; at least one.
    pub clients: Vec<u32>,
    /// Their transaction.
    pub mix: Mix,
    /// Page of SQLite, and block of the filesystem's loads. Bytes.
    pub page_bytes: u32,
    /// Their own cache, where it is not to be as it comes. Bytes.
    pub cache_bytes: Option<u64>,
    /// Memory that the whole run may use, with its page cache. Bytes.
    pub memory_limit_bytes: Option<u64>,
    /// PostgreSQL's programs, who runs them and with which settings.
    pub server: ServerOptions,
    /// Turns of each layer.
    pub turns: u32,
    /// Time for all turns.
    pub time: Duration,
    /// The answer of two directories held against each other at which it fails.
    pub fail_if: Option<FailIf>,
}

/// A filesystem that is to be made on drives.
#[derive(Debug, Clone)]
pub struct NewFilesystem {
    /// The drives.
    pub drives: Vec<PathBuf>,
    /// The consents to destroy, in any order.
    pub destroy: Vec<String>,
    /// Filesystem and layout.
    pub choice: FilesystemChoice,
    /// The same with its options.
    pub recipe: Recipe,
}

impl LayersRequest {
    /// The same on a filesystem that was made on drives, which needs no consent any more.
    pub fn on(&self, mounted: &Path) -> Self {
        let of_folder = |side: &VerifyRequest| VerifyRequest {
            target: Some(mounted.to_path_buf()),
            destroy_unknown_content: false,
            destroy_unseen_users: false,
            ..side.clone()
        };
        Self { sides: self.sides.iter().map(of_folder).collect(), ..self.clone() }
    }

    /// A database's name with the settings that were chosen for it.
    pub fn title(&self, db: &Db) -> String {
        let settings = self.server.settings.iter().filter(|_| *db == Db::Postgres).map(|setting| format!(", {setting}"));
        std::iter::once(db.title()).chain(settings).collect()
    }

    /// Databases of a directory, each number of clients by itself.
    pub fn rounds_of_databases(&self) -> usize {
        self.databases.len() * self.clients.len()
    }

    /// The transaction by its name, or the scripts in place of it.
    pub fn transaction(&self) -> String {
        let scripts = self.server.scripts.iter().map(|script| script.record().clone()).collect();
        DatabaseRecord { mix: self.mix, scripts, ..DatabaseRecord::default() }.transaction()
    }

    /// Loads of a directory.
    pub fn loads(&self) -> usize {
        self.sides.first().map_or(0, |side| side.load.workloads.len())
    }

    /// Rounds of a turn of drives before a filesystem is made on several: each alone, and all at once.
    pub fn rounds_of_drives(&self) -> usize {
        self.new.as_ref().map_or(0, |new| rounds_of_drives(new.drives.len()))
    }

    /// `10 turns`, `1 turn`.
    pub fn turns_in_words(&self) -> String {
        if self.turns == 1 { "1 turn".to_owned() } else { format!("{} turns, forwards and backwards", self.turns) }
    }
}

fn rounds_of_drives(drives: usize) -> usize {
    if drives > 1 { interleave::steps(drives, true) } else { 0 }
}

/// Runs `layers` and gives the exit status.
///
/// # Errors
/// When nothing can be measured.
pub fn run(args: cli::Layers) -> Result<u8> {
    let system = System::host();
    let request = settle(args, &system)?;
    // Before the machine is looked at, so that the record has this limit among those of the process.
    let _group = memory::enter(&request, &system)?;
    verify::layers::measure_layers(&system, &request)
}

fn settle(args: cli::Layers, system: &System) -> Result<LayersRequest> {
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
        false => databases::check_on_new(&databases, &server)?,
        true => databases::check(&databases, &places, &server)?,
    }
    let clients = ascending(&args.clients);
    memory::check(args.memory_limit, args.db_cache, &databases, clients.last().copied().unwrap_or(1))?;
    // Of several drives what they give before; of each filesystem the reads, and the durable writes and each database with each number of clients.
    let layers = places.len() * (readers(&args, 1).len() + (1 + databases.len()) * clients.len()) + rounds_of_drives(args.drives.len());
    let time = args.time.unwrap_or(TIME * layers as u32);
    let sides = places.iter().map(|place| side(&args, place, page_bytes, &clients, time, system)).collect::<Result<Vec<_>>>()?;
    Ok(LayersRequest {
        sides,
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
        fail_if: args.fail_if,
    })
}

/// The directories, or the first drive.
fn places(args: &cli::Layers) -> Result<Vec<PathBuf>> {
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

/// The filesystem that was asked for.
fn new_filesystem(args: &cli::Layers) -> Result<Option<NewFilesystem>> {
    let Some(choice) = args.fs else { return Ok(None) };
    let is_force = |option: &String| matches!(option.trim(), "-F" | "-f" | "--force");
    let hint = match args.mkfs_opt.iter().any(is_force) {
        true => "leave it out: an empty drive needs no force, and one that holds something is refused",
        false => "an option that names another device or a file is never taken",
    };
    let recipe = Recipe::read(&choice, &args.mkfs_opt, &args.mount_opt).map_err(|error| complaint(error, hint))?;
    Ok(Some(NewFilesystem { drives: args.drives.clone(), destroy: args.destroy.clone(), choice, recipe }))
}

/// The request for one directory, or the drive: the loads of its filesystem.
fn side(args: &cli::Layers, dir: &Path, page_bytes: u32, clients: &[u32], time: Duration, system: &System) -> Result<VerifyRequest> {
    let of = |rw: &str, workers: &str, sync: &str| {
        Load::of_flags(&format!("--rw {rw} --bs {page_bytes} --depth 1 --workers {workers} --sync {sync}"))
    };
    // Databases read and write by calls that wait.
    let load = |rw: &str, workers: &str, sync: &str| {
        let load = of(rw, workers, sync).context("a load of this verb cannot be read")?;
        Ok::<_, anyhow::Error>(Load { backend: vec![ioproof_engine::BackendChoice::PSYNC], ..load })
    };
    // Each number of clients is held against as many writers; reads are held against those of the blocks below, by as many as ever.
    let most = clients.last().copied().unwrap_or(1);
    let readers = readers(args, most).iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let each = clients.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let (reads, writes) = (load("randread", &readers, "none")?, load("randwrite", &each, &args.sync)?);
    let usual = usual().context("the flags of verify cannot be read")?;
    let verify = cli::Verify {
        target: Some(dir.to_path_buf()),
        size: Some(args.size.unwrap_or(Extent::Bytes(SIZE_BYTES))),
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
    let mut request = VerifyRequest::settle(verify, system)?;
    request.load.workloads = reads.workloads().into_iter().chain(writes.workloads()).collect();
    Ok(VerifyRequest { sweep: Some(Sweeping { verb: VERB, full: true, taken_up: None, goals: Vec::new() }), ..request })
}

/// Numbers of readers of a filesystem: as many as a drive below it has, and of several drives also as many as all of them have at once.
fn readers(args: &cli::Layers, of_a_drive: u32) -> Vec<u32> {
    let drives = args.drives.len().max(1) as u32;
    ascending(&[of_a_drive, of_a_drive.saturating_mul(drives)])
}

fn ascending(typed: &[u32]) -> Vec<u32> {
    let mut all = typed.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// The flags of `verify` as they are where none is typed.
fn usual() -> Option<cli::Verify> {
    let matches = cli::Verify::augment_args(Command::new("verify")).try_get_matches_from(["verify"]).ok()?;
    cli::Verify::from_arg_matches(&matches).ok()
}
