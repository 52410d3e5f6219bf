//! `Disk stats (read/write):`.

use crate::print::disk::below;
use crate::print::number::finite;
use crate::results::DiskUse;
use ioproof_core::text::visible;

pub(super) fn disks(disks: &[DiskUse]) -> String {
    if disks.is_empty() {
        return String::new();
    }
    let lines: String = disks.iter().map(|disk| lines(disk, 1)).collect();
    format!("\nDisk stats (read/write):\n{lines}")
}

fn lines(disk: &DiskUse, level: usize) -> String {
    let indent = "  ".repeat(level);
    let deeper: String = disk.below.iter().map(|disk| lines(disk, level + 1)).collect();
    let together = below(disk).map(|all| format!(", {}", counts("aggr", &all))).unwrap_or_default();
    format!("{indent}{}: {}{together}\n{deeper}", visible(&disk.name), counts("", disk))
}

fn counts(prefix: &str, of: &DiskUse) -> String {
    let pairs = [("ios", of.ios), ("merge", of.merges), ("ticks", of.ticks_ms)];
    let pairs = pairs.map(|(name, (reads, writes))| format!("{prefix}{name}={reads}/{writes}")).join(", ");
    format!("{pairs}, {prefix}in_queue={}, {prefix}util={:3.2}%", of.in_queue_ms, finite(of.busy_percent))
}
