//! The identity of a block device: a path can be renamed and a device number can be given to another drive between two looks; a descriptor stays.

use crate::system::kernel;
use rustix::fs::FileType;
use std::io;
use std::os::fd::BorrowedFd;

/// The identity of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Device number.
    pub rdev: u64,
    /// The number of the medium; `None` before Linux 5.15.
    pub diskseq: Option<u64>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// For a loop device: whether a block device is behind it.
    pub loop_on_device: bool,
}

impl Seen {
    /// Asks an open descriptor.
    pub(crate) fn through(fd: BorrowedFd<'_>, is_loop: bool) -> io::Result<Self> {
        let stat = rustix::fs::fstat(fd)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice {
            return Err(io::Error::other("not a block device any more"));
        }
        Ok(Self {
            rdev: stat.st_rdev,
            diskseq: kernel::diskseq(fd)?,
            size_bytes: kernel::device_size_bytes(fd)?,
            loop_on_device: is_loop && kernel::loop_status(fd)?.rdevice != 0,
        })
    }
}
