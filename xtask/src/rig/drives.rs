//! The drives of the machine, each on an image of its own that is made for one run.
//!
//! Scripts find them by serial number, never by kernel name: which disk becomes `sda` is chance.

use anyhow::{Context, Result};
use std::fs::File;
use std::path::Path;

/// Large enough for every partition table, filesystem and RAID superblock, small enough to be compared byte by byte.
const DRIVE_BYTES: u64 = 32 << 20;

/// How a drive is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bus {
    /// A namespace of the NVMe controller with the drive's serial number.
    Nvme {
        namespace: u32,
    },
    /// A port of the AHCI controller.
    Sata {
        port: u32,
    },
    Scsi,
    Virtio,
}

/// One drive.
#[derive(Debug)]
pub struct Drive {
    /// Name of its image and of its QEMU objects.
    pub id: &'static str,
    pub serial: &'static str,
    pub bus: Bus,
}

/// All of them. `TWIN` is there twice on purpose: such drives exist, and a serial number then names neither.
pub const DRIVES: &[Drive] = &[
    Drive { id: "nvme-a", serial: "NVME-A", bus: Bus::Nvme { namespace: 1 } },
    Drive { id: "nvme-b1", serial: "NVME-B", bus: Bus::Nvme { namespace: 1 } },
    Drive { id: "nvme-b2", serial: "NVME-B", bus: Bus::Nvme { namespace: 2 } },
    Drive { id: "sata-a", serial: "SATA-A", bus: Bus::Sata { port: 0 } },
    Drive { id: "scsi-a", serial: "SCSI-A", bus: Bus::Scsi },
    Drive { id: "virtio-a", serial: "VIRTIO-A", bus: Bus::Virtio },
    Drive { id: "twin-1", serial: "TWIN", bus: Bus::Sata { port: 1 } },
    Drive { id: "twin-2", serial: "TWIN", bus: Bus::Scsi },
];

/// Makes the images: full of zeros, taking no space until written.
pub fn make_images(folder: &Path) -> Result<()> {
    for drive in DRIVES {
        let path = folder.join(format!("{}.img", drive.id));
        let made = File::create_new(&path).and_then(|file| file.set_len(DRIVE_BYTES));
        made.with_context(|| format!("cannot make the image {}", path.display()))?;
    }
    Ok(())
}

/// The arguments that give QEMU the drives.
pub fn arguments(folder: &Path) -> Vec<String> {
    let mut args = vec!["-device".to_owned(), "virtio-scsi-pci,id=scsi".to_owned()];
    let mut controllers: Vec<&str> = Vec::new();
    for drive in DRIVES {
        if matches!(drive.bus, Bus::Nvme { .. }) && !controllers.contains(&drive.serial) {
            controllers.push(drive.serial);
            args.extend(["-device".to_owned(), format!("nvme,id={0},serial={0}", drive.serial)]);
        }
        let image = folder.join(format!("{}.img", drive.id));
        // The host's page cache may keep everything: the images do not outlive the run.
        let backing = format!("if=none,id={},format=raw,cache=unsafe,discard=unmap,file={}", drive.id, quoted(&image));
        args.extend(["-drive".to_owned(), backing, "-device".to_owned(), device(drive)]);
    }
    args
}

fn device(drive: &Drive) -> String {
    let Drive { id, serial, bus } = drive;
    match bus {
        Bus::Nvme { namespace } => format!("nvme-ns,bus={serial},drive={id},nsid={namespace}"),
        Bus::Sata { port } => format!("ide-hd,bus=ide.{port},drive={id},serial={serial}"),
        Bus::Scsi => format!("scsi-hd,bus=scsi.0,drive={id},serial={serial}"),
        Bus::Virtio => format!("virtio-blk-pci,drive={id},serial={serial}"),
    }
}

/// In QEMU's option lists a comma is written twice.
pub fn quoted(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_drive_has_an_image_and_a_device_with_its_serial() {
        let args = arguments(Path::new("/run")).join(" ");
        for drive in DRIVES {
            assert!(args.contains(&format!("file=/run/{}.img", drive.id)), "{}", drive.id);
            assert!(args.contains(&format!("drive={}", drive.id)) && args.contains(&format!("serial={}", drive.serial)), "{}", drive.id);
        }
    }

    #[test]
    fn namespaces_share_their_controller() {
        let args = arguments(Path::new("/run")).join(" ");
        assert_eq!(args.matches("nvme,id=NVME-B").count(), 1);
        assert_eq!(args.matches("nvme-ns,bus=NVME-B").count(), 2);
    }

    #[test]
    fn every_bus_has_a_drive_and_one_serial_is_there_twice() {
        for wanted in [Bus::Sata { port: 0 }, Bus::Scsi, Bus::Virtio, Bus::Nvme { namespace: 1 }] {
            assert!(DRIVES.iter().any(|d| d.bus == wanted), "{wanted:?}");
        }
        assert_eq!(DRIVES.iter().filter(|d| d.serial == "TWIN").count(), 2);
    }

    #[test]
    fn commas_in_a_path_are_doubled() {
        assert_eq!(quoted(Path::new("/a,b")), "/a,,b");
    }
}
