//! The logs of single events of ATA drives as smartctl prints them: errors that the drive reported, and its self-tests. SCSI drives list self-tests in the same form.
//!
//! Both logs come in two forms, the extended one of more entries; where both are pasted, the larger count stays. Deliberately absent: the commands that led to an error.

use crate::paste::page::{EventLog, PageBuilder, PastedLine, Value, whole_u64};

const ERRORS: &str = "device_errors";
const UNREADABLE: &str = "logged_uncorrectable_reads";
const UNREADABLE_HOURS: &str = "uncorrectable_read_hours";
const UNREADABLE_AGE: &str = "uncorrectable_read_age_hours";
const MISSING: &str = "logged_missing_sectors";
const FAILED: &str = "self_tests_failed";

/// Power-on hours of an error are kept in 16 bits (ACS-3, A.11.5.4).
const HOURS_WRAP: u64 = 1 << 16;

/// `ATA Error Count: 79`, `Error 79 [6] occurred at disk power-on lifetime: 12345 hours`, and what the error was.
pub(crate) fn error_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.as_str();
    if counted(builder, line) {
        return true;
    }
    if text.contains("log entry is empty") {
        builder.errors_decoded += 1;
        return true;
    }
    builder.log.expects_registers |= text.contains("registers were");
    builder.log.expects_registers &= !text.starts_with("Commands leading");
    if builder.log.expects_registers && registers(builder, text, line.number) {
        builder.log.expects_registers = false;
        return true;
    }
    if let Some((_, lifetime)) = text.split_once("occurred at disk power-on lifetime:") {
        builder.log.hours = leading(lifetime);
        return true;
    }
    match text.split_once("Error: ") {
        Some((_, error)) => event(builder, error, line.number),
        None => return false,
    }
    true
}

/// `ATA Error Count: 79`, in a log or alone.
pub(crate) fn counted(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let count = ["ATA Error Count:", "Device Error Count:"].iter().find_map(|start| line.text.strip_prefix(start)).and_then(leading);
    builder.set_largest(ERRORS, count, line.number);
    count.is_some()
}

/// `40 51 00 cd ee ea 0d`, or with two dashes after the first byte: the registers after an error, of which the first says what it was (ATA-8 ACS, error field): bit 6 UNC,
/// bit 4 IDNF, bit 0 AMNF. Text behind them says the same.
fn registers(builder: &mut PageBuilder, text: &str, line: usize) -> bool {
    const REGISTERS: usize = 7;
    const UNC: u8 = 0x40;
    const IDNF: u8 = 0x10;
    const AMNF: u8 = 0x01;
    let byte = |word: &str| (word.len() == 2).then(|| u8::from_str_radix(word, 16).ok()).flatten();
    let bytes: Vec<u8> = text.split_whitespace().take_while(|word| byte(word).is_some() || *word == "--").filter_map(byte).collect();
    let [error, status, ..] = bytes.as_slice() else { return false };
    // Bit 0 of the status says that the error field counts.
    if bytes.len() < REGISTERS || status & 1 == 0 || text.contains("Error: ") {
        return false;
    }
    builder.errors_decoded += 1;
    match () {
        () if error & (UNC | AMNF) != 0 => unreadable(builder, line),
        () if error & IDNF != 0 => builder.add_number(MISSING, 1, line),
        () => {}
    }
    true
}

/// An error: `UNC 8 sectors at LBA = 0x06d862a8`, `ICRC, ABRT at LBA = ...`.
fn event(builder: &mut PageBuilder, error: &str, line: usize) {
    let names = error.split(" at ").next().unwrap_or_default();
    let is_named = |wanted: &[&str]| names.split([',', ' ']).any(|name| wanted.contains(&name));
    builder.errors_decoded += 1;
    builder.log.expects_registers = false;
    if is_named(&["UNC", "AMNF"]) {
        unreadable(builder, line);
    } else if is_named(&["IDNF"]) {
        builder.add_number(MISSING, 1, line);
    }
}

fn unreadable(builder: &mut PageBuilder, line: usize) {
    builder.log.found += 1;
    builder.set_largest(UNREADABLE, builder.log.found, line);
    builder.set_largest(UNREADABLE_HOURS, builder.log.hours, line);
}

