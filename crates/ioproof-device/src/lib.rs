//! Facts about a drive and the I/O path to it, as the kernel tells them in sysfs and procfs.
//!
//! One file a source: [`identify`] puts the answers of `vpd` (pages that a SCSI or ATA drive gave the kernel), `pcie` and `sata` (the link)
//! and `hwmon` (temperature) together; [`host`] reads the machine; [`CounterSnapshot`] reads what the kernel counts. `ioproof-target` finds the
//! stack that is asked about, and its `System` says where the kernel's files are, so that a captured machine replays.
//!
//! [`nvme_pages`] and [`scsi_pages`] are the exception: they open a drive and send it commands, out of the closed lists of `transport`, which only read; and where
//! smartmontools is installed, they run it for the makers' own meanings of SMART attributes.
//!
//! [`MemoryGroup`] changes something too: the control group of this process.
//!
//! Deliberately absent: any command that changes a drive. Nothing that reads sysfs fails: what cannot be read is `None`.
#![deny(unsafe_code)]

mod cgroup;
mod drive_pages;
mod host;
mod hwmon;
mod identify;
mod interrupts;
mod io_path;
mod kernel_page;
mod machine;
mod names;
mod pcie;
mod pcie_path;
mod queue;
mod sata;
mod snapshot;
mod sysfs_device;
mod transport;
mod upstream;
mod vpd;

pub use cgroup::{MemoryGroup, limits, memory_left_bytes};
pub use drive_pages::{nvme_pages, nvme_pages_over, scsi_pages, scsi_pages_over};
pub use host::host;
pub use hwmon::temperature_celsius;
pub use identify::identify;
pub use io_path::io_path_pages;
pub use machine::host_page;
pub use snapshot::CounterSnapshot;
pub use transport::scsi::{AtaCommand, ScsiAnswer, ScsiCommand, ScsiNode, ScsiRefusal, ScsiTransport};
pub use transport::{DeviceNode, NvmeAnswer, NvmeCommand, NvmeRefusal, NvmeTransport, ReadError};
