//! A real drive behind no IOMMU: the processor's physical addresses are the drive's, and nothing keeps it from any of them. Memory is in
//! huge pages, because the kernel moves others; /proc has their addresses. Registers and configuration are files of sysfs
//! (Documentation/PCI/sysfs-pci.rst). The caller opens the files; this module opens nothing.

mod pages;

use crate::controller;
use crate::error::Error;
use crate::host::bus::{Bus, Piece};
use crate::host::configuration::Configuration;
use crate::host::registers::Registers;
use pages::Pages;
use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;

/// The smaller huge page of x86-64. Bytes.
const HUGE_BYTES: usize = 2 << 20;

/// True where a drive's addresses are the processor's, and both see one memory. Elsewhere a bridge may add an offset, and caches may hold
/// old data.
pub const IS_SUPPORTED: bool = cfg!(target_arch = "x86_64");

/// Open files of a drive that no driver of the kernel has.
#[derive(Debug)]
pub struct Files {
    /// `resource0` of the device. A lock on it keeps other programs out.
    pub registers: OwnedFd,
    /// `config` of the device.
    pub configuration: OwnedFd,
    /// `/proc/self/pagemap`.
    pub pagemap: OwnedFd,
    /// `/proc/kpageflags`.
    pub page_flags: OwnedFd,
}

/// A drive that reaches all memory.
#[derive(Debug)]
pub struct Physical {
    registers: Registers,
    configuration: Configuration,
    pages: Pages,
    // Holds the lock.
    _file: OwnedFd,
}

impl Physical {
    /// Takes a drive by its open files.
    ///
    /// # Errors
    /// When the kernel refuses, the device is no NVMe controller, or it does not stop.
    pub fn new(files: Files, address: &str) -> Result<Self, Error> {
        let drive = Self::stopped(files, address)?;
        drive.configuration.master(true).map_err(Error::system("make the drive master of its bus"))?;
        Ok(drive)
    }

    /// Stops the drive before it may reach memory. A program that was killed may have left commands, and their memory has other owners by
    /// now.
    fn stopped(files: Files, address: &str) -> Result<Self, Error> {
        let Files { registers: file, configuration, pagemap, page_flags } = files;
        let configuration = Configuration::new(configuration, 0, address)?;
        configuration.answer_only().map_err(Error::system("keep the drive from memory"))?;
        let whole = rustix::fs::fstat(&file).map_err(|e| Error::system("ask for the size of the registers")(e.into()))?.st_size;
        let registers = Registers::map(&file, 0, usize::try_from(whole).unwrap_or(0))?;
        let drive = Self { registers, configuration, pages: Pages::new(pagemap, page_flags), _file: file };
        controller::stop(&drive)?;
        Ok(drive)
    }
}

/// Stops a drive that no program drives any more, and keeps it from memory.
///
/// # Errors
/// When the kernel refuses, or it does not stop; it reaches no memory even then.
pub fn stop(files: Files, address: &str) -> Result<(), Error> {
    Physical::stopped(files, address).map(drop)
}

impl Bus for Physical {
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
        // Before a look at where they are: a write after a fork would move pages of a private mapping.
        keep_from_children(start, bytes)?;
        self.pages.pieces(start.addr().get(), bytes)
    }

    fn unmap(&self, _: u64, _: usize) {}

    fn is_confined(&self) -> bool {
        false
    }

    fn cut_off(&self) {
        // Nothing more can be done about a drive that does not even take this.
        let _ = self.configuration.master(false);
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.cut_off();
    }
}

/// Keeps memory out of child processes. Advice is for whole huge pages.
fn keep_from_children(start: NonNull<u8>, bytes: usize) -> io::Result<()> {
    let first = start.addr().get() / HUGE_BYTES * HUGE_BYTES;
    let end = (start.addr().get() + bytes).next_multiple_of(HUGE_BYTES);
    let place = std::ptr::without_provenance_mut(first);
    // SAFETY: the advice changes nothing that the memory of this process holds, and no child of this program uses memory of its parent.
    match unsafe { libc::madvise(place, end - first, libc::MADV_DONTFORK) } {
        0 => Ok(()),
        _ => Err(pages::small()),
    }
}
