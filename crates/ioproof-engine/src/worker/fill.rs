//! Filling the queue: what is queued, how many I/Os at once, and how long to wait afterwards.

use super::{WAIT_NS, Worker};
use crate::backend::{Backend, Io};
use crate::requests::Request;
use crate::slot::{IoOperation, Slot};
use std::io;
use std::sync::atomic::Ordering::Relaxed;

impl<B: Backend> Worker<'_, B> {
    /// Fills the free slots and says for how long to wait; `None` when there is nothing left to do.
    /// All but the last batch go to the kernel at once; each batch is stamped just before it is queued.
    #[inline]
    pub(super) fn fill(&mut self) -> io::Result<Option<u64>> {
        if let Some((operation, bytes)) = self.alike {
            while self.queue_alike(operation, bytes)? && !self.free.is_empty() {
                self.backend.submit(0)?;
            }
            return Ok((!self.is_idle()).then_some(WAIT_NS));
        }
        self.queue_syncs();
        let (outstanding, depth) = (self.outstanding(), self.slots.len());
        if let Some(filling) = &mut self.filling
            && !filling.goes_on(outstanding, depth)
        {
            return Ok(Some(WAIT_NS));
        }
        if self.requests.is_replay() {
            return self.fill_recorded();
        }
        if !self.pacer.is_free() {
            return self.fill_paced();
        }
        while self.queue_batch()? && !self.free.is_empty() {
            self.backend.submit(0)?;
        }
        Ok((!self.is_idle()).then_some(WAIT_NS))
    }

    /// Queues a batch of I/Os that are all alike; false when the job has no more.
    #[inline(never)]
    fn queue_alike(&mut self, operation: IoOperation, bytes: u32) -> io::Result<bool> {
        let now_ns = self.shared.clock.now_ns();
        let wanted = self.most.min(self.free.len());
        let queued = self.requests.next_places(&mut self.places[..wanted], bytes);
        let left = self.free.len() - queued;
        if self.split {
            self.batch.extend_from_slice(&self.free[left..]);
        }
        // Of each kind there is a loop, in which nothing is decided that is the same for all.
        match operation {
            IoOperation::Read => self.push_alike(IoOperation::Read, bytes, left, now_ns),
            IoOperation::Write => self.push_alike(IoOperation::Write, bytes, left, now_ns),
            _ => self.push_alike(operation, bytes, left, now_ns),
        }
        self.free.truncate(left);
        self.tally.count_batch(queued, self.outstanding());
        self.accept()?;
        Ok(queued == wanted)
    }

    /// Pushes I/Os to the places that were drawn, in the free slots from `left` on.
    #[inline(always)]
    fn push_alike(&mut self, operation: IoOperation, bytes: u32, left: usize, now_ns: u64) {
        let Self { backend, buffers, slots, free, places, number, .. } = self;
        let (taken, places) = (&free[left..], &places[..free.len() - left]);
        let slots = &mut **slots;
        for at in 0..taken.len().min(places.len()) {
            let (slot, place) = (taken[at], places[at]);
            if operation == IoOperation::Write {
                *number = number.wrapping_add(1);
                buffers.prepare(slot, bytes, place, *number);
            }
            let state = &mut slots[slot as usize];
            (state.offset, state.submitted_ns) = (place, now_ns);
        }
        backend.push_alike(Io { operation, slot: 0, target: 0, bytes, offset: 0, priority: 0 }, taken, places);
    }

    /// Queues a batch; false when the job has no more.
    #[inline]
    fn queue_batch(&mut self) -> io::Result<bool> {
        let now_ns = self.shared.clock.now_ns();
        let wanted = self.most.min(self.free.len());
        let mut queued = 0;
        while queued < wanted {
            let Some(request) = self.requests.next() else { break };
            self.queue(request, now_ns, now_ns);
            queued += 1;
        }
        self.tally.count_batch(queued, self.outstanding());
        self.accept()?;
        Ok(queued == wanted)
    }

    /// Queues the I/Os that are due, each with a stamp of its own, and says for how long to wait.
    fn fill_paced(&mut self) -> io::Result<Option<u64>> {
        let mut queued = 0;
        let wait_ns = loop {
            let Some(next) = self.requests.peek() else { break (!self.is_idle()).then_some(WAIT_NS) };
            let now_ns = self.shared.clock.now_ns();
            self.pacer.woke(now_ns);
            let (operation, due_ns) = self.first_due(next.operation, now_ns);
            if due_ns > now_ns {
                break Some(self.pacer.wait_ns(due_ns, now_ns, WAIT_NS));
            }
            if self.free.is_empty() || queued == self.most {
                break Some(if self.free.is_empty() { WAIT_NS } else { 0 });
            }
            let taken = if operation == next.operation { self.requests.next() } else { self.requests.next_of(operation) };
            // The other direction has no place left; the one that waits is the last.
            let Some(request) = taken else {
                let due_ns = self.pacer.due_ns(next.operation);
                break Some(self.pacer.wait_ns(due_ns, now_ns, WAIT_NS));
            };
            let intended_ns = self.pacer.start(request.operation, request.bytes, now_ns);
            self.queue(request, now_ns, intended_ns);
            queued += 1;
        };
        self.tally.count_batch(queued, self.outstanding());
        self.accept()?;
        Ok(wait_ns)
    }

    /// Queues the recorded I/Os whose time has come, and says for how long to wait.
    fn fill_recorded(&mut self) -> io::Result<Option<u64>> {
        let start_ns = self.shared.start_ns.load(Relaxed);
        let mut queued = 0;
        let wait_ns = loop {
            let Some(due_ns) = self.requests.recorded_due_ns() else { break (!self.is_idle()).then_some(WAIT_NS) };
            let now_ns = self.shared.clock.now_ns();
            let due_ns = start_ns.saturating_add(due_ns);
            if due_ns > now_ns {
                self.pacer.woke(now_ns);
                break Some(self.pacer.wait_ns(due_ns, now_ns, WAIT_NS));
            }
            if self.free.is_empty() || queued == self.most {
                break Some(if self.free.is_empty() { WAIT_NS } else { 0 });
            }
            let Some(request) = self.requests.next() else { continue };
            self.queue(request, now_ns, now_ns);
            queued += 1;
        };
        self.tally.count_batch(queued, self.outstanding());
        self.accept()?;
        Ok(wait_ns)
    }

    /// Which direction may start first, and when: the one that is next, unless it must wait longer than the other, which then goes in its place. So each direction
    /// keeps its own rate.
    #[inline]
    fn first_due(&self, next: IoOperation, now_ns: u64) -> (IoOperation, u64) {
        let due_ns = self.pacer.due_ns(next);
        if due_ns <= now_ns {
            return (next, due_ns);
        }
        let other = self.requests.other(next).map(|other| (other, self.pacer.due_ns(other)));
        other.filter(|(_, other_ns)| *other_ns < due_ns).unwrap_or((next, due_ns))
    }

    /// Puts an I/O into a free slot; there is one.
    #[inline(always)]
    fn queue(&mut self, request: Request, now_ns: u64, intended_ns: u64) {
        let Some(slot) = self.free.pop() else { return };
        let Request { operation, target, bytes, offset } = request;
        let sequence = match operation {
            IoOperation::Write => self.prepare(slot, target, bytes, offset),
            IoOperation::Read if self.extra => self.shared.ledger.as_ref().map_or(0, |ledger| ledger.of(target).look(offset, bytes)),
            _ => 0,
        };
        let (priority, number) = self.priorities.as_mut().map_or((0, 0), |priorities| priorities.draw(operation, bytes));
        self.slots[slot as usize] =
            Slot { operation, target, bytes, priority, sequence, offset, submitted_ns: now_ns, accepted_ns: 0, began_ns: intended_ns };
        self.tally.record_issued(&self.slots[slot as usize], self.shared.start_ns.load(Relaxed));
        self.backend.push(Io { operation, slot, target, bytes, offset, priority: number });
        if self.split {
            self.batch.push(slot);
        }
    }

    /// Makes the data of a write; gives its number in the ledger.
    #[inline(never)]
    fn prepare(&mut self, slot: u32, target: u32, bytes: u32, offset: u64) -> u32 {
        let ledger = self.shared.ledger.as_ref().map(|ledger| ledger.of(target));
        let sequence = ledger.map_or(0, |ledger| ledger.begin(offset, bytes));
        if let (Some(ledger), true) = (ledger, self.headers) {
            self.buffers.prepare_checked(slot, bytes, offset, sequence, ledger.seed());
            return sequence;
        }
        self.number = self.number.wrapping_add(1);
        self.buffers.prepare(slot, bytes, offset, self.number);
        sequence
    }

    /// Hands the batch over where submission is timed, and notes when that was done.
    #[inline]
    fn accept(&mut self) -> io::Result<()> {
        if !self.split || self.batch.is_empty() {
            return Ok(());
        }
        self.backend.submit(0)?;
        let now_ns = self.shared.clock.now_ns();
        for slot in self.batch.drain(..) {
            self.slots[slot as usize].accepted_ns = now_ns;
        }
        Ok(())
    }

    #[inline]
    fn queue_syncs(&mut self) {
        if self.to_sync.is_empty() {
            return;
        }
        let Some(operation) = self.following else { return };
        let now_ns = self.shared.clock.now_ns();
        while let Some(slot) = self.to_sync.pop() {
            let state = &mut self.slots[slot as usize];
            (state.operation, state.submitted_ns) = (operation, now_ns);
            self.tally.record_issued(state, self.shared.start_ns.load(Relaxed));
            self.backend.push(Io { operation, slot, target: state.target, bytes: 0, offset: 0, priority: 0 });
        }
    }

    /// Starts nothing but the syncs of writes that are done.
    pub(super) fn finish_syncs(&mut self) -> Option<u64> {
        self.queue_syncs();
        (!self.is_idle()).then_some(WAIT_NS)
    }
}
