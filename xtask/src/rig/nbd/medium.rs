//! Content of a drive: a medium that survives a power cut, and a volatile cache of writes that may not.
//!
//! The cache is a list of writes in their order. A cut keeps each of them or not, by a seeded draw, so a later write may survive
//! where an earlier one is gone; that is what drives do between two flushes.

use std::collections::VecDeque;

/// Unit that a cut leaves whole where it tears a write: a sector.
const SECTOR_BYTES: usize = 512;

/// Effect of a cut on the writes that were not flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Each is kept or dropped.
    Whole,
    /// Each sector of each is kept or dropped.
    Torn,
    /// All are dropped.
    All,
}

#[derive(Debug)]
struct Write {
    offset: usize,
    data: Vec<u8>,
}

impl Write {
    fn end(&self) -> usize {
        self.offset + self.data.len()
    }
}

/// Medium and cache of one drive. Offsets and lengths are bytes and must lie inside, which `requests.rs` sees to.
#[derive(Debug)]
pub struct Medium {
    durable: Vec<u8>,
    /// Content that a read sees: the medium with everything in the cache.
    current: Vec<u8>,
    cache: VecDeque<Write>,
    cached_bytes: usize,
}

impl Medium {
    /// A medium of zeros and an empty cache.
    pub fn new(size_bytes: usize) -> Self {
        Self { durable: vec![0; size_bytes], current: vec![0; size_bytes], cache: VecDeque::new(), cached_bytes: 0 }
    }

    pub fn size_bytes(&self) -> usize {
        self.durable.len()
    }

    pub fn read(&self, offset: usize, length: usize) -> &[u8] {
        &self.current[offset..offset + length]
    }

    /// Into the cache. A cache as large as the drive is full some day; then the oldest write goes to the medium.
    pub fn write(&mut self, offset: usize, data: Vec<u8>) {
        self.current[offset..offset + data.len()].copy_from_slice(&data);
        self.cached_bytes += data.len();
        self.cache.push_back(Write { offset, data });
        while self.cached_bytes > self.size_bytes() {
            self.write_back_oldest();
        }
    }

    /// To the medium at once. What the cache has of the same bytes is older and must not replace it later.
    pub fn write_through(&mut self, offset: usize, data: &[u8]) {
        let end = offset + data.len();
        self.current[offset..end].copy_from_slice(data);
        self.durable[offset..end].copy_from_slice(data);
        for write in &mut self.cache {
            let (from, to) = (write.offset.max(offset), write.end().min(end));
            if from < to {
                write.data[from - write.offset..to - write.offset].copy_from_slice(&data[from - offset..to - offset]);
            }
        }
    }

    /// The whole cache to the medium.
    pub fn flush(&mut self) {
        while !self.cache.is_empty() {
            self.write_back_oldest();
        }
    }

    /// The power is gone and back: the content is what survived. Gives the number of writes that were in the cache.
    pub fn cut(&mut self, seed: u64, cut: Cut) -> usize {
        let mut draws = Draws(seed);
        let count = self.cache.len();
        for write in std::mem::take(&mut self.cache) {
            let piece_bytes = if cut == Cut::Torn { SECTOR_BYTES } else { write.data.len().max(1) };
            for (i, piece) in write.data.chunks(piece_bytes).enumerate() {
                let offset = write.offset + i * piece_bytes;
                if cut != Cut::All && draws.coin() {
                    self.durable[offset..offset + piece.len()].copy_from_slice(piece);
                }
            }
        }
        self.cached_bytes = 0;
        self.current.copy_from_slice(&self.durable);
        count
    }

    fn write_back_oldest(&mut self) {
        if let Some(write) = self.cache.pop_front() {
            self.durable[write.offset..write.end()].copy_from_slice(&write.data);
            self.cached_bytes -= write.data.len();
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct Draws(u64);

impl Draws {
    fn coin(&mut self) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen writes of two sectors each, side by side, with their number from 1 in every byte.
    fn written() -> Medium {
        let mut medium = Medium::new(64 * 1024);
        for i in 0..16_u8 {
            medium.write(usize::from(i) * 1024, vec![i + 1; 1024]);
        }
        medium
    }

    fn survivors(medium: &Medium) -> Vec<bool> {
        (0..32).map(|i| medium.read(i * 512, 512) != [0; 512]).collect()
    }

    #[test]
    fn what_was_flushed_survives_every_cut() {
        for cut in [Cut::Whole, Cut::Torn, Cut::All] {
            let mut medium = written();
            medium.flush();
            assert_eq!(medium.cut(1, cut), 0);
            assert_eq!(survivors(&medium), [true; 32], "{cut:?}");
        }
    }

    #[test]
    fn a_cut_keeps_some_and_drops_some_and_the_same_seed_the_same() {
        let after = |seed, cut| {
            let mut medium = written();
            assert_eq!(medium.cut(seed, cut), 16);
            survivors(&medium)
        };
        let whole = after(1, Cut::Whole);
        assert!(whole.contains(&true) && whole.contains(&false), "{whole:?}");
        assert!(whole.chunks(2).all(|write| write[0] == write[1]), "no write is torn: {whole:?}");
        assert_eq!(whole, after(1, Cut::Whole));
        assert_ne!(whole, after(2, Cut::Whole));
        assert!(after(1, Cut::Torn).chunks(2).any(|write| write[0] != write[1]), "some write is torn");
        assert_eq!(after(1, Cut::All), [false; 32]);
    }

    #[test]
    fn a_later_write_may_survive_where_an_earlier_is_gone() {
        let gone_before_kept = (0..20).any(|seed| {
            let mut medium = written();
            medium.cut(seed, Cut::Whole);
            let kept = survivors(&medium);
            kept.iter().position(|k| !k) < kept.iter().rposition(|k| *k)
        });
        assert!(gone_before_kept);
    }

    #[test]
    fn written_through_stays_over_what_was_cached_before() {
        let mut medium = Medium::new(4096);
        medium.write(0, vec![1; 2048]);
        medium.write_through(512, &[2; 512]);
        assert_eq!(medium.read(0, 2048)[511..513], [1, 2]);
        medium.flush();
        medium.cut(0, Cut::All);
        assert_eq!((medium.read(511, 1), medium.read(512, 512), medium.read(1024, 1)), (&[1][..], &[2; 512][..], &[1][..]));
    }

    #[test]
    fn a_full_cache_writes_its_oldest_back() {
        let mut medium = Medium::new(1024);
        medium.write(0, vec![1; 512]);
        medium.write(512, vec![2; 512]);
        medium.write(512, vec![3; 512]);
        medium.cut(0, Cut::All);
        assert_eq!((medium.read(0, 1), medium.read(512, 1)), (&[1][..], &[0][..]));
    }
}
