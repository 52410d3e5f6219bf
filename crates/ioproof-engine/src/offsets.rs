//! Which block comes next: ascending within a worker's own slice, or every block of the span once per pass in random order.
//!
//! A random pass keeps no map of visited blocks: it counts from 0 to the next power of two through a keyed bijection and passes over what lies
//! beyond the span. So a pass over a drive of any size costs no memory, and each pass has another order.

use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::workload::Pattern;

/// A small, fast, seeded generator (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// True for a share of `percent` / 100 of the calls.
    #[inline]
    pub(crate) fn hits(&mut self, percent: u8) -> bool {
        ((self.next() >> 32) * 100) >> 32 < u64::from(percent)
    }
}

/// The sequence of byte offsets of one worker.
#[derive(Debug, Clone)]
pub(crate) enum Offsets {
    Ascending { next: u64, start: u64, end: u64, block: u64, once: bool },
    Shuffled(Shuffle),
}

/// One pass after the other over `blocks` blocks.
#[derive(Debug, Clone)]
pub(crate) struct Shuffle {
    start: u64,
    block: u64,
    blocks: u64,
    counter: u64,
    mask: u64,
    shift: u32,
    keys: [u64; 2],
    random: Random,
    once: bool,
}

impl Offsets {
    /// The sequence of worker number `worker`.
    pub(crate) fn new(spec: &JobSpec, worker: u32) -> Self {
        let block = u64::from(spec.workload.block_bytes);
        let once = spec.until == Until::SpanCovered;
        match spec.workload.pattern {
            Pattern::Sequential => ascending(spec.span, block, spec.workload.workers, worker, once),
            Pattern::Random => Self::Shuffled(Shuffle::new(spec.span, block, spec.seed ^ (u64::from(worker) << 32), once)),
        }
    }

    /// The next offset; `None` when the job is to visit every block once and has.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u64> {
        match self {
            Self::Ascending { next, start, end, block, once } => {
                if *next >= *end {
                    if *once {
                        return None;
                    }
                    *next = *start;
                }
                let offset = *next;
                *next += *block;
                Some(offset)
            }
            Self::Shuffled(shuffle) => shuffle.next(),
        }
    }
}

/// Worker `worker` walks its own slice; the last one takes what does not divide evenly.
fn ascending(span: Span, block: u64, workers: u32, worker: u32, once: bool) -> Offsets {
    let blocks = span.length_bytes / block;
    let share = blocks / u64::from(workers);
    let first = share * u64::from(worker);
    let last = if worker + 1 == workers { blocks } else { first + share };
    let (start, end) = (span.offset_bytes + first * block, span.offset_bytes + last * block);
    Offsets::Ascending { next: start, start, end, block, once }
}

impl Shuffle {
    fn new(span: Span, block: u64, seed: u64, once: bool) -> Self {
        let blocks = (span.length_bytes / block).max(1);
        let bits = 64 - (blocks - 1).leading_zeros();
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        let mut random = Random::new(seed);
        let keys = [random.next(), random.next()];
        Self { start: span.offset_bytes, block, blocks, counter: 0, mask, shift: (bits / 2).max(1), keys, random, once }
    }

    #[inline]
    fn next(&mut self) -> Option<u64> {
        loop {
            if self.counter > self.mask {
                if self.once {
                    return None;
                }
                self.counter = 0;
                self.keys = [self.random.next(), self.random.next()];
            }
            let index = self.scatter(self.counter);
            self.counter += 1;
            if index < self.blocks {
                return Some(self.start + index * self.block);
            }
        }
    }

    /// A bijection on the numbers up to `mask`: each step (odd multiplication, addition, xor with own high bits) can be undone.
    #[inline]
    fn scatter(&self, counter: u64) -> u64 {
        let mut x = counter;
        for key in self.keys {
            x = x.wrapping_mul(key | 1).wrapping_add(key >> 32) & self.mask;
            x ^= x >> self.shift;
            x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15) & self.mask;
            x ^= x >> self.shift;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::workload::{Durability, Workload};

    fn spec(pattern: Pattern, blocks: u64, workers: u32, until: Until) -> JobSpec {
        JobSpec {
            workload: Workload { pattern, read_percent: 100, block_bytes: 4096, workers, depth: 1, durability: Durability::None },
            span: Span { offset_bytes: 8192, length_bytes: blocks * 4096 },
            ramp_ns: 0,
            until,
            seed: 3,
            io_timeout_ns: 1,
            error_limit: 1,
        }
    }

    fn take(offsets: &mut Offsets, n: usize) -> Vec<u64> {
        (0..n).map_while(|_| offsets.next()).map(|o| (o - 8192) / 4096).collect()
    }

    #[test]
    fn a_random_pass_visits_every_block_once() {
        for blocks in [1, 2, 3, 5, 64, 1000, 4097] {
            let mut offsets = Offsets::new(&spec(Pattern::Random, blocks, 1, Until::ElapsedNs(1)), 0);
            for pass in 0..3 {
                let mut seen = take(&mut offsets, blocks as usize);
                seen.sort_unstable();
                assert_eq!(seen, (0..blocks).collect::<Vec<_>>(), "pass {pass} over {blocks}");
            }
        }
    }

    #[test]
    fn passes_and_workers_differ() {
        let spec = spec(Pattern::Random, 1000, 2, Until::ElapsedNs(1));
        let mut first = Offsets::new(&spec, 0);
        let (a, b) = (take(&mut first, 1000), take(&mut first, 1000));
        let c = take(&mut Offsets::new(&spec, 1), 1000);
        assert!(a != b && a != c && b != c);
    }

    #[test]
    fn a_random_pass_looks_random() {
        // Neighbouring visits are rarely neighbouring blocks, and both halves are visited alike in the first tenth.
        let blocks = 100_000;
        let order = take(&mut Offsets::new(&spec(Pattern::Random, blocks, 1, Until::ElapsedNs(1)), 0), 10_000);
        let near = order.windows(2).filter(|w| w[0].abs_diff(w[1]) < 16).count();
        let low = order.iter().filter(|b| **b < blocks / 2).count();
        assert!(near < 50, "{near} near steps");
        assert!((4500..5500).contains(&low), "{low} in the lower half");
    }

    #[test]
    fn sequential_workers_share_the_span_without_overlap() {
        let spec = spec(Pattern::Sequential, 10, 3, Until::SpanCovered);
        let all: Vec<u64> = (0..3).flat_map(|w| take(&mut Offsets::new(&spec, w), 100)).collect();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn sequential_wraps_within_its_slice() {
        let spec = spec(Pattern::Sequential, 4, 2, Until::ElapsedNs(1));
        assert_eq!(take(&mut Offsets::new(&spec, 1), 5), [2, 3, 2, 3, 2]);
    }

    #[test]
    fn mixes_keep_their_share() {
        let mut random = Random::new(1);
        let hits = (0..100_000).filter(|_| random.hits(70)).count();
        assert!((69_300..70_700).contains(&hits), "{hits}");
        assert!((0..1000).all(|_| random.hits(100)) && !(0..1000).any(|_| random.hits(0)));
    }
}
