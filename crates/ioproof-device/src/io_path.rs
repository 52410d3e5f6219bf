//! The I/O path to a drive, as three pages: the PCI functions on it, the block layer's queue, the interrupts.

use crate::sysfs_device::SysfsDevice;
use crate::{interrupts, pcie_path, queue};
use ioproof_pages::field::Page;
use ioproof_target::System;

/// The pages `pcie-path`, `queue` and `interrupts` of the drive with this kernel name. Facts that the kernel does not tell are left out and named as problems.
#[must_use]
pub fn io_path_pages(system: &System, name: &str) -> Vec<Page> {
    let device = SysfsDevice::find(system, name);
    vec![pcie_path::page(&device), queue::page(&device), interrupts::page(&device)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_is_not_there_has_empty_pages() {
        let dir = tempfile::tempdir().unwrap();
        let pages = io_path_pages(&System::captured(dir.path()), "nvme9n1");
        assert_eq!(pages.iter().map(|page| page.name.as_str()).collect::<Vec<_>>(), ["pcie-path", "queue", "interrupts"]);
        assert!(pages.iter().all(|page| page.fields.is_empty()));
    }
}
