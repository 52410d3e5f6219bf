//! Numbers as texts print them: the value, and the step of its last digit, by which a rounded number is told from a wrong one.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Number {
    /// The number in the unit of its field.
    pub value: f64,
    /// Size of one step of its last digit, in the same unit.
    pub step: f64,
}

/// Meaning of a comma between digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comma {
    /// It separates groups of three digits; before any other count of digits it is a decimal comma.
    Groups,
    /// It is a decimal comma.
    Decimal,
}

impl Number {
    /// A number that is known to its last digit.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self { value, step: 0.0 }
    }

    /// The number without its fraction; 0 below 0.
    #[must_use]
    pub fn whole(self) -> u64 {
        self.value as u64
    }

    /// The same number in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, step: self.step * factor }
    }

    /// True where `exact`, rounded to the last printed digit, gives this number.
    #[must_use]
    pub fn rounds(self, exact: f64) -> bool {
        (exact - self.value).abs() <= self.step * 0.5 + self.value.abs() * 1e-9
    }

    /// True where `exact`, with its further digits cut off, gives this number.
    #[must_use]
    pub fn truncates(self, exact: f64) -> bool {
        let slack = self.value.abs() * 1e-9;
        exact >= self.value - slack && exact < self.value + self.step - slack
    }

    /// The distance to `other`, as a share of `other`.
    #[must_use]
    pub fn off(self, other: f64) -> f64 {
        if other == 0.0 { f64::INFINITY } else { (self.value / other - 1.0).abs() }
    }
}

/// The number at the beginning of the text, after blanks, and the rest of it.
#[must_use]
pub fn leading(text: &str, comma: Comma) -> Option<(Number, &str)> {
    let text = text.trim_start();
    let mut digits = String::new();
    let mut rest = take_digits(text, &mut digits);
    if digits.is_empty() {
        return None;
    }
    while let Some(after) = group(rest, digits.len(), comma) {
        rest = take_digits(&rest[1..], &mut digits);
        debug_assert!(after.len() == rest.len());
    }
    let mut step = 1.0;
    if let Some(after) = fraction(rest, comma) {
        digits.push('.');
        let before = digits.len();
        rest = take_digits(after, &mut digits);
        step = 10f64.powi(-i32::try_from(digits.len() - before).unwrap_or(i32::MAX));
    }
    if let Some((power, after)) = exponent(rest) {
        let value = digits.parse::<f64>().ok()? * 10f64.powi(power);
        return value.is_finite().then_some((Number { value, step: step * 10f64.powi(power) }, after));
    }
    let value: f64 = digits.parse().ok()?;
    value.is_finite().then_some((Number { value, step }, rest))
}

/// The number at the beginning of the text alone; a comma separates groups.
#[must_use]
pub fn figure(text: &str) -> Option<Number> {
    leading(text, Comma::Groups).map(|(number, _)| number)
}

fn take_digits<'a>(text: &'a str, digits: &mut String) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    digits.push_str(&text[..end]);
    &text[end..]
}

/// The rest after a group of exactly three digits.
fn group(rest: &str, before: usize, comma: Comma) -> Option<&str> {
    let separates = rest.starts_with('\'') || rest.starts_with(',') && comma == Comma::Groups;
    if !separates || before == 0 {
        return None;
    }
    let after = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() - 1 - after.len() == 3).then_some(after)
}

fn fraction(rest: &str, comma: Comma) -> Option<&str> {
    let after = rest.strip_prefix('.').or_else(|| rest.strip_prefix(','))?;
    let is_decimal = rest.starts_with('.') || comma == Comma::Decimal || after.len() < rest.len();
    (is_decimal && after.starts_with(|c: char| c.is_ascii_digit())).then_some(after)
}

fn exponent(rest: &str) -> Option<(i32, &str)> {
    let after = rest.strip_prefix(['e', 'E'])?;
    let sign = if after.starts_with('-') { -1 } else { 1 };
    let after = after.strip_prefix(['+', '-'])?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let power: i32 = after[..end].parse().ok().filter(|power| *power < 100)?;
    Some((sign * power, &after[end..]))
}

/// The number after the first `key`, with a factor of `k`, `M` or `G` (1000 each) right behind it.
#[must_use]
pub fn after(text: &str, key: &str) -> Option<Number> {
    let at = text.find(key)? + key.len();
    let (number, rest) = leading(&text[at..], Comma::Groups)?;
    Some(number.times(thousands(rest)))
}

