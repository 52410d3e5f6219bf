//! The loop. It reads from top to bottom: fill the free slots, hand them over, look at the clock, take what is done.
//!
//! Everything is resolved before it starts; it allocates nothing, takes no lock and knows no strings. Latency is stamped just before the
//! kernel is entered and when the completion is seen, so it contains the submission.

use crate::backend::{Backend, BackendChoice, Operation};
use crate::buffers::Buffers;
use crate::clock::Clock;
use crate::offsets::{Offsets, Random};
use crate::slot::Slot;
use crate::tally::Tally;
use crate::usage::Usage;
use ioproof_core::faults::Faults;
use ioproof_core::histogram::Histogram;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::WorkerUsage;
use ioproof_core::workload::Durability;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// I/Os handed to the kernel at once: more smears latency and falls out of cache (docs/performance.md).
const BATCH: usize = 16;

/// What a worker shows while it runs, on a cache line of its own; read by the thread that watches.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Live {
    pub(crate) read_bytes: AtomicU64,
    pub(crate) written_bytes: AtomicU64,
    /// When something last completed. Nanoseconds of the job's clock.
    pub(crate) last_seen_ns: AtomicU64,
}

/// What is the same for all workers of a job.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) spec: JobSpec,
    pub(crate) clock: Clock,
    /// Set to end the job early.
    pub(crate) stop: AtomicBool,
    pub(crate) faults: Option<Faults>,
    pub(crate) choice: BackendChoice,
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
    pub(crate) shared: &'a Shared,
    pub(crate) live: &'a Live,
    offsets: Offsets,
    random: Random,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Slots whose write is done and whose sync is to be submitted.
    to_sync: Vec<u32>,
    numbers: u64,
    pub(crate) tally: Tally,
}

impl<'a, B: Backend> Worker<'a, B> {
    pub(crate) fn new(backend: B, buffers: Buffers, shared: &'a Shared, live: &'a Live, number: u32, depth: u32) -> Self {
        let nothing = Slot { operation: Operation::Read, offset: 0, submitted_ns: 0, began_ns: 0 };
        let durable = (shared.spec.workload.durability == Durability::FdatasyncEach).then(Histogram::default);
        Self {
            backend,
            buffers,
            shared,
            live,
            offsets: Offsets::new(&shared.spec, number),
            random: Random::new(!shared.spec.seed ^ u64::from(number)),
            slots: vec![nothing; depth as usize],
            free: (0..depth).rev().collect(),
            to_sync: Vec::with_capacity(depth as usize),
            numbers: shared.spec.seed.wrapping_shl(20) ^ (u64::from(number) << 56),
            tally: Tally::new(durable),
        }
    }

