//! Comparison of reads with writes: corrupt, misplaced, stale and torn data are told apart, piece by piece of 512 bytes.
//!
//! - Corrupt: no mark, or the checksum is wrong.
//! - Misplaced: sound, and written by this run, but for another place.
//! - Stale: sound and in its place, but of an earlier write than the last that came back well; or of another run.
//! - Torn: within one unit some pieces are of the last write and others of an earlier one. Units, because those of one I/O may be of different writes.
//!
//! A complaint needs a write that came back well behind it. Where a write was under way while the read was, or failed, nothing is demanded. Where
//! several writes to a unit were under way at once, any of them may stand there, and in each piece another one. Within a piece they do not mix: it is no
//! more than a logical block, which is written whole (NVMe Base Specification, Atomic Operations: AWUN is a block at least), and the page cache takes a page of
//! one writer at a time. Only writers that copy into mapped memory may mix there; then no checksum need be right, but what all have in common, the mark, must
//! stand there all the same. Allocates only when the first piece that is not good is put into words.
//!
//! Where nothing is known of what was written, `alone` judges headers by themselves; `pattern` compares with a pattern; `reader` chooses.

mod alone;
mod header;
mod pattern;
mod reader;
mod words;

use crate::ledger::{Expectation, WriteLedger, is_older};
use header::{Flaw, PIECE_BYTES, open};
pub(crate) use header::{Header, seal};
use ioproof_core::record::CheckResult;
pub(crate) use reader::Reader;

/// Judges a read from `offset` while nothing was written there.
#[cfg(test)]
pub(crate) fn check(ledger: &WriteLedger, offset: u64, block: &[u8], result: &mut CheckResult) {
    check_read(ledger, ledger.look(offset, block.len() as u32), offset, block, result);
}

/// Judges a read from `offset`; `seen` is the answer that [`WriteLedger::look`] gave before the read was started.
fn check_read(ledger: &WriteLedger, seen: u32, offset: u64, block: &[u8], result: &mut CheckResult) {
    let mut found = judge(ledger, offset, block, |at| ledger.expected(at));
    // The look comes after the cells were read: if it is as before, they did not change meanwhile.
    if found.first.is_some() && ledger.look(offset, block.len() as u32) != seen {
        found = judge(ledger, offset, block, |_| Expectation::Unknown);
    }
    found.add_to(result);
}

fn judge(ledger: &WriteLedger, offset: u64, block: &[u8], expected: impl Fn(u64) -> Expectation) -> Found {
    let mut found = Found::default();
    let (mut at, mut rest) = (offset, block);
    while !rest.is_empty() {
        let length = usize::try_from(ledger.rest_of_unit(at)).unwrap_or(usize::MAX).min(rest.len());
        let (unit, after) = rest.split_at(length);
        let unit = Unit { seed: ledger.seed(), start: at, pieces: unit.as_chunks().0 };
        match expected(at) {
            Expectation::Unwritten => found.unwritten += unit.pieces.len() as u64,
            Expectation::Unknown => unit.judge_loosely(None, ledger.mixes(), &mut found),
            Expectation::AtLeast(oldest) => unit.judge_loosely(Some(oldest), ledger.mixes(), &mut found),
            Expectation::Exactly(sequence) => unit.judge(sequence, &mut found),
        }
        (at, rest) = (at.saturating_add(length as u64), after);
    }
    found
}

/// The result of one read.
#[derive(Debug, Default)]
struct Found {
    good: u64,
    unwritten: u64,
    corrupt: u64,
    misplaced: u64,
    stale: u64,
    torn: bool,
    first: Option<Finding>,
}

impl Found {
    #[cold]
    fn note(&mut self, at: u64, what: PieceFault) {
        self.first.get_or_insert(Finding { at, what });
    }

    /// A sound piece that was written for another place.
    #[cold]
    fn misplace(&mut self, at: u64, meant_for: u64) {
        self.misplaced += 1;
        self.note(at, PieceFault::Misplaced { meant_for });
    }

    /// A piece that is not sound.
    #[cold]
    fn spoil(&mut self, at: u64, flaw: Flaw, piece: &[u8]) {
        self.corrupt += 1;
        self.note(at, PieceFault::Corrupt { flaw, zeros: piece.iter().all(|byte| *byte == 0) });
    }

