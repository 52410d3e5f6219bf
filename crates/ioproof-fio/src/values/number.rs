//! The digits at the beginning of a value, and whole numbers.
//!
//! fio reads as many digits as there are and mostly forgets the rest: `1.5k` is 1, `8 k` is 8, ` 4k` is 4 where blanks stand before it. Nobody means
//! that, so each is refused here with what fio would have made of it.

use super::context::ValueContext;
use super::{expression, keywords, units};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digits<'a> {
    pub negative: bool,
    pub magnitude: u64,
    pub hex: bool,
    pub rest: &'a str,
}

/// Digits of the least number that 63 bits do not hold.
const MOST_DIGITS: usize = 19;

pub(super) fn digits(text: &str) -> Option<Digits<'_>> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (hex, body) = match body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        Some(body) => (true, body),
        None => (false, body),
    };
    let radix = if hex { 16 } else { 10 };
    let end = body.find(|c: char| !c.is_digit(radix)).unwrap_or(body.len());
    let magnitude = u64::from_str_radix(body.get(..end)?, radix).ok().filter(|number| i64::try_from(*number).is_ok())?;
    Some(Digits { negative, magnitude, hex, rest: body.get(end..)? })
}

/// The text as one number with a unit of data: its value and whether `%` or `z` follows instead of a unit.
pub(super) fn measured(text: &str, context: &ValueContext, expected: &str) -> Result<(i64, Option<char>), String> {
    let text = keywords::replace(text, context)?;
    let bare = text.trim();
    if bare.starts_with('(') {
        return expression::whole(bare, &|unit| units::bytes_of(unit, context)).map(|number| (number, None));
    }
    let refused = |why: &str| format!("\"{bare}\" is no {expected}{why}");
    let is_number = bare.bytes().take_while(u8::is_ascii_digit).count() >= MOST_DIGITS;
    let unread = || if is_number { ": too large".into() } else { format!("; {expected} is expected, such as {}", example(expected)) };
    let found = digits(bare).ok_or_else(|| refused(&unread()))?;
    if found.rest.is_empty() {
        return signed(found.negative, found.magnitude, 1).map(|number| (number, None)).ok_or_else(|| refused(": too large"));
    }
    if found.hex {
        return Err(refused(": a hexadecimal number has no unit, and fio would drop it"));
    }
    if text.starts_with(char::is_whitespace) {
        return Err(refused(&format!(": with a blank before it fio drops the unit and reads {}; write it right after =", found.magnitude)));
    }
    match found.rest {
        "%" | "z" | "Z" => Ok((signed(found.negative, found.magnitude, 1).unwrap_or(0), found.rest.to_ascii_lowercase().chars().next())),
        unit => {
            let factor = units::bytes_of(unit, context).ok_or_else(|| refused(&rest_is_dropped(&found, context)))?;
            signed(found.negative, found.magnitude, factor).map(|number| (number, None)).ok_or_else(|| refused(": too large"))
        }
    }
}

fn rest_is_dropped(found: &Digits<'_>, context: &ValueContext) -> String {
    let rest = found.rest;
    if rest.starts_with(['*', '/', '+', '^']) {
        return format!("; put the calculation in parentheses, since fio drops \"{rest}\"");
    }
    if rest.starts_with([',', ':', '-']) {
        return format!("; one value is expected, and fio drops \"{rest}\"");
    }
    let factor = (1..=rest.len().min(units::BYTES_MAX))
        .rev()
        .filter_map(|end| rest.get(..end))
        .find_map(|unit| units::bytes_of(unit, context))
        .unwrap_or(1);
    format!("; after the digits one of k, m, g, t, p is expected, and fio would read {}", u128::from(found.magnitude) * u128::from(factor))
}

fn example(expected: &str) -> &'static str {
    if expected.contains("size") { "4k, 1m or 10g" } else { "32" }
}

fn signed(negative: bool, magnitude: u64, factor: u64) -> Option<i64> {
    let number = i64::try_from(magnitude.checked_mul(factor)?).ok()?;
    Some(if negative { -number } else { number })
}

/// A whole number. It takes the units of sizes, `numjobs=1k` is 1024. No unit of its own.
pub fn integer(text: &str, context: &ValueContext) -> Result<i64, String> {
    match measured(text, context, "whole number")? {
        (number, None) => Ok(number),
        (_, Some(mark)) => Err(format!("\"{}\": {mark} does not go here; a whole number is expected", text.trim())),
    }
}

/// A mask of processors: bit 0 of `0x5` is processor 0.
pub fn cpu_mask(text: &str, context: &ValueContext) -> Result<Vec<u32>, String> {
    let mask = integer(text, context)?;
    if mask <= 0 {
        return Err(format!("\"{}\" is no mask of processors; one such as 0xf is expected", text.trim()));
    }
    Ok((0..63).filter(|bit| mask >> bit & 1 == 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_reads_them() {
        let context = ValueContext { cpus: 2, ..ValueContext::default() };
        #[rustfmt::skip]
        let rows = [
            ("32", 32), ("-5", -5), ("+7", 7), (" 7 ", 7), ("0755", 755), ("0x200", 512), ("0X1f", 31), ("0x10b", 0x10b),
            ("-0x10", -16), ("8k", 8192), ("8KiB", 8000), ("8ki", 8192), ("512b", 512), ("$ncpus", 2), ("200*$ncpus", 400),
            ("(2*100)", 200), ("9223372036854775807", i64::MAX),
        ];
        for (text, number) in rows {
            assert_eq!(integer(text, &context), Ok(number), "{text}");
        }
    }

    #[test]
    fn what_fio_would_drop_is_refused() {
        let context = ValueContext::default();
        // Read once, and not once for each of its beginnings.
        let long = format!("8k{}", "(".repeat(1 << 20));
        #[rustfmt::skip]
        let cases = [
            ("1.5k", "fio would read 1"), ("8kx", "fio would read 8192"), ("8 k", "fio would read 8"), (" 4k", "reads 4"),
            ("0xfk", "hexadecimal"), ("2*300", "parentheses"), ("4,8", "one value"), ("x8", "expected"), ("", "expected"),
            ("0x", "expected"), ("k", "expected"), ("9223372036854775808", "too large"), ("99999p", "too large"),
            ("99999999999999999999", "too large"), ("50%", "% does not go here"), ("1z", "z does not go here"), ("--5", "expected"),
            (&long, "fio would read 8192"),
        ];
        for (text, word) in cases {
            assert!(integer(text, &context).is_err_and(|error| error.contains(word)), "{text}: {:?}", integer(text, &context));
        }
    }

    #[test]
    fn masks() {
        let context = ValueContext::default();
        assert_eq!(cpu_mask("0x5", &context), Ok(vec![0, 2]));
        assert_eq!(cpu_mask("3", &context), Ok(vec![0, 1]));
        assert!(cpu_mask("0", &context).is_err() && cpu_mask("ff", &context).is_err());
    }
}
