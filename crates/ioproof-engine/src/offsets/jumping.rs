//! Some I/Os one after the other, then a jump to a place that is drawn.
//!
//! Where sizes differ there may be a map: then a jump goes to a place that no jump went to before in this pass, and is cut short there, as in fio 3.33; what follows
//! it goes on whole wherever that is, and is not in the map.

use super::mapped::MappedPass;
use super::part::Part;
use crate::random::Draws;
use std::collections::TryReserveError;

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
    random: Draws,
    jumps: Jumps,
    /// Offsets of the jumps, where no place may come twice.
    map: Option<MappedPass>,
    /// I/Os since the last jump.
    since: u32,
    /// End of the last I/O.
    next: u64,
}

impl Jumping {
    /// With a map of where jumps went, if `mapped`.
    ///
    /// # Errors
    /// Where there is no memory for the map.
    pub(super) fn new(part: Part, random: Draws, jumps: Jumps, mapped: bool) -> Result<Self, TryReserveError> {
        let since = if let Jumps::Every(ios) = jumps { ios } else { 0 };
        let map = if mapped { Some(MappedPass::new(part, random.clone())?) } else { None };
        Ok(Self { part, random, jumps, map, since, next: part.start })
    }

    /// Offset of the next I/O and how many bytes it has; at the end of the part, a sequence goes on at its start. A jump that does not fit before the end is
    /// drawn again where there is a map.
    #[inline(never)]
    pub(super) fn next(&mut self, bytes: u32, again: impl FnMut() -> u32) -> Option<(u64, u32)> {
        let places = self.part.places(bytes);
        if places == 0 {
            return None;
        }
        let follows = self.next + u64::from(bytes) <= self.part.end();
        let (offset, bytes) = match self.jumps_now() {
            true => self.jump(bytes, again)?,
            false if follows => (self.next, bytes),
            false => (self.part.start, bytes),
        };
        self.next = offset + u64::from(bytes);
        Some((offset, bytes))
    }

    fn jump(&mut self, bytes: u32, again: impl FnMut() -> u32) -> Option<(u64, u32)> {
        let Some(map) = &mut self.map else {
            let place = self.random.below(self.part.places(bytes));
            return Some((self.part.at(place, bytes)?, bytes));
        };
        map.begin_pass();
        map.next(bytes, again)
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
        let mut offsets = Jumping::new(PART, Draws::new(5), jumps, false).unwrap();
        (0..n).map_while(|_| offsets.next(4096, || 4096)).map(|(o, _)| (o - 8192) / 4096).collect()
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

    // As in the log of fio 3.33 with percentage_random and bssplit: only what is drawn is ever cut, and only where something was drawn before.
    #[test]
    fn jumps_come_to_each_place_once_where_there_is_a_map() {
        let mut offsets = Jumping::new(PART, Draws::new(5), Jumps::Every(2), true).unwrap();
        for pass in 0..2 {
            let mut visited = vec![0; 1000];
            while visited.contains(&0) {
                let (offset, bytes) = offsets.next(16384, || 4096).unwrap();
                let first = ((offset - 8192) / 4096) as usize;
                visited[first..][..bytes as usize / 4096].iter_mut().for_each(|visits| *visits += 1);
                let behind = if offset + u64::from(bytes) + 16384 <= PART.end() { offset + u64::from(bytes) } else { 8192 };
                assert_eq!(offsets.next(16384, || 4096), Some((behind, 16384)), "what follows is never cut");
            }
            assert!(visited.iter().all(|visits| *visits == 1), "pass {pass}: {visited:?}");
        }
    }
}
