//! Some I/Os one after the other, then a jump to a place that is drawn.

use super::part::Part;
use super::random::Random;

/// When the next place is drawn instead of following the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Jumps {
    /// After so many I/Os.
    Every(u32),
    /// With this chance in percent.
    Chance(u8),
}

/// Offsets with jumps.
#[derive(Debug, Clone)]
pub(crate) struct Jumping {
    part: Part,
    random: Random,
    jumps: Jumps,
    /// I/Os since the last jump.
    since: u32,
    /// End of the last I/O.
    next: u64,
}

impl Jumping {
    pub(super) fn new(part: Part, random: Random, jumps: Jumps) -> Self {
        let since = if let Jumps::Every(ios) = jumps { ios } else { 0 };
        Self { part, random, jumps, since, next: part.start }
    }

    /// Where the next I/O goes; at the end of the part, a sequence goes on at its start.
    pub(super) fn next(&mut self, bytes: u32) -> Option<u64> {
        let places = self.part.places(bytes);
        if places == 0 {
            return None;
        }
        let follows = self.next + u64::from(bytes) <= self.part.end();
        let offset = match self.jumps_now() {
            true => self.part.at(self.random.below(places), bytes)?,
            false if follows => self.next,
            false => self.part.start,
        };
        self.next = offset + u64::from(bytes);
        Some(offset)
    }

    fn jumps_now(&mut self) -> bool {
        match self.jumps {
            Jumps::Every(ios) if self.since < ios => {
                self.since += 1;
                false
            }
            Jumps::Every(_) => {
                self.since = 1;
                true
            }
            Jumps::Chance(percent) => self.random.below(100) < percent.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: Part = Part { start: 8192, unit: 4096, units: 1000 };

    fn take(jumps: Jumps, n: usize) -> Vec<u64> {
        let mut offsets = Jumping::new(PART, Random::new(5), jumps);
        (0..n).map_while(|_| offsets.next(4096)).map(|o| (o - 8192) / 4096).collect()
    }

    fn jumps(blocks: &[u64]) -> usize {
        blocks.windows(2).filter(|pair| pair[1] != (pair[0] + 1) % 1000).count()
    }

    #[test]
    fn so_many_in_a_row() {
        let blocks = take(Jumps::Every(8), 800);
        assert!(blocks.chunks(8).all(|run| jumps(run) == 0), "{blocks:?}");
        assert!(jumps(&blocks) > 90 && blocks.iter().all(|b| *b < 1000));
    }

    #[test]
    fn so_many_in_a_hundred_jump() {
        for percent in [0, 30, 100] {
            let share = jumps(&take(Jumps::Chance(percent), 10_000)) as i64;
            assert!((share - i64::from(percent) * 100).abs() <= 300, "{percent}: {share}");
        }
    }
}
