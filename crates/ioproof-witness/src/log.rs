//! The witness's own disk: a folder, in it a folder for each campaign, in it a file for each session.
//!
//! Names are made of the campaign's bits and the session's number alone. `file` has the bytes of a session's file, `session` the one that is written to,
//! `order` which campaign was written last, `folder` opens and makes names without following links. A lock keeps a second witness out. Deliberately absent: connections, and who may write what when
//! (`server`).

mod file;
mod folder;
mod order;
mod session;

pub(crate) use file::RecordWalk;
pub(crate) use session::{Batch, SessionLog};

use crate::error::Reason;
use crate::id::CampaignId;
use crate::protocol::{Malformed, SESSION_MAX};
use crate::record::{BEGUN, KeptRecord, Listed, RecordContent};
use folder::Folder;
use rustix::fs::{FlockOperation, OFlags, flock};
use session::OpenedLog;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const LOCK: &str = "lock";

/// Most campaigns in a folder.
const CAMPAIGNS_MAX: usize = 10_000;

/// Moment at which records are on the witness's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncPolicy {
    /// Before they are called stored: fdatasync for each batch.
    #[default]
    EachBatch,
    /// When the kernel writes them: a cut at the witness takes what it called stored.
    Never,
}

/// Error of the witness's folder.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The system refuses.
    #[error("{doing}: {error}")]
    Io {
        /// Action that was tried.
        doing: String,
        /// The system's error.
        error: io::Error,
    },
    /// Another witness keeps its records there.
    #[error("another witness uses {0}")]
    Locked(PathBuf),
    /// A file of another version of this program.
    #[error("the session's file was made by another version of ioproof (format {0})")]
    Version(u32),
    /// The record of a session, by its number, is damaged from the first on, and whole ones stand behind that: it did begin.
    #[error("the record of session {0} is damaged from the first on, so what it acknowledged is not known")]
    Damaged(u32),
    /// The session is somebody else's.
    #[error("{0}")]
    Taken(String),
    /// There is none.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// No more of these.
    #[error("there are {0} already, which is the most")]
    Limit(String),
    /// A writer's number that does not follow, or a record after the end.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl LogError {
    fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |error| Self::Io { doing, error }
    }

    pub(crate) fn reason(&self) -> Reason {
        match self {
            Self::Io { .. } | Self::Locked(_) | Self::Version(_) | Self::Damaged(_) => Reason::Storage,
            Self::Taken(_) => Reason::Taken,
            Self::Unknown(_) => Reason::Unknown,
            Self::Limit(_) => Reason::Limit,
            Self::Malformed(_) => Reason::Malformed,
        }
    }
}

/// Folder of a witness, held by its lock.
#[derive(Debug)]
pub struct Log {
    folder: Folder,
    syncs: SyncPolicy,
    /// Held while the order is written.
    order: Mutex<()>,
    lock: File,
}

impl Drop for Log {
    /// Gives the lock back by name: a process that was just forked holds its descriptor a moment longer.
    fn drop(&mut self) {
        let _ = flock(&self.lock, FlockOperation::Unlock);
    }
}

/// A session that is to be begun, or to go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beginning<'a> {
    pub campaign: CampaignId,
    /// `None` for the next one.
    pub session: Option<u32>,
    pub writes: bool,
    pub writer: [u8; 16],
    pub peer: &'a str,
    pub description: &'a [u8],
    pub wall_ns: i64,
}

impl Log {
    /// Opens a folder, makes it where there is none, and keeps other witnesses out. A link in its place is not followed.
    ///
    /// # Errors
    /// When another witness has it, somebody else's file stands where one of its own would, or the system refuses.
    pub fn open(path: &Path, syncs: SyncPolicy) -> Result<Self, LogError> {
        let folder = Folder::open_or_make(path).map_err(LogError::io(path.display().to_string()))?;
        let flags = OFlags::RDWR | OFlags::CREATE;
        let lock = folder.file(LOCK, flags).map_err(LogError::io(format!("{}/{LOCK}", path.display())))?;
        order::check(&folder).map_err(LogError::io(path.display().to_string()))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { folder, syncs, order: Mutex::default(), lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(LogError::Locked(path.to_owned())),
            Err(error) => Err(LogError::io("locking the folder")(error.into())),
        }
    }

    /// When records are on the disk.
    #[must_use]
    pub fn syncs(&self) -> SyncPolicy {
        self.syncs
    }

    /// Begins a session, or opens the one that this writer has begun. A campaign that comes to no session leaves no folder.
    pub(crate) fn begin(&self, beginning: &Beginning<'_>) -> Result<SessionLog, LogError> {
        let (folder, is_new) = self.campaign_folder(beginning.campaign)?;
        self.begin_in(folder, beginning).inspect_err(|_| {
            if is_new {
                self.folder.remove_empty(&beginning.campaign.to_string());
            }
        })
    }

