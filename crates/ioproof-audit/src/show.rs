//! Numbers in the words of findings.

use crate::measured::Measured;
use ioproof_core::text::{grouped, visible};
use ioproof_core::units;

/// A line as a place; a sole document needs no name.
pub(crate) fn place(is_sole: bool, file: &str, line: u32) -> String {
    if is_sole { format!("line {line}") } else { format!("{}:{line}", visible(file)) }
}

/// A whole number with its digits grouped.
pub(crate) fn whole(number: f64) -> String {
    grouped(number.round().max(0.0) as u64)
}

/// I/Os per second to the last digit.
pub(crate) fn iops(number: f64) -> String {
    format!("{} IOPS", whole(number))
}

/// A rate to four digits: `520.1 MB/s`, `10.02 GB/s`.
pub(crate) fn rate(bytes_per_s: f64) -> String {
    if bytes_per_s >= 1e10 { format!("{:.2} GB/s", bytes_per_s / 1e9) } else { format!("{:.1} MB/s", bytes_per_s / 1e6) }
}

pub(crate) fn time(ns: f64) -> String {
    units::latency(ns)
}

/// A share as a percentage with a digit behind the point.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A change in percent with its sign.
pub(crate) fn change(from: f64, to: f64) -> String {
    format!("{:+.1} %", (to / from - 1.0) * 100.0)
}

/// The rate that people quote of a measurement: IOPS, else bytes per second.
pub(crate) fn quoted(measured: &Measured) -> Option<(f64, String)> {
    let (ios, bytes) = measured.total();
    ios.map(|ios| (ios, iops(ios))).or_else(|| bytes.map(|bytes| (bytes, rate(bytes))))
}
