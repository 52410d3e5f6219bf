//! The few calls of the system and of the C library that rustix has no safe wrapper for. All `unsafe` of this crate is here; none of these changes anything on a
//! drive.

use ioproof_core::job::IoPriority;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// `_IOR(0x12, 114, size_t)`, linux/fs.h.
const BLKGETSIZE64: libc::Ioctl = libc::_IOR::<usize>(0x12, 114);
/// `_IOR(0x12, 128, __u64)`, linux/fs.h, since Linux 5.15.
const BLKGETDISKSEQ: libc::Ioctl = libc::_IOR::<u64>(0x12, 128);
/// linux/loop.h.
const LOOP_GET_STATUS64: libc::Ioctl = 0x4C05;
/// `_IO('N', 0x40)`, linux/nvme_ioctl.h.
const NVME_IOCTL_ID: libc::Ioctl = 0x4E40;
/// `_IOWR('f', 11, struct fiemap)`, linux/fs.h; the header alone counts for the size.
const FS_IOC_FIEMAP: libc::Ioctl = libc::_IOWR::<FiemapHeader>(b'f' as u32, 11);
/// fcntl(2); the numbers are the same on every architecture.
const F_SETSIG: libc::c_int = 10;

/// `struct loop_info64`, linux/loop.h.
#[repr(C)]
struct LoopInfo64 {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}
const _: () = assert!(size_of::<LoopInfo64>() == 232);

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FiemapHeader {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
}
const _: () = assert!(size_of::<FiemapHeader>() == 32);

/// One extent of `struct fiemap_extent`, linux/fiemap.h.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Its offset in the file. Bytes.
    pub logical: u64,
    /// Its offset on the device of its filesystem. Bytes.
    pub physical: u64,
    /// Its length. Bytes.
    pub length: u64,
    reserved64: [u64; 2],
    /// `FIEMAP_EXTENT_*`.
    pub flags: u32,
    reserved: [u32; 3],
}
const _: () = assert!(size_of::<Extent>() == 56);

const EXTENTS_PER_CALL: usize = 128;

#[repr(C)]
struct Fiemap {
    header: FiemapHeader,
    extents: [Extent; EXTENTS_PER_CALL],
}

/// `FIEMAP_FLAG_SYNC`: write the file's dirty pages first, so that the answer is about the drive.
const FIEMAP_FLAG_SYNC: u32 = 1;
/// `FIEMAP_EXTENT_LAST`.
pub(crate) const EXTENT_LAST: u32 = 1;
/// `FIEMAP_EXTENT_ENCODED`: compressed or encrypted by the filesystem.
pub(crate) const EXTENT_ENCODED: u32 = 8;
/// `FIEMAP_EXTENT_UNWRITTEN`: reserved and never written; reads as zeros without the drive being asked.
pub(crate) const EXTENT_UNWRITTEN: u32 = 0x800;
/// Flags of extents whose data is not as it is in the file at the place that is told: no place is known yet (UNKNOWN, DELALLOC), or it is packed, encrypted, not
/// aligned, part of something else (ENCODED, DATA_ENCRYPTED, NOT_ALIGNED, DATA_INLINE, DATA_TAIL), or was never written.
pub(crate) const EXTENT_ELSEWHERE: u32 = 0x2 | 0x4 | 0x8 | 0x80 | 0x100 | 0x200 | 0x400 | EXTENT_UNWRITTEN;

/// Has a filesystem that takes over what was written only when a file is closed (NFS, FUSE) do so now, by closing a second descriptor of it: an error of
/// close(2) is told nowhere else.
pub(crate) fn flush(file: impl AsFd) -> io::Result<()> {
    let second = rustix::io::dup(file)?;
    // SAFETY: the descriptor is ours alone, and is given away with this call, which closes it whatever it answers.
    checked(unsafe { libc::close(std::os::fd::IntoRawFd::into_raw_fd(second)) }).map(drop)
}

/// Priority of this thread's I/O (ioprio_get(2)), which no file tells; `None` where the kernel does not say.
#[must_use]
pub fn own_io_priority() -> Option<IoPriority> {
    /// `IOPRIO_WHO_PROCESS`, and `IOPRIO_CLASS_SHIFT`; linux/ioprio.h.
    const WHO_PROCESS: libc::c_int = 1;
    const CLASS_SHIFT: u32 = 13;
    // SAFETY: the call takes two numbers and returns one; 0 is this thread.
    let answer = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, 0) };
    let answer = u16::try_from(answer).ok()?;
    Some(IoPriority { class: u8::try_from(answer >> CLASS_SHIFT).ok()?, level: (answer & 7) as u8 })
}

/// Lets all threads together have so many pools of memory; other C libraries than glibc have one (mallopt(3)).
pub(crate) fn share_memory_pools(pools: i32) {
    // SAFETY: mallopt(3) takes any two numbers, and only those pools are concerned that are still to be made.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, pools)
    };
    #[cfg(not(target_env = "gnu"))]
    let _ = pools;
}

/// Gives this thread, and all that it begins from now on, a table of mounts of its own (unshare(2)).
pub(crate) fn own_mount_table() -> io::Result<()> {
    // SAFETY: of all that unshare(2) can part, only shared descriptors (`FILES`) concern memory safety, and they stay shared.
    Ok(unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNS) }?)
}

/// Size of a block device in bytes.
pub(crate) fn device_size_bytes(fd: BorrowedFd<'_>) -> io::Result<u64> {
    let mut size = 0u64;
    // SAFETY: BLKGETSIZE64 writes one 64-bit value to the pointer, which is valid for the call.
    checked(unsafe { libc::ioctl(fd.as_raw_fd(), BLKGETSIZE64, &raw mut size) })?;
    Ok(size)
}

