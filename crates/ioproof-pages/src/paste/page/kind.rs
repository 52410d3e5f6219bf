//! Kinds of values, by which the text behind a label is read.

use crate::field::Value;
use crate::paste::text::number::{celsius, hexadecimal, speeds, whole, whole_u64};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TextKind {
    Skip,
    Text,
    Number,
    /// The same, where 0 means that there is none.
    NumberUnlessZero,
    /// A hexadecimal number without `0x`.
    Hex,
    Times(u64),
    /// 2 to the power of the number, times this; 0 means no limit.
    PowerOfTwo(u64),
    Celsius,
    /// The same, where 0 means that there is none: no limit, no sensor.
    CelsiusUnlessZero,
    Kelvin,
    Device,
    /// `Supported`, `Present`, `yes`, `Enabled`, or the opposite.
    Flag,
    /// The opposite of what such a word says.
    NotFlag,
    Bit(u32),
    /// The names of the critical warnings in a number (NVM Express Base Specification 2.0c, clause 5.16.1.3, byte 0).
    Warnings,
    /// The drive's own verdict: `PASSED`, `OK`, or something longer.
    Passed,
    /// Revolutions a minute, 0 for none.
    Rotation,
    /// A version as a hexadecimal number: `0x10400`.
    Version,
    /// A version as a decimal number: `66560`.
    VersionNumber,
    /// An identifier in hexadecimal digits; no field where it is all zeros.
    Identifier,
    Hours,
    SpeedMax,
    SpeedNow,
    /// Bytes with the rounded size in brackets, which must agree: `500,107,862,016 bytes [500 GB]`.
    Capacity,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TextReading {
    Value(Value),
    None,
    NotUnderstood,
}

impl TextKind {
    pub fn read(self, text: &str) -> TextReading {
        let text = text.trim();
        if text.is_empty() || matches!(text, "null" | "-" | "--" | "N/A" | "[No Information Found]") {
            return TextReading::None;
        }
        match self {
            TextKind::Skip => TextReading::None,
            TextKind::Text if is_blotted(text) => TextReading::None,
            TextKind::Text => TextReading::Value(Value::Text(text.to_owned())),
            TextKind::Number => number(text, Some),
            TextKind::NumberUnlessZero => number(text, |n| Some(n).filter(|n| *n > 0)),
            TextKind::Hex => told(hexadecimal(text).map(integer)),
            TextKind::Times(factor) => times(text, factor),
            TextKind::PowerOfTwo(factor) => power_of_two(text, factor),
            TextKind::Celsius => celsius(text).map_or(TextReading::None, |degrees| told(possible(degrees).map(rational))),
            TextKind::CelsiusUnlessZero => unless_zero(celsius(text)),
            TextKind::Kelvin => kelvin(text),
            TextKind::Device => TextReading::Value(Value::Text(text.trim_start_matches("/dev/").to_owned())),
            TextKind::Flag => told(flag(text).map(Value::Flag)),
            TextKind::NotFlag => told(flag(text).map(|flag| Value::Flag(!flag))),
            TextKind::Bit(bit) => told(whole(text).map(|n| Value::Flag(n.checked_shr(bit).unwrap_or(0) & 1 == 1))),
            TextKind::Warnings => told(whole(text).map(warnings)),
            TextKind::Passed => passed(text),
            TextKind::Rotation => told(rotation(text).map(Value::Number)),
            TextKind::Version => version(text),
            TextKind::VersionNumber => whole(text).map_or(TextReading::NotUnderstood, |number| version(&format!("{number:x}"))),
            TextKind::Identifier => identifier(text),
            TextKind::Hours => hours(text),
            TextKind::SpeedMax => told(speeds(text.split('(').next().unwrap_or_default()).last().copied().map(Value::Real)),
            TextKind::Capacity => capacity(text),
            TextKind::SpeedNow => {
                text.split_once("current:").map_or(TextReading::None, |(_, now)| told(speeds(now).first().copied().map(Value::Real)))
            }
        }
    }
}

fn told(value: Option<Value>) -> TextReading {
    value.map_or(TextReading::NotUnderstood, TextReading::Value)
}

fn number(text: &str, change: impl Fn(u128) -> Option<u128>) -> TextReading {
    match whole(text) {
        Some(number) => change(number).map_or(TextReading::None, |number| TextReading::Value(integer(number))),
        None if says_none(text) => TextReading::None,
        None => TextReading::NotUnderstood,
    }
}

/// A product of more than 128 bits is no figure of any drive.
fn times(text: &str, factor: u64) -> TextReading {
    match whole(text) {
        Some(number) => told(number.checked_mul(factor.into()).map(integer)),
        None => number(text, Some),
    }
}

/// A number of 128 bits is carried as text.
pub(crate) fn integer(number: u128) -> Value {
    u64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Number)
}

/// A number that is whole and not negative is carried as such.
fn rational(number: f64) -> Value {
    let is_whole = number.fract() == 0.0 && (0.0..1e15).contains(&number);
    if is_whole { Value::Number(number as u64) } else { Value::Real(number) }
}

