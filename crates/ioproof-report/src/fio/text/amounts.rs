//! `  read: IOPS=111k, BW=437MiB/s (458MB/s)(12.8GiB/30001msec)`.

use crate::fio::number::{both, count, rates};
use crate::fio::side::Figures;

/// The first line of a direction, without its end.
pub(super) fn amounts(f: &Figures) -> String {
    let (binary, decimal) = rates(f.bytes_per_s());
    let (bytes, _) = both(f.bytes as f64, "B");
    format!("  {}: IOPS={}, BW={binary} ({decimal})({bytes}/{}msec)", f.name, count(f.iops()), f.runtime_ms)
}
