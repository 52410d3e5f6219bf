//! The ledger as a file: lines are only ever added, and now and then the whole is replaced by a shorter one that is renamed into its place.
//!
//! So the file under one inode only grows, and what was read of it stays true: each look reads what came since, however many files there are. A later
//! line about a file outdates an earlier one. A kill in the midst of a line leaves one without its end, which counts for nothing, and the next line
//! begins anew. A kill in the midst of a replacement leaves the old ledger.

use super::entry::{Entry, Id};
use crate::system::folder::make_folders;
use crate::system::threads;
use rustix::fs::{FlockOperation, OFlags, Stat};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tries for the lock, which others of this program hold for a moment, and the time between two of them: 10 s in all.
const TRIES: u32 = 2000;
const WAIT: Duration = Duration::from_millis(5);

/// Time within which a filesystem says whether a file is there. A server that is gone never does.
const ANSWER: Duration = Duration::from_secs(2);

/// Lines of some million files. Bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The ledger, as far as it was read.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    file: Option<File>,
    /// Whole lines that were read. Bytes.
    read_bytes: u64,
    entries: HashMap<Id, Entry>,
    /// Lines that are not understood, of another version or of somebody else: they prove nothing, and stay where they are.
    foreign: Vec<u8>,
    /// True where the lock could not be had the last time: then one try is enough, so that a run of many files waits only once.
    is_kept: bool,
}

impl Ledger {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, read_bytes: 0, entries: HashMap::new(), foreign: Vec::new(), is_kept: false }
    }

    /// The line of a file at this moment.
    pub(super) fn entry(&mut self, id: Id) -> Option<&Entry> {
        // A ledger that cannot be read says nothing, so that no file is ours.
        if self.refresh().is_err() {
            self.forget();
        }
        self.entries.get(&id)
    }

    /// Adds a line in one write, while nobody else does. Under a second name, as snapshots of hard links give it, the ledger is somebody else's too: then it is
    /// written anew beside that.
    pub(super) fn append(&mut self, entry: &Entry) -> io::Result<()> {
        self.locked(|ledger, file| {
            ledger.refresh()?;
            if file.metadata()?.nlink() > 1 {
                ledger.entries.insert(entry.id, entry.clone());
                return ledger.put_anew();
            }
            let torn = file.metadata()?.len() > ledger.read_bytes;
            let text = if torn { "\n".to_owned() + &entry.line() } else { entry.line() };
            (&*file).write_all(text.as_bytes())?;
            ledger.refresh()
        })
    }

    /// Changes entries, drops those of files that are gone, and puts the result in the place of the ledger.
    pub(super) fn replace(&mut self, how: impl FnOnce(&mut HashMap<Id, Entry>)) -> io::Result<()> {
        self.locked(|ledger, _| {
            ledger.refresh()?;
            how(&mut ledger.entries);
            for gone in gone(ledger.entries.values().cloned().collect(), Entry::is_there) {
                ledger.entries.remove(&gone);
            }
            ledger.put_anew()
        })
    }

    /// Puts all that is known in the place of the ledger. To be called under its lock.
    fn put_anew(&mut self) -> io::Result<()> {
        let text: String = self.entries.values().map(Entry::line).collect();
        let new = self.path.with_extension("new");
        // Left by a run that was killed; nobody else writes it while the lock is held.
        let _ = std::fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        file.write_all(&[&self.foreign, text.as_bytes()].concat())?;
        // After a power loss there is the old ledger or the new one, never an empty one.
        file.sync_all()?;
        std::fs::rename(&new, &self.path)?;
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        (self.file, self.read_bytes) = (None, 0);
        self.entries.clear();
        self.foreign.clear();
    }

    /// Reads what was added; all of it where another ledger stands in its place.
    fn refresh(&mut self) -> io::Result<()> {
        let now = match self.path.metadata() {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.forget();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        // An inode that is held open is not given to another file.
        let same =
            self.file.as_ref().and_then(|file| file.metadata().ok()).is_some_and(|old| (old.dev(), old.ino()) == (now.dev(), now.ino()));
        if !same || now.len() < self.read_bytes {
            self.forget();
        }
        if self.file.is_none() {
            self.file = Some(open(&self.path)?);
        }
        self.read_on()
    }

    fn read_on(&mut self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let more = file.metadata()?.len().saturating_sub(self.read_bytes);
        if more > MOST_BYTES {
            return Err(io::Error::other(format!("{} is too large to be a list of files", self.path.display())));
        }
        let mut text = vec![0; usize::try_from(more).unwrap_or(0)];
        let read = read_up_to(file, &mut text, self.read_bytes)?;
        // Somebody else's line may be in the making: what follows the last end of a line is read when it is whole.
        let whole = text[..read].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match Entry::read(line) {
                Some(entry) => drop(self.entries.insert(entry.id, entry)),
                None => self.foreign.extend([line, b"\n"].concat()),
            }
        }
        self.read_bytes += whole as u64;
        Ok(())
    }

    /// Does something while nobody else changes the ledger.
    fn locked<T>(&mut self, what: impl FnOnce(&mut Self, &File) -> io::Result<T>) -> io::Result<T> {
        let tries = if self.is_kept { 1 } else { TRIES };
        let file = self.lock(tries).inspect_err(|error| self.is_kept = error.kind() == io::ErrorKind::ResourceBusy)?;
        self.is_kept = false;
        // The lock ends with this descriptor.
        what(self, &file)
    }

    /// The ledger that stands in its place, locked. Whoever waited for one that was replaced meanwhile asks again.
    fn lock(&self, tries: u32) -> io::Result<File> {
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folders(folder)?;
        }
        for _ in 0..tries {
            let file = open(&self.path)?;
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    let (ours, there) = (rustix::fs::fstat(&file)?, rustix::fs::stat(&self.path));
                    if there.is_ok_and(|there| id(&there) == id(&ours)) {
                        return Ok(file);
                    }
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::sleep(WAIT),
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, format!("another process holds {}", self.path.display())))
    }
}

