//! The part of a filesystem that is left to others, for what grows while it is written: logs of each I/O, the records of a witness.

use crate::system::System;
use crate::{filesystem, room_below};
use std::io;
use std::os::fd::AsFd;

/// Refuses to write so much more to an open file where that would take what is left to others, of its filesystem or of one that holds an image below it. One that does not answer
/// is asked by whoever writes.
///
/// # Errors
/// `StorageFull` when it would.
pub fn leave_room_to_others(file: impl AsFd, more_bytes: u64) -> io::Result<()> {
    let room = filesystem::room(&file).ok().filter(|room| room.total_bytes > 0);
    if room.is_some_and(|room| !room.has(more_bytes) || !room.has_files(0)) {
        return Err(io::Error::new(
            io::ErrorKind::StorageFull,
            "No space left on device: its filesystem has no more room than what is left to others",
        ));
    }
    room_below::check_growing(&System::host(), &file, more_bytes)
}
