//! PCI configuration space (PCI Express Base Specification 5.0, 7.5.1): the class of a device, and two bits of its command register. One lets it
//! answer, the other lets it reach memory.

use crate::error::Error;
use std::io;
use std::os::fd::OwnedFd;

/// Command register, with memory space (bit 1) and bus master (bit 2).
const COMMAND: u64 = 4;
const MEMORY_SPACE: u16 = 1 << 1;
const BUS_MASTER: u16 = 1 << 2;
/// Class code, below the revision: mass storage, NVM, NVM Express (1.3 of the PCIe transport).
const CLASS: u64 = 8;
const NVME_CLASS: u32 = 0x01_0802;

/// The configuration space of an NVMe controller, in an open file.
#[derive(Debug)]
pub(crate) struct Configuration {
    file: OwnedFd,
    /// Its place in the file. Bytes.
    at: u64,
}

impl Configuration {
    /// That of the device at an address, which must be an NVMe controller.
    pub(crate) fn new(file: OwnedFd, at: u64, address: &str) -> Result<Self, Error> {
        let mut class = [0; 4];
        rustix::io::pread(&file, &mut class, at + CLASS).map_err(|e| Error::system("read the class of the device")(e.into()))?;
        if u32::from_le_bytes(class) >> 8 != NVME_CLASS {
            return Err(Error::Unfit(format!("{address} is no NVMe controller (PCI class {:06x}h)", u32::from_le_bytes(class) >> 8)));
        }
        Ok(Self { file, at })
    }

    /// Lets the drive reach memory at all, or no longer.
    pub(crate) fn master(&self, on: bool) -> io::Result<()> {
        if on { self.command(MEMORY_SPACE | BUS_MASTER, 0) } else { self.command(0, BUS_MASTER) }
    }

    /// Lets the drive answer reads of its registers, and reach no memory.
    pub(crate) fn answer_only(&self) -> io::Result<()> {
        self.command(MEMORY_SPACE, BUS_MASTER)
    }

    /// Sets and clears bits of the command register.
    fn command(&self, set: u16, clear: u16) -> io::Result<()> {
        let mut command = [0; 2];
        rustix::io::pread(&self.file, &mut command, self.at + COMMAND)?;
        let command = u16::from_le_bytes(command) & !clear | set;
        rustix::io::pwrite(&self.file, &command.to_le_bytes(), self.at + COMMAND)?;
        Ok(())
    }
}
