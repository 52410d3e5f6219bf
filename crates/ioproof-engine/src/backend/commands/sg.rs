//! READ and WRITE as SCSI commands by `SG_IO` (scsi/sg.h), past the kernel's block layer and its page cache. One at a time; the permit of a handle says that commands
//! reach the bytes of the descriptor (`Handle::takes_scsi_commands`), which of a partition or a mapped device they do not. Trims and flushes are the kernel's.

use crate::backend::row::Refusal;
use crate::backend::serial::{Serial, SerialCall};
use crate::backend::synchronous::{Targets, last_errno};
use crate::backend::{BackendSetup, Io};
use ioproof_core::record::SCSI_PASSTHROUGH;
use std::ffi::c_void;
use std::io;

/// Errors of the kernel with their remedies.
pub(in crate::backend) const REFUSALS: &[Refusal] = &[
    (
        libc::EINVAL,
        "a command is larger than the adapter takes (max_hw_sectors_kb in /sys/block/*/queue), or the drive does not know it: use smaller blocks",
    ),
    (libc::ENOTTY, "the target takes no SCSI commands: use psync"),
];

const SG_IO: libc::Ioctl = 0x2285;
const INTERFACE: i32 = b'S' as i32;
const TO_DEVICE: i32 = -2;
const FROM_DEVICE: i32 = -3;
/// The time that fio gives a command as well. Milliseconds.
const TIMEOUT_MS: u32 = 30_000;
/// SBC-4, 5.13 and 5.44 (10 bytes), 5.16 and 5.47 (16 bytes).
const READ_10: u8 = 0x28;
const WRITE_10: u8 = 0x2A;
const READ_16: u8 = 0x88;
const WRITE_16: u8 = 0x8A;
/// Force Unit Access, in byte 1 of each of them.
const FUA: u8 = 1 << 3;
/// Sense key of a command that the drive does not take (SPC-5, 4.4.8).
const ILLEGAL_REQUEST: u8 = 5;
/// Status of the drive that goes with sense data (SAM-6, 5.3.1).
const CHECK_CONDITION: u8 = 2;

/// The backend.
pub(crate) type Sg = Serial<Commands>;

/// Commands to the disks of a job.
#[derive(Debug)]
pub(crate) struct Commands {
    /// Of each target. Bytes.
    block_bytes: Box<[u32]>,
    read_into: *mut u8,
    write_from: *mut u8,
    is_fua: bool,
}

impl SerialCall for Commands {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let blocks = setup.targets.iter().map(|target| Ok(rustix::fs::ioctl_blksszget(target.descriptor()?)?));
        Ok(Self {
            block_bytes: blocks.collect::<io::Result<_>>()?,
            read_into: setup.buffers.read_at(0),
            write_from: setup.buffers.write_at(0),
            is_fua: setup.write_flags != 0,
        })
    }

    fn read(&mut self, targets: &Targets, io: &Io) -> i32 {
        self.send(targets, io, false)
    }

    fn write(&mut self, targets: &Targets, io: &Io) -> i32 {
        self.send(targets, io, true)
    }

    fn features(&self) -> Vec<String> {
        vec![SCSI_PASSTHROUGH.to_owned()]
    }
}

impl Commands {
    fn send(&self, targets: &Targets, io: &Io, writes: bool) -> i32 {
        let Some(command) = Cdb::of(self.block_bytes[io.target as usize], io, writes, writes && self.is_fua) else { return -libc::EINVAL };
        let mut sense = [0; 32];
        let data = if writes { self.write_from } else { self.read_into };
        let mut header = Header {
            interface: INTERFACE,
            direction: if writes { TO_DEVICE } else { FROM_DEVICE },
            command_length: command.length,
            sense_length: sense.len() as u8,
            data_length: io.bytes,
            data: data.cast(),
            command: command.bytes.as_ptr(),
            sense: sense.as_mut_ptr(),
            timeout_ms: TIMEOUT_MS,
            ..Header::default()
        };
        // SAFETY: the structure is that of scsi/sg.h and lives until the command has ended, as do the command and the sense data; slot 0 of the worker's buffers
        // holds the largest I/O.
        if unsafe { libc::ioctl(targets.raw_fd(io.target), SG_IO, &raw mut header) } < 0 {
            return -last_errno();
        }
        header.outcome(&sense)
    }
}

/// A command as the drive takes it.
#[derive(Debug, PartialEq, Eq)]
struct Cdb {
    bytes: [u8; 16],
    length: u8,
}

