//! The databases of a run: made in folders of ours once the run has begun, run when a task asks for them, and gone with the last of them.

use super::db::Db;
use super::request::LayersRequest;
use super::server::{Interrupted, as_complaint};
use anyhow::{Context, Result};
use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::record::{DatabaseRecord, DatabaseRound, PgTestFsync, RunRecord, RunStatus};
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, percent};
use ioproof_database::{Database, Spec, postgres, sqlite};
use ioproof_engine::LostPages;
use ioproof_process::complaint::complaint;
use ioproof_runner::{Event, Failure, Observer};
use ioproof_target::{System, WorkFolder};
use rustix::io::Errno;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The error of a round whose database lost a page of what it had mapped.
const LOST_PAGES: &str = "the filesystem did not give a page of a file that the database had mapped: it is full, or its drive failed";

/// Room that pg_test_fsync takes for its file, and some. Bytes.
const SYNC_RATES_BYTES: u64 = 32 << 20;
/// Every database of a run, which are made once.
pub struct RunDatabases {
    /// One for each database of the record; those with other clients share theirs.
    made: OnceLock<Vec<Arc<MadeDatabase>>>,
    /// SQLite maps the index of its log, whose pages a drive that fails or a filesystem that is full does not give.
    lost_pages: LostPages,
}

impl Default for RunDatabases {
    fn default() -> Self {
        Self { made: OnceLock::new(), lost_pages: LostPages::survive() }
    }
}

/// A database, which ends before its folder goes.
struct MadeDatabase {
    database: Box<dyn Database>,
    _folder: WorkFolder,
}

pub struct DatabaseMaker<'a> {
    /// Where the kernel's files are.
    pub system: &'a System,
    pub request: &'a LayersRequest,
    /// The directories, in the order of targets, and the size of their scratch files. Bytes.
    pub places: Vec<(PathBuf, u64)>,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
}

