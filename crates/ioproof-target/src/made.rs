//! Which files ioproof made: an extended attribute on the file and a line in a ledger, which must agree.
//!
//! Such a file may be written again without consent, so the proof is strict. The attribute alone travels with `cp -a`; the ledger alone goes by device and
//! inode, which are given again. A file that was changed since its job ended holds somebody's data by now and is no longer ours; so is one whose job never
//! ended. Where the filesystem has no extended attributes, no file is ours.

use rustix::fs::{FlockOperation, XattrFlags};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Name of the attribute.
const ATTRIBUTE: &str = "user.ioproof.made";

/// The ledger of files that ioproof made.
#[derive(Debug, Clone)]
pub struct Made {
    ledger: PathBuf,
}

/// One file in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    token: String,
    /// Device and inode.
    id: (u64, u64),
    /// When its content last changed, as its job left it; `None` while the job goes on. Nanoseconds since 1970.
    left_ns: Option<i128>,
    path: Vec<u8>,
}

impl Made {
    /// The ledger in this file, which need not be there yet.
    #[must_use]
    pub fn new(ledger: PathBuf) -> Self {
        Self { ledger }
    }

    /// Whether ioproof made the file, and nobody changed it since.
    #[must_use]
    pub fn is_ours(&self, file: impl AsFd) -> bool {
        let Ok(stat) = rustix::fs::fstat(&file) else { return false };
        let mut token = [0u8; 64];
        let Ok(length) = rustix::fs::fgetxattr(&file, ATTRIBUTE, &mut token[..]) else { return false };
        let token = String::from_utf8_lossy(&token[..length]).into_owned();
        let entries = self.entries().unwrap_or_default();
        entries.iter().any(|e| e.token == token && e.id == (stat.st_dev, stat.st_ino) && e.left_ns == Some(changed_ns(&stat)))
    }

    /// Whether the file is in the ledger, in whatever state.
    pub(crate) fn has_noted(&self, file: impl AsFd) -> bool {
        let Ok(stat) = rustix::fs::fstat(&file) else { return false };
        self.entries().unwrap_or_default().iter().any(|e| e.id == (stat.st_dev, stat.st_ino))
    }

    /// Marks a file that was just made. It is ours for good once [`Self::settle`] was called.
    ///
    /// # Errors
    /// When the ledger cannot be written. A filesystem without extended attributes is no error: the file then is everybody's.
    pub(crate) fn note(&self, file: impl AsFd, path: &Path) -> io::Result<()> {
        let token = std::fs::read_to_string("/proc/sys/kernel/random/uuid")?.trim().to_owned();
        let stat = rustix::fs::fstat(&file)?;
        let entry = Entry { token, id: (stat.st_dev, stat.st_ino), left_ns: None, path: path.as_os_str().as_bytes().to_vec() };
        self.change(|entries| {
            entries.retain(|e| e.id != entry.id);
            entries.push(entry.clone());
        })?;
        let _ = rustix::fs::fsetxattr(&file, ATTRIBUTE, entry.token.as_bytes(), XattrFlags::empty());
        Ok(())
    }

    /// Notes that the job of these files has ended: from here on any change is somebody else's. Files that are not in the ledger stay out of it.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn settle<F: AsFd>(&self, files: &[F]) -> io::Result<()> {
        let stats: Vec<_> = files.iter().filter_map(|file| rustix::fs::fstat(file).ok()).collect();
        self.change(|entries| {
            for stat in &stats {
                for entry in entries.iter_mut().filter(|e| e.id == (stat.st_dev, stat.st_ino)) {
                    entry.left_ns = Some(changed_ns(stat));
                }
            }
        })
    }

    /// The paths of all files in the ledger.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        let path = |entry: Entry| PathBuf::from(std::ffi::OsStr::from_bytes(&entry.path));
        self.entries().unwrap_or_default().into_iter().map(path).collect()
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        Ok(std::fs::read(&self.ledger)?.split(|b| *b == b'\n').filter_map(Entry::read).collect())
    }

    /// Changes the ledger while nobody else does. Entries of files that are gone are left out.
    fn change(&self, how: impl FnOnce(&mut Vec<Entry>)) -> io::Result<()> {
        if let Some(folder) = self.ledger.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.ledger)?;
        rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut entries: Vec<Entry> = text.split(|b| *b == b'\n').filter_map(Entry::read).filter(Entry::may_be_there).collect();
        how(&mut entries);
        write(&mut file, &entries)
    }
}

