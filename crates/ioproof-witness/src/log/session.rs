//! The file of a session that is written to.
//!
//! A batch is written at once and synced before it counts; whatever fails, the file is cut back to what counted. After a failed fdatasync the kernel
//! may call pages clean that never reached the disk (fsync(2), "EIO"), so what was written since the last good one is cut off and written again when the
//! writer sends it again, never synced again.

use super::file::{self, HEAD_BYTES, RecordWalk};
use super::folder::Folder;
use super::{Beginning, LogError, SyncPolicy};
use crate::bytes::MessageReader;
use crate::id::CampaignId;
use crate::protocol::Malformed;
use crate::record::{BEGUN, DAMAGED, ENDED, RecordStamp, STAMP_BYTES, TAIL_CUT};
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Longest address of a writer that is kept.
const PEER_BYTES_MAX: usize = 200;

/// Bytes of a tail that are moved at a time.
const PIECE_BYTES: usize = 64 << 10;

/// Names that are tried for what is moved aside.
const NAMES: u32 = 10_000;

/// Records of a writer that are to be stored together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    kind: u8,
    number: u64,
    content: Range<usize>,
}

impl Batch {
    pub(crate) fn add(&mut self, kind: u8, number: u64, content: &[u8]) {
        let begin = self.bytes.len();
        self.bytes.extend(content);
        self.entries.push(Entry { kind, number, content: begin..self.bytes.len() });
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The file of a session, open to be written to.
#[derive(Debug)]
pub(crate) struct SessionLog {
    file: File,
    session: u32,
    writer: [u8; 16],
    syncs: SyncPolicy,
    /// Bytes that count.
    length: u64,
    order: u64,
    /// The writer's number of the last record that counts.
    stored: u64,
    has_ended: bool,
    /// True while there may be bytes behind those that count.
    is_dirty: bool,
    out: Vec<u8>,
    /// The witness's folder, and the path of the file in it.
    place: Option<(Folder, String)>,
}

/// A session's file as it was found.
pub(super) enum OpenedLog {
    Whole(Box<SessionLog>),
    /// Its beginning never came to the disk, so nobody was told that it had begun.
    NeverBegun,
}

impl SessionLog {
    /// One in which nothing counts yet.
    fn of(file: File, session: u32, writer: [u8; 16], syncs: SyncPolicy) -> Self {
        let (out, place) = (Vec::new(), None);
        Self { file, session, writer, syncs, length: 0, order: 0, stored: 0, has_ended: false, is_dirty: false, out, place }
    }

    /// Makes the file of a new session.
    pub(super) fn make(folder: &Folder, session: u32, beginning: &Beginning<'_>, syncs: SyncPolicy) -> Result<Self, LogError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR;
        let file = folder.file(&file::name(session), flags).map_err(LogError::io("making the session's file"))?;
        let mut log = Self::of(file, session, beginning.writer, syncs);
        log.out = file::head(beginning.campaign, session);
        let peer: String = beginning.peer.chars().take(PEER_BYTES_MAX / 4).collect();
        let stamp = log.stamp(1, beginning.wall_ns, BEGUN);
        file::put(&mut log.out, stamp, |out| {
            out.extend(beginning.writer);
            out.extend((peer.len() as u16).to_le_bytes());
            out.extend(peer.as_bytes());
            out.extend(beginning.description);
        });
        match log.store(1) {
            Ok(()) => Ok(log),
            Err(error) => {
                // Nobody was told of it, and the next try is to find the name free.
                let _ = folder.remove(&file::name(session));
                Err(error)
            }
        }
    }

    /// Opens the file of a session, and cuts off what a crash left behind its last whole record.
    pub(super) fn open(
        folder: &Folder,
        campaign: CampaignId,
        session: u32,
        syncs: SyncPolicy,
        wall_ns: i64,
    ) -> Result<OpenedLog, LogError> {
        let name = file::name(session);
        let open = |flags| folder.file(&name, flags).map_err(LogError::io("opening the session's file"));
        let mut walk = RecordWalk::begin(open(OFlags::RDONLY)?, campaign, session, None)?;
        let file = open(OFlags::RDWR)?;
        let mut log = Self::of(file, session, [0; 16], syncs);
        let mut content = Vec::new();
        while walk.next(&mut content).map_err(LogError::io("reading the session's file"))? {
            log.take_in(&content)?;
        }
        let is_damaged = walk.is_damaged().map_err(LogError::io("reading the session's file"))?;
        if walk.order() == 0 {
            return if is_damaged { Err(LogError::Damaged(session)) } else { Ok(OpenedLog::NeverBegun) };
        }
        (log.length, log.order) = (walk.whole_bytes(), walk.order());
        log.cut_tail(folder, wall_ns, if is_damaged { DAMAGED } else { TAIL_CUT })?;
        Ok(OpenedLog::Whole(Box::new(log)))
    }

    /// Notes where in the witness's folder it is, so that each batch sees whether it still is.
    pub(super) fn within(mut self, root: &Folder, campaign: CampaignId) -> Result<Self, LogError> {
        let root = root.again().map_err(LogError::io("holding the witness's folder"))?;
        let path = format!("{campaign}/{}", file::name(self.session));
        self.place = Some((root, path));
        Ok(self)
    }

    /// Refuses to take records into a file that nobody would find, or that somebody cut or wrote to: what was called stored would not be.
    fn look(&self) -> io::Result<()> {
        let is_there = self.place.as_ref().is_none_or(|(root, path)| root.has(path, &self.file, self.length));
        if is_there { Ok(()) } else { Err(io::Error::other("somebody moved it, took it away or wrote to it")) }
    }

    /// Learns from a record what has to be known to go on.
    fn take_in(&mut self, content: &[u8]) -> Result<(), LogError> {
        let kind = RecordStamp::take(&mut MessageReader::of(content))?.kind;
        let mut rest = MessageReader::of(&content[STAMP_BYTES..]);
        match kind {
            BEGUN => self.writer = rest.array()?,
            TAIL_CUT | DAMAGED => {}
            _ => self.stored = rest.u64()?,
        }
        self.has_ended |= kind == ENDED;
        Ok(())
    }

    /// Moves what stands behind the last whole record into a file beside it, and says in the session that it did.
    fn cut_tail(&mut self, folder: &Folder, wall_ns: i64, kind: u8) -> Result<(), LogError> {
        let size_bytes = self.file.metadata().map_err(LogError::io("looking at the session's file"))?.len();
        let tail = size_bytes.saturating_sub(self.length);
        if tail == 0 {
            // Another process may have written what is whole, and been ended before it was synced.
            return self.sync().map_err(LogError::io("syncing the session's file"));
        }
        self.copy_tail(folder).map_err(LogError::io("moving a torn record aside"))?;
        self.is_dirty = true;
        self.out.clear();
        let stamp = self.stamp(self.order + 1, wall_ns, kind);
        file::put(&mut self.out, stamp, |out| out.extend(tail.to_le_bytes()));
        self.store(1)
    }

    fn copy_tail(&self, folder: &Folder) -> io::Result<()> {
        let aside = free_name(self.session, |name| folder.file(name, OFlags::CREATE | OFlags::EXCL | OFlags::RDWR))?;
        let (mut piece, mut at) = (vec![0; PIECE_BYTES], 0);
        loop {
            let count = self.file.read_at(&mut piece, self.length + at)?;
            if count == 0 {
                break;
            }
            aside.write_all_at(&piece[..count], at)?;
            at += count as u64;
        }
        aside.sync_all()?;
        folder.sync()
    }

    /// Stores the records of a batch that it has not yet; gives the writer's number of the last that is stored.
    pub(crate) fn append(&mut self, batch: &Batch, wall_ns: i64) -> Result<u64, LogError> {
        let (mut order, mut stored, mut has_ended) = (self.order, self.stored, self.has_ended);
        self.out.clear();
        for entry in batch.entries.iter().filter(|entry| entry.number > self.stored) {
            if entry.number != stored + 1 {
                return Err(Malformed("a record whose number does not follow that of the one before").into());
            }
            if has_ended {
                return Err(Malformed("a record after the end of its session").into());
            }
            (order, stored, has_ended) = (order + 1, entry.number, entry.kind == ENDED);
            let stamp = self.stamp(order, wall_ns, entry.kind);
            file::put(&mut self.out, stamp, |out| out.extend(&batch.bytes[entry.content.clone()]));
        }
        if order > self.order {
            self.store(order - self.order)?;
            (self.stored, self.has_ended) = (stored, has_ended);
        }
        Ok(self.stored)
    }

    fn stamp(&self, order: u64, wall_ns: i64, kind: u8) -> RecordStamp {
        RecordStamp { order, wall_ns, session: self.session, kind }
    }

    /// Writes what is in `out`, so many records, behind what counts.
    fn store(&mut self, records: u64) -> Result<(), LogError> {
        self.mend()?;
        self.look().map_err(LogError::io("writing the session's file"))?;
        self.is_dirty = true;
        let written = self.file.write_all_at(&self.out, self.length).and_then(|()| self.sync());
        if let Err(error) = written {
            // Where this fails too, it is tried again before anything else is written.
            let _ = self.cut_back();
            return Err(LogError::io("writing the session's file")(error));
        }
        self.is_dirty = false;
        self.length += self.out.len() as u64;
        self.order += records;
        Ok(())
    }

    /// Cuts off what a failure left.
    pub(crate) fn mend(&mut self) -> Result<(), LogError> {
        if self.is_dirty { self.cut_back().map_err(LogError::io("cutting the session's file back")) } else { Ok(()) }
    }

    fn cut_back(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.sync()?;
        self.is_dirty = false;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        fault::moment()?;
        if self.syncs == SyncPolicy::Never { Ok(()) } else { self.file.sync_data() }
    }

    pub(crate) fn session(&self) -> u32 {
        self.session
    }

    pub(crate) fn writer(&self) -> &[u8; 16] {
        &self.writer
    }

    /// The writer's number of the last record that is stored.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    /// Bytes of the file that count.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// True while something failed that must be cut off before anybody reads the file.
    pub(crate) fn is_dirty(&self) -> bool {
        self.is_dirty
    }
}

/// A last try, before the file is closed, to leave nothing in it that was not answered.
impl Drop for SessionLog {
    fn drop(&mut self) {
        if self.is_dirty && self.length >= HEAD_BYTES as u64 {
            let _ = self.cut_back();
        }
    }
}

/// Gives the file of a session that never began another name.
pub(super) fn move_aside(folder: &Folder, session: u32) -> Result<(), LogError> {
    let name = file::name(session);
    free_name(session, |aside| folder.rename(&name, aside)).map_err(LogError::io("moving a torn file aside"))
}

/// Has something done with a name beside that of the session, which nothing bears yet.
fn free_name<T>(session: u32, act: impl Fn(&str) -> io::Result<T>) -> io::Result<T> {
    for number in 1..NAMES {
        match act(&format!("{}.torn-{number}", file::name(session))) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other,
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A failure of the disk, which a test wants.
pub(super) mod fault {
    #[cfg(test)]
    thread_local! {
        static LEFT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }

    #[cfg(not(test))]
    pub(super) fn moment() -> std::io::Result<()> {
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn moment() -> std::io::Result<()> {
        let left = LEFT.get();
        LEFT.set(left.saturating_sub(1));
        if left > 0 { Err(std::io::Error::from_raw_os_error(5)) } else { Ok(()) }
    }

    /// Has the next syncs of this thread fail.
    #[cfg(test)]
    pub(in super::super) fn fail(count: u32) {
        LEFT.set(count);
    }
}
