//! The data of writes: how the memory that is written from is filled at first, and which part of it is made anew before every write.
//!
//! A drive that removes duplicates or compresses will see:
//!
//! - Random and fresh data: no 4 KiB of a job equals another, because each begins with ioproof's mark and a number of its own. What follows these 16
//!   bytes is new with every write where data is fresh. Where it is random, it stays that of its slot, so that writes of one slot differ in these
//!   bytes only; to what removes duplicates in smaller pieces, or compresses many writes together, only fresh data is new.
//! - A compressible share of `c` %: the last `c` % of every 512 bytes are zeros, the rest is random. So the share holds for blocks of every size and
//!   whatever piece a compressor takes. Mark and number stay, 16 bytes in 4 KiB (or in the block, where it is smaller), which is felt from 97 % on.
//! - A duplicate share of `d` %: of all 4 KiB (or blocks, where they are smaller) `d` % are drawn from [`COPIES`] contents that each worker has; mark,
//!   number and body are those of the content, so that two of a kind are equal byte for byte. All others are unique. With duplicates all data is
//!   made anew, since a body that stays in its slot would have to be put back after a copy.
//! - Zeros and a pattern stay as they are at first, without a mark; a pattern with offsets is made anew for every block.

mod template;

use crate::random::Draws;
use ioproof_core::shape::{Data, Fill};
use ioproof_target::mark::{MARK, MARK_STRIDE};
pub(crate) use template::Template;

/// Zeros are laid out alike in every so many bytes.
const PIECE_BYTES: usize = 512;

/// Mark and number.
const STAMP_BYTES: usize = 16;

/// Contents that a worker's duplicates are drawn from: few, so that what is not saved because it is the first of its kind does not count.
const COPIES: u64 = 32;

/// The maker of data for writes.
#[derive(Debug)]
pub(crate) struct Source {
    first: First,
    renewal: Renewal,
    generator: GeneratorLanes,
    /// Of every piece, the bytes that are not zeros.
    random_bytes: usize,
    duplicate_percent: u8,
    seed: u64,
}

/// The first content of memory.
#[derive(Debug)]
enum First {
    Zeros,
    Pattern(Template),
    Random,
}

/// The work before a write.
#[derive(Debug)]
enum Renewal {
    Nothing,
    Stamps,
    Offsets(Template),
    Everything,
}

impl Source {
    /// A source of data as the job describes it; workers with different seeds make different data.
    pub(crate) fn new(data: &Data, seed: u64) -> Self {
        let (first, renewal) = match &data.fill {
            Fill::Zero => (First::Zeros, Renewal::Nothing),
            Fill::Pattern(bytes) => (First::Pattern(Template::new(bytes, &[])), Renewal::Nothing),
            Fill::PatternOfOffsets { bytes, places } => (First::Zeros, Renewal::Offsets(Template::new(bytes, places))),
            Fill::Random if data.duplicate_percent == 0 => (First::Random, Renewal::Stamps),
            Fill::Random | Fill::Fresh => (First::Random, Renewal::Everything),
        };
        let zeros = PIECE_BYTES * usize::from(data.compressible_percent.min(99)) / 100;
        let random_bytes = PIECE_BYTES - zeros;
        Self { first, renewal, generator: GeneratorLanes::new(seed), random_bytes, duplicate_percent: data.duplicate_percent, seed }
    }

    /// Fills a slot's memory, once.
    pub(crate) fn fill(&mut self, memory: &mut [u8]) {
        match &self.first {
            First::Zeros => memory.fill(0),
            First::Pattern(template) => template.fill(memory),
            First::Random => self.generator.fill(memory, self.random_bytes),
        }
    }

