//! `SG_IO` (scsi/sg.h): the ioctl by which SCSI commands are sent.
//!
//! The structure that the kernel takes can carry any command. It is made here alone and from a [`ScsiWire`], which only the closed list of reading commands makes.
#![expect(
    unsafe_code,
    reason = "an ioctl hands pointers to the kernel; rustix takes it as an unsafe trait, and this is the one place that implements it"
)]

use super::command::ScsiWire;
use rustix::io::{Errno, Result};
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::os::fd::BorrowedFd;

/// Bytes of sense data that are kept; descriptors of an ATA device take 22.
pub(super) const SENSE_BYTES: usize = 64;

/// Time that a sleeping drive may need to spin up. A shorter time would not be harmless: the kernel resets a drive whose command ran out of time.
const TIMEOUT_MS: u32 = 60_000;

const SG_IO: Opcode = 0x2285;
const INTERFACE: i32 = b'S' as i32;
const NO_DATA: i32 = -1;
const FROM_DEVICE: i32 = -3;

/// `struct sg_io_hdr`.
#[repr(C)]
#[derive(Debug)]
struct SgIoHeader {
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
const _: () = assert!(size_of::<SgIoHeader>() == 88);

/// Data and status that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SgCompletion {
    /// Of the SCSI Architecture Model; 0 is good.
    pub(super) status: u8,
    /// The kernel's code for the transport between host and drive (`host_status`); 0 is good.
    pub(super) host_status: u16,
    /// Bytes of data that came.
    pub(super) data_bytes: usize,
    /// Bytes of sense data that came.
    pub(super) sense_bytes: usize,
}

/// The command, and the borrows of the buffers that it points to.
struct SgIo<'a> {
    header: SgIoHeader,
    buffers: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> SgIo<'a> {
    fn new(cdb: &'a [u8], data: &'a mut [u8], sense: &'a mut [u8; SENSE_BYTES]) -> Result<Self> {
        let header = SgIoHeader {
            interface: INTERFACE,
            direction: if data.is_empty() { NO_DATA } else { FROM_DEVICE },
            command_length: u8::try_from(cdb.len()).map_err(|_| Errno::INVAL)?,
            sense_length: SENSE_BYTES as u8,
            iovec_count: 0,
            data_length: u32::try_from(data.len()).map_err(|_| Errno::INVAL)?,
            data: if data.is_empty() { std::ptr::null_mut() } else { data.as_mut_ptr().cast() },
            command: cdb.as_ptr(),
            sense: sense.as_mut_ptr(),
            timeout_ms: TIMEOUT_MS,
            flags: 0,
            pack_id: 0,
            user: std::ptr::null_mut(),
            status: 0,
            masked_status: 0,
            message_status: 0,
            sense_written: 0,
            host_status: 0,
            driver_status: 0,
            residual: 0,
            duration_ms: 0,
            info: 0,
        };
        Ok(Self { header, buffers: PhantomData })
    }
}

// SAFETY: SG_IO takes a pointer to struct sg_io_hdr, whose layout is that of `SgIoHeader`; the kernel reads and writes it, reads `command_length` bytes at `command`,
// writes at most `sense_length` bytes to `sense` and, in the one direction that is used, at most `data_length` bytes to `data`. `new` takes these lengths from the
// slices themselves, and they stay borrowed for as long as this value lives. SG_IO returns when the command has ended, so nothing is written later.
unsafe impl Ioctl for SgIo<'_> {
    type Output = SgCompletion;
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        SG_IO
    }

    fn as_ptr(&mut self) -> *mut c_void {
        (&raw mut self.header).cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, pointer: *mut c_void) -> Result<Self::Output> {
        // SAFETY: the pointer is that of `as_ptr`, so it points to the structure, which still lives.
        let header = unsafe { &*pointer.cast::<SgIoHeader>() };
        let missing = usize::try_from(header.residual).unwrap_or(0);
        Ok(SgCompletion {
            status: header.status,
            host_status: header.host_status,
            data_bytes: (header.data_length as usize).saturating_sub(missing),
            sense_bytes: usize::from(header.sense_written).min(SENSE_BYTES),
        })
    }
}

/// Sends one of the reading commands and waits for it. `data` has the length that the command asks for.
pub(super) fn send(fd: BorrowedFd<'_>, wire: &ScsiWire, data: &mut [u8], sense: &mut [u8; SENSE_BYTES]) -> Result<SgCompletion> {
    if wire.length != data.len() {
        return Err(Errno::INVAL);
    }
    let request = SgIo::new(wire.cdb(), data, sense)?;
    // SAFETY: the structure and its buffers are what the ioctl takes, as said where `Ioctl` is implemented; a descriptor that is no SCSI device answers ENOTTY.
    unsafe { ioctl(fd, request) }
}

#[cfg(test)]
mod tests {
    use super::super::command::ScsiCommand;
    use super::super::listed::LISTED;
    use super::*;
    use std::fs::File;
    use std::mem::offset_of;
    use std::os::fd::AsFd;

    /// scsi/sg.h, with the places that a C compiler gives on a machine of 64 bits.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn places_are_those_of_the_header() {
        let places = [
            offset_of!(SgIoHeader, command_length),
            offset_of!(SgIoHeader, data_length),
            offset_of!(SgIoHeader, data),
            offset_of!(SgIoHeader, command),
            offset_of!(SgIoHeader, sense),
            offset_of!(SgIoHeader, timeout_ms),
            offset_of!(SgIoHeader, user),
            offset_of!(SgIoHeader, status),
            offset_of!(SgIoHeader, host_status),
            offset_of!(SgIoHeader, residual),
            offset_of!(SgIoHeader, info),
        ];
        assert_eq!(places, [8, 12, 16, 24, 32, 40, 56, 64, 68, 72, 80]);
    }

    #[test]
    fn every_field_is_that_of_the_command_and_no_data_go_to_the_drive() {
        for (command, block, length) in LISTED {
            let wire = command.wire();
            let (mut data, mut sense) = (vec![0; length], [0; SENSE_BYTES]);
            let (address, sense_address) = (data.as_mut_ptr(), sense.as_mut_ptr());
            let header = SgIo::new(wire.cdb(), &mut data, &mut sense).unwrap().header;
            let direction = if length == 0 { -1 } else { -3 };
            assert_eq!((header.interface, header.direction, header.timeout_ms), (0x53, direction, 60_000), "{command}");
            assert_eq!((usize::from(header.command_length), header.data_length as usize), (block.len() / 2, length), "{command}");
            assert_eq!((header.command, header.sense, header.sense_length), (wire.cdb().as_ptr(), sense_address, 64), "{command}");
            assert_eq!(header.data, if length == 0 { std::ptr::null_mut() } else { address.cast() }, "{command}");
            assert_eq!((header.flags, header.iovec_count, header.pack_id, header.user.is_null()), (0, 0, 0, true), "{command}");
            let returned = (header.status, header.host_status, header.driver_status, header.residual, header.sense_written);
            assert_eq!(returned, (0, 0, 0, 0, 0), "{command}");
        }
    }

    #[test]
    fn what_is_no_scsi_device_refuses() {
        let file = File::open("/dev/null").unwrap();
        let mut sense = [0; SENSE_BYTES];
        assert_eq!(send(file.as_fd(), &ScsiCommand::Inquiry.wire(), &mut [0; 36], &mut sense), Err(Errno::NOTTY));
        assert_eq!(send(file.as_fd(), &ScsiCommand::Inquiry.wire(), &mut [0; 35], &mut sense), Err(Errno::INVAL));
    }
}