/// `# 1  Short offline  Completed: read failure  90%  1234  12345678`, the newest first. What failed before a test of all of the medium that found nothing is over.
pub(crate) fn self_test_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some(row) = line.text.strip_prefix('#').map(str::trim_start).filter(|row| row.starts_with(|c: char| c.is_ascii_digit())) else {
        return false;
    };
    let is_whole = ["Extended", "Long", "extended", "long"].iter().any(|word| row.contains(word));
    self_test(builder, row, is_whole, line.number);
    true
}

/// ` 0   Extended          Completed: failed segments   1234   5678   1   3  0x2 0x81`, the newest first.
pub(crate) fn nvme_self_test_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let mut words = line.text.split_whitespace();
    let is_row = words.next().is_some_and(|number| number.parse::<u8>().is_ok()) && words.next().is_some();
    if is_row {
        self_test(builder, &line.text, line.text.contains("Extended"), line.number);
    }
    is_row
}

/// A row of the log of self-tests outside of it, as `#1  Short offline  Completed: read failure`.
pub(crate) fn self_test_alone(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    line.text.contains("offline") && line.text.contains("Completed") && self_test_line(builder, line)
}

fn self_test(builder: &mut PageBuilder, status: &str, is_whole: bool, line: usize) {
    const FAILURES: [&str; 6] = ["failure", "handling damage", "Failed in", "segment failed", "failed segment", "Fatal or unknown"];
    let failed = FAILURES.iter().any(|words| status.contains(words));
    if failed && !builder.log.is_outdated {
        builder.log.found += 1;
        builder.set_largest(FAILED, builder.log.found, line);
    }
    if is_whole && status.contains("Completed without error") {
        builder.log.is_outdated = true;
        builder.set_number(FAILED, 0, line);
    }
}

/// `Self-test execution status: ( 121) ...`: the upper four bits are how the last one ended (ACS-3, 7.48.6.4), of which 3 to 8 are failures.
pub(crate) fn last_self_test(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some(rest) = line.text.strip_prefix("Self-test execution status:") else { return false };
    let code = rest.trim_start().strip_prefix('(').and_then(leading).filter(|code| *code <= 0xff);
    if code.is_some_and(|code| (3..=8).contains(&(code >> 4))) {
        builder.set_largest(FAILED, 1, line.number);
    }
    true
}

pub(crate) fn leaf(builder: &mut PageBuilder, path: &str, text: &str, line: usize) {
    let parts: Vec<&str> = path.split('.').collect();
    match parts.as_slice() {
        ["ata_smart_error_log", _, "count"] => builder.set_largest(ERRORS, leading(text), line),
        ["ata_smart_error_log", _, "table", first, "error_number"] if *first == "0" => builder.log = EventLog::default(),
        ["ata_smart_error_log", _, "table", _, "lifetime_hours"] => builder.log.hours = leading(text),
        ["ata_smart_error_log", _, "table", _, "error_description"] => event(builder, text.trim_start_matches("Error: "), line),
        ["ata_smart_self_test_log", _, "table", first, "type", "string"]
        | ["nvme_self_test_log", "table", first, "self_test_code", "string"] => {
            if *first == "0" {
                builder.log = EventLog::default();
            }
            builder.log.is_whole = text.contains("Extended");
        }
        ["ata_smart_self_test_log", _, "table", _, "status", "string"]
        | ["nvme_self_test_log", "table", _, "self_test_result", "string"] => self_test(builder, text, builder.log.is_whole, line),
        [log, "code", "string"] if log.starts_with("scsi_self_test_") => builder.log.is_whole = text.contains("long"),
        [log, "result", "string"] if log.starts_with("scsi_self_test_") => self_test(builder, text, builder.log.is_whole, line),
        _ => {}
    }
}

pub(crate) fn finish(builder: &mut PageBuilder) {
    let is_decoded = builder.errors_decoded > 0 || [UNREADABLE, MISSING].iter().any(|key| builder.field(key).is_some());
    if let Some((errors, number)) = builder.number(ERRORS).filter(|(errors, _)| *errors > 0 && !is_decoded) {
        let text = format!("{errors} errors, of which none is told");
        builder.unread_health(&PastedLine { number, text, after_gap: false });
    }
    if let (Some((then, first)), Some((now, second))) = (builder.number(UNREADABLE_HOURS), builder.number("power_on_hours")) {
        let age = if now >= then { (now - then) % HOURS_WRAP } else { return };
        builder.derive(UNREADABLE_AGE, Value::Number(age), (first, second));
    }
}

fn leading(text: &str) -> Option<u64> {
    whole_u64(text.trim_start())
}
