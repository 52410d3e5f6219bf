//! FUSE's messages, as far as a filesystem of one file needs them: the file is the root itself, so that there are no names.
//!
//! Layouts are those of include/uapi/linux/fuse.h, version 7.31. All else is answered with ENOSYS once.

use crate::cached::Action;

/// Bytes of the structures in front of what a request and an answer carry.
pub const REQUEST_HEAD_BYTES: usize = 40;
const ANSWER_HEAD_BYTES: u32 = 16;
/// `fuse_write_in`, in front of the data.
const WRITE_HEAD_BYTES: usize = 40;
pub const IO_BYTES_MAX: u32 = 1 << 20;

/// Answers to INIT: reads and direct I/O do not wait for one another; requests may have more than 32 pages.
const ASYNC_READ: u32 = 1;
const BIG_WRITES: u32 = 1 << 5;
const ASYNC_DIO: u32 = 1 << 15;
const MAX_PAGES: u32 = 1 << 22;
/// Answer to OPEN: direct writes side by side.
const PARALLEL_DIRECT_WRITES: u32 = 1 << 6;

/// Requests that may be with the drive at once; the kernel's own 12 would be one more, hidden limit.
const BACKGROUND_MAX: u32 = 4096;
pub const EIO: i32 = 5;
pub const EFBIG: i32 = 27;
pub const ENOSYS: i32 = 38;

/// Flags of an open file by which each write has to be durable: O_DSYNC, which is a part of O_SYNC. The kernel sets it for RWF_DSYNC as well (`fuse_write_flags`,
/// fs/fuse/file.c).
const DSYNC: u32 = 0o10_000;

/// Mode of fallocate(2) that leaves a hole.
const PUNCH_HOLE: u32 = 2;
const ZERO_RANGE: u32 = 16;

pub fn request(message: &[u8]) -> Option<(u32, u64, &[u8])> {
    Some((u32_at(message, 4)?, u64_at(message, 8)?, message.get(REQUEST_HEAD_BYTES..)?))
}

/// READ, WRITE, FSYNC, and of FALLOCATE the modes that leave zeros.
pub fn action(opcode: u32, body: &[u8]) -> Option<Action> {
    let number = |at| u64_at(body, at).map(|number| number as usize);
    match opcode {
        15 => Some(Action::Read { offset: number(8)?, length: u32_at(body, 16)?.min(IO_BYTES_MAX) as usize }),
        16 => Some(Action::Write { offset: number(8)?, data: body.get(WRITE_HEAD_BYTES..)?.to_vec(), fua: u32_at(body, 32)? & DSYNC != 0 }),
        20 => Some(Action::Flush),
        43 => {
            let mode = u32_at(body, 24)?;
            let leaves_zeros = mode & (PUNCH_HOLE | ZERO_RANGE) != 0;
            leaves_zeros.then_some(Action::Clear { offset: number(8)?, length: number(16)?, fua: false, trim: mode & PUNCH_HOLE != 0 })
        }
        _ => None,
    }
}

pub fn answer(unique: u64, body: Result<Vec<u8>, i32>) -> Vec<u8> {
    let (error, body) = body.map_or_else(|error| (-error, Vec::new()), |body| (0, body));
    let length = ANSWER_HEAD_BYTES + body.len() as u32;
    [&length.to_ne_bytes()[..], &error.to_ne_bytes(), &unique.to_ne_bytes(), &body].concat()
}

pub fn init() -> Vec<u8> {
    let flags = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES;
    let background = BACKGROUND_MAX << 16 | BACKGROUND_MAX;
    words(&[7, 31, 0, flags, background, IO_BYTES_MAX, 1, IO_BYTES_MAX / 4096, 0, 0, 0, 0, 0, 0, 0, 0])
}

/// `fuse_attr_out`. The inode tells files behind loop devices apart where mounts of others are not seen.
pub fn attributes(inode: u64, size_bytes: u64) -> Vec<u8> {
    // They hold for an hour: the kernel does not ask again.
    let times = [3600, 0];
    let attributes = [inode, size_bytes, size_bytes / 512, 0, 0, 0];
    // Nanoseconds of three times, mode, links, owner, group, device, block size, flags.
    [longs(&times), longs(&attributes), words(&[0, 0, 0, 0o100_600, 1, 0, 0, 0, 4096, 0])].concat()
}

pub fn opened() -> Vec<u8> {
    [longs(&[0]), words(&[PARALLEL_DIRECT_WRITES, 0])].concat()
}

pub fn written(length: usize) -> Vec<u8> {
    words(&[length as u32, 0])
}

pub fn statistics(size_bytes: u64) -> Vec<u8> {
    [longs(&[size_bytes / 4096, 0, 0, 1, 0]), words(&[4096, 255, 4096, 0, 0, 0, 0, 0, 0, 0])].concat()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn longs(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes)
}
