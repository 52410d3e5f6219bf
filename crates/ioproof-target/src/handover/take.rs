//! Taking a drive from the kernel.

use super::{give_back, tell, unconfined};
use crate::block::{self, serial};
use crate::bound::{BoundDrive, BoundNamespace, VFIO, chosen_driver, device, driver};
use crate::error::TargetError;
use crate::guard::Consent;
use crate::open::open_to_write;
use crate::owned::handle::Handle;
use crate::resolve::named::node_of;
use crate::system::System;
use ioproof_nvme::vfio::group_of;
use std::path::Path;

/// Takes the NVMe drive of this serial number from the kernel, if nothing stands on any of its namespaces. `consent` has the further
/// consents; the serial number is that to the drive itself. `unsafe_no_iommu` is that to a drive behind no IOMMU ([`crate::UNCONFINED`]).
///
/// # Errors
/// When there is no such drive, it is in use or holds data, or the host cannot hand it over: no vfio-pci, no IOMMU, a group of several devices.
pub fn bind(system: &System, serial: &str, consent: &Consent, unsafe_no_iommu: bool) -> Result<BoundDrive, TargetError> {
    let given = Path::new(serial);
    let drive = find(system, given, serial)?;
    let drive = BoundDrive { unconfined: unconfined::choose(system, serial, &drive.address, unsafe_no_iommu)?, ..drive };
    if drive.is_confined() {
        has_vfio(system, given, &drive)?;
    }
    // Held until the kernel has let go of the drive, so that nobody comes between the check and that.
    let held = permit(system, &drive, consent)?;
    drive.keep(system)?;
    let moved = if drive.is_confined() { hand_over(system, &drive) } else { unconfined::take(system, &drive) };
    drop(held);
    if let Err(error) = moved {
        // As it was; the error that is told is the first.
        let _ = give_back::unbind(system, &drive.address);
        return Err(error);
    }
    Ok(drive)
}

/// Refuses a drive that vfio-pci cannot take.
fn has_vfio(system: &System, given: &Path, drive: &BoundDrive) -> Result<(), TargetError> {
    group_of(&device(system, &drive.address)).map_err(|error| TargetError::unsuitable(given, error.to_string()))?;
    if !system.sys(&format!("bus/pci/drivers/{VFIO}")).is_dir() {
        return Err(TargetError::unsuitable_hint(given, "cannot be taken: the driver vfio-pci is not loaded", "modprobe vfio-pci"));
    }
    Ok(())
}

fn find(system: &System, given: &Path, serial: &str) -> Result<BoundDrive, TargetError> {
    let text = |controller: &str, file: &str| system.sys_text(&format!("class/nvme/{controller}/{file}")).unwrap_or_default();
    let mut all = system.sys_list("class/nvme");
    all.retain(|name| text(name, "serial") == serial);
    let controller = match all.as_slice() {
        [controller] => controller,
        [] => {
            let hint = "`ioproof list` shows the serial numbers; one that is bound already is given back by `ioproof device unbind`";
            return Err(TargetError::unsuitable_hint(given, "is the serial number of no NVMe drive that the kernel drives", hint));
        }
        several => {
            return Err(TargetError::unsuitable(given, format!("is the serial number of several controllers: {}", several.join(", "))));
        }
    };
    let link = system.sys(&format!("class/nvme/{controller}/device")).canonicalize();
    let link = link.map_err(|error| TargetError::io(given, "find its PCI device", error))?;
    let address = link.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let is_pcie = text(controller, "transport") == "pcie" && device(system, &address).is_dir();
    let driver = driver(system, &address).filter(|_| is_pcie);
    let driver = driver.ok_or_else(|| TargetError::unsuitable(given, format!("is {controller}, which is not on PCIe")))?;
    let override_before = chosen_driver(system, &address);
    Ok(BoundDrive {
        namespaces: namespaces(system, serial),
        model: text(controller, "model"),
        firmware: text(controller, "firmware_rev"),
        serial: serial.to_owned(),
        override_before: override_before.unwrap_or_default(),
        unconfined: None,
        address,
        driver,
    })
}

/// Kernel names of the namespaces of a drive.
fn disks(system: &System, serial: &str) -> Vec<String> {
    let is_of = |disk: &String| disk.starts_with("nvme") && serial::serial(system, disk).is_some_and(|own| own.value == serial);
    block::disks(system).into_iter().filter(is_of).collect()
}

/// Namespaces of a drive that the kernel has, by number.
pub(super) fn namespaces(system: &System, serial: &str) -> Vec<BoundNamespace> {
    let namespace = |disk: String| {
        Some(BoundNamespace {
            number: serial::namespace_id(system, &disk)?.try_into().ok()?,
            size_bytes: block::size_bytes(system, &disk)?,
            block_bytes: block::logical_block_bytes(system, &disk)?,
        })
    };
    let mut all: Vec<BoundNamespace> = disks(system, serial).into_iter().filter_map(namespace).collect();
    all.sort_by_key(|namespace| namespace.number);
    all
}

