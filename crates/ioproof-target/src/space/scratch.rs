//! A scratch file: made in a directory, never visible in it, and gone with its last descriptor, so that even a kill leaves nothing; except on filesystems that
//! treat syncs of such a file as no other program meets them, where it has a name while the run goes on.

use crate::error::TargetError;
use crate::owned::handle::Handle;
use crate::owned::held_folder::TEMPORARY;
use crate::owned::leftovers::remove_leftovers;
use crate::owned::named_scratch::ScratchName;
use crate::resolve::target::{Target, What};
use crate::resolve::{not_direct, resolve};
use crate::space::free_space;
use crate::space::work_folder::FILES;
use crate::system::System;
use crate::system::filesystem::{self, Room};
use rustix::fs::{AtFlags, FallocateFlags, Mode, OFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Filesystems on which a sync of a file without a name does what one of any other file does. Btrfs logs nothing for it (Linux 6.1, `fs/btrfs/tree-log.c`,
/// `btrfs_log_inode_parent`), ZFS keeps it out of its intent log (OpenZFS, `zfs_log.c`), and F2FS makes a checkpoint at each (`fs/f2fs/file.c`,
/// `need_do_checkpoint`).
const SYNCED_WITHOUT_NAME: [&str; 4] = ["ext2", "ext3", "ext4", "xfs"];

/// Room that Btrfs takes of a file that is written over: an extent stays whole until all of it is written elsewhere.
const BTRFS_TIMES: u64 = 2;

/// Makes a scratch file of `size_bytes` (rounded down to the alignment) in `directory`, and opens it to be read and written.
///
/// # Errors
/// When it is no directory, is not on a drive, may not be written, or has not enough room.
pub fn scratch(system: &System, directory: &Path, size_bytes: u64) -> Result<(Target, Handle), TargetError> {
    make(system, directory, size_bytes, false)
}

/// The same for a file whose syncs are measured. It has a name where that makes a difference, which is taken away with the handle; a kill leaves it until the next run there.
///
/// # Errors
/// As [`scratch`].
pub fn synced_scratch(system: &System, directory: &Path, size_bytes: u64) -> Result<(Target, Handle), TargetError> {
    make(system, directory, size_bytes, true)
}

fn make(system: &System, directory: &Path, size_bytes: u64, is_synced: bool) -> Result<(Target, Handle), TargetError> {
    let mut target = resolve(system, directory)?;
    if !target.is_directory() {
        return Err(TargetError::unsuitable(directory, "is no directory"));
    }
    // What killed runs left takes room.
    remove_leftovers(&target.path, TEMPORARY, &FILES);
    let folder = open_folder(&target.path).map_err(|error| TargetError::io(directory, "open it", error))?;
    let kind = target.facts.filesystem.as_ref().map(|filesystem| filesystem.fs_type.as_str());
    let needs_bytes = if kind == Some("btrfs") { size_bytes.saturating_mul(BTRFS_TIMES) } else { size_bytes };
    check_room(directory, folder.as_fd(), needs_bytes)?;
    let fail = |error| TargetError::io(directory, "make a scratch file in it", error);
    let named = is_synced && kind.is_none_or(|kind| !SYNCED_WITHOUT_NAME.contains(&kind));
    let (fd, name) = match named {
        true => ScratchName::make(&target.path).map(|(fd, name)| (fd, Some(name))),
        false => nameless(folder.as_fd()).map(|fd| (fd, None)),
    }
    .map_err(fail)?;
    describe(&mut target, &fd).map_err(fail)?;

    let unit = u64::from(target.facts.alignment_bytes);
    target.facts.size_bytes = size_bytes / unit * unit;
    if target.facts.size_bytes == 0 {
        return Err(TargetError::unsuitable(
            directory,
            format!("a scratch file there has no room for one block of {unit} bytes for every worker and file: give a larger --size"),
        ));
    }
    let reserves = reserve(&fd, target.facts.size_bytes).map_err(|error| no_room(directory, &fd, size_bytes, error))?;
    let facts = &target.facts;
    let handle = Handle::new(fd, true, true, facts.direct, facts.size_bytes, facts.alignment_bytes).of_scratch(name, reserves);
    Ok((target, handle))
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Refuses a directory that has not so much room beside what stays free.
///
/// # Errors
/// When it has not, cannot be opened, or is read-only.
pub fn check_room_of(directory: &Path, needs_bytes: u64) -> Result<(), TargetError> {
    let folder = open_folder(directory).map_err(|error| TargetError::io(directory, "open it", error))?;
    check_room(directory, folder.as_fd(), needs_bytes)
}

fn check_room(directory: &Path, folder: BorrowedFd<'_>, needs_bytes: u64) -> Result<(), TargetError> {
    let room = filesystem::room(folder).map_err(|error| TargetError::io(directory, "ask for free space", error))?;
    if room.read_only {
        return Err(TargetError::ReadOnly(directory.to_path_buf()));
    }
    if !room.has(needs_bytes) {
        return Err(too_large(directory, room, needs_bytes));
    }
    free_space::check_folder(directory, needs_bytes)
}

fn too_large(directory: &Path, room: Room, needs_bytes: u64) -> TargetError {
    TargetError::NoSpace { path: directory.to_path_buf(), needs_bytes, free_bytes: room.free_bytes, keep_bytes: room.keep_bytes() }
}

/// Room was there a moment ago: somebody else was faster, or a quota that `statfs` does not tell stands against it.
fn no_room(directory: &Path, fd: &OwnedFd, needs_bytes: u64, error: io::Error) -> TargetError {
    match (error.raw_os_error(), filesystem::room(fd)) {
        (Some(libc::ENOSPC | libc::EDQUOT), Ok(room)) if !room.has(needs_bytes) => too_large(directory, room, needs_bytes),
        _ => TargetError::io(directory, "reserve the scratch file", error),
    }
}

/// `O_TMPFILE`, with `O_EXCL` so that nobody can give it a name; else a name that is taken away at once.
fn nameless(folder: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::EXCL | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, ".", flags, Mode::RUSR | Mode::WUSR) {
        // EISDIR and ENOENT are what kernels and filesystems answer that do not know the flag (open(2)).
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => unlinked(folder),
        other => Ok(other?),
    }
}

fn unlinked(folder: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    for attempt in 0..64 {
        let name = format!(".ioproof-{}-{attempt}", std::process::id());
        match rustix::fs::openat(folder, &name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
            Ok(fd) => {
                rustix::fs::unlinkat(folder, &name, AtFlags::empty())?;
                return Ok(fd);
            }
        }
    }
    Err(io::Error::other("no free name"))
}

/// Turns `O_DIRECT` on and fills in what the file wants. A filesystem that refuses it answers with EINVAL; it is asked here and not at the
/// open, where such a filesystem would leave the new file behind.
fn describe(target: &mut Target, fd: &OwnedFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    let said = filesystem::direct_alignment(fd);
    target.facts.direct = said != Some(0) && rustix::fs::fcntl_setfl(fd, flags | OFlags::DIRECT).is_ok();
    if target.facts.direct {
        target.facts.alignment_bytes = said.unwrap_or(target.facts.alignment_bytes).max(512).next_power_of_two();
    } else {
        target.facts.notes.push(not_direct());
    }
    target.what = What::Scratch;
    Ok(())
}

/// Sets the size and reserves the space; where the filesystem cannot reserve, the file is sparse and fills as it is written. Gives whether it can.
fn reserve(fd: &OwnedFd, size_bytes: u64) -> io::Result<bool> {
    rustix::fs::ftruncate(fd, size_bytes)?;
    loop {
        match rustix::fs::fallocate(fd, FallocateFlags::empty(), 0, size_bytes) {
            Err(Errno::INTR) => {}
            Ok(()) => return Ok(true),
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use crate::open::{open_to_read, open_to_write};
    use ioproof_core::facts::TargetKind;
    use ioproof_core::shape::Growth;

    fn entries(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_a_killed_run_left_goes_first() {
        let folder = folder_on_a_drive();
        let left = folder.path().join(".ioproof-left");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("bank.sqlite"), "x").unwrap();
        let is_marked = crate::owned::leftovers::claim(&left).is_some();
        scratch(&System::host(), folder.path(), 1 << 20).unwrap();
        assert_eq!(left.exists(), !is_marked);
    }

    #[test]
    fn it_can_be_written_and_is_never_seen() {
        let folder = folder_on_a_drive();
        let (target, handle) = scratch(&System::host(), folder.path(), (1 << 20) + 5).unwrap();
        assert_eq!(entries(folder.path()), 0);
        assert_eq!((target.facts.kind, target.facts.size_bytes), (TargetKind::Scratch, 1 << 20));
        assert!(handle.may_read() && handle.may_write());
        assert_eq!(handle.size_bytes(), 1 << 20);
        let stat = rustix::fs::fstat(&handle).unwrap();
        assert_eq!((stat.st_size, stat.st_nlink), (1 << 20, 0));
        assert!(open_to_read(&target).is_err() && open_to_write(&System::host(), &target, &crate::Consent::default()).is_err());
    }

    #[test]
    fn a_file_with_a_name_loses_it_with_its_handle_and_takes_nothing_of_others_along() {
        let folder = folder_on_a_drive();
        let (fd, name) = ScratchName::make(folder.path()).unwrap();
        assert_eq!((entries(folder.path()), rustix::fs::fstat(&fd).unwrap().st_nlink), (1, 1));
        drop(name);
        assert_eq!(entries(folder.path()), 0);
        let (_fd, name) = ScratchName::make(folder.path()).unwrap();
        let path = folder.path().join(&name.name);
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        std::fs::write(&path, "of somebody else").unwrap();
        drop(name);
        assert_eq!((std::fs::read(&path).unwrap(), entries(folder.path())), (b"of somebody else".to_vec(), 2));
    }

    #[test]
    fn without_o_tmpfile_the_name_is_gone_at_once() {
        let folder = folder_on_a_drive();
        std::fs::write(folder.path().join(format!(".ioproof-{}-0", std::process::id())), "of somebody else").unwrap();
        let opened = open_folder(folder.path()).unwrap();
        let fd = unlinked(opened.as_fd()).unwrap();
        assert_eq!(entries(folder.path()), 1, "what was there stays");
        assert_eq!(rustix::fs::fstat(&fd).unwrap().st_nlink, 0);
    }

    #[test]
    fn it_is_made_anew_as_a_load_wants_to_find_it() {
        let folder = folder_on_a_drive();
        let (_, handle) = scratch(&System::host(), folder.path(), 1 << 20).unwrap();
        let found = |growth| {
            handle.begin_anew(growth).unwrap();
            let stat = rustix::fs::fstat(&handle).unwrap();
            (stat.st_size, stat.st_blocks * 512 >= 1 << 20)
        };
        assert_eq!(found(Growth::Overwrite), (1 << 20, true));
        assert_eq!(found(Growth::Append), (0, false));
        assert_eq!(found(Growth::AppendReserved), (0, true));
        assert_eq!(found(Growth::Reserved), (1 << 20, true));
        handle.again(false).unwrap().begin_anew(Growth::Append).unwrap();
        let path = folder.path().join("of-somebody");
        std::fs::write(&path, [7; 4096]).unwrap();
        let other = open_to_read(&resolve(&System::host(), &path).unwrap()).unwrap();
        let refused = other.begin_anew(Growth::Append).unwrap_err();
        assert_eq!((refused.raw_os_error(), std::fs::read(&path).unwrap()), (Some(libc::EPERM), vec![7; 4096]));
    }

    #[test]
    fn room_is_kept() {
        let room =
            Room { free_bytes: 1000 << 20, total_bytes: 2000 << 20, read_only: false, block_bytes: 4096, unit_bytes: 4096, files: None };
        assert_eq!(room.keep_bytes(), 100 << 20);
        assert!(room.has(900 << 20) && !room.has((900 << 20) + 1) && !room.has(u64::MAX));
        let large = Room { free_bytes: 1 << 40, total_bytes: 1 << 41, read_only: false, block_bytes: 4096, unit_bytes: 4096, files: None };
        assert_eq!(large.keep_bytes(), 256 << 20);
    }

    #[test]
    fn what_does_not_fit_or_is_no_drive_is_refused() {
        let folder = folder_on_a_drive();
        let error = scratch(&System::host(), folder.path(), 1 << 60).unwrap_err();
        assert!(matches!(error, TargetError::NoSpace { .. }), "{error}");
        assert!(error.to_string().contains("needs 1048576 TiB beside the "), "{error}");
        assert!(matches!(scratch(&System::host(), Path::new("/dev/shm"), 4096), Err(TargetError::NoDrive { .. })));
        let error = scratch(&System::host(), folder.path(), 10).unwrap_err();
        assert!(error.to_string().contains("no room for one block"), "{error}");
        assert_eq!(entries(folder.path()), 0);
    }
}
