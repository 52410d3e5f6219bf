//! `    clat (usec): min=55, max=38347, avg=532.73, stdev=1821.65`.

use crate::print::latency::Latency;
use crate::print::number;

pub(super) type Unit = (&'static str, u64);
pub(super) const NSEC: Unit = ("nsec", 1);
pub(super) const USEC: Unit = ("usec", 1_000);
pub(super) const MSEC: Unit = ("msec", 1_000_000);

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
fn unit(latency: &Latency) -> Unit {
    if latency.min > 2_000_000 && latency.max > 99_999_999 && latency.deviation > 1_000_000.0 {
        MSEC
    } else if latency.min > 2_000 && latency.max > 99_999 && latency.deviation > 1_000.0 {
        USEC
    } else {
        NSEC
    }
}
