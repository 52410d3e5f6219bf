//! What one worker counts. Nothing here allocates after `new`, but for the first failed I/O.

use crate::backend::Operation;
use crate::live::{Counted, Live, Side};
use crate::slot::Slot;
use ioproof_core::histogram::Histogram;
use ioproof_core::job::JobSpec;
use ioproof_core::noted::{Done, NotedIo};
use ioproof_core::record::{CheckResult, Direction, IoError, IoErrors, QueueUse, WorkerUsage};
use std::io;

/// What is recorded of one direction only where the job asks for it.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    response: Option<Histogram>,
    submission: Option<Histogram>,
    completion: Option<Histogram>,
}

/// What one worker measured.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    live: &'a Live,
    extras: [Extra; 3],
    /// I/Os one by one, as many as there is room for.
    noted: Vec<NotedIo>,
    began_ns: u64,
    pub(crate) sync: Direction,
    /// Write and its sync together, where a sync follows each write.
    durable: Option<Histogram>,
    queue: QueueCounts,
    pub(crate) check: Option<CheckResult>,
    pub(crate) errors: IoErrors,
    pub(crate) usage: WorkerUsage,
    /// How long what is under way at the end has been so, less the same at the beginning.
    pub(crate) edge_ns: i64,
    /// What had been counted when the measurement began, and what of it belongs to it once it has ended; reads, writes, trims.
    before: [Counted; 3],
    measured: [Counted; 3],
    /// Whether what completes counts.
    open: bool,
    /// Whether latency is recorded at all, and now.
    timed: bool,
    timing: bool,
}

/// Counts one direction without asking each time which it is.
#[derive(Clone, Copy)]
pub(crate) struct Counter<'a> {
    side: &'a Side,
    timing: bool,
}

impl Counter<'_> {
    /// Records one latency, where latency is recorded now. Nanoseconds.
    #[inline]
    pub(crate) fn record(&self, latency_ns: u64) {
        if self.timing {
            self.side.latency.record(latency_ns);
        }
    }

    /// Counts completed I/Os of one size.
    #[inline]
    pub(crate) fn add(&self, ios: u64, bytes_each: u32) {
        self.side.add(ios, ios * u64::from(bytes_each));
    }
}

/// A worker's results, free of its loop.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) read: Direction,
    pub(crate) write: Direction,
    pub(crate) trim: Direction,
    pub(crate) sync: Direction,
    pub(crate) durable: Option<Histogram>,
    pub(crate) queue: QueueUse,
    pub(crate) check: Option<CheckResult>,
    pub(crate) errors: IoErrors,
    pub(crate) usage: WorkerUsage,
    pub(crate) edge_ns: i64,
    pub(crate) noted: Vec<NotedIo>,
    /// Read, and written or trimmed; ramp and drain included.
    pub(crate) total_bytes: (u64, u64),
}

/// Counts by powers of two; see [`QueueUse`].
#[derive(Debug, Default)]
struct QueueCounts {
    depths: [u64; 32],
    submitted: [u64; 32],
    reaped: [u64; 32],
}

impl<'a> Tally<'a> {
    pub(crate) fn new(spec: &JobSpec, live: &'a Live, split: bool, checks: bool) -> Self {
        let open_loop = spec.workload.shape.pace.ios_per_s().is_some();
        let some = |wanted: bool| wanted.then(Histogram::default);
        let extra = || Extra { response: some(open_loop), submission: some(split), completion: some(split) };
        Self {
            live,
            extras: [extra(), extra(), extra()],
            noted: Vec::with_capacity(spec.recording.noted_ios as usize),
            began_ns: 0,
            sync: Direction::default(),
            durable: some(spec.workload.durability.follows_each_write()),
            queue: QueueCounts::default(),
            check: checks.then(|| CheckResult { seeds: Vec::with_capacity(CheckResult::SEEDS_MAX), ..CheckResult::default() }),
            errors: IoErrors::default(),
            usage: WorkerUsage::default(),
            edge_ns: 0,
            before: [Counted::default(); 3],
            measured: [Counted::default(); 3],
            open: true,
            timed: spec.recording.latency,
            timing: spec.recording.latency,
        }
    }

    fn sides(&self) -> [&'a Side; 3] {
        [&self.live.read, &self.live.write, &self.live.trim]
    }

    #[inline]
    fn side(&self, operation: Operation) -> (&'a Side, usize) {
        match operation {
            Operation::Read => (&self.live.read, 0),
            Operation::Trim => (&self.live.trim, 2),
            _ => (&self.live.write, 1),
        }
    }

