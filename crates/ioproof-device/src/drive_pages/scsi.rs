//! Asks a SCSI drive for all that it says of itself: one page a command; of an ATA drive behind a translator also what `ata` asks for.
//!
//! Optional pages are asked for only where the drive lists them. `page_reader` sends the commands and keeps the answers; `nvme` is the neighbour for NVMe.

use super::ata::ata_pages;
use super::page_reader::{ILLEGAL_REQUEST, PageReader};
use super::smartctl::smartctl_page;
use crate::transport::ReadError;
use crate::transport::scsi::{ScsiCommand, ScsiNode, ScsiRefusal, ScsiTransport};
use ioproof_pages::field::Page;
use ioproof_pages::pages::scsi::{LogPage, ModeSense, VpdPage, caching, identify_of_vpd, inquiry, log, read_capacity_16, vpd};
use ioproof_target::System;
use std::path::Path;

/// All pages of the drive behind a node (`/dev/sda`, `/dev/sg0`). An ATA drive's own pages come first, because a translator shortens them.
///
/// # Errors
/// When the node is no SCSI or ATA drive, or cannot be opened or asked.
pub fn scsi_pages(system: &System, node: &Path) -> Result<Vec<Page>, ReadError> {
    let mut pages = scsi_pages_over(&mut ScsiNode::open(system, node)?)?;
    // The drive database knows its maker's meanings, so its figures come before those of the usual ones.
    let smart = pages.iter().position(|page| page.name == "smart-data");
    // Another machine's captured tree has no drives that could be asked.
    if let Some(at) = smart.filter(|_| system.at(&node.to_string_lossy()) == node) {
        pages.splice(at..at, smartctl_page(node));
    }
    Ok(pages)
}

/// The same through any transport.
///
/// # Errors
/// When this user may not ask anything.
pub fn scsi_pages_over(transport: &mut dyn ScsiTransport) -> Result<Vec<Page>, ReadError> {
    let mut reader = PageReader::new(transport);
    reader.inquiry();
    let listed = reader.listed(ScsiCommand::Vpd(VpdPage::Supported), |bytes, source| vpd(VpdPage::Supported, bytes, None, source));
    reader.data(ScsiCommand::ReadCapacity16, read_capacity_16);
    let identity = reader.vital_product_data(&listed);
    reader.caching();
    // The logs of an ATA drive are those that its translator makes of what is read here directly.
    if !reader.is_ata(&listed) || !reader.ata(identity) {
        reader.logs();
    }
    reader.finish()
}

impl PageReader<'_> {
    /// INQUIRY, asked a second time where the drive has more data than the first answer holds.
    fn inquiry(&mut self) {
        const ADDITIONAL_LENGTH: usize = 4;
        let short = self.data(ScsiCommand::Inquiry, inquiry);
        let has_more = short.is_some_and(|bytes| bytes.get(ADDITIONAL_LENGTH).is_some_and(|more| usize::from(*more) + 5 > bytes.len()));
        let Some(answer) = Some(ScsiCommand::InquiryWhole).filter(|_| has_more).and_then(|whole| self.transport.ask(whole).ok()) else {
            return;
        };
        let source = self.source(ScsiCommand::InquiryWhole);
        self.pages.clear();
        self.pages.push(inquiry(&answer.data, source));
    }

    /// The numbers that a page lists behind its header, which ends with how many there are.
    fn listed(&mut self, command: ScsiCommand, read: impl FnOnce(&[u8], String) -> Page) -> Vec<u8> {
        match self.data(command, read).as_deref() {
            Some([_, _, high, low, numbers @ ..]) => numbers.iter().copied().take(usize::from(u16::from_be_bytes([*high, *low]))).collect(),
            _ => Vec::new(),
        }
    }

    /// The listed pages; returns what the one of an ATA drive holds of its own words.
    fn vital_product_data(&mut self, listed: &[u8]) -> Option<Page> {
        let block_bytes = self.number("logical_block_bytes");
        let mut identity = None;
        for which in VpdPage::ALL.into_iter().filter(|which| listed.contains(&which.code())) {
            let bytes = self.data(ScsiCommand::Vpd(which), |bytes, source| vpd(which, bytes, block_bytes, source));
            if which == VpdPage::AtaInformation {
                let source = self.source(ScsiCommand::Vpd(which));
                identity = bytes.and_then(|bytes| identify_of_vpd(&bytes, source));
            }
        }
        identity
    }

    /// MODE SENSE (10), or (6) where the drive does not know it.
    fn caching(&mut self) {
        let [ten, six] = [ModeSense::Ten, ModeSense::Six].map(ScsiCommand::Caching);
        match self.transport.ask(ten) {
            Ok(answer) => self.pages.push(caching(ModeSense::Ten, &answer.data, self.source(ten))),
            Err(ScsiRefusal::Sense(sense)) if sense.key == ILLEGAL_REQUEST => {
                self.data(six, |bytes, source| caching(ModeSense::Six, bytes, source));
            }
            Err(refusal) => self.refused(ten, &refusal),
        }
    }

    /// A translator writes `ATA` for the maker (SAT-4) or has the page of an ATA drive. To any other drive no ATA command is sent.
    fn is_ata(&self, listed: &[u8]) -> bool {
        self.has_ata_vendor() || listed.contains(&VpdPage::AtaInformation.code())
    }

    fn has_ata_vendor(&self) -> bool {
        self.pages.iter().any(|page| page.text("vendor") == Some("ATA"))
    }

    /// Adds the pages of an ATA drive, and says whether it takes ATA commands. Its own words come first, unless only a bridge under its own name speaks for it.
    fn ata(&mut self, identity: Option<Page>) -> bool {
        let is_plain = self.has_ata_vendor();
        let translated = std::mem::take(&mut self.pages);
        let answers = ata_pages(self, identity);
        if answers || is_plain {
            self.pages.extend(translated);
        } else {
            self.pages.splice(0..0, translated);
        }
        answers
    }

    fn logs(&mut self) {
        let read = |which| move |bytes: &[u8], source| log(which, bytes, source);
        let listed = self.listed(ScsiCommand::Log(LogPage::Supported), read(LogPage::Supported));
        for which in LogPage::ALL.into_iter().filter(|which| listed.contains(&which.code())) {
            self.data(ScsiCommand::Log(which), read(which));
        }
    }
}

#[cfg(test)]
mod tests;
