//! The knowledge about one unit, as it is packed into the 64 bits of its cell: sequence 32, writes under way 17, place in the write 12, three flags.

use super::{Expectation, is_older};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

/// The start of the write is not known: too far away, or there were several writes at once that began at different places.
const NO_STEP: u16 = 0xfff;

/// The cell of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cell {
    /// Of the last write; the oldest, where several were or are under way at once.
    pub(super) sequence: u32,
    /// Writes under way; no more than 2^16 of them can be.
    flying: u32,
    /// Units from the start of the write to this one, or [`NO_STEP`].
    step: u16,
    pub(super) written: bool,
    /// Several writes were or are under way at once.
    together: bool,
    /// One of them failed, or covered only a part.
    loose: bool,
}

impl Cell {
    #[inline]
    pub(super) fn unpack(bits: u64) -> Self {
        let flag = |n: u32| bits >> n & 1 == 1;
        Self {
            sequence: (bits >> 32) as u32,
            flying: bits as u32 >> 15,
            step: (bits >> 3) as u16 & NO_STEP,
            written: flag(0),
            together: flag(1),
            loose: flag(2),
        }
    }

    #[inline]
    fn pack(self) -> u64 {
        let flags = u64::from(self.written) | u64::from(self.together) << 1 | u64::from(self.loose) << 2;
        u64::from(self.sequence) << 32 | u64::from(self.flying) << 15 | u64::from(self.step) << 3 | flags
    }

    pub(super) fn begin(self, sequence: u32, whole: bool, step: u64) -> Self {
        let step = step.min(NO_STEP.into()) as u16;
        if self.flying == 0 {
            return Self { sequence, flying: 1, step, written: true, together: false, loose: !whole };
        }
        let oldest = if is_older(sequence, self.sequence) { sequence } else { self.sequence };
        let step = if self.step == step { step } else { NO_STEP };
        Self { sequence: oldest, flying: self.flying + 1, step, together: true, loose: self.loose || !whole, ..self }
    }

    pub(super) fn end(self, well: bool) -> Self {
        Self { flying: self.flying.saturating_sub(1), loose: self.loose || !well, ..self }
    }

    #[inline]
    pub(super) fn expected(self) -> Expectation {
        match self {
            Self { written: false, .. } => Expectation::Unwritten,
            Self { flying: 0, loose: false, together: false, sequence, .. } => Expectation::Exactly(sequence),
            Self { flying: 0, loose: false, together: true, sequence, .. } => Expectation::AtLeast(sequence),
            _ => Expectation::Unknown,
        }
    }

    /// Units from the start of the last write, where all that were under way came back well and began at one place.
    #[inline]
    pub(super) fn step_of_settled(self) -> Option<u64> {
        let settled = self.written && self.flying == 0 && !self.loose;
        (settled && self.step != NO_STEP).then_some(self.step.into())
    }
}

#[inline]
pub(super) fn update(cell: &AtomicU64, change: impl Fn(Cell) -> Cell) {
    let mut seen = cell.load(Relaxed);
    while let Err(now) = cell.compare_exchange_weak(seen, change(Cell::unpack(seen)).pack(), AcqRel, Relaxed) {
        seen = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_packing() {
        for step in [0, 1, NO_STEP] {
            for flying in [0, 1, 1 << 16] {
                let cell = Cell { sequence: u32::MAX - 1, flying, step, written: true, together: flying > 1, loose: step == 1 };
                assert_eq!(Cell::unpack(cell.pack()), cell);
            }
        }
        assert_eq!(Cell::unpack(0), Cell::default());
    }

    #[test]
    fn the_place_in_the_write_is_known_of_what_is_settled() {
        let under_way = Cell::default().begin(1, true, 5);
        assert_eq!(under_way.step_of_settled(), None);
        assert_eq!(under_way.end(true).step_of_settled(), Some(5));
        assert_eq!(under_way.end(false).step_of_settled(), None);
        assert_eq!(under_way.begin(2, true, 5).end(true).end(true).step_of_settled(), Some(5), "two at once, from one place");
        assert_eq!(under_way.begin(2, true, 4).end(true).end(true).step_of_settled(), None, "from different places");
        assert_eq!(Cell::default().begin(1, true, 1 << 40).end(true).step_of_settled(), None, "too far away");
    }
}
