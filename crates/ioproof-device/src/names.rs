//! Names of a drive: kind, maker, model, serial number and firmware, each from the best file that its driver offers.
//!
//! `identify` puts them into the facts; `vpd` reads the binary pages.

use crate::sysfs_device::{SysfsDevice, is_number};
use crate::vpd::{self, AtaIdentity};
use ioproof_core::facts::{DriveKind, Fact};

/// Kernel names by driver: the prefix is the driver's own (`Documentation/admin-guide/devices.txt`).
const PREFIXES: [(&str, DriveKind); 7] = [
    ("nvme", DriveKind::Nvme),
    ("loop", DriveKind::Loop),
    ("zram", DriveKind::Zram),
    ("mmcblk", DriveKind::Mmc),
    ("vd", DriveKind::Virtio),
    ("sd", DriveKind::Scsi),
    ("sr", DriveKind::Scsi),
];

/// Kind of the drive, by the driver that attached it.
pub(crate) fn kind(device: &SysfsDevice) -> DriveKind {
    let by_name = PREFIXES.iter().find(|(prefix, _)| device.disk_name().starts_with(prefix));
    match by_name.map_or(DriveKind::Other, |(_, kind)| *kind) {
        DriveKind::Scsi if is_ata(device) => DriveKind::Sata,
        kind => kind,
    }
}

/// A SCSI disk is an ATA drive where the vendor says so (SAT-5, INQUIRY: also behind a SAS adapter) or libata's port is on its path.
fn is_ata(device: &SysfsDevice) -> bool {
    device.text("device/vendor").is_some_and(|vendor| vendor.value == "ATA")
        || device.device_path().is_some_and(|device_path| ata_port(&device_path).is_some())
}

/// The number of libata's port on a resolved path: `1` in `devices/pci0000:00/0000:00:1f.2/ata1/host0/...`.
pub(crate) fn ata_port(device_path: &str) -> Option<&str> {
    device_path.split('/').filter_map(|part| part.strip_prefix("ata")).find(|number| is_number(number))
}

/// Names of a drive.
#[derive(Debug, Default)]
pub(crate) struct DriveNames {
    pub(crate) vendor: Option<Fact<String>>,
    pub(crate) model: Option<Fact<String>>,
    pub(crate) serial: Option<Fact<String>>,
    pub(crate) firmware: Option<Fact<String>>,
}

impl DriveNames {
    /// Reads the names of a drive of this kind.
    pub(crate) fn read(device: &SysfsDevice, kind: DriveKind) -> Self {
        match kind {
            DriveKind::Nvme => Self::plain(device, "device/model", "device/firmware_rev"),
            DriveKind::Mmc => Self::plain(device, "device/name", "device/fwrev"),
            DriveKind::Sata => Self::ata(device),
            DriveKind::Scsi => Self { vendor: device.text("device/vendor"), ..Self::plain(device, "device/model", "device/rev") },
            // `device/vendor` of a virtio disk is the number of the transport's vendor, not the maker of the drive.
            DriveKind::Virtio => Self { serial: serial(device), ..Self::default() },
            DriveKind::Loop | DriveKind::Zram => Self::default(),
            DriveKind::Other => Self::plain(device, "device/model", "device/firmware_rev"),
        }
    }

    fn plain(device: &SysfsDevice, model: &str, firmware: &str) -> Self {
        Self { vendor: None, model: device.text(model), serial: serial(device), firmware: device.text(firmware) }
    }

    /// INQUIRY has room for 16 bytes of a model and 4 of a revision; IDENTIFY DEVICE has 40 and 8, so its words come first.
    fn ata(device: &SysfsDevice) -> Self {
        let short = Self::plain(device, "device/model", "device/rev");
        let Some((ata, source)) = ata_identity(device) else { return short };
        let named = |text: Option<String>| text.map(|text| Fact::new(text, source.clone()));
        Self {
            vendor: None,
            model: named(ata.model).or(short.model),
            serial: named(ata.serial).or(short.serial),
            firmware: named(ata.firmware).or(short.firmware),
        }
    }
}

/// IDENTIFY DEVICE data of an ATA drive, and the file that they were read from.
pub(crate) fn ata_identity(device: &SysfsDevice) -> Option<(AtaIdentity, String)> {
    let page = device.bytes("device/vpd_pg89")?;
    Some((vpd::ata_information(&page.value)?, page.source))
}

fn serial(device: &SysfsDevice) -> Option<Fact<String>> {
    device.text("device/serial").or_else(|| device.text("serial")).or_else(|| {
        let page = device.bytes("device/vpd_pg80")?;
        Some(Fact::new(vpd::unit_serial_number(&page.value)?, page.source))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_target::System;

    #[test]
    fn the_name_tells_the_driver() {
        let dir = tempfile::tempdir().unwrap();
        let system = System::captured(dir.path());
        let kind_of = |name| kind(&SysfsDevice::find(&system, name));
        assert_eq!(kind_of("nvme0c1n1"), DriveKind::Nvme);
        assert_eq!(kind_of("zram0"), DriveKind::Zram);
        assert_eq!(kind_of("mmcblk0"), DriveKind::Mmc);
        assert_eq!(kind_of("vda"), DriveKind::Virtio);
        assert_eq!(kind_of("sdaa"), DriveKind::Scsi);
        assert_eq!(kind_of("dm-0"), DriveKind::Other);
        assert_eq!(kind_of("xvda"), DriveKind::Other);
    }

    #[test]
    fn an_ata_port_is_a_whole_component() {
        assert_eq!(ata_port("devices/pci0000:00/0000:00:1f.2/ata12/host0/target0:0:0"), Some("12"));
        assert_eq!(ata_port("devices/pci0000:00/ata/atax1/data1/host0"), None);
    }

    #[test]
    fn a_port_on_the_way_makes_a_drive_ata() {
        let dir = tempfile::tempdir().unwrap();
        let disk = dir.path().join("sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda");
        std::fs::create_dir_all(&disk).unwrap();
        std::fs::create_dir_all(dir.path().join("sys/block")).unwrap();
        std::os::unix::fs::symlink(&disk, dir.path().join("sys/block/sda")).unwrap();
        assert_eq!(kind(&SysfsDevice::find(&System::captured(dir.path()), "sda")), DriveKind::Sata);
    }
}
