//! The drives of the machine, each on an image of its own that is made for one run, or on a server of ours that can misbehave.
//!
//! A further drive is a further row at the end: those above keep their places on the buses.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Large enough for every partition table, filesystem and RAID superblock, small enough to be compared byte by byte.
pub const DRIVE_BYTES: u64 = 32 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bus {
    /// A namespace of the controller with the drive's serial number.
    Nvme(u32),
    Sata(u32),
    Scsi,
    Virtio,
}

pub struct Drive {
    pub id: &'static str,
    pub serial: &'static str,
    pub bus: Bus,
    /// The PCIe slot that it sits in, with a bridge of its own; none for a place in the root complex, which cannot be emptied.
    slot: Option<u8>,
    controllers: u32,
    /// Bytes of a logical block of a namespace, and of the metadata behind each. Metadata is protection information of type 1.
    block_bytes: u32,
    metadata_bytes: u32,
    spare: bool,
    pub faulty: bool,
}

/// All of them. `TWIN` is there twice on purpose: such drives exist, and a serial number then names neither.
pub const DRIVES: &[Drive] = &[
    Drive::new("nvme-a", "NVME-A", Bus::Nvme(1)),
    Drive::new("nvme-b1", "NVME-B", Bus::Nvme(1)),
    Drive::new("nvme-b2", "NVME-B", Bus::Nvme(2)),
    Drive::new("sata-a", "SATA-A", Bus::Sata(0)),
    Drive::new("scsi-a", "SCSI-A", Bus::Scsi),
    Drive::new("virtio-a", "VIRTIO-A", Bus::Virtio),
    Drive::new("twin-1", "TWIN", Bus::Sata(1)),
    Drive::new("twin-2", "TWIN", Bus::Scsi),
    Drive::new("nvme-f1", "NVME-F", Bus::Nvme(1)),
    Drive { block_bytes: 4096, metadata_bytes: 0, ..Drive::new("nvme-f2", "NVME-F", Bus::Nvme(2)) },
    Drive { block_bytes: 512, metadata_bytes: 8, ..Drive::new("nvme-f3", "NVME-F", Bus::Nvme(3)) },
    Drive { controllers: 2, ..Drive::new("nvme-m", "NVME-M", Bus::Nvme(1)) },
    Drive::new("nvme-p", "NVME-P", Bus::Nvme(1)).slot(1),
    Drive { spare: true, ..Drive::new("nvme-q", "NVME-Q", Bus::Nvme(1)).slot(1) },
    Drive::new("scsi-p", "SCSI-P", Bus::Scsi),
    Drive::new("virtio-p", "VIRTIO-P", Bus::Virtio).slot(2),
    Drive { faulty: true, ..Drive::new("faulty-s", "FAULTY-S", Bus::Scsi) },
    Drive { faulty: true, ..Drive::new("faulty-n", "FAULTY-N", Bus::Nvme(1)).slot(3) },
];

impl Drive {
    const fn new(id: &'static str, serial: &'static str, bus: Bus) -> Self {
        Self { id, serial, bus, slot: None, controllers: 1, block_bytes: 512, metadata_bytes: 0, spare: false, faulty: false }
    }

    const fn slot(mut self, slot: u8) -> Self {
        self.slot = Some(slot);
        self
    }

    /// True when it can be pulled out and put in while the machine runs.
    pub fn pluggable(&self) -> bool {
        self.slot.is_some() || self.bus == Bus::Scsi
    }

