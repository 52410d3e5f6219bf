//! Numbers as fio's text shows them: so many digits, then a factor: `437MiB/s`, `111k`, `4035.0k`.
//!
//! A number that has more digits than are wanted is divided by 1000 (or 1024) until it fits. Decimals fill up what is left,
//! and the point counts as one of the digits.

const LETTERS: [&str; 6] = ["", "k", "M", "G", "T", "P"];
const BINARY: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/// What a factor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    /// k, M, G.
    Thousand,
    /// Ki, Mi, Gi.
    Binary,
}

/// Digits of rates and sizes.
const SHORT: usize = 4;
/// Digits of latencies.
const LONG: usize = 6;

/// A count in four digits: `2655k`.
pub(super) fn count(n: f64) -> String {
    scaled(whole(n), SHORT, Factor::Thousand, "")
}

/// A latency in six digits: `4035.0k`.
pub(super) fn latency(n: u64) -> String {
    scaled(n, LONG, Factor::Thousand, "")
}

/// A size or rate in both units: `437MiB/s` and `458MB/s`.
pub(super) fn both(bytes: f64, unit: &str) -> (String, String) {
    let bytes = whole(bytes);
    (scaled(bytes, SHORT, Factor::Binary, unit), scaled(bytes, SHORT, Factor::Thousand, unit))
}

/// A rate in both units.
pub(super) fn rates(bytes_per_s: f64) -> (String, String) {
    both(bytes_per_s, "B/s")
}

/// What is left of a number that is shown as a whole: 0 for what is none.
pub(super) fn whole(n: f64) -> u64 {
    n as u64
}

/// The largest number that is printed: readers of JSON fail on longer ones.
const LARGEST: f64 = 1e18;

/// A number that can be printed: 0 for what is none.
pub(super) fn finite(n: f64) -> f64 {
    if n.is_finite() { n.clamp(-LARGEST, LARGEST) } else { 0.0 }
}

fn scaled(n: u64, digits: usize, factor: Factor, unit: &str) -> String {
    let (thousand, names) = match factor {
        Factor::Thousand => (1000, LETTERS),
        Factor::Binary => (1024, BINARY),
    };
    let (mut n, mut rest, mut step) = (n, 0, 0);
    while digits_of(n) > digits && step + 1 < names.len() {
        (n, rest, step) = (n / thousand, n % thousand, step + 1);
    }
    let unit = format!("{}{unit}", names[step]);
    let room = digits.saturating_sub(digits_of(n) + 1);
    if step == 0 {
        return format!("{n}{unit}");
    }
    if room == 0 {
        return format!("{}{unit}", n + u64::from(rest * 2 >= thousand));
    }
    with_decimals(n, rest as f64 / thousand as f64, room, &unit)
}

fn with_decimals(n: u64, rest: f64, room: usize, unit: &str) -> String {
    let decimals = format!("{rest:.room$}");
    let carried = n + u64::from(decimals.starts_with('1'));
    format!("{carried}{}{unit}", &decimals[1..])
}

fn digits_of(n: u64) -> usize {
    n.checked_ilog10().map_or(1, |d| d as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each was printed by fio 3.33.
    #[test]
    fn rates_and_sizes() {
        for (bytes, kib, kb) in [
            (458_300_000.0, "437MiB/s", "458MB/s"),
            (32.0, "32B/s", "32B/s"),
            (352_000.0, "344KiB/s", "352kB/s"),
            (81_900.0, "80.0KiB/s", "81.9kB/s"),
            (12_337.0, "12.0KiB/s", "12.3kB/s"),
            (1_048_576_000.0, "1000MiB/s", "1049MB/s"),
            (10_876_374_486.0, "10.1GiB/s", "10.9GB/s"),
        ] {
            assert_eq!(rates(bytes), (kib.into(), kb.into()), "{bytes}");
        }
    }

    #[test]
    fn counts_and_latencies() {
        assert_eq!([2_655_364.9, 17_822.6, 9846.2, 85.96, 0.008].map(count), ["2655k", "17.8k", "9846", "85", "0"]);
        assert_eq!([9, 4_035_013, 16_057_866, 54_030, 250_000_000].map(latency), ["9", "4035.0k", "16058k", "54030", "250000k"]);
    }

    #[test]
    fn what_is_no_number_is_nothing() {
        assert_eq!([f64::NAN, -1.0, f64::NEG_INFINITY].map(count), ["0", "0", "0"]);
        assert_eq!(count(f64::INFINITY), "18447P");
        assert_eq!(finite(f64::NAN), 0.0);
    }
}
