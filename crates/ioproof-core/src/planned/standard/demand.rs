//! Demand intensity (DIRTH): random I/O over a grid of thread counts and of OIO in each thread, from the greatest demand down.

use super::Test;
use crate::workload::{Pattern, Workload};
use std::iter::once;

/// Thread counts, and OIO of each thread.
const GRID: [u32; 7] = [32, 16, 8, 6, 4, 2, 1];
/// Block and reads of an OLTP application. Bytes, and per cent.
const BLOCK: u32 = 8 << 10;
const READ_PERCENT: u8 = 65;
/// Length of the writes before each round, in cells.
const LENGTH_OF_WRITES: u64 = 5;

/// Writes at the greatest demand. They precondition the drive, and begin each round.
pub(super) fn writes() -> Workload {
    Workload::plain(Pattern::Random, 0, BLOCK, GRID[0], GRID[0])
}

/// The cells of a round.
pub(super) fn round() -> Vec<Workload> {
    let cell = |threads, depth| Workload::plain(Pattern::Random, READ_PERCENT, BLOCK, threads, depth);
    once(writes()).chain(GRID.iter().flat_map(|threads| GRID.map(|depth| cell(*threads, depth)))).collect()
}

/// True for the cell of the grid with the greatest demand, which tells a steady state.
pub(super) fn tracks(cell: &Workload) -> bool {
    (cell.read_percent, cell.workers, cell.depth) == (READ_PERCENT, GRID[0], GRID[0])
}

impl Test {
    /// False for the writes that begin a round of demand intensity: they only keep the drive in its state.
    pub fn reports(self, cell: &Workload) -> bool {
        self != Self::DemandIntensity || cell.read_percent == READ_PERCENT
    }

    /// Length of a cell of demand intensity, where a cell of other tests is so long. Nanoseconds.
    pub(super) fn length_of(self, cell: usize, cell_ns: u64) -> u64 {
        if self == Self::DemandIntensity && cell == 0 { cell_ns.saturating_mul(LENGTH_OF_WRITES) } else { cell_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_five_minutes_of_writes_and_the_grid_from_the_greatest_demand_down() {
        let cells = round();
        let ids: Vec<String> = [0, 1, 2, 8, 49].map(|at: usize| cells[at].id()).to_vec();
        assert_eq!(ids, ["rand-write-8k-32x32", "rand-mix65-8k-32x32", "rand-mix65-8k-32x16", "rand-mix65-8k-16x32", "rand-mix65-8k-1x1"]);
        assert_eq!(cells.iter().map(|cell| Test::DemandIntensity.reports(cell)).filter(|reports| *reports).count(), 49);
        assert_eq!([0, 1].map(|cell| Test::DemandIntensity.times_of(cell, 60)), [(0, 300), (0, 60)]);
    }
}
