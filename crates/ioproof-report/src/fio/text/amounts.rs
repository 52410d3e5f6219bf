//! `  read: IOPS=111k, BW=437MiB/s (458MB/s)(12.8GiB/30001msec)`.

use crate::fio::number::{count, rates, sizes};
use crate::fio::side::Figures;
use ioproof_core::fio::results::Units;

/// The first line of a direction, without its end.
pub(super) fn amounts(f: &Figures, units: Units) -> String {
    let (rate, other) = rates(f.bytes_per_s(), units);
    let (bytes, _) = sizes(f.bytes as f64, units);
    format!("  {}: IOPS={}, BW={rate} ({other})({bytes}/{}msec)", f.name, count(f.iops(), units), f.runtime_ms)
}
