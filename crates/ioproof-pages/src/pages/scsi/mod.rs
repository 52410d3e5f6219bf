//! SCSI: what INQUIRY, the vital product data, MODE SENSE, READ CAPACITY (16) and LOG SENSE return, and sense data in words.
//!
//! `vpd`, `mode` and `capacity` are tables; `designators`, `log` and `phys` take structures apart whose length is told by themselves. Each page says how long it is, and
//! what lies behind that is not read.
//! Deliberately absent: tapes, changers and enclosures, and the log pages that need an initiator's own parameters.

mod capacity;
mod designators;
mod inquiry;
mod log;
mod mode;
mod phys;
#[cfg(test)]
mod tests;
mod vpd;

pub use super::sense::{Registers, Sense};
pub use capacity::read_capacity_16;
pub use inquiry::inquiry;
pub use log::{LogPage, log};
pub use mode::{ModeSense, caching};
pub use vpd::{VpdPage, identify_of_vpd, vpd};

use crate::pages::{ByteOrder, Page, PageTable, table};

const SPC: PageTable = PageTable { least: 4, ..table(ByteOrder::Big, "", "", "SCSI Primary Commands 5 (SPC-5)", "", 64) };

/// The part that a page of `told` bytes takes of what came, and a problem where less came.
fn within(bytes: &[u8], told: usize) -> (&[u8], Option<String>) {
    let problem = (bytes.len() < told).then(|| format!("says that it has {told} bytes, and {} came", bytes.len()));
    (&bytes[..bytes.len().min(told)], problem)
}

/// The number at `at` of two bytes; `None` beyond the end.
fn two(bytes: &[u8], at: usize) -> Option<usize> {
    let own = bytes.get(at..at + 2)?;
    Some(usize::from(u16::from_be_bytes([own[0], own[1]])))
}

fn text(bytes: &[u8]) -> Option<String> {
    let printable = |byte: &u8| if *byte == b' ' || byte.is_ascii_graphic() || *byte == 0 { char::from(*byte) } else { '?' };
    let text: String = bytes.iter().map(printable).collect();
    let text = text.trim_matches(['\0', ' ']).replace('\0', "?");
    (!text.is_empty()).then_some(text)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn refused(page: Page, problem: String) -> Page {
    Page { fields: Vec::new(), problems: vec![problem], ..page }
}
