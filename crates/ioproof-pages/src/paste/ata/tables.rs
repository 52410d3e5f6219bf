//! The tables of ATA drives as smartctl prints them: SMART attributes and Device Statistics.
//!
//! The meaning of an attribute is its maker's business. smartctl names it by its database, so the name is believed where it says both what is counted and in which unit; the
//! statistics, which are standard, win over attributes where they say the same.

use crate::field::{Field, Value};
use crate::health::ENDS_EARLY;
use crate::paste::page::{PageBuilder, PastedLine, whole, whole_u64};
use crate::paste::text::wrap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PastedAttribute {
    pub id: u64,
    pub name: String,
    pub value: Option<u64>,
    pub worst: Option<u64>,
    pub threshold: Option<u64>,
    pub raw: Option<u64>,
    pub figure: Option<u64>,
    pub reading: String,
    pub flags: Option<u64>,
    /// True where reaching the threshold foretells a failure; else it is a matter of age.
    pub prefailure: bool,
    /// True where the drive says that it fails now (`FAILING_NOW`), false where it did once (`In_the_past`).
    pub failing: Option<bool>,
    pub line: usize,
}

#[derive(Debug, Clone, Copy)]
enum UsualFigure {
    Figure,
    /// A count that other figures of the maker may be packed above: one of more than 32 bits is none.
    Count,
    /// The same count on drives that report 0 and 1 in turn without a fault: 1 is read as 0.
    CountAboveOne,
    /// Hours where they are told with their unit: `95h+25m`.
    Clock,
    /// The raw value where the normalised one does not move, else that.
    Left,
    Times(u64),
    Normalised,
    Celsius,
}

/// (number, beginning of the name, key). An attribute of the same number under another name is something else.
const USUAL: &[(u64, &str, &str, UsualFigure)] = &[
    (5, "Realloc", "reallocated_sectors", UsualFigure::Count),
    (5, "Re-alloc", "reallocated_sectors", UsualFigure::Count),
    (5, "Retired_Block_Count", "reallocated_sectors", UsualFigure::Count),
    (5, "Later_Bad_Block", "reallocated_sectors", UsualFigure::Count),
    (5, "New_Bad_Bl", "reallocated_sectors", UsualFigure::Count),
    (9, "Power_On_Hours", "power_on_hours", UsualFigure::Figure),
    (9, "Power_On_Minutes", "power_on_hours", UsualFigure::Clock),
    (9, "Power-on_Hours", "power_on_hours", UsualFigure::Figure),
    (12, "Power_Cycle_Count", "power_cycles", UsualFigure::Figure),
    (187, "Reported_U", "media_errors", UsualFigure::Count),
    (187, "Uncorrect", "media_errors", UsualFigure::Count),
    (184, "End-to-End_Error", "end_to_end_errors", UsualFigure::Count),
    (194, "Temperature", "temperature_celsius", UsualFigure::Celsius),
    (190, "Airflow_Temperature", "temperature_celsius", UsualFigure::Celsius),
    (190, "Temperature", "temperature_celsius", UsualFigure::Celsius),
    (196, "Reallocated_Event", "reallocation_events", UsualFigure::Count),
    (197, "Pending_Sector", "pending_sectors", UsualFigure::Count),
    (197, "Total_Pending", "pending_sectors", UsualFigure::Count),
    (197, "Current_Pending_ECC", "pending_sectors", UsualFigure::CountAboveOne),
    (197, "Current_Pending", "pending_sectors", UsualFigure::Count),
    (198, "Offline_U", "uncorrectable_sectors", UsualFigure::Count),
    (198, "Off-line_Scan_UNC", "uncorrectable_sectors", UsualFigure::Count),
    (198, "Total_Offl_Unc", "uncorrectable_sectors", UsualFigure::Count),
    (198, "Uncor", "uncorrectable_sectors", UsualFigure::Count),
    (199, "UDMA_CRC", "crc_errors", UsualFigure::Figure),
    (199, "SATA_CRC_Error", "crc_errors", UsualFigure::Figure),
    (199, "CRC_Error", "crc_errors", UsualFigure::Figure),
    (231, "SSD_Life_Left", "life_left_percent", UsualFigure::Left),
    (231, "Lifetime_Left", "life_left_percent", UsualFigure::Left),
    (169, "Remaining_Lifetime_Perc", "life_left_percent", UsualFigure::Left),
    (173, "Wear_Leveling_Count", "media_wearout_left_percent", UsualFigure::Normalised),
    (177, "Wear_Leveling_Count", "media_wearout_left_percent", UsualFigure::Normalised),
    (202, "Percent_Lifetime_", "life_left_percent", UsualFigure::Normalised),
    (202, "Perc_Rated_Life_Used", "life_left_percent", UsualFigure::Normalised),
    (245, "Percent_Life_Remaining", "life_left_percent", UsualFigure::Normalised),
    (248, "Perc_Rated_Life_Remain", "life_left_percent", UsualFigure::Normalised),
    (248, "Remaining_Life", "life_left_percent", UsualFigure::Normalised),
    (248, "SSD_Remaining_Life", "life_left_percent", UsualFigure::Normalised),
    (233, "Media_Wearout", "media_wearout_left_percent", UsualFigure::Normalised),
    (241, "Host_Writes_32MiB", "data_written_bytes", UsualFigure::Times(32 << 20)),
    (241, "Host_Writes_GiB", "data_written_bytes", UsualFigure::Times(1 << 30)),
    (241, "Lifetime_Writes_GiB", "data_written_bytes", UsualFigure::Times(1 << 30)),
    (241, "Total_LBAs_Written", "attribute_blocks_written", UsualFigure::Figure),
    (242, "Host_Reads_32MiB", "data_read_bytes", UsualFigure::Times(32 << 20)),
    (242, "Host_Reads_GiB", "data_read_bytes", UsualFigure::Times(1 << 30)),
    (242, "Lifetime_Reads_GiB", "data_read_bytes", UsualFigure::Times(1 << 30)),
    (242, "Total_LBAs_Read", "attribute_blocks_read", UsualFigure::Figure),
    (225, "Host_Writes_32MiB", "data_written_bytes", UsualFigure::Times(32 << 20)),
];

