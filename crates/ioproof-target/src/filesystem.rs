//! The filesystem that holds a file: its name, its room, and if a drive is under it at all.

use crate::mounts::{self, Mount};
use crate::system::System;
use ioproof_core::facts::FilesystemFacts;
use rustix::fs::{AtFlags, Mode, OFlags, StatVfs, StatxFlags};
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

/// Kinds of filesystems by `f_type` (statfs(2), linux/magic.h; ZFS's and bcachefs' own sources).
pub(crate) mod kinds {
    pub const EXT: u32 = 0xEF53;
    pub const XFS: u32 = 0x5846_5342;
    pub const BTRFS: u32 = 0x9123_683E;
    pub const F2FS: u32 = 0xF2F5_2010;
    pub const ZFS: u32 = 0x2FC1_2FC1;
    pub const BCACHEFS: u32 = 0xCA45_1A4E;
    pub const OCFS2: u32 = 0x7461_636F;
    pub const TMPFS: u32 = 0x0102_1994;
    pub const OVERLAY: u32 = 0x794C_7630;
}

/// The kind of the filesystem that holds a file, one of [`kinds`] or another; `None` where it does not tell.
pub(crate) fn kind(fd: impl AsFd) -> Option<u32> {
    // The type is a magic number of 32 bits in a word that is wider and signed on most machines.
    rustix::fs::fstatfs(fd).ok().map(|answer| answer.f_type as u32)
}

/// Filesystems of memory or of the kernel's own making, by `f_type` (statfs(2), linux/magic.h).
const NO_DRIVE: [(u32, &str); 20] = [
    (kinds::TMPFS, "tmpfs"),
    (0x8584_58f6, "ramfs"),
    (0x9584_58f6, "hugetlbfs"),
    (0x0000_9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0x7363_6673, "securityfs"),
    (0x6265_6570, "configfs"),
    (0x6165_676c, "pstore"),
    (0xde5e_81e4, "efivarfs"),
    (0xcafe_4a11, "bpf"),
    (0x0000_1cd1, "devpts"),
    (0x1980_0202, "mqueue"),
    (0x4249_4e4d, "binfmt_misc"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x6e73_6673, "nsfs"),
    (0x6573_5543, "fusectl"),
];

/// True for a filesystem that keeps files in memory; others without a drive are the kernel's own, where writing changes its settings.
pub(crate) fn is_memory(name: &str) -> bool {
    matches!(name, "tmpfs" | "ramfs" | "hugetlbfs")
}

/// The name of a filesystem that no drive is under; `None` for all others.
pub(crate) fn without_drive(fd: impl AsFd) -> io::Result<Option<&'static str>> {
    // The type is a magic number of 32 bits in a word that is wider and signed on most machines.
    let magic = rustix::fs::fstatfs(fd)?.f_type as u32;
    Ok(NO_DRIVE.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name))
}

/// True where a file or folder lies on a filesystem of memory; false where that cannot be told.
pub(crate) fn is_kept_in_memory(path: &Path) -> bool {
    let pinned = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    pinned.ok().and_then(|fd| without_drive(fd).ok().flatten()).is_some_and(is_memory)
}

/// Room and state of a filesystem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub free_bytes: u64,
    pub total_bytes: u64,
    pub read_only: bool,
    pub block_bytes: u64,
}

/// The room that is left to others: 5 % of the filesystem or this, whichever is smaller. Bytes.
const KEEP_BYTES: u64 = 256 << 20;

impl Room {
    pub(crate) fn of(answer: &StatVfs) -> Self {
        Self {
            free_bytes: answer.f_bavail.saturating_mul(answer.f_frsize),
            total_bytes: answer.f_blocks.saturating_mul(answer.f_frsize),
            read_only: answer.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY),
            block_bytes: answer.f_bsize,
        }
    }

    /// The part of it that is left to others. Bytes.
    pub(crate) fn keep_bytes(&self) -> u64 {
        KEEP_BYTES.min(self.total_bytes / 20)
    }

    /// True if it has so much beside what is left to others.
    pub(crate) fn has(&self, needs_bytes: u64) -> bool {
        needs_bytes.checked_add(self.keep_bytes()).is_some_and(|all| all <= self.free_bytes)
    }

    /// ZFS tells its `recordsize` for the size of a block (OpenZFS, `zfs_statvfs`).
    fn record_bytes(&self, mount: &Mount) -> Option<u64> {
        (mount.fs_type == "zfs" && self.block_bytes > 0).then_some(self.block_bytes)
    }
}

