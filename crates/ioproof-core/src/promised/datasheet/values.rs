//! Reading single values of a datasheet: words, numbers with a plausible range, sizes, model patterns.
//!
//! Nothing here knows where a value stands in the file; `section` adds that.

use super::link::most_bytes_per_second;
use super::problem::{Fault, suggest};
use super::section::expected;
use crate::claim::{ClaimSpan, Confidence, DriveState, Interface, Metric, Qualifier, Statistic};
use crate::units::{decimal_size, parse_size_bytes};
use crate::workload::Pattern;
use toml::de::DeValue;

/// Smallest and largest rated endurance that is believed: 1 TB and 1 EB.
const ENDURANCE_BYTES: (u64, u64) = (1_000_000_000_000, 1_000_000_000_000_000_000);
/// Smallest and largest capacity that is believed: 1 GB and 10 PB.
const CAPACITY_BYTES: (u64, u64) = (1_000_000_000, 10_000_000_000_000_000);
/// Largest block of one I/O: 64 MiB.
const BLOCK_BYTES_MAX: u64 = 64 << 20;
/// NVMe allows 65535 queues of 65536 entries; no claim comes near this.
const QUEUE_DEPTH_MAX: u64 = 1 << 20;
/// A pattern with fewer characters of its own would take drives of other families.
const PATTERN_CHARS_MIN: usize = 3;

/// A unit of a claim's value: what it measures, and how much of the stored unit it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DatasheetUnit {
    pub name: &'static str,
    pub metric: Metric,
    pub factor: f64,
}

pub(super) const UNITS: [DatasheetUnit; 6] = [
    DatasheetUnit { name: "IOPS", metric: Metric::Iops, factor: 1.0 },
    DatasheetUnit { name: "kIOPS", metric: Metric::Iops, factor: 1e3 },
    DatasheetUnit { name: "MB/s", metric: Metric::Throughput, factor: 1e6 },
    DatasheetUnit { name: "GB/s", metric: Metric::Throughput, factor: 1e9 },
    DatasheetUnit { name: "us", metric: Metric::Latency, factor: 1e3 },
    DatasheetUnit { name: "ms", metric: Metric::Latency, factor: 1e6 },
];

pub(super) fn text(value: &DeValue) -> Result<String, Fault> {
    let text = string(value)?.trim();
    if text.is_empty() { Err(Fault::new("is empty")) } else { Ok(text.to_owned()) }
}

fn string<'v>(value: &'v DeValue) -> Result<&'v str, Fault> {
    value.as_str().ok_or_else(|| expected("text in quotes", value))
}

/// `true` or `false`.
pub(super) fn flag(value: &DeValue) -> Result<bool, Fault> {
    value.as_bool().ok_or_else(|| expected("true or false", value))
}

fn choice<T: Copy>(value: &DeValue, known: &[(&str, T)]) -> Result<T, Fault> {
    let word = string(value)?;
    let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    let found = known.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice);
    found.ok_or_else(|| Fault::new(format!("`{word}` is not one of {}", names.join(", "))).maybe(suggest(word, &names)))
}

pub(super) fn metric(value: &DeValue) -> Result<Metric, Fault> {
    choice(value, &[("iops", Metric::Iops), ("throughput", Metric::Throughput), ("latency", Metric::Latency)])
}

pub(super) fn unit(value: &DeValue) -> Result<DatasheetUnit, Fault> {
    choice(value, &UNITS.map(|unit| (unit.name, unit)))
}

pub(super) fn qualifier(value: &DeValue) -> Result<Qualifier, Fault> {
    choice(value, &[("up to", Qualifier::UpTo), ("typical", Qualifier::Typical), ("maximum", Qualifier::Maximum)])
}

pub(super) fn pattern(value: &DeValue) -> Result<Pattern, Fault> {
    choice(value, &[("sequential", Pattern::Sequential), ("random", Pattern::Random)])
}

pub(super) fn state(value: &DeValue) -> Result<DriveState, Fault> {
    use DriveState::{AfterSlc, Fresh, SlcCached, Steady};
    choice(value, &[("fresh", Fresh), ("slc_cached", SlcCached), ("after_slc", AfterSlc), ("steady", Steady)])
}

pub(super) fn confidence(value: &DeValue) -> Result<Confidence, Fault> {
    choice(value, &[("high", Confidence::High), ("medium", Confidence::Medium), ("low", Confidence::Low)])
}

pub(super) fn interface(value: &DeValue) -> Result<Interface, Fault> {
    choice(value, &[("nvme", Interface::Nvme), ("sata", Interface::Sata), ("sas", Interface::Sas)])
}

/// Makers' "typical" and "average" latency is the mean.
pub(super) fn statistic(value: &DeValue) -> Result<Statistic, Fault> {
    use Statistic::{Max, Mean, P50, P99, P999, P9999, P99999};
    let known = [
        ("mean", Mean),
        ("typical", Mean),
        ("p50", P50),
        ("p99", P99),
        ("p99.9", P999),
        ("p99.99", P9999),
        ("p99.999", P99999),
        ("max", Max),
    ];
    choice(value, &known)
}

/// Share of reads in percent: `read`, `write` or `70/30`.
pub(super) fn mix(value: &DeValue) -> Result<u8, Fault> {
    let word = string(value)?;
    let parts = || word.split_once('/').and_then(|(r, w)| Some((r.trim().parse::<u8>().ok()?, w.trim().parse::<u8>().ok()?)));
    match (word, parts()) {
        ("read", _) => Ok(100),
        ("write", _) => Ok(0),
        (_, Some((r, w))) if u16::from(r) + u16::from(w) == 100 => Ok(r),
        (_, Some((r, w))) => Err(Fault::new(format!("{r} and {w} do not add up to 100"))),
        (_, None) => Err(Fault::new(format!("`{word}` is not `read`, `write` or reads/writes in percent such as `70/30`"))),
    }
}

