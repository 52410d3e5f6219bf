//! The parts of a device that hold data, as far as somebody knows: the file behind a loop device has holes, which its filesystem tells (`SEEK_DATA`,
//! lseek(2)). They read as zeros, whoever asks.

use super::loops;
use crate::system::System;
use crate::system::kernel;
use crate::system::pin::Pin;
use rustix::fs::{FileType, OFlags, SeekFrom};
use rustix::io::Errno;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// A file in more pieces than this is searched as if nothing were known of it.
const MOST_PIECES: usize = 65_536;

/// The parts of a loop device with data, in bytes and ascending; `None` where they are not known. `device` is open; what the page cache holds of it is
/// brought to the file first.
pub(crate) fn data(system: &System, device: impl AsFd, name: &str, size_bytes: u64) -> Option<Vec<Range<u64>>> {
    if !super::is_loop(name) || system.at("") != Path::new("/") {
        return None;
    }
    let status = kernel::loop_status(&device).ok()?;
    let file = backing(system, name, (status.device, status.inode))?;
    rustix::fs::fsync(&device).ok()?;
    let end = status.offset_bytes.checked_add(size_bytes)?;
    let pieces = pieces(&file, status.offset_bytes, end)?;
    Some(pieces.into_iter().map(|piece| piece.start - status.offset_bytes..piece.end - status.offset_bytes).collect())
}

/// The file behind it, if its name still leads there.
fn backing(system: &System, name: &str, id: loops::Id) -> Option<OwnedFd> {
    let backing = loops::backing(system, name)?.ok()?;
    let pin = Pin::new(&backing.path).ok()?;
    let is_it = pin.id() == id && FileType::from_raw_mode(pin.stat.st_mode) == FileType::RegularFile;
    if is_it { pin.open(OFlags::RDONLY).ok() } else { None }
}

/// Bytes of a file that are data and no hole; `None` where that cannot be told.
pub(crate) fn data_bytes(file: impl AsFd) -> Option<u64> {
    let size = u64::try_from(rustix::fs::fstat(&file).ok()?.st_size).ok()?;
    Some(pieces(file, 0, size)?.iter().map(|piece| piece.end - piece.start).sum())
}

/// The pieces of a file with data between two places; `None` where there are too many, or the filesystem does not tell.
fn pieces(file: impl AsFd, start: u64, end: u64) -> Option<Vec<Range<u64>>> {
    let (mut pieces, mut at) = (Vec::new(), start);
    while at < end {
        let from = match rustix::fs::seek(&file, SeekFrom::Data(at)) {
            Ok(from) if from < end => from,
            // ENXIO: nothing but holes follows.
            Ok(_) | Err(Errno::NXIO) => break,
            Err(_) => return None,
        };
        at = rustix::fs::seek(&file, SeekFrom::Hole(from)).ok()?.min(end);
        pieces.push(from..at);
        if at <= from || pieces.len() > MOST_PIECES {
            return None;
        }
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn the_pieces_of_a_sparse_file() {
        let folder = crate::block::tree::folder_on_a_drive();
        let file = tempfile::tempfile_in(folder.path()).unwrap();
        file.set_len(1 << 40).unwrap();
        assert_eq!(pieces(&file, 0, 1 << 40), Some(vec![]));
        file.write_all_at(&[1; 4096], 1 << 39).unwrap();
        file.write_all_at(&[1; 4096], 1 << 30).unwrap();
        let found = pieces(&file, 0, 1 << 40).unwrap();
        assert_eq!(found.iter().map(|piece| piece.start).collect::<Vec<_>>(), [1 << 30, 1 << 39]);
        assert!(found.iter().all(|piece| piece.end - piece.start >= 4096 && piece.end - piece.start <= 65_536));
        let part = pieces(&file, 1 << 39, (1 << 39) + 100).unwrap();
        assert_eq!(part, [Range { start: 1 << 39, end: (1 << 39) + 100 }]);
    }
}