    fn begin_in(&self, folder: Folder, beginning: &Beginning<'_>) -> Result<SessionLog, LogError> {
        let last = sessions(&folder)?.last().copied();
        if let Some(number) = last {
            match SessionLog::open(&folder, beginning.campaign, number, self.syncs, beginning.wall_ns)? {
                OpenedLog::Whole(log) if log.writer() == &beginning.writer && beginning.session.is_none_or(|asked| asked == number) => {
                    return self.synced(&folder).and_then(|()| log.within(&self.folder, beginning.campaign));
                }
                OpenedLog::Whole(_) => {}
                // Nobody was told that it had begun.
                OpenedLog::NeverBegun => return session::move_aside(&folder, number).and_then(|()| self.begin_in(folder, beginning)),
            }
        }
        let next = last.map_or(1, |number| number + 1);
        let session = beginning.session.unwrap_or(next);
        if session < next {
            let text = format!("session {session} of this campaign belongs to another writer; the next one is {next}");
            return Err(LogError::Taken(text));
        }
        if session > SESSION_MAX {
            return Err(LogError::Limit(format!("{SESSION_MAX} sessions")));
        }
        if beginning.writes {
            self.put_last(beginning.campaign)?;
        }
        let log = SessionLog::make(&folder, session, beginning, self.syncs)?;
        self.synced(&folder).and_then(|()| log.within(&self.folder, beginning.campaign))
    }

    fn put_last(&self, campaign: CampaignId) -> Result<(), LogError> {
        let _held = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order::add(&self.folder, campaign, self.syncs != SyncPolicy::Never).map_err(LogError::io("writing the order of campaigns"))
    }

    /// Place of each campaign by the last session that writes, from 1.
    pub(crate) fn order(&self) -> Result<HashMap<CampaignId, u64>, LogError> {
        let _held = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order::places(&self.folder).map_err(LogError::io("reading the order of campaigns"))
    }

    /// Has the names on the disk too.
    fn synced(&self, folder: &Folder) -> Result<(), LogError> {
        if self.syncs == SyncPolicy::Never {
            return Ok(());
        }
        folder.sync().and_then(|()| self.folder.sync()).map_err(LogError::io("syncing the campaign's folder"))
    }

    /// The folder of a campaign; true where it was made now.
    fn campaign_folder(&self, campaign: CampaignId) -> Result<(Folder, bool), LogError> {
        let name = campaign.to_string();
        if let Some(folder) = self.folder.folder(&name).map_err(LogError::io("opening the campaign's folder"))? {
            return Ok((folder, false));
        }
        if self.campaigns()?.len() >= CAMPAIGNS_MAX {
            return Err(LogError::Limit(format!("{CAMPAIGNS_MAX} campaigns")));
        }
        let made = self.folder.make_folder(&name).map_err(LogError::io("making the campaign's folder"))?;
        Ok((made, true))
    }

    /// All campaigns, by their names.
    pub(crate) fn campaigns(&self) -> Result<Vec<CampaignId>, LogError> {
        let names = self.folder.names().map_err(LogError::io("reading the witness's folder"))?;
        let ids = names.iter().filter_map(|name| CampaignId::parse(name).filter(|id| id.to_string() == *name));
        Ok(ids.collect())
    }

    /// Numbers of the sessions of a campaign, in their order.
    pub(crate) fn sessions(&self, campaign: CampaignId) -> Result<Vec<u32>, LogError> {
        sessions(&self.existing(campaign)?)
    }

    /// Reads a session from its first record on; up to so many bytes, where a writer is at it.
    pub(crate) fn read(&self, campaign: CampaignId, session: u32, most_bytes: Option<u64>) -> Result<RecordWalk, LogError> {
        let file = self.existing(campaign)?.file(&file::name(session), OFlags::RDONLY);
        RecordWalk::begin(file.map_err(LogError::io("opening the session's file"))?, campaign, session, most_bytes)
    }

    fn existing(&self, campaign: CampaignId) -> Result<Folder, LogError> {
        let folder = self.folder.folder(&campaign.to_string()).map_err(LogError::io("opening the campaign's folder"))?;
        folder.ok_or(LogError::Unknown("campaign"))
    }

    /// A campaign's line in a list.
    pub(crate) fn listed(&self, campaign: CampaignId) -> Result<Listed, LogError> {
        let folder = self.existing(campaign)?;
        let sessions = sessions(&folder)?;
        let began = |session: Option<&u32>| session.and_then(|session| self.began(campaign, *session)).unwrap_or(0);
        let size = |session: &u32| folder.size_bytes(&file::name(*session)).unwrap_or(0);
        Ok(Listed {
            campaign,
            sessions: sessions.last().copied().unwrap_or(0),
            first_wall_ns: began(sessions.first()),
            last_wall_ns: began(sessions.last()),
            size_bytes: sessions.iter().map(size).sum(),
            is_live: false,
            order: 0,
        })
    }

    fn began(&self, campaign: CampaignId, session: u32) -> Option<i64> {
        let (mut walk, mut body) = (self.read(campaign, session, None).ok()?, Vec::new());
        walk.next(&mut body).ok()?;
        KeptRecord::read(&body).ok().filter(|kept| matches!(kept.what, RecordContent::Begun { .. })).map(|kept| kept.wall_ns)
    }
}

fn sessions(folder: &Folder) -> Result<Vec<u32>, LogError> {
    let names = folder.names().map_err(LogError::io("reading the campaign's folder"))?;
    let mut numbers: Vec<u32> = names.iter().filter_map(|name| file::number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// True for the first record of a session.
fn is_begun(kind: u8) -> bool {
    kind == BEGUN
}

#[cfg(test)]
mod tests;
