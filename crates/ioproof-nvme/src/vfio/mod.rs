//! A real drive: vfio maps its registers into this process, and the IOMMU lets it reach the memory that it is given and no other. The caller opens the
//! files of vfio; this module opens nothing.

mod abi;
mod group;
mod iova;

use crate::error::Error;
use crate::host::bus::{Bus, Piece};
use crate::host::configuration::Configuration;
use crate::host::registers::Registers;
use abi::{BAR0, CONFIGURATION};
pub use group::{TURN_ON, group_of, has_group, other_devices};
use iova::Addresses;
use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A drive that vfio-pci holds.
#[derive(Debug)]
pub struct Vfio {
    registers: Registers,
    configuration: Configuration,
    addresses: Mutex<Addresses>,
    container: OwnedFd,
    // Keeps the IOMMU's domain; closed last.
    _group: OwnedFd,
}

impl Vfio {
    /// Takes a drive by its PCI address (`0000:04:00.0`), the open `/dev/vfio/vfio` and the open file of its IOMMU group.
    ///
    /// # Errors
    /// When the kernel refuses, or the device is no NVMe controller.
    pub fn new(container: OwnedFd, group: OwnedFd, address: &str) -> Result<Self, Error> {
        abi::check(&container)?;
        if !abi::is_viable(&group)? {
            return Err(Error::Unfit(format!("the kernel still uses a device of the IOMMU group of {address}")));
        }
        abi::join(&group, &container)?;
        let device = abi::device(&group, address)?;
        let configuration_at = abi::region(&device, CONFIGURATION)?.offset;
        let registers = registers(&device)?;
        let configuration = Configuration::new(device, configuration_at, address)?;
        let vfio = Self { registers, configuration, addresses: Mutex::default(), container, _group: group };
        vfio.configuration.master(true).map_err(Error::system("make the drive master of its bus"))?;
        Ok(vfio)
    }

    fn addresses(&self) -> MutexGuard<'_, Addresses> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn registers(device: &OwnedFd) -> Result<Registers, Error> {
    let region = abi::region(device, BAR0)?;
    let whole = if region.flags & abi::MAPPABLE == 0 { 0 } else { usize::try_from(region.size).unwrap_or(0) };
    Registers::map(device, region.offset, whole)
}

impl Bus for Vfio {
    fn read32(&self, offset: usize) -> u32 {
        self.registers.read32(offset)
    }

    #[inline]
    fn write32(&self, offset: usize, value: u32) {
        self.registers.write32(offset, value);
    }

    fn register_bytes(&self) -> usize {
        self.registers.bytes()
    }

    unsafe fn map(&self, start: NonNull<u8>, bytes: usize) -> io::Result<Vec<Piece>> {
        let mut addresses = self.addresses();
        let address = addresses.take(bytes as u64).ok_or(io::ErrorKind::OutOfMemory)?;
        abi::map(&self.container, start, address, bytes as u64).inspect_err(|_| addresses.give_back(address))?;
        Ok(vec![Piece { address, bytes }])
    }

    fn unmap(&self, address: u64, bytes: usize) {
        // Where the kernel keeps the mapping, the address stays taken; it goes with the container.
        if abi::unmap(&self.container, address, bytes as u64).is_ok() {
            self.addresses().give_back(address);
        }
    }
}

impl Drop for Vfio {
    fn drop(&mut self) {
        // The kernel resets the device with its last descriptor in any case.
        let _ = self.configuration.master(false);
    }
}
