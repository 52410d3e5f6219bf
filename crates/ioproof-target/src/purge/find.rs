//! Finds what is to be purged: a path means that disk, a serial number all namespaces of the drive.

use crate::block;
use crate::block::serial;
use crate::error::TargetError;
use crate::guard::Consent;
use crate::resolve::named::node_of;
use crate::resolve::resolve;
use crate::resolve::target::Target;
use crate::system::System;
use std::path::Path;

/// Finds the disks of a path or a serial number.
///
/// # Errors
/// When nothing bears that name, or it is no disk that the kernel drives.
pub fn find(system: &System, given: &str) -> Result<Vec<Target>, TargetError> {
    let path = Path::new(given);
    let bears = disks(system, given);
    if bears.is_empty() || given.contains('/') {
        let target = resolve(system, path).map_err(|error| match error {
            TargetError::Missing(_) => {
                let hint = "`ioproof list` shows the drives and their serial numbers";
                TargetError::unsuitable_hint(path, "is neither a path nor the serial number of a drive here", hint)
            }
            other => other,
        })?;
        return match (target.bound(), target.device_name()) {
            (Some(_), _) => {
                Err(TargetError::unsuitable_hint(path, "is not with the kernel", "`ioproof device unbind` gives it back first"))
            }
            (None, Some(_)) => Ok(vec![target]),
            (None, None) => Err(TargetError::unsuitable(path, "is no drive: only whole drives are purged")),
        };
    }
    let node = |name: &String| node_of(system, name).ok_or_else(|| TargetError::unsuitable(Path::new(name), "has no node in /dev"));
    bears.iter().map(|name| resolve(system, &node(name)?)).collect()
}

/// Kernel names of the disks that bear a serial number. Several are namespaces of one drive, or the write rule refuses them.
fn disks(system: &System, number: &str) -> Vec<String> {
    let bears = |name: &String| serial::serial(system, name).is_some_and(|own| own.value == number);
    block::disks(system).into_iter().filter(bears).collect()
}

/// The consent to write one of the disks: that to a drive, given by its serial number alone, is one to each of its namespaces where all of them were named.
pub(super) fn consent_to(system: &System, targets: &[Target], target: &Target, consent: &Consent) -> Consent {
    let named = || {
        let device = target.device_name()?;
        let own = serial::serial(system, device).filter(|own| consent.destroy.as_deref() == Some(&own.value))?;
        let siblings = serial::siblings(system, device);
        let is_named = |name: &String| targets.iter().any(|target| target.device_name() == Some(name));
        let number = serial::namespace_id(system, device).filter(|_| !siblings.is_empty() && siblings.iter().all(is_named))?;
        Some(format!("{}:{number}", own.value))
    };
    Consent { destroy: named().or_else(|| consent.destroy.clone()), ..consent.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::seen::Seen;
    use crate::block::tree::Tree;
    use crate::resolve::target::What;

    fn target(name: &str) -> Target {
        let seen = Seen { rdev: 0, diskseq: None, size_bytes: 0, loop_on_device: false };
        Target { what: What::Device { name: name.into(), seen }, ..resolve(&System::host(), Path::new("/dev/zero")).unwrap() }
    }

    #[test]
    fn a_serial_number_stands_for_all_namespaces_where_all_are_meant() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1), ("nvme0n2", "259:1", 2)], "S1");
        tree.nvme("nvme1", &[("nvme1n1", "259:2", 1)], "S2");
        assert_eq!(disks(&tree.system(), "S1"), ["nvme0n1", "nvme0n2"]);
        let all = [target("nvme0n1"), target("nvme0n2")];
        let given = |targets: &[Target], name: &str| {
            let consent = Consent { destroy: Some(name.into()), ..Consent::default() };
            consent_to(&tree.system(), targets, targets.last().unwrap(), &consent).destroy.unwrap()
        };
        assert_eq!(given(&all, "S1"), "S1:2");
        assert_eq!(given(&all[..1], "S1"), "S1", "which is no consent to one of two");
        assert_eq!(given(&all, "S2"), "S2");
        assert_eq!(given(&[target("nvme1n1")], "S2"), "S2");
    }

    #[test]
    fn what_is_no_drive_is_refused() {
        let said = |given: &str| find(&System::host(), given).unwrap_err().to_string();
        assert!(said("NO-SUCH-DRIVE").contains("neither a path nor the serial number"));
        assert!(said("/dev/zero").contains("no drive"));
        assert!(said(env!("CARGO_MANIFEST_DIR")).contains("no drive"));
    }
}
