//! Which blocks of a part were visited: a bit for each, and above them words that say which words below are full, so that the next free block is found in a few
//! steps however full the map is.

use std::collections::TryReserveError;

/// Bits of a word.
const BITS: u64 = u64::BITS as u64;

/// A set of blocks that only grows until it is cleared.
#[derive(Debug, Clone)]
pub(super) struct Map {
    /// A bit for each block; above, one for each word below that is full. The last level has one word.
    levels: Box<[Vec<u64>]>,
    blocks: u64,
    free: u64,
}

impl Map {
    /// Of so many blocks, all free.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub(super) fn new(blocks: u64) -> Result<Self, TryReserveError> {
        let mut levels = Vec::new();
        for words in words_of_levels(blocks) {
            let mut level = Vec::new();
            level.try_reserve_exact(words as usize)?;
            level.resize(words as usize, 0);
            levels.push(level);
        }
        let mut map = Self { levels: levels.into(), blocks, free: 0 };
        map.clear();
        Ok(map)
    }

    /// Memory that a map of so many blocks takes. Bytes.
    pub(super) fn bytes(blocks: u64) -> u64 {
        words_of_levels(blocks).map(|words| words * BITS / 8).sum()
    }

    /// Number of free blocks.
    #[inline]
    pub(super) fn free(&self) -> u64 {
        self.free
    }

    /// Frees all blocks.
    pub(super) fn clear(&mut self) {
        let mut members = self.blocks;
        for level in &mut self.levels {
            level.fill(0);
            // What lies beyond the last member is never free.
            if let (Some(last), 1..) = (level.last_mut(), members % BITS) {
                *last = u64::MAX << (members % BITS);
            }
            members = level.len() as u64;
        }
        self.free = self.blocks;
    }

    /// The first free block from `from` on, and around the end from the start; `None` where none is free.
    #[inline]
    pub(super) fn next_free(&self, from: u64) -> Option<u64> {
        if self.free == 0 {
            return None;
        }
        self.find(from).or_else(|| self.find(0))
    }

    /// The first free block from `from` on.
    fn find(&self, from: u64) -> Option<u64> {
        let mut member = from;
        for (height, level) in self.levels.iter().enumerate() {
            let free = level.get((member / BITS) as usize).map(|word| !word & (u64::MAX << (member % BITS)))?;
            if free != 0 {
                let found = member / BITS * BITS + u64::from(free.trailing_zeros());
                return self.descend(height, found);
            }
            member = member / BITS + 1;
        }
        None
    }

    /// The first free block below a word that is not full, which is bit `member` of level `height`.
    fn descend(&self, height: usize, member: u64) -> Option<u64> {
        self.levels[..height]
            .iter()
            .rev()
            .try_fold(member, |word, level| Some(word * BITS + u64::from((!level.get(word as usize)?).trailing_zeros())))
    }

    /// Takes up to `most` blocks from `first` on, as far as they are free; gives how many.
    #[inline]
    pub(super) fn take(&mut self, first: u64, most: u64) -> u64 {
        let end = first.saturating_add(most).min(self.blocks);
        let mut block = first;
        while block < end {
            let (bit, wanted) = (block % BITS, (end - block).min(BITS - block % BITS));
            let taken = self.take_of_word(block / BITS, bit, wanted);
            block += taken;
            if taken < wanted {
                break;
            }
        }
        self.free -= block - first;
        block - first
    }

    /// The same within one word, from `bit` on.
    #[inline]
    fn take_of_word(&mut self, word: u64, bit: u64, most: u64) -> u64 {
        let Some(bits) = self.levels[0].get_mut(word as usize) else { return 0 };
        let taken = u64::from((*bits >> bit).trailing_zeros()).min(most);
        if taken > 0 {
            *bits |= (u64::MAX >> (BITS - taken)) << bit;
            if *bits == u64::MAX {
                self.fill_above(word);
            }
        }
        taken
    }

    /// Notes that a word of the lowest level is full.
    fn fill_above(&mut self, word: u64) {
        let mut member = word;
        for level in &mut self.levels[1..] {
            let Some(bits) = level.get_mut((member / BITS) as usize) else { return };
            *bits |= 1 << (member % BITS);
            if *bits != u64::MAX {
                return;
            }
            member /= BITS;
        }
    }
}

/// Words of each level, from the lowest.
fn words_of_levels(blocks: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(blocks.div_ceil(BITS).max(1)), |words| (*words > 1).then(|| words.div_ceil(BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by going through all blocks.
    fn next_free(free: &[bool], from: u64) -> Option<u64> {
        let blocks = free.len();
        (0..blocks).map(|n| (from as usize + n) % blocks).find(|block| free[*block]).map(|block| block as u64)
    }

    proptest! {
        #[test]
        fn it_does_what_a_list_does(blocks in 1u64..20_000, draws in prop::collection::vec((any::<u64>(), 1u64..300), 1..200)) {
            let mut map = Map::new(blocks).unwrap();
            let mut free = vec![true; blocks as usize];
            for (from, most) in draws {
                let from = from % blocks;
                let found = next_free(&free, from);
                prop_assert_eq!(map.next_free(from), found);
                let Some(first) = found else { break };
                let run = free[first as usize..].iter().take(most as usize).take_while(|free| **free).count();
                prop_assert_eq!(map.take(first, most), run as u64);
                free[first as usize..][..run].fill(false);
                prop_assert_eq!(map.free(), free.iter().filter(|free| **free).count() as u64);
            }
        }
    }

    #[test]
    fn it_fills_to_the_last_block_and_begins_again() {
        for blocks in [1, 63, 64, 65, 4095, 4096, 4097, 300_000] {
            let mut map = Map::new(blocks).unwrap();
            for _ in 0..2 {
                assert_eq!(map.take(0, blocks / 2), blocks / 2);
                assert_eq!(map.next_free(0), Some(blocks / 2));
                assert_eq!(map.take(blocks / 2, u64::MAX), blocks.div_ceil(2), "{blocks}");
                assert_eq!((map.free(), map.next_free(0), map.take(0, 1)), (0, None, 0));
                map.clear();
            }
        }
    }

    #[test]
    fn nothing_is_free_where_there_is_nothing() {
        let mut map = Map::new(0).unwrap();
        assert_eq!((map.next_free(0), map.take(0, 1)), (None, 0));
    }

    #[test]
    fn it_takes_a_bit_a_block_and_little_more() {
        // A tebibyte in blocks of 4 KiB.
        assert_eq!(Map::bytes(1 << 28), (1 << 25) + (1 << 19) + (1 << 13) + (1 << 7) + 8);
        let map = Map::new(1 << 20).unwrap();
        assert_eq!(map.levels.iter().map(|level| level.len() as u64 * 8).sum::<u64>(), Map::bytes(1 << 20));
    }
}
