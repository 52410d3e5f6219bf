//! The search for content that no signature tells: which blocks are read, and how surely something is found.
//!
//! The promise is the same for every device: both ends and [`SAMPLES`] blocks of 4 KiB, one in each of as many equal strata; all of it where there are no
//! more. Only time ends it earlier: after [`PATIENCE`], but never before [`LEAST_SAMPLES`], which a drive that turns reads in half a minute.
//! If a map of the device tells its data from its holes (`block/map.rs`), the same search goes over that data as well, since a file behind a loop device
//! is mostly holes.
//!
//! Data on a share `x` of the device, wherever it lies, is missed by `n` samples with a probability of at most `(1 - x)^n`: strata make it less.

use crate::signs::image::{END_BYTES, Image};
use crate::signs::mark;
use crate::system::sample;
use crate::system::signals;
use ioproof_core::units::binary_size;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Blocks that are read between the ends.
const SAMPLES: u64 = 16_384;

/// Blocks that are read however slow the device is.
const LEAST_SAMPLES: u64 = 4096;

/// Time after which no further round begins.
const PATIENCE: Duration = Duration::from_secs(20);

/// Length of a sample.
const SAMPLE_BYTES: u64 = 4096;

/// The way in which a device is looked at.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    /// Smallest I/O in bytes; our marks lie at multiples of it.
    logical_block_bytes: usize,
    /// The seed of the places in the strata. Two looks with different seeds see different blocks; the same look sees the same, so that trying
    /// again is no way past.
    seed: u64,
    /// The parts of the device that hold data, in bytes and ascending, where that is known. All else reads as zeros.
    data: Option<Vec<Range<u64>>>,
    patience: Duration,
}

impl Look {
    pub(crate) fn new(logical_block_bytes: u32, seed: u64) -> Self {
        Self { logical_block_bytes: logical_block_bytes as usize, seed, data: None, patience: PATIENCE }
    }

    /// With what is known of where the data is.
    pub(crate) fn with_data(self, data: Option<Vec<Range<u64>>>) -> Self {
        Self { data, ..self }
    }
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Search {
    /// The first byte of the first block that is neither empty nor ours.
    pub foreign: Option<u64>,
    whole: Part,
    /// Of the data that the map tells.
    data: Option<Part>,
}

/// A search over blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    read: u64,
    blocks: u64,
}

impl Search {
    pub(super) fn run(image: &Image<'_>, look: Look) -> io::Result<Self> {
        let (tail_at, tail) = image.tail();
        let between = END_BYTES / SAMPLE_BYTES..(tail_at / SAMPLE_BYTES).max(END_BYTES / SAMPLE_BYTES);
        let ends = foreign_in(0, image.head(), &look).or_else(|| foreign_in(tail_at, tail, &look));
        let mapped = look.data.as_ref().map(|data| clipped(data, &between));
        let none = Part { read: 0, blocks: between.end - between.start };
        let mut search = Self { foreign: ends, whole: none, data: None };
        for (blocks, is_map) in [(mapped, true), (Some(vec![between]), false)] {
            if let (Some(blocks), None) = (blocks, search.foreign) {
                let (part, foreign) = sampled(image, &look, &blocks)?;
                search.foreign = foreign;
                *if is_map { search.data.insert(part) } else { &mut search.whole } = part;
            }
        }
        Ok(search)
    }

    /// A sentence for the user.
    pub(super) fn describe(&self) -> String {
        match (self.whole, self.data) {
            (Part { read, blocks }, _) if read == blocks => {
                "all of it was read, and it holds nothing but zeros and what ioproof wrote".to_owned()
            }
            (_, Some(data)) if data.blocks == 0 => {
                "the file behind it holds nothing between its ends, which were read, but holes".to_owned()
            }
            (_, Some(data)) if data.read == data.blocks => {
                format!("the file behind it holds data in {} between its ends, all of which was read; the rest are holes", data.size())
            }
            (whole, None) => format!("its two ends and {}", whole.power("it")),
            (whole, Some(data)) => format!(
                "the file behind it holds data in {} between its ends, of which {}; of all of it, {}",
                data.size(),
                data.power("this data"),
                whole.power("it")
            ),
        }
    }
}