    fn add_to(self, result: &mut CheckResult) {
        result.good += self.good;
        result.unwritten += self.unwritten;
        if let Some(first) = self.first {
            result.corrupt += self.corrupt;
            result.misplaced += self.misplaced;
            result.stale += self.stale;
            result.torn += u64::from(self.torn);
            result.first.get_or_insert_with(|| first.words());
        }
    }
}

/// Something that is not good.
#[derive(Debug, Clone, Copy)]
struct Finding {
    /// Offset at which the piece was read. Bytes.
    at: u64,
    what: PieceFault,
}

/// Faults of a piece. `last` is the sequence number of the last write that came back well; of a piece that differs from a pattern, the first bytes are kept.
/// `Compared` is a whole I/O, in which the drive found a difference.
#[derive(Debug, Clone, Copy)]
enum PieceFault {
    Corrupt { flaw: Flaw, zeros: bool },
    Misplaced { meant_for: u64 },
    Stale { of: PieceOrigin, last: u32 },
    Torn { of: PieceOrigin, last: u32 },
    Compared { bytes: u32 },
    Differs { length: u8, expected: [u8; pattern::SHOWN], found: [u8; pattern::SHOWN] },
}

/// The writer of a sound piece.
#[derive(Debug, Clone, Copy)]
enum PieceOrigin {
    Write(u32),
    AnotherRun,
}

/// A piece by its own header.
enum Piece {
    InPlace(PieceOrigin),
    Elsewhere(u64),
    Broken(Flaw),
}

/// As much of a unit as was read.
struct Unit<'a> {
    seed: u64,
    /// Bytes.
    start: u64,
    pieces: &'a [[u8; PIECE_BYTES]],
}

impl Unit<'_> {
    /// Each piece with the place where it was read.
    #[inline]
    fn read(&self) -> impl Iterator<Item = (u64, &[u8; PIECE_BYTES], Piece)> {
        let places = (self.start..).step_by(PIECE_BYTES);
        places.zip(self.pieces).map(|(at, piece)| {
            let says = match open(piece) {
                Err(flaw) => Piece::Broken(flaw),
                Ok(header) if header.seed != self.seed => Piece::InPlace(PieceOrigin::AnotherRun),
                Ok(header) if header.offset != at => Piece::Elsewhere(header.offset),
                Ok(header) => Piece::InPlace(PieceOrigin::Write(header.sequence)),
            };
            (at, piece, says)
        })
    }

    /// Of one write that came back well.
    #[inline]
    fn judge(&self, last: u32, found: &mut Found) {
        let (mut good, mut old) = (0, 0);
        let mut first_old = None;
        for (at, piece, says) in self.read() {
            match says {
                Piece::InPlace(PieceOrigin::Write(sequence)) if sequence == last => good += 1,
                Piece::InPlace(of) => {
                    old += 1;
                    first_old.get_or_insert((at, of));
                }
                Piece::Elsewhere(meant_for) => found.misplace(at, meant_for),
                Piece::Broken(flaw) => found.spoil(at, flaw, piece),
            }
        }
        found.good += good;
        let Some((at, of)) = first_old else { return };
        if good > 0 {
            found.torn = true;
            found.note(at, PieceFault::Torn { of, last });
        } else {
            found.stale += old;
            found.note(at, PieceFault::Stale { of, last });
        }
    }

    /// Of any write that is not older than `oldest`, if there is such a limit, or of several that mixed; what is not known to have been written is no ground
    /// for complaint.
    fn judge_loosely(&self, oldest: Option<u32>, mixes: bool, found: &mut Found) {
        for (at, piece, says) in self.read() {
            match (says, oldest) {
                (Piece::InPlace(of), Some(last)) if of.is_before(last) => {
                    found.stale += 1;
                    found.note(at, PieceFault::Stale { of, last });
                }
                (Piece::Elsewhere(meant_for), Some(_)) => found.misplace(at, meant_for),
                (Piece::Broken(flaw), Some(_)) if !mixes || flaw == Flaw::NoMark => found.spoil(at, flaw, piece),
                (Piece::InPlace(PieceOrigin::Write(_)), _) => found.good += 1,
                _ => found.unwritten += 1,
            }
        }
    }
}

impl PieceOrigin {
    fn is_before(self, oldest: u32) -> bool {
        match self {
            Self::Write(sequence) => is_older(sequence, oldest),
            Self::AnotherRun => true,
        }
    }
}

#[cfg(test)]
mod tests;