fn write(file: &mut File, entries: &[Entry]) -> io::Result<()> {
    let text: String = entries.iter().map(Entry::line).collect();
    file.seek(SeekFrom::Start(0))?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

fn changed_ns(stat: &rustix::fs::Stat) -> i128 {
    i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec)
}

impl Entry {
    /// `token device inode changed path .`, the path in hexadecimal; without the dot the line is not whole.
    fn line(&self) -> String {
        let left = self.left_ns.map_or_else(|| "-".to_owned(), |ns| ns.to_string());
        let path: String = self.path.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} {} {} {left} {path} .\n", self.token, self.id.0, self.id.1)
    }

    /// `None` for a line that was damaged: a file that cannot be told is not ours.
    fn read(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let mut words = text.split(' ');
        let (token, device, inode) = (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let left_ns = match words.next()? {
            "-" => None,
            ns => Some(ns.parse().ok()?),
        };
        let digits = words.next()?;
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let path = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
        (!token.is_empty() && words.eq(["."])).then(|| Self { token: token.to_owned(), id: (device, inode), left_ns, path })
    }

    fn may_be_there(&self) -> bool {
        Path::new(std::ffi::OsStr::from_bytes(&self.path)).symlink_metadata().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;

    fn file(path: &Path) -> File {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap()
    }

    #[test]
    fn a_file_is_ours_while_nobody_changes_it() {
        let folder = folder_on_a_drive();
        let made = Made::new(folder.path().join("state/made"));
        let path = folder.path().join("data");
        let mut data = file(&path);
        assert!(!made.is_ours(&data));
        made.note(&data, &path).unwrap();
        assert!(!made.is_ours(&data), "its job goes on, or was killed");
        data.write_all(b"by the job").unwrap();
        made.settle(&[&data]).unwrap();
        assert!(made.is_ours(&data) && made.is_ours(file(&path)));
        assert_eq!(made.paths(), std::slice::from_ref(&path));
        std::fs::write(&path, "by somebody else").unwrap();
        assert!(!made.is_ours(file(&path)));
    }

    #[test]
    fn neither_a_copy_nor_a_file_in_its_place_is_ours() {
        let folder = folder_on_a_drive();
        let made = Made::new(folder.path().join("made"));
        let path = folder.path().join("data");
        made.note(file(&path), &path).unwrap();
        made.settle(&[file(&path)]).unwrap();
        let copy = folder.path().join("copy");
        let status = std::process::Command::new("cp").args(["-a".as_ref(), path.as_os_str(), copy.as_os_str()]).status().unwrap();
        assert!(status.success() && !made.is_ours(file(&copy)) && made.is_ours(file(&path)));
        std::fs::rename(&copy, &path).unwrap();
        assert!(!made.is_ours(file(&path)));
    }

    #[test]
    fn a_damaged_ledger_makes_nothing_ours() {
        let folder = folder_on_a_drive();
        let ledger = folder.path().join("made");
        let made = Made::new(ledger.clone());
        let path = folder.path().join("data");
        made.note(file(&path), &path).unwrap();
        made.settle(&[file(&path)]).unwrap();
        let good = std::fs::read(&ledger).unwrap();
        for damaged in [&good[..good.len() / 2], b"\xff\xfe \n\n1 2 3", b""] {
            std::fs::write(&ledger, damaged).unwrap();
            assert!(!made.is_ours(file(&path)));
        }
        std::fs::remove_file(&ledger).unwrap();
        assert!(!made.is_ours(file(&path)) && made.paths().is_empty());
    }

    #[test]
    fn what_is_gone_leaves_the_ledger() {
        let folder = folder_on_a_drive();
        let made = Made::new(folder.path().join("made"));
        for name in ["one", "two"] {
            made.note(file(&folder.path().join(name)), &folder.path().join(name)).unwrap();
        }
        std::fs::remove_file(folder.path().join("one")).unwrap();
        made.settle::<File>(&[]).unwrap();
        assert_eq!(made.paths(), [folder.path().join("two")]);
    }
}
