//! The way to a drive for commands that read, and for nothing else.
//!
//! What can be sent is the closed list [`Command`]; neither the trait nor the ioctl takes an opcode, so no caller can make a drive write, erase, format or reset.
//! That matters because the kernel does not: an ioctl on a descriptor that was opened to read may carry any command. `node` opens a device and is the real way,
//! `ioctl` is its only unsafe code, and tests answer from a script. `scsi` is the same for SCSI and ATA.

mod command;
mod ioctl;
mod node;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod scsi;

pub use command::Command;
pub use node::{DeviceNode, ReadError};

/// What a drive gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The 32 bits of the completion; the value of most features.
    pub result: u32,
    /// The data, as long as the command asks for.
    pub data: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The kernel does not let this user send it.
    NotPermitted,
    /// The drive completed it with a status: its type in bits 8-10, its code in bits 0-7.
    Status(u16),
    /// The kernel could not deliver it.
    System(String),
}

/// Something that answers NVMe commands.
pub trait Transport {
    /// What is asked, for people: `/dev/nvme0`.
    fn name(&self) -> String;

    /// The namespace that it stands for; `None` where it is a controller.
    fn namespace(&mut self) -> Option<u32>;

    /// Sends a command and waits for its completion.
    ///
    /// # Errors
    /// Where the user may not, the drive will not, or the kernel cannot.
    fn ask(&mut self, command: Command) -> Result<Answer, Refusal>;
}
