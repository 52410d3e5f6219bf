//! Commands sent to a SCSI or ATA drive, and the pages that its answers become.
//!
//! `scsi` and `ata` decide what is asked and in which order. A command that fails leaves a page without fields that says why; those that this user may not send are gathered
//! into one problem of the first page. Deliberately absent: which commands a drive has.

use crate::transport::ReadError;
use crate::transport::scsi::{ScsiAnswer, ScsiCommand, ScsiRefusal, ScsiTransport};
use ioproof_pages::field::{Page, Value};
use ioproof_pages::pages::field;
use ioproof_pages::pages::scsi::{LogPage, Sense};

/// A drive that is being asked, with the pages so far.
pub(crate) struct PageReader<'a> {
    pub(crate) transport: &'a mut dyn ScsiTransport,
    pub(crate) pages: Vec<Page>,
    /// Commands that this user may not send.
    denied: Vec<ScsiCommand>,
}

impl<'a> PageReader<'a> {
    /// A drive of which nothing has been asked.
    pub(crate) fn new(transport: &'a mut dyn ScsiTransport) -> Self {
        Self { transport, pages: Vec::new(), denied: Vec::new() }
    }

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

    /// Keeps a refusal as a page without fields, or as a command that this user may not send.
    pub(crate) fn refused(&mut self, command: ScsiCommand, refusal: &ScsiRefusal) {
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

    /// Source of a page: the command and the drive.
    pub(crate) fn source(&self, command: ScsiCommand) -> String {
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

    /// All pages.
    ///
    /// # Errors
    /// [`ReadError::NotPermitted`] when there is no page, because this user may send none of the commands.
    pub(crate) fn finish(mut self) -> Result<Vec<Page>, ReadError> {
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

/// Sense key of a command or field that the drive does not have (SPC-5).
pub(crate) const ILLEGAL_REQUEST: u8 = 5;

/// The drive does not have the command at all (INVALID COMMAND OPERATION CODE). LOG SENSE is optional, so that is a fact about the drive and no fault.
fn is_unknown(refusal: &ScsiRefusal) -> bool {
    const COMMAND_NOT_KNOWN: u8 = 0x20;
    matches!(refusal, ScsiRefusal::Sense(Sense { key: ILLEGAL_REQUEST, asc: COMMAND_NOT_KNOWN, .. }))
}
