//! Drives that were taken from the kernel: the note about each, and the names by which they are targets. Whoever takes them and gives them back is `handover`;
//! `open/bound.rs` brings them up.

mod find;
mod named;
mod note;

pub(crate) use find::find;
pub use named::is_drive_name;
pub(crate) use named::{Named, named};
#[cfg(test)]
pub(crate) use note::testing;
pub use note::{BoundDrive, BoundNamespace, bound_drives};

use crate::system::System;
use std::path::PathBuf;

/// The driver that hands devices to programs.
pub(crate) const VFIO: &str = "vfio-pci";

/// The folder of a PCI device.
pub(crate) fn device(system: &System, address: &str) -> PathBuf {
    system.sys(&format!("bus/pci/devices/{address}"))
}

/// The driver of a PCI device, where it has one.
pub(crate) fn driver(system: &System, address: &str) -> Option<String> {
    let link = std::fs::read_link(device(system, address).join("driver")).ok()?;
    Some(link.file_name()?.to_str()?.to_owned())
}
