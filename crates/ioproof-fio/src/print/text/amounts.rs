//! `  read: IOPS=111k, BW=437MiB/s (458MB/s)(12.8GiB/30001msec)`.

use crate::print::number::{count, rates, sizes};
use crate::print::side::Figures;
use crate::results::Units;

pub(super) fn amounts(f: &Figures, units: Units) -> String {
    let (rate, other) = rates(f.bytes_per_s(), units);
    let (bytes, _) = sizes(f.bytes as f64, units);
    format!("  {}: IOPS={}, BW={rate} ({other})({bytes}/{}msec)", f.name, count(f.iops(), units), f.runtime_ms)
}
