//! Content of a drive: a medium that survives a power cut, and a volatile cache of writes that may not.
//!
//! A cut keeps each write in the cache or not, by a seeded draw, so a later one may survive where an earlier one is gone.

use crate::random::Random;
use std::collections::VecDeque;
use std::ops::Range;

pub const SECTOR_BYTES: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Whole,
    Torn(usize),
    All,
}

/// Bytes at their place on the drive: a write, or what stood there before one.
struct Write {
    offset: usize,
    data: Vec<u8>,
    is_trim: bool,
}

impl Write {
    fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.data.len()
    }

    fn put(&self, part: Range<usize>, drive: &mut [u8]) {
        drive[part.clone()].copy_from_slice(&self.data[part.start - self.offset..part.end - self.offset]);
    }

    fn yield_to(&mut self, newer: &Self) {
        let both = self.offset.max(newer.offset)..self.range().end.min(newer.range().end);
        if !both.is_empty() {
            let place = both.start - self.offset..both.end - self.offset;
            self.data[place].copy_from_slice(&newer.data[both.start - newer.offset..both.end - newer.offset]);
        }
    }
}

/// Medium and cache of one drive. Offsets and lengths are bytes and must lie inside, which those who pass requests on see to.
pub struct Medium {
    durable: Vec<u8>,
    /// Content that a read sees: the medium with everything in the cache.
    current: Vec<u8>,
    cache: VecDeque<Write>,
    cached_bytes: usize,
    unfinished: Vec<Write>,
    forgotten: Vec<Range<usize>>,
}

impl Medium {
    pub fn new(size_bytes: usize) -> Self {
        let (durable, current) = (vec![0; size_bytes], vec![0; size_bytes]);
        Self { durable, current, cache: VecDeque::new(), cached_bytes: 0, unfinished: Vec::new(), forgotten: Vec::new() }
    }

    pub fn size_bytes(&self) -> usize {
        self.durable.len()
    }

    pub fn read(&self, offset: usize, length: usize) -> &[u8] {
        &self.current[offset..offset + length]
    }

    pub fn write(&mut self, offset: usize, data: Vec<u8>) {
        self.take(Write { offset, data, is_trim: false });
    }

    pub fn clear(&mut self, offset: usize, length: usize, is_trim: bool) {
        self.take(Write { offset, data: vec![0; length], is_trim });
    }

    /// The newest in the cache to the medium at once. What the cache has of the same bytes is older and must not replace it later.
    pub fn write_newest_through(&mut self) {
        if let Some(write) = self.cache.pop_back() {
            self.cached_bytes -= write.data.len();
            self.persist(&write);
        }
    }

    pub fn flush(&mut self) {
        self.unfinished.clear();
        while self.write_back_oldest() {}
    }

    /// The newest write to the medium, and of the older ones each by a draw.
    pub fn flush_newest(&mut self, random: &mut Random) {
        let writes = std::mem::take(&mut self.cache);
        let last = writes.len().saturating_sub(1);
        for (nth, write) in writes.into_iter().enumerate() {
            if nth == last || random.coin() {
                self.cached_bytes -= write.data.len();
                self.persist(&write);
            } else {
                self.cache.push_back(write);
            }
        }
    }

    /// The whole cache to the medium, as [`Self::flush`], but a cut that comes before the next one finds it unfinished.
    pub fn flush_hastily(&mut self) {
        if !self.cache.is_empty() {
            self.unfinished.clear();
        }
        while let Some(range) = self.cache.front().map(Write::range) {
            self.unfinished.retain(|replaced| apart(&replaced.range(), &range));
            self.unfinished.push(Write { offset: range.start, data: self.durable[range].to_vec(), is_trim: false });
            self.write_back_oldest();
        }
    }

    pub fn forget_trims(&mut self) {
        self.forgotten.extend(self.cache.iter().filter(|write| write.is_trim).map(Write::range));
        self.cache.retain(|write| !write.is_trim);
        self.cached_bytes = self.cache.iter().map(|write| write.data.len()).sum();
    }

    /// The power is gone and back: the content is what survived. A hasty flush was torn into pieces of so many bytes. Gives the number of writes that were in the
    /// cache.
    pub fn cut(&mut self, seed: u64, cut: Cut, flushed_torn: Option<usize>) -> usize {
        let mut random = Random::new(seed);
        let mut touched = std::mem::take(&mut self.forgotten);
        for replaced in std::mem::take(&mut self.unfinished) {
            flushed_torn.iter().for_each(|piece_bytes| self.tear(&replaced, *piece_bytes, &mut random));
            touched.push(replaced.range());
        }
        let cache = std::mem::take(&mut self.cache);
        self.cached_bytes = 0;
        for write in &cache {
            let piece_bytes = if let Cut::Torn(piece_bytes) = cut { piece_bytes } else { write.data.len().max(1) };
            for piece in pieces(write.range(), piece_bytes) {
                if cut != Cut::All && random.coin() {
                    write.put(piece, &mut self.durable);
                }
            }
            touched.push(write.range());
        }
        touched.into_iter().for_each(|range| self.current[range.clone()].copy_from_slice(&self.durable[range]));
        cache.len()
    }

    /// Takes pieces of a flushed write back, some but not all where it has several.
    fn tear(&mut self, replaced: &Write, piece_bytes: usize, random: &mut Random) {
        let pieces: Vec<Range<usize>> = pieces(replaced.range(), piece_bytes).collect();
        if pieces.len() < 2 {
            return;
        }
        let (lost, kept) = (random.index(pieces.len()), random.index(pieces.len() - 1));
        let kept = if kept >= lost { kept + 1 } else { kept };
        for (nth, piece) in pieces.into_iter().enumerate() {
            if nth == lost || nth != kept && random.coin() {
                replaced.put(piece, &mut self.durable);
            }
        }
    }

    /// Into the cache. A cache as large as the drive is full some day; then the oldest write goes to the medium.
    fn take(&mut self, write: Write) {
        write.put(write.range(), &mut self.current);
        self.cached_bytes += write.data.len();
        self.cache.push_back(write);
        while self.cached_bytes > self.size_bytes() {
            self.write_back_oldest();
        }
    }

    /// To the medium, before older ones that stay in the cache.
    fn persist(&mut self, write: &Write) {
        write.put(write.range(), &mut self.durable);
        self.cache.iter_mut().for_each(|older| older.yield_to(write));
        self.unfinished.retain(|replaced| apart(&replaced.range(), &write.range()));
    }

    fn write_back_oldest(&mut self) -> bool {
        let oldest = self.cache.pop_front();
        oldest.iter().for_each(|write| write.put(write.range(), &mut self.durable));
        self.cached_bytes -= oldest.as_ref().map_or(0, |write| write.data.len());
        oldest.is_some()
    }
}

fn apart(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.end <= other.start || other.end <= one.start
}

fn pieces(range: Range<usize>, piece_bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(piece_bytes).map(move |start| start..(start + piece_bytes).min(end))
}
