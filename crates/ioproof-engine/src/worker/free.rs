//! The slots in which nothing is under way, as a stack: the last that was freed is the first to be used again.

use std::ops::Deref;

/// A stack that has room for all slots from the start.
#[derive(Debug)]
pub(super) struct FreeSlots {
    slots: Box<[u32]>,
    count: usize,
}

impl FreeSlots {
    /// All of so many slots.
    pub(super) fn all(depth: u32) -> Self {
        Self { slots: (0..depth).rev().collect(), count: depth as usize }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<u32> {
        self.count = self.count.checked_sub(1)?;
        Some(self.slots[self.count])
    }

    #[inline(always)]
    pub(super) fn push(&mut self, slot: u32) {
        self.slots[self.count] = slot;
        self.count += 1;
    }

    /// Takes those above the first `left`.
    #[inline]
    pub(super) fn truncate(&mut self, left: usize) {
        self.count = self.count.min(left);
    }

    /// Frees slots in a loop: what it counts stays in registers.
    #[inline(always)]
    pub(super) fn push_all(&mut self, all: impl FnOnce(&mut Freeing)) {
        let mut freeing = Freeing { slots: &mut self.slots, count: self.count };
        all(&mut freeing);
        self.count = freeing.count;
    }
}

/// A stack to which slots are being added.
pub(super) struct Freeing<'a> {
    slots: &'a mut [u32],
    count: usize,
}

impl Freeing<'_> {
    #[inline(always)]
    pub(super) fn push(&mut self, slot: u32) {
        self.slots[self.count] = slot;
        self.count += 1;
    }
}

impl Deref for FreeSlots {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        &self.slots[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_was_freed_is_the_first_to_go() {
        let mut free = FreeSlots::all(3);
        assert_eq!((free.pop(), free.pop(), free.pop(), free.pop()), (Some(0), Some(1), Some(2), None));
        free.push(1);
        free.push_all(|freeing| [2, 0].into_iter().for_each(|slot| freeing.push(slot)));
        assert_eq!(*free, [1, 2, 0]);
        free.truncate(1);
        assert_eq!((free.len(), free.pop()), (1, Some(1)));
    }
}
