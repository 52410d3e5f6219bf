//! Sizes, times and rates: reading what people type, and printing what they can read.
//!
//! MB is 10^6, MiB is 2^20, and a single letter is binary (`4k` = 4 KiB), as in fio and most storage tools. What job files spell otherwise
//! (`4KiB` = 4000) is converted at the edge, not here.

use std::time::Duration;

/// Reason for which a size or a time could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The text has no number in front.
    #[error("`{0}` does not start with a number")]
    NoNumber(String),
    /// The number is followed by a unit that is not known.
    #[error("`{unit}` is not a unit of {what}; known: {known}")]
    UnknownUnit {
        /// Text that was typed after the number.
        unit: String,
        /// Kind of value that was being read: `size` or `time`.
        what: &'static str,
        /// The accepted spellings.
        known: &'static str,
    },
    /// The number does not fit.
    #[error("`{0}` is out of range")]
    OutOfRange(String),
}

const SIZE_UNITS: &str = "k m g t, KiB MiB GiB TiB (powers of 1024), kB MB GB TB (powers of 1000)";
const TIME_UNITS: &str = "ns, us, ms, s, m, h";

/// Reads a size such as `4k`, `256MiB`, `1GB`, `4096` or `1.5 TiB` into bytes.
///
/// # Errors
/// When there is no number, the unit is unknown, or the result exceeds `u64`.
pub fn parse_size_bytes(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split_number(text)?;
    let factor: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "pb" => 1e15,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        "t" | "tib" => 1_099_511_627_776.0,
        "p" | "pib" => 1_125_899_906_842_624.0,
        _ => return Err(unknown(unit, "size", SIZE_UNITS)),
    };
    in_range(number * factor, text)
}

/// Reads a time such as `60s`, `2m`, `500ms` or `1h30m`; a bare number is seconds.
///
/// # Errors
/// When there is no number, the unit is unknown, or the result exceeds 584 years.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let mut rest = text.trim();
    let mut sum_ns = 0.0;
    loop {
        let part = rest.find(char::is_alphabetic).and_then(|unit| Some(unit + rest[unit..].find(|c: char| c.is_ascii_digit())?));
        let (this, more) = rest.split_at(part.unwrap_or(rest.len()));
        sum_ns += nanoseconds(this)?;
        rest = more;
        if rest.is_empty() {
            return in_range(sum_ns, text).map(Duration::from_nanos);
        }
    }
}

fn nanoseconds(text: &str) -> Result<f64, UnitError> {
    let (number, unit) = split_number(text)?;
    let factor_ns = match unit.to_ascii_lowercase().as_str() {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "" | "s" | "sec" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3600e9,
        _ => return Err(unknown(unit, "time", TIME_UNITS)),
    };
    Ok(number * factor_ns)
}

fn split_number(text: &str) -> Result<(f64, &str), UnitError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.parse().map_err(|_| UnitError::NoNumber(text.to_owned()))?;
    Ok((number, unit.trim()))
}

fn unknown(unit: &str, what: &'static str, known: &'static str) -> UnitError {
    UnitError::UnknownUnit { unit: unit.to_owned(), what, known }
}

fn in_range(value: f64, text: &str) -> Result<u64, UnitError> {
    // 2^64 as f64; anything below it converts without saturating.
    if value.is_finite() && value < 18_446_744_073_709_551_616.0 {
        Ok(value.round() as u64)
    } else {
        Err(UnitError::OutOfRange(text.to_owned()))
    }
}

/// The binary units, the largest first.
const STEPS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];

/// A block size in binary units without loss, where it is a whole number of KiB: `4 KiB`, `1 GiB`, `4095 B`.
pub fn block_size(bytes: u64) -> String {
    for (step, unit) in STEPS {
        if bytes >= step && bytes.is_multiple_of(step) {
            return format!("{} {unit}", bytes / step);
        }
    }
    for (step, unit) in STEPS {
        if bytes >= step.saturating_mul(10) {
            return format!("{} {unit}", three_digits(bytes as f64 / step as f64));
        }
    }
    format!("{bytes} B")
}

