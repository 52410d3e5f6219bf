//! The parts of smartctl's output that only SCSI drives have: error counters, the background scan, hours in other words.

use crate::paste::page::{PageBuilder, PastedLine, Value, real, whole_u64};
use crate::paste::text::wrap;

/// Figures of a row of error counters.
const FIGURES: usize = 7;

const DIRECTIONS: [&str; 3] = ["read", "write", "verify"];

/// `read: 817967014 7436 0 817974450 817974452 4260.902 2`: five counts, what was processed in gigabytes, and errors that were not corrected.
pub(crate) fn counter_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, rest)) = counter(&line.text) else { return false };
    match figures(rest) {
        Some((gigabytes, errors)) => error_counters(builder, label, gigabytes, errors, line.number),
        None => builder.unread_health(line),
    }
    true
}

fn counter(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').map(|(label, rest)| (label.trim(), rest)).filter(|(label, _)| DIRECTIONS.contains(label))
}

/// Gigabytes and errors of a row that is whole.
fn figures(rest: &str) -> Option<(&str, &str)> {
    let figures: Vec<&str> = rest.split_whitespace().collect();
    let [counts @ .., gigabytes, errors] = figures.as_slice() else { return None };
    let is_count = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = figures.len() == FIGURES && counts.iter().all(is_count) && is_count(errors);
    (is_whole && gigabytes.contains(['.', ',']) && real(gigabytes).is_some()).then_some((gigabytes, errors))
}

/// A row of counters with the lines that it was wrapped into.
pub(crate) fn join(line: &PastedLine, next: &[PastedLine]) -> Option<(PastedLine, usize)> {
    let is_whole = |text: &str| counter(text).is_some_and(|(_, rest)| figures(rest).is_some());
    if counter(&line.text).is_none() || is_whole(&line.text) {
        return None;
    }
    wrap::joined(line, next, |own| own.text.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !own.text.contains(':'), is_whole)
}

pub(crate) fn error_counters(builder: &mut PageBuilder, direction: &str, gigabytes: &str, errors: &str, line: usize) {
    uncorrected(builder, whole_u64(errors), line);
    let key = match direction {
        "read" => "data_read_bytes",
        "write" => "data_written_bytes",
        _ => return,
    };
    // Printed with three digits: whole megabytes.
    let megabytes = real(gigabytes).map(|gigabytes| (gigabytes * 1000.0).round()).filter(|megabytes| (0.0..1e12).contains(megabytes));
    megabytes.into_iter().for_each(|megabytes| builder.set(key, Value::Number(megabytes as u64 * 1_000_000), line));
}

/// Adds the errors of one direction to those of the others.
pub(crate) fn uncorrected(builder: &mut PageBuilder, errors: Option<u64>, line: usize) {
    if let Some(errors) = errors {
        builder.tally = builder.tally.saturating_add(errors);
        builder.replace("media_errors", Value::Number(builder.tally), line);
    }
}

/// Figures that are printed with `=` or under another heading: `number of hours powered up = 12608.92`, `Current temperature = 25`.
pub(crate) fn other_words(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once('=') else { return false };
    match label.trim() {
        "number of hours powered up" => {
            builder.set_number("power_on_hours", value.trim().split('.').next().and_then(whole_u64), line.number);
        }
        "Current temperature" => builder.set_celsius(whole_u64(value), line.number),
        "negotiated logical link rate" => {
            let rate = value.split(';').nth(1).and_then(|text| real(text.trim())).filter(|rate| *rate > 0.0);
            builder.set_some("link_speed_gbit_per_s", rate.map(Value::Real), line.number);
        }
        _ => return false,
    }
    true
}

/// `43 46201:56  00000000071fba1e  [1,17,1]   Require Write or Reassign Blocks command`: what a scan of the medium found, and what became of it (SBC-4, background scan
/// results). Those that were rewritten in place are read again.
pub(crate) fn scan_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [number, clock, lba, sense, ..] = words.as_slice() else { return false };
    let is_row = number.parse::<u32>().is_ok() && clock.contains(':') && u64::from_str_radix(lba, 16).is_ok() && sense.starts_with('[');
    if is_row && is_lost(&line.text) {
        scan_found(builder, line.number);
    }
    is_row
}

/// True for a status of a sector that cannot be read any more.
pub(crate) fn is_lost(status: &str) -> bool {
    const LOST: [&str; 3] = ["Require Write or Reassign", "Unrecoverable", "Reassignment by app failed"];
    LOST.iter().any(|lost| status.contains(lost))
}

/// One more sector that a scan could not read.
pub(crate) fn scan_found(builder: &mut PageBuilder, line: usize) {
    builder.add_number("scan_unreadable_sectors", 1, line);
}

/// Vendor and product that a bridge cut out of one name: `MG08ACP1` and `6TE`, `WDC WD10` and `EZEX-08WN4A0`.
pub(crate) fn whole_name(builder: &mut PageBuilder) {
    const VENDOR_CHARS: usize = 8;
    let (Some(vendor), Some(product)) = (builder.text("vendor"), builder.text("model")) else { return };
    let digits = vendor.bytes().filter(u8::is_ascii_digit).count();
    let line = builder.field("model").map_or(1, |(_, line)| line);
    if vendor.len() == VENDOR_CHARS && digits >= 2 {
        builder.replace("model", Value::Text(format!("{vendor}{product}")), line);
        builder.remove("vendor");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<PastedLine> {
        texts.iter().enumerate().map(|(at, text)| PastedLine { number: at + 1, text: (*text).to_owned(), after_gap: false }).collect()
    }

    #[test]
    fn a_row_of_counters_has_seven_figures() {
        assert_eq!(figures(" 817967014 7436 0 817974450 817974452 4260.902 2"), Some(("4260.902", "2")));
        assert_eq!(figures(" 0 0 0 0 0,000 0"), None);
        assert_eq!(figures(" 0 0 0 0 0 0,000 8149"), Some(("0,000", "8149")));
        assert_eq!(figures(" 817967014 7436 0 817974450 4.725 17.344"), None);
    }

    #[test]
    fn a_wrapped_row_is_joined() {
        let row = lines(&["read: 817967014 7436 0 817974450 817974452", "4260.902 2", "write: 0 0 0 0 0 1.0 0"]);
        assert_eq!(
            join(&row[0], &row[1..]).map(|(line, taken)| (line.text, taken)),
            Some(("read: 817967014 7436 0 817974450 817974452 4260.902 2".to_owned(), 1))
        );
        let cut = lines(&["read: 817967014 7436 0 817974450 8179744", "52 4260.902 2"]);
        assert_eq!(
            join(&cut[0], &cut[1..]).map(|(line, _)| line.text),
            Some("read: 817967014 7436 0 817974450 817974452 4260.902 2".to_owned())
        );
        assert_eq!(join(&row[2], &[]), None);
    }
}
