//! Finds a drive that was taken by the name that was given for it.

use super::{BoundDrive, BoundNamespace, Named, bound_drives, is_taken};
use crate::error::TargetError;
use crate::system::System;
use std::path::Path;

/// Finds the drive and the namespace of a name.
///
/// # Errors
/// When it was not taken from the kernel, or the namespace is not said and there are several.
pub(crate) fn find(system: &System, given: &Path, named: &Named) -> Result<(BoundDrive, BoundNamespace), TargetError> {
    let drive = bound_drives(system).into_iter().find(|drive| drive.address == named.address);
    let hint = "`ioproof device bind SERIAL` takes a drive from the kernel; `ioproof list` shows serial numbers";
    let drive = drive.filter(|drive| is_taken(system, drive));
    let drive = drive.ok_or_else(|| TargetError::unsuitable_hint(given, "is no drive that was taken from the kernel", hint))?;
    let namespace = match (named.namespace, drive.namespaces.as_slice()) {
        (None, [only]) => Some(*only),
        (None, _) => {
            let hint = "add one of them: ns:1";
            return Err(TargetError::unsuitable_hint(given, format!("has {} namespaces", drive.namespaces.len()), hint));
        }
        (Some(number), all) => all.iter().copied().find(|namespace| namespace.number == number),
    };
    let namespace = namespace.ok_or_else(|| TargetError::unsuitable(given, "has no such namespace"))?;
    Ok((drive, namespace))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{drive, unconfined};
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::symlink;

    fn named(address: &str, namespace: Option<u32>) -> Named {
        Named { address: address.to_owned(), namespace }
    }

    #[test]
    fn only_a_drive_that_was_taken_is_a_target() {
        let tree = Tree::new();
        let text = |named: &Named| match find(&tree.system(), Path::new("x"), named) {
            Ok((_, namespace)) => format!("namespace {}", namespace.number),
            Err(error) => error.to_string(),
        };
        drive().keep(&tree.system()).unwrap();
        assert!(text(&named("0000:04:00.0", Some(1))).contains("no drive that was taken"), "the kernel has it");
        tree.folder("sys/bus/pci/drivers/vfio-pci");
        tree.folder("sys/bus/pci/devices/0000:04:00.0");
        symlink(tree.path("sys/bus/pci/drivers/vfio-pci"), tree.path("sys/bus/pci/devices/0000:04:00.0/driver")).unwrap();
        assert_eq!(text(&named("0000:04:00.0", Some(2))), "namespace 2");
        assert!(text(&named("0000:04:00.0", None)).contains("has 2 namespaces"));
        assert!(text(&named("0000:04:00.0", Some(3))).contains("no such namespace"));
        assert!(text(&named("0000:05:00.0", None)).contains("no drive that was taken"));
    }

    #[test]
    fn a_drive_behind_no_iommu_is_one_while_it_has_no_driver() {
        let tree = Tree::new();
        let is_found = || find(&tree.system(), Path::new("x"), &named("0000:04:00.0", Some(1))).is_ok();
        unconfined().keep(&tree.system()).unwrap();
        assert!(!is_found(), "it was pulled");
        tree.write("sys/bus/pci/devices/0000:04:00.0/driver_override", "(null)\n");
        assert!(!is_found(), "it was not taken");
        tree.write("sys/bus/pci/devices/0000:04:00.0/driver_override", "ioproof\n");
        assert!(is_found());
        tree.folder("sys/bus/pci/drivers/nvme");
        symlink(tree.path("sys/bus/pci/drivers/nvme"), tree.path("sys/bus/pci/devices/0000:04:00.0/driver")).unwrap();
        assert!(!is_found(), "the kernel has it");
    }
}
