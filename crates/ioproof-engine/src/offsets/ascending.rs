//! One I/O after the other through a part, then again from its start.

use super::part::Part;

/// Ascending offsets.
#[derive(Debug, Clone)]
pub(crate) struct Ascending {
    next: u64,
    start: u64,
    end: u64,
    /// Least distance from one start to the next; 0 where I/Os lie end to end. Bytes.
    stride: u64,
    once: bool,
}

impl Ascending {
    /// Through `part`, for ever or `once`, until another pass is begun.
    pub(super) fn new(part: Part, stride: u64, once: bool) -> Self {
        // A longer stride leads past the end just as well, and shorter numbers cannot overflow: a target ends below 2^63.
        let stride = stride.min(part.end() - part.start);
        Self { next: part.start, start: part.start, end: part.end(), stride, once }
    }

    /// The same, but the first pass begins so far from the start. Parts per million of the part.
    pub(super) fn beginning_at(self, part: Part, begin_ppm: u32) -> Self {
        let unit = u128::from(part.units) * u128::from(begin_ppm) / 1_000_000;
        Self { next: self.start + unit as u64 * part.unit, ..self }
    }

    /// An I/O never crosses the end: what is too short for this one is left out of this pass.
    #[inline]
    pub(super) fn next(&mut self, bytes: u32) -> Option<u64> {
        let bytes = u64::from(bytes);
        let offset = if self.next + bytes <= self.end { self.next } else { self.restart(bytes)? };
        self.next = offset + bytes.max(self.stride);
        Some(offset)
    }

    /// A size that fits before the end of the pass, which else would not reach it; what does not fit is drawn again a few times.
    #[inline]
    pub(super) fn fitting(&self, bytes: u32, again: impl FnMut() -> u32) -> u32 {
        let left = self.end.saturating_sub(self.next);
        if left == 0 || u64::from(bytes) <= left { bytes } else { drawn_again(left, again).unwrap_or(bytes) }
    }

    /// Begins another pass after the one that is over.
    pub(super) fn begin_pass(&mut self) {
        self.next = self.start;
    }

    #[cold]
    fn restart(&mut self, bytes: u64) -> Option<u64> {
        if self.once {
            // The pass is over, even if a smaller I/O would still fit.
            self.next = self.end;
            return None;
        }
        (self.end - self.start >= bytes).then_some(self.start)
    }
}

#[cold]
fn drawn_again(left: u64, mut again: impl FnMut() -> u32) -> Option<u32> {
    /// Where one size in a hundred fits, one pass in four hundred still ends early.
    const DRAWS: usize = 600;
    (0..DRAWS).map(|_| again()).find(|bytes| u64::from(*bytes) <= left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_blocks(blocks: u64, stride: u64, once: bool) -> Ascending {
        Ascending::new(Part { start: 8192, unit: 4096, units: blocks }, stride * 4096, once)
    }

    fn take(offsets: &mut Ascending, sizes: &[u32]) -> Vec<Option<u64>> {
        sizes.iter().map(|blocks| offsets.next(blocks * 4096).map(|o| (o - 8192) / 4096)).collect()
    }

    #[test]
    fn it_starts_again() {
        assert_eq!(take(&mut of_blocks(3, 0, false), &[1; 5]), [0, 1, 2, 0, 1].map(Some));
    }

    #[test]
    fn the_first_pass_may_begin_anywhere_and_the_next_ones_are_whole() {
        let part = Part { start: 8192, unit: 4096, units: 5 };
        let mut offsets = Ascending::new(part, 0, false).beginning_at(part, 618_034);
        assert_eq!(take(&mut offsets, &[1; 8]), [3, 4, 0, 1, 2, 3, 4, 0].map(Some));
        let mut wide = Ascending::new(part, 0, false).beginning_at(part, 999_999);
        assert_eq!(take(&mut wide, &[2; 3]), [0, 2, 0].map(Some), "what crosses the end begins at the start");
        let mut passes = Ascending::new(part, 0, true).beginning_at(part, 618_034);
        assert_eq!(take(&mut passes, &[1; 3]), [Some(3), Some(4), None]);
        passes.begin_pass();
        assert_eq!(take(&mut passes, &[1; 2]), [0, 1].map(Some));
        let huge = Part { start: 0, unit: 1 << 20, units: 1 << 42 };
        assert_eq!(Ascending::new(huge, 0, false).beginning_at(huge, 500_000).next(4096), Some(1 << 61));
    }

    #[test]
    fn it_ends_once_covered_and_stays_so() {
        assert_eq!(take(&mut of_blocks(2, 0, true), &[1; 4]), [Some(0), Some(1), None, None]);
        assert_eq!(take(&mut of_blocks(4, 0, true), &[1, 2, 2, 1]), [Some(0), Some(1), None, None]);
    }

    #[test]
    fn another_pass_is_like_the_first() {
        let mut offsets = of_blocks(3, 0, true);
        assert_eq!(take(&mut offsets, &[1, 2, 1]), [Some(0), Some(1), None]);
        offsets.begin_pass();
        assert_eq!(take(&mut offsets, &[2, 2, 1]), [Some(0), None, None]);
    }

    #[test]
    fn what_does_not_fit_before_the_end_is_drawn_again() {
        let mut offsets = of_blocks(6, 0, false);
        let mut sizes = [3, 2, 1].map(|blocks| blocks * 4096).into_iter().cycle();
        assert_eq!(offsets.fitting(8192, || panic!("it fits")), 8192);
        take(&mut offsets, &[4]);
        assert_eq!(offsets.fitting(12288, || sizes.next().unwrap()), 8192);
        take(&mut offsets, &[2]);
        assert_eq!(offsets.fitting(12288, || panic!("the pass is over")), 12288);
        take(&mut offsets, &[5]);
        assert_eq!(offsets.fitting(12288, || 12288), 12288, "no size fits");
    }

    #[test]
    fn sizes_follow_end_to_end_and_do_not_cross_the_end() {
        assert_eq!(take(&mut of_blocks(6, 0, false), &[1, 2, 2, 2, 3, 1]), [0, 1, 3, 0, 2, 5].map(Some));
    }

    #[test]
    fn strides_leave_gaps() {
        assert_eq!(take(&mut of_blocks(8, 3, false), &[1; 5]), [0, 3, 6, 0, 3].map(Some));
        assert_eq!(take(&mut of_blocks(8, 3, true), &[1; 4]), [Some(0), Some(3), Some(6), None]);
        // The third would cross the end.
        assert_eq!(take(&mut of_blocks(8, 3, false), &[3; 3]), [0, 3, 0].map(Some));
    }

    #[test]
    fn a_stride_beyond_the_part_leaves_one_place() {
        let part = Part { start: 8192, unit: 4096, units: 2 };
        assert_eq!(take(&mut Ascending::new(part, u64::MAX, false), &[1; 2]), [0, 0].map(Some));
        assert_eq!(take(&mut Ascending::new(part, u64::MAX, true), &[1; 2]), [Some(0), None]);
    }

    #[test]
    fn what_never_fits_is_not_placed() {
        assert_eq!(take(&mut of_blocks(2, 0, false), &[3, 1]), [None, Some(0)]);
    }
}