/// Any positive number, as a claim's value is before its unit is applied.
pub(super) fn number(value: &DeValue) -> Result<f64, Fault> {
    let parsed = match value {
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|n| n as f64),
        DeValue::Float(f) => f.as_str().parse().ok(),
        other => return Err(expected("a number", other)),
    };
    parsed.filter(|n: &f64| n.is_finite() && *n > 0.0).ok_or_else(|| Fault::new("must be a finite number above 0"))
}

/// Drive writes per day.
pub(super) fn writes_per_day(value: &DeValue) -> Result<f64, Fault> {
    let rate = number(value)?;
    if (0.001..=1000.0).contains(&rate) {
        Ok(rate)
    } else {
        Err(Fault::new(format!("{rate} is not between 0.001 and 1000 drive writes per day")))
    }
}

/// Refuses a value that no drive could have. The value is in the stored unit of its metric.
pub(super) fn plausible(metric: Metric, value: f64) -> Result<f64, Fault> {
    let (low, high) = match metric {
        Metric::Iops => (10.0, 1e8),
        Metric::Throughput => (1e6, 1e12),
        Metric::Latency => (100.0, 1e10),
    };
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    let message = format!("{} is not plausible: {} to {} is", metric.show(value), metric.show(low), metric.show(high));
    Err(Fault::new(message).hint("is the unit right?"))
}

fn count(value: &DeValue, most: u64) -> Result<u32, Fault> {
    let DeValue::Integer(integer) = value else { return Err(expected("a whole number", value)) };
    let parsed = i64::from_str_radix(integer.as_str(), integer.radix()).ok().and_then(|n| u32::try_from(n).ok());
    parsed.filter(|n| (1..=most).contains(&u64::from(*n))).ok_or_else(|| Fault::new(format!("must be between 1 and {most}")))
}

pub(super) fn queue_depth(value: &DeValue) -> Result<u32, Fault> {
    count(value, QUEUE_DEPTH_MAX)
}

pub(super) fn workers(value: &DeValue) -> Result<u32, Fault> {
    count(value, 4096)
}

fn size(value: &DeValue) -> Result<u64, Fault> {
    let text = value.as_str().ok_or_else(|| expected("a size in quotes such as \"4KiB\" or \"2TB\"", value))?;
    parse_size_bytes(text).map_err(|error| Fault::new(error.to_string()))
}

fn size_between(value: &DeValue, (low, high): (u64, u64), what: &str) -> Result<u64, Fault> {
    let bytes = size(value)?;
    let fault =
        || Fault::new(format!("{} is no plausible {what}: {} to {} is", decimal_size(bytes), decimal_size(low), decimal_size(high)));
    if (low..=high).contains(&bytes) { Ok(bytes) } else { Err(fault()) }
}

pub(super) fn endurance(value: &DeValue) -> Result<u64, Fault> {
    size_between(value, ENDURANCE_BYTES, "endurance")
}

pub(super) fn capacity(value: &DeValue) -> Result<u64, Fault> {
    size_between(value, CAPACITY_BYTES, "capacity")
}

/// A block size: a multiple of the smallest logical block.
pub(super) fn block_size(value: &DeValue) -> Result<u32, Fault> {
    let bytes = size(value)?;
    let fits = bytes > 0 && bytes <= BLOCK_BYTES_MAX && bytes.is_multiple_of(512);
    let decimal = bytes > 0 && bytes.is_multiple_of(1000);
    let hint = decimal.then(|| format!("where a datasheet says {}KB, write \"{}KiB\"", bytes / 1000, bytes / 1000));
    let fault = || Fault::new(format!("{bytes} bytes is no multiple of 512 up to 64 MiB")).maybe(hint);
    u32::try_from(bytes).ok().filter(|_| fits).ok_or_else(fault)
}

/// `full` or a size.
pub(super) fn span(value: &DeValue) -> Result<ClaimSpan, Fault> {
    match value.as_str() {
        Some("full") => Ok(ClaimSpan::Full),
        Some(_) => match size_between(value, (1_000_000, CAPACITY_BYTES.1), "span") {
            Ok(bytes) => Ok(ClaimSpan::Bytes(bytes)),
            Err(fault) => Err(fault.hint("write \"full\" or a size such as \"10GiB\"")),
        },
        None => Err(expected("\"full\" or a size in quotes", value)),
    }
}

/// The link, such as `PCIe 4.0 x4`.
pub(super) fn link(value: &DeValue) -> Result<String, Fault> {
    let link = text(value)?;
    let fault = || Fault::new(format!("`{link}` is not a link")).hint("write it as in \"PCIe 4.0 x4\", \"SATA 6 Gb/s\" or \"SAS 12 Gb/s\"");
    if most_bytes_per_second(&link).is_none() { Err(fault()) } else { Ok(link) }
}

/// A model pattern with `*` and `?`.
pub(super) fn model(value: &DeValue) -> Result<String, Fault> {
    let pattern = text(value)?;
    let own = pattern.chars().filter(|c| !matches!(c, '*' | '?' | ' ')).count();
    let fault = || {
        Fault::new(format!("`{pattern}` would match drives of other families"))
            .hint(format!("give at least {PATTERN_CHARS_MIN} characters"))
    };
    if own < PATTERN_CHARS_MIN { Err(fault()) } else { Ok(pattern) }
}
