//! One I/O before the other through a part, from its end to its start, then again from its end.

use super::part::Part;

/// Descending offsets.
#[derive(Debug, Clone)]
pub(crate) struct Descending {
    /// Where the next I/O begins at most.
    next: Option<u64>,
    part: Part,
    /// From one start down to the next. Bytes.
    stride: u64,
    once: bool,
}

impl Descending {
    /// Through `part`, `once` or for ever.
    pub(super) fn new(part: Part, stride: u64, once: bool) -> Self {
        Self { next: None, part, stride: stride.max(1), once }.at_the_end()
    }

    fn at_the_end(mut self) -> Self {
        self.next = Some(self.part.end());
        self
    }

    /// An I/O never crosses the end of the part: the first of a pass ends there.
    #[inline]
    pub(super) fn next(&mut self, bytes: u32) -> Option<u64> {
        let last = self.part.end().checked_sub(bytes.into()).filter(|last| *last >= self.part.start)?;
        let offset = self.next?.min(last);
        let below = offset.checked_sub(self.stride).filter(|below| *below >= self.part.start);
        self.next = if self.once { below } else { below.or(Some(self.part.end())) };
        Some(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(blocks: u64, stride: u64, once: bool, n: usize) -> Vec<u64> {
        let mut offsets = Descending::new(Part { start: 8192, unit: 4096, units: blocks }, stride * 4096, once);
        (0..n).map_while(|_| offsets.next(4096)).map(|o| (o - 8192) / 4096).collect()
    }

    #[test]
    fn from_the_end_to_the_start_and_again() {
        assert_eq!(take(3, 1, false, 5), [2, 1, 0, 2, 1]);
        assert_eq!(take(5, 2, false, 5), [4, 2, 0, 4, 2]);
        assert_eq!(take(3, 1, true, 9), [2, 1, 0]);
    }

    #[test]
    fn what_does_not_fit_is_not_placed() {
        assert_eq!(Descending::new(Part { start: 0, unit: 4096, units: 1 }, 4096, false).next(8192), None);
    }
}
