//! Which part of each of its files a clone works on, and how many bytes it moves, once the sizes of the files are known.
//!
//! `size` is of all files of a clone together and divided among them; with an offset it is what follows the offset, so a regular file is made as large as
//! both. Without `size` the files are used as far as they go. Every rule here was seen by running fio.

use super::settings::{Files, Region, Settings};
use super::values::Amount;
use crate::job::Span;

/// What is known of a file before the job starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Existing {
    /// Its size; 0 where it is not there. Bytes.
    pub bytes: u64,
    /// Whether its size is fixed: a device.
    pub is_device: bool,
    /// Whether it has no end: `/dev/zero`, or no file at all.
    pub is_endless: bool,
}

/// What a clone does with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The part of each file.
    pub spans: Vec<Span>,
    /// How large each file must be. Bytes.
    pub needs_bytes: Vec<u64>,
    /// Bytes that the clone moves in all, passes of `loops` included.
    pub total_bytes: u64,
}

/// The places of clone `clone` (from 0) on its files.
///
/// # Errors
/// When no size can be told, or nothing is left of a file behind the offset.
pub fn places(settings: &Settings, clone: u32, existing: &[Existing]) -> Result<Places, String> {
    let Settings { region, files, blocks, .. } = settings;
    let least = blocks.least_bytes().max(1);
    let mut places = Places { spans: Vec::new(), needs_bytes: Vec::new(), total_bytes: 0 };
    for file in existing {
        let offset_bytes = region.offset_bytes(clone, file.bytes, least);
        let length_bytes = length(region, files, *file, existing.len() as u64, offset_bytes)? / least * least;
        if length_bytes == 0 {
            return Err(format!("not one block of {least} bytes is left behind the offset {offset_bytes}"));
        }
        places.spans.push(Span { offset_bytes, length_bytes });
        places.needs_bytes.push(needed(region, files, *file, existing.len() as u64, offset_bytes, length_bytes));
    }
    let covered = places.spans.iter().map(|span| span.length_bytes).fold(0, u64::saturating_add);
    places.total_bytes = total(region, covered).saturating_mul(u64::from(settings.time.loops.max(1)));
    Ok(places)
}

/// What a file is used of behind the offset, before it is cut to whole blocks.
fn length(region: &Region, files: &Files, file: Existing, count: u64, offset_bytes: u64) -> Result<u64, String> {
    let there = file.bytes.saturating_sub(offset_bytes);
    let wanted = match (region.size, files.size_bytes) {
        (Some(Amount::Bytes(bytes)), _) => Some(bytes / count),
        (Some(Amount::Percent(percent)), _) => Some(share(file.bytes, percent)),
        (Some(Amount::Blocks(_)), _) => return Err("sizes in zones are for zoned devices".into()),
        (None, Some((least, most))) => Some(least.midpoint(most)),
        (None, None) => None,
    };
    match wanted {
        Some(bytes) if file.is_device && bytes > there => {
            Err(format!("it needs {bytes} bytes behind the offset {offset_bytes}, and there are {there}"))
        }
        Some(bytes) => Ok(bytes),
        None if file.is_endless => Err("what has no end needs size=".into()),
        None if file.bytes == 0 => Err("a file that is not there needs size= or filesize=".into()),
        None => Ok(there),
    }
}

/// How large the file must be: as far as it is used, or as large as `filesize` says.
fn needed(region: &Region, files: &Files, file: Existing, count: u64, offset_bytes: u64, length_bytes: u64) -> u64 {
    let used = offset_bytes.saturating_add(length_bytes);
    if file.is_device || file.is_endless {
        return used;
    }
    let made = match (region.size, files.size_bytes) {
        (_, Some((least, most))) => least.midpoint(most),
        (Some(Amount::Bytes(bytes)), None) => offset_bytes.saturating_add(bytes / count),
        _ => 0,
    };
    used.max(made)
}

/// `io_size` where it is given, else all that is covered.
fn total(region: &Region, covered: u64) -> u64 {
    match region.io_size {
        Some(Amount::Bytes(0) | Amount::Blocks(_)) | None => covered,
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(percent)) => share(covered, percent),
    }
}

