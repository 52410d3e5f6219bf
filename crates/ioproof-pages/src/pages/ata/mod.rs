//! ATA: the pages that IDENTIFY DEVICE, SMART and READ LOG EXT return, whether a drive gave them itself or a SAS adapter passed them on.
//!
//! `words` is the table of IDENTIFY DEVICE and `identify` what follows from it; `smart` and `attributes` read the pages of SMART, `statistics` the log that says the same in
//! the standard's own units. Word `n` is bytes `2n` and `2n + 1`, the low byte first.
//! Deliberately absent: ATAPI (IDENTIFY PACKET DEVICE), and the vendors' own meanings of SMART attributes, which smartmontools collects.

mod attributes;
mod features;
mod identify;
mod smart;
mod smartctl;
mod statistics;
#[cfg(test)]
mod tests;
mod words;

pub use attributes::{attribute_flags, attribute_name};
pub use identify::identify_device;
pub use smart::{smart_data, smart_status, smart_thresholds};
pub use smartctl::smartctl_attributes;
pub use statistics::{Statistics, device_statistics, statistics_pages};
