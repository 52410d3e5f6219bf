//! Takes away files that killed runs left under temporary names: those that bear the mark of this program, unfinished or whole, and whose lock nobody holds.
//! A file of somebody else that was moved aside for a moment bears none, and stays.

use super::mark;
use crate::held_folder::{HeldFolder, TEMPORARY};
use crate::target::Pin;
use rustix::fs::{FileType, FlockOperation, OFlags};
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

/// Removes what is left in a folder. What cannot be removed, or told, stays.
pub(super) fn sweep(folder: &HeldFolder) {
    for name in leftovers(folder) {
        let Ok(pin) = folder.pin(&name) else { continue };
        if is_leftover(&pin) {
            let _ = folder.remove(&name, |now| now.id() == pin.id());
        }
    }
}

fn leftovers(folder: &HeldFolder) -> Vec<OsString> {
    folder.names().unwrap_or_default().into_iter().filter(|name| is_temporary(name.as_bytes())).collect()
}

/// The form that [`temporary_name`](crate::held_folder::temporary_name) gives.
pub(crate) fn is_temporary(name: &[u8]) -> bool {
    let parts = name.strip_prefix(TEMPORARY.as_bytes()).and_then(|rest| std::str::from_utf8(rest).ok()?.split_once('-'));
    parts.is_some_and(|(pid, drawn)| {
        !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()) && drawn.len() == 16 && drawn.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// True for a regular file that bears the mark of this program, unfinished or whole, and whose lock nobody holds.
pub(crate) fn is_leftover(pin: &Pin) -> bool {
    if FileType::from_raw_mode(pin.stat.st_mode) != FileType::RegularFile {
        return false;
    }
    let Ok(file) = pin.open(OFlags::RDONLY).map(File::from) else { return false };
    let size_bytes = u64::try_from(pin.stat.st_size).unwrap_or(u64::MAX);
    let is_ours = mark::read(&file).is_some_and(|mark| mark::is_on_its_way(&mark) || mark::fits(&mark, &file, size_bytes));
    is_ours && rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}
