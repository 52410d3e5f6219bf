//! Comparison of a read with a pattern. A block of it begins where its write began: that is known from the ledger, and else taken to be where the read
//! began. Counted in pieces of 512 bytes as headers are, and a last one that is shorter.

use super::{Found, PIECE_BYTES, PieceFault};
use crate::data::Template;
use crate::ledger::{Expectation, WriteLedger};
use ioproof_core::record::CheckResult;

/// Judges a read from `offset`. With a ledger comes the answer that [`WriteLedger::look`] gave before the read was started.
pub(super) fn check(template: &mut Template, ledger: Option<(&WriteLedger, u32)>, offset: u64, block: &[u8], result: &mut CheckResult) {
    let mut found = Found::default();
    let Some((ledger, seen)) = ledger else {
        judge(template, offset, offset, block, &mut found);
        return found.add_to(result);
    };
    let (mut at, mut rest) = (offset, block);
    while !rest.is_empty() {
        let length = usize::try_from(ledger.rest_of_unit(at)).unwrap_or(usize::MAX).min(rest.len());
        let (unit, after) = rest.split_at(length);
        match start(ledger, template, at) {
            Some(start) => judge(template, start, at, unit, &mut found),
            None if matches!(ledger.expected(at), Expectation::AtLeast(_)) && !ledger.mixes() => judge_any(template, at, unit, &mut found),
            None => found.unwritten += pieces(unit),
        }
        (at, rest) = (at.saturating_add(length as u64), after);
    }
    // The look comes after the cells were read: if it is another than before the read, a write was under way meanwhile.
    if found.first.is_some() && ledger.look(offset, block.len() as u32) != seen {
        found = Found { unwritten: pieces(block), ..Found::default() };
    }
    found.add_to(result);
}

/// Start of the block that stands at `at`, or of one like it: of several writes at once all left the same there, if the pattern is alike in all units.
fn start(ledger: &WriteLedger, template: &Template, at: u64) -> Option<u64> {
    let unit_bytes = u64::from(ledger.unit_bytes());
    let is_alike = || template.is_alike_in_units_of(unit_bytes) && matches!(ledger.expected(at), Expectation::AtLeast(_));
    let start_of_unit = || at.saturating_add(ledger.rest_of_unit(at)).checked_sub(unit_bytes);
    ledger.start_of_write(at).or_else(|| start_of_unit().filter(|_| is_alike()))
}

fn pieces(bytes: &[u8]) -> u64 {
    bytes.len().div_ceil(PIECE_BYTES) as u64
}

/// Judges the bytes at `at` of the block that begins at `start`.
#[inline]
fn judge(template: &mut Template, start: u64, at: u64, read: &[u8], found: &mut Found) {
    template.stamp(start);
    if template.difference(at - start, read).is_none() {
        found.good += pieces(read);
        return;
    }
    tell(template, start, at, read, found);
}

/// Judges the bytes at `at` of several writes at once that began at different places: each piece is a part of one of them, wherever that began.
#[cold]
fn judge_any(template: &Template, at: u64, read: &[u8], found: &mut Found) {
    for (at, piece) in (at..).step_by(PIECE_BYTES).zip(read.chunks(PIECE_BYTES)) {
        match template.may_hold(piece) {
            Some(true) => found.good += 1,
            Some(false) => {
                found.corrupt += 1;
                found.note(at, differs(template, at, at, piece, 0));
            }
            None => found.unwritten += 1,
        }
    }
}

#[cold]
fn tell(template: &Template, start: u64, at: u64, read: &[u8], found: &mut Found) {
    for (at, piece) in (at..).step_by(PIECE_BYTES).zip(read.chunks(PIECE_BYTES)) {
        match template.difference(at - start, piece) {
            None => found.good += 1,
            Some(first) => {
                found.corrupt += 1;
                found.note(at + first as u64, differs(template, start, at, piece, first));
            }
        }
    }
}

/// The difference of a piece at `at` from byte `first` on, where the block began at `start`.
fn differs(template: &Template, start: u64, at: u64, piece: &[u8], first: usize) -> PieceFault {
    let (mut found, length) = ([0; SHOWN], SHOWN.min(piece.len() - first));
    found[..length].copy_from_slice(&piece[first..first + length]);
    PieceFault::Differs { length: length as u8, expected: template.bytes(at - start + first as u64), found }
}

