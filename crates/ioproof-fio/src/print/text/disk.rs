//! `Disk stats (read/write):`.

use crate::print::disk::below;
use crate::print::number::finite;
use crate::results::DiskUse;
use ioproof_core::text::visible;

/// All disks; nothing where there are none.
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
    format!("{indent}{}{}\n{deeper}", counts(disk), together(disk))
}

fn counts(disk: &DiskUse) -> String {
    format!(
        "{}: ios={}/{}, merge={}/{}, ticks={}/{}, in_queue={}, util={:3.2}%",
        visible(&disk.name),
        disk.ios.0,
        disk.ios.1,
        disk.merges.0,
        disk.merges.1,
        disk.ticks_ms.0,
        disk.ticks_ms.1,
        disk.in_queue_ms,
        finite(disk.busy_percent)
    )
}

fn together(disk: &DiskUse) -> String {
    let Some(all) = below(disk) else {
        return String::new();
    };
    format!(
        ", aggrios={}/{}, aggrmerge={}/{}, aggrticks={}/{}, aggrin_queue={}, aggrutil={:3.2}%",
        all.ios.0,
        all.ios.1,
        all.merges.0,
        all.merges.1,
        all.ticks_ms.0,
        all.ticks_ms.1,
        all.in_queue_ms,
        finite(all.busy_percent)
    )
}
