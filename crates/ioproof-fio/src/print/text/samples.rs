//! `  read: IOPS=111k, BW=437MiB/s (458MB/s)(12.8GiB/30001msec)` and, of samples over time, `   bw (  KiB/s): min=65736, max=82088, per=100.00%, avg=71373.33, stdev=5934.66, samples=6`.

use crate::print::number::{count, finite, rates, sizes, whole};
use crate::print::side::Figures;
use crate::results::Units;

const KIB: f64 = 1024.0;

pub(super) fn amounts(f: &Figures, units: Units) -> String {
    let (rate, other) = rates(f.bytes_per_s(), units);
    let (bytes, _) = sizes(f.bytes as f64, units);
    format!("  {}: IOPS={}, BW={rate} ({other})({bytes}/{}msec)", f.name, count(f.iops(), units), f.runtime_ms)
}

pub(super) fn samples(f: &Figures, units: Units) -> String {
    bandwidth(f, units) + &iops(f)
}

fn bandwidth(f: &Figures, units: Units) -> String {
    let samples = &f.bandwidth;
    if samples.count == 0 {
        return String::new();
    }
    // Bits, digits and, of high rates, thousands change nothing here, in fio either.
    let (unit, bytes) = match () {
        () if samples.mean / KIB > KIB * KIB => ("MiB", KIB * KIB),
        () if units.thousands => ("kB", 1000.0),
        () => ("KiB", KIB),
    };
    format!(
        "   bw ({unit:>5}/s): min={:5}, max={:5}, per={:3.2}%, avg={:5.2}, stdev={:5.2}, samples={}\n",
        whole(samples.min / bytes),
        whole(samples.max / bytes),
        finite(f.share_percent),
        finite(samples.mean / bytes),
        finite(samples.deviation / bytes),
        samples.count
    )
}

fn iops(f: &Figures) -> String {
    let samples = &f.iops;
    if samples.count == 0 {
        return String::new();
    }
    let (min, max) = (whole(samples.min), whole(samples.max));
    let (mean, deviation) = (finite(samples.mean), finite(samples.deviation));
    format!("   iops        : min={min:5}, max={max:5}, avg={mean:5.2}, stdev={deviation:5.2}, samples={}\n", samples.count)
}
