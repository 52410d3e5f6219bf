//! One direction, and the syncs.

use super::formatter::Decimal;
use super::latency::LatencyJson;
use crate::print::number::whole;
use crate::print::side::{self as figures, Figures};
use crate::results::JobResult;
use serde::Serialize;

/// Bytes of a KiB.
const KIB: f64 = 1024.0;

/// All keys of a direction. `bw` and its samples are in KiB a second, `runtime` in milliseconds.
#[derive(Serialize)]
pub(super) struct SideJson {
    io_bytes: u64,
    io_kbytes: u64,
    bw_bytes: u64,
    bw: u64,
    iops: Decimal,
    runtime: u64,
    total_ios: u64,
    short_ios: u64,
    drop_ios: u64,
    slat_ns: LatencyJson,
    clat_ns: LatencyJson,
    lat_ns: LatencyJson,
    bw_min: u64,
    bw_max: u64,
    bw_agg: Decimal,
    bw_mean: Decimal,
    bw_dev: Decimal,
    bw_samples: u64,
    iops_min: u64,
    iops_max: u64,
    iops_mean: Decimal,
    iops_stddev: Decimal,
    iops_samples: u64,
}

impl SideJson {
    /// The figures of a direction.
    pub fn of(f: &Figures, bins: bool) -> Self {
        let (bandwidth, iops) = (&f.bandwidth, &f.iops);
        Self {
            io_bytes: f.bytes,
            io_kbytes: f.bytes / 1024,
            bw_bytes: whole(f.bytes_per_s()),
            bw: whole(f.bytes_per_s() / KIB),
            iops: Decimal(f.iops()),
            runtime: f.runtime_ms,
            total_ios: f.ios,
            short_ios: f.short,
            drop_ios: f.dropped,
            slat_ns: LatencyJson::of(&f.slat, true, bins),
            clat_ns: LatencyJson::of(&f.clat, true, bins),
            lat_ns: LatencyJson::of(&f.lat, true, bins),
            bw_min: whole(bandwidth.min / KIB),
            bw_max: whole(bandwidth.max / KIB),
            bw_agg: Decimal(f.share_percent),
            bw_mean: Decimal(bandwidth.mean / KIB),
            bw_dev: Decimal(bandwidth.deviation / KIB),
            bw_samples: bandwidth.count,
            iops_min: whole(iops.min),
            iops_max: whole(iops.max),
            iops_mean: Decimal(iops.mean),
            iops_stddev: Decimal(iops.deviation),
            iops_samples: iops.count,
        }
    }
}

/// Number and latency of syncs.
#[derive(Serialize)]
pub(super) struct SyncJson {
    total_ios: u64,
    lat_ns: LatencyJson,
}

impl SyncJson {
    /// The syncs of a job.
    pub fn of(job: &JobResult, bins: bool) -> Self {
        let percentiles = job.reported.clat_percentiles || job.reported.lat_percentiles;
        Self { total_ios: job.sync.ios, lat_ns: LatencyJson::of(&figures::sync(job), percentiles, bins) }
    }
}
