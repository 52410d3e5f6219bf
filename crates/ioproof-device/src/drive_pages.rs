//! Pages that a drive gives when it is sent commands, out of the closed lists of `transport`.
//!
//! `nvme` and `scsi` decide which pages to read; `page_reader` sends the commands of SCSI and keeps the answers, `ata` adds those that are passed through to an ATA
//! drive, and `smartctl` runs smartmontools for the makers' own meanings.

mod ata;
mod nvme;
mod page_reader;
mod scsi;
mod smartctl;
#[cfg(test)]
mod tests;

pub use nvme::{nvme_pages, nvme_pages_over};
pub use scsi::{scsi_pages, scsi_pages_over};
