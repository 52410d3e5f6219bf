//! Giving a drive back to the kernel, as it was. Every step may be done already: it also mends what was broken off.

use super::{take, tell, unconfined};
use crate::bound::{BoundDrive, VFIO, bound_drives, device, driver};
use crate::error::TargetError;
use crate::system::System;
use ioproof_nvme::vfio::group_of;
use rustix::fs::{Mode, OFlags};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time that the kernel may take to find the namespaces again.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(50);

/// Gives a drive back, named by serial number or address.
///
/// # Errors
/// When no such drive was taken, a program still drives it, or it does not come back as it was.
pub fn unbind(system: &System, name: &str) -> Result<BoundDrive, TargetError> {
    let drive = bound_drives(system).into_iter().find(|drive| drive.serial == name || drive.address == name);
    let none =
        || TargetError::unsuitable_hint(Path::new(name), "is no drive that ioproof has taken", "`ioproof list` shows those that are bound");
    let drive = drive.ok_or_else(none)?;
    give_back(system, &drive)?;
    Ok(drive)
}

/// Gives all drives back that were taken and that no program drives, each with its own outcome.
pub fn recover(system: &System) -> Vec<(BoundDrive, Result<(), TargetError>)> {
    let outcome = |drive: BoundDrive| {
        let given = give_back(system, &drive);
        (drive, given)
    };
    bound_drives(system).into_iter().map(outcome).collect()
}

fn give_back(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    let folder = device(system, &drive.address);
    if !folder.is_dir() {
        // It was pulled: nothing is left to be given back.
        return drive.forget(system);
    }
    let now = driver(system, &drive.address);
    // Held until the kernel has the drive.
    let _lock = match now.as_deref() {
        Some(VFIO) => is_free(system, drive).map(|()| None)?,
        None if !drive.is_confined() => Some(unconfined::stop(system, drive)?.ok_or_else(|| driven(drive))?),
        _ => None,
    };
    if let Some(state) = &drive.unconfined {
        unconfined::restore_power(system, drive, state)?;
    }
    // An empty line means that there is none.
    let before = if drive.override_before.is_empty() { "\n" } else { &drive.override_before };
    tell(&folder.join("driver_override"), before, "set the choice of its driver back")?;
    if now.as_deref() != Some(&drive.driver) {
        if now.is_some() {
            tell(&folder.join("driver/unbind"), &drive.address, "take the drive from vfio-pci")?;
        }
        tell(&system.sys(&format!("bus/pci/drivers/{}/bind", drive.driver)), &drive.address, "give the drive back to its driver")?;
    }
    wait(system, drive)?;
    drive.forget(system)
}

/// The kernel would wait for a program that still drives it, without end.
fn is_free(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    let given = Path::new(&drive.serial);
    let number = group_of(&device(system, &drive.address)).map_err(|error| TargetError::unsuitable(given, error.to_string()))?;
    let path = format!("/dev/vfio/{number}");
    match rustix::fs::open(&path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
        Ok(_) => Ok(()),
        Err(rustix::io::Errno::BUSY) => Err(driven(drive)),
        Err(error) => Err(TargetError::io(Path::new(&path), "look whether a program drives it", error)),
    }
}

/// Refusal while a program drives it.
fn driven(drive: &BoundDrive) -> TargetError {
    let files = if drive.is_confined() { "/dev/vfio/*".to_owned() } else { format!("/sys/bus/pci/devices/{}/resource0", drive.address) };
    let hint = format!("end it first; `fuser {files}` names it");
    TargetError::unsuitable_hint(Path::new(&drive.serial), "is being driven by a program", hint)
}

/// Waits until the kernel has all namespaces again, as they were.
fn wait(system: &System, drive: &BoundDrive) -> Result<(), TargetError> {
    let until = Instant::now() + PATIENCE;
    while take::namespaces(system, &drive.serial) != drive.namespaces {
        if Instant::now() > until {
            let what = "is with its driver again, but its namespaces are not as they were";
            return Err(TargetError::unsuitable_hint(
                Path::new(&drive.serial),
                what,
                "`dmesg` says why; `ioproof device recover` looks again",
            ));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use crate::bound::testing::drive;

    #[test]
    fn a_drive_that_was_never_taken_is_left_alone() {
        let tree = Tree::new();
        let error = unbind(&tree.system(), "S1").unwrap_err();
        assert!(error.to_string().contains("no drive that ioproof has taken"), "{error}");
        assert!(recover(&tree.system()).is_empty());
    }

    #[test]
    fn a_drive_that_was_pulled_is_forgotten() {
        let tree = Tree::new();
        drive().keep(&tree.system()).unwrap();
        assert!(unbind(&tree.system(), "S1").is_ok());
        assert_eq!(bound_drives(&tree.system()), []);
    }

    #[test]
    fn a_drive_without_a_driver_goes_to_the_one_that_it_had() {
        let tree = Tree::new();
        let folder = "sys/bus/pci/devices/0000:04:00.0";
        tree.write(&format!("{folder}/driver_override"), "vfio-pci\n");
        tree.write("sys/bus/pci/drivers/nvme/bind", "");
        let alone = BoundDrive { namespaces: Vec::new(), ..drive() };
        alone.keep(&tree.system()).unwrap();
        let outcomes = recover(&tree.system());
        assert!(matches!(outcomes.as_slice(), [(_, Ok(()))]), "{outcomes:?}");
        let text = |path: &str| std::fs::read_to_string(tree.path(path)).unwrap();
        assert_eq!((text(&format!("{folder}/driver_override")), text("sys/bus/pci/drivers/nvme/bind")), ("\n".into(), alone.address));
    }
}