    /// Where I/Os that are all alike are counted.
    pub(crate) fn counter(&self, operation: Operation) -> Counter<'a> {
        Counter { side: self.side(operation).0, timing: self.timing }
    }

    /// Counts a completed read, write or trim.
    #[inline]
    pub(crate) fn count(&mut self, slot: &Slot, now_ns: u64) {
        let (side, _) = self.side(slot.operation);
        side.add(1, slot.bytes.into());
        if self.timing {
            side.latency.record(now_ns.saturating_sub(slot.submitted_ns));
        }
    }

    /// Counts what is recorded of an I/O only where the job asks for it.
    pub(crate) fn count_extra(&mut self, slot: &Slot, now_ns: u64) {
        let (side, index) = self.side(slot.operation);
        let extra = &mut self.extras[index];
        if !self.open {
            return;
        }
        if let Some(response) = &mut extra.response {
            response.record(now_ns.saturating_sub(slot.began_ns));
        }
        if let (Some(submission), Some(completion)) = (&mut extra.submission, &mut extra.completion) {
            let submission_ns = slot.accepted_ns.saturating_sub(slot.submitted_ns);
            submission.record(submission_ns);
            completion.record(now_ns.saturating_sub(slot.accepted_ns));
            side.add_submission(submission_ns);
        }
        if self.noted.len() < self.noted.capacity() {
            self.note(slot, now_ns);
        }
    }

    /// Notes one I/O; there is room.
    fn note(&mut self, slot: &Slot, now_ns: u64) {
        self.noted.push(NotedIo {
            end_ns: now_ns.saturating_sub(self.began_ns),
            latency_ns: now_ns.saturating_sub(slot.submitted_ns),
            submission_ns: slot.accepted_ns.saturating_sub(slot.submitted_ns),
            offset_bytes: slot.offset,
            bytes: slot.bytes,
            target: slot.target as u16,
            done: match slot.operation {
                Operation::Read => Done::Read,
                Operation::Trim => Done::Trim,
                _ => Done::Write,
            },
        });
    }

    #[inline]
    pub(crate) fn count_sync(&mut self, slot: &Slot, now_ns: u64) {
        if self.open {
            self.count_sync_at_end(now_ns.saturating_sub(slot.submitted_ns));
            if let Some(durable) = &mut self.durable {
                durable.record(now_ns.saturating_sub(slot.began_ns));
            }
        }
    }

    /// Counts a sync that belongs to the measurement though it comes after it.
    pub(crate) fn count_sync_at_end(&mut self, latency_ns: u64) {
        self.sync.ios += 1;
        self.sync.latency.record(latency_ns);
    }

    /// Counts a batch: `n` I/Os are handed over, and then `outstanding` are under way.
    #[inline]
    pub(crate) fn count_batch(&mut self, n: usize, outstanding: usize) {
        if self.open && n > 0 {
            self.queue.depths[power_of(outstanding)] += n as u64;
            self.queue.submitted[power_of(n)] += 1;
        }
    }

    /// Counts a look that found `n` completions.
    #[inline]
    pub(crate) fn count_reaped(&mut self, n: usize) {
        if self.open {
            self.queue.reaped[power_of(n)] += 1;
        }
    }

    /// Counts a failed I/O; `result` is a negative errno or fewer bytes than asked for.
    #[cold]
    pub(crate) fn fail(&mut self, slot: &Slot, result: i32) {
        if result < 0 {
            self.errors.failed += 1
        } else {
            self.errors.short += 1
        }
        if self.errors.first.is_none() {
            self.errors.first = Some(describe(slot, result));
        }
    }

    /// Drops what the ramp measured; errors stay.
    pub(crate) fn forget(&mut self, now_ns: u64) {
        self.before = self.sides().map(Side::so_far);
        self.sides().iter().for_each(|side| side.clear());
        self.began_ns = now_ns;
        self.noted.clear();
        let extras = self.extras.iter_mut().flat_map(|e| [&mut e.response, &mut e.submission, &mut e.completion]);
        extras.flatten().for_each(Histogram::clear);
        self.sync.ios = 0;
        self.sync.latency.clear();
        self.durable.iter_mut().for_each(Histogram::clear);
        self.queue = QueueCounts::default();
        self.timing = self.timed;
    }

    /// From here on nothing counts but errors and total bytes.
    pub(crate) fn close(&mut self) {
        self.measured = self.since_begin();
        (self.open, self.timing) = (false, false);
    }

    fn since_begin(&self) -> [Counted; 3] {
        let [reads, writes, trims] = self.sides().map(Side::so_far);
        let [r, w, t] = self.before;
        [reads.since(r), writes.since(w), trims.since(t)]
    }

    /// I/Os of the measurement, syncs left aside.
    pub(crate) fn ios(&self) -> u64 {
        self.since_begin().iter().map(|counted| counted.ios).sum()
    }

    /// The results.
    pub(crate) fn finish(self) -> Measured {
        let [of_reads, of_writes, of_trims] = self.extras;
        let [reads, writes, trims] = self.measured;
        let direction = |side: &Side, Counted { ios, bytes }, extra: Extra| Direction {
            ios,
            bytes,
            latency: side.latency.snapshot(),
            response: extra.response,
            submission: extra.submission,
            completion: extra.completion,
        };
        Measured {
            read: direction(&self.live.read, reads, of_reads),
            write: direction(&self.live.write, writes, of_writes),
            trim: direction(&self.live.trim, trims, of_trims),
            sync: self.sync,
            durable: self.durable,
            queue: self.queue.stored(),
            check: self.check,
            errors: self.errors,
            usage: self.usage,
            edge_ns: self.edge_ns,
            noted: self.noted,
            total_bytes: self.live.total_bytes(),
        }
    }
}

impl QueueCounts {
    fn stored(&self) -> QueueUse {
        let trimmed = |counts: &[u64]| counts[..counts.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1)].to_vec();
        QueueUse { depths: trimmed(&self.depths), submitted: trimmed(&self.submitted), reaped: trimmed(&self.reaped) }
    }
}

/// The power of two at or below `n`, which is at least 1.
#[inline]
fn power_of(n: usize) -> usize {
    (n.max(1).ilog2() as usize).min(31)
}

fn describe(slot: &Slot, result: i32) -> IoError {
    let errno = if result < 0 { -result } else { 0 };
    IoError {
        operation: slot.operation.name().to_owned(),
        offset_bytes: slot.offset,
        errno,
        message: match errno {
            0 => format!("only {result} bytes were moved"),
            e => io::Error::from_raw_os_error(e).to_string(),
        },
    }
}
