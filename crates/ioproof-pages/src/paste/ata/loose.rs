//! Attributes in forms that are nobody's table: `Reallocated_Sector_Ct val=100 ... raw=2872`, `Current_Pending_Sector: 16`, a row of Markdown, a message of smartd.
//!
//! A line that begins with the name of an attribute that matters for the drive's health is read, or it is said that it could not be.

use crate::paste::page::{PageBuilder, PastedLine, Value, whole_u64};

/// (beginning of the name, key); upper and lower case, and underscores for blanks, do not matter.
const NAMES: &[(&str, &str)] = &[
    ("reallocated sector", "reallocated_sectors"),
    ("reported uncorrect", "media_errors"),
    ("current pending sector", "pending_sectors"),
    ("pending sector", "pending_sectors"),
    ("offline uncorrectable", "uncorrectable_sectors"),
    ("end-to-end error", "end_to_end_errors"),
];

/// Words that may stand before a name: `ID 197: Current_Pending_Sector`, `Attribute 197 (Current_Pending_Sector)`.
const BEFORE_NAME: [&str; 5] = ["id", "attribute", "attr", "smart", "name"];

/// Words of smartd behind a count.
const MESSAGES: &[(&str, &str)] = &[
    (" Currently unreadable (pending) sectors", "pending_sectors"),
    (" Offline uncorrectable sectors", "uncorrectable_sectors"),
    (" Total offline uncorrectable sectors", "uncorrectable_sectors"),
];

/// Words that a name goes on with: `Reallocated_Sector_Ct`, `Current Pending Sector Count`, `Offline uncorrectable sectors`.
const REST_OF_NAME: [&str; 9] = ["able errors", "able", "s count", "sectors", "sector", "s", "count", "cnt", "ct"];

/// Cells behind the name that a row of a table has at least: value, worst, threshold, raw.
const CELLS_MIN: usize = 4;

/// Verdicts of smartd.
const FAILED: [&str; 3] = ["FAILED SMART self-check", "Failed SMART usage Attribute", ", SMART Failure:"];

/// The drive that a message of smartd is about: `Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors`.
pub(crate) fn device(text: &str) -> Option<&str> {
    let rest = text.split_once("Device: /dev/")?.1;
    let plain = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '/')).unwrap_or(rest.len());
    let name = &rest[..plain + behind_controller(&rest[plain..])];
    let is_told = message(text).is_some() || FAILED.iter().any(|words| text.contains(words));
    (is_told && !name.is_empty()).then_some(name)
}

/// Length of ` [megaraid_disk_03]`, which tells the drives behind a controller apart.
fn behind_controller(rest: &str) -> usize {
    let place = rest.strip_prefix(" [").and_then(|rest| rest.split_once(']')).filter(|(place, _)| place.contains("_disk_"));
    place.map_or(0, |(place, _)| place.len() + " []".len())
}

/// Reads the line, or says that it could not be read. False where it is about something else.
pub(crate) fn line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    if device(&line.text).is_some() && FAILED.iter().any(|words| line.text.contains(words)) {
        builder.replace("smart_passed", Value::Flag(false), line.number);
        return true;
    }
    if let Some((key, count)) = message(&line.text) {
        builder.set_largest(key, count, line.number);
        return true;
    }
    let Some((key, rest)) = named(&line.text) else { return false };
    match figure(rest) {
        Some(count) => builder.set_largest(key, count, line.number),
        None if rest.bytes().any(|byte| byte.is_ascii_digit()) => builder.unread_health(line),
        None => return false,
    }
    true
}

/// True for a line that tells such a figure.
pub(crate) fn is_told(text: &str) -> bool {
    message(text).is_some() || named(text).is_some_and(|(_, rest)| figure(rest).is_some())
}

/// `Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors`.
fn message(text: &str) -> Option<(&'static str, u64)> {
    let (before, key) = MESSAGES.iter().find_map(|(words, key)| Some((text.split_once(words)?.0, *key)))?;
    let count = before.rsplit([' ', ',']).next()?;
    count.parse().ok().map(|count| (key, count))
}