/// Most erases of a block of which none shows in the normalised value: a hundredth of what the longest-lived take.
const UNWORN_ERASES_MAX: u64 = 1000;

const STATISTICS: &[(&str, &str)] = &[
    ("Lifetime Power-On Resets", "power_cycles"),
    ("Power-on Hours", "power_on_hours"),
    ("Logical Sectors Written", "blocks_written"),
    ("Logical Sectors Read", "blocks_read"),
    ("Number of Write Commands", "host_write_commands"),
    ("Number of Read Commands", "host_read_commands"),
    ("Number of Reallocated Logical Sectors", "reallocated_sectors"),
    ("Number of Realloc. Candidate Logical Sectors", "pending_sectors"),
    ("Number of Reported Uncorrectable Errors", "media_errors"),
    ("Current Temperature", "temperature_celsius"),
    ("Specified Maximum Operating Temperature", "critical_temperature_celsius"),
    ("Time in Over-Temperature", "critical_temperature_minutes"),
    ("Number of Interface CRC Errors", "crc_errors"),
    ("Percentage Used Endurance Indicator", "percentage_used_percent"),
];

/// Words after the threshold of a row, in the long form of the table.
const TYPES: [&str; 2] = ["Pre-fail", "Old_age"];
const UPDATES: [&str; 2] = ["Always", "Offline"];
const FAILED: [&str; 7] = ["-", "FAILING_NOW", "In_the_past", "NOW", "Past", "now", "past"];

/// Words that a name may have, as in `169 Unknown Attribute`.
const NAME_WORDS_MAX: usize = 5;

/// ` 5 Reallocated_Sector_Ct PO--CK 100 100 010 - 0`, or with `0x0033`, type and update in the form of `-A`. A row that is not whole says nothing; where it matters for the
/// drive's health, that is said.
pub(crate) fn attribute_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    if let Some(attribute) = parse_attribute(line) {
        attribute_fields(builder, &attribute);
        return true;
    }
    let Some(row) = RowWords::read(&line.text) else { return false };
    if is_usual(row.id, &row.name) {
        builder.unread_health(line);
    } else {
        // Rows that matter may have stood behind it.
        builder.problem(format!("line {}: {ENDS_EARLY}, in a row of the attributes", line.number));
    }
    true
}

