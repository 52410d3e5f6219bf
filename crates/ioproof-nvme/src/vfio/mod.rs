//! A real drive: vfio maps its registers into this process, and the IOMMU lets it reach the memory that it is given and no other. The caller opens the
//! files of vfio; this module opens nothing.

mod abi;
mod group;
mod iova;

use crate::error::Error;
use crate::host::bus::Bus;
use abi::{BAR0, CONFIGURATION};
pub use group::{group_of, other_devices};
use iova::Addresses;
use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Command register of PCI's configuration space, with memory space (bit 1) and bus master (bit 2).
const COMMAND: u64 = 4;
const MEMORY_SPACE: u16 = 1 << 1;
const BUS_MASTER: u16 = 1 << 2;
/// Class code, below the revision: mass storage, NVM, NVM Express (1.3 of the PCIe transport).
const CLASS: u64 = 8;
const NVME_CLASS: u32 = 0x01_0802;

/// Registers that every kernel maps, before a table of MSI-X. Bytes.
const SAFE_BYTES: usize = 0x2000;

/// Sleep between two looks at a register that is waited for.
const PAUSE: Duration = Duration::from_micros(50);

/// A drive that vfio-pci holds.
#[derive(Debug)]
pub struct Vfio {
    registers: Registers,
    device: OwnedFd,
    configuration_at: u64,
    addresses: Mutex<Addresses>,
    container: OwnedFd,
    // Keeps the IOMMU's domain; closed last.
    _group: OwnedFd,
}

/// The registers of the drive in this process.
#[derive(Debug)]
struct Registers {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping belongs to this value alone; registers may be accessed by any thread.
unsafe impl Send for Registers {}
// SAFETY: as above; each access is one volatile load or store.
unsafe impl Sync for Registers {}

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
        let mut class = [0; 4];
        rustix::io::pread(&device, &mut class, configuration_at + CLASS)
            .map_err(|e| Error::system("read the class of the device")(e.into()))?;
        if u32::from_le_bytes(class) >> 8 != NVME_CLASS {
            return Err(Error::Unfit(format!("{address} is no NVMe controller (PCI class {:06x}h)", u32::from_le_bytes(class) >> 8)));
        }
        let vfio =
            Self { registers: Registers::map(&device)?, device, configuration_at, addresses: Mutex::default(), container, _group: group };
        vfio.master(true).map_err(Error::system("make the drive master of its bus"))?;
        Ok(vfio)
    }

    /// Lets the drive reach memory at all, or no longer.
    fn master(&self, on: bool) -> io::Result<()> {
        let mut command = [0; 2];
        rustix::io::pread(&self.device, &mut command, self.configuration_at + COMMAND)?;
        let others = u16::from_le_bytes(command) & !BUS_MASTER;
        let command = if on { others | MEMORY_SPACE | BUS_MASTER } else { others };
        rustix::io::pwrite(&self.device, &command.to_le_bytes(), self.configuration_at + COMMAND)?;
        Ok(())
    }

    fn addresses(&self) -> MutexGuard<'_, Addresses> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registers {
    fn map(device: &OwnedFd) -> Result<Self, Error> {
        let region = abi::region(device, BAR0)?;
        let whole = usize::try_from(region.size).unwrap_or(0);
        if region.flags & abi::MAPPABLE == 0 || whole < SAFE_BYTES {
            return Err(Error::Unfit("its registers cannot be mapped".to_owned()));
        }
        let what = "map the registers of the drive";
        match Self::map_part(device, region.offset, whole) {
            // Before Linux 4.16 not across a table of MSI-X.
            Err(_) if whole > SAFE_BYTES => Self::map_part(device, region.offset, SAFE_BYTES).map_err(Error::system(what)),
            other => other.map_err(Error::system(what)),
        }
    }

    fn map_part(device: &OwnedFd, offset: u64, bytes: usize) -> io::Result<Self> {
        let (protection, flags) = (rustix::mm::ProtFlags::READ | rustix::mm::ProtFlags::WRITE, rustix::mm::MapFlags::SHARED);
        // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { rustix::mm::mmap(std::ptr::null_mut(), bytes, protection, flags, device, offset) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, bytes })
    }

    /// A register of 32 bits.
    #[inline]
    fn at(&self, offset: usize) -> NonNull<u32> {
        assert!(offset + 4 <= self.bytes && offset.is_multiple_of(4), "no register");
        // SAFETY: just checked to lie inside.
        unsafe { self.start.add(offset).cast() }
    }
}

impl Drop for Registers {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own and is not used after the drop.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

impl Bus for Vfio {
    fn read32(&self, offset: usize) -> u32 {
        // SAFETY: a register of the mapping.
        u32::from_le(unsafe { self.registers.at(offset).read_volatile() })
    }

    #[inline]
    fn write32(&self, offset: usize, value: u32) {
        // SAFETY: as above.
        unsafe { self.registers.at(offset).write_volatile(value.to_le()) };
    }

    fn register_bytes(&self) -> usize {
        self.registers.bytes
    }

    unsafe fn map(&self, start: NonNull<u8>, bytes: usize) -> io::Result<u64> {
        let mut addresses = self.addresses();
        let address = addresses.take(bytes as u64).ok_or(io::ErrorKind::OutOfMemory)?;
        abi::map(&self.container, start, address, bytes as u64).inspect_err(|_| addresses.give_back(address))?;
        Ok(address)
    }

    fn unmap(&self, address: u64, bytes: usize) {
        // Where the kernel keeps the mapping, the address stays taken; it goes with the container.
        if abi::unmap(&self.container, address, bytes as u64).is_ok() {
            self.addresses().give_back(address);
        }
    }

    fn clock_ns(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
    }

    fn pause(&self) {
        std::thread::sleep(PAUSE);
    }
}

impl Drop for Vfio {
    fn drop(&mut self) {
        // The kernel resets the device with its last descriptor in any case.
        let _ = self.master(false);
    }
}
