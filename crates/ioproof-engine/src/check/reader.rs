//! The judge of a worker's reads: by headers or by a pattern, with or without knowing the earlier writes.

use super::{Found, PIECE_BYTES, PieceFault, alone, check_read, pattern};
use crate::data::Template;
use crate::ledger::{Expectation, WriteLedger};
use crate::slot::{DIFFERS, Slot};
use ioproof_core::record::CheckResult;
use ioproof_core::shape::{Data, DataCommand};
use std::sync::Arc;

/// The judge of one worker's reads.
#[derive(Debug)]
pub(crate) struct Reader {
    checks: bool,
    ledger: Option<Arc<WriteLedger>>,
    template: Option<Template>,
    ends_at_difference: bool,
    /// True where the drive compares.
    compares: bool,
}

impl Reader {
    /// Of a job with this data.
    pub(crate) fn new(data: &Data, ledger: Option<&Arc<WriteLedger>>) -> Self {
        Self {
            checks: data.checked,
            ledger: ledger.cloned(),
            template: data.fill.pattern().map(|(bytes, places)| Template::new(bytes, places)),
            ends_at_difference: data.ends_at_difference,
            compares: data.command == DataCommand::Compare,
        }
    }

    /// Judges the content of `block` after a read; says whether the job is to end.
    pub(crate) fn judge(&mut self, slot: &Slot, block: &[u8], result: &mut CheckResult) -> bool {
        if !self.checks {
            return false;
        }
        let ledger = self.ledger.as_ref().map(|ledger| ledger.of(slot.target));
        if self.compares {
            result.good += pieces(slot.bytes);
            return false;
        }
        let bad_before = result.bad();
        match (&mut self.template, ledger) {
            (Some(template), ledger) => pattern::check(template, ledger.map(|ledger| (ledger, slot.sequence)), slot.offset, block, result),
            (None, Some(ledger)) if !ledger.is_planned() => check_read(ledger, slot.sequence, slot.offset, block, result),
            // A unit that was written in part only holds something else in its other part.
            (None, Some(ledger)) => alone::check(slot.offset, block, |at| ledger.was_written(at), result),
            (None, None) => alone::check(slot.offset, block, |_| true, result),
        }
        result.bad_ios += u64::from(result.bad() > bad_before);
        self.ends_at_difference && result.bad() > 0
    }

    /// True for the result of a read that the drive itself compared and found to differ.
    #[inline]
    pub(crate) fn is_difference(&self, result: i32) -> bool {
        self.compares && result == DIFFERS
    }

    /// Judges a read that the drive itself compared and found to differ; says whether the job is to end.
    #[cold]
    pub(crate) fn judge_difference(&self, slot: &Slot, result: &mut CheckResult) -> bool {
        let ledger = self.ledger.as_ref().map(|ledger| ledger.of(slot.target));
        let is_known =
            |at: &u64| ledger.is_none_or(|ledger| !matches!(ledger.expected(*at), Expectation::Unknown | Expectation::Unwritten));
        let pieces = pieces(slot.bytes);
        if !(0..pieces).map(|piece| slot.offset + piece * PIECE_BYTES as u64).all(|at| is_known(&at)) {
            result.unwritten += pieces;
            return false;
        }
        let mut found = Found { corrupt: pieces, ..Found::default() };
        found.note(slot.offset, PieceFault::Compared { bytes: slot.bytes });
        found.add_to(result);
        result.bad_ios += 1;
        self.ends_at_difference
    }
}

fn pieces(bytes: u32) -> u64 {
    u64::from(bytes).div_ceil(PIECE_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::IoOperation;
    use ioproof_core::shape::Fill;

    #[test]
    fn what_the_drive_compares_is_good_or_differs_as_a_whole() {
        let data = Data {
            fill: Fill::Pattern(vec![7]),
            checked: true,
            command: DataCommand::Compare,
            ends_at_difference: true,
            ..Data::default()
        };
        let mut reader = Reader::new(&data, None);
        let slot = Slot { operation: IoOperation::Read, offset: 8192, bytes: 4096, ..Slot::EMPTY };
        let mut result = CheckResult::default();
        assert!(!reader.judge(&slot, &[], &mut result) && reader.is_difference(DIFFERS) && !reader.is_difference(-libc::EIO));
        assert!(reader.judge_difference(&slot, &mut result), "the first difference ends the job");
        assert_eq!((result.good, result.corrupt, result.bad_ios), (8, 8, 1));
        assert!(result.first.unwrap_or_default().contains("in the 4096 bytes from 8192"));
        let by_reads = Reader::new(&Data { command: DataCommand::Transfer, ..data }, None);
        assert!(!by_reads.is_difference(DIFFERS), "an errno of a filesystem");
    }
}