/// Smaller than this no drive is, and the number was cut. Bytes.
const CAPACITY_MIN: u128 = 1_000_000;

fn capacity(text: &str) -> TextReading {
    const UNITS: [(&str, f64); 5] = [("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15), ("KB", 1e3)];
    let Some(bytes) = whole(text).filter(|bytes| *bytes >= CAPACITY_MIN) else { return number(text, |_| None) };
    let rounded = text.split_once('[').and_then(|(_, rest)| {
        let (figure, unit) = rest.trim_end_matches(']').trim().split_once(' ')?;
        let (_, factor) = UNITS.iter().find(|(known, _)| *known == unit.trim())?;
        Some(figure.replace(',', ".").parse::<f64>().ok()? * factor)
    });
    // The rounded figure has three digits, cut and not rounded.
    let agrees = rounded.is_none_or(|rounded| (rounded * 0.95..rounded * 1.12).contains(&(bytes as f64)));
    told(agrees.then(|| integer(bytes)))
}

fn says_none(text: &str) -> bool {
    const WORDS: [&str; 7] = ["unlimited", "not", "no ", "unknown", "none", "---", "unreported"];
    WORDS.iter().any(|word| text.to_lowercase().starts_with(word))
}

fn power_of_two(text: &str, factor: u64) -> TextReading {
    match whole(text) {
        Some(0) => TextReading::None,
        Some(exponent) => {
            told(u32::try_from(exponent).ok().and_then(|e| 1_u128.checked_shl(e)).and_then(|n| n.checked_mul(factor.into())).map(integer))
        }
        None => TextReading::NotUnderstood,
    }
}

/// Hotter than this no drive is, and the number is of something else.
const CELSIUS_MAX: f64 = 200.0;

fn possible(degrees: f64) -> Option<f64> {
    Some(degrees).filter(|degrees| *degrees <= CELSIUS_MAX)
}

/// Colder than this no drive is, and the number is of something else.
const KELVIN_MIN: u128 = 150;

fn kelvin(text: &str) -> TextReading {
    match whole(text) {
        Some(0) => TextReading::None,
        Some(number) if number >= KELVIN_MIN => told(celsius(&format!("{number} K")).map(rational)),
        _ => TextReading::NotUnderstood,
    }
}

fn unless_zero(degrees: Option<f64>) -> TextReading {
    degrees.filter(|degrees| *degrees != 0.0).map_or(TextReading::None, |degrees| TextReading::Value(rational(degrees)))
}

fn flag(text: &str) -> Option<bool> {
    const NO: [&str; 6] = ["no", "dis", "un", "false", "off", "0"];
    const YES: [&str; 8] = ["yes", "supported", "present", "enabled", "available", "true", "on", "1"];
    let text = text.to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if starts(&NO) { Some(false) } else { starts(&YES).then_some(true) }
}

#[rustfmt::skip]
pub(crate) const WARNINGS: [&str; 6] = [
    "available spare below its threshold", "temperature beyond its threshold", "reliability degraded by media or internal errors",
    "media is read only", "volatile memory backup failed", "persistent memory region is read only or unreliable",
];

fn warnings(bits: u128) -> Value {
    let name = |bit: u32| WARNINGS.get(bit as usize).map_or_else(|| format!("bit {bit}"), |name| (*name).to_owned());
    Value::List((0..8).filter(|bit| bits >> bit & 1 == 1).map(name).collect())
}

fn passed(text: &str) -> TextReading {
    let text = text.to_uppercase();
    match () {
        () if text.starts_with("PASSED") || text == "OK" || text == "TRUE" => TextReading::Value(Value::Flag(true)),
        () if text.starts_with("UNKNOWN") || text.starts_with("NOT ") => TextReading::None,
        () => TextReading::Value(Value::Flag(false)),
    }
}

fn rotation(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let still = ["solid state", "non-rotating", "not rotating"].iter().any(|word| text.starts_with(word));
    if still { Some(0) } else { whole_u64(&text) }
}

/// `1.4` as it is, `0x10400` and the `10400` of old versions in the same form.
fn version(text: &str) -> TextReading {
    if text.contains('.') {
        return TextReading::Value(Value::Text(text.to_owned()));
    }
    match hexadecimal(text.trim_start_matches("0x")) {
        Some(0) => TextReading::None,
        Some(number) => TextReading::Value(Value::Text(format!("{}.{}.{}", number >> 16, number >> 8 & 0xff, number & 0xff))),
        None => TextReading::NotUnderstood,
    }
}

/// True for a name that was blotted out: `[redacted]`, `<removed>`, `XXXXXXXX`, `@@@@`, `YYYYYYYY`, `WD-****`.
fn is_blotted(text: &str) -> bool {
    const WORDS: [&str; 5] = ["redacted", "removed", "hidden", "censored", "masked"];
    let is_in = |open: char, close: char| text.starts_with(open) && text.ends_with(close) && text.len() > 1;
    let is_one_sign = text.len() > 2 && text.chars().all(|c| matches!(c, 'X' | 'x' | '*' | '@' | '#'));
    let is_one_letter = text.len() > 5 && text.chars().all(|c| c.is_ascii_alphabetic() && text.starts_with(c));
    WORDS.contains(&text.to_lowercase().as_str())
        || is_in('[', ']')
        || is_in('<', '>')
        || is_one_sign
        || is_one_letter
        || text.ends_with("***")
}

fn identifier(text: &str) -> TextReading {
    let digits: String = text.trim_start_matches("0x").chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    match () {
        () if digits.ends_with("...") || is_blotted(text) => TextReading::None,
        () if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => TextReading::NotUnderstood,
        () if digits.bytes().all(|digit| digit == b'0') => TextReading::None,
        () => TextReading::Value(Value::Text(digits.to_lowercase())),
    }
}

/// `minutes 43549:33 [2612973 minutes]`.
fn hours(text: &str) -> TextReading {
    let clock = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default();
    told(clock.split([':', '.']).next().and_then(whole).map(integer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use TextKind::*;

    /// The value as JSON, `none`, or `?` where it was not understood.
    #[track_caller]
    fn check(cases: &[(TextKind, &str, &str)]) {
        for (kind, text, expected) in cases {
            let read = match kind.read(text) {
                TextReading::Value(value) => serde_json::to_string(&value).unwrap(),
                TextReading::None => "none".to_owned(),
                TextReading::NotUnderstood => "?".to_owned(),
            };
            assert_eq!(read, *expected, "{kind:?}: {text}");
        }
    }

    #[test]
    fn numbers() {
        check(&[
            (Number, "131072 bytes", "131072"),
            (Number, "Unlimited", "none"),
            (Number, "N/A", "none"),
            (Number, "many", "?"),
            (NumberUnlessZero, "0", "none"),
            (NumberUnlessZero, "2", "2"),
            (Times(512_000), "1,000", "512000000"),
            (Times(512_000), "18446744073709551615", "\"9444732965739290426880000\""),
            (Hex, "8086", "32902"),
            (PowerOfTwo(4096), "7", "524288"),
            (PowerOfTwo(4096), "0", "none"),
            (PowerOfTwo(4096), "200", "?"),
            (Hours, "minutes 43549:33", "43549"),
        ]);
    }

    #[test]
    fn temperatures_and_limits() {
        check(&[
            (Celsius, "309 K, 35.85 C, 96.53 F", "36"),
            (Celsius, "-5 C", "-5.0"),
            (Celsius, "-273 C", "none"),
            (CelsiusUnlessZero, "0 C", "none"),
            (Kelvin, "343", "70"),
            (Kelvin, "348 (75 C)", "75"),
            (Kelvin, "0", "none"),
            (Kelvin, "36", "?"),
        ]);
    }

    #[test]
    fn names_also_where_they_were_taken_out() {
        for name in ["XXXX", "xxxxx", "YYYYYYYYYYYYY", "[redacted]", "REDACTED", "<S/N>", "WD-*******"] {
            check(&[(Text, name, "none")]);
        }
        check(&[(Text, "YYYY1", "\"YYYY1\""), (Device, "/dev/nvme0", "\"nvme0\"")]);
    }

    #[test]
    fn yes_and_no_in_many_words() {
        for yes in ["Supported", "Present, flush all", "Available, deterministic, zeroed", "Enabled", "yes", "true"] {
            check(&[(Flag, yes, "true")]);
        }
        for no in ["Not Supported", "Not Present", "Unavailable", "Disabled", "no", "false", "Unsupported"] {
            check(&[(Flag, no, "false")]);
        }
        check(&[(Flag, "perhaps", "?"), (Bit(2), "0x5f", "true"), (Bit(2), "0x3", "false")]);
    }

    #[test]
    fn verdicts_of_the_drive() {
        check(&[
            (Passed, "PASSED", "true"),
            (Passed, "OK", "true"),
            (Passed, "true", "true"),
            (Passed, "FAILED!", "false"),
            (Passed, "FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]", "false"),
            (Passed, "UNKNOWN!", "none"),
            (Warnings, "0x00", "[]"),
            (Warnings, "0x84", "[\"reliability degraded by media or internal errors\",\"bit 7\"]"),
        ]);
    }

    #[test]
    fn versions_identifiers_rotation_speeds() {
        let link = "SATA 3.2, 6.0 Gb/s (current: 1.5 Gb/s)";
        check(&[
            (Version, "0x10400", "\"1.4.0\""),
            (Version, "10200", "\"1.2.0\""),
            (VersionNumber, "66560", "\"1.4.0\""),
            (Version, "1.3", "\"1.3\""),
            (Version, "0", "none"),
            (Identifier, "002538 8481B9d2d7", "\"0025388481b9d2d7\""),
            (Identifier, "0000", "none"),
            (Identifier, "xyz", "?"),
            (Rotation, "Solid State Device", "0"),
            (Rotation, "7200 rpm", "7200"),
            (SpeedMax, link, "6.0"),
            (SpeedNow, link, "1.5"),
            (SpeedNow, "SATA 3.2, 6.0 Gb/s", "none"),
            (SpeedMax, "600.000MB/s transfers", "6.0"),
        ]);
    }
}
