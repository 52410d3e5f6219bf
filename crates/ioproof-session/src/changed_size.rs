//! Devices under the targets that have another size at the end of a run than at its beginning: a loop device or a volume that was resized meanwhile.

use ioproof_core::facts::StackNode;
use ioproof_core::record::RunRecord;
use ioproof_core::units::binary_size;
use ioproof_target::System;

/// A line for each device whose size has changed. Drives that are gone have none.
pub(crate) fn notes(system: &System, record: &RunRecord) -> Vec<String> {
    let nodes = record.targets.iter().filter_map(|target| target.facts.stack.as_ref()).flat_map(StackNode::nodes);
    let mut notes: Vec<String> = nodes.filter_map(|node| note(system, node)).collect();
    notes.sort();
    notes.dedup();
    notes
}

fn note(system: &System, node: &StackNode) -> Option<String> {
    let sectors = system.sys_number(&format!("class/block/{}/size", node.name)).filter(|sectors| *sectors > 0)?;
    let (before, now) = (node.size_bytes, sectors.saturating_mul(512));
    let (name, from, to) = (&node.name, binary_size(before), binary_size(now));
    match now.cmp(&before) {
        _ if before == 0 => None,
        std::cmp::Ordering::Greater => {
            Some(format!("{name} grew from {from} to {to} during the run: all figures are of the size that it had at the start"))
        }
        std::cmp::Ordering::Less => Some(format!("{name} shrank from {from} to {to} during the run: I/O behind its new end fails")),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The line about a device of 1 MiB that has so many sectors at the end.
    fn said(sectors: u64) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("sys/class/block/loop3");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("size"), format!("{sectors}\n")).unwrap();
        note(&System::captured(folder.path()), &StackNode { size_bytes: 1 << 20, ..StackNode::disk("loop3") })
    }

    #[test]
    fn another_size_at_the_end_is_said() {
        assert!(said(4096).unwrap().starts_with("loop3 grew from 1 MiB to 2 MiB during the run"));
        assert!(said(1024).unwrap().starts_with("loop3 shrank from 1 MiB to 512 KiB"));
        assert_eq!((said(2048), said(0)), (None, None));
    }
}
