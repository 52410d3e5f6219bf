//! Files of a drive behind no IOMMU that was taken: no driver of the kernel has it, so it is driven by files of sysfs
//! (Documentation/PCI/sysfs-pci.rst).

use super::{BoundDrive, device};
use crate::error::TargetError;
use crate::system::System;
use ioproof_nvme::physical::Files;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;

/// The dangers of driving a drive behind no IOMMU.
pub const UNCONFINED: &str = "nothing keeps the drive from any memory: a fault of the drive or of this program, or a kill -9 in the middle \
                              of a read, may overwrite memory of any program or of the kernel; use it only on a machine that may crash, \
                              with nothing of worth mounted";

/// Opens all that its driver needs; `None` while another program drives it.
pub(crate) fn files(system: &System, drive: &BoundDrive) -> Result<Option<Files>, TargetError> {
    let folder = device(system, &drive.address);
    let registers = open(&folder.join("resource0"), OFlags::RDWR)?;
    match flock(&registers, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => return Ok(None),
        other => other.map_err(|error| TargetError::io(&folder.join("resource0"), "lock the drive", error))?,
    }
    Ok(Some(Files {
        registers,
        configuration: open(&folder.join("config"), OFlags::RDWR)?,
        pagemap: open(&system.proc("self/pagemap"), OFlags::RDONLY)?,
        page_flags: open(&system.proc("kpageflags"), OFlags::RDONLY)?,
    }))
}

/// Lets the device work: the kernel disabled it with the end of its driver.
pub(crate) fn enable(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    if is_enabled(system, drive) { Ok(()) } else { tell_enable(system, drive, "1") }
}

/// Disables it again, as the kernel's driver expects it.
pub(crate) fn disable(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    if is_enabled(system, drive) { tell_enable(system, drive, "0") } else { Ok(()) }
}

fn is_enabled(system: &System, drive: &BoundDrive) -> bool {
    system.sys_number(&format!("bus/pci/devices/{}/enable", drive.address)).is_some_and(|times| times > 0)
}

fn tell_enable(system: &System, drive: &BoundDrive, word: &str) -> Result<(), TargetError> {
    let path = device(system, &drive.address).join("enable");
    std::fs::write(&path, word).map_err(|error| TargetError::io(&path, "enable or disable the device", error))
}

fn open(path: &Path, access: OFlags) -> Result<OwnedFd, TargetError> {
    rustix::fs::open(path, access | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| TargetError::io(path, "open it to drive the drive", error))
}

#[cfg(test)]
pub(crate) mod testing {
    use crate::block::tree::Tree;

    /// Bus master and memory space.
    const MASTERS: u8 = 6;

    /// The files of a device that a killed program left: enabled, and master of its bus.
    pub(crate) fn left_behind(tree: &Tree, folder: &str) {
        let mut configuration = [0; 64];
        configuration[4] = MASTERS;
        configuration[8..12].copy_from_slice(&0x0108_0200_u32.to_le_bytes());
        tree.write_bytes(&format!("{folder}/config"), &configuration);
        // Controller Configuration: enabled.
        let mut registers = vec![0; 0x4000];
        registers[0x14] = 1;
        tree.write_bytes(&format!("{folder}/resource0"), &registers);
        tree.write(&format!("{folder}/enable"), "1\n");
        tree.write("proc/self/pagemap", "");
        tree.write("proc/kpageflags", "");
    }

    /// True where the controller runs, and where it masters its bus.
    pub(crate) fn runs_and_masters(tree: &Tree, folder: &str) -> (bool, bool) {
        let byte = |file: &str, at: usize| std::fs::read(tree.path(&format!("{folder}/{file}"))).unwrap()[at];
        (byte("resource0", 0x14) & 1 == 1, byte("config", 4) & 4 == 4)
    }
}