/// The promise of the search, for whoever explains what a device is asked before it is written.
#[must_use]
pub fn search_promise() -> String {
    let least = Part { read: LEAST_SAMPLES, blocks: u64::MAX };
    format!(
        "its two ends (2 MiB each) and {}, on a drive so slow that this takes more than {} s at least {} of them, so that {} is found with a \
         probability of {}; a device of up to {} is read in full",
        Part { read: SAMPLES, blocks: u64::MAX }.power("it").replace(" were read", " are read"),
        PATIENCE.as_secs(),
        grouped(LEAST_SAMPLES),
        "data on 0.1 % of it",
        percent(least.found(0.001)),
        binary_size(SAMPLES * SAMPLE_BYTES)
    )
}

impl Part {
    fn size(self) -> String {
        binary_size(self.blocks * SAMPLE_BYTES)
    }

    /// The probability that data on this share of the blocks is found.
    fn found(self, share: f64) -> f64 {
        1.0 - (1.0 - share).powf(self.read as f64)
    }

    fn power(self, of: &str) -> String {
        let [tenth, hundredth] = [0.001, 0.0001].map(|share| percent(self.found(share)));
        format!(
            "{} samples of 4 KiB were read: data on 0.1 % of {of} is found with a probability of {tenth}, on 0.01 % with {hundredth}, a few odd blocks \
             most likely not",
            grouped(self.read)
        )
    }
}

/// With as many digits as tell it from certainty, and never rounded up to that.
fn percent(probability: f64) -> String {
    let missed = 1.0 - probability;
    let digits = if missed < 1e-6 { 5 } else { [0.1, 0.01, 0.001, 1e-4].iter().filter(|bound| missed < **bound).count() };
    let scale = 10f64.powi(digits as i32);
    format!("{:.*} %", digits, ((probability * 100.0 * scale).floor() / scale).min(100.0 - 1.0 / scale))
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Ranges of bytes as ranges of blocks that they touch, within others.
fn clipped(data: &[Range<u64>], within: &Range<u64>) -> Vec<Range<u64>> {
    let mut blocks: Vec<Range<u64>> = Vec::new();
    for range in data {
        let start = (range.start / SAMPLE_BYTES).max(within.start).max(blocks.last().map_or(0, |last| last.end));
        let end = range.end.div_ceil(SAMPLE_BYTES).min(within.end);
        blocks.extend((start < end).then_some(start..end));
    }
    blocks
}

/// Reads samples out of these blocks, round after round, until something is found or patience ends.
fn sampled(image: &Image<'_>, look: &Look, blocks: &[Range<u64>]) -> io::Result<(Part, Option<u64>)> {
    let began = Instant::now();
    let count = blocks.iter().map(|range| range.end - range.start).sum();
    let mut part = Part { read: 0, blocks: count };
    for round in sample::rounds(count, SAMPLES, look.seed) {
        let offsets: Vec<u64> = nth(blocks, &round).map(|block| block * SAMPLE_BYTES).collect();
        if let Some(foreign) = foreign_at(image, look, &offsets)? {
            return Ok((part, Some(foreign)));
        }
        part.read += offsets.len() as u64;
        if part.read >= LEAST_SAMPLES && part.read < count.min(SAMPLES) && began.elapsed() > look.patience {
            break;
        }
    }
    Ok((part, None))
}

/// The blocks of these ascending indices, counted through all ranges.
fn nth<'a>(ranges: &'a [Range<u64>], indices: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    let (mut at, mut before) = (0, 0);
    indices.iter().filter_map(move |index| {
        while let Some(range) = ranges.get(at) {
            let length = range.end - range.start;
            if *index < before + length {
                return Some(range.start + index - before);
            }
            before += length;
            at += 1;
        }
        None
    })
}

/// The first of these places with something that is neither empty nor ours. Several are read at a time.
fn foreign_at(image: &Image<'_>, look: &Look, offsets: &[u64]) -> io::Result<Option<u64>> {
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<Option<u64>> {
        while let Some(offset) = offsets.get(next.fetch_add(1, Relaxed)) {
            // On a slow drive it takes minutes.
            if signals::have_come() {
                return Err(io::Error::other("a signal ended the search"));
            }
            let bytes = image.bytes(*offset, SAMPLE_BYTES as usize)?.unwrap_or_default();
            if !mark::empty_or_ours(&bytes, look.logical_block_bytes) {
                return Ok(Some(*offset));
            }
        }
        Ok(None)
    };
    let found = sample::by_several(offsets.len(), &work)?;
    Ok(found.into_iter().flatten().min())
}