/// A size in binary units: below 10 MiB without loss, as [`block_size`]; above in the largest unit in which it has two digits before the point or is
/// told exactly, with at most one digit behind it: `1.5 GiB`, `23.5 GiB`, `58 GiB`, `1600 MiB`.
pub fn binary_size(bytes: u64) -> String {
    const EXACT_BELOW: u64 = 10 << 20;
    if bytes < EXACT_BELOW {
        return block_size(bytes);
    }
    let tells = |step: u64| bytes >= step.saturating_mul(10) || bytes >= step && (u128::from(bytes) * 10).is_multiple_of(step.into());
    let (step, unit) = STEPS.into_iter().find(|(step, _)| tells(*step)).unwrap_or((1, "B"));
    let text = format!("{:.1}", bytes as f64 / step as f64);
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A capacity in decimal units to three digits, as makers print it: `2 TB`, `960 GB`, `1.07 GB`.
pub fn decimal_size(bytes: u64) -> String {
    let (value, prefix) = scale(bytes as f64);
    format!("{} {prefix}B", three_digits(value))
}

/// A throughput given in bytes per second: `2800 MB/s`.
pub fn throughput(bytes_per_s: f64) -> String {
    let mb = bytes_per_s / 1e6;
    if mb >= 100.0 { format!("{mb:.0} MB/s") } else { format!("{} MB/s", three_digits(mb)) }
}

/// A rate of I/O operations: `450 kIOPS`, `812 IOPS`.
pub fn iops(per_s: f64) -> String {
    if per_s >= 10_000.0 { format!("{} kIOPS", three_digits(per_s / 1e3)) } else { format!("{per_s:.0} IOPS") }
}

/// So many a second, of whatever is named beside it: `0.067`, `8.31`, `4887`, `10.1 k`.
pub fn rate(per_s: f64) -> String {
    match per_s {
        n if n >= 10_000.0 => format!("{} k", three_digits(n / 1e3)),
        n if n >= 99.95 => format!("{n:.0}"),
        n => three_digits(n),
    }
}

/// A latency given in nanoseconds: `850 ns`, `12.4 µs`, `3.1 ms`, `2.05 s`.
pub fn latency(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// A span of time for people: `45 s`, `12 min`, `1 h 05 min`.
pub fn duration(time: Duration) -> String {
    let s = time.as_secs_f64();
    match s {
        s if s < 10.0 => format!("{} s", three_digits(s)),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{} h {:02} min", (s / 3600.0).floor(), ((s % 3600.0) / 60.0).floor()),
    }
}

/// A share such as 0.823 as `82.3 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value.abs() >= 99.95 { format!("{value:.0} %") } else { format!("{value:.1} %") }
}

/// Three significant digits, without an exponent and without trailing zeros after the point.
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn scale(value: f64) -> (f64, &'static str) {
    const STEPS: [(f64, &str); 5] = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    STEPS.iter().find(|(step, _)| value >= step * 0.9995).map_or((value, ""), |(step, prefix)| (value / step, prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimal_and_binary_are_kept_apart() {
        assert_eq!(parse_size_bytes("1GB"), Ok(1_000_000_000));
        assert_eq!(parse_size_bytes("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size_bytes("256 MiB"), Ok(256 << 20));
        assert_eq!(parse_size_bytes("4096"), Ok(4096));
        assert_eq!(parse_size_bytes("1.5kB"), Ok(1500));
        assert_eq!((parse_size_bytes("4k"), parse_size_bytes("1G")), (Ok(4096), Ok(1 << 30)));
    }

    #[test]
    fn what_is_no_size_says_why() {
        assert!(parse_size_bytes("GiB").unwrap_err().to_string().contains("does not start with a number"));
        assert!(parse_size_bytes("3 bananas").unwrap_err().to_string().contains("MiB"));
        assert_eq!(parse_size_bytes("99999999PB"), Err(UnitError::OutOfRange("99999999PB".into())));
        assert!(parse_size_bytes("-1").is_err());
        assert!(parse_size_bytes("1.2.3").is_err());
    }

    #[test]
    fn times() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1h 2m 3s"), Ok(Duration::from_secs(3723)));
        assert!(parse_duration("1m30x").is_err() && parse_duration("1m-3s").is_err());
        assert!(parse_duration("5 fortnights").is_err());
    }

    #[test]
    fn printing() {
        assert_eq!(binary_size(4096), "4 KiB");
        assert_eq!(binary_size(4095), "4095 B");
        assert_eq!(binary_size(131_072), "128 KiB");
        assert_eq!(binary_size(24_684_096 << 10), "23.5 GiB");
        assert_eq!(binary_size(60_773_680 << 10), "58 GiB");
        assert_eq!(binary_size(99_999 << 40), "99999 TiB");
        assert_eq!((binary_size(1536 << 20), binary_size(1600 << 20)), ("1.5 GiB".into(), "1600 MiB".into()));
        assert_eq!((binary_size((10 << 20) - 1024), binary_size((10 << 20) + 4096)), ("10239 KiB".into(), "10 MiB".into()));
        assert_eq!(block_size((10 << 20) + 4096), "10244 KiB");
        assert_eq!(decimal_size(2_000_398_934_016), "2 TB");
        assert_eq!(decimal_size(960_197_124_096), "960 GB");
        assert_eq!(throughput(2.8e9), "2800 MB/s");
        assert_eq!(iops(450_000.0), "450 kIOPS");
        assert_eq!([0.0, 0.0667, 8.312, 99.96, 4887.4, 10_120.0].map(rate), ["0", "0.067", "8.31", "100", "4887", "10.1 k"]);
        assert_eq!(latency(12_400.0), "12.4 µs");
        assert_eq!(latency(2.05e9), "2.05 s");
        assert_eq!(duration(Duration::from_secs(3900)), "65 min");
        assert_eq!(three_digits(100.04), "100");
        assert_eq!(percent(0.1688), "16.9 %");
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in ".{0,40}") {
            let _ = parse_size_bytes(&text);
            let _ = parse_duration(&text);
        }

        #[test]
        fn whole_binary_sizes_survive_printing(kib in 1u64..1 << 30) {
            let printed = binary_size(kib * 1024);
            let read = parse_size_bytes(&printed).unwrap();
            prop_assert!((read as f64 / (kib * 1024) as f64 - 1.0).abs() < 0.006, "{printed}");
        }
    }
}
