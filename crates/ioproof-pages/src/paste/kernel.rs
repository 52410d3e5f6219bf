//! Messages of the Linux kernel about reads that failed on the medium. They name the device and nothing else of the drive.
//!
//! An error on the way to the drive is none of the drive's: only what the kernel calls a medium error counts.

use super::page::builder::{PageBuilder, ToolFormat};
use super::page::start::{LineContext, OutputStart};
use super::text::lines::PastedLine;
use super::text::prompt::{PastedCommand, is_disk};
use crate::field::Value;

#[cfg(test)]
pub(super) const FORMATS: &[&ToolFormat] = &[&KERNEL];

const KERNEL: ToolFormat = ToolFormat { tool: "kernel log", page: "kernel-log", ..ToolFormat::PLAIN };

/// Most lines of one log.
const LINES_MAX: usize = 5000;

/// Beginnings of the kernel's lines about drives.
const STARTS: [&str; 9] = ["[", "ata", "sd ", "res ", "end_request", "blk_update", "Descriptor sense", "Buffer I/O", "critical "];

/// One error makes several lines; those of one kind are counted.
enum Message<'a> {
    /// `sd 2:0:0:0: [sda] Sense Key : Medium Error [current]`
    Sense(&'a str),
    /// `blk_update_request: critical medium error, dev sda, sector 326677146`
    Block(&'a str),
}

impl<'a> Message<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let name = |rest: &'a str| &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
        let message = if let Some((_, rest)) = text.split_once("critical medium error, dev ") {
            Self::Block(name(rest))
        } else if let Some((_, rest)) = text.split_once("sd ").filter(|_| text.contains("Sense Key : Medium Error")) {
            Self::Sense(name(rest.split_once('[')?.1))
        } else {
            return None;
        };
        is_disk(message.device()).then_some(message)
    }

    fn device(&self) -> &'a str {
        let (Self::Sense(device) | Self::Block(device)) = self;
        device
    }
}

/// The messages from here on as a page for each drive, and the lines that they take.
pub(super) fn start(context: &LineContext) -> Option<OutputStart> {
    Message::read(&context.line.text)?;
    let is_kernels = |line: &&PastedLine| STARTS.iter().any(|start| line.text.starts_with(start)) || line.text.contains(" kernel: ");
    let rest: Vec<&PastedLine> = context.rest.iter().take(LINES_MAX).take_while(is_kernels).collect();
    let taken = rest.iter().rposition(|line| Message::read(&line.text).is_some()).map_or(0, |last| last + 1);
    let mut pages: Vec<PageBuilder> = Vec::new();
    for line in std::iter::once(context.line).chain(rest.into_iter().take(taken)) {
        if let Some(message) = Message::read(&line.text) {
            count(&mut pages, &message, line.number);
        }
    }
    Some(OutputStart::Pages(pages, taken))
}

fn count(pages: &mut Vec<PageBuilder>, message: &Message, line: usize) {
    let device = message.device();
    let known = pages.iter().position(|page| page.text("device_name").as_deref() == Some(device));
    let at = known.unwrap_or_else(|| {
        let mut page = KERNEL.open(&PastedCommand::default(), line);
        page.set("device_name", Value::Text(device.to_owned()), line);
        pages.push(page);
        pages.len() - 1
    });
    let page = &mut pages[at];
    match message {
        Message::Sense(_) => page.tally += 1,
        Message::Block(_) => page.errors_decoded += 1,
    }
    let most = page.tally.max(page.errors_decoded);
    page.replace("kernel_medium_errors", Value::Number(most), line);
    page.reaches(line);
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, read};

    #[test]
    fn medium_errors_are_the_drives_and_other_errors_are_not() {
        let log = "[ 11.1] ata3.00: error: { UNC }\n[ 11.2] sd 2:0:0:0: [sda] tag#0 Sense Key : Medium Error [current]\n\
            [ 11.2] sd 2:0:0:0: [sda] tag#0 Add. Sense: Unrecovered read error - auto reallocate failed\n\
            [ 11.2] blk_update_request: critical medium error, dev sda, sector 326677146 op 0x0:(READ) flags 0x0\n\
            [ 12.0] blk_update_request: I/O error, dev sdb, sector 0\n\
            [ 13.0] critical medium error, dev nvme0n1, sector 88\n[ 13.1] critical medium error, dev nvme0n1, sector 96\n";
        let found = drives(&read(log).unwrap());
        let told: Vec<_> = found.iter().map(|pages| (pages[0].text("device_name"), pages[0].number("kernel_medium_errors"))).collect();
        assert_eq!(told, [(Some("sda"), Some(1)), (Some("nvme0n1"), Some(2))]);
        assert!(found.iter().all(|pages| judge("", pages).state == HealthState::Failing));
        assert!(read("ata1.00: error: { ICRC ABRT }\nend_request: I/O error, dev sdb, sector 0\n").is_err());
    }
}
