//! A pattern, with or without the offset of the block that it fills: laid out once, repeated, compared.
//!
//! It begins anew with every block. Where a block's own offset belongs into it, these eight bytes, little end first, are put in before the block is
//! filled or compared.

/// Bytes of an offset.
const OFFSET: usize = 8;

/// Repetitions are laid out up to so many bytes, so that short patterns are copied in long pieces.
const LAID_OUT_BYTES: usize = 4096;

/// A pattern that is ready to be written and compared.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// Whole repetitions.
    text: Box<[u8]>,
    /// Places in them that bear the offset of the write.
    places: Box<[usize]>,
    /// Length of one repetition. Bytes.
    period: usize,
}

/// The longest pattern of which every beginning is tried.
const MOST_PHASES: usize = 512;

impl Template {
    /// Of these bytes, with an offset at each of `places`.
    pub(crate) fn new(bytes: &[u8], places: &[usize]) -> Self {
        let times = (LAID_OUT_BYTES / bytes.len().max(1)).max(1);
        let each = (0..times).flat_map(|time| places.iter().map(move |place| place + time * bytes.len()));
        Self { text: bytes.repeat(times).into(), places: each.collect(), period: bytes.len() }
    }

    /// True where each unit of this length holds the same bytes, whichever block it is a part of.
    pub(crate) fn is_alike_in_units_of(&self, unit_bytes: u64) -> bool {
        self.places.is_empty() && unit_bytes.is_multiple_of((self.period as u64).max(1))
    }

    /// True where it could be a part of some block; `None` where that depends on where the block began, or there are too many ways.
    pub(crate) fn may_hold(&self, read: &[u8]) -> Option<bool> {
        let known = self.places.is_empty() && self.period <= MOST_PHASES;
        known.then(|| (0..self.period.max(1) as u64).any(|behind| self.difference(behind, read).is_none()))
    }

    /// Makes it that of the block at `offset`.
    #[inline]
    pub(crate) fn stamp(&mut self, offset: u64) {
        for place in &self.places {
            if let Some(bytes) = self.text.get_mut(*place..*place + OFFSET) {
                bytes.copy_from_slice(&offset.to_le_bytes());
            }
        }
    }

    /// Fills a block from its start.
    #[inline]
    pub(crate) fn fill(&self, block: &mut [u8]) {
        if self.text.is_empty() {
            return block.fill(0);
        }
        for part in block.chunks_mut(self.text.len()) {
            part.copy_from_slice(&self.text[..part.len()]);
        }
    }

    /// The first byte of `read` that is not that of the pattern; `read` begins so many bytes behind the start of its block.
    #[inline]
    pub(crate) fn difference(&self, behind: u64, read: &[u8]) -> Option<usize> {
        if self.text.is_empty() {
            return None;
        }
        let (mut phase, mut at) = ((behind % self.text.len() as u64) as usize, 0);
        while at < read.len() {
            let length = (self.text.len() - phase).min(read.len() - at);
            let (wanted, found) = (&self.text[phase..phase + length], &read[at..at + length]);
            if wanted != found {
                return wanted.iter().zip(found).position(|(a, b)| a != b).map(|first| at + first);
            }
            (phase, at) = (0, at + length);
        }
        None
    }

    /// So many of its bytes from `behind` the start of a block on.
    pub(crate) fn bytes<const N: usize>(&self, behind: u64) -> [u8; N] {
        let length = self.text.len().max(1) as u64;
        std::array::from_fn(|i| self.text.get(((behind + i as u64) % length) as usize).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &mut Template, offset: u64, bytes: usize) -> Vec<u8> {
        let mut block = vec![0xee; bytes];
        template.stamp(offset);
        template.fill(&mut block);
        block
    }

    // What fio 3.33 left with bs=4k and verify_pattern=0xff%o"ab".
    #[test]
    fn offsets_stand_where_fio_puts_them() {
        let mut template = Template::new(b"\xff\0\0\0\0\0\0\0\0ab", &[1]);
        let block = filled(&mut template, 0x1000, 4096);
        assert_eq!(block[..24], *b"\xff\0\x10\0\0\0\0\0\0ab\xff\0\x10\0\0\0\0\0\0ab\xff\0");
        assert_eq!(block[0xff0..0xffb], *b"b\xff\0\x10\0\0\0\0\0\0a", "cut where the block ends");
        assert_eq!(filled(&mut template, 0, 11), b"\xff\0\0\0\0\0\0\0\0ab");
    }

    #[test]
    fn a_pattern_goes_on_through_the_block_and_begins_anew_with_the_next() {
        let mut template = Template::new(&[1, 2, 3], &[]);
        let block = filled(&mut template, 4096, 16384);
        assert_eq!((block[4095], block[4096], block[16383]), (1, 2, 1));
        assert!(block.iter().zip([1, 2, 3].iter().cycle()).all(|(a, b)| a == b));
    }

    #[test]
    fn the_first_difference_is_found_from_wherever_is_begun() {
        let mut template = Template::new(b"0123456789%%%%%%%%", &[10]);
        let block = filled(&mut template, 77, 10_000);
        for behind in [0, 1, 17, 4000, 4096, 9999] {
            assert_eq!(template.difference(behind as u64, &block[behind..]), None);
            let mut spoiled = block.clone();
            spoiled[9999] ^= 1;
            assert_eq!(template.difference(behind as u64, &spoiled[behind..]), Some(9999 - behind));
            assert_eq!(template.bytes::<1>(behind as u64), [block[behind]]);
        }
        template.stamp(78);
        assert_eq!(template.difference(0, &block), Some(10), "another block's offset");
    }

    #[test]
    fn nothing_is_nothing() {
        let mut none = Template::new(&[], &[]);
        assert_eq!(filled(&mut none, 0, 3), [0, 0, 0]);
        assert_eq!((none.bytes(5), none.difference(0, &[1])), ([0], None));
    }
}
