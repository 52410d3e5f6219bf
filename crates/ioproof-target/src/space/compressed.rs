//! Share of the files of a folder of ours that their filesystem keeps compressed: as it tells by their extents, or of ZFS, which tells none, by the room that a file takes.

use crate::block::map::data_bytes;
use crate::system::filesystem::{kind, kinds};
use crate::system::kernel::{self, EXTENT_ENCODED, Extent};
use rustix::fs::{CWD, Mode, OFlags};
use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// No folder of a database is deeper.
const DEEPEST: usize = 8;
/// Bytes of room for each byte of data, below which a file of ZFS is compressed: without, its indirect blocks make it more than one.
const ROOM_OF_COMPRESSED: f64 = 0.95;

/// Bytes of all data, and of those that are encoded.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes {
    all: u64,
    encoded: u64,
}

/// Share of the data below a folder that lies encoded, 0 to 1; links are not followed. None where there is no data, or the filesystem does not tell. ZFS tells it of whole files alone.
#[must_use]
pub fn compressed_share(folder: &Path) -> Option<f64> {
    let mut bytes = Bytes::default();
    of_folder(folder, 0, &mut bytes)?;
    (bytes.all > 0).then(|| bytes.encoded as f64 / bytes.all as f64)
}

fn of_folder(folder: &Path, depth: usize, bytes: &mut Bytes) -> Option<()> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => of_folder(&entry.path(), depth + 1, bytes)?,
            Ok(kind) if kind.is_file() => of_file(&entry.path(), bytes)?,
            _ => {}
        }
    }
    Some(())
}

/// Adds a file; one that is gone by now adds nothing.
fn of_file(path: &Path, bytes: &mut Bytes) -> Option<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(file) => add(file.as_fd(), bytes),
        Err(_) => Some(()),
    }
}

fn add(file: BorrowedFd<'_>, bytes: &mut Bytes) -> Option<()> {
    if kind(file) == Some(kinds::ZFS) { add_by_room(file, bytes) } else { add_by_extents(file, bytes) }
}

/// Adds a file whose filesystem tells no extents. To ask where its data lies has ZFS write what it holds back first (zfs(4), `zfs_dmu_offset_next_sync`), so that its room is known.
fn add_by_room(file: BorrowedFd<'_>, bytes: &mut Bytes) -> Option<()> {
    let data_bytes = data_bytes(file)?;
    let room_bytes = u64::try_from(rustix::fs::fstat(file).ok()?.st_blocks).ok()?.saturating_mul(512);
    bytes.all += data_bytes;
    bytes.encoded += if (room_bytes as f64) < data_bytes as f64 * ROOM_OF_COMPRESSED { data_bytes } else { 0 };
    Some(())
}

fn add_by_extents(file: BorrowedFd<'_>, bytes: &mut Bytes) -> Option<()> {
    let count = |extent: &Extent| {
        bytes.all += extent.length;
        bytes.encoded += if extent.flags & EXTENT_ENCODED == 0 { 0 } else { extent.length };
    };
    kernel::each_extent(file, 0, u64::MAX, count).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn a_filesystem_that_compresses_nothing_has_a_share_of_nothing() {
        let folder = folder_on_a_drive();
        assert_eq!(compressed_share(folder.path()), None, "there is no data");
        fs::create_dir(folder.path().join("base")).unwrap();
        fs::write(folder.path().join("base/1"), vec![7; 1 << 20]).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("base/link")).unwrap();
        assert!(compressed_share(folder.path()).is_some_and(|share| share < 1.0));
        assert_eq!(compressed_share(Path::new("/proc/self/task")), None, "procfs does not tell");
    }

    #[test]
    fn room_counts_where_there_are_no_extents_and_holes_are_no_compression() {
        let folder = folder_on_a_drive();
        let file = tempfile::tempfile_in(folder.path()).unwrap();
        file.set_len(1 << 30).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, &[7; 1 << 20], 1 << 29).unwrap();
        file.sync_all().unwrap();
        let mut bytes = Bytes::default();
        add_by_room(file.as_fd(), &mut bytes).unwrap();
        assert_eq!((bytes.all, bytes.encoded), (1 << 20, 0));
    }
}
