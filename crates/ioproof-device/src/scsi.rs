//! Asks a SCSI drive for all that it says of itself: one page a command; of an ATA drive behind a translator also what `ata` asks for.
//!
//! What is optional is asked for only where the drive lists it. A command that fails leaves a page without fields that says why; the others come all the same.

use crate::ata::ata_pages;
use crate::smartctl::smartctl_page;
use crate::transport::ReadError;
use crate::transport::scsi::{ScsiAnswer, ScsiCommand, ScsiNode, ScsiRefusal, ScsiTransport};
use ioproof_pages::field::{Page, Value};
use ioproof_pages::pages::field;
use ioproof_pages::pages::scsi::{LogPage, ModeSense, Sense, VpdPage, caching, identify_of_vpd, inquiry, log, read_capacity_16, vpd};
use ioproof_target::System;
use std::path::Path;

/// All pages of the drive behind a node (`/dev/sda`, `/dev/sg0`). An ATA drive's own pages come first, because a translator shortens them.
///
/// # Errors
/// Where the node is no SCSI or ATA drive, or cannot be opened or asked.
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
/// Where this user may not ask anything.
pub fn scsi_pages_over(transport: &mut dyn ScsiTransport) -> Result<Vec<Page>, ReadError> {
    let mut reader = Reader { transport, pages: Vec::new(), denied: Vec::new() };
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

/// Asks, and keeps the pages.
pub(crate) struct Reader<'a> {
    transport: &'a mut dyn ScsiTransport,
    pub(crate) pages: Vec<Page>,
    /// Commands that this user may not send.
    denied: Vec<ScsiCommand>,
}

impl Reader<'_> {
    /// Sends a command, adds the page that `read` makes of its data, and returns the data; `None` where it failed.
    pub(crate) fn data(&mut self, command: ScsiCommand, read: impl FnOnce(&[u8], String) -> Page) -> Option<Vec<u8>> {
        let answer = self.ask(command)?;
        self.pages.push(read(&answer.data, self.source(command)));
        Some(answer.data)
    }

    /// The same of a command whose answer is in its sense data.
    pub(crate) fn sense(&mut self, command: ScsiCommand, read: impl FnOnce(&[u8], String) -> Page) {
        let Some(answer) = self.ask(command) else { return };
        self.pages.push(read(&answer.sense, self.source(command)));
    }

    fn ask(&mut self, command: ScsiCommand) -> Option<ScsiAnswer> {
        match self.transport.ask(command) {
            Ok(answer) => Some(answer),
            Err(refusal) => {
                self.refused(command, &refusal);
                None
            }
        }
    }

    fn refused(&mut self, command: ScsiCommand, refusal: &ScsiRefusal) {
        if *refusal == ScsiRefusal::NotPermitted {
            self.denied.push(command);
            return;
        }
        let (name, source) = (command.page_name().to_owned(), self.source(command));
        if command == ScsiCommand::Log(LogPage::Supported) && is_unknown(refusal) {
            let none = field("log_pages", "log pages", Value::List(vec![]), "", format!("{source}: {refusal}"));
            self.pages.push(Page { name, source, fields: vec![none], ..Page::default() });
            return;
        }
        self.pages.push(Page { name, source, problems: vec![refusal.to_string()], ..Page::default() });
    }

    fn source(&self, command: ScsiCommand) -> String {
        format!("{command} of {}", self.transport.name())
    }

    /// The page that came last.
    pub(crate) fn last(&self) -> Option<&Page> {
        self.pages.last()
    }

    /// The first number under this key.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.pages.iter().find_map(|page| page.number(key))
    }

    /// What the drive has and the first answer is too short for is asked for again.
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

    fn finish(mut self) -> Result<Vec<Page>, ReadError> {
        let node = self.transport.name();
        let denied = self.denied.iter().map(ScsiCommand::to_string).collect::<Vec<_>>().join("; ");
        match self.pages.first_mut() {
            None => return Err(ReadError::NotPermitted(node.into())),
            Some(first) if !denied.is_empty() => {
                first
                    .problems
                    .push(format!("this user may not read all of {node}; root would add what these give, and what hangs on it: {denied}"));
            }
            Some(_) => {}
        }
        Ok(self.pages)
    }
}

const ILLEGAL_REQUEST: u8 = 5;

/// The drive does not have the command at all (INVALID COMMAND OPERATION CODE). LOG SENSE is optional, so that is a fact about the drive and no fault.
fn is_unknown(refusal: &ScsiRefusal) -> bool {
    const COMMAND_NOT_KNOWN: u8 = 0x20;
    matches!(refusal, ScsiRefusal::Sense(Sense { key: ILLEGAL_REQUEST, asc: COMMAND_NOT_KNOWN, .. }))
}

#[cfg(test)]
mod tests;
