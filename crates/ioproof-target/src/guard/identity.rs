//! The descriptor is what was resolved: the same device number, the same medium, the same size. A path can be renamed and a device
//! number can be given to another drive between two looks; a descriptor stays.

use super::Reason;
use crate::kernel;
use ioproof_core::units::binary_size;
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

/// The differences between the device that was resolved and the one that is open.
pub(crate) fn identity(resolved: &Seen, open: &Seen) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if resolved.rdev != open.rdev {
        reasons.push("the path leads to another device than a moment ago".to_owned());
    }
    if resolved.diskseq != open.diskseq {
        reasons.push("the device was exchanged a moment ago (its diskseq differs)".to_owned());
    }
    if resolved.size_bytes != open.size_bytes {
        reasons.push(format!("its size changed from {} to {}", binary_size(resolved.size_bytes), binary_size(open.size_bytes)));
    }
    if open.loop_on_device {
        reasons.push("it is a loop device on another device; give that device itself".to_owned());
    }
    reasons.into_iter().map(Reason::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_counts() {
        let seen = Seen { rdev: 1792, diskseq: Some(12), size_bytes: 1 << 20, loop_on_device: false };
        assert_eq!(identity(&seen, &seen), []);
        for other in [
            Seen { rdev: 1793, ..seen },
            Seen { diskseq: Some(13), ..seen },
            Seen { diskseq: None, ..seen },
            Seen { size_bytes: 1 << 21, ..seen },
            Seen { loop_on_device: true, ..seen },
        ] {
            assert_eq!(identity(&seen, &other).len(), 1, "{other:?}");
        }
    }
}