/// Bytes that are shown of a difference.
pub(super) const SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::job::Span;

    const UNIT: u32 = 4096;

    fn written(template: &mut Template, offset: u64, bytes: usize) -> Vec<u8> {
        let mut block = vec![0; bytes];
        template.stamp(offset);
        template.fill(&mut block);
        block
    }

    fn offsets() -> Template {
        Template::new(b"\0\0\0\0\0\0\0\0abc", &[0])
    }

    #[test]
    fn a_difference_is_told_with_what_stands_there_and_what_should() {
        let mut template = offsets();
        let mut block = written(&mut template, 8192, 4096);
        let mut result = CheckResult::default();
        check(&mut template, None, 8192, &block, &mut result);
        assert_eq!((result.good, result.bad(), &result.first), (8, 0, &None));
        block[1034] = b'x';
        check(&mut template, None, 8192, &block, &mut result);
        assert_eq!((result.good, result.corrupt), (15, 1));
        // 1034 is 94 times 11: the first byte of an offset.
        let text = "differs at byte 9226: 78 20 00 00 00 00 00 00 stands there, and 00 20 00 00 00 00 00 00 was written";
        assert_eq!(result.first.unwrap(), text);
    }

    #[test]
    fn a_block_of_another_place_is_not_taken() {
        let mut template = offsets();
        let moved = written(&mut template, 4096, 4096);
        let mut result = CheckResult::default();
        check(&mut template, None, 8192, &moved, &mut result);
        assert_eq!((result.good, result.corrupt), (0, 8));
        let mut last = CheckResult::default();
        check(&mut template, None, 8192, &written(&mut offsets(), 8192, 1000), &mut last);
        assert_eq!((last.good, last.corrupt), (2, 0), "a last piece may be short");
    }

    #[test]
    fn with_a_ledger_the_start_of_the_write_is_known() {
        let ledger = WriteLedger::new(Span { offset_bytes: 0, length_bytes: 65536 }, UNIT, 1).unwrap();
        let mut template = offsets();
        let mut drive = vec![0xee; 65536];
        let write = |offset: u64, units: u32, drive: &mut [u8]| {
            let sequence = ledger.begin(offset, units * UNIT);
            let block = written(&mut offsets(), offset, (units * UNIT) as usize);
            drive[offset as usize..][..block.len()].copy_from_slice(&block);
            ledger.acknowledge(offset, units * UNIT, sequence);
        };
        write(8192, 4, &mut drive);
        write(12288, 1, &mut drive);
        let mut read = |offset: u64, bytes: usize, drive: &[u8]| {
            let mut result = CheckResult::default();
            let seen = ledger.look(offset, bytes as u32);
            check(&mut template, Some((&ledger, seen)), offset, &drive[offset as usize..][..bytes], &mut result);
            result
        };
        let all = read(0, 65536, &drive);
        assert_eq!((all.good, all.unwritten, all.bad()), (32, 96, 0), "{all:?}");
        assert_eq!(read(16384, 4096, &drive).good, 8, "from the middle of a write");
        drive[20000] ^= 1;
        assert_eq!((read(0, 65536, &drive).corrupt, read(16384, 4096, &drive).corrupt), (1, 1));
        let under_way = ledger.begin(16384, UNIT);
        assert_eq!(read(16384, 4096, &drive).corrupt, 0, "a write is under way");
        ledger.acknowledge(16384, UNIT, under_way);
        assert_eq!(read(16384, 4096, &drive).corrupt, 8, "it came back well and changed nothing: the pattern begins there");
    }

    #[test]
    fn writes_at_once_of_the_same_bytes_leave_these() {
        let ledger = WriteLedger::new(Span { offset_bytes: 0, length_bytes: 8192 }, UNIT, 1).unwrap();
        let [long, short] = [ledger.begin(0, 2 * UNIT), ledger.begin(u64::from(UNIT), UNIT)];
        ledger.acknowledge(u64::from(UNIT), UNIT, short);
        ledger.acknowledge(0, 2 * UNIT, long);
        let judged = |pattern: &[u8], drive: &[u8]| {
            let mut result = CheckResult::default();
            check(&mut Template::new(pattern, &[]), Some((&ledger, ledger.look(4096, UNIT))), 4096, drive, &mut result);
            [result.good, result.corrupt, result.unwritten]
        };
        assert_eq!(judged(b"ab", &b"ab".repeat(2048)), [8, 0, 0]);
        assert_eq!(judged(b"ab", &[0; 4096]), [0, 8, 0], "both came back well");
        assert_eq!(judged(b"abc", &[0; 4096]), [0, 8, 0], "wherever the one began that stands there");
        assert_eq!([b"abc", b"bca"].map(|drive| judged(b"abc", &drive.repeat(1366)[..4096])), [[8, 0, 0]; 2]);
        let long: Vec<u8> = (0..3000).map(|n| (n % 251) as u8).collect();
        assert_eq!(judged(&long, &[0; 4096]), [0, 0, 8], "too many ways");
    }

    #[test]
    fn a_write_meanwhile_excuses_what_was_read() {
        let ledger = WriteLedger::new(Span { offset_bytes: 0, length_bytes: 4096 }, UNIT, 1).unwrap();
        let one = ledger.begin(0, UNIT);
        ledger.acknowledge(0, UNIT, one);
        let seen = ledger.look(0, UNIT);
        let other = ledger.begin(0, UNIT);
        ledger.acknowledge(0, UNIT, other);
        let mut result = CheckResult::default();
        check(&mut offsets(), Some((&ledger, seen)), 0, &[0xee; 4096], &mut result);
        assert_eq!((result.corrupt, result.unwritten), (0, 8));
    }
}
