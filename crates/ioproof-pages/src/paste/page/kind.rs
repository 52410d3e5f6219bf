//! Kinds of values, by which the text behind a label is read.

use crate::field::Value;
use crate::paste::text::number::{celsius, hexadecimal, speeds, whole, whole_u64};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
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
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    Value(Value),
    None,
    NotUnderstood,
}

impl Kind {
    pub fn read(self, text: &str) -> Reading {
        let text = text.trim();
        if text.is_empty() || matches!(text, "null" | "-" | "N/A") {
            return Reading::None;
        }
        match self {
            Kind::Skip => Reading::None,
            Kind::Text => Reading::Value(Value::Text(text.to_owned())),
            Kind::Number => number(text, Some),
            Kind::NumberUnlessZero => number(text, |n| Some(n).filter(|n| *n > 0)),
            Kind::Hex => told(hexadecimal(text).map(integer)),
            Kind::Times(factor) => number(text, |n| n.checked_mul(factor.into())),
            Kind::PowerOfTwo(factor) => power_of_two(text, factor),
            Kind::Celsius => celsius(text).map_or(Reading::None, |degrees| Reading::Value(rational(degrees))),
            Kind::CelsiusUnlessZero => unless_zero(celsius(text)),
            Kind::Kelvin => kelvin(text),
            Kind::Device => Reading::Value(Value::Text(text.trim_start_matches("/dev/").to_owned())),
            Kind::Flag => told(flag(text).map(Value::Flag)),
            Kind::Bit(bit) => told(whole(text).map(|n| Value::Flag(n.checked_shr(bit).unwrap_or(0) & 1 == 1))),
            Kind::Warnings => told(whole(text).map(warnings)),
            Kind::Passed => passed(text),
            Kind::Rotation => told(rotation(text).map(Value::Number)),
            Kind::Version => version(text),
            Kind::VersionNumber => whole(text).map_or(Reading::NotUnderstood, |number| version(&format!("{number:x}"))),
            Kind::Identifier => identifier(text),
            Kind::Hours => hours(text),
            Kind::SpeedMax => told(speeds(text.split('(').next().unwrap_or_default()).last().copied().map(Value::Real)),
            Kind::SpeedNow => {
                text.split_once("current:").map_or(Reading::None, |(_, now)| told(speeds(now).first().copied().map(Value::Real)))
            }
        }
    }
}

fn told(value: Option<Value>) -> Reading {
    value.map_or(Reading::NotUnderstood, Reading::Value)
}

