//! Every block of a part once a pass, by I/Os that differ in size: each begins at a block that is drawn, or at the next one behind it that was not visited yet,
//! and is cut short before the next one that was. That takes a map of what was visited.
//!
//! So it is in fio 3.33, as its logs of offsets show: the number of I/Os of a pass and how often each size comes agree with this rule.

use super::map::Map;
use super::part::Part;
use crate::random::Draws;
use ioproof_core::job::JobSpec;
use std::collections::TryReserveError;

/// Draws of a size that does not fit before the end of the part; after so many it is cut.
const DRAWS: u32 = 50;

/// A pass, and another when it is begun.
#[derive(Debug, Clone)]
pub(crate) struct MappedPass {
    part: Part,
    map: Map,
    random: Draws,
}

impl MappedPass {
    /// Over `part`, as often as a pass is begun.
    ///
    /// # Errors
    /// Where there is no memory for the map.
    pub(super) fn new(part: Part, random: Draws) -> Result<Self, TryReserveError> {
        Ok(Self { part, map: Map::new(part.units)?, random })
    }

    /// Offset of the next I/O and how many of the wanted bytes it has; `None` at the end of the pass. One that does not fit before the end of the
    /// part is drawn again by `again`.
    #[inline(never)]
    pub(super) fn next(&mut self, bytes: u32, mut again: impl FnMut() -> u32) -> Option<(u64, u32)> {
        let Part { start, unit, units } = self.part;
        let first = self.map.next_free(self.random.below(units))?;
        let room = units - first;
        let wanted = |bytes: u32| (u64::from(bytes) / unit).max(1);
        let mut most = wanted(bytes);
        for _ in 0..DRAWS {
            if most <= room {
                break;
            }
            most = wanted(again());
        }
        Some((start + first * unit, (self.map.take(first, most) * unit) as u32))
    }

    /// Begins another pass, if the last one is over; tells whether.
    pub(super) fn begin_pass(&mut self) -> bool {
        let begins = self.map.free() == 0;
        if begins {
            self.map.clear();
        }
        begins
    }
}

/// Memory that the maps of all workers take. Bytes.
pub(crate) fn map_bytes(spec: &JobSpec) -> u64 {
    if !super::is_mapped(spec) {
        return 0;
    }
    let targets = spec.placement.target_spans.len().max(1);
    let of_worker = |worker| (0..targets).map(move |target| Map::bytes(Part::of(spec, worker, target).units)).sum::<u64>();
    let sets = if spec.workload.shape.separate_streams { 2 } else { 1 };
    (0..spec.workload.workers).map(of_worker).sum::<u64>().saturating_mul(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: Part = Part { start: 8192, unit: 4096, units: 1000 };

    fn over(part: Part) -> MappedPass {
        MappedPass::new(part, Draws::new(5)).unwrap()
    }

    /// One pass of I/Os whose sizes are drawn; all in blocks.
    fn pass(mapped: &mut MappedPass, sizes: &[u32], random: &mut Draws) -> Vec<(u64, u64)> {
        let mut size = || sizes[random.below(sizes.len() as u64) as usize];
        let mut next = || {
            let bytes = size();
            mapped.next(bytes, &mut size)
        };
        std::iter::from_fn(&mut next).map(|(offset, bytes)| ((offset - 8192) / 4096, u64::from(bytes) / 4096)).collect()
    }

    fn blocks(ios: &[(u64, u64)]) -> Vec<u64> {
        let mut blocks: Vec<u64> = ios.iter().flat_map(|(first, count)| *first..first + count).collect();
        blocks.sort_unstable();
        blocks
    }

    #[test]
    fn each_pass_comes_to_each_block_once() {
        let (mut mapped, mut random) = (over(PART), Draws::new(9));
        let mut last = Vec::new();
        for _ in 0..3 {
            let ios = pass(&mut mapped, &[4096, 8192, 65536], &mut random);
            assert!(blocks(&ios).into_iter().eq(0..1000));
            assert_ne!(ios, last, "each pass has its own order");
            last = ios;
            assert!(mapped.begin_pass() && !mapped.begin_pass());
        }
    }

    // A pass of fio 3.33 over 64 MiB with 12 seeds: on average 7128 I/Os with --bssplit=4k/50:8k/30:64k/20, 2689 with --bsrange=4k-64k.
    #[test]
    fn a_pass_has_as_many_ios_as_one_of_fio() {
        let part = Part { units: 16384, ..PART };
        let split = [4096, 4096, 4096, 4096, 4096, 8192, 8192, 8192, 65536, 65536];
        let range: Vec<u32> = (1..=16).map(|n| n * 4096).collect();
        for (sizes, ios) in [(&split[..], 7128), (&range, 2689)] {
            let (mut mapped, mut random) = (over(part), Draws::new(9));
            let mut passes = || {
                mapped.begin_pass();
                pass(&mut mapped, sizes, &mut random).len()
            };
            let mean = (0..20).map(|_| passes()).sum::<usize>() / 20;
            assert!(mean.abs_diff(ios) < ios * 4 / 100, "{mean}, and {ios} of fio");
        }
    }

    #[test]
    fn what_does_not_fit_before_the_end_is_drawn_again() {
        let part = Part { units: 3, ..PART };
        for seed in 0..50 {
            let mut mapped = MappedPass::new(part, Draws::new(seed)).unwrap();
            let (offset, bytes) = mapped.next(16384, || 4096).unwrap();
            assert_eq!(bytes, 4096, "at {offset}");
            let (offset, bytes) = MappedPass::new(part, Draws::new(seed)).unwrap().next(16384, || 16384).unwrap();
            assert_eq!(offset + u64::from(bytes), part.end(), "cut where nothing else is drawn");
        }
    }

    #[test]
    fn a_size_that_is_no_multiple_is_rounded_down() {
        let whole = Part { units: 100, ..PART };
        assert_eq!(over(whole).next(6144, || 4096).map(|(_, bytes)| bytes), Some(4096));
        assert_eq!(over(Part { units: 0, ..PART }).next(4096, || 4096), None);
    }
}
