//! Calls that change what a file is and move no data. Each is one of fio's engines, for job files only.

pub(super) mod falloc;
pub(super) mod ftruncate;
pub(super) mod names;

use super::row::Refusal;

/// Errors of the kernel with their remedies.
pub(super) const REFUSALS: &[Refusal] =
    &[(libc::EOPNOTSUPP, "the filesystem does not have this call; ext4, XFS and Btrfs have it (ext2, NFS before 4.2 and FAT do not)")];
