//! `Run status group 0 (all jobs):` and its totals, and `Disk stats (read/write):`.

use crate::print::disk::below;
use crate::print::number::{finite, rates, sizes};
use crate::results::{DiskUse, GroupResult, GroupSide, JobResult, Unified, Units};
use ioproof_core::text::visible;

/// A group; its jobs tell whether its directions are put together, and in which units it is shown.
pub(super) fn group(group: &GroupResult, jobs: &[JobResult]) -> String {
    let first = jobs.iter().find(|job| job.group == group.group);
    let (unified, units) = first.map_or((Unified::Separate, Units::default()), |job| (job.unified, job.units));
    let named = ["READ", "WRITE", "TRIM"].into_iter().zip(group.sides).filter(|_| unified != Unified::Mixed);
    let all = ("MIXED", mixed(group).filter(|_| unified != Unified::Separate));
    let lines: String = named.chain([all]).filter_map(|(name, side)| side.map(|side| line(name, &side, units))).collect();
    format!("\nRun status group {} (all jobs):\n{lines}", group.group)
}

fn line(name: &str, side: &GroupSide, units: Units) -> String {
    let [total, least, most] = [side.total_bytes_per_s, side.min_bytes_per_s, side.max_bytes_per_s].map(|rate| rates(rate, units));
    let bytes = sizes(side.bytes as f64, units);
    format!(
        "{name:>7}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={}-{}msec\n",
        total.0, total.1, least.0, most.0, least.1, most.1, bytes.0, bytes.1, side.min_runtime_ms, side.max_runtime_ms
    )
}

fn mixed(group: &GroupResult) -> Option<GroupSide> {
    group.sides.iter().flatten().copied().reduce(|a, b| GroupSide {
        bytes: a.bytes.saturating_add(b.bytes),
        total_bytes_per_s: a.total_bytes_per_s + b.total_bytes_per_s,
        min_bytes_per_s: a.min_bytes_per_s.min(b.min_bytes_per_s),
        max_bytes_per_s: a.max_bytes_per_s.max(b.max_bytes_per_s),
        min_runtime_ms: a.min_runtime_ms.min(b.min_runtime_ms),
        max_runtime_ms: a.max_runtime_ms.max(b.max_runtime_ms),
    })
}

pub(super) fn disks(disks: &[DiskUse]) -> String {
    if disks.is_empty() {
        return String::new();
    }
    let lines: String = disks.iter().map(|disk| disk_lines(disk, 1)).collect();
    format!("\nDisk stats (read/write):\n{lines}")
}

fn disk_lines(disk: &DiskUse, level: usize) -> String {
    let indent = "  ".repeat(level);
    let deeper: String = disk.below.iter().map(|disk| disk_lines(disk, level + 1)).collect();
    let together = below(disk).map(|all| format!(", {}", counts("aggr", &all))).unwrap_or_default();
    format!("{indent}{}: {}{together}\n{deeper}", visible(&disk.name), counts("", disk))
}

fn counts(prefix: &str, of: &DiskUse) -> String {
    let pairs = [("ios", of.ios), ("merge", of.merges), ("ticks", of.ticks_ms)];
    let pairs = pairs.map(|(name, (reads, writes))| format!("{prefix}{name}={reads}/{writes}")).join(", ");
    format!("{pairs}, {prefix}in_queue={}, {prefix}util={:3.2}%", of.in_queue_ms, finite(of.busy_percent))
}