/// The write rule on each namespace, as if it were to be written; held exclusively.
fn permit(system: &System, drive: &BoundDrive, consent: &Consent) -> Result<Vec<Handle>, TargetError> {
    let disks = disks(system, &drive.serial);
    if disks.is_empty() || disks.len() != drive.namespaces.len() {
        return Err(TargetError::unsuitable(Path::new(&drive.serial), "has no namespace, or one that the kernel cannot use"));
    }
    let open = |disk: &String| {
        let number = serial::namespace_id(system, disk).unwrap_or_default();
        let consent = Consent { destroy: Some(format!("{}:{number}", drive.serial)), ..consent.clone() };
        let node = node_of(system, disk).ok_or_else(|| TargetError::unsuitable(Path::new(disk), "has no node in /dev"))?;
        open_to_write(system, &crate::resolve::resolve(system, &node)?, &consent)
    };
    disks.iter().map(open).collect()
}

fn hand_over(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    let folder = device(system, &drive.address);
    tell(&folder.join("driver_override"), VFIO, "choose vfio-pci for the drive")?;
    tell(&folder.join("driver/unbind"), &drive.address, "take the drive from its driver")?;
    tell(&system.sys("bus/pci/drivers_probe"), &drive.address, "give the drive to vfio-pci")?;
    match driver(system, &drive.address) {
        Some(name) if name == VFIO => Ok(()),
        other => Err(TargetError::unsuitable_hint(
            Path::new(&drive.serial),
            format!("was not taken by vfio-pci (its driver is {})", other.as_deref().unwrap_or("none")),
            "`dmesg` says why; the drive was given back",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::symlink;

    /// A drive in a group of its own, as sysfs has it.
    fn machine() -> Tree {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        let folder = "sys/bus/pci/devices/0000:04:00.0";
        tree.write(&format!("{folder}/class"), "0x010802\n");
        tree.write(&format!("{folder}/driver_override"), "(null)\n");
        tree.folder("sys/bus/pci/drivers/nvme");
        tree.folder("sys/kernel/iommu_groups/7/devices");
        symlink(tree.path("sys/bus/pci/drivers/nvme"), tree.path(&format!("{folder}/driver"))).unwrap();
        symlink(tree.path("sys/kernel/iommu_groups/7"), tree.path(&format!("{folder}/iommu_group"))).unwrap();
        symlink(tree.path(folder), tree.path("sys/kernel/iommu_groups/7/devices/0000:04:00.0")).unwrap();
        for (file, text) in [("serial", "S1  \n"), ("model", "A drive\n"), ("firmware_rev", "1.0\n"), ("transport", "pcie\n")] {
            tree.write(&format!("sys/class/nvme/nvme0/{file}"), text);
        }
        symlink(tree.path(folder), tree.path("sys/class/nvme/nvme0/device")).unwrap();
        tree
    }

    fn refusal(tree: &Tree, serial: &str) -> (String, String) {
        let error = bind(&tree.system(), serial, &Consent::default(), false).unwrap_err();
        (error.to_string(), error.hint().unwrap_or_default())
    }

    #[test]
    fn a_drive_is_found_by_its_serial_number_alone() {
        let tree = machine();
        let drive = find(&tree.system(), Path::new("S1"), "S1").unwrap();
        assert_eq!((drive.address.as_str(), drive.driver.as_str(), drive.override_before.as_str()), ("0000:04:00.0", "nvme", ""));
        assert_eq!(drive.namespaces.len(), 1);
        for wrong in ["S", "s1", "nvme0", "0000:04:00.0"] {
            assert!(refusal(&tree, wrong).0.contains("of no NVMe drive"), "{wrong}");
        }
        tree.write("sys/class/nvme/nvme1/serial", "S1\n");
        assert!(refusal(&tree, "S1").0.contains("several controllers: nvme0, nvme1"));
    }

    #[test]
    fn a_host_that_cannot_hand_it_over_says_what_to_do() {
        let tree = machine();
        assert_eq!(refusal(&tree, "S1").1, "modprobe vfio-pci");
        let other = "sys/bus/pci/devices/0000:04:00.1";
        tree.write(&format!("{other}/class"), "0x020000\n");
        symlink(tree.path(other), tree.path("sys/kernel/iommu_groups/7/devices/0000:04:00.1")).unwrap();
        assert!(refusal(&tree, "S1").0.contains("does not separate the device from 0000:04:00.1"));
        std::fs::remove_file(tree.path("sys/bus/pci/devices/0000:04:00.0/iommu_group")).unwrap();
        assert!(refusal(&tree, "S1").1.contains("intel_iommu=on"));
        tree.write("sys/class/nvme/nvme0/transport", "tcp\n");
        assert!(refusal(&tree, "S1").0.contains("not on PCIe"));
    }

    #[test]
    fn nothing_changes_where_a_namespace_is_refused() {
        let tree = machine();
        tree.folder("sys/bus/pci/drivers/vfio-pci");
        bind(&tree.system(), "S1", &Consent::default(), false).unwrap_err();
        std::fs::remove_file(tree.path("sys/bus/pci/devices/0000:04:00.0/iommu_group")).unwrap();
        bind(&tree.system(), "S1", &Consent::default(), true).unwrap_err();
        assert_eq!(std::fs::read_to_string(tree.path("sys/bus/pci/devices/0000:04:00.0/driver_override")).unwrap(), "(null)\n");
        assert_eq!(crate::bound::bound_drives(&tree.system()), []);
    }
}
