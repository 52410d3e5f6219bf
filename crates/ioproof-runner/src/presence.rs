//! Presence of the drives under a target. A drive that was pulled rarely says so: the kernel answers reads with an end of file, and writes
//! with "no space left", so after failed I/O sysfs is asked.

use ioproof_core::facts::StackNode;
use ioproof_core::record::{CheckResult, IoErrors};
use ioproof_target::System;
use std::time::Duration;

/// The kernel fails I/O a little before it takes the drive out of sysfs. Time that it is given, and length of the steps in which it is asked. Milliseconds.
const PATIENCE_MS: u64 = 500;
const STEP_MS: u64 = 50;

/// Says that the target is gone, where I/O failed and a drive under the target is not there any more.
///
/// `wait` gives the kernel the time to notice; without it only what it knows now counts.
pub fn gone(system: &System, stack: Option<&StackNode>, errors: &IoErrors, wait: bool) -> Option<String> {
    let first = errors.first.as_ref()?;
    let name = missing_soon(system, stack, if wait { PATIENCE_MS } else { 0 })?;
    Some(format!("the target is gone: the kernel has no {name} any more ({})", first.sentence()))
}

/// Data that cannot be read of a drive that was pulled is not lost: nobody knows. Says so where the check had counted it.
pub(crate) fn spare_the_pulled(check: Option<&mut CheckResult>) -> Option<String> {
    let check = check.filter(|check| check.unreadable > 0)?;
    check.unreadable = 0;
    check.first.take_if(|first| first.starts_with("unreadable"));
    Some("the target went while what was written was read back: nothing is known of what had not been read by then".into())
}

fn missing_soon(system: &System, stack: Option<&StackNode>, patience_ms: u64) -> Option<String> {
    let mut waited_ms = 0;
    loop {
        let missing = missing(system, stack);
        if missing.is_some() || waited_ms >= patience_ms {
            return missing;
        }
        std::thread::sleep(Duration::from_millis(STEP_MS));
        waited_ms += STEP_MS;
    }
}

/// The first drive that is not there or has no bytes. Its name cannot have gone to another drive, because the target is still open.
fn missing(system: &System, stack: Option<&StackNode>) -> Option<String> {
    let drives = stack?.drives();
    let loops = loops(stack?);
    let is_there = |name: &str| system.sys_number(&format!("block/{name}/size")).is_some_and(|sectors| sectors > 0);
    drives.into_iter().chain(loops).find(|drive| !is_there(&drive.name)).map(|drive| drive.name.clone())
}

/// Loop devices, which go without the drive below them.
fn loops(node: &StackNode) -> Vec<&StackNode> {
    let below = node.under.iter().flat_map(loops);
    below.chain(node.backing_file.is_some().then_some(node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::record::IoError;
    use std::fs;

    fn node(name: &str, under: Vec<StackNode>) -> StackNode {
        StackNode { major: 8, size_bytes: 1 << 20, under, ..StackNode::disk(name) }
    }

    /// A machine with these drives, of so many sectors.
    fn machine(drives: &[(&str, u64)]) -> (tempfile::TempDir, System) {
        let folder = tempfile::tempdir().unwrap();
        for (name, sectors) in drives {
            let place = folder.path().join("sys/block").join(name);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("size"), format!("{sectors}\n")).unwrap();
        }
        let system = System::captured(folder.path());
        (folder, system)
    }

    fn at_its_end() -> IoErrors {
        let first = IoError { operation: "read".into(), offset_bytes: 4096, errno: 0, message: "only 0 bytes were moved".into() };
        IoErrors { short: 1, first: Some(first), ..IoErrors::default() }
    }

    #[test]
    fn a_drive_without_bytes_or_without_a_name_is_gone() {
        let (_folder, system) = machine(&[("sda", 2048), ("sdb", 0)]);
        let said = |stack: &StackNode| gone(&system, Some(stack), &at_its_end(), true);
        assert_eq!(said(&node("sda", vec![])), None);
        for name in ["sdb", "sdc"] {
            let wanted = format!("the target is gone: the kernel has no {name} any more (read at byte 4096: only 0 bytes were moved)");
            assert_eq!(said(&node(name, vec![])), Some(wanted));
        }
        let mirror = node("md0", vec![node("sda", vec![]), node("sdb", vec![])]);
        assert!(said(&mirror).is_some_and(|text| text.contains("no sdb")), "one leg is enough");
        let cut_to_nothing = StackNode { backing_file: Some("/x".into()), ..node("loop0", vec![node("sda", vec![])]) };
        assert!(said(&cut_to_nothing).is_some_and(|text| text.contains("no loop0")), "its drive is there");
    }

    #[test]
    fn without_failed_io_or_a_drive_nothing_is_gone() {
        let (_folder, system) = machine(&[]);
        assert_eq!(gone(&system, Some(&node("sda", vec![])), &IoErrors::default(), true), None);
        assert_eq!(gone(&system, None, &at_its_end(), true), None);
    }

    #[test]
    fn what_a_pulled_drive_took_along_is_not_lost() {
        let found = CheckResult { good: 7, unreadable: 3, first: Some("unreadable at byte 512".into()), ..CheckResult::default() };
        assert_eq!(spare_the_pulled(Some(&mut CheckResult { unreadable: 0, ..found.clone() })), None);
        let pulled = &mut found.clone();
        assert!(spare_the_pulled(Some(pulled)).is_some());
        assert_eq!((pulled.good, pulled.bad(), pulled.first.as_ref()), (7, 0, None));
        let corrupt = &mut CheckResult { corrupt: 1, first: Some("corrupt at byte 0".into()), ..found };
        assert!(spare_the_pulled(Some(corrupt)).is_some());
        assert_eq!((corrupt.bad(), corrupt.first.as_deref()), (1, Some("corrupt at byte 0")), "what was seen stays");
    }
}