/// The number that the kernel gives to each medium it attaches; never used twice. `None` before Linux 5.15.
pub(crate) fn diskseq(fd: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    let mut number = 0u64;
    // SAFETY: BLKGETDISKSEQ writes one 64-bit value to the pointer, which is valid for the call.
    match checked(unsafe { libc::ioctl(fd.as_raw_fd(), BLKGETDISKSEQ, &raw mut number) }) {
        Ok(_) => Ok(Some(number)),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOTTY | libc::EINVAL)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The number of an NVMe namespace within its controller, by its block device or its character device.
pub(crate) fn namespace_id(fd: BorrowedFd<'_>) -> io::Result<u32> {
    // SAFETY: NVME_IOCTL_ID takes no argument and touches no memory of this process.
    checked(unsafe { libc::ioctl(fd.as_raw_fd(), NVME_IOCTL_ID, 0) }).map(libc::c_int::cast_unsigned)
}

/// The backing of a loop device, in the numbers of stat(2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoopStatus {
    /// Number of the filesystem that holds the file.
    pub device: u64,
    /// Inode.
    pub inode: u64,
    /// Number of the block device behind; zero where a file is.
    pub rdevice: u64,
    /// The offset in the file at which the device begins. Bytes.
    pub offset_bytes: u64,
}

/// Asks the loop driver, whose answer cannot be renamed away. ENXIO where nothing is attached.
pub(crate) fn loop_status(fd: impl AsFd) -> io::Result<LoopStatus> {
    // SAFETY: LoopInfo64 is plain integers and bytes, for which all zeros is a value.
    let mut info: LoopInfo64 = unsafe { std::mem::zeroed() };
    // SAFETY: LOOP_GET_STATUS64 writes one loop_info64 to the pointer; the layout is checked above.
    checked(unsafe { libc::ioctl(fd.as_fd().as_raw_fd(), LOOP_GET_STATUS64, &raw mut info) })?;
    Ok(LoopStatus { device: info.device, inode: info.inode, rdevice: info.rdevice, offset_bytes: info.offset })
}

/// Hands over every extent of a file between two offsets, in their order; holes are left out.
pub(crate) fn each_extent(fd: BorrowedFd<'_>, start: u64, end: u64, mut take: impl FnMut(&Extent)) -> io::Result<()> {
    let mut at = start;
    while at < end {
        let extents = extents(fd, at, end - at)?;
        extents.iter().for_each(&mut take);
        let next = extents.last().filter(|last| last.flags & EXTENT_LAST == 0).map(|last| last.logical.saturating_add(last.length));
        match next.filter(|next| *next > at) {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(())
}

/// The next extents of a file from `start` on, at most 128. Empty when there are no more.
fn extents(fd: BorrowedFd<'_>, start: u64, length: u64) -> io::Result<Vec<Extent>> {
    let header = FiemapHeader { start, length, flags: FIEMAP_FLAG_SYNC, extent_count: EXTENTS_PER_CALL as u32, ..FiemapHeader::default() };
    let mut map = Box::new(Fiemap { header, extents: [Extent::default(); EXTENTS_PER_CALL] });
    // SAFETY: FS_IOC_FIEMAP reads the header and writes at most `extent_count` extents behind it, which is what `Fiemap` has room for.
    checked(unsafe { libc::ioctl(fd.as_raw_fd(), FS_IOC_FIEMAP, &raw mut *map) })?;
    let count = (map.header.mapped_extents as usize).min(EXTENTS_PER_CALL);
    Ok(map.extents[..count].to_vec())
}

/// Other open descriptors of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherUsers {
    /// Nobody has.
    None,
    /// Somebody has.
    Some,
    /// The filesystem or the user's rights do not let the kernel tell.
    Unknown,
}

/// Asks for a write lease (F_SETLEASE, fcntl(2)), which the kernel grants only where this descriptor is the only open one, and gives it back.
pub(crate) fn other_users(file: impl AsFd) -> OtherUsers {
    lease(file, libc::F_WRLCK)
}

/// True if another process has a file open for writing, as far as the kernel tells: then it grants no read lease on a descriptor that only reads.
pub(crate) fn has_writers(file: impl AsFd) -> bool {
    lease(file, libc::F_RDLCK) == OtherUsers::Some
}

fn lease(file: impl AsFd, kind: libc::c_int) -> OtherUsers {
    let fd = file.as_fd().as_raw_fd();
    // Somebody who opens the file while the lease is held makes the kernel send SIGIO, which kills; SIGURG is ignored by default.
    // SAFETY: F_SETSIG and F_SETLEASE take integers.
    let asked = checked(unsafe { libc::fcntl(fd, F_SETSIG, libc::SIGURG) })
        // SAFETY: as above.
        .and_then(|_| checked(unsafe { libc::fcntl(fd, libc::F_SETLEASE, kind) }));
    // SAFETY: as above. A lease that cannot be given back ends with the descriptor.
    unsafe { libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK) };
    match asked {
        Ok(_) => OtherUsers::None,
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EBUSY)) => OtherUsers::Some,
        Err(_) => OtherUsers::Unknown,
    }
}

/// `KCMP_FILES`, linux/kcmp.h.
const KCMP_FILES: libc::c_int = 2;

/// True if two threads, by their numbers, share one table of descriptors (kcmp(2)); false where the kernel does not say.
pub(crate) fn share_descriptors(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (one.parse::<libc::pid_t>(), other.parse::<libc::pid_t>()) else { return false };
    // SAFETY: kcmp(2) takes integers and touches no memory of this process.
    unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0 }
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