/// Some programs write all names in small letters.
fn usual(id: u64, name: &str) -> Option<&'static (u64, &'static str, &'static str, UsualFigure)> {
    let begins = |start: &str| name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    USUAL.iter().find(|(number, start, ..)| *number == id && begins(start))
}

fn is_usual(id: u64, name: &str) -> bool {
    usual(id, name).is_some()
}

pub(crate) fn attribute_id(line: &PastedLine) -> Option<u64> {
    let row = RowWords::read(&line.text).filter(|row| row.name.contains(['_', '-']))?;
    let are_numbers = row.rest.get(..2)?.iter().all(|word| word.parse::<u64>().is_ok());
    are_numbers.then_some(row.id)
}

/// The row of an attribute with the lines that it was wrapped into.
pub(crate) fn join(line: &PastedLine, next: &[PastedLine]) -> Option<(PastedLine, usize)> {
    RowWords::read(&line.text)?;
    if is_closed(&line.text) {
        // A terminal cuts within a number.
        let rest = next.first().filter(|own| !own.after_gap && own.text.bytes().all(|byte| byte.is_ascii_digit()))?;
        let is_open = line.text.ends_with(|c: char| c.is_ascii_digit());
        return is_open.then(|| (PastedLine { text: format!("{}{}", line.text, rest.text), ..line.clone() }, 1));
    }
    let may_follow =
        |own: &PastedLine| !own.text.contains(':') && RowWords::read(&own.text).is_none() && (!own.after_gap || is_tail(&own.text));
    wrap::joined(line, next, may_follow, is_closed)
}

/// True for a row whose raw value is there with all of its brackets.
fn is_closed(text: &str) -> bool {
    let Some(row) = RowWords::read(text) else { return false };
    let Some((_, raw)) = row.whole() else { return false };
    let count = |mark: char| raw.iter().map(|word| word.matches(mark).count()).sum::<usize>();
    count('(') == count(')')
}

fn is_tail(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    [&TYPES[..], &UPDATES, &FAILED].concat().contains(&first) || first.starts_with(|c: char| c.is_ascii_digit() || c == '(')
}

/// The words of a line that begins as a row does: number, name, flags.
struct RowWords<'a> {
    id: u64,
    name: String,
    flags: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> RowWords<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let id = words.first()?.parse().ok().filter(|id| (1..=255).contains(id))?;
        let flags = (2..words.len().min(2 + NAME_WORDS_MAX)).find(|at| is_flags(words[*at]))?;
        let name = words[1..flags].join("_");
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        is_name.then(|| Self { id, name, flags: words[flags], rest: words[flags + 1..].to_vec() })
    }

    /// The word on failures and the raw value, where the row has all that stands before them.
    fn whole(&self) -> Option<(&'a str, &[&'a str])> {
        let [value, worst, threshold, rest @ ..] = self.rest.as_slice() else { return None };
        let is_figure = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit()) || word.bytes().all(|byte| byte == b'-');
        if ![value, worst, threshold].iter().all(is_figure) {
            return None;
        }
        // The long form has type and update between threshold and failure.
        let rest = if self.flags.starts_with("0x") {
            let rest = rest.strip_prefix(&[*rest.first().filter(|word| TYPES.contains(word))?])?;
            if rest.first().is_some_and(|word| UPDATES.contains(word)) { &rest[1..] } else { rest }
        } else {
            rest
        };
        // People leave out the dash of a drive that never failed.
        let is_raw = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        if self.flags.starts_with("0x") && rest.len() == 1 && rest.first().is_some_and(is_raw) {
            return Some(("-", rest));
        }
        let (failed, raw) = rest.split_first().filter(|(failed, _)| FAILED.contains(failed))?;
        raw.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())).then_some((*failed, raw))
    }
}

fn is_flags(word: &str) -> bool {
    const LETTERS: usize = 6;
    let is_hexadecimal = word.strip_prefix("0x").is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_hexdigit()));
    is_hexadecimal || word.len() == LETTERS && flag_bits(word).is_some()
}

