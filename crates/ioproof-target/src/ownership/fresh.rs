//! A file as whoever serves it knows it now: on FUSE and network filesystems fstat(2) may tell what the kernel was told a while ago, and a change of the last
//! second would not show.

use rustix::fs::{AtFlags, Stat, StatxFlags, fstat, statx};
use std::os::fd::AsFd;

/// The numbers and times of a file, asked anew (`AT_STATX_FORCE_SYNC`, statx(2)).
pub(crate) fn fresh(file: impl AsFd) -> rustix::io::Result<Stat> {
    // The answer is in fstat's from then on. A filesystem that cannot be asked knows by itself.
    let _ = statx(&file, "", AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC, StatxFlags::BASIC_STATS);
    fstat(file)
}
