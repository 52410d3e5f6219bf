//! The filesystem that holds a file: its name, its room, and if a drive is under it at all.

use crate::system::System;
use crate::system::mounts::{self, Mount};
use crate::system::pin::Pin;
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
    pub const TMPFS: u32 = 0x0102_1994;
    pub const OVERLAY: u32 = 0x794C_7630;
    pub const FUSE: u32 = 0x6573_5546;
}

/// The kind of the filesystem that holds a file, one of [`kinds`] or another; `None` where it does not tell.
pub(crate) fn kind(fd: impl AsFd) -> Option<u32> {
    // The type is a magic number of 32 bits in a word that is wider and signed on most machines.
    rustix::fs::fstatfs(fd).ok().map(|answer| answer.f_type as u32)
}

/// Filesystems whose files lie elsewhere, below a program or on another machine: who has one open there is not seen here, whatever the kernel says of this
/// side. By `f_type` (statfs(2), linux/magic.h; Lustre's and VirtualBox' own sources).
const LIES_ELSEWHERE: [(u32, &str); 11] = [
    (kinds::FUSE, "FUSE"),
    (0x0102_1997, "9P"),
    (0x0000_6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x0000_517b, "SMB"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x5346_414f, "AFS"),
    (0x0116_1970, "GFS2"),
    (0x786f_4256, "VirtualBox"),
];

/// The name of a filesystem that does not see who else has a file open where it lies; `None` for all others.
pub(crate) fn hides_users(fd: impl AsFd) -> Option<&'static str> {
    let found = kind(fd)?;
    LIES_ELSEWHERE.iter().find(|(known, _)| *known == found).map(|(_, name)| *name)
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
    /// The size of a block that it tells, which is the best size of an I/O. Bytes.
    pub block_bytes: u64,
    /// The unit in which it sets space aside. Bytes.
    pub unit_bytes: u64,
    /// Files that can still be made and all that there can be; none where it knows no end of them.
    pub files: Option<(u64, u64)>,
}

/// The room that is left to others: 5 % of the filesystem or this, whichever is smaller. Bytes.
const KEEP_BYTES: u64 = 256 << 20;
/// The files that are left to others: 5 % of all that there can be or this, whichever is less.
const KEEP_FILES: u64 = 10_000;

impl Room {
    pub(crate) fn of(answer: &StatVfs) -> Self {
        Self {
            free_bytes: answer.f_bavail.saturating_mul(answer.f_frsize),
            total_bytes: answer.f_blocks.saturating_mul(answer.f_frsize),
            read_only: answer.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY),
            block_bytes: answer.f_bsize,
            unit_bytes: answer.f_frsize,
            files: (answer.f_files > 0).then_some((answer.f_favail, answer.f_files)),
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

    /// Files that are left to others to make.
    pub(crate) fn keep_files(&self) -> u64 {
        self.files.map_or(0, |(_, all)| KEEP_FILES.min(all / 20))
    }

    /// True if so many files can be made on it beside those that are left to others.
    pub(crate) fn has_files(&self, count: u64) -> bool {
        self.files.is_none_or(|(free, _)| count.checked_add(self.keep_files()).is_some_and(|needed| needed <= free))
    }

    /// ZFS tells its `recordsize` for the size of a block (OpenZFS, `zfs_statvfs`).
    fn record_bytes(&self, mount: &Mount) -> Option<u64> {
        (mount.fs_type == "zfs" && self.block_bytes > 0).then_some(self.block_bytes)
    }
}

/// Asks the filesystem under an open file.
pub(crate) fn room(fd: impl AsFd) -> io::Result<Room> {
    Ok(Room::of(&rustix::fs::fstatvfs(&fd)?))
}

/// The same by a path of it.
pub(crate) fn room_at(path: &Path) -> io::Result<Room> {
    room(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
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

/// `/dev` bears the magic number of tmpfs, which it is made with, and the mount table its own name.
pub(crate) fn known_better(system: &System, pin: &Pin, path: &Path) -> Option<&'static str> {
    mount(system, pin, path).filter(|mount| mount.fs_type == "devtmpfs").map(|_| "devtmpfs")
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
        let tree = crate::block::tree::Tree::new();
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
    fn some_files_are_left_to_others() {
        let of = |files| Room { free_bytes: 0, total_bytes: 0, read_only: false, block_bytes: 0, unit_bytes: 0, files };
        assert!(of(Some((105, 2000))).has_files(5) && !of(Some((105, 2000))).has_files(6));
        assert!(of(Some((10_001, 100_000_000))).has_files(1) && of(None).has_files(u64::MAX));
    }

    #[test]
    fn proc_is_no_drive() {
        let file = std::fs::File::open("/proc/self/stat").unwrap();
        assert_eq!(without_drive(&file).unwrap(), Some("proc"));
    }
}