fn parse_attribute(line: &PastedLine) -> Option<PastedAttribute> {
    let row = RowWords::read(&line.text)?;
    let (failed, raw) = row.whole()?;
    let number = |text: &str| text.parse::<u64>().ok();
    Some(PastedAttribute {
        id: row.id,
        value: number(row.rest[0]),
        worst: number(row.rest[1]),
        threshold: number(row.rest[2]),
        raw: None,
        figure: raw.first().and_then(|raw| leading_number(raw)),
        reading: raw.join(" "),
        flags: flag_bits(row.flags),
        prefailure: is_prefailure(row.flags),
        failing: failing(failed),
        line: line.number,
        name: row.name,
    })
}

/// The number in the long form of the table, else letters in the order of the bits, of which `-` is not set.
fn flag_bits(flags: &str) -> Option<u64> {
    const LETTERS: [char; 6] = ['P', 'O', 'S', 'R', 'C', 'K'];
    if flags.starts_with("0x") {
        return whole_u64(flags);
    }
    let bit = |(bit, c): (usize, char)| match c {
        '-' => Some(0),
        c if LETTERS.get(bit) == Some(&c) => Some(1 << bit),
        _ => None,
    };
    flags.chars().enumerate().map(bit).try_fold(0, |bits: u64, bit| Some(bits | bit?))
}

fn is_prefailure(flags: &str) -> bool {
    flags.starts_with('P') || whole(flags).is_some_and(|bits| bits & 1 == 1)
}

/// `12345h+12m+3.2s`, `36`, `0x001f`; not more than the first word.
pub(crate) fn leading_number(raw: &str) -> Option<u64> {
    let first = raw.split_whitespace().next()?;
    let digits = first.split_once('h').map_or(first, |(hours, _)| hours);
    let number = if digits.starts_with("0x") {
        whole(digits)
    } else {
        digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].parse().ok()
    };
    number.and_then(|number| u64::try_from(number).ok())
}

pub(crate) fn failing(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "now" | "failing_now" => Some(true),
        "past" | "in_the_past" => Some(false),
        _ => None,
    }
}

pub(crate) fn attribute_fields(builder: &mut PageBuilder, attribute: &PastedAttribute) {
    let PastedAttribute { id, flags, value, worst, threshold, raw, figure, line, .. } = *attribute;
    for (what, number) in [("flags", flags), ("value", value), ("worst", worst), ("threshold", threshold), ("raw", raw)] {
        number.into_iter().for_each(|number| builder.set(&format!("attribute_{id}_{what}"), Value::Number(number), line));
    }
    reading(builder, attribute);
    if let Some((_, _, key, taken)) = usual(id, &attribute.name) {
        let number = match *taken {
            UsualFigure::Figure => figure,
            UsualFigure::Count => figure.filter(|count| *count <= u64::from(u32::MAX)),
            UsualFigure::CountAboveOne => figure.map(|count| if count == 1 { 0 } else { count }),
            UsualFigure::Clock => figure.filter(|_| attribute.reading.contains('h')),
            UsualFigure::Left => life_left(value, worst, figure),
            UsualFigure::Times(factor) => figure.and_then(|figure| figure.checked_mul(factor)),
            // Some controllers count erases and leave the normalised value where it was.
            UsualFigure::Normalised if value == Some(100) && figure.is_some_and(|figure| figure > UNWORN_ERASES_MAX) => None,
            UsualFigure::Normalised => value.filter(|value| (1..=100).contains(value)),
            UsualFigure::Celsius => figure.filter(|degrees| (1..=127).contains(degrees)),
        };
        // 194 is of the drive, 190 of the air in it.
        if let (194, Some(degrees)) = (id, number) {
            contradiction(builder, key, degrees, line);
            builder.remove(key);
        }
        builder.set_number(key, number, line);
    }
    let kind = if attribute.prefailure || LOSSES.contains(&id) { "foretells a failure" } else { "worn or aged" };
    let described = format!("attribute {id}, {} ({kind})", attribute.name);
    for (key, when) in [("attributes_failing", true), ("attributes_failed", false)] {
        builder.add_word(key, Some(described.as_str()).filter(|_| attribute.failing == Some(when)), line);
    }
}

/// Attributes that count lost data, whatever their flags say.
const LOSSES: [u64; 5] = [5, 184, 187, 197, 198];