    /// The id of its NVMe controller, of several the first.
    pub fn controller(&self) -> Option<&'static str> {
        match (self.bus, self.slot) {
            (Bus::Nvme(_), Some(_)) => Some(self.id),
            (Bus::Nvme(_), None) => Some(self.serial),
            _ => None,
        }
    }

    pub fn socket(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.sock", self.id))
    }

    /// The device as QEMU's `device_add` takes it.
    pub fn device(&self) -> Value {
        let (driver, bus) = match (self.bus, self.slot) {
            (Bus::Nvme(namespace), None) => return self.namespace(namespace),
            (Bus::Nvme(_), Some(slot)) => ("nvme", slot_id(slot)),
            (Bus::Sata(port), _) => ("ide-hd", format!("ide.{port}")),
            (Bus::Scsi, _) => ("scsi-hd", "scsi.0".to_owned()),
            (Bus::Virtio, slot) => ("virtio-blk-pci", slot.map_or("pcie.0".to_owned(), slot_id)),
        };
        let mut device = json!({"driver": driver, "bus": bus, "drive": self.id, "serial": self.serial});
        if self.pluggable() {
            device["id"] = self.id.into();
        }
        if self.faulty && self.bus == Bus::Scsi {
            // FUA, which QEMU's NVMe drops, becomes a flush behind the write here.
            device["write-cache"] = "on".into();
            device["dpofua"] = true.into();
        }
        device
    }

    fn namespace(&self, number: u32) -> Value {
        let mut device = json!({"driver": "nvme-ns", "bus": self.serial, "drive": self.id, "nsid": number});
        let blocks = json!({"logical_block_size": self.block_bytes, "physical_block_size": self.block_bytes});
        let metadata = json!({"ms": self.metadata_bytes, "pi": 1});
        let more =
            [(self.block_bytes != 512, blocks), (self.metadata_bytes != 0, metadata), (self.controllers > 1, json!({"shared": true}))];
        for fields in more.iter().filter(|(is_so, _)| *is_so).filter_map(|(_, fields)| fields.as_object()) {
            fields.iter().for_each(|(name, value)| device[name] = value.clone());
        }
        device
    }

    /// Devices that QEMU needs before it: its bridge, or its controllers. Each has an `id`.
    fn parents(&self) -> Vec<Value> {
        let serial = self.serial;
        match (self.bus, self.slot) {
            // Faster and wider than QEMU's drives, which all have one lane of 2.5 GT/s.
            (_, Some(slot)) => {
                let id = slot_id(slot);
                vec![json!({"driver": "pcie-root-port", "id": id, "chassis": slot, "slot": slot, "x-speed": "16", "x-width": "4"})]
            }
            (Bus::Nvme(_), None) if self.controllers > 1 => {
                let subsystem = format!("subsystem-{serial}");
                let mut parents = vec![json!({"driver": "nvme-subsys", "id": subsystem, "nqn": serial})];
                let ids = (1..=self.controllers).map(|n| if n == 1 { serial.to_owned() } else { format!("{serial}-{n}") });
                parents.extend(ids.map(|id| json!({"driver": "nvme", "id": id, "serial": serial, "subsys": subsystem})));
                parents
            }
            (Bus::Nvme(_), None) => vec![json!({"driver": "nvme", "id": serial, "serial": serial})],
            _ => Vec::new(),
        }
    }

    /// Where its content is. The host's page cache may keep all of an image, as images do not outlive the run; a faulty drive has to
    /// see every flush.
    fn backing(&self, folder: &Path) -> Value {
        if self.faulty {
            let server = json!({"type": "unix", "path": self.socket(folder)});
            return json!({"driver": "nbd", "node-name": self.id, "discard": "unmap", "server": server});
        }
        let file = json!({"driver": "file", "filename": self.image(folder), "aio": aio()});
        json!({"driver": "raw", "node-name": self.id, "discard": "unmap", "cache": {"no-flush": true}, "file": file})
    }

    fn image(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.img", self.id))
    }
}

/// Way of QEMU to read and write images. With threads a fast drive does half as many I/Os a second, and its rate is unsteady. Not every host allows io_uring.
fn aio() -> &'static str {
    let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
    if disabled.is_ok_and(|said| said.trim() == "0") { "io_uring" } else { "threads" }
}

fn slot_id(slot: u8) -> String {
    format!("slot-{slot}")
}

/// Makes the images of `drive_bytes` each, freshly formatted: all blocks are zeros, and take no space until written. QEMU's image of a namespace has the
/// metadata behind the data; before the first write it is ones, so that a block's protection information is not checked (NVM Command Set Specification,
/// "Deallocated or Unwritten Logical Blocks").
pub fn make_images(folder: &Path, drive_bytes: u64) -> Result<()> {
    for drive in DRIVES.iter().filter(|d| !d.faulty) {
        let path = drive.image(folder);
        let blocks = drive_bytes / u64::from(drive.block_bytes + drive.metadata_bytes);
        let metadata = vec![0xff; (blocks * u64::from(drive.metadata_bytes)) as usize];
        let made = File::create_new(&path).and_then(|file| {
            file.set_len(drive_bytes)?;
            file.write_all_at(&metadata, blocks * u64::from(drive.block_bytes))
        });
        made.with_context(|| format!("cannot make the image {}", path.display()))?;
    }
    Ok(())
}

pub fn arguments(folder: &Path, serial: Option<&str>) -> Vec<String> {
    let mut args = vec!["-device".to_owned(), "virtio-scsi-pci,id=scsi".to_owned()];
    let mut made: BTreeSet<String> = BTreeSet::new();
    for drive in DRIVES.iter().filter(|drive| serial.is_none_or(|serial| drive.serial == serial)) {
        args.extend(["-blockdev".to_owned(), drive.backing(folder).to_string()]);
        let parents = drive.parents().into_iter().filter(|parent| made.insert(parent["id"].to_string()));
        let devices = parents.chain((!drive.spare).then(|| drive.device()));
        args.extend(devices.flat_map(|device| ["-device".to_owned(), device.to_string()]));
    }
    args
}

/// In QEMU's option lists a comma is written twice.
pub fn quoted(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}
