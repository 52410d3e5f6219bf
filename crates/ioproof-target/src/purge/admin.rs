//! `NVME_IOCTL_ADMIN_CMD` (linux/nvme_ioctl.h) for the commands of a purge.

use super::command::Command;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = libc::_IOWR::<AdminCommand>(b'N' as u32, 0x41);

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
    cdw11_15: [u32; 5],
    timeout_ms: u32,
    result: u32,
}
const _: () = assert!(size_of::<AdminCommand>() == 72);

impl AdminCommand {
    fn new(command: Command, timeout: Option<Duration>, data: &mut [u8]) -> Self {
        let wire = command.wire();
        // 0 is the kernel's own time.
        let timeout_ms = timeout.map_or(0, |time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1));
        let address = if data.is_empty() { 0 } else { data.as_mut_ptr() as u64 };
        Self {
            opcode: wire.opcode,
            namespace: wire.namespace,
            address,
            data_length: wire.length,
            cdw10: wire.cdw10,
            timeout_ms,
            ..Self::default()
        }
    }
}

/// Reason for which a command did not succeed.
#[derive(Debug)]
pub(super) enum CommandError {
    /// The drive's status.
    Status(u16),
    /// The kernel's answer.
    Kernel(io::Error),
}

/// Sends a command, which the kernel gives up after this time, and waits for it.
pub(super) fn send(fd: BorrowedFd<'_>, command: Command, timeout: Option<Duration>, data: &mut [u8]) -> Result<(), CommandError> {
    if command.wire().length as usize != data.len() {
        return Err(CommandError::Kernel(io::ErrorKind::InvalidInput.into()));
    }
    let mut admin = AdminCommand::new(command, timeout, data);
    // SAFETY: the kernel reads and writes the structure, whose layout is asserted above, and writes at most `data_length` bytes to `address`, which is the length
    // of a buffer that is borrowed for the call.
    match unsafe { libc::ioctl(fd.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut admin) } {
        0 => Ok(()),
        status @ 1.. => Err(CommandError::Status(status as u16 & 0x7ff)),
        _ => Err(CommandError::Kernel(io::Error::last_os_error())),
    }
}

impl std::fmt::Display for CommandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kernel(error) => write!(f, "{error}"),
            Self::Status(status) => match words(*status) {
                Some(words) => write!(f, "the drive refuses: {words}"),
                None => write!(f, "the drive refuses with status {status:#05x}"),
            },
        }
    }
}

/// Statuses that a purge meets (Base Specification 2.0c, clauses 3.3.3.2.1, 5.14.1 and 5.24.1).
fn words(status: u16) -> Option<&'static str> {
    Some(match status {
        0x001 => "it does not know the command",
        0x002 => "a field of the command is not valid",
        0x00c => "the command is out of sequence",
        0x015 => "the operation is denied",
        0x01c => "the last sanitize failed",
        0x01d => "a sanitize is in progress",
        0x020 => "the namespace is write protected",
        0x023 => "command and feature lockdown prohibits it",
        0x084 => "a format is in progress",
        0x10a => "the format is not valid",
        0x10b | 0x110 | 0x111 => "a firmware activation needs a reset first",
        0x123 => "a persistent memory region is enabled",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purge::status::SanitizeAction;
    use std::mem::offset_of;

    #[test]
    fn numbers_and_places_are_those_of_the_header() {
        assert_eq!(NVME_IOCTL_ADMIN_CMD, 0xc048_4e41);
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
    fn a_command_is_handed_over_with_its_time() {
        let erase = AdminCommand::new(Command::Sanitize(SanitizeAction::BlockErase), Some(Duration::from_secs(3)), &mut []);
        assert_eq!(erase, AdminCommand { opcode: 0x84, cdw10: 0xa, timeout_ms: 3000, ..AdminCommand::default() });
        let mut data = [0; 512];
        let status = AdminCommand::new(Command::SanitizeStatus, None, &mut data);
        assert_eq!((status.address, status.data_length, status.timeout_ms), (data.as_ptr() as u64, 512, 0));
    }

    #[test]
    fn what_is_no_nvme_device_refuses() {
        use std::os::fd::AsFd;
        let file = std::fs::File::open("/dev/null").unwrap();
        let refused = send(file.as_fd(), Command::SanitizeStatus, None, &mut [0; 512]);
        assert!(matches!(refused, Err(CommandError::Kernel(error)) if error.raw_os_error() == Some(libc::ENOTTY)));
        assert!(send(file.as_fd(), Command::SanitizeStatus, None, &mut [0; 8]).is_err());
    }

    #[test]
    fn a_status_is_told_in_words() {
        assert_eq!(CommandError::Status(0x1d).to_string(), "the drive refuses: a sanitize is in progress");
        assert_eq!(CommandError::Status(0x7ff).to_string(), "the drive refuses with status 0x7ff");
    }
}
