//! The loop. It reads from top to bottom: fill the free slots, hand them over, look at the clock, take what is done.
//!
//! Everything is resolved before it starts; it allocates nothing, takes no lock and knows no strings. Latency is stamped just before the
//! kernel is entered and when the completion is seen, so it contains the submission.

mod edges;

use crate::backend::{Backend, BackendChoice, Io, Operation};
use crate::batching::{Batching, Filling};
use crate::buffers::Buffers;
use crate::check::Reader;
use crate::clock::Clock;
use crate::ledger::Ledger;
use crate::live::Live;
use crate::pace::Pacer;
use crate::requests::{Request, Requests};
use crate::slot::Slot;
use crate::tally::Tally;
use crate::usage::Usage;
use ioproof_core::faults::Faults;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::workload::Durability;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// I/Os handed to the kernel at once. A drive waits for the first of a batch until the kernel has taken all of it, so few are better for throughput
/// and latency both (docs/performance.md).
const FEW: usize = 8;

/// The same where nothing waits, because all I/O was done when the call came back: only the calls cost.
const MANY: usize = 32;

/// What one I/O takes at most where all is done at once. Nanoseconds.
const AT_ONCE_NS: u64 = 1000;

/// How long one wait for completions lasts at most, so that the worker sees that it is to stop. Nanoseconds.
const WAIT_NS: u64 = 100_000_000;

/// What is the same for all workers of a job.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) spec: JobSpec,
    pub(crate) clock: Clock,
    /// Set to end the job early.
    pub(crate) stop: AtomicBool,
    pub(crate) faults: Option<Faults>,
    pub(crate) choice: BackendChoice,
    pub(crate) polled: bool,
    pub(crate) kernel_submits: bool,
    pub(crate) batching: Option<Batching>,
    /// What was last written where, if that is noted.
    pub(crate) ledger: Option<Arc<Ledger>>,
    /// Whether only that is read.
    pub(crate) read_back: bool,
    /// When the job began, by the clock; set before the workers are let go. Nanoseconds.
    pub(crate) start_ns: AtomicU64,
}

/// Where a worker is in its job.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// I/O runs, its results will be dropped.
    Ramp,
    /// Results count.
    Measure { began_ns: u64, usage: Usage },
    /// No new I/O; what is outstanding is waited for and does not count.
    Drain,
}

/// One worker with everything that its loop needs.
pub(crate) struct Worker<'a, B> {
    pub(crate) backend: B,
    pub(crate) buffers: Buffers,
    shared: &'a Shared,
    live: &'a Live,
    /// Its number.
    worker: u32,
    requests: Requests,
    pacer: Pacer,
    slots: Box<[Slot]>,
    free: Vec<u32>,
    /// Slots whose write is done and whose sync is to be submitted.
    to_sync: Vec<u32>,
    /// Slots queued since the kernel was last entered, where submission is timed.
    batch: Vec<u32>,
    /// I/Os handed over at once at the moment, and what they are where I/O takes its time and where it does not.
    most: usize,
    few: usize,
    many: usize,
    /// When the queue is filled, where the job says so.
    filling: Option<Filling>,
    /// Number of the next write's data.
    number: u64,
    /// The sync that follows each write in its slot.
    following: Option<Operation>,
    split: bool,
    /// The operation and size of every I/O, where all are alike and nothing special is done with them: the shortest way through the loop.
    alike: Option<(Operation, u32)>,
    /// Whether completed I/Os need more than to be counted.
    extra: bool,
    /// Whether writes bear headers.
    headers: bool,
    reader: Reader,
    pub(crate) tally: Tally<'a>,
}

