//! Taking a drive behind no IOMMU, and giving it back: no driver has it in between, and nothing keeps it from any memory.

use super::{addresses, tell};
use crate::bound::unconfined::{UNCONFINED, disable, files};
use crate::bound::{BoundDrive, NO_DRIVER, Unconfined, device, driver};
use crate::error::TargetError;
use crate::system::System;
use ioproof_core::text::visible;
use ioproof_nvme::physical;
use ioproof_nvme::vfio::{TURN_ON, has_group};
use std::os::fd::OwnedFd;
use std::path::Path;

/// The word by which the user agrees.
const FLAG: &str = "--unsafe-no-iommu";

/// Settles whether a drive is to be taken without an IOMMU. Only one that has none is, and only where that was agreed to.
pub(super) fn choose(system: &System, serial: &str, address: &str, agreed: bool) -> Result<Option<Unconfined>, TargetError> {
    let given = Path::new(serial);
    match (has_group(&device(system, address)), agreed) {
        (true, false) => Ok(None),
        (true, true) => {
            let what = "is behind an IOMMU, which keeps it to the memory that it is given";
            Err(TargetError::unsuitable_hint(given, what, format!("leave {FLAG} out")))
        }
        (false, false) => {
            let what = "is behind no IOMMU, so it could write anywhere in memory";
            let hint = format!("{TURN_ON}; or `ioproof device bind {} {FLAG}`, and then {UNCONFINED}", visible(serial));
            Err(TargetError::unsuitable_hint(given, what, hint))
        }
        (false, true) => match addresses::why_not(system) {
            Some(why) => Err(TargetError::unsuitable_hint(given, format!("cannot be driven without an IOMMU: {why}"), TURN_ON)),
            None => Ok(Some(Unconfined { power_before: power(system, address).unwrap_or_default() })),
        },
    }
}

/// Takes the drive from its driver. It stays awake: nobody would wake it.
pub(super) fn take(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    let folder = device(system, &drive.address);
    set_power(system, drive, "on")?;
    tell(&folder.join("driver_override"), NO_DRIVER, "keep other drivers from the drive")?;
    if driver(system, &drive.address).is_some() {
        tell(&folder.join("driver/unbind"), &drive.address, "take the drive from its driver")?;
    }
    match driver(system, &drive.address) {
        None => Ok(()),
        Some(name) => {
            let what = format!("was not let go by its driver {name}");
            Err(TargetError::unsuitable_hint(Path::new(&drive.serial), what, "`dmesg` says why"))
        }
    }
}

/// Stops the drive and keeps it from memory, before the kernel has it again. The file keeps programs out until then; `None` while one
/// drives it.
pub(super) fn stop(system: &System, drive: &BoundDrive) -> Result<Option<OwnedFd>, TargetError> {
    let Some(files) = files(system, drive)? else { return Ok(None) };
    let lock = files.registers.try_clone().map_err(|error| TargetError::io(Path::new(&drive.address), "hold it", error))?;
    // One that does not stop is off its bus all the same, and the kernel's driver resets it.
    let _ = physical::stop(files, &drive.address);
    disable(system, drive)?;
    Ok(Some(lock))
}

/// Sets the choice of its power back.
pub(super) fn restore_power(system: &System, drive: &BoundDrive, state: &Unconfined) -> Result<(), TargetError> {
    if state.power_before.is_empty() { Ok(()) } else { set_power(system, drive, &state.power_before) }
}

fn set_power(system: &System, drive: &BoundDrive, wanted: &str) -> Result<(), TargetError> {
    match power(system, &drive.address) {
        Some(now) if now != wanted => tell(&device(system, &drive.address).join("power/control"), wanted, "choose when the drive sleeps"),
        _ => Ok(()),
    }
}

