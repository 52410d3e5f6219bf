//! Sequential I/O with gaps (`rw=read:8k`). As in fio a pass over a part of a file is over when the gap leads past its end, so that less than `size` is done; one
//! over a whole file only when an I/O ends exactly where the file does, else it goes on from the start until there was enough I/O.

use super::parts::{Existing, FilePlaces};
use crate::settings::JobSettings;
use crate::values::{Amount, Mode, Suffix};
use ioproof_core::job::Span;

/// The gap after each I/O, in bytes, and after how many passes the job is over; 0 where they do not count: with `io_size`, or for a time. `None`: no gap.
pub fn passes(settings: &JobSettings) -> Option<(i64, u32)> {
    let Suffix::Skip(skip_bytes @ (i64::MIN..=-1 | 1..)) = settings.access.rw.suffix else { return None };
    let (time, region) = (&settings.time, &settings.region);
    let goes_on = time.time_based && time.runtime_ns > 0 || matches!(region.io_size, Some(Amount::Bytes(1..)));
    Some((skip_bytes, if goes_on { 0 } else { loops(settings) }))
}

/// Number of passes over what is covered. One where I/O is appended: `total` has its loops go on behind what was appended, as fio does.
pub fn loops(settings: &JobSettings) -> u32 {
    if settings.files.append { 1 } else { settings.time.loops.max(1) }
}

/// True where passes go on from the start where the gap leads past the end: they go over whole files.
pub fn wrap(places: &FilePlaces, existing: &[Existing]) -> bool {
    let ends = places.spans.iter().zip(&places.needs_bytes).zip(existing);
    ends.into_iter().all(|((span, needed), file)| span.offset_bytes == 0 && span.length_bytes >= file.bytes.max(*needed))
}

/// Bytes that are moved until all passes are over; `None` where they do not end by themselves, or where it cannot be told.
pub fn all_bytes(settings: &JobSettings, places: &FilePlaces, existing: &[Existing]) -> Option<u64> {
    let (skip_bytes, passes) = passes(settings).filter(|(skip_bytes, passes)| *skip_bytes > 0 && *passes > 0)?;
    let (block_bytes, wraps) = (only_size(settings)?, wrap(places, existing));
    let step = block_bytes.checked_add(skip_bytes.unsigned_abs())?;
    let of = |span: &Span| {
        let ios = span.length_bytes.checked_sub(block_bytes)? / step + 1;
        let next = ios.saturating_mul(step);
        let ends = !wraps || next < span.length_bytes || next - skip_bytes.unsigned_abs() == span.length_bytes;
        ends.then(|| ios.saturating_mul(block_bytes))
    };
    let of_a_pass = places.spans.iter().try_fold(0u64, |sum, span| Some(sum.saturating_add(of(span)?)))?;
    Some(of_a_pass.saturating_mul(passes.into()))
}

/// The size of all I/Os; `None` where they differ, or go in two directions.
fn only_size(settings: &JobSettings) -> Option<u64> {
    let blocks = &settings.blocks;
    let (size, range, splits) = match settings.access.rw.mode {
        Mode::Read => (blocks.size.read, blocks.range.read, &blocks.splits.read),
        Mode::Write => (blocks.size.write, blocks.range.write, &blocks.splits.write),
        Mode::Trim => (blocks.size.trim, blocks.range.trim, &blocks.splits.trim),
        Mode::ReadWrite | Mode::TrimWrite => return None,
    };
    (range.is_none() && splits.is_empty()).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Rw;

    /// Lengths in KiB, from the start of files that are as large.
    fn all_bytes_of(skip_bytes: i64, lengths: &[u64], change: impl FnOnce(&mut JobSettings)) -> Option<u64> {
        in_files(Existing::default(), skip_bytes, lengths, change)
    }

    fn in_files(file: Existing, skip_bytes: i64, lengths: &[u64], change: impl FnOnce(&mut JobSettings)) -> Option<u64> {
        let mut settings = JobSettings::default();
        settings.access.rw = Rw { mode: Mode::Read, random: false, suffix: Suffix::Skip(skip_bytes) };
        change(&mut settings);
        let spans = lengths.iter().map(|length| Span { offset_bytes: 0, length_bytes: length << 10 }).collect();
        let needs_bytes = lengths.iter().map(|length| length << 10).collect();
        all_bytes(&settings, &FilePlaces { spans, needs_bytes, total_bytes: 0 }, &vec![file; lengths.len()])
    }

    // fio 3.33: 342 I/Os of 4 MiB with rw=read:8k, 684 with loops=2, 1023 of 4092 KiB, 8 of two files of 40 KiB.
    #[test]
    fn as_fio_does() {
        assert_eq!(all_bytes_of(8192, &[4096], |_| ()), Some(342 * 4096));
        assert_eq!(all_bytes_of(8192, &[4096], |s| s.time.loops = 2), Some(684 * 4096));
        assert_eq!(all_bytes_of(8192, &[40, 40], |_| ()), Some(8 * 4096));
        assert_eq!((all_bytes_of(8192, &[4092], |_| ()), all_bytes_of(8192, &[4096, 4092], |_| ())), (None, None));
        assert_eq!([38, 61, 65].map(|length| all_bytes_of(8192, &[length], |_| ())), [Some(3 * 4096), Some(5 * 4096), None]);
        let larger = Existing { bytes: 1 << 20, ..Existing::default() };
        assert_eq!([52, 60, 64].map(|length| in_files(larger, 8192, &[length], |_| ())), [5, 5, 6].map(|ios| Some(ios * 4096)));
        assert_eq!(all_bytes_of(8192, &[40], |s| s.region.io_size = Some(Amount::Percent(50))), Some(4 * 4096));
    }

    #[test]
    fn some_passes_have_no_end_or_one_that_is_not_known() {
        assert_eq!((all_bytes_of(0, &[40], |_| ()), all_bytes_of(-8192, &[40], |_| ())), (None, None));
        assert_eq!(all_bytes_of(8192, &[40], |s| s.region.io_size = Some(Amount::Bytes(81920))), None);
        assert_eq!(all_bytes_of(8192, &[40], |s| (s.time.time_based, s.time.runtime_ns) = (true, 5)), None);
        assert_eq!(all_bytes_of(8192, &[40], |s| s.access.rw.mode = Mode::ReadWrite), None);
        assert_eq!(all_bytes_of(8192, &[40], |s| s.blocks.range.read = Some((4096, 8192))), None);
    }
}