impl<'a, B: Backend> Worker<'a, B> {
    pub(crate) fn new(backend: B, buffers: Buffers, shared: &'a Shared, live: &'a Live, number: u32, targets: usize) -> Self {
        let Shared { spec, ledger, .. } = shared;
        let depth = spec.workload.depth;
        // A synchronous backend does the I/O while it submits: there is nothing to split.
        let split = spec.recording.split && !shared.choice.is_synchronous();
        let open_loop = spec.workload.shape.pace.ios_per_s().is_some();
        let following = match spec.workload.durability {
            Durability::FdatasyncEach => Some(Operation::Datasync),
            Durability::FsyncEach => Some(Operation::Fsync),
            _ => None,
        };
        let data = &spec.workload.shape.data;
        let extra = split || open_loop || ledger.is_some() || data.checked || spec.recording.noted_ios > 0;
        let to_read_back = ledger.as_ref().filter(|_| shared.read_back);
        let requests = Requests::new(spec, number, targets).reading_back(to_read_back, spec, number);
        let alike = requests.alike().filter(|_| !extra && following.is_none() && shared.batching.is_none());
        let (few, many) = shared.batching.map_or((FEW, MANY), |batching| (batching.at_once as usize, batching.at_once as usize));
        let (operation, bytes) = alike.unwrap_or((Operation::Read, 0));
        Self {
            backend,
            buffers,
            shared,
            live,
            requests,
            pacer: Pacer::new(&spec.workload, number, spec.seed, 0),
            worker: number,
            slots: vec![Slot { operation, bytes, ..Slot::EMPTY }; depth as usize].into(),
            free: (0..depth).rev().collect(),
            to_sync: Vec::with_capacity(depth as usize),
            batch: Vec::with_capacity(MANY.max(few)),
            most: few,
            few,
            many,
            filling: shared.batching.map(Filling::new),
            number: spec.seed.wrapping_shl(20) ^ (u64::from(number) << 56),
            following,
            split,
            alike,
            extra,
            headers: data.checked && data.fill.pattern().is_none(),
            reader: Reader::new(data, ledger.as_ref()),
            tally: Tally::new(spec, live, split, data.checked && spec.workload.read_percent > 0),
        }
    }

