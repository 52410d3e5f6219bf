//! Messages of the Linux kernel about reads that failed on the medium. They name the device and nothing else of the drive.
//!
//! Only what the kernel calls a medium error counts. Errors of the link are not the drive's.

use super::text::prompt::is_disk;
use crate::paste::page::{LineContext, OutputStart, PageBuilder, PastedCommand, PastedLine, ToolFormat, Value};

pub(crate) const KERNEL: ToolFormat = ToolFormat { tool: "kernel log", page: "kernel-log", ..ToolFormat::PLAIN };

/// Most lines of one log.
const LINES_MAX: usize = 5000;

/// Beginnings of the kernel's lines about drives, and of the rests of those that a mailer wrapped.
#[rustfmt::skip]
const STARTS: [&str; 15] = [
    "[", "ata", "sd", "res ", "end_request", "blk_update", "print_req", "Descriptor sense", "Buffer I/O", "critical ", "Sense Key",
    "Add. Sense", "Result:", "FAILED Result", "CDB:",
];

const MEDIUM_ERROR: &str = "Sense Key : Medium Error";

/// One error makes several lines; those of one kind are counted.
struct Message {
    device: String,
    /// `blk_update_request: critical medium error, dev sda, sector 326677146`; else `sd 2:0:0:0: [sda] Sense Key : Medium Error [current]`.
    is_block: bool,
}

impl Message {
    /// The message of a line, or of one that goes on in the next.
    fn read(text: &str, next: Option<&PastedLine>) -> Option<Self> {
        let next = next.map_or("", |next| next.text.as_str());
        let name = |rest: &str| rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())].to_owned();
        let message = if let Some((_, rest)) = text.split_once("critical medium error, dev") {
            let rest = if rest.trim().is_empty() { next } else { rest };
            Self { device: name(rest.trim_start()), is_block: true }
        } else {
            let is_its = text.contains(MEDIUM_ERROR) || next.contains(MEDIUM_ERROR) && !next.contains("sd ");
            let (_, rest) = text.split_once("sd ").filter(|_| is_its)?;
            Self { device: name(rest.split_once('[')?.1), is_block: false }
        };
        is_disk(&message.device).then_some(message)
    }
}

/// The messages from here on as a page for each drive, and the lines that they take.
pub(super) fn start(context: &LineContext) -> Option<OutputStart> {
    let first = Message::read(&context.line.text, context.next)?;
    let is_kernels = |line: &&PastedLine| STARTS.iter().any(|start| line.text.starts_with(start)) || line.text.contains(" kernel: ");
    let rest: Vec<&PastedLine> = context.rest.iter().take(LINES_MAX).take_while(is_kernels).collect();
    let found = |at: usize| Message::read(&rest[at].text, rest.get(at + 1).copied());
    let mut pages: Vec<PageBuilder> = Vec::new();
    count(&mut pages, &first, context.line.number);
    let mut taken = 0;
    for (at, message) in (0..rest.len()).filter_map(|at| Some((at, found(at)?))) {
        count(&mut pages, &message, rest[at].number);
        taken = at + 1;
    }
    Some(OutputStart::Pages(pages, taken))
}

fn count(pages: &mut Vec<PageBuilder>, message: &Message, line: usize) {
    let known = pages.iter().position(|page| page.text("device_name").as_deref() == Some(&message.device));
    let at = known.unwrap_or_else(|| {
        let mut page = KERNEL.open(&PastedCommand::default(), line);
        page.set("device_name", Value::Text(message.device.clone()), line);
        pages.push(page);
        pages.len() - 1
    });
    let page = &mut pages[at];
    let tally = if message.is_block { &mut page.errors_decoded } else { &mut page.tally };
    *tally += 1;
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
        let wrapped = "[Mon May  2 03:36:24 2022] sd 0:0:2:0: [sdc]\n[Mon May  2 03:36:24 2022] Sense Key : Medium Error [current]\n\
            [Mon May  2 03:36:24 2022] end_request: critical medium error, dev\nsdc, sector 274093424\n";
        assert_eq!(read(wrapped).unwrap()[0].number("kernel_medium_errors"), Some(1));
        assert!(read("ata1.00: error: { ICRC ABRT }\nend_request: I/O error, dev sdb, sector 0\n").is_err());
    }
}