impl Cdb {
    /// Ten bytes where block number and count fit, else sixteen; none for what is no whole number of blocks.
    fn of(block_bytes: u32, io: &Io, writes: bool, is_fua: bool) -> Option<Self> {
        let is_whole = block_bytes > 0 && io.offset.is_multiple_of(block_bytes.into()) && io.bytes.is_multiple_of(block_bytes);
        let count = io.bytes.checked_div(block_bytes).filter(|count| is_whole && *count > 0)?;
        let first = io.offset / u64::from(block_bytes);
        let mut bytes = [0; 16];
        bytes[1] = if is_fua { FUA } else { 0 };
        if let (Ok(first), Ok(count)) = (u32::try_from(first), u16::try_from(count)) {
            bytes[0] = if writes { WRITE_10 } else { READ_10 };
            bytes[2..6].copy_from_slice(&first.to_be_bytes());
            bytes[7..9].copy_from_slice(&count.to_be_bytes());
            return Some(Self { bytes, length: 10 });
        }
        bytes[0] = if writes { WRITE_16 } else { READ_16 };
        bytes[2..10].copy_from_slice(&first.to_be_bytes());
        bytes[10..14].copy_from_slice(&count.to_be_bytes());
        Some(Self { bytes, length: 16 })
    }
}

/// `struct sg_io_hdr`.
#[repr(C)]
struct Header {
    interface: i32,
    direction: i32,
    command_length: u8,
    sense_length: u8,
    iovec_count: u16,
    data_length: u32,
    data: *mut c_void,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    user: *mut c_void,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_written: u8,
    host_status: u16,
    driver_status: u16,
    residual: i32,
    duration_ms: u32,
    info: u32,
}
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Header>() == 88);

impl Header {
    /// Bytes that were moved, or the negative errno: EINVAL for a command that the drive does not take, EIO for every other failure.
    fn outcome(&self, sense: &[u8; 32]) -> i32 {
        if self.status == 0 && self.host_status == 0 {
            let missing = u32::try_from(self.residual).unwrap_or(0);
            return self.data_length.saturating_sub(missing).cast_signed();
        }
        // Byte 1 of the descriptor format, byte 2 of the fixed one (SPC-5, 4.4.2 and 4.4.3).
        let key = if sense[0] & 0x7F >= 0x72 { sense[1] } else { sense[2] } & 0xF;
        if self.status == CHECK_CONDITION && key == ILLEGAL_REQUEST { -libc::EINVAL } else { -libc::EIO }
    }
}

impl Default for Header {
    fn default() -> Self {
        // SAFETY: it holds numbers and pointers only, for which zeros are valid.
        unsafe { std::mem::zeroed() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::IoOperation;

    fn cdb(block: u32, offset: u64, bytes: u32, writes: bool, is_fua: bool) -> Option<Vec<u8>> {
        let io = Io { operation: IoOperation::Write, slot: 0, target: 0, bytes, offset, priority: 0 };
        Cdb::of(block, &io, writes, is_fua).map(|cdb| cdb.bytes[..cdb.length.into()].to_vec())
    }

    #[test]
    fn commands_are_as_the_standard_has_them() {
        assert_eq!(cdb(512, 1 << 20, 4096, false, false).unwrap(), [0x28, 0, 0, 0, 8, 0, 0, 0, 8, 0]);
        assert_eq!(cdb(4096, 1 << 20, 4096, true, true).unwrap(), [0x2A, 8, 0, 0, 1, 0, 0, 0, 1, 0]);
        let far = cdb(512, 3 << 40, 4096, true, false).unwrap();
        assert_eq!(far, [0x8A, 0, 0, 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 8, 0, 0]);
        let many = cdb(512, 512, 65_536 * 512, false, false).unwrap();
        assert_eq!(many, [0x88, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
        assert!(
            [(4096, 512, 4096), (4096, 0, 512), (512, 0, 0), (0, 0, 512)].iter().all(|(b, o, n)| cdb(*b, *o, *n, true, false).is_none())
        );
    }

    #[test]
    fn what_came_back_is_bytes_or_an_error() {
        let came = |status, host_status, residual, sense: [u8; 3]| {
            let mut bytes = [0; 32];
            bytes[..3].copy_from_slice(&sense);
            Header { status, host_status, residual, data_length: 4096, ..Header::default() }.outcome(&bytes)
        };
        assert_eq!([came(0, 0, 0, [0; 3]), came(0, 0, 1024, [0; 3])], [4096, 3072]);
        assert_eq!(came(2, 0, 0, [0x70, 0, 3]), -libc::EIO, "a medium error");
        assert_eq!([came(2, 0, 0, [0x70, 0, 5]), came(2, 0, 0, [0x72, 5, 0x20])], [-libc::EINVAL; 2]);
        assert_eq!(came(0, 3, 0, [0; 3]), -libc::EIO, "the adapter gave up");
    }
}
