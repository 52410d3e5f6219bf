//! Tests that run through once: segments of cells of one load, with a rest of the host before each cell.

use super::{Standard, Test};
use crate::workload::{Pattern, Workload};
use std::iter::repeat_n;
use std::ops::Range;

/// Cells of one load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Name in tables.
    pub name: &'static str,
    pub cells: usize,
    pattern: Pattern,
    block_bytes: u32,
    /// Rest of the host before each cell where one takes a minute. Seconds.
    rest_s: u64,
}

const fn random(name: &'static str, cells: usize, block_bytes: u32, rest_s: u64) -> Segment {
    Segment { name, cells, pattern: Pattern::Random, block_bytes, rest_s }
}

const fn sequential(name: &'static str, cells: usize) -> Segment {
    Segment { name, cells, pattern: Pattern::Sequential, block_bytes: 1024 << 10, rest_s: 0 }
}

/// Writes of five seconds in host idle recovery, 360 with a rest before each and 360 without, for each length of a rest.
const WRITES: usize = 360;

/// Host idle recovery.
const HOST_IDLE: [Segment; 10] = [
    random("wait state 5 s", WRITES, 4096, 5),
    random("baseline after 5 s", WRITES, 4096, 0),
    random("wait state 10 s", WRITES, 4096, 10),
    random("baseline after 10 s", WRITES, 4096, 0),
    random("wait state 15 s", WRITES, 4096, 15),
    random("baseline after 15 s", WRITES, 4096, 0),
    random("wait state 25 s", WRITES, 4096, 25),
    random("baseline after 25 s", WRITES, 4096, 0),
    random("wait state 50 s", WRITES, 4096, 50),
    random("baseline after 50 s", WRITES, 4096, 0),
];

/// Cross-stimulus recovery: 8, 6 and 8 hours.
const CROSS_STIMULUS: [Segment; 3] =
    [sequential("SEQ 1024 KiB", 480), random("RND 8 KiB", 360, 8192, 0), sequential("SEQ 1024 KiB again", 480)];

impl Test {
    /// Its segments in their order; none of a test in rounds.
    pub fn segments(self) -> &'static [Segment] {
        match self {
            Self::HostIdle => &HOST_IDLE,
            Self::CrossStimulus => &CROSS_STIMULUS,
            _ => &[],
        }
    }

    pub(super) fn cells_of_segments(self, standard: &Standard) -> Vec<Workload> {
        let load = |of: &Segment| match of.pattern {
            Pattern::Random if self == Self::HostIdle => Workload::plain(of.pattern, 0, of.block_bytes, standard.workers, standard.depth),
            _ => Workload::plain(of.pattern, 0, of.block_bytes, 1, super::test::SEQUENTIAL_DEPTH),
        };
        self.segments().iter().flat_map(|of| repeat_n(load(of), of.cells)).collect()
    }

    /// Each segment with the positions of its cells.
    pub fn segment_cells(self) -> impl Iterator<Item = (&'static Segment, Range<usize>)> {
        self.segments().iter().scan(0, |at, of| {
            let first = *at;
            *at += of.cells;
            Some((of, first..*at))
        })
    }

    /// Rest of the host before a cell and length of the cell, where a cell of other tests is so long. Nanoseconds.
    pub fn times_of(self, cell: usize, cell_ns: u64) -> (u64, u64) {
        let segment = self.segment_cells().find(|(_, cells)| cells.contains(&cell));
        let rest_s = segment.map_or(0, |(of, _)| of.rest_s);
        (cell_ns / 60 * rest_s, if self == Self::HostIdle { cell_ns / 12 } else { self.length_of(cell, cell_ns) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_and_lengths_are_those_of_the_specification_and_shrink_with_the_cell() {
        let of = |cell| Test::HostIdle.times_of(cell, super::super::CELL_NS);
        assert_eq!(
            (of(0), of(359), of(360), of(720)),
            ((5_000_000_000, 5_000_000_000), of(0), (0, 5_000_000_000), (10_000_000_000, 5_000_000_000))
        );
        assert_eq!(Test::HostIdle.times_of(8 * 360, 60_000_000), (50_000_000, 5_000_000));
        assert_eq!(Test::CrossStimulus.times_of(500, 7), (0, 7));
        let ends: Vec<Range<usize>> = Test::CrossStimulus.segment_cells().map(|(_, cells)| cells).collect();
        assert_eq!(ends, [0..480, 480..840, 840..1320]);
    }
}
