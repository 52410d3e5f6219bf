//! Folders and files of ours that have a name while a run goes on, and that a kill leaves: locked while they are in use, so that a later run can take away those whose
//! program is gone.
//!
//! One is ours if it bears our mark, an extended attribute with its own number and name, which no copy of it has and nothing that somebody renamed; a file only if it also
//! holds nothing but what ioproof writes, since nobody can tell when its program ended and who wrote it after that. root's mark is one that nobody else can give (`trusted`, xattr(7)), since root hands folders to the account of a database; everybody else's counts on what belongs to him. Where the filesystem keeps neither,
//! or other machines may work in it too, what was left stays.

use crate::owned::held_folder::HeldFolder;
use crate::owned::left_behind;
use crate::owned::own_tree::OwnTree;
use crate::signs::image::{FdSource, Source};
use crate::signs::mark::{MARK_STRIDE, empty_or_ours};
use crate::system::filesystem::{kind, kinds};
use crate::system::pin::Pin;
use rustix::fs::{FileType, FlockOperation, OFlags, Stat, XattrFlags, fgetxattr, flock, fsetxattr};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Filesystems of one machine. On others another machine may work in what looks left, and a lock need not tell.
const OF_ONE_MACHINE: [u32; 7] = [kinds::EXT, kinds::XFS, kinds::BTRFS, kinds::F2FS, kinds::ZFS, kinds::TMPFS, kinds::OVERLAY];

/// Attributes of the mark, by root and by others.
const OF_ROOT: &str = "trusted.ioproof.own";
const OF_USER: &str = "user.ioproof.own";

/// The length of one read of a file that was left. Bytes.
const PIECE_BYTES: usize = 1 << 20;

/// Smallest distance at which a block of ours may begin. Bytes.
const SMALLEST_BLOCK_BYTES: usize = 512;

/// Locks and marks what was just made; it is in use while the descriptor lives. None where it cannot be told from what others make.
pub fn claim(made: &Path) -> Option<OwnedFd> {
    let fd = opened(&Pin::following(made).ok()?)?;
    claim_opened(&fd, made.file_name()?).then_some(fd)
}

/// The same of what is open already, for as long as its descriptor lives.
pub(crate) fn claim_opened(fd: impl AsFd, name: &OsStr) -> bool {
    let (Ok(()), Ok(stat)) = (lock(&fd), rustix::fs::fstat(&fd)) else { return false };
    let mark = mark(&stat, name);
    let set = |attribute: &str| fsetxattr(&fd, attribute, &mark, XattrFlags::empty()).is_ok();
    set(OF_ROOT) || set(OF_USER)
}

/// Removes what killed programs of this user left in a folder under names that begin so: of folders what bears one of the names of
/// their files, with `#` for a number. What cannot be removed, or told, stays, and so does what somebody else laid in such a folder.
pub fn remove_leftovers(parent: &Path, beginning: &str, within: &[&str]) {
    let Some(above) = HeldFolder::open(parent).ok().filter(is_of_one_machine) else { return };
    for name in above.names_beginning(beginning.as_bytes()).unwrap_or_default() {
        remove(&above, &name, within);
    }
}

fn is_of_one_machine(folder: &HeldFolder) -> bool {
    kind(folder).is_some_and(|kind| OF_ONE_MACHINE.contains(&kind))
}

fn remove(above: &HeldFolder, name: &OsStr, within: &[&str]) -> Option<()> {
    let pin = above.pin(name).ok()?;
    // Kept until it is gone, so that two runs do not remove it at once.
    let lock = left(&pin, name)?;
    if is(&pin.stat, FileType::Directory) {
        let tree = OwnTree::within(above.again().ok()?, name.to_owned()).ok()?;
        (tree.id().ok()? == pin.id()).then(|| tree.remove_with(within))?.ok()
    } else if holds_only_ours(&lock).unwrap_or(false) {
        above.remove(name, |now| now.id() == pin.id() && last_write(&now.stat) == last_write(&pin.stat)).ok().map(drop)
    } else {
        left_behind::note_of_others(above, name);
        None
    }
}

