//! The line below `Device info:` in a mail of smartd: `[VENDOR MODEL REV], lu id: 0x..., S/N: ..., 146 GB`,
//! or `MODEL, S/N:..., WWN:..., FW:..., 500 GB`.

use crate::paste::page::{PageBuilder, PastedLine};
use crate::paste::raid;

/// Lines after the message among which the device is described.
const LINES_MAX: usize = 5;

const SERIAL: &str = "S/N:";

/// Takes the names of the drive that the message before is about. False where the line is none of a mail.
pub(crate) fn line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let told = builder.last_field_line();
    let is_below = builder.seen == [MESSAGE] && (told + 1..=told + LINES_MAX).contains(&line.number);
    let parts: Vec<&str> = line.text.split(", ").map(str::trim).collect();
    let is_described = parts.iter().skip(1).any(|part| part.starts_with(SERIAL)) && parts.len() > 2;
    if !is_below || !is_described || line.text.starts_with("Device:") {
        return false;
    }
    if parts[0].starts_with('[') {
        inquiry(builder, parts[0], line.number)
    } else {
        builder.set_text("model", parts[0], line.number)
    }
    for part in &parts[1..] {
        match part.split_once(':') {
            Some(("S/N", serial)) => builder.set_text("serial", serial, line.number),
            Some(("FW", firmware)) => builder.set_text("firmware", firmware, line.number),
            Some(_) => {}
            None => raid::rounded_size(builder, part, line.number),
        }
    }
    true
}

/// Mark of a page that a message of smartd began.
pub(crate) const MESSAGE: &str = "smartd";

/// Vendor, model and revision in 8, 16 and 4 characters with blanks between them. Where blanks were lost, three words are these.
fn inquiry(builder: &mut PageBuilder, part: &str, line: usize) {
    const COLUMNS: [std::ops::Range<usize>; 3] = [0..8, 9..25, 26..30];
    let inner = part.trim_start_matches('[').trim_end_matches(']');
    let words: Vec<&str> = inner.split_whitespace().collect();
    let is_whole = inner.is_ascii() && inner.len() == COLUMNS[2].end;
    let fields = if is_whole { COLUMNS.map(|columns| inner[columns].trim()).to_vec() } else { words };
    if let [vendor, model, revision] = fields[..] {
        if vendor == "ATA" {
            builder.set_text("protocol", vendor, line);
        } else {
            builder.set_text("protocol", "SCSI", line);
            builder.set_text("vendor", vendor, line);
        }
        builder.set_text("model", model, line);
        builder.set_text("firmware", revision, line);
    }
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::read;

    fn mail(message: &str, info: &str) -> Page {
        let text = format!("The following warning/error was logged by the smartd daemon:\n\nDevice: {message}\n\nDevice info:\n{info}\n");
        read(&text).unwrap().remove(0)
    }

    fn named(page: &Page) -> [Option<&str>; 4] {
        ["device_name", "model", "serial", "firmware"].map(|key| page.text(key))
    }

    #[test]
    fn a_mail_names_the_drive_that_fails() {
        let failure = "/dev/sg1 [cciss_disk_02] [SCSI], SMART Failure: HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE";
        let page = mail(failure, "[HP       EG0000FAWHU      HPDG], lu id: 0x5000c50000000001, S/N: 3S000000, 146 GB");
        assert_eq!(named(&page), [Some("sg1 [cciss_disk_02]"), Some("EG0000FAWHU"), Some("3S000000"), Some("HPDG")]);
        assert_eq!((page.text("vendor"), page.number("capacity_rounded_bytes")), (Some("HP"), Some(146_000_000_000)));
        assert_eq!(judge("", &[page]).state, HealthState::Failing);
        let page = mail("/dev/sda [SAT], 8 Offline uncorrectable sectors", "WDC WD20-1, S/N:WD-1, WWN:5-0014ee-1, FW:50.0, 2.00 TB");
        assert_eq!(named(&page), [Some("sda"), Some("WDC WD20-1"), Some("WD-1"), Some("50.0")]);
        assert_eq!(page.number("uncorrectable_sectors"), Some(8));
    }

    #[test]
    fn a_line_far_below_or_without_a_message_names_nothing() {
        let info = "X, S/N:WD-1, WWN:5-0014ee-1, FW:50.0, 2.00 TB";
        assert!(read(&format!("Device info:\n{info}\n")).is_err());
        let page = mail("/dev/sda [SAT], 8 Offline uncorrectable sectors", &format!("\n\n\n\n{info}"));
        assert_eq!(named(&page), [Some("sda"), None, None, None]);
    }
}