    /// Runs the job to its end and gives what was measured. The loop of the program.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let Shared { spec, clock, stop, start_ns, .. } = self.shared;
        let start_ns = start_ns.load(Relaxed);
        let measure_from_ns = start_ns + spec.ramp_ns;
        let measure_ns = match spec.until {
            Until::ElapsedNs(ns) => ns,
            Until::SpanCovered => u64::MAX,
        };
        let mut phase = if spec.ramp_ns == 0 { self.begin(start_ns) } else { Phase::Ramp };
        let mut last_completion_ns = start_ns;
        loop {
            match phase {
                Phase::Drain => self.free.append(&mut self.to_sync),
                _ => self.fill()?,
            }
            if self.free.len() == self.slots.len() {
                break;
            }
            self.backend.submit(true)?;
            let now_ns = clock.now_ns();
            if self.take(now_ns) {
                last_completion_ns = now_ns;
                self.publish(now_ns);
            } else if now_ns.saturating_sub(last_completion_ns) > spec.io_timeout_ns {
                self.tally.errors.lost = (self.slots.len() - self.free.len()) as u64;
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
        if let Phase::Measure { began_ns, usage } = phase {
            self.end(clock.now_ns(), began_ns, usage);
        }
        Ok(())
    }

    /// Fills the free slots. All but the last batch go to the kernel at once; each batch is stamped just before it is queued.
    #[inline]
    fn fill(&mut self) -> io::Result<()> {
        self.queue_syncs();
        while self.queue_batch() {
            self.backend.submit(false)?;
        }
        Ok(())
    }

    #[inline]
    fn queue_syncs(&mut self) {
        if self.to_sync.is_empty() {
            return;
        }
        let now_ns = self.shared.clock.now_ns();
        while let Some(slot) = self.to_sync.pop() {
            let state = &mut self.slots[slot as usize];
            (state.operation, state.submitted_ns) = (Operation::Sync, now_ns);
            self.backend.push(Operation::Sync, slot, 0);
        }
    }

    /// Queues a batch; true when there is more to queue.
    #[inline]
    fn queue_batch(&mut self) -> bool {
        let now_ns = self.shared.clock.now_ns();
        for _ in 0..BATCH.min(self.free.len()) {
            let Some(offset) = self.offsets.next() else { return false };
            let Some(slot) = self.free.pop() else { return false };
            let operation = self.next_operation(slot);
            self.slots[slot as usize] = Slot { operation, offset, submitted_ns: now_ns, began_ns: now_ns };
            self.backend.push(operation, slot, offset);
        }
        !self.free.is_empty()
    }

    #[inline]
    fn next_operation(&mut self, slot: u32) -> Operation {
        let percent = self.shared.spec.workload.read_percent;
        if percent == 100 || (percent > 0 && self.random.hits(percent)) {
            return Operation::Read;
        }
        self.numbers = self.numbers.wrapping_add(1);
        self.buffers.stamp(slot, self.numbers);
        Operation::Write
    }

    /// Takes what is done; false when nothing was.
    #[inline]
    fn take(&mut self, now_ns: u64) -> bool {
        let Self { backend, slots, free, to_sync, tally, shared, .. } = self;
        let spec = &shared.spec;
        let before = free.len() + to_sync.len();
        backend.reap(|slot, result| {
            let state = slots[slot as usize];
            let good = result == state.operation.expects(spec.workload.block_bytes);
            match state.operation {
                _ if !good => tally.fail(&state, result),
                Operation::Read => tally.count_read(spec.workload.block_bytes, now_ns.saturating_sub(state.submitted_ns)),
                Operation::Write => tally.count_write(spec.workload.block_bytes, now_ns.saturating_sub(state.submitted_ns)),
                Operation::Sync => tally.count_sync(now_ns.saturating_sub(state.submitted_ns), now_ns.saturating_sub(state.began_ns)),
            }
            if !good && (tally.errors.failed + tally.errors.short >= spec.error_limit || is_gone(result)) {
                shared.stop.store(true, Relaxed);
            }
            match state.operation {
                Operation::Write if good && tally.durable.is_some() => to_sync.push(slot),
                _ => free.push(slot),
            }
        });
        free.len() + to_sync.len() > before
    }

    #[inline]
    fn publish(&self, now_ns: u64) {
        self.live.read_bytes.store(self.tally.total_bytes.0, Relaxed);
        self.live.written_bytes.store(self.tally.total_bytes.1, Relaxed);
        self.live.last_seen_ns.store(now_ns, Relaxed);
    }

    fn begin(&mut self, now_ns: u64) -> Phase {
        self.tally.forget();
        self.tally.edge_ns = -self.under_way_ns(now_ns);
        Phase::Measure { began_ns: now_ns, usage: Usage::now() }
    }

    /// For how long all that is outstanding has been so: the sum over all slots less that over the free ones, whose stale stamps cancel.
    fn under_way_ns(&self, now_ns: u64) -> i64 {
        let age_ns = |slot: &Slot| (now_ns - slot.began_ns).cast_signed();
        let all: i64 = self.slots.iter().map(age_ns).sum();
        let free: i64 = self.free.iter().map(|slot| age_ns(&self.slots[*slot as usize])).sum();
        all - free
    }

    fn end(&mut self, now_ns: u64, began_ns: u64, before: Usage) -> Phase {
        let used = Usage::now().since(before);
        self.tally.edge_ns += self.under_way_ns(now_ns);
        self.tally.usage = WorkerUsage {
            ios: self.tally.read.ios + self.tally.write.ios,
            cpu_user_ns: used.user_ns,
            cpu_system_ns: used.system_ns,
            wall_ns: now_ns - began_ns,
            voluntary_switches: used.voluntary_switches,
            involuntary_switches: used.involuntary_switches,
        };
        self.tally.close();
        Phase::Drain
    }
}

/// Whether an errno says that the device is no longer there.
fn is_gone(result: i32) -> bool {
    matches!(-result, libc::ENODEV | libc::ENXIO | libc::ESHUTDOWN)
}
