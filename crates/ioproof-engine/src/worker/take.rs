//! Taking what is done: good I/Os are counted, freed or followed by their sync; failed ones are told and may end the job.

use super::{JobShared, Worker};
use crate::backend::Backend;
use crate::check::Reader;
use crate::ledger::WriteLedger;
use crate::slot::{IoOperation, Slot};
use crate::tally::Tally;
use std::sync::atomic::Ordering::Relaxed;

impl<B: Backend> Worker<'_, B> {
    /// Takes completed I/Os; gives how many they were.
    #[inline]
    pub(super) fn take(&mut self, now_ns: u64) -> usize {
        if let Some((operation, bytes)) = self.alike {
            return self.take_alike(operation, bytes, now_ns);
        }
        let Self { backend, slots, free, to_sync, tally, shared, buffers, following, extra, reader, .. } = self;
        let before = free.len() + to_sync.len();
        backend.reap(|slot, result| {
            let state = &slots[slot as usize];
            if result != state.operation.expects(state.bytes) && !reader.is_difference(result) {
                fail(tally, shared, state, result);
                return free.push(slot);
            }
            if *extra {
                let read = if state.operation == IoOperation::Read { buffers.read_part(slot, state.bytes) } else { &[] };
                take_extra(reader, tally, shared, (state, result), read, now_ns);
            }
            match state.operation {
                IoOperation::Read | IoOperation::Trim => tally.count(state, now_ns),
                IoOperation::Write => {
                    tally.count(state, now_ns);
                    if following.is_some() {
                        return to_sync.push(slot);
                    }
                }
                IoOperation::Datasync | IoOperation::Fsync | IoOperation::RangeSync => tally.count_sync(state, now_ns),
            }
            free.push(slot);
        });
        let taken = free.len() + to_sync.len() - before;
        if taken == 0 {
            return 0;
        }
        self.tally.count_reaped(taken);
        if !self.pacer.is_free() {
            self.pacer.seen((self.slots.len() - self.free.len()) as u32, now_ns);
        }
        taken
    }

    /// Takes completed I/Os that are all alike; gives how many they were.
    #[inline]
    fn take_alike(&mut self, operation: IoOperation, bytes: u32, now_ns: u64) -> usize {
        let Self { backend, slots, free, tally, shared, .. } = self;
        let (slots, before) = (&**slots, free.len());
        let expected = operation.expects(bytes);
        let mut counter = tally.counter(operation, now_ns);
        backend.reap(|slot, result| {
            let state = &slots[slot as usize];
            if result == expected {
                counter.count(state);
            } else {
                fail(tally, shared, state, result);
            }
            free.push(slot);
        });
        let taken = free.len() - before;
        if taken > 0 {
            counter.finish(bytes);
            self.tally.count_reaped(taken);
        }
        taken
    }
}

/// A failed I/O: it is counted, and too many of them end the job.
#[cold]
pub(super) fn fail(tally: &mut Tally, shared: &JobShared, slot: &Slot, result: i32) {
    tally.fail(slot, result);
    match (slot.operation, &shared.ledger) {
        (IoOperation::Write, Some(ledger)) => ledger.of(slot.target).abandon(slot.offset, slot.bytes),
        (IoOperation::Read, ledger) => note_unreadable(tally, ledger.as_ref().map(|ledger| ledger.of(slot.target)), slot, result),
        _ => {}
    }
    if tally.errors.failed + tally.errors.short >= shared.spec.error_limit || is_gone(result) {
        shared.stop.store(true, Relaxed);
    }
}

/// Counts acknowledged data that cannot be read as lost, whatever the reason. A job that verifies what an earlier run wrote knows of no writes: all that it reads
/// is to be there.
fn note_unreadable(tally: &mut Tally, ledger: Option<&WriteLedger>, slot: &Slot, result: i32) {
    let Some(check) = &mut tally.check else { return };
    let read = u64::try_from(result).unwrap_or(0);
    let was_written = |at: &u64| ledger.is_none_or(|ledger| ledger.was_written(slot.offset + at));
    let lost = (read / 512 * 512..u64::from(slot.bytes)).step_by(512).filter(was_written).count() as u64;
    check.unreadable += lost;
    if lost > 0 && check.first.is_none() {
        check.first = Some(format!("unreadable at byte {}", slot.offset + read));
    }
}

/// Does with a good I/O all that only some jobs want.
fn take_extra(reader: &mut Reader, tally: &mut Tally, shared: &JobShared, (state, result): (&Slot, i32), read: &[u8], now_ns: u64) {
    let ends_job = match (state.operation, &shared.ledger, &mut tally.check) {
        (IoOperation::Read, _, Some(check)) if reader.is_difference(result) => reader.judge_difference(state, check),
        (IoOperation::Read, _, Some(check)) => reader.judge(state, read, check),
        (IoOperation::Write, Some(ledger), _) => {
            ledger.of(state.target).acknowledge(state.offset, state.bytes, state.sequence);
            false
        }
        _ => false,
    };
    if ends_job {
        shared.stop.store(true, Relaxed);
    }
    if matches!(state.operation, IoOperation::Read | IoOperation::Write | IoOperation::Trim) {
        tally.count_extra(state, now_ns);
    }
}

/// Tells by an errno that the device is no longer there.
fn is_gone(result: i32) -> bool {
    matches!(-result, libc::ENODEV | libc::ENXIO | libc::ESHUTDOWN)
}
