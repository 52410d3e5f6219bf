//! What a drive is called: kind, maker, model, serial number and firmware, each from the best file that its driver offers.
//!
//! `identify` puts them into the facts; `vpd` reads the binary pages.

use crate::place::{Place, is_number};
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

/// How the drive is attached.
pub(crate) fn kind(place: &Place) -> DriveKind {
    let by_name = PREFIXES.iter().find(|(prefix, _)| place.disk_name().starts_with(prefix));
    match by_name.map_or(DriveKind::Other, |(_, kind)| *kind) {
        DriveKind::Scsi if is_ata(place) => DriveKind::Sata,
        kind => kind,
    }
}

/// A SCSI disk is an ATA drive where the vendor says so (SAT-5, INQUIRY: also behind a SAS adapter) or libata's port is on its way.
fn is_ata(place: &Place) -> bool {
    place.text("device/vendor").is_some_and(|vendor| vendor.value == "ATA") || place.way().is_some_and(|way| ata_port(&way).is_some())
}

/// The number of libata's port on a way: `1` in `devices/pci0000:00/0000:00:1f.2/ata1/host0/...`.
pub(crate) fn ata_port(way: &str) -> Option<&str> {
    way.split('/').filter_map(|part| part.strip_prefix("ata")).find(|number| is_number(number))
}

/// What a drive is called.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) vendor: Option<Fact<String>>,
    pub(crate) model: Option<Fact<String>>,
    pub(crate) serial: Option<Fact<String>>,
    pub(crate) firmware: Option<Fact<String>>,
}

impl Names {
    /// Reads the names of a drive of this kind.
    pub(crate) fn read(place: &Place, kind: DriveKind) -> Self {
        match kind {
            DriveKind::Nvme => Self::plain(place, "device/model", "device/firmware_rev"),
            DriveKind::Mmc => Self::plain(place, "device/name", "device/fwrev"),
            DriveKind::Sata => Self::ata(place),
            DriveKind::Scsi => Self { vendor: place.text("device/vendor"), ..Self::plain(place, "device/model", "device/rev") },
            // `device/vendor` of a virtio disk is the number of the transport's vendor, not the maker of the drive.
            DriveKind::Virtio => Self { serial: serial(place), ..Self::default() },
            DriveKind::Loop | DriveKind::Zram => Self::default(),
            DriveKind::Other => Self::plain(place, "device/model", "device/firmware_rev"),
        }
    }

    fn plain(place: &Place, model: &str, firmware: &str) -> Self {
        Self { vendor: None, model: place.text(model), serial: serial(place), firmware: place.text(firmware) }
    }

    /// INQUIRY has room for 16 bytes of a model and 4 of a revision; IDENTIFY DEVICE has 40 and 8, so its words come first.
    fn ata(place: &Place) -> Self {
        let short = Self::plain(place, "device/model", "device/rev");
        let Some((ata, source)) = ata_identity(place) else { return short };
        let named = |text: Option<String>| text.map(|text| Fact::new(text, source.clone()));
        Self {
            vendor: None,
            model: named(ata.model).or(short.model),
            serial: named(ata.serial).or(short.serial),
            firmware: named(ata.firmware).or(short.firmware),
        }
    }
}

/// What an ATA drive says of itself, and the file that it was read from.
pub(crate) fn ata_identity(place: &Place) -> Option<(AtaIdentity, String)> {
    let page = place.bytes("device/vpd_pg89")?;
    Some((vpd::ata_information(&page.value)?, page.source))
}

fn serial(place: &Place) -> Option<Fact<String>> {
    place.text("device/serial").or_else(|| place.text("serial")).or_else(|| {
        let page = place.bytes("device/vpd_pg80")?;
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
        let kind_of = |name| kind(&Place::find(&system, name));
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
        assert_eq!(kind(&Place::find(&System::captured(dir.path()), "sda")), DriveKind::Sata);
    }
}
