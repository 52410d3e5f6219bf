//! Drives that were taken from the kernel: the note about each, and the names by which they are targets. Whoever takes them and gives them back is `handover`;
//! `open/bound.rs` brings them up.

mod find;
mod named;
mod note;
pub(crate) mod unconfined;

pub(crate) use find::find;
pub use named::is_drive_name;
pub(crate) use named::{Named, named};
pub(crate) use note::Unconfined;
#[cfg(test)]
pub(crate) use note::testing;
pub use note::{BoundDrive, BoundNamespace, bound_drives};
pub use unconfined::UNCONFINED;

use crate::system::System;
use std::path::PathBuf;

/// The driver that hands devices to programs.
pub(crate) const VFIO: &str = "vfio-pci";

/// No driver has this name, so a device for which it is chosen has none.
pub(crate) const NO_DRIVER: &str = "ioproof";

/// True where a drive is with this program, as it was taken.
pub(crate) fn is_taken(system: &System, drive: &BoundDrive) -> bool {
    match driver(system, &drive.address) {
        Some(name) => drive.is_confined() && name == VFIO,
        None => !drive.is_confined() && chosen_driver(system, &drive.address).as_deref() == Some(NO_DRIVER),
    }
}

/// The driver that was chosen by hand for a PCI device, where one was.
pub(crate) fn chosen_driver(system: &System, address: &str) -> Option<String> {
    system.sys_text(&format!("bus/pci/devices/{address}/driver_override")).filter(|text| text != "(null)")
}

/// The folder of a PCI device.
pub(crate) fn device(system: &System, address: &str) -> PathBuf {
    system.sys(&format!("bus/pci/devices/{address}"))
}

/// The driver of a PCI device, where it has one.
pub(crate) fn driver(system: &System, address: &str) -> Option<String> {
    let link = std::fs::read_link(device(system, address).join("driver")).ok()?;
    Some(link.file_name()?.to_str()?.to_owned())
}
