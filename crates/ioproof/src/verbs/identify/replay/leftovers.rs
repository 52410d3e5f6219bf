//! Temporary folders of replays: locked while they are in use, so that a later replay can take away those whose program was killed.
//!
//! A folder is ours if it bears our mark, an extended attribute with its own number, which no copy of it has, and not by its name. Where the filesystem keeps none, it is left to whoever cleans the
//! temporary folder.

use ioproof_target::OwnTree;
use rustix::fs::{FlockOperation, Mode, OFlags, Stat, XattrFlags};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Beginning of the names.
pub const PREFIX: &str = "ioproof-replay-";

const ATTRIBUTE: &str = "user.ioproof.replay";

/// Locks and marks a new folder; it is in use while the descriptor lives.
pub fn claim(folder: &Path) -> Option<OwnedFd> {
    let fd = open(folder)?;
    rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive).ok()?;
    rustix::fs::fsetxattr(&fd, ATTRIBUTE, mark(&rustix::fs::fstat(&fd).ok()?).as_bytes(), XattrFlags::empty()).ok()?;
    Some(fd)
}

/// Removes what killed programs of this user left. What cannot be removed, or told, stays.
pub fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    for folder in ours.map(|entry| entry.path()) {
        if let Some(_held) = left(&folder) {
            let _ = OwnTree::open(&folder).and_then(|tree| tree.remove());
        }
    }
}

/// The folder, locked, if it is one that was left and stands there still.
fn left(folder: &Path) -> Option<OwnedFd> {
    let fd = open(folder)?;
    let held = rustix::fs::fstat(&fd).ok()?;
    let mut marked = [0; 64];
    let length = rustix::fs::fgetxattr(&fd, ATTRIBUTE, &mut marked[..]).ok()?;
    if marked[..length] != *mark(&held).as_bytes() {
        return None;
    }
    rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive).ok()?;
    let now = folder.symlink_metadata().ok()?;
    let is_ours = held.st_uid == rustix::process::geteuid().as_raw() && (now.dev(), now.ino()) == (held.st_dev, held.st_ino);
    is_ours.then_some(fd)
}

/// The mark of this folder.
fn mark(stat: &Stat) -> String {
    format!("{}:{}", stat.st_dev, stat.st_ino)
}

fn open(folder: &Path) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::empty()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_killed_program_left_is_taken_away() {
        let parent = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tmp");
        fs::create_dir_all(parent).unwrap();
        let parent = tempfile::tempdir_in(parent).unwrap();
        let make = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("sys")).unwrap();
            fs::write(folder.join("sys/file"), "x").unwrap();
            folder
        };
        let used = make("ioproof-replay-used");
        let _used = claim(&used).unwrap();
        let left = make("ioproof-replay-left");
        drop(claim(&left).unwrap());
        let other = make("other");
        drop(claim(&other).unwrap());
        // As `cp -a` makes it: with the mark.
        let copied = make("ioproof-replay-copied");
        rustix::fs::setxattr(&copied, ATTRIBUTE, mark(&rustix::fs::stat(&left).unwrap()).as_bytes(), XattrFlags::empty()).unwrap();
        let notes = make("ioproof-replay-notes");
        std::os::unix::fs::symlink("other", parent.path().join("ioproof-replay-link")).unwrap();
        sweep(parent.path());
        assert!(!left.exists());
        assert!([used, other, notes, copied].iter().all(|folder| folder.join("sys/file").is_file()));
    }
}