/// Entries whose files are not there any more. Looking stops at the first filesystem that does not answer in time; the entries from there on stay.
fn gone(all: Vec<Entry>, is_there: fn(&Entry) -> bool) -> Vec<Id> {
    let (told, answers) = std::sync::mpsc::channel();
    let mut left = all.len();
    let look = move || all.iter().all(|entry| told.send((entry.id, is_there(entry))).is_ok());
    if threads::spawn("made-files", look).is_err() {
        return Vec::new();
    }
    let mut gone = Vec::new();
    while left > 0 {
        let Ok((id, there)) = answers.recv_timeout(ANSWER) else { break };
        left -= 1;
        gone.extend((!there).then_some(id));
    }
    gone
}

fn id(stat: &Stat) -> Id {
    (stat.st_dev, stat.st_ino)
}

fn open(path: &Path) -> io::Result<File> {
    // A link or a pipe in its place is no ledger.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = OpenOptions::new().read(true).append(true).create(true).custom_flags(flags as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

fn read_up_to(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read_at(&mut buffer[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn a_file_of_which_nothing_is_told_stays_with_all_behind_it() {
        let entry = |inode| Entry { token: String::new(), id: (1, inode), left: None, path: Vec::new() };
        let there = |entry: &Entry| match entry.id.1 {
            3 => loop {
                std::thread::park();
            },
            inode => inode % 2 == 0,
        };
        assert_eq!(gone((1..=5).map(entry).collect(), there), [(1, 1)]);
        assert_eq!(gone([1, 2, 5].map(entry).into(), there), [(1, 1), (1, 5)]);
    }

    #[test]
    fn a_lock_that_is_kept_is_tried_once_until_it_is_free() {
        let folder = folder_on_a_drive();
        let mut ledger = Ledger::new(folder.path().join("made"));
        let other = ledger.lock(1).unwrap();
        assert_eq!(ledger.lock(1).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        ledger.is_kept = true;
        assert!(ledger.replace(|_| ()).is_err() && ledger.is_kept);
        drop(other);
        assert!(ledger.replace(|_| ()).is_ok() && !ledger.is_kept);
    }
}