    /// Makes a block ready to be written at `offset`; `number` differs for every write of a job.
    #[inline]
    pub(crate) fn renew(&mut self, block: &mut [u8], offset: u64, number: u64) {
        match &mut self.renewal {
            Renewal::Nothing => {}
            Renewal::Offsets(template) => {
                template.stamp(offset);
                template.fill(block);
            }
            // No stamp has room, so that only new data differs.
            Renewal::Stamps if block.len() < STAMP_BYTES => self.generator.fill_all(block),
            // The usual block is one piece, and this is the loop's way.
            Renewal::Stamps if block.len() <= MARK_STRIDE => stamp(block, number),
            Renewal::Stamps => chunks(block, number).for_each(|(chunk, own)| stamp(chunk, own)),
            Renewal::Everything => chunks(block, number).for_each(|(chunk, own)| self.make(chunk, own)),
        }
    }

    /// New content, or one of the few that come again; which is decided by number and seed alone.
    fn make(&mut self, chunk: &mut [u8], own: u64) {
        let mut draw = Draws::new(own ^ self.seed);
        if draw.hits(self.duplicate_percent) {
            let copy = draw.next() % COPIES;
            GeneratorLanes::new(self.seed ^ !copy).fill(chunk, self.random_bytes);
            stamp(chunk, copy);
        } else {
            self.generator.fill(chunk, self.random_bytes);
            stamp(chunk, own);
        }
    }
}

/// The pieces of a block that bear a stamp, each with a number of its own: those of a job differ up to 2^36 writes a worker and 4 GiB a block.
#[inline]
fn chunks(block: &mut [u8], number: u64) -> impl Iterator<Item = (&mut [u8], u64)> {
    block.chunks_mut(MARK_STRIDE).zip(0u64..).map(move |(chunk, index)| (chunk, number.wrapping_add(index << 36)))
}

#[inline]
fn stamp(chunk: &mut [u8], number: u64) {
    if let Some((start, _)) = chunk.split_first_chunk_mut::<STAMP_BYTES>() {
        start[..8].copy_from_slice(&MARK);
        start[8..].copy_from_slice(&number.to_le_bytes());
    }
}

/// Eight xorshift128+ generators (Vigna, 2017) side by side, which the compiler turns into vector instructions. Without multiplication, these need no
/// more than any 64-bit CPU has.
#[derive(Debug, Clone)]
struct GeneratorLanes {
    first: [u64; 8],
    second: [u64; 8],
}

impl GeneratorLanes {
    fn new(seed: u64) -> Self {
        let mut random = Draws::new(seed);
        let mut eight = || std::array::from_fn(|_| random.next() | 1);
        Self { first: eight(), second: eight() }
    }

    #[inline(always)]
    fn next(&mut self) -> [u64; 8] {
        let mut sums = [0; 8];
        for (i, sum) in sums.iter_mut().enumerate() {
            let (mut x, y) = (self.first[i], self.second[i]);
            *sum = x.wrapping_add(y);
            x ^= x << 23;
            (self.first[i], self.second[i]) = (y, x ^ y ^ (x >> 18) ^ (y >> 5));
        }
        sums
    }

    /// Fills memory with random bytes, and of every piece what is beyond `random_bytes` with zeros.
    #[inline]
    fn fill(&mut self, memory: &mut [u8], random_bytes: usize) {
        if random_bytes == PIECE_BYTES {
            return self.fill_all(memory);
        }
        for piece in memory.chunks_mut(PIECE_BYTES) {
            let (random, zeros) = piece.split_at_mut(random_bytes.min(piece.len()));
            self.fill_all(random);
            zeros.fill(0);
        }
    }

    #[inline]
    fn fill_all(&mut self, memory: &mut [u8]) {
        let mut lanes = self.clone();
        let (whole, rest) = memory.as_chunks_mut::<64>();
        for line in whole {
            write(line, lanes.next());
        }
        if !rest.is_empty() {
            let mut last = [0; 64];
            write(&mut last, lanes.next());
            rest.copy_from_slice(&last[..rest.len()]);
        }
        *self = lanes;
    }
}

#[inline(always)]
fn write(line: &mut [u8; 64], words: [u64; 8]) {
    for (to, word) in line.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *to = word.to_le_bytes();
    }
}
