//! The begin and the end of a measurement, and the sync after it: all that happens once a job.

use super::take::fail;
use super::{Phase, WAIT_NS, Worker};
use crate::backend::{Backend, Io};
use crate::slot::{IoOperation, Slot};
use crate::worker::silence::Silence;
use crate::worker::usage::Usage;
use ioproof_core::record::WorkerUsage;
use std::io;
use std::sync::atomic::Ordering::Relaxed;

impl<B: Backend> Worker<'_, B> {
    /// The fsync that ends the job, one a target, timed as a sync. Of a job of fio whose syncs stand between I/Os it is none of those.
    pub(super) fn sync_at_end(&mut self) -> io::Result<()> {
        let targets = self.requests.targets();
        for target in 0..targets {
            let now_ns = self.shared.clock.now_ns();
            let Some(slot) = self.free.pop() else { return Ok(()) };
            let operation = IoOperation::Fsync;
            self.slots[slot as usize] = Slot { operation, target, submitted_ns: now_ns, began_ns: now_ns, ..Slot::EMPTY };
            self.tally.record_issued(&self.slots[slot as usize], self.shared.start_ns.load(Relaxed));
            self.backend.push(Io { operation, slot, target, bytes: 0, offset: 0, priority: 0 });
            let (mut result, mut silence) = (None, Silence::new(now_ns));
            while result.is_none() && !self.timed_out(now_ns, &mut silence) {
                self.backend.submit(WAIT_NS)?;
                self.backend.reap(|_, r| result = Some(r));
            }
            self.free.push(slot);
            match result {
                Some(0) if self.syncs_are_between() => {}
                Some(0) => self.count_end(self.shared.clock.now_ns() - now_ns),
                Some(errno) => fail(&mut self.tally, self.shared, &self.slots[slot as usize], errno),
                None => self.tally.errors.lost += 1,
            }
        }
        Ok(())
    }

    fn syncs_are_between(&self) -> bool {
        let spec = &self.shared.spec;
        spec.recording.to_the_last && spec.workload.durability.every().is_some()
    }

    /// Counts a sync at the end. Where the measurement was over before it, none of its time was I/O outstanding in that.
    fn count_end(&mut self, latency_ns: u64) {
        self.tally.count_sync_at_end(latency_ns);
        if !self.tally.is_open() && self.following.is_none() {
            self.tally.edge_ns -= latency_ns.cast_signed();
        }
    }

    fn timed_out(&self, since_ns: u64, silence: &mut Silence) -> bool {
        let now_ns = self.shared.clock.now_ns();
        self.live.last_seen_ns.store(now_ns, Relaxed);
        silence.look(since_ns, now_ns) > self.shared.spec.io_timeout_ns
    }

    /// The ramp begins with the job.
    pub(super) fn ramp(&mut self, start_ns: u64) -> Phase {
        self.tally.forget(start_ns);
        Phase::Ramp { usage: Usage::now() }
    }

    /// The measurement begins; limits and arrivals owe it nothing of what was missed before.
    pub(super) fn begin(&mut self, now_ns: u64) -> Phase {
        self.pacer.begin(now_ns, now_ns.saturating_add(self.measure_ns()));
        self.tally.forget(now_ns);
        self.tally.edge_ns = -self.under_way_ns(now_ns);
        let _ = self.live.begun_ns.set(now_ns.saturating_sub(self.shared.start_ns.load(Relaxed)));
        Phase::Measure { began_ns: now_ns, usage: Usage::now() }
    }

    /// For how long all that is outstanding has been so: the sum over all slots less that over the free ones, whose stale stamps cancel.
    fn under_way_ns(&self, now_ns: u64) -> i64 {
        let since_ns = |slot: &Slot| if self.following.is_some() { slot.began_ns } else { slot.submitted_ns };
        let age_ns = |slot: &Slot| now_ns.saturating_sub(since_ns(slot)).cast_signed();
        let all: i64 = self.slots.iter().map(age_ns).sum();
        let free: i64 = self.free.iter().map(|slot| age_ns(&self.slots[*slot as usize])).sum();
        all - free
    }

    /// The job ends before its ramp does, so that all of it is the measurement.
    pub(super) fn end_in_ramp(&mut self, now_ns: u64, start_ns: u64, usage: Usage) -> Phase {
        self.tally.ended_in_ramp = true;
        self.end(now_ns, start_ns, usage)
    }

    pub(super) fn end(&mut self, now_ns: u64, began_ns: u64, before: Usage) -> Phase {
        let used = Usage::now().since(before);
        self.tally.edge_ns += self.under_way_ns(now_ns);
        self.tally.usage = WorkerUsage {
            ios: self.tally.ios(),
            cpu_user_ns: used.user_ns,
            cpu_system_ns: used.system_ns,
            wall_ns: now_ns - began_ns,
            voluntary_switches: used.voluntary_switches,
            involuntary_switches: used.involuntary_switches,
            major_faults: used.major_faults,
            minor_faults: used.minor_faults,
        };
        self.tally.close(now_ns.saturating_sub(self.shared.start_ns.load(Relaxed)));
        Phase::Drain
    }
}