/// `auto` where the kernel may let the device sleep, else `on`.
fn power(system: &System, address: &str) -> Option<String> {
    system.sys_text(&format!("bus/pci/devices/{address}/power/control"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use crate::bound::testing::unconfined;
    use crate::bound::unconfined::testing::{left_behind, runs_and_masters};
    use crate::bound::{bound_drives, is_taken};
    use crate::handover::{recover, unbind};
    use std::os::unix::fs::symlink;

    const FOLDER: &str = "sys/bus/pci/devices/0000:04:00.0";

    fn drive() -> BoundDrive {
        BoundDrive { namespaces: Vec::new(), ..unconfined() }
    }

    fn text(tree: &Tree, path: &str) -> String {
        std::fs::read_to_string(tree.path(path)).unwrap()
    }

    /// A device that no driver has any more.
    fn machine() -> Tree {
        let tree = Tree::new();
        tree.write(&format!("{FOLDER}/driver_override"), "(null)\n");
        tree.write(&format!("{FOLDER}/power/control"), "auto\n");
        tree
    }

    #[test]
    fn memory_that_the_drive_cannot_read_is_refused() {
        let tree = machine();
        tree.write("proc/cpuinfo", "flags\t\t: fpu hypervisor sev\n");
        let error = choose(&tree.system(), "S1", "0000:04:00.0", true).unwrap_err();
        assert!(error.to_string().contains("cannot be driven without an IOMMU"), "{error}");
    }

    #[test]
    fn only_a_drive_behind_no_iommu_is_taken_so_and_only_where_that_was_said() {
        let tree = machine();
        let choose = |agreed| choose(&tree.system(), "S1", "0000:04:00.0", agreed);
        let refusal = choose(false).unwrap_err();
        assert!(refusal.to_string().contains("behind no IOMMU"), "{refusal}");
        let hint = refusal.hint().unwrap();
        for words in ["intel_iommu=on", "device bind S1 --unsafe-no-iommu", "may overwrite memory of any program or of the kernel"] {
            assert!(hint.contains(words), "{hint}");
        }
        assert_eq!(choose(true).unwrap(), Some(Unconfined { power_before: "auto".into() }));
        symlink("../../../kernel/iommu_groups/7", tree.path(&format!("{FOLDER}/iommu_group"))).unwrap();
        assert_eq!(choose(false).unwrap(), None);
        assert_eq!(choose(true).unwrap_err().hint().unwrap(), "leave --unsafe-no-iommu out");
    }

    #[test]
    fn it_is_awake_and_without_a_driver() {
        let tree = machine();
        take(&tree.system(), &drive()).unwrap();
        assert_eq!(
            (text(&tree, &format!("{FOLDER}/power/control")), text(&tree, &format!("{FOLDER}/driver_override"))),
            ("on".into(), "ioproof".into())
        );
        assert!(is_taken(&tree.system(), &drive()));
        tree.folder("sys/bus/pci/drivers/nvme");
        symlink(tree.path("sys/bus/pci/drivers/nvme"), tree.path(&format!("{FOLDER}/driver"))).unwrap();
        let error = take(&tree.system(), &drive()).unwrap_err().to_string();
        assert!(error.contains("not let go by its driver nvme"), "{error}");
        assert_eq!(text(&tree, "sys/bus/pci/drivers/nvme/unbind"), "0000:04:00.0");
    }

    #[test]
    fn what_a_killed_program_left_is_stopped_before_the_kernel_has_it() {
        let tree = machine();
        take(&tree.system(), &drive()).unwrap();
        drive().keep(&tree.system()).unwrap();
        left_behind(&tree, FOLDER);
        tree.write("sys/bus/pci/drivers/nvme/bind", "");
        assert_eq!(runs_and_masters(&tree, FOLDER), (true, true));
        assert!(matches!(recover(&tree.system()).as_slice(), [(_, Ok(()))]));
        assert_eq!(runs_and_masters(&tree, FOLDER), (false, false));
        let files = ["enable", "driver_override", "power/control"].map(|file| text(&tree, &format!("{FOLDER}/{file}")));
        assert_eq!(files, ["0", "\n", "auto"]);
        assert_eq!(text(&tree, "sys/bus/pci/drivers/nvme/bind"), "0000:04:00.0");
        assert_eq!(bound_drives(&tree.system()), []);
    }

    #[test]
    fn a_drive_that_a_program_drives_is_not_given_back() {
        let tree = machine();
        take(&tree.system(), &drive()).unwrap();
        drive().keep(&tree.system()).unwrap();
        left_behind(&tree, FOLDER);
        let held = files(&tree.system(), &drive()).unwrap().unwrap();
        assert!(files(&tree.system(), &drive()).unwrap().is_none(), "a second program is kept out");
        let error = unbind(&tree.system(), "S1").unwrap_err();
        assert!(error.to_string().contains("is being driven by a program"), "{error}");
        assert_eq!((runs_and_masters(&tree, FOLDER), text(&tree, &format!("{FOLDER}/driver_override"))), ((true, true), "ioproof".into()));
        drop(held);
        tree.write("sys/bus/pci/drivers/nvme/bind", "");
        assert!(unbind(&tree.system(), "S1").is_ok());
    }
}
