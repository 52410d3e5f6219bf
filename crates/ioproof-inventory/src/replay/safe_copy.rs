//! A copy of a captured folder that is safe to read: the folder may come from anybody, and a link in it may lead anywhere.
//!
//! Only regular files, folders, and links to what lies within the folder are taken over; everything else is named and left out. Nothing outside of the folder is
//! read, no pipe is waited for, and nothing is executed.

use anyhow::{Context, Result};
use ioproof_target::OwnTree;
use rustix::fs::{Mode, OFlags, open};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Beginning of the names of copies.
const PREFIX: &str = "ioproof-replay-";
/// No file of a capture is larger. Bytes.
const MOST_BYTES: u64 = 4 << 20;
/// No capture has more entries.
const MOST_ENTRIES: usize = 50_000;
/// No capture is deeper.
const DEEPEST: usize = 64;

/// The copy, which is removed when this value is dropped, and what was left out.
#[derive(Debug)]
pub struct SafeCopy {
    folder: PathBuf,
    _lock: Option<OwnedFd>,
    pub problems: Vec<String>,
}

impl SafeCopy {
    /// Copies a folder.
    ///
    /// # Errors
    /// When the folder cannot be read, or the copy cannot be written.
    pub fn copy(from: &Path) -> Result<Self> {
        let from = from.canonicalize().with_context(|| format!("cannot read {}", from.display()))?;
        ioproof_target::remove_leftovers(&std::env::temp_dir(), PREFIX, &[ioproof_target::ANYTHING]);
        let to = tempfile::Builder::new().prefix(PREFIX).tempdir().context("cannot make a temporary folder")?;
        let lock = ioproof_target::claim(to.path());
        // Not removed by it, who would enter what is mounted within.
        let mut copy = Self { folder: to.keep(), _lock: lock, problems: Vec::new() };
        let mut work = Work { from: &from, to: &copy.folder, entries: 0, links: Vec::new(), problems: Vec::new() };
        work.folder(Path::new(""), 0)?;
        work.links()?;
        copy.problems = work.problems;
        Ok(copy)
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for SafeCopy {
    fn drop(&mut self) {
        // What stays has no lock any more, and is taken away by a later replay.
        let _ = OwnTree::open(&self.folder).and_then(|tree| tree.remove());
    }
}

struct Work<'a> {
    from: &'a Path,
    to: &'a Path,
    entries: usize,
    links: Vec<PathBuf>,
    problems: Vec<String>,
}

impl Work<'_> {
    fn folder(&mut self, below: &Path, depth: usize) -> Result<()> {
        let path = self.from.join(below);
        let mut names: Vec<_> = match fs::read_dir(&path) {
            Ok(entries) => entries.flatten().map(|entry| entry.file_name()).collect(),
            Err(error) if depth == 0 => return Err(error).with_context(|| format!("cannot read {}", path.display())),
            Err(error) => {
                self.left_out(below, &error.to_string());
                return Ok(());
            }
        };
        names.sort();
        for name in names {
            self.entry(&below.join(name), depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, below: &Path, depth: usize) -> Result<()> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES || depth > DEEPEST {
            let what = if depth > DEEPEST { "it lies too deep" } else { "the folder has more than 50000 entries" };
            if self.entries <= MOST_ENTRIES + 1 {
                self.left_out(below, what);
            }
            return Ok(());
        }
        let Ok(meta) = fs::symlink_metadata(self.from.join(below)) else { return Ok(()) };
        let kind = meta.file_type();
        if kind.is_dir() {
            fs::create_dir(self.to.join(below)).context("cannot make a temporary folder")?;
            self.folder(below, depth + 1)?;
        } else if kind.is_symlink() {
            self.links.push(below.to_owned());
        } else if kind.is_file() {
            self.file(below, &meta)?;
        } else {
            self.left_out(below, "it is neither a file nor a folder");
        }
        Ok(())
    }

    fn file(&mut self, below: &Path, meta: &Metadata) -> Result<()> {
        if meta.len() > MOST_BYTES {
            self.left_out(below, "it is larger than 4 MiB");
            return Ok(());
        }
        match read(&self.from.join(below)) {
            Ok(bytes) => fs::write(self.to.join(below), bytes).context("cannot write a temporary file")?,
            Err(error) => self.left_out(below, &error.to_string()),
        }
        Ok(())
    }

    /// A link is made where its target was copied, so what it leads to is never looked at anywhere else; a link may lead to a link.
    fn links(&mut self) -> Result<()> {
        let mut open = std::mem::take(&mut self.links);
        loop {
            let before = open.len();
            let mut left = Vec::new();
            for below in open {
                if !self.link(&below)? {
                    left.push(below);
                }
            }
            open = left;
            if open.len() == before || open.is_empty() {
                break;
            }
        }
        for below in open {
            let target = fs::read_link(self.from.join(&below)).unwrap_or_default();
            self.left_out(&below, &format!("the link leads out of the folder or nowhere: {}", target.display()));
        }
        Ok(())
    }

    fn link(&self, below: &Path) -> Result<bool> {
        let Ok(target) = fs::read_link(self.from.join(below)) else { return Ok(false) };
        let Some(folder) = below.parent() else { return Ok(false) };
        if target.is_absolute() {
            return Ok(false);
        }
        let root = self.to.canonicalize().context("cannot read a temporary folder")?;
        let found = root.join(folder).canonicalize().and_then(|folder| folder.join(&target).canonicalize());
        if !found.is_ok_and(|found| found.starts_with(&root)) || climbs_out(folder, &target) {
            return Ok(false);
        }
        symlink(&target, self.to.join(below)).context("cannot make a temporary link")?;
        Ok(true)
    }

    fn left_out(&mut self, below: &Path, why: &str) {
        self.problems.push(format!("{} is left out: {why}", below.display()));
    }
}

/// True when a link in this folder goes above the root on its way, even if it came back: `..` are counted as they are written.
fn climbs_out(folder: &Path, target: &Path) -> bool {
    let mut depth = folder.components().count();
    for part in target.components() {
        match part {
            std::path::Component::ParentDir if depth == 0 => return true,
            std::path::Component::ParentDir => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// Reads a regular file. If it has become a link, a pipe or a device since it was looked at, it is not followed, waited for or read.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let fd = open(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    let file = File::from(fd);
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no file any more"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        let root = dir.path().join("capture");
        fs::create_dir_all(root.join("sys/devices/a")).unwrap();
        fs::create_dir_all(root.join("sys/block")).unwrap();
        fs::write(root.join("sys/devices/a/size"), "8").unwrap();
        (dir, root)
    }

    #[test]
    fn links_within_are_kept_and_links_that_leave_are_named() {
        let (dir, root) = folder();
        symlink("../devices/a", root.join("sys/block/sda")).unwrap();
        symlink("sda", root.join("sys/block/again")).unwrap();
        symlink("../../../secret", root.join("sys/block/sdb")).unwrap();
        symlink(dir.path().join("secret"), root.join("sys/block/sdc")).unwrap();
        symlink("../../../capture/sys/devices/a", root.join("sys/block/sdd")).unwrap();
        symlink("round", root.join("round")).unwrap();
        let copy = SafeCopy::copy(&root).unwrap();
        let read = |name: &str| fs::read_to_string(copy.path().join("sys/block").join(name));
        assert_eq!((read("sda/size").unwrap(), read("again/size").unwrap()), ("8".to_owned(), "8".to_owned()));
        assert!(read("sdb").is_err() && read("sdc").is_err() && read("sdd/size").is_err());
        assert_eq!(copy.problems.len(), 4, "{:?}", copy.problems);
        assert!(copy.problems.iter().any(|problem| problem.starts_with("sys/block/sdb is left out: the link leads out of the folder")));
    }

    #[test]
    fn a_pipe_is_not_waited_for_and_large_files_are_not_read() {
        let (_dir, root) = folder();
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        File::create(root.join("large")).unwrap().set_len(MOST_BYTES + 1).unwrap();
        let copy = SafeCopy::copy(&root).unwrap();
        assert_eq!(copy.problems, ["large is left out: it is larger than 4 MiB", "pipe is left out: it is neither a file nor a folder"]);
        assert!(!copy.path().join("pipe").exists() && !copy.path().join("large").exists());
    }

    #[test]
    fn a_link_to_a_link_that_is_left_out_is_left_out() {
        let (_dir, root) = folder();
        symlink("../..", root.join("sys/up")).unwrap();
        symlink("up/secret", root.join("sys/through")).unwrap();
        let copy = SafeCopy::copy(&root).unwrap();
        assert_eq!(copy.problems.len(), 2, "{:?}", copy.problems);
        assert!(!copy.path().join("sys/through").exists());
    }
}