/// Kingston's drives leave the normalised value at 100 and count down in the raw one. All are 0 where nothing is left.
fn life_left(value: Option<u64>, worst: Option<u64>, raw: Option<u64>) -> Option<u64> {
    if [value, worst, raw] == [Some(0); 3] {
        return Some(0);
    }
    let raw = raw.filter(|raw| (1..=100).contains(raw) && value == Some(100));
    raw.or(value).filter(|value| (1..=100).contains(value))
}

/// The raw value as smartctl reads it, under the name that smartctl has for it.
fn reading(builder: &mut PageBuilder, attribute: &PastedAttribute) {
    let PastedAttribute { id, name, reading, line, .. } = attribute;
    let key = format!("attribute_{id}_reading");
    if !reading.is_empty() {
        let value = Value::Text(reading.clone());
        builder.add_field(Field { key, title: name.replace('_', " "), value, unit: None, source: String::new() }, *line);
    }
}

/// `0x07  0x008  1               0  ---  Percentage Used Endurance Indicator`; older versions print no `0x` before the page and no flags.
pub(crate) fn statistic_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [page, offset, _size, value, rest @ ..] = words.as_slice() else { return false };
    if whole(page).is_none() || !offset.starts_with("0x") {
        return false;
    }
    let named = rest.iter().skip_while(|word| word.chars().all(|c| matches!(c, '-' | 'N' | 'D' | 'C' | '~'))).copied();
    statistic(builder, &named.collect::<Vec<_>>().join(" "), value, line.number);
    true
}

/// One statistic. It takes the place of an attribute that says the same, because its unit is the standard's; of two counts of errors the larger one stays.
pub(crate) fn statistic(builder: &mut PageBuilder, name: &str, value: &str, line: usize) {
    const ERRORS: [&str; 4] = ["reallocated_sectors", "pending_sectors", "media_errors", "crc_errors"];
    let key = STATISTICS.iter().find(|(known, _)| *known == name).map(|(_, key)| *key);
    let (Some(key), Ok(number)) = (key, value.trim_end_matches('~').parse::<u64>()) else { return };
    // A count of 0 beside an attribute that counted is a statistic that the drive does not keep.
    let is_unkept = number == 0 && matches!(key, "power_on_hours" | "power_cycles") && builder.number(key).is_some();
    // Some drives print the normalised value of the attribute as the statistic.
    let is_normalised = key == "reallocated_sectors"
        && builder.number("attribute_5_value").is_some_and(|(value, _)| value == number)
        && builder.number(key).is_some_and(|(known, _)| known == 0);
    let is_no_limit = is_unkept || is_normalised || key == "critical_temperature_celsius" && number == 0;
    let is_smaller = ERRORS.contains(&key) && builder.number(key).is_some_and(|(known, _)| known > number);
    if !is_no_limit && !is_smaller {
        contradiction(builder, key, number, line);
        builder.replace(key, Value::Number(number), line);
    }
}