/// The factor of a letter right behind a number, in powers of 1000.
#[must_use]
pub fn thousands(rest: &str) -> f64 {
    let mut chars = rest.chars();
    let factor = match chars.next() {
        Some('k' | 'K') => 1e3,
        Some('M') => 1e6,
        Some('G') => 1e9,
        _ => return 1.0,
    };
    if chars.next().is_some_and(|c| c.is_alphanumeric()) { 1.0 } else { factor }
}

/// Bytes of a unit such as `KiB`, `MB`, `G`; letters without an `i` count as `kilo` (1000 or 1024).
#[must_use]
pub fn bytes_unit(unit: &str, kilo: f64) -> Option<f64> {
    let unit = unit.trim();
    let (letter, tail) = unit.split_at(unit.char_indices().nth(1).map_or(unit.len(), |(at, _)| at));
    let kilo = match tail {
        "iB" | "i" => 1024.0,
        "B" | "" | "b" | "bytes" => kilo,
        _ if unit.eq_ignore_ascii_case("bytes") || unit.eq_ignore_ascii_case("byte") => return Some(1.0),
        _ => return None,
    };
    match letter {
        "B" | "b" => (tail.is_empty()).then_some(1.0),
        "k" | "K" => Some(kilo),
        "m" | "M" => Some(kilo.powi(2)),
        "g" | "G" => Some(kilo.powi(3)),
        "t" | "T" => Some(kilo.powi(4)),
        "p" | "P" => Some(kilo.powi(5)),
        _ => None,
    }
}

#[must_use]
pub fn time_unit(unit: &str) -> Option<f64> {
    match unit.trim() {
        "ns" | "nsec" | "nsecs" => Some(1.0),
        "us" | "usec" | "usecs" | "µs" | "μs" | "microseconds" => Some(1e3),
        "ms" | "msec" | "msecs" | "milliseconds" => Some(1e6),
        "s" | "sec" | "secs" | "seconds" | "second" => Some(1e9),
        "m" | "min" | "minutes" => Some(60e9),
        _ => None,
    }
}

/// A number with a unit of bytes behind it, in bytes: `10216MB`, `93.3 MiB`.
#[must_use]
pub fn bytes(text: &str, kilo: f64, comma: Comma) -> Option<(Number, &str)> {
    let (number, rest) = leading(text, comma)?;
    let rest = rest.trim_start_matches(' ');
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some((number.times(bytes_unit(&rest[..end], kilo)?), &rest[end..]))
}

/// Bytes of a figure at the beginning of the text, whose units are binary however they are written.
#[must_use]
pub fn binary(text: &str) -> Option<Number> {
    bytes(text, 1024.0, Comma::Groups).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> (f64, f64) {
        let (number, _) = leading(text, Comma::Groups).unwrap();
        (number.value, number.step)
    }

    #[test]
    fn digits_are_grouped_or_broken() {
        assert_eq!(value("128,345 IOPS"), (128_345.0, 1.0));
        assert_eq!(value(" 9.76us"), (9.76, 0.01));
        assert_eq!(value("1,5 GB"), (1.5, 0.1));
        assert_eq!(value("1'234'567"), (1_234_567.0, 1.0));
        assert_eq!(value("2.5e+03"), (2500.0, 100.0));
        assert_eq!(leading("1,234 s", Comma::Decimal).unwrap().0.value, 1.234);
        assert_eq!(leading("IOPS", Comma::Groups), None);
    }

    #[test]
    fn a_number_is_rounded_or_cut() {
        let (printed, _) = leading("9.7", Comma::Groups).unwrap();
        assert!(!printed.rounds(9.76) && printed.truncates(9.76) && printed.rounds(9.74));
    }

    #[test]
    fn units_have_their_size() {
        assert_eq!(bytes("10216MB,", 1024.0, Comma::Groups).unwrap().0.value, 10216.0 * 1024.0 * 1024.0);
        assert_eq!(bytes("1.5 GB", 1000.0, Comma::Groups).unwrap().0.value, 1.5e9);
        assert_eq!(bytes("93.3MiB/s", 1000.0, Comma::Groups).unwrap().0.value, 93.3 * 1024.0 * 1024.0);
        assert_eq!(
            (after("iops=23.9k, x", "iops="), after("max=1726.7K,", "max=").map(|n| n.value)),
            (Some(Number { value: 23900.0, step: 100.0 }), Some(1_726_700.0))
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = (leading(&text, Comma::Groups), leading(&text, Comma::Decimal), bytes(&text, 1000.0, Comma::Groups), after(&text, "="));
        }
    }
}
