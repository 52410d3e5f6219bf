//! The mark of a file that this program wrote: an extended attribute with the size and the time of the last write, so a change by anybody else shows.

use super::Seen;
use rustix::fs::XattrFlags;
use std::os::fd::{AsFd, AsRawFd};

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

/// Marks a whole file as it is now.
pub(super) fn write(file: impl AsFd, now: &Seen) {
    set(file, &text(now));
}

/// The mark of a file, whatever it says.
fn read(file: impl AsFd) -> Option<String> {
    let mut text = [0u8; 128];
    let length = rustix::fs::fgetxattr(file, ATTRIBUTE, &mut text[..]).ok()?;
    Some(String::from_utf8_lossy(&text[..length]).into_owned())
}

/// True if nobody wrote to a file of ours since.
pub(super) fn fits(file: impl AsFd, now: &Seen) -> bool {
    read(file).is_some_and(|mark| mark == text(now))
}

/// True of a file under a temporary name that is ours whatever it holds, and of one that [`fits`].
pub(super) fn is_of_ours(file: impl AsFd, now: &Seen) -> bool {
    read(file).is_some_and(|mark| [NO_OUTPUT, &text(now)].contains(&mark.as_str()))
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

/// `2 SIZE SECONDS.NANOSECONDS`; the first is the version.
fn text(now: &Seen) -> String {
    format!("2 {} {}.{:09}", now.size_bytes, now.modified.0, now.modified.1)
}
