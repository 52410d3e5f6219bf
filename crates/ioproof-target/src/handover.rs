//! Takes drives from the kernel, so that this program drives them by itself (`ioproof-nvme`), and gives them back as they were.
//!
//! A drive moves to vfio-pci by sysfs (`driver_override`, Documentation/ABI/testing/sysfs-bus-pci); behind no IOMMU it moves to no
//! driver. Its namespaces pass the write rule first, whether they are to be written or not: nothing of anybody can be lost then. A note
//! in `/run` says how it was (`bound`); it is made before anything changes, and `recover` gives back whatever such a note tells of.

mod addresses;
mod give_back;
mod take;
mod unconfined;

pub use give_back::{recover, unbind};
pub use take::bind;

use crate::error::TargetError;
use std::path::Path;

/// Writes a word into a file of sysfs.
fn tell(path: &Path, word: &str, doing: &'static str) -> Result<(), TargetError> {
    std::fs::write(path, word).map_err(|error| TargetError::io(path, doing, error))
}
