//! Transport to a drive of commands that read, and of nothing else.
//!
//! Only the commands of the closed list [`NvmeCommand`] can be sent; neither the trait nor the ioctl takes an opcode, so no caller can make a drive write, erase, format or reset.
//! That matters because the kernel does not: an ioctl on a descriptor that was opened to read may carry any command. `node` opens a device and is the real transport,
//! `ioctl` is its only unsafe code, and tests answer from a script. `scsi` is the same for SCSI and ATA.

mod command;
mod ioctl;
#[cfg(test)]
pub(crate) mod listed;
mod node;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod scsi;

pub use command::NvmeCommand;
pub use node::{DeviceNode, ReadError};

use rustix::io::Errno;

/// Data of a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvmeAnswer {
    /// The 32 bits of the completion; the value of most features.
    pub result: u32,
    /// The data, as long as the command asks for.
    pub data: Vec<u8>,
}

/// Reason for which there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NvmeRefusal {
    /// The kernel does not let this user send it.
    NotPermitted,
    /// The drive completed it with a status: its type in bits 8-10, its code in bits 0-7.
    Status(u16),
    /// The kernel could not deliver it.
    System(String),
}

/// The status of a command that the kernel gave up after its time, and of one whose path to the drive was lost (NVM Express Base Specification 2.0c, Path Related Status).
const GIVEN_UP: [u16; 3] = [0x360, 0x370, 0x371];
/// Errors of the kernel after which no further command can reach the drive.
const GONE: [Errno; 4] = [Errno::NODEV, Errno::NXIO, Errno::TIMEDOUT, Errno::SHUTDOWN];

impl NvmeRefusal {
    /// True when the drive has gone or did not answer in time: each further command would cost the kernel's patience of a minute, or a reset.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::NotPermitted => false,
            Self::Status(status) => GIVEN_UP.contains(&(status & 0x7ff)),
            Self::System(reason) => is_gone(reason),
        }
    }
}

/// The kernel's answer in words.
pub(crate) fn reason(error: Errno) -> String {
    std::io::Error::from(error).to_string()
}

fn is_gone(said: &str) -> bool {
    GONE.into_iter().any(|error| reason(error) == said)
}

/// Something that answers NVMe commands.
pub trait NvmeTransport {
    /// Name of the device, for people: `/dev/nvme0`.
    fn name(&self) -> String;

    /// The namespace that it stands for; `None` where it is a controller.
    fn namespace(&mut self) -> Option<u32>;

    /// Sends a command and waits for its completion.
    ///
    /// # Errors
    /// When the user may not, the drive will not, or the kernel cannot.
    fn ask(&mut self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_has_gone_or_is_silent_is_asked_nothing_more() {
        let of = |error| NvmeRefusal::System(reason(error)).is_final();
        assert!([Errno::NODEV, Errno::NXIO, Errno::TIMEDOUT].into_iter().all(of));
        assert!(!of(Errno::IO) && !of(Errno::INVAL) && !NvmeRefusal::NotPermitted.is_final());
        assert!(NvmeRefusal::Status(0x371).is_final() && NvmeRefusal::Status(0x4371).is_final() && !NvmeRefusal::Status(0x4002).is_final());
    }
}
