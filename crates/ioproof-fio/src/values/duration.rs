//! Times.
//!
//! The units are d, h, m, s, ms, us (also msec and usec), in either case; without one the option's own unit is meant. In parentheses microseconds are meant.
//! Any other unit leaves fio with microseconds: `60sec`, `5min` and `5s-7s` run for microseconds, so they are refused here.

use super::context::{TimeUnit, ValueContext};
use super::number::{Digits, digits};
use super::{expression, keywords};

const NS_PER_US: u64 = 1000;
const NS_PER_S: u64 = 1_000_000_000;

impl TimeUnit {
    pub fn ns(self) -> u64 {
        match self {
            Self::Nanoseconds => 1,
            Self::Microseconds => NS_PER_US,
            Self::Milliseconds => 1_000_000,
            Self::Seconds => NS_PER_S,
        }
    }
}

fn ns_of(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "d" => 86_400 * NS_PER_S,
        "h" => 3600 * NS_PER_S,
        "m" => 60 * NS_PER_S,
        "s" => NS_PER_S,
        "ms" | "msec" => 1_000_000,
        "us" | "usec" => NS_PER_US,
        _ => return None,
    })
}

pub fn duration_ns(text: &str, unit: TimeUnit, context: &ValueContext) -> Result<u64, String> {
    let text = keywords::replace(text, context)?;
    let bare = text.trim();
    let refused = |why: &str| format!("\"{bare}\" is no time{why}");
    if bare.starts_with('(') {
        return calculated(bare);
    }
    let found = digits(bare).ok_or_else(|| refused("; a number with d, h, m, s, ms or us is expected, such as 30s"))?;
    if found.negative {
        return Err(refused(": it is below zero"));
    }
    if found.hex {
        return Err(refused("; write it in decimal digits, since fio reads hexadecimal ones as microseconds"));
    }
    let found = Digits { rest: without_fraction(found.rest), ..found };
    let factor = if found.rest.is_empty() { Some(unit.ns()) } else { ns_of(found.rest) };
    let factor = factor.ok_or_else(|| refused(&surprise(found.magnitude, found.rest)))?;
    if !found.rest.is_empty() && text.starts_with(char::is_whitespace) {
        return Err(refused(": a blank stands before it, and its unit would be dropped; write it right after ="));
    }
    found.magnitude.checked_mul(factor).ok_or_else(|| refused(": too long"))
}

/// Leaves out a fraction that ends the text, as fio does; with a unit behind it, it is kept, and refused.
fn without_fraction(rest: &str) -> &str {
    let digits = rest.strip_prefix('.').filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    if digits.is_some() { "" } else { rest }
}

/// True where a time has a fraction other than zero, which is left out.
pub fn loses_fraction(text: &str) -> bool {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(whole) && is_number(fraction) && fraction.bytes().any(|digit| digit != b'0')
}

/// A calculation, in microseconds where no unit is written.
fn calculated(text: &str) -> Result<u64, String> {
    // The unit is a factor on microseconds, so that a number without one needs none.
    let us = expression::whole(text, &|unit| ns_of(unit).map(|ns| ns / NS_PER_US))?;
    u64::try_from(us)
        .ok()
        .and_then(|us| us.checked_mul(NS_PER_US))
        .ok_or_else(|| format!("\"{text}\" is no time: it is below zero or too long"))
}

fn surprise(magnitude: u64, rest: &str) -> String {
    if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        format!("; one of d, h, m, s, ms, us is expected, and fio would wait {magnitude} us")
    } else {
        format!("; one number is expected, and fio drops \"{rest}\"")
    }
}

/// One time or two, `5-7`: the least and the most. Nanoseconds. A unit can follow only the second, since fio drops that of the first.
pub fn duration_range_ns(text: &str, unit: TimeUnit, context: &ValueContext) -> Result<(u64, u64), String> {
    // A minus sign parts two times; where nothing stands before it, it is a sign.
    let Some((low, high)) = text.split_once(['-', ':']).filter(|(low, _)| !low.trim().is_empty()) else {
        return duration_ns(text, unit, context).map(|one| (one, one));
    };
    if low.ends_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(format!(
            "\"{text}\": the first of two times is written without a unit, since fio reads {low} before {high} as microseconds"
        ));
    }
    let (low, high) = (duration_ns(low, unit, context)?, duration_ns(high, unit, context)?);
    Ok((low.min(high), low.max(high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use TimeUnit::{Microseconds, Milliseconds, Seconds};

    #[test]
    fn as_fio_reads_them() {
        let context = ValueContext { cpus: 2, ..ValueContext::default() };
        #[rustfmt::skip]
        let cases = [
            ("5", Seconds, 5_000_000), ("5", Microseconds, 5), ("5", Milliseconds, 5000), ("5s", Microseconds, 5_000_000),
            ("5m", Seconds, 300_000_000), ("5H", Seconds, 18_000_000_000), ("5d", Seconds, 432_000_000_000), ("5MS", Seconds, 5000),
            ("5msec", Seconds, 5000), ("5us", Seconds, 5), ("5usec", Seconds, 5), ("0", Seconds, 0), ("10*$ncpus", Seconds, 20_000_000),
            ("2.0", Seconds, 2_000_000), ("1.7", Seconds, 1_000_000), ("(5)", Seconds, 5), ("(5s*2)", Seconds, 10_000_000),
            ("(1h/2)", Seconds, 1_800_000_000),
        ];
        for (text, unit, us) in cases {
            assert_eq!(duration_ns(text, unit, &context), Ok(us * 1000), "{text}");
        }
    }

    #[test]
    fn what_fio_reads_as_microseconds_is_refused() {
        let context = ValueContext::default();
        for text in
            ["60sec", "5min", "5days", "5ns", "5k", "1h30m", "30sx", "5 s", "1.5s", "-5", "0x10", "", "s", "5%", "99999999999d", " 5s"]
        {
            assert!(duration_ns(text, Seconds, &context).is_err(), "{text}");
        }
        assert!(duration_ns("60sec", Seconds, &context).is_err_and(|error| error.contains("60 us")));
    }

    #[test]
    fn a_fraction_is_left_out_and_told_where_it_is_not_zero() {
        assert!(loses_fraction("1.7") && loses_fraction(" 0.50 "));
        assert!(["2.0", "2", "2.", ".5", "1.5s", "(1.5)", "1.5.5"].iter().all(|text| !loses_fraction(text)));
    }

    #[test]
    fn ranges() {
        let context = ValueContext::default();
        assert_eq!(duration_range_ns("5", Seconds, &context), Ok((5_000_000_000, 5_000_000_000)));
        assert_eq!(duration_range_ns("7-5", Seconds, &context), Ok((5_000_000_000, 7_000_000_000)));
        assert_eq!(duration_range_ns("5:7000ms", Seconds, &context), Ok((5_000_000_000, 7_000_000_000)));
        assert!(duration_range_ns("-1", Seconds, &context).is_err_and(|error| error.contains("below zero")));
        assert!(duration_range_ns("5s-7s", Seconds, &context).is_err_and(|error| error.contains("microseconds")));
    }
}