/// Asks the filesystem under an open file.
pub(crate) fn room(fd: impl AsFd) -> io::Result<Room> {
    Ok(Room::of(&rustix::fs::fstatvfs(fd)?))
}

/// The alignment that `O_DIRECT` wants of a file, where the kernel says so (`STATX_DIOALIGN`, Linux 6.1): zero where it is not supported.
pub(crate) fn direct_alignment(fd: impl AsFd) -> Option<u32> {
    let answer = rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::from_bits_retain(libc::STATX_DIOALIGN)).ok()?;
    let said = answer.stx_mask & libc::STATX_DIOALIGN != 0;
    said.then_some(answer.stx_dio_offset_align.max(answer.stx_dio_mem_align))
}

/// The kernel's id of the mount that an open file lies on.
pub(crate) fn mount_id(fd: impl AsFd) -> Option<u64> {
    let answer = rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::from_bits_retain(libc::STATX_MNT_ID)).ok()?;
    (answer.stx_mask & libc::STATX_MNT_ID != 0).then_some(answer.stx_mnt_id)
}

/// The mount that an open file lies on.
pub(crate) fn mount(system: &System, fd: impl AsFd, path: &Path) -> Option<Mount> {
    let mounts = mounts::mounts(system).ok()?;
    mounts::mount_of(&mounts, mount_id(fd), path).cloned()
}

/// The facts of a mount.
pub(crate) fn facts(system: &System, mount: &Mount, room: Room) -> FilesystemFacts {
    FilesystemFacts {
        fs_type: mount.fs_type.clone(),
        mount_point: mount.mount_point.clone(),
        source: mount.source.clone(),
        options: merged(&mount.options, &mount.super_options),
        free_bytes: room.free_bytes,
        record_bytes: room.record_bytes(mount),
        cache_bytes: cache_bytes(system, mount),
    }
}

/// The most that the ARC of ZFS grows to: `c_max`, a name, a type and a value a line (OpenZFS, arc_summary(8)).
fn cache_bytes(system: &System, mount: &Mount) -> Option<u64> {
    let told = system.proc_text("spl/kstat/zfs/arcstats").filter(|_| mount.fs_type == "zfs")?;
    let line = told.lines().find_map(|line| line.strip_prefix("c_max "))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn merged(options: &str, super_options: &str) -> String {
    let more = super_options.split(',').filter(|option| !option.is_empty() && !options.split(',').any(|o| o == *option));
    std::iter::once(options).chain(more).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_mount_and_filesystem_once_each() {
        assert_eq!(merged("rw,noatime", "rw,errors=continue"), "rw,noatime,errors=continue");
        assert_eq!(merged("ro", ""), "ro");
    }

    #[test]
    fn the_arc_is_of_zfs_alone() {
        let tree = crate::tree::Tree::new();
        let stats = "5 1 0x01 147 39984 1 2\nname                            type data\nc_min                           4    33\n\
                     c_max                           4    67108864\nsize 4 12\n";
        tree.write("proc/spl/kstat/zfs/arcstats", stats);
        let on = |fs_type: &str| Mount { fs_type: fs_type.into(), ..Mount::default() };
        assert_eq!(cache_bytes(&tree.system(), &on("zfs")), Some(67_108_864));
        assert_eq!(cache_bytes(&tree.system(), &on("ext4")), None);
        tree.write("proc/spl/kstat/zfs/arcstats", "c_max\nc_max 4\nc_max 4 x\n");
        assert_eq!(cache_bytes(&tree.system(), &on("zfs")), None);
    }

    #[test]
    fn memory_is_told_from_the_kernels_own() {
        assert_eq!(["/dev/shm", "/proc", "/nowhere"].map(|path| is_kept_in_memory(Path::new(path))), [true, false, false]);
    }

    #[test]
    fn proc_is_no_drive() {
        let file = std::fs::File::open("/proc/self/stat").unwrap();
        assert_eq!(without_drive(&file).unwrap(), Some("proc"));
    }
}