    /// Runs the job to its end. The loop of the program.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let Shared { spec, clock, stop, start_ns, .. } = self.shared;
        let start_ns = start_ns.load(Relaxed);
        self.pacer = Pacer::new(&spec.workload, self.worker, spec.seed, start_ns);
        let measure_from_ns = start_ns + spec.ramp_ns;
        let measure_ns = if let Until::ElapsedNs(ns) = spec.until { ns } else { spec.at_most_ns.unwrap_or(u64::MAX) };
        let mut phase = if spec.ramp_ns == 0 { self.begin(start_ns) } else { Phase::Ramp };
        let mut last_completion_ns = start_ns;
        loop {
            let wait_ns = match phase {
                Phase::Drain => self.give_up_syncs(),
                _ => self.fill()?,
            };
            let Some(wait_ns) = wait_ns else { break };
            self.enter(wait_ns)?;
            let now_ns = clock.now_ns();
            let taken = self.take(now_ns);
            if taken > 0 || self.is_idle() {
                let at_once = self.is_idle() && now_ns - last_completion_ns < taken as u64 * AT_ONCE_NS;
                self.most = if at_once { self.many } else { self.few };
                last_completion_ns = now_ns;
                self.live.last_seen_ns.store(now_ns, Relaxed);
            } else if now_ns.saturating_sub(last_completion_ns) > spec.io_timeout_ns {
                self.tally.errors.lost = self.outstanding() as u64;
                break;
            }
            phase = match phase {
                Phase::Ramp if stop.load(Relaxed) => Phase::Drain,
                Phase::Ramp if now_ns >= measure_from_ns => self.begin(now_ns),
                Phase::Measure { began_ns, usage } if now_ns - began_ns >= measure_ns || stop.load(Relaxed) => {
                    self.end(now_ns, began_ns, usage)
                }
                other => other,
            };
        }
        if spec.end_fsync && self.tally.errors.lost == 0 {
            self.sync_at_end()?;
        }
        if let Phase::Measure { began_ns, usage } = phase {
            self.end(clock.now_ns(), began_ns, usage);
        }
        Ok(())
    }

    /// Hands over what is queued, and waits for up to `wait_ns`; where nothing is under way there is only the time to wait for.
    #[inline]
    fn enter(&mut self, wait_ns: u64) -> io::Result<()> {
        if self.is_idle() {
            std::thread::sleep(std::time::Duration::from_nanos(wait_ns));
            return Ok(());
        }
        self.backend.submit(wait_ns)
    }

    #[inline]
    fn outstanding(&self) -> usize {
        self.slots.len() - self.free.len() - self.to_sync.len()
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.free.len() == self.slots.len()
    }

    /// Fills the free slots and says for how long to wait; `None` when there is nothing left to do.
    /// All but the last batch go to the kernel at once; each batch is stamped just before it is queued.
    #[inline]
    fn fill(&mut self) -> io::Result<Option<u64>> {
        if let Some((operation, bytes)) = self.alike {
            while self.queue_alike(operation, bytes) && !self.free.is_empty() {
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
        if !self.pacer.is_free() {
            return self.fill_paced();
        }
        while self.queue_batch()? && !self.free.is_empty() {
            self.backend.submit(0)?;
        }
        Ok((!self.is_idle()).then_some(WAIT_NS))
    }

    /// Queues a batch of I/Os that are all alike; false when the job has no more.
    #[inline]
    fn queue_alike(&mut self, operation: Operation, bytes: u32) -> bool {
        let now_ns = self.shared.clock.now_ns();
        let mut places = [0; MANY];
        let wanted = self.most.min(self.free.len());
        let queued = self.requests.next_places(&mut places[..wanted], bytes);
        for offset in places[..queued].iter().copied() {
            let Some(slot) = self.free.pop() else { break };
            if operation == Operation::Write {
                self.number = self.number.wrapping_add(1);
                self.buffers.prepare(slot, bytes, offset, self.number);
            }
            let state = &mut self.slots[slot as usize];
            (state.offset, state.submitted_ns) = (offset, now_ns);
            self.backend.push(Io { operation, slot, target: 0, bytes, offset });
        }
        self.tally.count_batch(queued, self.outstanding());
        queued == wanted
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

    /// Queues what is due, each with a stamp of its own, and says for how long to wait.
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

    /// Which direction may start first, and when: the one that is next, unless it must wait longer than the other, which then goes in its place. So each direction
    /// keeps its own rate.
    #[inline]
    fn first_due(&self, next: Operation, now_ns: u64) -> (Operation, u64) {
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
            Operation::Write => self.prepare(slot, target, bytes, offset),
            Operation::Read if self.extra => self.shared.ledger.as_ref().map_or(0, |ledger| ledger.of(target).look(offset, bytes)),
            _ => 0,
        };
        self.slots[slot as usize] =
            Slot { operation, target, bytes, sequence, offset, submitted_ns: now_ns, accepted_ns: 0, began_ns: intended_ns };
        self.backend.push(Io { operation, slot, target, bytes, offset });
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

    /// Where submission is timed: hands the batch over and notes when that was done.
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
            self.backend.push(Io { operation, slot, target: state.target, bytes: 0, offset: 0 });
        }
    }

    /// While draining, what was written is not synced any more.
    fn give_up_syncs(&mut self) -> Option<u64> {
        self.free.append(&mut self.to_sync);
        (!self.is_idle()).then_some(WAIT_NS)
    }

    /// Takes what is done; gives how many that were.
    #[inline]
    fn take(&mut self, now_ns: u64) -> usize {
        if let Some((operation, bytes)) = self.alike {
            return self.take_alike(operation, bytes, now_ns);
        }
        let Self { backend, slots, free, to_sync, tally, shared, buffers, following, extra, reader, .. } = self;
        let before = free.len() + to_sync.len();
        backend.reap(|slot, result| {
            let state = &slots[slot as usize];
            if result != state.operation.expects(state.bytes) {
                fail(tally, shared, state, result);
                return free.push(slot);
            }
            if *extra {
                let read = if state.operation == Operation::Read { buffers.read_part(slot, state.bytes) } else { &[] };
                take_extra(reader, tally, shared, state, read, now_ns);
            }
            match state.operation {
                Operation::Read | Operation::Trim => tally.count(state, now_ns),
                Operation::Write => {
                    tally.count(state, now_ns);
                    if following.is_some() {
                        return to_sync.push(slot);
                    }
                }
                Operation::Datasync | Operation::Fsync | Operation::RangeSync => tally.count_sync(state, now_ns),
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

    /// Takes what is done of I/Os that are all alike; gives how many that were.
    #[inline]
    fn take_alike(&mut self, operation: Operation, bytes: u32, now_ns: u64) -> usize {
        let Self { backend, slots, free, tally, shared, .. } = self;
        let before = free.len();
        let expected = operation.expects(bytes);
        let counter = tally.counter(operation);
        let mut failed = 0;
        backend.reap(|slot, result| {
            let state = &slots[slot as usize];
            if result == expected {
                counter.record(now_ns.saturating_sub(state.submitted_ns));
            } else {
                failed += 1;
                fail(tally, shared, state, result);
            }
            free.push(slot);
        });
        let taken = free.len() - before;
        if taken > 0 {
            counter.add((taken - failed) as u64, bytes);
            self.tally.count_reaped(taken);
        }
        taken
    }
}

/// A failed I/O: it is counted, and too many of them end the job.
#[cold]
fn fail(tally: &mut Tally, shared: &Shared, slot: &Slot, result: i32) {
    tally.fail(slot, result);
    match (slot.operation, &shared.ledger) {
        (Operation::Write, Some(ledger)) => ledger.of(slot.target).abandon(slot.offset, slot.bytes),
        (Operation::Read, Some(ledger)) => note_unreadable(tally, ledger.of(slot.target), slot, result),
        _ => {}
    }
    if tally.errors.failed + tally.errors.short >= shared.spec.error_limit || is_gone(result) {
        shared.stop.store(true, Relaxed);
    }
}

/// What had been acknowledged there and cannot be read is lost, whatever the reason.
fn note_unreadable(tally: &mut Tally, ledger: &Ledger, slot: &Slot, result: i32) {
    let Some(check) = &mut tally.check else { return };
    let read = u64::try_from(result).unwrap_or(0);
    let lost = (read / 512 * 512..u64::from(slot.bytes)).step_by(512).filter(|at| ledger.was_written(slot.offset + at)).count() as u64;
    check.unreadable += lost;
    if lost > 0 && check.first.is_none() {
        check.first = Some(format!("unreadable at byte {}", slot.offset + read));
    }
}

/// What only some jobs want to know of a good I/O.
fn take_extra(reader: &mut Reader, tally: &mut Tally, shared: &Shared, state: &Slot, read: &[u8], now_ns: u64) {
    let ends_job = match (state.operation, &shared.ledger, &mut tally.check) {
        (Operation::Read, _, Some(result)) => reader.judge(state, read, result),
        (Operation::Write, Some(ledger), _) => {
            ledger.of(state.target).acknowledge(state.offset, state.bytes, state.sequence);
            false
        }
        _ => false,
    };
    if ends_job {
        shared.stop.store(true, Relaxed);
    }
    if matches!(state.operation, Operation::Read | Operation::Write | Operation::Trim) {
        tally.count_extra(state, now_ns);
    }
}

/// Whether an errno says that the device is no longer there.
fn is_gone(result: i32) -> bool {
    matches!(-result, libc::ENODEV | libc::ENXIO | libc::ESHUTDOWN)
}
