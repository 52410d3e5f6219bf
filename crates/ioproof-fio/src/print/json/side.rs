//! One direction, and one latency.

use super::value::{JsonValue, object};
use crate::print::bins::value_of;
use crate::print::latency::Latency;
use crate::print::number::whole;
use crate::print::side::{Figures, PriorityFigures};

const KIB: f64 = 1024.0;

/// All keys of a direction. `bw` and its samples are in KiB a second, `runtime` in milliseconds.
pub(super) fn direction(f: &Figures, bins: bool) -> JsonValue {
    let (bandwidth, iops) = (&f.bandwidth, &f.iops);
    object([
        ("io_bytes", f.bytes.into()),
        ("io_kbytes", (f.bytes / 1024).into()),
        ("bw_bytes", whole(f.bytes_per_s()).into()),
        ("bw", whole(f.bytes_per_s() / KIB).into()),
        ("iops", f.iops().into()),
        ("runtime", f.runtime_ms.into()),
        ("total_ios", f.ios.into()),
        ("short_ios", f.short.into()),
        ("drop_ios", f.dropped.into()),
        ("slat_ns", latency(&f.slat, true, bins)),
        ("clat_ns", latency(&f.clat, true, bins)),
        ("lat_ns", latency(&f.lat, true, bins)),
        ("prios", (!f.priorities.is_empty()).then(|| f.priorities.iter().map(|one| priority(one, bins)).collect::<Vec<_>>()).into()),
        ("bw_min", whole(bandwidth.min / KIB).into()),
        ("bw_max", whole(bandwidth.max / KIB).into()),
        ("bw_agg", f.share_percent.into()),
        ("bw_mean", (bandwidth.mean / KIB).into()),
        ("bw_dev", (bandwidth.deviation / KIB).into()),
        ("bw_samples", bandwidth.count.into()),
        ("iops_min", whole(iops.min).into()),
        ("iops_max", whole(iops.max).into()),
        ("iops_mean", iops.mean.into()),
        ("iops_stddev", iops.deviation.into()),
        ("iops_samples", iops.count.into()),
    ])
}

fn priority(f: &PriorityFigures, bins: bool) -> JsonValue {
    object([
        ("prioclass".to_owned(), u32::from(f.class).into()),
        ("prio".to_owned(), u32::from(f.level).into()),
        (format!("{}_ns", f.name), latency(&f.latency, true, bins)),
    ])
}

/// Smallest, largest, mean, deviation, count; percentiles and the bins behind them where they are wanted and there are any. Nanoseconds.
pub(super) fn latency(latency: &Latency, percentiles: bool, bins: bool) -> JsonValue {
    let percentiles = percentiles && !latency.percentiles.is_empty();
    let of_percentiles = || object(latency.percentiles.iter().map(|(p, ns)| (format!("{p:.6}"), (*ns).into())));
    let of_bins = || object(latency.bins.iter().map(|(bin, n)| (value_of(*bin).to_string(), (*n).into())));
    object([
        ("min", latency.min.into()),
        ("max", latency.max.into()),
        ("mean", latency.mean.into()),
        ("stddev", latency.deviation.into()),
        ("N", latency.count.into()),
        ("percentile", percentiles.then(of_percentiles).into()),
        ("bins", (percentiles && bins).then(of_bins).into()),
    ])
}
