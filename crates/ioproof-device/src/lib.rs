//! What the drive and the way to it say, as the kernel tells it in sysfs and procfs.
//!
//! One file a source: [`identify`] puts the answers of `vpd` (pages that a SCSI or ATA drive gave the kernel), `pcie` and `sata` (the link)
//! and `hwmon` (temperature) together; [`host`] reads the machine; [`Snapshot`] reads what the kernel counts. `ioproof-target` finds the
//! stack that is asked about, and its `System` says where the kernel's files are, so that a captured machine replays.
//!
//! Deliberately absent: opening a device, and any command to a drive. Nothing here fails: what cannot be read is `None`.
#![forbid(unsafe_code)]

mod cgroup;
mod counters;
mod cpu;
mod host;
mod hwmon;
mod identify;
mod names;
mod pcie;
mod place;
mod sata;
mod snapshot;
mod vpd;

pub use host::host;
pub use hwmon::temperature_celsius;
pub use identify::identify;
pub use snapshot::Snapshot;
