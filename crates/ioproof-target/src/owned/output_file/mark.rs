//! The mark of a file that this program wrote: an extended attribute with the size, the time of the last write and a checksum of the content, so a change by
//! anybody else shows, also where he sets the time back.

use super::Seen;
use rustix::fs::XattrFlags;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;

/// Name of the attribute.
const ATTRIBUTE: &str = "user.ioproof.output";

/// The attribute of a file that is still being written, and of a file of the state folder for good: no output replaces either.
const NO_OUTPUT: &str = "unfinished";

/// Where the filesystem has no such attributes the file will not be known for ours, so it will not be replaced.
fn set(file: impl AsFd, text: &str) {
    let _ = rustix::fs::fsetxattr(file, ATTRIBUTE, text.as_bytes(), XattrFlags::empty());
}

/// Marks a file that has no content yet, so that it can be told if its writer is killed.
pub(super) fn begin(file: impl AsFd) {
    set(file, NO_OUTPUT);
}

/// Marks a whole file as it is now. One that cannot be read back keeps the mark of an unfinished one, and is not replaced.
pub(super) fn write(file: &File, now: &Seen) {
    if let Ok(text) = text(file, now) {
        set(file, &text);
    }
}

/// The mark of a file, whatever it says.
fn read(file: impl AsFd) -> Option<String> {
    let mut text = [0u8; 128];
    let length = rustix::fs::fgetxattr(file, ATTRIBUTE, &mut text[..]).ok()?;
    Some(String::from_utf8_lossy(&text[..length]).into_owned())
}

/// True if nobody wrote to a file of ours since.
pub(super) fn fits(file: &File, now: &Seen) -> bool {
    read(file).is_some_and(|mark| text(file, now).is_ok_and(|text| text == mark))
}

/// True of a file under a temporary name that is ours whatever it holds, and of one that [`fits`].
pub(super) fn is_of_ours(file: &File, now: &Seen) -> bool {
    read(file).is_some_and(|mark| mark == NO_OUTPUT) || fits(file, now)
}

/// True if somebody keeps attributes of his own on a file, which are data though it is empty; true too where there are more than anybody reads.
pub(super) fn has_of_others(file: impl AsFd) -> bool {
    let mut names = [0u8; 4096];
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    match rustix::fs::listxattr(path, &mut names[..]) {
        Ok(length) => {
            names[..length].split(|byte| *byte == 0).any(|name| name.starts_with(b"user.") && !name.starts_with(b"user.ioproof."))
        }
        Err(error) => error == rustix::io::Errno::RANGE,
    }
}

/// `3 SIZE SECONDS.NANOSECONDS CRC32C`; the first is the version.
fn text(file: &File, now: &Seen) -> io::Result<String> {
    Ok(format!("3 {} {}.{:09} {:08x}", now.size_bytes, now.modified.0, now.modified.1, checksum(file)?))
}

/// CRC-32C of the whole content. The file's position stays.
fn checksum(file: &File) -> io::Result<u32> {
    let mut piece = vec![0; 1 << 16];
    let (mut crc, mut at) = (0, 0);
    loop {
        match file.read_at(&mut piece, at)? {
            0 => return Ok(crc),
            length => {
                crc = crc32c::crc32c_append(crc, &piece[..length]);
                at += length as u64;
            }
        }
    }
}