/// The key of a line that begins with such a name, perhaps behind its number and marks of a list or a table, and what follows the name.
fn named(text: &str) -> Option<(&'static str, &str)> {
    let plain = text.to_ascii_lowercase().replace('_', " ");
    let start = start_of_name(&plain);
    let (name, key) = NAMES.iter().find(|(name, _)| plain[start..].starts_with(name))?;
    let end = start + name.len();
    let word = plain[end..].trim_start_matches(' ');
    let ends_word = |rest: &&str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest = REST_OF_NAME.iter().find_map(|end| word.strip_prefix(end).filter(ends_word));
    Some((*key, &text[rest.map_or(end, |rest| plain.len() - rest.len())..]))
}

/// The place where marks, numbers and the words that announce a name end.
fn start_of_name(plain: &str) -> usize {
    let is_mark = |c: char| c.is_ascii_digit() || " |*-`\"'(#:,;.".contains(c);
    let mut rest = plain.trim_start_matches(is_mark);
    while let Some(after) =
        BEFORE_NAME.iter().find_map(|word| rest.strip_prefix(word)).filter(|after| !after.starts_with(char::is_alphanumeric))
    {
        rest = after.trim_start_matches(is_mark);
    }
    plain.len() - rest.len()
}

/// The raw value in what follows a name.
fn figure(rest: &str) -> Option<u64> {
    let raw = ["raw=", "raw: ", "raw_value=", "raw value ", "RAW_VALUE="].iter().find_map(|word| rest.split_once(word));
    if let Some((_, raw)) = raw {
        return number(raw.split([' ', ',', ';', ')', '|']).next()?);
    }
    for mark in ['|', ',', ';'] {
        let cells: Vec<&str> = rest.split(mark).map(str::trim).filter(|cell| !cell.is_empty()).collect();
        if cells.len() >= CELLS_MIN {
            return number(cells.last()?.split_whitespace().next()?);
        }
    }
    let bare = rest.trim_start_matches(|c: char| c.is_whitespace() || ":=\"'`*|),;".contains(c));
    let bare = bare.trim_end_matches(|c: char| c.is_whitespace() || "\"'`*,.|;".contains(c));
    number(bare)
}

fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    whole_u64(text).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&'static str, Option<u64>)> {
        message(text).map(|(key, count)| (key, Some(count))).or_else(|| named(text).map(|(key, rest)| (key, figure(rest))))
    }

    #[test]
    fn figures_in_forms_of_their_own() {
        for (text, key, count) in [
            ("Reallocated_Sector_Ct    val=100 worst=100 thresh=010  raw=2872", "reallocated_sectors", 2872),
            ("Current_Pending_Sector: 16", "pending_sectors", 16),
            ("- **Current_Pending_Sector** = `16`", "pending_sectors", 16),
            ("197 | Current_Pending_Sector | 0x0012 | 100 | 100 | 000 | Old_age | Always | - | 13", "pending_sectors", 13),
            ("Reallocated Sector Count: 5", "reallocated_sectors", 5),
            ("Reported_Uncorrectable_Errors 321", "media_errors", 321),
            ("Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors", "pending_sectors", 8),
            ("197,Current_Pending_Sector,0x0012,100,100,000,Old_age,Always,-,16", "pending_sectors", 16),
            ("Attribute 197 (Current_Pending_Sector): 16", "pending_sectors", 16),
            ("\"current_pending_sector\": 16,", "pending_sectors", 16),
            ("Offline uncorrectable sectors: 3", "uncorrectable_sectors", 3),
        ] {
            assert_eq!(read(text), Some((key, Some(count))), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_no_figure() {
        for text in ["Reallocated_Sector_Ct 100 100 36 2872", "Current_Pending_Sector: 16 of 20", "Offline_Uncorrectable (198)"] {
            assert_eq!(read(text).map(|(_, count)| count), Some(None), "{text}");
        }
        assert_eq!(read("the attribute Current_Pending_Sector: 16"), None);
    }
}