fn number(text: &str, change: impl Fn(u128) -> Option<u128>) -> Reading {
    match whole(text) {
        Some(number) => change(number).map_or(Reading::None, |number| Reading::Value(integer(number))),
        None if says_none(text) => Reading::None,
        None => Reading::NotUnderstood,
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

fn says_none(text: &str) -> bool {
    const WORDS: [&str; 7] = ["unlimited", "not", "no ", "unknown", "none", "---", "unreported"];
    WORDS.iter().any(|word| text.to_lowercase().starts_with(word))
}

fn power_of_two(text: &str, factor: u64) -> Reading {
    match whole(text) {
        Some(0) => Reading::None,
        Some(exponent) => {
            told(u32::try_from(exponent).ok().and_then(|e| 1_u128.checked_shl(e)).and_then(|n| n.checked_mul(factor.into())).map(integer))
        }
        None => Reading::NotUnderstood,
    }
}

/// Colder than this no drive is, and the number is of something else.
const KELVIN_MIN: u128 = 150;

fn kelvin(text: &str) -> Reading {
    match whole(text) {
        Some(0) => Reading::None,
        Some(number) if number >= KELVIN_MIN => told(celsius(&format!("{number} K")).map(rational)),
        _ => Reading::NotUnderstood,
    }
}

fn unless_zero(degrees: Option<f64>) -> Reading {
    degrees.filter(|degrees| *degrees != 0.0).map_or(Reading::None, |degrees| Reading::Value(rational(degrees)))
}

fn flag(text: &str) -> Option<bool> {
    const NO: [&str; 6] = ["no", "dis", "un", "false", "off", "0"];
    const YES: [&str; 8] = ["yes", "supported", "present", "enabled", "available", "true", "on", "1"];
    let text = text.to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if starts(&NO) { Some(false) } else { starts(&YES).then_some(true) }
}

pub(crate) const WARNINGS: [&str; 6] = [
    "available spare below its threshold",
    "temperature beyond its threshold",
    "reliability degraded by media or internal errors",
    "media is read only",
    "volatile memory backup failed",
    "persistent memory region is read only or unreliable",
];

fn warnings(bits: u128) -> Value {
    let name = |bit: u32| WARNINGS.get(bit as usize).map_or_else(|| format!("bit {bit}"), |name| (*name).to_owned());
    Value::List((0..8).filter(|bit| bits >> bit & 1 == 1).map(name).collect())
}

fn passed(text: &str) -> Reading {
    let text = text.to_uppercase();
    match () {
        () if text.starts_with("PASSED") || text == "OK" || text == "TRUE" => Reading::Value(Value::Flag(true)),
        () if text.starts_with("UNKNOWN") || text.starts_with("NOT ") => Reading::None,
        () => Reading::Value(Value::Flag(false)),
    }
}

fn rotation(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let still = ["solid state", "non-rotating", "not rotating"].iter().any(|word| text.starts_with(word));
    if still { Some(0) } else { whole_u64(&text) }
}

/// `1.4` as it is, `0x10400` and the `10400` of old versions in the same form.
fn version(text: &str) -> Reading {
    if text.contains('.') {
        return Reading::Value(Value::Text(text.to_owned()));
    }
    match hexadecimal(text.trim_start_matches("0x")) {
        Some(0) => Reading::None,
        Some(number) => Reading::Value(Value::Text(format!("{}.{}.{}", number >> 16, number >> 8 & 0xff, number & 0xff))),
        None => Reading::NotUnderstood,
    }
}

fn identifier(text: &str) -> Reading {
    let digits: String = text.trim_start_matches("0x").chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    match () {
        () if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => Reading::NotUnderstood,
        () if digits.bytes().all(|digit| digit == b'0') => Reading::None,
        () => Reading::Value(Value::Text(digits.to_lowercase())),
    }
}

fn hours(text: &str) -> Reading {
    let last = text.rsplit(' ').next().unwrap_or_default();
    told(last.split(':').next().and_then(whole).map(integer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, text: &str) -> Value {
        match kind.read(text) {
            Reading::Value(value) => value,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(read(Kind::Number, "131072 bytes"), Value::Number(131_072));
        assert_eq!(read(Kind::Times(512_000), "1,000"), Value::Number(512_000_000));
        assert_eq!(read(Kind::Times(512_000), "18446744073709551615"), Value::Text("9444732965739290426880000".to_owned()));
        assert_eq!(read(Kind::Hex, "8086"), Value::Number(0x8086));
        assert_eq!(read(Kind::PowerOfTwo(4096), "7"), Value::Number(524_288));
        assert_eq!((Kind::PowerOfTwo(4096).read("0"), Kind::PowerOfTwo(4096).read("200")), (Reading::None, Reading::NotUnderstood));
        assert_eq!(
            (Kind::Number.read("Unlimited"), Kind::Number.read("N/A"), Kind::Number.read("many")),
            (Reading::None, Reading::None, Reading::NotUnderstood)
        );
        assert_eq!((Kind::NumberUnlessZero.read("0"), read(Kind::NumberUnlessZero, "2")), (Reading::None, Value::Number(2)));
        assert_eq!(read(Kind::Hours, "minutes 43549:33"), Value::Number(43_549));
    }

    #[test]
    fn temperatures_and_limits() {
        assert_eq!(read(Kind::Celsius, "309 K, 35.85 C, 96.53 F"), Value::Number(36));
        assert_eq!(read(Kind::Celsius, "-5 C"), Value::Real(-5.0));
        assert_eq!((Kind::Celsius.read("-273 C"), Kind::CelsiusUnlessZero.read("0 C")), (Reading::None, Reading::None));
        assert_eq!(read(Kind::Kelvin, "343"), Value::Number(70));
        assert_eq!(read(Kind::Kelvin, "348 (75 C)"), Value::Number(75));
        assert_eq!((Kind::Kelvin.read("0"), Kind::Kelvin.read("36")), (Reading::None, Reading::NotUnderstood));
        assert_eq!(read(Kind::Device, "/dev/nvme0"), Value::Text("nvme0".to_owned()));
    }

    #[test]
    fn yes_and_no_in_many_words() {
        for yes in ["Supported", "Present, flush all", "Available, deterministic, zeroed", "Enabled", "yes", "true"] {
            assert_eq!(read(Kind::Flag, yes), Value::Flag(true), "{yes}");
        }
        for no in ["Not Supported", "Not Present", "Unavailable", "Disabled", "no", "false", "Unsupported"] {
            assert_eq!(read(Kind::Flag, no), Value::Flag(false), "{no}");
        }
        assert_eq!(Kind::Flag.read("perhaps"), Reading::NotUnderstood);
        assert_eq!((read(Kind::Bit(2), "0x5f"), read(Kind::Bit(2), "0x3")), (Value::Flag(true), Value::Flag(false)));
    }

    #[test]
    fn verdicts_of_the_drive() {
        assert_eq!(
            (read(Kind::Passed, "PASSED"), read(Kind::Passed, "OK"), read(Kind::Passed, "true")),
            (Value::Flag(true), Value::Flag(true), Value::Flag(true))
        );
        assert_eq!(read(Kind::Passed, "FAILED!"), Value::Flag(false));
        assert_eq!(read(Kind::Passed, "FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]"), Value::Flag(false));
        assert_eq!(Kind::Passed.read("UNKNOWN!"), Reading::None);
        assert_eq!(read(Kind::Warnings, "0x00"), Value::List(vec![]));
        assert_eq!(
            read(Kind::Warnings, "0x84"),
            Value::List(vec!["reliability degraded by media or internal errors".to_owned(), "bit 7".to_owned()])
        );
    }

    #[test]
    fn versions_identifiers_rotation_speeds() {
        let text = |kind, from| read(kind, from);
        assert_eq!(text(Kind::Version, "0x10400"), Value::Text("1.4.0".to_owned()));
        assert_eq!(
            (text(Kind::Version, "10200"), text(Kind::VersionNumber, "66560")),
            (Value::Text("1.2.0".to_owned()), Value::Text("1.4.0".to_owned()))
        );
        assert_eq!((text(Kind::Version, "1.3"), Kind::Version.read("0")), (Value::Text("1.3".to_owned()), Reading::None));
        assert_eq!(text(Kind::Identifier, "002538 8481B9d2d7"), Value::Text("0025388481b9d2d7".to_owned()));
        assert_eq!((Kind::Identifier.read("0000"), Kind::Identifier.read("xyz")), (Reading::None, Reading::NotUnderstood));
        assert_eq!((text(Kind::Rotation, "Solid State Device"), text(Kind::Rotation, "7200 rpm")), (Value::Number(0), Value::Number(7200)));
        let link = "SATA 3.2, 6.0 Gb/s (current: 1.5 Gb/s)";
        assert_eq!((text(Kind::SpeedMax, link), text(Kind::SpeedNow, link)), (Value::Real(6.0), Value::Real(1.5)));
        assert_eq!(
            (Kind::SpeedNow.read("SATA 3.2, 6.0 Gb/s"), text(Kind::SpeedMax, "600.000MB/s transfers")),
            (Reading::None, Value::Real(6.0))
        );
    }
}
