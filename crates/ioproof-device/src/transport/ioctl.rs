//! `NVME_IOCTL_ADMIN_CMD` and `NVME_IOCTL_ID` (linux/nvme_ioctl.h): the unsafe code of the transport to an NVMe drive.
//!
//! The structure that the kernel takes can carry any command. It is made here alone and from a [`Wire`], whose opcodes are a closed list, so that what leaves this
//! file is one of the commands that read.
#![expect(
    unsafe_code,
    reason = "an ioctl hands a pointer to the kernel; rustix takes it as an unsafe trait, and this is the one place that implements it"
)]

use super::command::Wire;
use rustix::io::{Errno, Result};
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::os::fd::BorrowedFd;

/// `struct nvme_passthru_cmd`; a field that no command here uses is 0.
#[repr(C)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    cdw2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12_15: [u32; 4],
    /// 0 is the kernel's own time. A shorter one would not be harmless: the kernel resets a controller whose command ran out of time.
    timeout_ms: u32,
    result: u32,
}
const _: () = assert!(size_of::<AdminCommand>() == 72);

impl AdminCommand {
    fn new(wire: &Wire, data: &mut [u8]) -> Self {
        Self {
            opcode: wire.opcode as u8,
            namespace: wire.namespace,
            address: if data.is_empty() { 0 } else { data.as_mut_ptr() as u64 },
            data_length: wire.length,
            cdw10: wire.cdw10,
            cdw11: wire.cdw11,
            ..Self::default()
        }
    }
}

/// Completion of a command: the drive's status, 0 where it succeeded, and the 32 bits of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AdminCompletion {
    pub(super) status: u16,
    pub(super) result: u32,
}

/// The command, and the borrow of the buffer that its address points to.
struct Admin<'a> {
    command: AdminCommand,
    data: PhantomData<&'a mut [u8]>,
}

impl<'a> Admin<'a> {
    fn new(wire: &Wire, data: &'a mut [u8]) -> Self {
        Self { command: AdminCommand::new(wire, data), data: PhantomData }
    }
}

// SAFETY: NVME_IOCTL_ADMIN_CMD is _IOWR('N', 0x41, struct nvme_passthru_cmd): the kernel reads and writes that structure, whose layout is asserted above, and
// writes `data_length` bytes to `address`, which `send` gives the length and the address of a buffer that is borrowed for as long as this value lives. The ioctl
// returns the status of the command, or -1. `output_from_ptr` is called with the pointer that `as_ptr` gave.
unsafe impl Ioctl for Admin<'_> {
    type Output = AdminCompletion;
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        opcode::read_write::<AdminCommand>(b'N', 0x41)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        (&raw mut self.command).cast()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, pointer: *mut c_void) -> Result<Self::Output> {
        // SAFETY: the pointer is that of `as_ptr`, so it points to the structure, which still lives.
        let result = unsafe { (*pointer.cast::<AdminCommand>()).result };
        let status = u16::try_from(out).map_err(|_| Errno::PROTO)?;
        Ok(AdminCompletion { status, result })
    }
}

/// Sends one of the reading commands and waits for it. `data` has the length that the command asks for.
pub(super) fn send(fd: BorrowedFd<'_>, wire: &Wire, data: &mut [u8]) -> Result<AdminCompletion> {
    if usize::try_from(wire.length) != Ok(data.len()) {
        return Err(Errno::INVAL);
    }
    // SAFETY: the structure and its buffer are what the ioctl takes, as said where `Ioctl` is implemented; a descriptor that is no NVMe device answers ENOTTY.
    unsafe { ioctl(fd, Admin::new(wire, data)) }
}

/// `NVME_IOCTL_ID`: the namespace of a descriptor.
struct Id;

// SAFETY: NVME_IOCTL_ID is _IO('N', 0x40): it takes no argument, touches no memory and returns the namespace.
unsafe impl Ioctl for Id {
    type Output = u32;
    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        opcode::none(b'N', 0x40)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::null_mut()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _: *mut c_void) -> Result<Self::Output> {
        u32::try_from(out).map_err(|_| Errno::PROTO)
    }
}

/// The namespace that a descriptor stands for; a controller has none. No command is sent to the drive.
pub(super) fn namespace(fd: BorrowedFd<'_>) -> Option<u32> {
    // SAFETY: the ioctl takes no argument.
    unsafe { ioctl(fd, Id) }.ok().filter(|namespace| *namespace != 0)
}

#[cfg(test)]
mod tests {
    use super::super::command::NvmeCommand;
    use super::super::listed::LISTED;
    use super::*;
    use std::fs::File;
    use std::mem::offset_of;
    use std::os::fd::AsFd;

    /// linux/nvme_ioctl.h, with the numbers that a C compiler gives.
    #[test]
    fn numbers_and_places_are_those_of_the_header() {
        let mut data = [0; 4];
        let admin = Admin::new(&NvmeCommand::SmartLog.wire(), &mut data);
        assert_eq!((u64::from(admin.opcode()), u64::from(Id.opcode())), (0xc048_4e41, 0x4e40));
        let places = [
            offset_of!(AdminCommand, namespace),
            offset_of!(AdminCommand, metadata),
            offset_of!(AdminCommand, address),
            offset_of!(AdminCommand, data_length),
            offset_of!(AdminCommand, cdw10),
            offset_of!(AdminCommand, timeout_ms),
            offset_of!(AdminCommand, result),
        ];
        assert_eq!(places, [4, 16, 24, 36, 40, 64, 68]);
    }

    #[test]
    fn every_field_of_every_command_is_handed_over_and_all_others_are_zero() {
        for (command, opcode, namespace, [cdw10, cdw11], length) in LISTED {
            let mut data = vec![0; length as usize];
            let sent = AdminCommand::new(&command.wire(), &mut data);
            let address = if data.is_empty() { 0 } else { data.as_ptr() as u64 };
            let expected = AdminCommand { opcode, namespace, address, data_length: length, cdw10, cdw11, ..AdminCommand::default() };
            assert_eq!(sent, expected, "{command}");
        }
    }

    #[test]
    fn what_is_no_nvme_device_refuses() {
        let file = File::open("/dev/null").unwrap();
        let mut data = vec![0; 4096];
        let sent = send(file.as_fd(), &NvmeCommand::IdentifyController.wire(), &mut data);
        assert_eq!(sent, Err(Errno::NOTTY));
        assert_eq!(namespace(file.as_fd()), None);
    }

    #[test]
    fn a_buffer_of_another_length_is_never_handed_over() {
        let file = File::open("/dev/null").unwrap();
        assert_eq!(send(file.as_fd(), &NvmeCommand::IdentifyController.wire(), &mut [0; 4095]), Err(Errno::INVAL));
    }
}
