//! Syncs that kernels and tools count as writes without data.

use crate::checks::{Direction, Findings, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for measured in reading.measured.iter().filter(|measured| measured.tool == "iostat") {
        let Some(side) = measured.side(Direction::Write) else { continue };
        let (Some(writes), Some(rate)) = (side.iops, side.bytes_per_s) else { continue };
        // No write is smaller than a sector.
        if writes.value >= 10.0 && rate.value + rate.step < writes.value * 512.0 {
            let empty = writes.value - rate.value / 512.0;
            let title = format!(
                "at least {} of {} writes/s of {} carry no data: syncs are counted as writes",
                show::whole(empty),
                show::whole(writes.value),
                measured.name
            );
            let because = format!(
                "{} / {} = {:.0} bytes a write, and none is smaller than 512",
                show::rate(rate.value),
                show::whole(writes.value),
                rate.value / writes.value
            );
            findings.doubt("empty-writes", reading.at(side.line), title, because);
        }
    }
}
