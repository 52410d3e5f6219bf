//! The part of the target on which a worker works, counted in units of the smallest block.

use crate::random::Draws;
use ioproof_core::job::JobSpec;
use ioproof_core::workload::Pattern;

/// Consecutive units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// First byte.
    pub(super) start: u64,
    /// Size of a unit. Bytes.
    pub(super) unit: u64,
    pub(super) units: u64,
}

impl Part {
    /// The part of worker `worker` on a target: its span, or a slice of it where the span must be divided among those who share it.
    pub(super) fn of(spec: &JobSpec, worker: u32, target: usize) -> Self {
        let span = spec.span_on(worker, target);
        let unit = u64::from(spec.workload.smallest_block_bytes());
        let whole = Self { start: span.offset_bytes, unit, units: span.length_bytes / unit };
        match is_divided(spec) {
            true => whole.slice(sharers(spec, worker)),
            false => whole,
        }
    }

    /// Slice `rank` of `count`; the last one takes what does not divide evenly.
    fn slice(self, (rank, count): (u64, u64)) -> Self {
        let share = self.units / count;
        let first = share * rank;
        let units = if rank + 1 == count { self.units - first } else { share };
        Self { start: self.start + first * self.unit, units, ..self }
    }

    /// First byte after it.
    pub(super) fn end(self) -> u64 {
        self.start + self.units * self.unit
    }

    /// End of what the worker may visit, in sectors: the last part of a span also has the rest behind the last whole unit. Bytes.
    pub(super) fn end_with_rest(self, spec: &JobSpec, worker: u32, target: usize) -> u64 {
        let span = spec.span_on(worker, target);
        let end = span.offset_bytes.saturating_add(span.length_bytes / 512 * 512);
        if end.saturating_sub(self.end()) < self.unit { end.max(self.end()) } else { self.end() }
    }

    /// Number of places for an I/O of `bytes` that begins at a unit and does not cross the end.
    #[inline]
    pub(super) fn places(self, bytes: u32) -> u64 {
        let bytes = u64::from(bytes);
        if bytes == self.unit {
            return self.units;
        }
        (self.units * self.unit).checked_sub(bytes).map_or(0, |slack| slack / self.unit + 1)
    }

    /// Offset of an I/O of `bytes` that is to begin at unit `index`. One that would cross the end is moved back, so that it still covers that unit.
    #[inline]
    pub(super) fn at(self, index: u64, bytes: u32) -> Option<u64> {
        let last = self.places(bytes).checked_sub(1)?;
        Some(self.start + index.min(last) * self.unit)
    }

    /// Offset of an I/O of `bytes` that begins at a multiple of `align` bytes from the start; each such place is drawn alike.
    pub(super) fn at_multiple(self, random: &mut Draws, align: u64, bytes: u32) -> Option<u64> {
        let slack = (self.units * self.unit).checked_sub(bytes.into())?;
        Some(self.start + random.below(slack / align.max(1) + 1) * align)
    }
}

/// Sequential workers each have a slice, so that together they visit all.
fn is_divided(spec: &JobSpec) -> bool {
    spec.workload.pattern == Pattern::Sequential || has_one_writer_a_block(spec)
}

/// True where no block may be written by two workers: of two writes to one block under way at once nobody can say which one stays, so no check could tell.
pub(super) fn has_one_writer_a_block(spec: &JobSpec) -> bool {
    spec.workload.shape.data.checked
}

/// Which of the workers on its span a worker is, and how many they are. Spans are dealt out in turn.
fn sharers(spec: &JobSpec, worker: u32) -> (u64, u64) {
    let (worker, workers) = (u64::from(worker), u64::from(spec.workload.workers));
    let spans = spec.placement.spans.len().max(1) as u64;
    (worker / spans, (workers - worker % spans).div_ceil(spans))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: Part = Part { start: 8192, unit: 4096, units: 10 };

    #[test]
    fn the_last_slice_takes_the_rest() {
        let slices: Vec<_> = (0..3).map(|rank| PART.slice((rank, 3))).map(|p| (p.start / 4096 - 2, p.units)).collect();
        assert_eq!(slices, [(0, 3), (3, 3), (6, 4)]);
        assert_eq!(PART.slice((2, 3)).end(), PART.end());
    }

    #[test]
    fn places_do_not_cross_the_end() {
        assert_eq!([4096, 8192, 40960, 40961].map(|bytes| PART.places(bytes)), [10, 9, 1, 0]);
        // 6 KiB is no multiple of the unit and takes two of them.
        assert_eq!(PART.places(6144), 9);
        assert_eq!(PART.places(512), 10);
    }

    // fio 3.33 with blockalign=16k and 2k: of 64 KiB in blocks of 4 KiB, 4 and 31 places.
    #[test]
    fn multiples_fill_the_part() {
        let (part, mut random) = (Part { start: 8192, unit: 4096, units: 16 }, Draws::new(3));
        for (align, places) in [(16384, 4), (2048, 31), (1 << 40, 1)] {
            let mut found: Vec<u64> = (0..2000).map(|_| part.at_multiple(&mut random, align, 4096).unwrap() - 8192).collect();
            found.sort_unstable();
            found.dedup();
            assert!(found.into_iter().eq((0..places).map(|n| n * align)), "{align}");
        }
        assert_eq!(part.at_multiple(&mut random, 4096, 65537), None);
    }

    #[test]
    fn an_io_at_the_end_is_moved_back() {
        assert_eq!(PART.at(9, 4096), Some(8192 + 9 * 4096));
        assert_eq!(PART.at(9, 16384), Some(8192 + 6 * 4096));
        assert_eq!(PART.at(3, 16384), Some(8192 + 3 * 4096));
        assert_eq!(PART.at(0, 65536), None);
    }
}
