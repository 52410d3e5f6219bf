//! All writes in ascending order: one piece for each write, as far as later ones have left it. Nothing is listed: the cells are gone through.

use super::{Cell, Expectation, WriteLedger};
use std::sync::Arc;
use std::sync::atomic::Ordering::Acquire;

/// The share of one of several workers in all writes.
#[derive(Debug)]
pub(crate) struct Walk {
    ledger: Arc<WriteLedger>,
    /// Which of how many workers goes it; each takes a part of every target.
    worker: (u64, u64),
    /// No piece is longer. Bytes.
    most_bytes: u64,
    target: u32,
    /// The next unit of the target, and the first that is another worker's.
    next: usize,
    end: usize,
}

impl Walk {
    /// Worker `rank` of `workers`; pieces of at most `most_bytes`.
    pub(crate) fn new(ledger: Arc<WriteLedger>, (rank, workers): (u32, u32), most_bytes: u32) -> Self {
        let worker = (u64::from(rank), u64::from(workers.max(1)));
        let mut walk = Self { ledger, worker, most_bytes: most_bytes.into(), target: 0, next: 0, end: 0 };
        walk.begin(0);
        walk
    }

    /// The next piece: target, offset and length in bytes.
    pub(crate) fn next(&mut self) -> Option<(u32, u64, u32)> {
        loop {
            if let Some((offset, bytes)) = self.next_here() {
                return Some((self.target, offset, bytes));
            }
            if self.target as usize + 1 >= self.ledger.targets() {
                return None;
            }
            self.begin(self.target + 1);
        }
    }

    fn begin(&mut self, target: u32) {
        let ledger = self.ledger.of(target);
        let (rank, workers) = self.worker;
        let part = |rank: u64| (ledger.cells.len() as u64 * rank / workers) as usize;
        (self.target, self.next, self.end) = (target, part(rank), part(rank + 1));
        // The rest of a write that began in the part before belongs to whoever goes through that.
        while self.next > 0 && self.next < self.end && ledger.is_of_one_write(self.next - 1, self.next) {
            self.next += 1;
        }
    }

    fn next_here(&mut self) -> Option<(u64, u32)> {
        let ledger = self.ledger.of(self.target);
        let first = (self.next..self.end).find(|unit| ledger.unit(*unit).is_some_and(|cell| cell.written));
        let Some(first) = first else {
            self.next = self.end;
            return None;
        };
        let unit = u64::from(ledger.unit_bytes);
        let mut after = first + 1;
        while (after + 1 - first) as u64 * unit <= self.most_bytes && ledger.is_of_one_write(after - 1, after) {
            after += 1;
        }
        self.next = after;
        let start = ledger.span.offset_bytes + first as u64 * unit;
        let end = (ledger.span.offset_bytes + after as u64 * unit).min(ledger.end());
        Some((start, (end - start) as u32))
    }
}

impl WriteLedger {
    fn unit(&self, index: usize) -> Option<Cell> {
        self.cells.get(index).map(|cell| Cell::unpack(cell.load(Acquire)))
    }

    /// True where two units are known to be of one and the same write.
    fn is_of_one_write(&self, a: usize, b: usize) -> bool {
        match (self.unit(a).map(Cell::expected), self.unit(b).map(Cell::expected)) {
            (Some(Expectation::Exactly(a)), Some(Expectation::Exactly(b))) => a == b,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::job::Span;

    const UNIT: u32 = 4096;

    fn span(offset_units: u64, units: u64) -> Span {
        Span { offset_bytes: offset_units * u64::from(UNIT), length_bytes: units * u64::from(UNIT) }
    }

    /// Writes units of a target that come back well.
    fn write(ledger: &WriteLedger, target: u32, unit: u64, units: u32) {
        let (ledger, offset) = (ledger.of(target), unit * u64::from(UNIT));
        let sequence = ledger.begin(offset, units * UNIT);
        ledger.acknowledge(offset, units * UNIT, sequence);
    }

    /// All pieces in units.
    fn pieces(ledger: &Arc<WriteLedger>, worker: (u32, u32), most_units: u32) -> Vec<(u32, u64, u32)> {
        let mut walk = Walk::new(Arc::clone(ledger), worker, most_units * UNIT);
        std::iter::from_fn(|| walk.next()).map(|(target, offset, bytes)| (target, offset / u64::from(UNIT), bytes / UNIT)).collect()
    }

    #[test]
    fn each_write_is_one_piece_and_what_is_not_written_is_none() {
        let ledger = WriteLedger::of_targets(&[span(10, 20), span(0, 8), span(5, 4)], UNIT, 1).unwrap();
        write(&ledger, 0, 12, 4);
        write(&ledger, 0, 16, 1);
        write(&ledger, 0, 29, 1);
        write(&ledger, 2, 5, 2);
        write(&ledger, 2, 7, 2);
        let ledger = Arc::new(ledger);
        assert_eq!(pieces(&ledger, (0, 1), 4), [(0, 12, 4), (0, 16, 1), (0, 29, 1), (2, 5, 2), (2, 7, 2)]);
        assert_eq!(pieces(&ledger, (0, 1), 3)[..2], [(0, 12, 3), (0, 15, 1)], "never longer than a buffer");
    }

    #[test]
    fn what_is_written_over_comes_in_pieces() {
        let ledger = WriteLedger::new(span(0, 8), UNIT, 1).unwrap();
        write(&ledger, 0, 0, 6);
        write(&ledger, 0, 2, 1);
        assert_eq!(pieces(&Arc::new(ledger), (0, 1), 8), [(0, 0, 2), (0, 2, 1), (0, 3, 3)]);
    }

    #[test]
    fn workers_together_come_to_each_piece_once() {
        let ledger = WriteLedger::of_targets(&[span(0, 64), span(0, 7)], UNIT, 1).unwrap();
        for unit in (0..60).step_by(6) {
            write(&ledger, 0, unit, 5);
        }
        write(&ledger, 1, 0, 7);
        let ledger = Arc::new(ledger);
        let alone = pieces(&ledger, (0, 1), 8);
        for workers in [2, 3, 7, 64, 100] {
            let mut all: Vec<_> = (0..workers).flat_map(|rank| pieces(&ledger, (rank, workers), 8)).collect();
            all.sort_unstable();
            assert_eq!(all, alone, "{workers} workers");
        }
    }

    #[test]
    fn what_failed_is_read_unit_by_unit() {
        let ledger = WriteLedger::new(span(0, 4), UNIT, 1).unwrap();
        ledger.begin(0, 2 * UNIT);
        ledger.abandon(0, 2 * UNIT);
        assert_eq!(pieces(&Arc::new(ledger), (0, 1), 8), [(0, 0, 1), (0, 1, 1)]);
    }

    #[test]
    fn a_span_that_is_cut_ends_with_it() {
        let cut = Span { offset_bytes: 0, length_bytes: 6144 };
        let ledger = Arc::new(WriteLedger::new(cut, UNIT, 1).unwrap());
        let sequence = ledger.begin(0, 6144);
        ledger.acknowledge(0, 6144, sequence);
        let mut walk = Walk::new(ledger, (0, 1), 8192);
        assert_eq!((walk.next(), walk.next()), (Some((0, 0, 6144)), None));
    }
}
