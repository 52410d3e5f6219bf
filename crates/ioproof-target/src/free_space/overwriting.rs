//! Filesystems on which to write over a file takes new room: those that write nothing in place, and those whose files share what they have in common.

use crate::filesystem::{Lower, kind, kinds, lower};
use crate::kernel::{self, EXTENT_SHARED, Extent};
use rustix::fs::{IFlags, Mode, OFlags};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// Filesystems that write elsewhere and let go of the old place later.
const WRITE_ELSEWHERE: [u32; 3] = [kinds::BTRFS, kinds::ZFS, kinds::BCACHEFS];
/// Filesystems whose files may share extents: Btrfs too, of files that it writes in place, and overlays, which ask the filesystem below.
const SHARE: [u32; 4] = [kinds::XFS, kinds::OCFS2, kinds::BTRFS, kinds::OVERLAY];

/// The pool of a subvolume of Btrfs or a dataset of ZFS, each of which has a number of its own: known by kind and available room, which all of one have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pool {
    kind: u32,
    available_blocks: u64,
}

impl Pool {
    /// That of a file or folder on a filesystem that writes nothing in place; `None` for all others.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let room = rustix::fs::statfs(path).ok()?;
        let kind = room.f_type as u32;
        WRITE_ELSEWHERE.contains(&kind).then_some(Self { kind, available_blocks: room.f_bavail })
    }
}

/// True for a file, or what is made in a folder, that is written elsewhere than where it lies.
pub(crate) fn writes_elsewhere(fd: BorrowedFd<'_>) -> bool {
    let is_in_place = || rustix::fs::ioctl_getflags(fd).is_ok_and(|flags| flags.contains(IFlags::NOCOW));
    if let Some(Lower::Seen(lower)) = lower(fd) {
        return writes_elsewhere(lower.as_fd()) && !is_in_place();
    }
    kind(fd).is_some_and(|kind| WRITE_ELSEWHERE.contains(&kind)) && !is_in_place()
}

/// Bytes that a file keeps of its room when it is written over; all of them where that cannot be told.
pub(crate) fn kept_bytes(path: &Path, has_bytes: u64) -> u64 {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) else { return has_bytes };
    if writes_elsewhere(file.as_fd()) { 0 } else { has_bytes.saturating_sub(shared_bytes(file.as_fd())) }
}

/// True for a file of a filesystem whose files may have blocks in common.
pub(crate) fn may_share(file: BorrowedFd<'_>) -> bool {
    kind(file).is_some_and(|kind| SHARE.contains(&kind))
}

/// Bytes of a file that it has in common with others, which take new room when they are written over.
pub(crate) fn shared_bytes(file: BorrowedFd<'_>) -> u64 {
    let mut bytes: u64 = 0;
    if may_share(file) {
        let count = |extent: &Extent| bytes += if extent.flags & EXTENT_SHARED == 0 { 0 } else { extent.length };
        let _ = kernel::each_extent(file, 0, u64::MAX, count);
    }
    bytes
}