fn share(bytes: u64, percent: u8) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const NEW: Existing = Existing { bytes: 0, is_device: false, is_endless: false };
    const FILE: Existing = Existing { bytes: MIB, ..NEW };
    const DEVICE: Existing = Existing { bytes: MIB, is_device: true, is_endless: false };

    /// Offset and length in each file, size that each must have, bytes in all.
    type Found = (Vec<(u64, u64)>, Vec<u64>, u64);

    fn of(change: impl FnOnce(&mut Settings), existing: &[Existing]) -> Result<Found, String> {
        let mut settings = Settings::default();
        change(&mut settings);
        let places = places(&settings, 0, existing)?;
        let spans = places.spans.iter().map(|s| (s.offset_bytes, s.length_bytes)).collect();
        Ok((spans, places.needs_bytes, places.total_bytes))
    }

    fn bytes(n: u64) -> Option<Amount> {
        Some(Amount::Bytes(n))
    }

    // Each with what fio 3.33 did: the offsets in its logs, the sizes of its files, its count of bytes.
    #[test]
    fn as_fio_does() {
        assert_eq!(of(|s| s.region.size = bytes(MIB), &[NEW]), Ok((vec![(0, MIB)], vec![MIB], MIB)));
        let behind = |s: &mut Settings| (s.region.size, s.region.offset) = (bytes(MIB), Amount::Bytes(MIB / 2));
        assert_eq!(of(behind, &[NEW]), Ok((vec![(MIB / 2, MIB)], vec![MIB * 3 / 2], MIB)));
        assert_eq!(of(|s| s.region.offset = Amount::Bytes(MIB / 4), &[FILE]).unwrap().2, MIB * 3 / 4);
        assert_eq!(of(|s| s.region.size = Some(Amount::Percent(50)), &[FILE]).unwrap().0, [(0, MIB / 2)]);
        assert_eq!(of(|s| s.region.io_size = bytes(2 * MIB), &[FILE]).unwrap().2, 2 * MIB);
        assert_eq!(of(|s| s.region.size = bytes(MIB), &[NEW; 3]), Ok((vec![(0, 348_160); 3], vec![349_525; 3], 1_044_480)));
        assert_eq!(of(|s| s.files.size_bytes = Some((MIB / 4, MIB / 4)), &[NEW; 3]).unwrap().2, MIB * 3 / 4);
        let both = |s: &mut Settings| (s.files.size_bytes, s.region.size) = (Some((MIB / 4, MIB / 4)), bytes(MIB / 2));
        assert_eq!(of(both, &[NEW; 4]), Ok((vec![(0, MIB / 8); 4], vec![MIB / 4; 4], MIB / 2)));
        let twice = |s: &mut Settings| (s.region.size, s.time.loops) = (bytes(MIB), 2);
        assert_eq!(of(twice, &[NEW]).unwrap().2, 2 * MIB);
        let large = |s: &mut Settings| {
            (s.region.size, s.blocks.size.read, s.blocks.size.write, s.blocks.size.trim) = (bytes(1_024_000), 65536, 65536, 65536)
        };
        assert_eq!(of(large, &[NEW]), Ok((vec![(0, 983_040)], vec![1_024_000], 983_040)));
    }

    #[test]
    fn what_cannot_be_told_or_does_not_fit_is_said() {
        let words = |change: fn(&mut Settings), file: Existing| of(change, &[file]).unwrap_err();
        assert!(words(|_| (), NEW).contains("needs size="));
        assert!(words(|_| (), Existing { is_endless: true, ..NEW }).contains("has no end"));
        assert!(words(|s| s.region.size = bytes(2 * MIB), DEVICE).contains("there are 1048576"));
        assert!(words(|s| s.region.offset = Amount::Bytes(MIB), FILE).contains("not one block"));
        assert!(words(|s| s.region.size = bytes(100), NEW).contains("not one block"));
    }
}
