//! A partition, or a loop device with an offset, that begins in the middle of a block of the drive: each I/O of 4 KiB then touches two of them.
//!
//! Physical sectors of disks and pages of flash are of 4 KiB or a multiple (ACS-4, word 106; NVM Command Set Specification, preferred write alignment), also
//! where the drive calls its logical block 512 bytes.

use crate::findings::prelude::*;

rule! {
    name: "misaligned",
    about: "a partition or a loop device begins in the middle of a block of the drive",
    check: Check::EachCounted(of_job),
}

/// Bytes to a multiple of which whatever lies on a drive is to begin.
const ALIGNMENT_BYTES: u64 = 4096;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let stacks = context.record.targets_of(measured.job).filter_map(|target| target.facts.stack.as_ref());
    let node = stacks.flat_map(StackNode::nodes).find(|node| !node.start_bytes.is_multiple_of(ALIGNMENT_BYTES))?;
    let title = format!(
        "{} begins at byte {}, in the middle of a block of 4 KiB: an I/O touches one block more than it would, and a write reads what it does not fill",
        node.name, node.start_bytes
    );
    let start = Evidence::number("begins at", node.start_bytes as f64, Unit::BinaryBytes);
    let aligned = Evidence::number("beyond a multiple of 4 KiB", (node.start_bytes % ALIGNMENT_BYTES) as f64, Unit::BinaryBytes);
    let remedy = "measure the whole drive, or make the partition again at a multiple of 1 MiB (parted --align optimal, losetup --offset)";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, vec![start, aligned], remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: on_a_partition(63 * 512), silent: on_a_partition(2048 * 512) }

    fn on_a_partition(start_bytes: u64) -> RunRecord {
        let partition = StackNode { start_bytes, kind: "partition".into(), under: vec![node("sda", 0)], ..node("sda1", 1) };
        record().with(|record| record.targets[0].facts.stack = Some(partition))
    }

    #[test]
    fn it_makes_missing_no_verdict() {
        RULE.says(&fires(), Effect::Harder, |title| title.starts_with("sda1 begins at byte 32256"));
    }
}
