//! Numbers as fio's text shows them: so many digits, then a factor: `437MiB/s`, `111k`, `4035.0k`.
//!
//! A number that has more digits than are wanted is divided by 1000 (or 1024) until it fits. Decimals fill up what is left,
//! and the point counts as one of the digits.

use crate::results::Units;

const LETTERS: [&str; 6] = ["", "k", "M", "G", "T", "P"];
const BINARY: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    Thousand,
    Binary,
}

const LONG: usize = 6;

pub(super) fn count(n: f64, units: Units) -> String {
    scaled(whole(n), units.digits.into(), Factor::Thousand, "")
}

pub(super) fn latency(n: u64) -> String {
    scaled(n, LONG, Factor::Thousand, "")
}

/// An amount with factors of both kinds, the preferred one first: `437MiB` and `458MB`.
fn both(n: f64, unit: &str, units: Units) -> (String, String) {
    let of = |factor| scaled(whole(n), units.digits.into(), factor, unit);
    let (binary, decimal) = (of(Factor::Binary), of(Factor::Thousand));
    if units.thousands { (decimal, binary) } else { (binary, decimal) }
}

/// A size in the preferred kind of units, as the lines before the first job show it: `64.0KiB`.
pub fn size(bytes: u64, units: Units) -> String {
    sizes(bytes as f64, units).0
}

pub(super) fn sizes(bytes: f64, units: Units) -> (String, String) {
    both(bytes, "B", units)
}

pub(super) fn rates(bytes_per_s: f64, units: Units) -> (String, String) {
    if units.bits { both(bytes_per_s * 8.0, "bit/s", units) } else { both(bytes_per_s, "B/s", units) }
}

pub(super) fn whole(n: f64) -> u64 {
    n as u64
}

/// The largest number that is printed: readers of JSON fail on longer ones.
const LARGEST: f64 = 1e18;

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
            assert_eq!(rates(bytes, Units::default()), (kib.into(), kb.into()), "{bytes}");
        }
    }

    /// Of a rate of 38.7 and of one of 31.0 MB/s.
    #[test]
    fn digits_bits_and_thousands_are_chosen() {
        let of = |bytes: f64, digits, bits, thousands| rates(bytes, Units { digits, bits, thousands });
        assert_eq!(of(34_586_624.0, 4, true, false), ("264Mibit/s".into(), "277Mbit/s".into()));
        assert_eq!(of(34_900_000.0, 4, true, true), ("279Mbit/s".into(), "266Mibit/s".into()));
        assert_eq!(of(37_700_000.0, 4, false, true), ("37.7MB/s".into(), "36.0MiB/s".into()));
        assert_eq!(of(35_158_900.0, 7, false, false), ("34334.9KiB/s".into(), "35158.9kB/s".into()));
        assert_eq!(of(34_480_000.0, 2, false, false), ("33MiB/s".into(), "34MB/s".into()));
        assert_eq!(of(34_480_000.0, 1, false, false), ("0GiB/s".into(), "0GB/s".into()));
        assert_eq!(of(36_806_684.0, 10, true, false), ("294453472bit/s".into(), "294453472bit/s".into()));
        assert_eq!(
            (count(8418.0, Units { digits: 2, ..Units::default() }), sizes(512.0, Units::default()).0),
            ("8k".into(), "512B".into())
        );
    }

    #[test]
    fn counts_and_latencies() {
        assert_eq!(
            [2_655_364.9, 17_822.6, 9846.2, 85.96, 0.008].map(|n| count(n, Units::default())),
            ["2655k", "17.8k", "9846", "85", "0"]
        );
        assert_eq!([9, 4_035_013, 16_057_866, 54_030, 250_000_000].map(latency), ["9", "4035.0k", "16058k", "54030", "250000k"]);
    }

    #[test]
    fn what_is_no_number_is_nothing() {
        assert_eq!([f64::NAN, -1.0, f64::NEG_INFINITY].map(|n| count(n, Units::default())), ["0", "0", "0"]);
        assert_eq!(count(f64::INFINITY, Units::default()), "18447P");
        assert_eq!(finite(f64::NAN), 0.0);
    }
}
