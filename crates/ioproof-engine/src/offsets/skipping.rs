//! One I/O after the other with a gap after each, or, where the gap goes back over the last I/O, one before the other.

use super::part::Part;

/// Offsets with gaps.
#[derive(Debug, Clone)]
pub(crate) struct Skipping {
    next: u64,
    start: u64,
    end: u64,
    /// From the end of one I/O to the start of the next. Bytes.
    skip: i64,
}

impl Skipping {
    /// Through `part`, and what follows it up to `end`, over and over.
    pub(super) fn new(part: Part, end: u64, skip: i64) -> Self {
        Self { next: part.start, start: part.start, end: end.max(part.end()), skip }
    }

    /// The next I/O begins at the start.
    pub(super) fn restart(&mut self) {
        self.next = self.start;
    }

    /// An I/O never crosses the end: it goes to the start instead. What would begin before the start begins as far before the end as the gap goes back.
    #[inline]
    pub(super) fn next(&mut self, bytes: u32) -> Option<u64> {
        let bytes = u64::from(bytes);
        let offset = if self.next + bytes <= self.end { self.next } else { self.start };
        let after = offset + bytes;
        self.next = match after.checked_add_signed(self.skip) {
            Some(next) if next >= self.start => next.min(self.end),
            _ => self.end.saturating_add_signed(self.skip).max(self.start),
        };
        (after <= self.end).then_some(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 16384;

    /// In KiB from the start of the part.
    fn take(kib: u64, skip_kib: i64, sizes: &[u32]) -> Vec<u64> {
        let part = Part { start: START, unit: 4096, units: kib / 4 };
        let mut offsets = Skipping::new(part, part.end(), skip_kib * 1024);
        sizes.iter().map_while(|kib| offsets.next(kib * 1024)).map(|offset| (offset - START) / 1024).collect()
    }

    // The offsets that fio 3.33 logged for rw=read:8k, :64k, :2k, :-2k, :-4k, :-8k and :-16k with blocks of 4 KiB.
    #[test]
    fn as_fio_does() {
        assert_eq!(take(40, 8, &[4; 6]), [0, 12, 24, 36, 0, 12]);
        assert_eq!(take(16, 64, &[4; 3]), [0, 0, 0]);
        assert_eq!(take(16, 2, &[4; 4]), [0, 6, 12, 0]);
        assert_eq!(take(8, -2, &[4; 4]), [0, 2, 4, 0]);
        assert_eq!(take(40, -4, &[4; 3]), [0, 0, 0]);
        assert_eq!(take(40, -8, &[4; 12]), [0, 32, 28, 24, 20, 16, 12, 8, 4, 0, 32, 28]);
        assert_eq!(take(40, -16, &[4; 5]), [0, 24, 12, 0, 24]);
    }

    // fio 3.33 with rw=write:4k, blocks of 12 KiB and 32 KiB of a file: 0 and 16 KiB.
    #[test]
    fn a_block_that_fits_behind_whole_blocks_is_visited() {
        let part = Part { start: START, unit: 12288, units: 2 };
        let mut offsets = Skipping::new(part, START + 32768, 4096);
        assert_eq!([0; 3].map(|_| offsets.next(12288).unwrap() - START), [0, 16384, 0]);
    }

    #[test]
    fn the_gap_follows_whatever_the_size() {
        assert_eq!(take(64, 8, &[4, 16, 8, 4]), [0, 12, 36, 52]);
        assert_eq!(take(64, 8, &[64, 60, 8]), [0, 0, 0]);
    }

    #[test]
    fn gaps_larger_than_the_part_lead_to_its_start() {
        assert_eq!(take(64, 1 << 52, &[4; 3]), [0, 0, 0]);
        assert_eq!(take(64, -(1 << 52), &[4; 3]), [0, 0, 0]);
    }

    #[test]
    fn what_never_fits_is_not_placed() {
        assert_eq!(take(8, 4, &[12]), [0; 0]);
    }
}
