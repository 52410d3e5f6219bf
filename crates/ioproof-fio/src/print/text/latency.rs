//! `    clat (usec): min=55, max=38347, avg=532.73, stdev=1821.65`.

use crate::print::latency::Latency;
use crate::print::number;

type LatencyUnit = (&'static str, u64);
const NSEC: LatencyUnit = ("nsec", 1);
const USEC: LatencyUnit = ("usec", 1_000);
const MSEC: LatencyUnit = ("msec", 1_000_000);

pub(super) fn line(name: &str, latency: &Latency) -> String {
    if latency.count == 0 {
        return String::new();
    }
    let (unit, ns) = unit(latency);
    let (min, max) = (number::latency(latency.min / ns), number::latency(latency.max / ns));
    let (mean, deviation) = (latency.mean / ns as f64, latency.deviation / ns as f64);
    format!("   {name} ({unit}): min={min}, max={max}, avg={mean:5.2}, stdev={deviation:5.2}\n")
}

/// The longest unit in which the smallest is still seen and the largest is long.
fn unit(latency: &Latency) -> LatencyUnit {
    if latency.min > 2_000_000 && latency.max > 99_999_999 && latency.deviation > 1_000_000.0 {
        MSEC
    } else if latency.min > 2_000 && latency.max > 99_999 && latency.deviation > 1_000.0 {
        USEC
    } else {
        NSEC
    }
}

const COLUMNS: usize = 73;
const AROUND: usize = 10;
const LEAST_WIDTH: usize = 5;

/// The block of percentiles: as many on a line as fit in 80 columns.
pub(super) fn percentiles(name: &str, latency: &Latency) -> String {
    let all = &latency.percentiles;
    if all.is_empty() {
        return String::new();
    }
    let (unit, ns) = unit_of_percentiles(all);
    let values: Vec<String> = all.iter().map(|(_, value)| value.div_ceil(ns).to_string()).collect();
    let width = values.iter().map(String::len).max().unwrap_or(0).max(LEAST_WIDTH);
    let precision = all.iter().map(|(p, _)| decimals(*p)).max().unwrap_or(0);
    let fields = all.iter().zip(&values).map(|((p, _), value)| format!("{p:w$.precision$}th=[{value:>width$}]", w = precision + 3));
    let fields: Vec<String> = fields.collect();
    let a_line = (COLUMNS / (precision + AROUND + width)).max(1);
    let lines: Vec<String> = fields.chunks(a_line).map(|line| format!("     | {}", line.join(", "))).collect();
    format!("    {name} percentiles ({unit}):\n{}\n", lines.join(",\n"))
}

fn unit_of_percentiles(all: &[(f64, u64)]) -> LatencyUnit {
    let least = all.iter().map(|(_, value)| *value).min().unwrap_or(0);
    let most = all.iter().map(|(_, value)| *value).max().unwrap_or(0);
    if least > 2_000_000 && most > 99_999_999 {
        MSEC
    } else if least > 2_000 && most > 99_999 {
        USEC
    } else {
        NSEC
    }
}

/// Decimals with which a percentile is stated; fio knows six at most.
fn decimals(percent: f64) -> usize {
    percent.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len().min(6))
}
