//! A discard of all blocks of each disk, piece by piece, so that it can be followed and given up.

use super::{OpenDisk, PurgeProgress, timed_out};
use crate::error::TargetError;
use ioproof_core::units::binary_size;
use std::time::{Duration, Instant};

const METHOD: &str = "discard";

/// Pieces of a disk, and the least size of one. Bytes.
const PIECES: u64 = 256;
const LEAST_BYTES: u64 = 1 << 30;

pub(super) fn run(disks: &[OpenDisk<'_>], at_most: Duration, tell: &mut PurgeProgress<'_>) -> Result<&'static str, TargetError> {
    let began = Instant::now();
    let all_bytes: u64 = disks.iter().map(|disk| disk.handle.size_bytes()).sum();
    let mut done_bytes = 0;
    tell(METHOD, 0.0);
    for disk in disks {
        for (offset, length) in pieces(disk.handle.size_bytes()) {
            if began.elapsed() >= at_most {
                let what = format!("was discarded up to {} of {}", binary_size(offset), binary_size(disk.handle.size_bytes()));
                return Err(timed_out(&disk.path, what, "begin it again with more time (--time-limit)", at_most));
            }
            disk.handle.trim(offset, length).map_err(|error| TargetError::io(&disk.path, "discard its blocks", error))?;
            done_bytes += length;
            tell(METHOD, done_bytes as f64 / all_bytes.max(1) as f64);
        }
        disk.handle.sync().map_err(|error| TargetError::io(&disk.path, "flush it", error))?;
    }
    Ok(METHOD)
}

/// Offset and length of each piece, whole GiB but for the last.
fn pieces(size_bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let piece = (size_bytes / PIECES).next_multiple_of(LEAST_BYTES).max(LEAST_BYTES);
    (0..size_bytes.div_ceil(piece)).map(move |at| (at * piece, piece.min(size_bytes - at * piece)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_disk_without_gaps() {
        for size_bytes in [512, LEAST_BYTES - 512, LEAST_BYTES, 3 * LEAST_BYTES + 4096, 8_000_000_000_000] {
            let all: Vec<(u64, u64)> = pieces(size_bytes).collect();
            let end = all.iter().fold(0, |end, (offset, length)| if *offset == end { end + length } else { u64::MAX });
            assert!(end == size_bytes && all.len() as u64 <= PIECES, "{size_bytes}: {all:?}");
        }
    }
}
