//! The tables of ATA drives as smartctl prints them: SMART attributes and Device Statistics.
//!
//! The meaning of an attribute is its maker's business. smartctl names it by its database, so the name is believed where it says both what is counted and in which unit; the
//! statistics, which are standard, win over attributes where they say the same.

use crate::field::{Field, Value};
use crate::paste::page::builder::PageBuilder;
use crate::paste::text::lines::PastedLine;
use crate::paste::text::number::{whole, whole_u64};

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
    Times(u64),
    Normalised,
    Celsius,
}

/// (number, beginning of the name, key). An attribute of the same number under another name is something else.
const USUAL: &[(u64, &str, &str, UsualFigure)] = &[
    (5, "Realloc", "reallocated_sectors", UsualFigure::Figure),
    (5, "Retired_Block_Count", "reallocated_sectors", UsualFigure::Figure),
    (9, "Power_On_Hours", "power_on_hours", UsualFigure::Figure),
    (12, "Power_Cycle_Count", "power_cycles", UsualFigure::Figure),
    (187, "Reported_Uncorrect", "media_errors", UsualFigure::Figure),
    (187, "Uncorrectable_Error_Cnt", "media_errors", UsualFigure::Figure),
    (194, "Temperature", "temperature_celsius", UsualFigure::Celsius),
    (190, "Airflow_Temperature", "temperature_celsius", UsualFigure::Celsius),
    (190, "Temperature", "temperature_celsius", UsualFigure::Celsius),
    (196, "Reallocated_Event", "reallocation_events", UsualFigure::Figure),
    (197, "Pending_Sector", "pending_sectors", UsualFigure::Figure),
    (197, "Current_Pending", "pending_sectors", UsualFigure::Figure),
    (198, "Offline_Uncorrectable", "uncorrectable_sectors", UsualFigure::Figure),
    (199, "UDMA_CRC", "crc_errors", UsualFigure::Figure),
    (199, "CRC_Error", "crc_errors", UsualFigure::Figure),
    (231, "SSD_Life_Left", "life_left_percent", UsualFigure::Normalised),
    (202, "Percent_Lifetime_Remain", "life_left_percent", UsualFigure::Normalised),
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

/// ` 5 Reallocated_Sector_Ct PO--CK 100 100 010 - 0`, or with `0x0033`, type and update in the form of `-A`.
pub(crate) fn attribute_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    match parse_attribute(line) {
        Some(attribute) => {
            attribute_fields(builder, &attribute);
            true
        }
        None => false,
    }
}

pub(crate) fn attribute_id(line: &PastedLine) -> Option<u64> {
    let is_name = |name: &str| name.contains(['_', '-']) && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let attribute = parse_attribute(line).filter(|attribute| attribute.flags.is_some() && is_name(&attribute.name))?;
    attribute.value.and(attribute.worst).map(|_| attribute.id)
}

fn parse_attribute(line: &PastedLine) -> Option<PastedAttribute> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [id, name, flags, value, worst, threshold, rest @ ..] = words.as_slice() else { return None };
    let id = id.parse().ok().filter(|id| (1..=255).contains(id))?;
    // The long form has type and update between threshold and failure.
    let rest = if flags.starts_with("0x") { rest.get(2..)? } else { rest };
    let (failed, raw) = rest.split_first()?;
    let number = |text: &str| text.parse::<u64>().ok();
    Some(PastedAttribute {
        id,
        name: (*name).to_owned(),
        value: number(value),
        worst: number(worst),
        threshold: number(threshold),
        raw: None,
        figure: raw.first().and_then(|raw| leading_number(raw)),
        reading: raw.join(" "),
        flags: flag_bits(flags),
        prefailure: is_prefailure(flags),
        failing: failing(failed),
        line: line.number,
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
    let usual = USUAL.iter().find(|(number, name, ..)| *number == id && attribute.name.starts_with(name));
    if let Some((_, _, key, taken)) = usual {
        let number = match *taken {
            UsualFigure::Figure => figure,
            UsualFigure::Times(factor) => figure.and_then(|figure| figure.checked_mul(factor)),
            UsualFigure::Normalised => value.filter(|value| (1..=100).contains(value)),
            UsualFigure::Celsius => figure.filter(|degrees| (1..=127).contains(degrees)),
        };
        // 194 is of the drive, 190 of the air in it.
        if id == 194 && number.is_some() {
            builder.remove(key);
        }
        number.into_iter().for_each(|number| builder.set_if_new(key, Value::Number(number), line));
    }
    let kind = if attribute.prefailure { "foretells a failure" } else { "worn or aged" };
    let described = format!("attribute {id}, {} ({kind})", attribute.name);
    for (key, when) in [("attributes_failing", true), ("attributes_failed", false)] {
        builder.add_word(key, Some(described.as_str()).filter(|_| attribute.failing == Some(when)), line);
    }
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
    let is_no_limit = key == "critical_temperature_celsius" && number == 0;
    let is_smaller = ERRORS.contains(&key) && builder.number(key).is_some_and(|(known, _)| known > number);
    if !is_no_limit && !is_smaller {
        builder.replace(key, Value::Number(number), line);
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
    fn other_lines_are_no_attributes() {
        for text in [
            "||||||_ K auto-keep",
            "ID# ATTRIBUTE_NAME FLAGS VALUE WORST THRESH FAIL RAW_VALUE",
            "300 Too_Large PO---- 1 1 1 - 0",
            "5 short",
        ] {
            assert_eq!(parse_attribute(&PastedLine { number: 1, text: text.to_owned(), after_gap: false }), None, "{text}");
        }
    }
}
