//! The writes of a run as a reader must find them: the last one of every place. Shared by all workers and by the jobs of a run, without locks.
//!
//! A unit, a piece of which all blocks of the jobs consist, has one atomic cell with the sequence number of its last write and its place in that. While a
//! write is under way, or where several were at once, or one failed, the cell says so and less is demanded of what is read: nobody is blamed for what
//! nobody promised. `walk` goes through what was written, write by write.

mod cell;
mod walk;

use cell::{Cell, update};
pub(crate) use walk::Walk;

use ioproof_core::job::Span;
use ioproof_core::units::binary_size;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use zerocopy::FromZeros;

/// Memory that the cells may take at most. Bytes.
const MEMORY_BYTES_MAX: u64 = 1 << 30;
const CELL_BYTES: u64 = size_of::<AtomicU64>() as u64;

/// Reasons why there can be no ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// A unit is a block that carries headers.
    #[error("data is checked in pieces of 512 bytes, of which {0} bytes are no multiple")]
    Unit(u32),
    /// It would take too much memory.
    #[error(
        "to check {} in blocks of {} takes {} of memory for what was written where, and it may be {}: check at most {}, or use larger blocks",
        binary_size(*.span_bytes),
        binary_size((*.unit_bytes).into()),
        binary_size(.span_bytes.div_ceil((*.unit_bytes).into()).saturating_mul(CELL_BYTES)),
        binary_size(MEMORY_BYTES_MAX),
        binary_size(longest_bytes(*.unit_bytes))
    )]
    TooLong {
        /// The part that was to be checked.
        span_bytes: u64,
        /// In blocks of this size.
        unit_bytes: u32,
    },
    /// The host has not got it.
    #[error("there is no memory for what was written where: {}", binary_size(*.0))]
    NoMemory(u64),
}

/// The longest span in units of `unit_bytes`.
fn longest_bytes(unit_bytes: u32) -> u64 {
    MEMORY_BYTES_MAX / CELL_BYTES * u64::from(unit_bytes)
}

/// The last write of every place.
#[derive(Debug)]
pub struct WriteLedger {
    span: Span,
    unit_bytes: u32,
    seed: u64,
    /// Sequence number of the last write that was begun, on whichever target.
    last: Arc<AtomicU32>,
    cells: Box<[AtomicU64]>,
    /// Those of the second target and all after it.
    others: Box<[WriteLedger]>,
    /// True where the writes were only planned here, and somebody else did them.
    is_planned: bool,
    /// Set where several writes at once may mix within a piece, on whichever target.
    mixes: Arc<AtomicBool>,
}

/// Expectation of a read at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// Nothing is known: nobody wrote it.
    Unwritten,
    /// The last write came back well, and no other was under way with it.
    Exactly(u32),
    /// Several writes were under way at once and all came back well: any of them, of which this is the oldest.
    AtLeast(u32),
    /// A write is under way, or failed, or covered the unit in part.
    Unknown,
}

/// Compares two sequence numbers: true where `a` is of an earlier write than `b`. They begin again after 2^32 writes.
pub(crate) fn is_older(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() < 0
}

impl WriteLedger {
    /// A ledger of a span of the target in which nothing is written yet. `unit_bytes` is the size of the smallest block that will be written;
    /// `seed` must differ from that of every other run on the target, as it tells their data apart.
    ///
    /// # Errors
    /// When the unit is no multiple of 512 bytes, or the span has more units than there may be cells.
    pub fn new(span: Span, unit_bytes: u32, seed: u64) -> Result<Self, LedgerError> {
        Self::of_targets(&[span], unit_bytes, seed)
    }

    /// A ledger of a span of each of several targets.
    ///
    /// # Errors
    /// As [`Self::new`], with the spans taken together.
    pub fn of_targets(spans: &[Span], unit_bytes: u32, seed: u64) -> Result<Self, LedgerError> {
        Self::fits(spans, unit_bytes)?;
        let (last, mixes) = Default::default();
        let one = |span: &Span| Self::of_one(*span, unit_bytes, seed, &last, &mixes);
        let (first, others) = spans.split_first().unwrap_or((&Span { offset_bytes: 0, length_bytes: 0 }, &[]));
        let others = others.iter().map(one).collect::<Result<_, _>>()?;
        Ok(Self { others, ..one(first)? })
    }

    /// Answers whether one of these spans can be made, as far as memory is not the reason.
    ///
    /// # Errors
    /// When the unit is no multiple of 512, or the spans are too long.
    pub fn fits(spans: &[Span], unit_bytes: u32) -> Result<(), LedgerError> {
        if unit_bytes == 0 || !unit_bytes.is_multiple_of(512) {
            return Err(LedgerError::Unit(unit_bytes));
        }
        let span_bytes = spans.iter().map(|span| span.length_bytes).fold(0, u64::saturating_add);
        let fits = span_bytes <= longest_bytes(unit_bytes);
        if fits { Ok(()) } else { Err(LedgerError::TooLong { span_bytes, unit_bytes }) }
    }

    fn of_one(span: Span, unit_bytes: u32, seed: u64, last: &Arc<AtomicU32>, mixes: &Arc<AtomicBool>) -> Result<Self, LedgerError> {
        let units = span.length_bytes.div_ceil(unit_bytes.into());
        // Zeros that the kernel gives take memory only where something is written.
        let cells = AtomicU64::new_vec_zeroed(units as usize).map_err(|_| LedgerError::NoMemory(units * CELL_BYTES))?;
        let (last, mixes) = (Arc::clone(last), Arc::clone(mixes));
        Ok(Self { span, unit_bytes, seed, last, cells: cells.into(), others: Box::default(), is_planned: false, mixes })
    }

