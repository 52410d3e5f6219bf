//! `sg_logs` of sg3_utils: log pages of a SCSI drive under the heading of each.
//!
//! Deliberately absent: pages of ports, of applications and of tapes.

use super::scsi;
use crate::paste::page::{LineContext, OutputStart, PageBuilder, PastedLine, ToolFormat, Value, hexadecimal, whole_u64};

pub(crate) const SG_LOGS: ToolFormat =
    ToolFormat { tool: "sg_logs", page: "log-sense", special: figure, finish: protocol, ..ToolFormat::PLAIN };

/// Beginnings of headings, with the part of the output that each begins.
const PARTS: [(&str, &str); 6] = [
    ("Read error counter", "read"),
    ("Write error counter", "write"),
    ("Verify error counter", "verify"),
    ("Informational Exceptions", "exceptions"),
    ("Self-test results", "self-tests"),
    ("Background scan results", "scan"),
];

/// An output begins with the drive's name or with the heading of a page.
pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let begins = context.next.is_some_and(|next| is_heading(&next.text)) && !is_heading(text) && names(text).is_some();
    match () {
        () if begins => Some(OutputStart::OpenWith(&SG_LOGS, inquiry)),
        () if is_heading(text) && context.is_in(SG_LOGS.tool) => Some(OutputStart::Line(heading)),
        () if is_heading(text) => Some(OutputStart::Open(&SG_LOGS)),
        () => None,
    }
}

/// `Read error counter page  [0x3]`, `Supported log pages  [0x0]:`.
fn is_heading(text: &str) -> bool {
    let text = text.trim_end_matches(':');
    let Some((title, code)) = text.rsplit_once("[0x") else { return false };
    let is_code = code.strip_suffix(']').is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit() || b",x".contains(&byte)));
    let title = title.trim_end();
    is_code && (title.ends_with(" page") || title.ends_with(" pages") || title.ends_with(')') && title.contains(" page "))
}

/// Vendor, product and revision of `SEAGATE   ST91000640SS      0004`, which wide blanks part.
fn names(text: &str) -> Option<[&str; 3]> {
    let parts: Vec<&str> = text.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_plain = !text.contains(['=', ':', '[']);
    <[&str; 3]>::try_from(parts).ok().filter(|[vendor, product, revision]| {
        is_plain && vendor.len() <= 8 && !vendor.contains(' ') && product.len() <= 16 && (1..=4).contains(&revision.len())
    })
}

fn inquiry(builder: &mut PageBuilder, line: &PastedLine) {
    let Some([vendor, product, revision]) = names(&line.text) else { return };
    for (key, text) in [("vendor", vendor), ("model", product), ("firmware", revision)] {
        builder.set_text(key, text, line.number);
    }
}

fn heading(builder: &mut PageBuilder, line: &PastedLine) {
    builder.part = PARTS.iter().find(|(start, _)| line.text.starts_with(start)).map_or("", |(_, part)| part);
}

fn figure(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.as_str();
    if is_heading(text) {
        heading(builder, line);
        return true;
    }
    // The list of pages says nothing of the drive.
    let is_listed = text.starts_with("0x") && text.contains(" ");
    let Some((label, value)) = text.split_once(" = ").or_else(|| text.split_once(':')) else { return is_listed };
    let (label, value, at) = (label.trim(), value.trim(), line.number);
    let number = || whole_u64(value.split([' ', '%']).next().unwrap_or_default());
    match (builder.part, label) {
        ("read" | "write" | "verify", "Total uncorrected errors") => scsi::uncorrected(builder, number(), at),
        ("read", "Total bytes processed") => builder.set_number("data_read_bytes", number(), at),
        ("write", "Total bytes processed") => builder.set_number("data_written_bytes", number(), at),
        ("exceptions", "IE asc") => {
            let code = hexadecimal(value.split(',').next().unwrap_or_default().trim_start_matches("0x"));
            builder.set_some("smart_passed", code.map(|code| Value::Flag(code == 0)), at);
        }
        ("self-tests", "self-test code") => builder.log.is_whole = value.contains("extended"),
        ("self-tests", "self-test result") => self_test(builder, value, at),
        ("scan", "Accumulated power on minutes") => builder.set_number("power_on_hours", number().map(|minutes| minutes / 60), at),
        ("scan", "Reassign status") if scsi::is_lost(value) => scsi::scan_found(builder, at),
        (_, "Current temperature") => builder.set_celsius(number(), at),
        (_, "Percentage used endurance indicator") => builder.set_number("percentage_used_percent", number(), at),
        (_, "Pending defect count") => builder.set_number("pending_sectors", number(), at),
        _ => {}
    }
    true
}

/// `completed without error [0]`: of the codes 3 to 7 are failures (SPC-4, self-test results), the newest first.
fn self_test(builder: &mut PageBuilder, value: &str, line: usize) {
    let code = value.rsplit_once('[').and_then(|(_, code)| hexadecimal(code.trim_end_matches(']').trim_start_matches("0x")));
    if code.is_some_and(|code| (3..=7).contains(&code)) && !builder.log.is_outdated {
        builder.log.found += 1;
        builder.replace("self_tests_failed", Value::Number(builder.log.found), line);
    }
    builder.log.is_outdated |= builder.log.is_whole && code == Some(0);
}

fn protocol(builder: &mut PageBuilder) {
    let line = builder.last_field_line();
    if line > 0 {
        builder.set_text("protocol", "SCSI", line);
    }
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::read;

    const TEXT: &str = "\
    SEAGATE   ST91000640SS      0004
Supported log pages  [0x0]:
    0x00        Supported log pages [sp]

Write error counter page  [0x2]
  Errors corrected without substantial delay = 0
  Total bytes processed = 262144
  Total uncorrected errors = 0

Read error counter page  [0x3]
  Total bytes processed = 65536
  Total uncorrected errors = 12

Temperature page  [0xd]
  Current temperature = 36 C
  Reference temperature = 68 C

Self-test results page  [0x10]
  Parameter code = 1, accumulated power-on hours = 40000
    self-test code: background short [1]
    self-test result: completed without error [0]

Background scan results page  [0x15]
  Status parameters:
    Accumulated power on minutes: 2612973 [h:m  43549:33]

Informational Exceptions page  [0x2f]
  IE asc = 0x0, ascq = 0x0
    Current temperature = 36 C
";

    #[test]
    fn log_pages_are_one_drive() {
        let pages = read(TEXT).unwrap();
        assert_eq!(pages.len(), 1);
        let number = |key: &str| pages[0].number(key);
        assert_eq!((pages[0].text("model"), pages[0].text("firmware")), (Some("ST91000640SS"), Some("0004")));
        assert_eq!(
            ["media_errors", "data_read_bytes", "data_written_bytes", "temperature_celsius", "power_on_hours"].map(number),
            [Some(12), Some(65536), Some(262_144), Some(36), Some(43_549)]
        );
        assert_eq!(judge("", &pages).state, HealthState::Failing);
        let good = read(&TEXT.replace("= 12\n", "= 0\n")).unwrap();
        assert_eq!(judge("", &good).state, HealthState::Ok);
    }

    #[test]
    fn a_foretold_failure_and_a_failed_test_are_failing() {
        let good = TEXT.replace("= 12\n", "= 0\n");
        for (from, to) in [("IE asc = 0x0", "IE asc = 0x5d"), ("without error [0]", "failure in test segment (which one unknown) [4]")] {
            assert_eq!(judge("", &read(&good.replace(from, to)).unwrap()).state, HealthState::Failing, "{to}");
        }
    }
}
