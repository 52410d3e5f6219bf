//! One direction, and the syncs.

use super::latency::latency;
use super::value::Object;
use crate::print::number::whole;
use crate::print::side::{self as figures, Figures};
use crate::results::JobResult;

/// Bytes of a KiB.
const KIB: f64 = 1024.0;

/// All keys of a direction.
pub(super) fn side(f: &Figures, bins: bool) -> Object {
    let mut object = amounts(f)
        .with("slat_ns", latency(&f.slat, true, bins))
        .with("clat_ns", latency(&f.clat, true, bins))
        .with("lat_ns", latency(&f.lat, true, bins));
    samples(&mut object, f);
    object
}

fn amounts(f: &Figures) -> Object {
    Object::default()
        .with("io_bytes", f.bytes)
        .with("io_kbytes", f.bytes / 1024)
        .with("bw_bytes", whole(f.bytes_per_s()))
        .with("bw", whole(f.bytes_per_s() / KIB))
        .with("iops", f.iops())
        .with("runtime", f.runtime_ms)
        .with("total_ios", f.ios)
        .with("short_ios", f.short)
        .with("drop_ios", f.dropped)
}

fn samples(object: &mut Object, f: &Figures) {
    let (bandwidth, iops) = (&f.bandwidth, &f.iops);
    object.add("bw_min", whole(bandwidth.min / KIB));
    object.add("bw_max", whole(bandwidth.max / KIB));
    object.add("bw_agg", f.share_percent);
    object.add("bw_mean", bandwidth.mean / KIB);
    object.add("bw_dev", bandwidth.deviation / KIB);
    object.add("bw_samples", bandwidth.count);
    object.add("iops_min", whole(iops.min));
    object.add("iops_max", whole(iops.max));
    object.add("iops_mean", iops.mean);
    object.add("iops_stddev", iops.deviation);
    object.add("iops_samples", iops.count);
}

/// Syncs: how many and how long they took.
pub(super) fn sync(job: &JobResult, percentiles: bool, bins: bool) -> Object {
    Object::default().with("total_ios", job.sync.ios).with("lat_ns", latency(&figures::sync(job), percentiles, bins))
}