    /// The same, for writes that are only noted and not done: what stands there was written by somebody else, so reading tells nothing of seed and
    /// sequence.
    #[must_use]
    pub fn planned(self) -> Self {
        let others = self.others.into_iter().map(Self::planned).collect();
        Self { is_planned: true, others, ..self }
    }

    /// True where somebody else did the writes that are noted here.
    pub(crate) fn is_planned(&self) -> bool {
        self.is_planned
    }

    /// Takes note that writes come from a backend that copies into mapped memory, where several at once may mix within a piece.
    pub(crate) fn note_mixing(&self) {
        self.mixes.store(true, Relaxed);
    }

    /// True where that was noted.
    pub(crate) fn mixes(&self) -> bool {
        self.mixes.load(Relaxed)
    }

    /// Number of its targets.
    pub(crate) fn targets(&self) -> usize {
        1 + self.others.len()
    }

    /// The ledger of target number `target`.
    #[inline]
    pub(crate) fn of(&self, target: u32) -> &Self {
        (target as usize).checked_sub(1).and_then(|other| self.others.get(other)).unwrap_or(self)
    }

    /// The number that every header of this run bears.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Bytes for which one cell is kept.
    #[must_use]
    pub fn unit_bytes(&self) -> u32 {
        self.unit_bytes
    }

    /// True where it covers all of `span`.
    #[must_use]
    pub fn covers(&self, span: Span) -> bool {
        let end = |s: Span| s.offset_bytes.checked_add(s.length_bytes);
        self.span.offset_bytes <= span.offset_bytes && end(span).is_some_and(|e| end(self.span).is_none_or(|own| e <= own))
    }

    /// Begins a write and gives its sequence number; from here its units are under way. One that never comes back stays so for good, as it
    /// may still reach the medium.
    #[inline]
    pub(crate) fn begin(&self, offset: u64, bytes: u32) -> u32 {
        let sequence = self.last.fetch_add(1, Relaxed).wrapping_add(1);
        let end = offset.saturating_add(bytes.into());
        for (cell, start) in self.touched(offset, bytes) {
            let whole = offset <= start && start.saturating_add(self.unit_bytes.into()).min(self.end()) <= end;
            let step = start.saturating_sub(offset) / u64::from(self.unit_bytes);
            update(cell, |c| c.begin(sequence, whole, step));
        }
        sequence
    }

    /// The write came back well.
    #[inline]
    pub(crate) fn acknowledge(&self, offset: u64, bytes: u32, sequence: u32) {
        for (cell, _) in self.touched(offset, bytes) {
            // The oldest of those under way cannot be younger; if it is, the write was not begun here and nothing is known.
            update(cell, |c| c.end(!is_older(sequence, c.sequence)));
        }
    }

    /// The write failed: old and new may stand there, until a later one comes back well.
    pub(crate) fn abandon(&self, offset: u64, bytes: u32) {
        for (cell, _) in self.touched(offset, bytes) {
            update(cell, |c| c.end(false));
        }
    }

    /// Expectation of the unit at `offset`.
    #[inline]
    pub(crate) fn expected(&self, offset: u64) -> Expectation {
        self.cell(offset).map_or(Expectation::Unwritten, Cell::expected)
    }

    /// Start of the write that the unit at `offset` is of, where it is known of one that came back well.
    #[inline]
    pub(crate) fn start_of_write(&self, offset: u64) -> Option<u64> {
        let steps = self.cell(offset)?.step_of_settled()?;
        let unit = u64::from(self.unit_bytes);
        let start = offset - (offset - self.span.offset_bytes) % unit;
        start.checked_sub(steps * unit)
    }

    #[inline]
    fn cell(&self, offset: u64) -> Option<Cell> {
        let inside = offset.checked_sub(self.span.offset_bytes)?;
        let cell = self.cells.get((inside / u64::from(self.unit_bytes)) as usize)?;
        Some(Cell::unpack(cell.load(Acquire)))
    }

    /// True where an acknowledged write stands at `offset`.
    pub(crate) fn was_written(&self, offset: u64) -> bool {
        matches!(self.expected(offset), Expectation::Exactly(_) | Expectation::AtLeast(_))
    }

    /// Bytes from `offset` to the end of its unit.
    #[inline]
    pub(crate) fn rest_of_unit(&self, offset: u64) -> u64 {
        let Some(inside) = offset.checked_sub(self.span.offset_bytes) else { return self.span.offset_bytes - offset };
        u64::from(self.unit_bytes) - inside % u64::from(self.unit_bytes)
    }

    /// A digest of what is known of a place. A reader takes it before it begins to read: if it is another afterwards, a write was under way
    /// meanwhile and either may have been read.
    #[inline]
    pub(crate) fn look(&self, offset: u64, bytes: u32) -> u32 {
        let mix = |digest: u64, cell: u64| {
            let product = (digest ^ cell).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            product ^ (product >> 32)
        };
        self.touched(offset, bytes).fold(0, |digest, (cell, _)| mix(digest, cell.load(Acquire))) as u32
    }

    fn end(&self) -> u64 {
        self.span.offset_bytes.saturating_add(self.span.length_bytes)
    }

    /// The cells of the units that a range touches, each with the unit's first byte; of what is beyond the span, none.
    #[inline]
    fn touched(&self, offset: u64, bytes: u32) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let (start, unit) = (self.span.offset_bytes, u64::from(self.unit_bytes));
        let first = offset.saturating_sub(start) / unit;
        let next = offset.saturating_add(bytes.into()).saturating_sub(start).div_ceil(unit).min(self.cells.len() as u64);
        let cells = self.cells.get(first as usize..next as usize).unwrap_or_default();
        cells.iter().zip(first..).map(move |(cell, index)| (cell, start + index * unit))
    }
}

#[cfg(test)]
mod tests;
