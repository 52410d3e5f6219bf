//! NVMe's Write with Force Unit Access, by a command of its own: durable when it is done, without a flush. The kernel's O_DSYNC on a raw drive sends a flush behind
//! it as well (block/fops.c, `generic_write_sync`), so that what FUA alone costs is seen this way only. One at a time; the permit of a handle says that commands to
//! the namespace reach the bytes of the descriptor (`Handle::takes_nvme_commands`), which of a partition or a mapped device they do not.

use crate::backend::{BackendSetup, Io};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `NVME_IOCTL_SUBMIT_IO`, `_IOW('N', 0x42, struct nvme_user_io)` of include/uapi/linux/nvme_ioctl.h.
const SUBMIT_IO: libc::Ioctl = (1 << 30 | (size_of::<UserIo>() as libc::Ioctl) << 16 | 0x4E << 8 | 0x42) as libc::Ioctl;
/// Write: NVM Command Set Specification 1.0, 3.2.6.
const WRITE: u8 = 0x01;
/// Bit 30 of command dword 12, of which `control` is the upper half.
const FUA: u16 = 1 << 14;

/// `struct nvme_user_io` of the same header.
#[repr(C)]
#[derive(Default)]
struct UserIo {
    opcode: u8,
    flags: u8,
    control: u16,
    /// One less than there are.
    nblocks: u16,
    rsvd: u16,
    metadata: u64,
    addr: u64,
    slba: u64,
    dsmgmt: u32,
    reftag: u32,
    apptag: u16,
    appmask: u16,
}

/// Writes with FUA to the targets of a job.
#[derive(Debug)]
pub(in crate::backend) struct Fua {
    /// Of each target. Bytes.
    block_bytes: Box<[u32]>,
}

impl Fua {
    /// Asks each target for its logical block.
    ///
    /// # Errors
    /// The error of the kernel where one is no block device.
    pub(in crate::backend) fn new(setup: &BackendSetup) -> io::Result<Self> {
        let blocks = setup.targets.iter().map(|target| Ok(rustix::fs::ioctl_blksszget(target.descriptor()?)?));
        Ok(Self { block_bytes: blocks.collect::<io::Result<_>>()? })
    }

    /// Writes `from`; gives the bytes written or the negative errno, EIO for a status of the drive.
    pub(in crate::backend) fn write(&self, fd: BorrowedFd, from: *const u8, io: &Io) -> i32 {
        let Some(command) = command(self.block_bytes[io.target as usize], from, io) else { return -libc::EINVAL };
        // SAFETY: the command is valid for the call; it points to slot 0 of the worker's buffers, which outlive the call and hold the largest I/O.
        match unsafe { libc::ioctl(fd.as_raw_fd(), SUBMIT_IO, &raw const command) } {
            0 => io.bytes.cast_signed(),
            status if status > 0 => -libc::EIO,
            _ => -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO),
        }
    }
}

/// The command; none for what is no whole number of blocks that one command can write.
fn command(block_bytes: u32, from: *const u8, io: &Io) -> Option<UserIo> {
    let is_whole = block_bytes > 0 && io.offset.is_multiple_of(block_bytes.into()) && io.bytes.is_multiple_of(block_bytes);
    let blocks = io.bytes.checked_div(block_bytes).filter(|_| is_whole)?;
    let nblocks = u16::try_from(blocks.checked_sub(1)?).ok()?;
    let slba = io.offset / u64::from(block_bytes);
    Some(UserIo { opcode: WRITE, control: FUA, nblocks, addr: from.addr() as u64, slba, ..UserIo::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::IoOperation;

    fn io(offset: u64, bytes: u32) -> Io {
        Io { operation: IoOperation::Write, slot: 0, target: 0, bytes, offset, priority: 0 }
    }

    #[test]
    fn a_command_is_as_the_header_has_it() {
        assert_eq!((SUBMIT_IO, size_of::<UserIo>()), (0x4030_4E42, 48));
        let command = command(512, std::ptr::dangling(), &io(1 << 20, 4096)).unwrap();
        assert_eq!((command.opcode, command.control, command.nblocks, command.slba), (1, 0x4000, 7, 2048));
    }

    #[test]
    fn what_no_command_can_write_is_none() {
        for (block, offset, bytes) in [(4096, 512, 4096), (4096, 0, 512), (512, 0, 0), (512, 0, 65_537 * 512), (0, 0, 512)] {
            assert!(command(block, std::ptr::dangling(), &io(offset, bytes)).is_none(), "{block} {offset} {bytes}");
        }
    }
}