/// True for a file with nothing but zeros and what ioproof writes in it.
fn holds_only_ours(file: &OwnedFd) -> io::Result<bool> {
    let size_bytes = rustix::fs::fstat(file)?.st_size.unsigned_abs();
    let source = FdSource::new(file.as_fd(), size_bytes, 1);
    for at in (0..size_bytes).step_by(PIECE_BYTES) {
        let piece = source.read(at, (size_bytes - at).min(PIECE_BYTES as u64) as usize)?;
        if !piece.chunks(MARK_STRIDE).all(|block| empty_or_ours(block, SMALLEST_BLOCK_BYTES)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Length of a file and when it was last written: what changes with every write of somebody.
fn last_write(stat: &Stat) -> (i64, i64, i128) {
    #[expect(clippy::useless_conversion, reason = "widths and signs differ between architectures and C libraries")]
    let modified = (i64::from(stat.st_mtime), i128::from(stat.st_mtime_nsec));
    (stat.st_size, modified.0, modified.1)
}

/// The descriptor of one that was left, locked.
fn left(pin: &Pin, name: &OsStr) -> Option<OwnedFd> {
    let is_file = is(&pin.stat, FileType::RegularFile) && pin.stat.st_nlink == 1;
    let fd = (is_file || is(&pin.stat, FileType::Directory)).then(|| opened(pin))??;
    (is_marked(&fd, &pin.stat, name) && lock(&fd).is_ok()).then_some(fd)
}

fn is(stat: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(stat.st_mode) == kind
}

fn opened(pin: &Pin) -> Option<OwnedFd> {
    pin.open(OFlags::RDONLY).ok()
}

fn lock(fd: impl AsFd) -> rustix::io::Result<()> {
    flock(fd, FlockOperation::NonBlockingLockExclusive)
}

fn is_marked(fd: &OwnedFd, stat: &Stat, name: &OsStr) -> bool {
    let mark = mark(stat, name);
    let bears = |attribute: &str| {
        let mut value = vec![0; mark.len() + 1];
        fgetxattr(fd, attribute, &mut value[..]).is_ok_and(|length| value[..length] == mark)
    };
    bears(OF_ROOT) || bears(OF_USER) && stat.st_uid == rustix::process::geteuid().as_raw()
}

/// The mark of this inode under this name.
fn mark(stat: &Stat, name: &OsStr) -> Vec<u8> {
    [format!("{}:{}:", stat.st_dev, stat.st_ino).as_bytes(), name.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use crate::owned::own_tree::ANYTHING;
    use std::fs;
    use std::io::Write;
    use std::path::PathBuf;

    fn made(parent: &Path, name: &str) -> PathBuf {
        let folder = parent.join(name);
        fs::create_dir_all(folder.join("sys")).unwrap();
        fs::write(folder.join("sys/file"), "x").unwrap();
        folder
    }

    #[test]
    fn only_what_a_killed_program_left_is_taken_away() {
        let parent = folder_on_a_drive();
        let make = |name: &str| made(parent.path(), name);
        let used = make("ioproof-used");
        let _used = claim(&used).unwrap();
        let left = make("ioproof-left");
        drop(claim(&left).unwrap());
        let other = make("other");
        drop(claim(&other).unwrap());
        // As `cp -a` makes it: with the mark.
        let copied = make("ioproof-copied");
        let of_left = mark(&rustix::fs::stat(&left).unwrap(), OsStr::new("ioproof-left"));
        rustix::fs::setxattr(&copied, OF_USER, &of_left, XattrFlags::empty()).unwrap();
        let unmarked = make("ioproof-notes");
        std::os::unix::fs::symlink("other", parent.path().join("ioproof-link")).unwrap();
        remove_leftovers(parent.path(), "ioproof-", &[ANYTHING]);
        assert!(!left.exists());
        assert!([used, other, unmarked, copied].iter().all(|folder| folder.join("sys/file").is_file()));
    }

    #[test]
    fn only_filesystems_of_one_machine_are_looked_through() {
        let is_own = |path: &Path| is_of_one_machine(&HeldFolder::open(path).unwrap());
        assert!(is_own(folder_on_a_drive().path()) && is_own(Path::new("/dev/shm")) && !is_own(Path::new("/proc")));
    }

    #[test]
    fn files_go_as_folders_do_unless_they_have_a_further_name() {
        let parent = folder_on_a_drive();
        let mut written = vec![0; (1 << 20) + 8192];
        crate::signs::laid_out::fill((7, 11), 0, &mut written[4096..]);
        let make = |name: &str| {
            let path = parent.path().join(name);
            fs::write(&path, &*written).unwrap();
            drop(claim(&path).unwrap());
            path
        };
        let (left, linked) = (make("ioproof-left"), make("ioproof-linked"));
        fs::hard_link(&linked, parent.path().join("kept")).unwrap();
        remove_leftovers(parent.path(), "ioproof-", &[ANYTHING]);
        assert!(!left.exists() && linked.exists() && parent.path().join("kept").exists());
    }

    #[test]
    fn what_somebody_wrote_into_or_renamed_is_his() {
        let parent = folder_on_a_drive();
        let make = |name: &str| {
            let path = parent.path().join(name);
            fs::write(&path, vec![0; 8192]).unwrap();
            drop(claim(&path).unwrap());
            path
        };
        let append = |path: &Path, text: &str| fs::File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
        let [appended, replaced, renamed, left] = ["appended", "replaced", "renamed", "left"].map(|of| make(&format!("ioproof-{of}")));
        append(&appended, "notes");
        fs::write(&replaced, "notes").unwrap();
        let moved = parent.path().join("ioproof-results");
        fs::rename(&renamed, &moved).unwrap();
        let folder = made(parent.path(), "ioproof-folder");
        drop(claim(&folder).unwrap());
        let moved_folder = parent.path().join("ioproof-of-mine");
        fs::rename(&folder, &moved_folder).unwrap();
        (0..2).for_each(|_| remove_leftovers(parent.path(), "ioproof-", &[ANYTHING]));
        assert!(!left.exists() && [&appended, &replaced, &moved, &moved_folder].iter().all(|path| path.exists()));
        let told = left_behind::left_behind();
        let is_told = |path: &PathBuf| told.iter().any(|left| left.path.file_name() == path.file_name() && left.has_others);
        assert!([&appended, &replaced].into_iter().all(is_told), "{told:?}");
        let names = |path: &&PathBuf| told.iter().filter(|left| left.path.file_name() == path.file_name()).count();
        assert!([&appended, &replaced].iter().all(|path| names(path) == 1), "once each: {told:?}");
    }

    #[test]
    fn a_mark_that_a_user_can_give_counts_on_what_is_his_own() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let parent = folder_on_a_drive();
        let give = |folder: &Path| std::os::unix::fs::chown(folder, Some(65_534), None).unwrap();
        let of_user = made(parent.path(), "ioproof-of-user");
        let text = mark(&rustix::fs::stat(&of_user).unwrap(), OsStr::new("ioproof-of-user"));
        rustix::fs::setxattr(&of_user, OF_USER, &text, XattrFlags::empty()).unwrap();
        let of_root = made(parent.path(), "ioproof-of-root");
        drop(claim(&of_root).unwrap());
        give(&of_user);
        give(&of_root);
        remove_leftovers(parent.path(), "ioproof-", &[ANYTHING]);
        assert!(of_user.join("sys/file").exists() && !of_root.exists());
    }
}