fn foreign_in(start: u64, bytes: &[u8], look: &Look) -> Option<u64> {
    let mut pieces = bytes.chunks(SAMPLE_BYTES as usize);
    let index = pieces.position(|piece| !mark::empty_or_ours(piece, look.logical_block_bytes))?;
    Some(start + index as u64 * SAMPLE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signs::image::Source;

    /// 1 TiB of zeros but for a part of it.
    struct Huge(Range<u64>);

    impl Source for Huge {
        fn size_bytes(&self) -> u64 {
            1 << 40
        }

        fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
            Ok(vec![u8::from(self.0.contains(&offset)); length])
        }
    }

    fn run(part: Range<u64>, look: Look) -> Search {
        let source = Huge(part);
        Search::run(&Image::new(&source).unwrap(), look).unwrap()
    }

    #[test]
    fn a_large_device_is_sampled_all_over() {
        assert_eq!(run(0..0, Look::new(512, 1)).foreign, None);
        let stratum = (1u64 << 40) / SAMPLES;
        for first in [1, 8000, 16_380] {
            let part = first * stratum..(first + 2) * stratum;
            assert!(
                run(part.clone(), Look::new(512, 1)).foreign.is_some_and(|at| part.contains(&at)),
                "two strata hold one whole sample in any case"
            );
        }
    }

    #[test]
    fn the_least_is_read_whatever_the_time() {
        let hurried = Look { patience: Duration::ZERO, ..Look::new(512, 1) };
        let search = run(0..0, hurried.clone());
        assert_eq!(search.whole.read, LEAST_SAMPLES);
        let stratum = (1u64 << 40) / LEAST_SAMPLES;
        assert!(run(77 * stratum..79 * stratum, hurried).foreign.is_some(), "and it is spread over the whole");
    }

    #[test]
    fn where_the_data_is_known_it_is_read() {
        let at = 413 * (1u64 << 30) + 3 * 4096;
        let map = |data| Look::new(512, 1).with_data(Some(data));
        assert_eq!(run(at..at + 4096, Look::new(512, 1)).foreign, None, "one block in 1 TiB is not found by samples");
        let search = run(at..at + 4096, map(vec![0..4096, at - 5000..at + 10_000]));
        assert_eq!(search.foreign, Some(at));
        let search = run(0..0, map(vec![0..4096, at - 5000..at + 10_000]));
        assert_eq!((search.foreign, search.data.unwrap().read), (None, 5));
        assert!(search.describe().contains("holds data in 20 KiB between its ends, all of which was read"), "{}", search.describe());
    }

    #[test]
    fn the_power_is_said_in_numbers() {
        let part = Part { read: SAMPLES, blocks: 1 << 28 };
        assert!((part.found(0.001) - (1.0 - 0.999f64.powi(16_384))).abs() < 1e-12);
        let said = run(0..0, Look::new(512, 1)).describe();
        assert!(
            said.contains("16,384 samples of 4 KiB were read: data on 0.1 % of it is found with a probability of 99.99999 %"),
            "{said}"
        );
        assert!(said.contains("on 0.01 % with 80 %"), "{said}");
        assert!(search_promise().contains("at least 4,096 of them"), "{}", search_promise());
        assert_eq!([0.5, 0.9834, 0.99999999].map(percent), ["50 %", "98.3 %", "99.99999 %"]);
    }

    #[test]
    fn ranges_are_counted_through_and_cut_to_what_lies_between() {
        let blocks = clipped(&[0..1, 5000..5001, 4097..12_289, 1 << 40..(1 << 40) + 1], &(1..100));
        assert_eq!(blocks, [1..2, 2..4]);
        assert_eq!(nth(&[3..5, 10..12], &[0, 1, 2, 3, 9]).collect::<Vec<_>>(), [3, 4, 10, 11]);
    }
}
