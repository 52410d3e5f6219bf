//! The judge of a worker's reads: by headers or by a pattern, with or without knowing the earlier writes.

use super::{alone, check_read, pattern};
use crate::data::Template;
use crate::ledger::WriteLedger;
use crate::slot::Slot;
use ioproof_core::record::CheckResult;
use ioproof_core::shape::Data;
use std::sync::Arc;

/// The judge of one worker's reads.
#[derive(Debug)]
pub(crate) struct Reader {
    checks: bool,
    ledger: Option<Arc<WriteLedger>>,
    template: Option<Template>,
    ends_at_difference: bool,
}

impl Reader {
    /// Of a job with this data.
    pub(crate) fn new(data: &Data, ledger: Option<&Arc<WriteLedger>>) -> Self {
        Self {
            checks: data.checked,
            ledger: ledger.cloned(),
            template: data.fill.pattern().map(|(bytes, places)| Template::new(bytes, places)),
            ends_at_difference: data.ends_at_difference,
        }
    }

    /// Judges the content of `block` after a read; says whether the job is to end.
    pub(crate) fn judge(&mut self, slot: &Slot, block: &[u8], result: &mut CheckResult) -> bool {
        if !self.checks {
            return false;
        }
        let ledger = self.ledger.as_ref().map(|ledger| ledger.of(slot.target));
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
}
