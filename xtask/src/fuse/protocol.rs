//! FUSE's messages, as far as a filesystem of one file needs them: the file is the root itself, so that there are no names.
//!
//! Layouts are those of include/uapi/linux/fuse.h, version 7.31. All else is answered with ENOSYS once.

use crate::cached::Action;

/// Version of the protocol that is spoken.
const VERSION: [u32; 2] = [7, 31];

/// Bytes of the structures in front of what a request and an answer carry.
pub const REQUEST_HEAD_BYTES: usize = 40;
const ANSWER_HEAD_BYTES: u32 = 16;
/// `fuse_write_in`, in front of the data.
const WRITE_HEAD_BYTES: usize = 40;

/// Most bytes of one read or write.
pub const IO_BYTES_MAX: u32 = 1 << 20;

/// The drive's file is the root of its filesystem.
#[cfg(test)]
const ROOT: u64 = 1;
const REGULAR_FILE: u32 = 0o100_600;

/// Answers to INIT: reads and direct I/O do not wait for one another; requests may have more than 32 pages.
const ASYNC_READ: u32 = 1;
const BIG_WRITES: u32 = 1 << 5;
const ASYNC_DIO: u32 = 1 << 15;
const MAX_PAGES: u32 = 1 << 22;
/// Answer to OPEN: direct writes side by side.
const PARALLEL_DIRECT_WRITES: u32 = 1 << 6;

/// Requests that may be with the drive at once; the kernel's own 12 would be one more, hidden limit.
const BACKGROUND_MAX: u16 = 4096;

/// Attributes hold for an hour: the kernel does not ask again.
const VALID_S: u64 = 3600;

pub const EIO: i32 = 5;
pub const EFBIG: i32 = 27;
pub const ENOSYS: i32 = 38;

/// Flags of an open file by which each write has to be durable: O_DSYNC, which is a part of O_SYNC. The kernel sets it for RWF_DSYNC as well (`fuse_write_flags`,
/// fs/fuse/file.c).
const DSYNC: u32 = 0o10_000;

/// Mode of fallocate(2) that leaves a hole.
const PUNCH_HOLE: u32 = 2;
/// That which leaves zeros.
const ZERO_RANGE: u32 = 16;

#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    Init,
    GetAttributes,
    Open,
    Io(Action),
    Statistics,
    Release,
    Forget,
    Unknown,
}

/// A request and the number that its answer bears; none where the message is none.
pub fn read(message: &[u8]) -> Option<(u64, Request)> {
    let unique = u64_at(message, 8)?;
    let body = message.get(REQUEST_HEAD_BYTES..)?;
    let request = match u32_at(message, 4)? {
        2 | 42 => Request::Forget,
        3 => Request::GetAttributes,
        14 => Request::Open,
        15 => Request::Io(Action::Read { offset: u64_at(body, 8)? as usize, length: u32_at(body, 16)?.min(IO_BYTES_MAX) as usize }),
        16 => Request::Io(Action::Write {
            offset: u64_at(body, 8)? as usize,
            data: body.get(WRITE_HEAD_BYTES..)?.to_vec(),
            fua: u32_at(body, 32)? & DSYNC != 0,
        }),
        17 => Request::Statistics,
        18 => Request::Release,
        20 => Request::Io(Action::Flush),
        26 => Request::Init,
        43 => fallocate(body)?,
        _ => Request::Unknown,
    };
    Some((unique, request))
}

/// `fuse_fallocate_in`. Of its modes those that leave zeros.
fn fallocate(body: &[u8]) -> Option<Request> {
    let (offset, length, mode) = (u64_at(body, 8)? as usize, u64_at(body, 16)? as usize, u32_at(body, 24)?);
    let clear = |trim| Request::Io(Action::Clear { offset, length, fua: false, trim });
    Some(match mode & (PUNCH_HOLE | ZERO_RANGE) {
        PUNCH_HOLE => clear(true),
        ZERO_RANGE => clear(false),
        _ => Request::Unknown,
    })
}

/// The answer with these bytes behind its head.
pub fn answer(unique: u64, body: &[u8]) -> Vec<u8> {
    [head(unique, 0, body.len()).as_slice(), body].concat()
}

pub fn failure(unique: u64, error: i32) -> Vec<u8> {
    head(unique, -error, 0)
}

fn head(unique: u64, error: i32, body_bytes: usize) -> Vec<u8> {
    let length = ANSWER_HEAD_BYTES + body_bytes as u32;
    [length.to_ne_bytes().as_slice(), &error.to_ne_bytes(), &unique.to_ne_bytes()].concat()
}

/// `fuse_init_out`.
pub fn init() -> Vec<u8> {
    let background = u32::from_ne_bytes([BACKGROUND_MAX.to_ne_bytes(), BACKGROUND_MAX.to_ne_bytes()].concat().try_into().unwrap_or([0; 4]));
    let pages = IO_BYTES_MAX / 4096;
    let flags = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES;
    words(&[VERSION[0], VERSION[1], 0, flags, background, IO_BYTES_MAX, 1, pages, 0, 0, 0, 0, 0, 0, 0, 0])
}

/// `fuse_attr_out`. The inode tells files behind loop devices apart where mounts of others are not seen.
pub fn attributes(inode: u64, size_bytes: u64) -> Vec<u8> {
    let times = [VALID_S, 0];
    let attributes = [inode, size_bytes, size_bytes / 512, 0, 0, 0];
    // Nanoseconds of three times, mode, links, owner, group, device, block size, flags.
    [longs(&times), longs(&attributes), words(&[0, 0, 0, REGULAR_FILE, 1, 0, 0, 0, 4096, 0])].concat()
}

/// `fuse_open_out`.
pub fn opened() -> Vec<u8> {
    [longs(&[0]), words(&[PARALLEL_DIRECT_WRITES, 0])].concat()
}

/// `fuse_write_out`.
pub fn written(length: usize) -> Vec<u8> {
    words(&[length as u32, 0])
}

/// `fuse_statfs_out`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(opcode: u32, body: &[u8]) -> Vec<u8> {
        [words(&[(REQUEST_HEAD_BYTES + body.len()) as u32, opcode]), longs(&[77, ROOT, 0, 0]), body.to_vec()].concat()
    }

    #[test]
    fn reads_and_writes_are_taken_apart() {
        let place = longs(&[0, 8192]);
        let read_in = [place.clone(), words(&[512, 0, 0, 0, 0, 0])].concat();
        assert_eq!(read(&request(15, &read_in)), Some((77, Request::Io(Action::Read { offset: 8192, length: 512 }))));
        for (flags, fua) in [(0o2, false), (0o10_002, true), (0o4_010_002, true)] {
            let write_in = [place.clone(), words(&[3, 0, 0, 0, flags, 0]), b"abc".to_vec()].concat();
            let expected = Action::Write { offset: 8192, data: b"abc".to_vec(), fua };
            assert_eq!(read(&request(16, &write_in)), Some((77, Request::Io(expected))), "{flags:o}");
        }
        assert_eq!(read(&request(99, &[])), Some((77, Request::Unknown)));
        assert_eq!((read(&request(15, &[])), read(&[0; 9])), (None, None));
    }

    #[test]
    fn answers_have_the_sizes_of_the_kernel_s_structures() {
        let sizes = [init(), attributes(2, 9), opened(), written(1), statistics(9)].map(|body| body.len());
        assert_eq!(sizes, [64, 104, 16, 8, 80]);
        assert_eq!(answer(5, b"xy").len(), 18);
        assert_eq!(i32::from_ne_bytes(failure(5, EIO)[4..8].try_into().unwrap()), -EIO);
    }
}
