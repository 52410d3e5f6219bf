//! The operations of the tiny writer: all of them follow from a seed, so that whoever checks needs to be told no more than how far it came.
//!
//! Operations come in groups. A group ends with a flush, or consists of writes that are durable by themselves; then it is acknowledged as a whole. Groups of several
//! writes are what a drive that reorders is found by, small and large ones what tears, overwriting what is stale, trims what comes back.

use crate::random::Random;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A slot is written, or a block of it.
pub const SLOT_BYTES: usize = 16 << 10;
pub const BLOCK_BYTES: usize = 4096;

/// Slots in all: so few that many are overwritten, and so many that enough of the first writes is still there at the end.
pub const SLOTS: usize = 256;
pub const AREA_BYTES: usize = SLOTS * SLOT_BYTES;

/// Most operations of a group.
const GROUP_MAX: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Write,
    Trim,
}

/// One operation on bytes of the area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// From 1, in the order in which they are done.
    pub number: u64,
    pub deed: Deed,
    pub place: Range<usize>,
}

/// Way by which a group is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Durable {
    /// By fdatasync behind it.
    Flush,
    /// By O_DSYNC with each write, which is FUA where the way to the drive has it.
    Fua,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub durable: Durable,
    pub operations: Vec<Operation>,
}

/// Groups without end.
pub struct Plan {
    random: Random,
    operations: u64,
}

impl Plan {
    pub fn new(seed: u64) -> Self {
        Self { random: Random::of(seed, "plan", 0), operations: 0 }
    }

    fn operation(&mut self, slot: usize, may_trim: bool) -> Operation {
        self.operations += 1;
        let slot = slot * SLOT_BYTES..(slot + 1) * SLOT_BYTES;
        let block = slot.start + self.random.index(SLOT_BYTES / BLOCK_BYTES) * BLOCK_BYTES;
        let (deed, place) = match self.random.below(8) {
            0 if may_trim => (Deed::Trim, slot),
            1..4 => (Deed::Write, block..block + BLOCK_BYTES),
            _ => (Deed::Write, slot),
        };
        Operation { number: self.operations, deed, place }
    }
}

impl Iterator for Plan {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        let durable = if self.random.coin() { Durable::Flush } else { Durable::Fua };
        let count = 1 + self.random.below(GROUP_MAX);
        let mut slots: Vec<usize> = Vec::new();
        while (slots.len() as u64) < count {
            let slot = self.random.index(SLOTS);
            // Within a group the order is the drive's.
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
        // No trim can ask to be durable by itself.
        let operations = slots.into_iter().map(|slot| self.operation(slot, durable == Durable::Flush)).collect();
        Some(Group { durable, operations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_everything_within_its_area_and_follows_from_its_seed() {
        let groups: Vec<Group> = Plan::new(1).take(500).collect();
        assert_eq!(groups, Plan::new(1).take(500).collect::<Vec<_>>());
        assert_ne!(groups, Plan::new(2).take(500).collect::<Vec<_>>());
        let all: Vec<&Operation> = groups.iter().flat_map(|group| &group.operations).collect();
        assert!(all.iter().enumerate().all(|(at, operation)| operation.number == at as u64 + 1 && operation.place.end <= AREA_BYTES));
        let has = |length: usize, deed: Deed| all.iter().any(|o| o.place.len() == length && o.deed == deed);
        assert!(has(BLOCK_BYTES, Deed::Write) && has(SLOT_BYTES, Deed::Write) && has(SLOT_BYTES, Deed::Trim));
        let fua = groups.iter().filter(|group| group.durable == Durable::Fua);
        assert!(fua.flat_map(|group| &group.operations).all(|operation| operation.deed == Deed::Write));
    }
}