/// Two counters of hours, or two temperatures, that cannot both be right: both lines are named, and neither counts.
fn contradiction(builder: &mut PageBuilder, key: &'static str, number: u64, line: usize) {
    let most = match key {
        "power_on_hours" => 24 + number / 10,
        "temperature_celsius" => 20,
        _ => return,
    };
    if let Some((known, first)) = builder.number(key).filter(|(known, _)| known.abs_diff(number) > most) {
        builder.contradicted(key, &format!("line {line} says {number}, line {first} says {known}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> PastedAttribute {
        parse_attribute(&PastedLine { number: 7, text: text.to_owned(), after_gap: false }).unwrap()
    }

    #[test]
    fn both_forms_of_the_table() {
        let short = parsed("  5 Reallocated_Sector_Ct   PO--CK   099   098   010    -    12");
        let long = parsed("  5 Reallocated_Sector_Ct   0x0033   099   098   010    Pre-fail  Always       -       12");
        assert_eq!((short.flags, long.flags), (Some(0x33), Some(0x33)));
        assert_eq!(short, long);
        assert_eq!(flag_bits("-O---K"), Some(0x22));
        assert_eq!((flag_bits("POSRCKX"), flag_bits("abc")), (None, None));
        assert!(short.prefailure && !parsed("190 Airflow_Temperature_Cel 0x0022 066 044 045 Old_age Always In_the_past 34").prefailure);
        assert_eq!(
            (short.id, short.value, short.worst, short.threshold, short.figure, short.failing),
            (5, Some(99), Some(98), Some(10), Some(12), None)
        );
    }

    #[test]
    fn failures_and_raw_values() {
        let now = parsed("  5 Reallocated_Sector_Ct   0x0033   001   001   036    Pre-fail  Always   FAILING_NOW 4013");
        assert_eq!((now.failing, now.figure), (Some(true), Some(4013)));
        assert_eq!(parsed("190 Airflow_Temperature_Cel -O---K   050   039   040    Past 50 (Min/Max 20/61)").failing, Some(false));
        assert_eq!(parsed("  9 Power_On_Hours          -O--CK   071   071   000    -    25912h+08m+51.930s").figure, Some(25_912));
        assert_eq!(parsed("190 Airflow_Temperature_Cel -O---K 050 039 040 Past 50 (Min/Max 20/61)").reading, "50 (Min/Max 20/61)");
        assert_eq!(parsed("194 Temperature_Celsius     -O---K   064   045   000    -    36 (0 18 0 0 0)").figure, Some(36));
    }

    #[test]
    fn a_row_without_its_dash_has_a_raw_value() {
        let row = parsed("197 Current_Pending_Sector  0x0012   085   085   000    Old_age   Always   2544");
        assert_eq!((row.figure, row.failing), (Some(2544), None));
    }

    #[test]
    fn other_lines_are_no_attributes() {
        for text in [
            "5 Reallocated_Sector_Ct 0x0033 100 100 036 Pre-fail Always -",
            "197 Current_Pending_Sector -O--CK 100 100 000",
            "||||||_ K auto-keep",
            "ID# ATTRIBUTE_NAME FLAGS VALUE WORST THRESH FAIL RAW_VALUE",
            "300 Too_Large PO---- 1 1 1 - 0",
            "5 short",
        ] {
            assert_eq!(parse_attribute(&PastedLine { number: 1, text: text.to_owned(), after_gap: false }), None, "{text}");
        }
    }

    fn joined(texts: &[&str]) -> Option<(String, usize)> {
        let lines: Vec<PastedLine> =
            texts.iter().enumerate().map(|(at, text)| PastedLine { number: at + 1, text: (*text).to_owned(), after_gap: false }).collect();
        join(&lines[0], &lines[1..]).map(|(line, taken)| (line.text, taken))
    }

    #[test]
    fn wrapped_rows_are_joined() {
        let whole = "197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       13";
        for at in 60..whole.len() {
            let (first, rest) = whole.split_at(at);
            let found = joined(&[first.trim(), rest.trim(), "198 Offline_Uncorrectable   0x0010   100   100   000    Old_age"]);
            let figure = found.map(|(text, _)| parsed(&text).figure);
            let is_cut_off = rest.trim() == "3";
            assert_eq!(figure, Some(Some(13)), "{first}|{rest} {is_cut_off}");
        }
        assert_eq!(joined(&[whole, "198 Offline_Uncorrectable 0x0010 100 100 000 Old_age Offline - 0"]), None);
        let three = joined(&["190 Airflow_Temperature_Cel 0x0022 066 044", "045 Old_age Always In_the_past 34 (0 11", "34 20 0)"]);
        assert_eq!(three.map(|(text, taken)| (parsed(&text).reading, taken)), Some(("34 (0 11 34 20 0)".to_owned(), 2)));
        assert_eq!(joined(&["5 Reallocated_Sector_Ct 0x0033 100 100 036 Pre-fail Always", "SMART Error Log Version: 1"]), None);
    }

    #[test]
    fn names_of_several_words_do_not_shift_the_columns() {
        let row = parsed("169 Unknown Attribute 0x0000 094 094 000 Old_age Offline - 94");
        assert_eq!((row.name.as_str(), row.value, row.figure), ("Unknown_Attribute", Some(94), Some(94)));
    }

    #[test]
    fn life_left_is_the_figure_that_moves() {
        let left = |value, worst, raw| life_left(Some(value), Some(worst), Some(raw));
        assert_eq!((left(100, 100, 74), left(87, 87, 3), left(100, 100, 0)), (Some(74), Some(87), Some(100)));
        assert_eq!((left(0, 0, 0), left(0, 100, 0)), (Some(0), None));
    }
}
