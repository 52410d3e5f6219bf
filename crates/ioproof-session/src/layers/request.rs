//! A request to hold layers against one another: directories or drives, the loads of a filesystem, and databases on it.

use super::db::Db;
use super::server::ServerOptions;
use crate::request::{RunKind, SessionRequest, TargetRequest};
use ioproof_core::record::{DatabaseRecord, Mix};
use ioproof_target::{FilesystemChoice, Recipe};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A request to hold layers against one another.
#[derive(Debug, Clone)]
pub struct LayersRequest {
    /// The loads of each filesystem, and the directories. Of drives it is one, with the first drive as its target until the filesystem on them is mounted.
    pub session: SessionRequest,
    /// The filesystem that is made first, and the drives for it.
    pub new: Option<NewFilesystem>,
    pub databases: Vec<Db>,
    /// The numbers of clients that each of them is measured with, the fewest first; at least one.
    pub clients: Vec<u32>,
    pub mix: Mix,
    /// Page of SQLite, and block of the filesystem's loads. Bytes.
    pub page_bytes: u32,
    /// Their own cache, where it is not to be as it comes. Bytes.
    pub cache_bytes: Option<u64>,
    /// Memory that the whole run may use, with its page cache. Bytes.
    pub memory_limit_bytes: Option<u64>,
    /// PostgreSQL's programs, who runs them and with which settings.
    pub server: ServerOptions,
    pub turns: u32,
    pub time: Duration,
}

#[derive(Debug, Clone)]
pub struct NewFilesystem {
    pub drives: Vec<PathBuf>,
    /// The consents to destroy, in any order.
    pub destroy: Vec<String>,
    pub choice: FilesystemChoice,
    pub recipe: Recipe,
}

impl LayersRequest {
    /// The same on a filesystem that was made on drives, which needs no consent any more.
    pub fn on(&self, mounted: &Path) -> Self {
        let target = TargetRequest { path: Some(mounted.to_path_buf()), ..TargetRequest::default() };
        Self { session: SessionRequest { targets: vec![target], ..self.session.clone() }, ..self.clone() }
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

    pub fn loads(&self) -> usize {
        self.session.plan.load.workloads.len()
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

pub fn rounds_of_drives(drives: usize) -> usize {
    if drives > 1 { RunKind::AtOnce.steps(drives) } else { 0 }
}
