//! IOMMU groups in sysfs: the devices that the IOMMU cannot keep apart, which are handed over together or not at all.

use crate::error::Error;
use std::fs;
use std::io;
use std::path::Path;

/// Remedy where a device has no group.
pub const TURN_ON: &str = "turn the IOMMU on (VT-d or AMD-Vi in the firmware, `intel_iommu=on` on the kernel's command line)";

/// True where a device, whose folder in sysfs is given, is behind an IOMMU.
#[must_use]
pub fn has_group(device: &Path) -> bool {
    device.join("iommu_group").symlink_metadata().is_ok()
}

/// The number of the IOMMU group of a device, whose folder in sysfs is given.
///
/// # Errors
/// When it has none, or shares it: the other devices are named.
pub fn group_of(device: &Path) -> Result<u32, Error> {
    let link = match fs::read_link(device.join("iommu_group")) {
        Ok(link) => link,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::Unfit(format!("the device is behind no IOMMU, so it could write anywhere in memory: {TURN_ON}")));
        }
        Err(error) => return Err(Error::system("find the IOMMU group of the device")(error)),
    };
    let others = other_devices(device).map_err(Error::system("list the IOMMU group of the device"))?;
    if !others.is_empty() {
        return Err(Error::Unfit(format!(
            "the IOMMU does not separate the device from {}: all would be handed over with it",
            others.join(", ")
        )));
    }
    let number = link.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
    number.ok_or_else(|| Error::Unfit(format!("the IOMMU group {} has no number", link.display())))
}

/// Other devices of the group: address, and driver where one has it. Bridges are left out; vfio lets the kernel keep them.
///
/// # Errors
/// When the group cannot be listed.
pub fn other_devices(device: &Path) -> io::Result<Vec<String>> {
    let own = device.canonicalize()?;
    let mut others = Vec::new();
    for entry in fs::read_dir(device.join("iommu_group/devices"))? {
        let path = entry?.path();
        let class = fs::read_to_string(path.join("class")).unwrap_or_default();
        if path.canonicalize()? == own || class.starts_with("0x0604") {
            continue;
        }
        let address = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let driver = fs::read_link(path.join("driver")).ok();
        let driver = driver.as_deref().and_then(Path::file_name).map(|name| format!(" ({})", name.to_string_lossy()));
        others.push(address + &driver.unwrap_or_default());
    }
    others.sort();
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder as sysfs has it: a group of devices with their classes.
    fn sysfs(devices: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let group = root.path().join("groups/13/devices");
        fs::create_dir_all(&group).unwrap();
        fs::create_dir_all(root.path().join("drivers/snd")).unwrap();
        for (address, class) in devices {
            let device = root.path().join(address);
            fs::create_dir(&device).unwrap();
            fs::write(device.join("class"), class).unwrap();
            symlink(root.path().join("groups/13"), device.join("iommu_group")).unwrap();
            symlink(&device, group.join(address)).unwrap();
        }
        root
    }

    #[test]
    fn a_device_alone_or_with_bridges_has_its_group() {
        let root = sysfs(&[("0000:04:00.0", "0x010802\n"), ("0000:00:1c.0", "0x060400\n")]);
        assert_eq!(group_of(&root.path().join("0000:04:00.0")).unwrap(), 13);
    }

    #[test]
    fn a_group_with_others_is_refused_with_their_names() {
        let root = sysfs(&[("0000:04:00.0", "0x010802\n"), ("0000:04:00.1", "0x040300\n"), ("0000:05:00.0", "0x020000\n")]);
        symlink(root.path().join("drivers/snd"), root.path().join("0000:04:00.1/driver")).unwrap();
        let error = group_of(&root.path().join("0000:04:00.0")).unwrap_err().to_string();
        assert!(error.contains("from 0000:04:00.1 (snd), 0000:05:00.0:"), "{error}");
    }

    #[test]
    fn without_an_iommu_it_is_said_how_to_turn_it_on() {
        let root = tempfile::tempdir().unwrap();
        assert!(group_of(root.path()).unwrap_err().to_string().contains("intel_iommu=on"));
    }
}
