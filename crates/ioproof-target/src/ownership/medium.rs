//! The medium below a file: a drive that was pulled and put back may have lost the time of a change on its way, or was changed elsewhere, without a restart
//! of the machine.
//!
//! The kernel numbers what it attaches and gives no number twice (`diskseq`, Documentation/ABI/stable/sysfs-block, Linux 5.15). A device of device-mapper has a
//! number of its own, which tells nothing of the drives below it.

use rustix::fs::{major, minor};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of the medium on which a filesystem of this device number lies; 0 where it is not told, as for one that stands on several devices (Btrfs) or
/// on none. Looked up once a device: while this run has files of it open, it stays what it is.
pub(super) fn number(device: u64) -> u64 {
    static KNOWN: OnceLock<Mutex<HashMap<u64, u64>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(device).or_insert_with(|| read(device).unwrap_or(0))
}

/// From the device itself, or from the drive that it is a partition of.
fn read(device: u64) -> Option<u64> {
    let folder = format!("/sys/dev/block/{}:{}", major(device), minor(device));
    ["diskseq", "../diskseq"].iter().find_map(|name| std::fs::read_to_string(format!("{folder}/{name}")).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filesystem_without_a_drive_has_no_medium() {
        let proc = rustix::fs::stat("/proc/self").unwrap();
        assert_eq!(number(proc.st_dev), 0);
    }
}