impl RunDatabases {
    pub fn make(&self, making: &DatabaseMaker<'_>, record: &mut RunRecord, observer: &mut dyn Observer) -> Result<()> {
        let made = match making.all(record, observer) {
            Ok(made) => made,
            Err(error) if error.is::<Interrupted>() => {
                record.status = RunStatus::Interrupted;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let made_records: Vec<_> = made.iter().map(|made| made.database.record()).collect();
        let note = in_memory(&made_records, record);
        record.notes.extend(note);
        let clients = making.request.clients.len();
        let _ = self.made.set(made.into_iter().flat_map(|made| std::iter::repeat_n(made, clients)).collect());
        Ok(())
    }
}

impl DatabaseMaker<'_> {
    /// Makes all of them, directory by directory, behind what is run there once.
    fn all(&self, record: &mut RunRecord, observer: &mut dyn Observer) -> Result<Vec<Arc<MadeDatabase>>> {
        let mut all = Vec::new();
        for (target, (place, size_bytes)) in (0..).zip(&self.places) {
            let rates = self.sync_rates(place, observer)?;
            record.targets.iter_mut().skip(target as usize).take(1).for_each(|of| of.pg_test_fsync.clone_from(&rates));
            for db in &self.request.databases {
                let made = self.one(*db, place, &self.spec(target, *size_bytes), observer)?;
                let of = |clients: &u32| made.database.record().with_clients(*clients);
                record.databases.extend(self.request.clients.iter().map(of));
                all.push(Arc::new(made));
            }
        }
        Ok(all)
    }

    fn spec(&self, target: u32, size_bytes: u64) -> Spec {
        let LayersRequest { mix, page_bytes, cache_bytes, .. } = *self.request;
        let clients = self.request.clients.last().copied().unwrap_or(1);
        Spec { target, mix, clients, size_bytes, page_bytes, cache_bytes }
    }

    /// The rates of pg_test_fsync in a directory, where they are asked for.
    fn sync_rates(&self, place: &Path, observer: &mut dyn Observer) -> Result<Option<PgTestFsync>> {
        if !self.request.server.pg_test_fsync {
            return Ok(None);
        }
        observer.observe(&Event::Step { text: "running pg_test_fsync once", left: None });
        let folder = WorkFolder::make(self.system, place, SYNC_RATES_BYTES)?;
        postgres::sync_rates(&folder.path(), &self.request.server.programs()?, self.stop).map(Some).map_err(as_complaint)
    }

    fn one(&self, db: Db, place: &Path, spec: &Spec, observer: &mut dyn Observer) -> Result<MadeDatabase> {
        let text = format!("making {}, {}", db.title(), binary_size(spec.size_bytes));
        observer.observe(&Event::Step { text: &text, left: None });
        let folder = WorkFolder::make(self.system, place, self.request.server.room_bytes(db, spec.size_bytes))?;
        let told = &mut |share: f64| observer.observe(&Event::Progress { text: &percent(share) });
        let database: Box<dyn Database> = match db {
            Db::Sqlite(settings) => Box::new(sqlite::make(&folder.path(), spec, settings, self.stop, told).map_err(as_complaint)?),
            Db::Postgres => Box::new(self.postgres(&folder.path(), place, spec)?),
            Db::Given => Box::new(self.given(&folder.path(), place, spec)?),
            Db::None => return Err(complaint("no database was asked for", "--db sqlite")),
        };
        Ok(MadeDatabase { database, _folder: folder })
    }

    fn postgres(&self, folder: &Path, place: &Path, spec: &Spec) -> Result<postgres::Postgres> {
        let server = &self.request.server;
        postgres::make(folder, spec, &server.programs()?, server.account(place)?, &server.settings, &server.scripts, self.stop)
            .map_err(as_complaint)
    }

    fn given(&self, folder: &Path, place: &Path, spec: &Spec) -> Result<postgres::Postgres> {
        let server = &self.request.server;
        let uri = server.given.as_ref().context("no server was given")?;
        postgres::make_given((folder, place), spec, &server.programs()?, server.account_of_given(place)?, uri, self.stop)
            .map_err(as_complaint)
    }
}

/// A note on databases that the machine's memory holds.
fn in_memory(databases: &[&DatabaseRecord], record: &RunRecord) -> Option<String> {
    let memory = record.host.usable_memory_bytes();
    let held: Vec<_> = databases.iter().filter(|database| database.apart().is_none() && database.size_bytes < memory).collect();
    let names: Vec<String> = held.iter().map(|database| format!("{}{}", of_directory(database, record), database.title)).collect();
    let largest = binary_size(held.iter().map(|database| database.size_bytes).max()?);
    let sizes = if held.len() == 1 { format!("its {largest} fit") } else { format!("up to {largest} each, and all fit") };
    Some(format!(
        "{}: {sizes} into the {} of memory that this run may use, so what is read comes from there once it was read: a larger --size or a smaller --memory-limit",
        names.join("; "),
        binary_size(memory)
    ))
}

fn of_directory(database: &DatabaseRecord, record: &RunRecord) -> String {
    let directories = record.targets.iter().filter(|target| target.below.is_none()).count();
    let own = record.targets.get(database.target as usize).filter(|_| directories > 1);
    own.map_or_else(String::new, |target| format!("{}: ", visible(&target.facts.given)))
}

impl ioproof_runner::DatabaseRunner for RunDatabases {
    fn run(&self, load: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<DatabaseRound, Failure> {
        let made = self.made.get().and_then(|made| made.get(load.database as usize));
        let no_such = || Failure::from((format!("there is no database {}", load.database), Errno::INVAL.raw_os_error()));
        let before = self.lost_pages.count();
        let round = made.map(|made| made.database.run(load, control)).ok_or_else(no_such)?;
        Ok(if self.lost_pages.count() > before { DatabaseRound::failed(load.database, LOST_PAGES) } else { round })
    }
}
