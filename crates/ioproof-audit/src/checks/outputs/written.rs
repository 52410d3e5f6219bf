//! Bytes that the outputs of a document wrote to one device: a drive that fills up changes while it is measured.

use crate::checks::{Direction, Findings, Measured, Reading, decimal_size, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let mut targets: Vec<(&str, f64, usize, u32)> = Vec::new();
    for measured in &reading.measured {
        let is_raw = measured.target.starts_with("/dev/") || measured.tool == "spdk_nvme_perf";
        let Some(written) = written(measured).filter(|_| is_raw && !measured.target.is_empty()) else { continue };
        match targets.iter_mut().find(|(target, ..)| *target == measured.target) {
            Some((_, sum, count, _)) => {
                *sum += written;
                *count += 1;
            }
            None => targets.push((&measured.target, written, 1, measured.first)),
        }
    }
    for (target, sum, count, line) in targets {
        let capacity = reading.drive(target).map(|drive| drive.capacity_bytes.value).filter(|bytes| *bytes > 0);
        let capacity = capacity.or_else(|| named(reading));
        let share = capacity.map(|capacity| sum / capacity as f64);
        if count < 2 || sum < 500e9 && share.is_none_or(|share| share < 0.1) {
            continue;
        }
        let of = share.map_or(String::new(), |share| format!(", {} of the drive", show::percent(share)));
        let title = format!(
            "{count} outputs wrote {}{of} without a pause: the drive's state changed while it was measured",
            decimal_size(sum as u64)
        );
        findings
            .note("bytes-written", reading.at(line), title, format!("the sum of rate x time of {count} outputs to {target}"))
            .mend("precondition, and repeat in another order");
    }
}

/// The capacity of the only drive that the document names, by its datasheet.
fn named(reading: &Reading) -> Option<u64> {
    let [drive] = &reading.drives[..] else { return None };
    let catalogue = ioproof_core::datasheet::Catalogue::shipped();
    let matched = catalogue.match_device(drive)?;
    matched.variant.map(|variant| variant.capacity_bytes).or(Some(drive.capacity_bytes.value).filter(|bytes| *bytes > 0))
}

fn written(measured: &Measured) -> Option<f64> {
    let side = measured.sides.iter().find(|side| side.direction == Direction::Write)?;
    side.bytes.map(|bytes| bytes.value).or_else(|| Some(side.bytes_per_s?.value * measured.seconds?.value))
}
