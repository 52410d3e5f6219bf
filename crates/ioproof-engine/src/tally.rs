//! The counts of one worker. Nothing here allocates after `new`, but for the first failed I/O.

use crate::live::{Counted, Ended, Live, LiveHistogram, LivePlaces, LiveSide};
use crate::outcome::PriorityLatency;
use crate::requests::priorities::classes;
use crate::slot::{IoOperation, Slot};
use ioproof_core::histogram::Histogram;
use ioproof_core::io_log::{IoKind, IoSample, RecordedIo};
use ioproof_core::job::JobSpec;
use ioproof_core::record::{CheckResult, Direction, IoError, IoErrors, QueueUse, WorkerUsage};
use std::io;

/// The measurement of one worker while it runs.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    live: &'a Live,
    /// From the intended start, in an open loop; reads, writes, trims.
    responses: [Option<Histogram>; 3],
    /// I/Os one by one, as many as there is room for.
    noted: Vec<IoSample>,
    /// I/Os as they were issued, as many as there is room for.
    recorded: Vec<RecordedIo>,
    /// Latency by priority, where single I/Os have any.
    by_priority: Vec<PriorityLatency>,
    /// True where that is the total latency.
    total_by_priority: bool,
    /// Priorities of the job as the kernel's numbers.
    priorities: Vec<u16>,
    began_ns: u64,
    pub(crate) sync: Direction,
    /// Write and its sync together, where a sync follows each write.
    durable: Option<Histogram>,
    /// Syncs, and writes with their syncs, that ended after the measurement.
    late: Option<(Histogram, Histogram)>,
    queue: QueueCounts,
    /// From the first I/O after a pause to the first completion.
    after_pause: Histogram,
    pub(crate) check: Option<CheckResult>,
    pub(crate) errors: IoErrors,
    pub(crate) usage: WorkerUsage,
    /// Sum of the ages of all I/Os under way at the end, less the same at the beginning. Nanoseconds.
    pub(crate) edge_ns: i64,
    /// True where the job ended before its ramp did, so that everything counts.
    pub(crate) ended_in_ramp: bool,
    /// Counts of before the measurement, and of the measurement once it has ended; reads, writes, trims.
    before: [Counted; 3],
    measured: [Counted; 3],
    /// True while completions count.
    open: bool,
    /// True where latency is recorded at all, and where it is recorded now.
    timed: bool,
    timing: bool,
}

/// Counts the completions that one look found, all of one direction and size. I/Os that were handed over together have the same stamps, so that
/// they have the same latency and are recorded at once.
pub(crate) struct Counter<'a> {
    side: &'a LiveSide,
    /// The histogram that latencies go to, where they are recorded.
    latency: Option<&'a LiveHistogram>,
    /// Counts by place, where they are taken.
    places: Option<&'a LivePlaces>,
    open: bool,
    now_ns: u64,
    /// Stamps of the batch that is being counted, the latency of its I/Os, and how many of them are not recorded yet.
    submitted_ns: u64,
    accepted_ns: u64,
    latency_ns: u64,
    pending: u64,
    ios: u64,
}

impl<'a> Counter<'a> {
    /// For one look at `now_ns`.
    fn new(side: &'a LiveSide, latency: Option<&'a LiveHistogram>, places: Option<&'a LivePlaces>, open: bool, now_ns: u64) -> Self {
        Self { side, latency, places, open, now_ns, submitted_ns: 0, accepted_ns: 0, latency_ns: now_ns, pending: 0, ios: 0 }
    }

    /// Counts one I/O. The kernel was entered between any two batches, so that the stamp of its submission tells an I/O's batch.
    #[inline]
    pub(crate) fn count(&mut self, slot: &Slot) {
        if slot.submitted_ns != self.submitted_ns {
            self.next_batch(slot);
        }
        self.pending += 1;
        if let Some(places) = self.places {
            places.record(slot.offset, self.latency_ns);
        }
    }

    /// Goes on to the batch of an I/O.
    #[inline(never)]
    fn next_batch(&mut self, slot: &Slot) {
        if self.pending > 0 {
            self.record();
        }
        (self.submitted_ns, self.accepted_ns) = (slot.submitted_ns, slot.accepted_ns);
        self.latency_ns = self.now_ns.saturating_sub(slot.submitted_ns);
    }

    fn record(&mut self) {
        let times = std::mem::take(&mut self.pending);
        if let Some(latency) = self.latency {
            latency.record(self.latency_ns, times);
        }
        if self.open {
            self.side.record_parts(self.submitted_ns, self.accepted_ns, self.now_ns, times);
        }
        self.ios += times;
    }

    /// Adds all to the direction.
    #[inline]
    pub(crate) fn finish(mut self, bytes_each: u32) {
        if self.pending > 0 {
            self.record();
        }
        self.side.add(self.ios, self.ios * u64::from(bytes_each));
    }
}

/// A worker's results, free of its loop.
#[derive(Debug, Default)]
pub(crate) struct WorkerResults {
    pub(crate) read: Direction,
    pub(crate) write: Direction,
    pub(crate) trim: Direction,
    pub(crate) sync: Direction,
    pub(crate) durable: Option<Histogram>,
    pub(crate) durable_late: Option<Histogram>,
    pub(crate) queue: QueueUse,
    pub(crate) check: Option<CheckResult>,
    pub(crate) errors: IoErrors,
    pub(crate) usage: WorkerUsage,
    pub(crate) edge_ns: i64,
    pub(crate) noted: Vec<IoSample>,
    pub(crate) recorded: Vec<RecordedIo>,
    pub(crate) by_priority: Vec<PriorityLatency>,
    /// True where the job ended before its ramp did, so that all of it is counted.
    pub(crate) ended_in_ramp: bool,
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
    /// Of a worker that has counted nothing.
    ///
    /// # Errors
    /// Where there is no memory for the I/Os that are to be noted.
    pub(crate) fn new(spec: &JobSpec, live: &'a Live, checks: bool) -> io::Result<Self> {
        let open_loop = spec.workload.shape.pace.ios_per_s().is_some();
        let some = |wanted: bool| wanted.then(Histogram::default);
        let mut noted = Vec::new();
        noted.try_reserve_exact(spec.recording.noted_ios as usize).map_err(|_| io::Error::other("no memory to note I/Os one by one"))?;
        let mut recorded = Vec::new();
        recorded.try_reserve_exact(spec.recording.recorded_ios as usize).map_err(|_| io::Error::other("no memory to record I/Os"))?;
        Ok(Self {
            live,
            responses: [some(open_loop), some(open_loop), some(open_loop)],
            noted,
            recorded,
            by_priority: if spec.placement.command_priorities.is_empty() { Vec::new() } else { PriorityLatency::of(&classes(spec)) },
            total_by_priority: spec.placement.command_priorities.total_latency,
            priorities: classes(spec).iter().map(|class| class.number()).collect(),
            began_ns: 0,
            sync: Direction::default(),
            durable: some(spec.workload.durability.follows_each_write()),
            late: spec.workload.writes().then(Default::default),
            queue: QueueCounts::default(),
            after_pause: Histogram::default(),
            check: checks.then(|| CheckResult { seeds: Vec::with_capacity(CheckResult::SEEDS_MAX), ..CheckResult::default() }),
            errors: IoErrors::default(),
            usage: WorkerUsage::default(),
            edge_ns: 0,
            ended_in_ramp: false,
            before: [Counted::default(); 3],
            measured: [Counted::default(); 3],
            open: true,
            timed: spec.recording.latency,
            timing: spec.recording.latency,
        })
    }

    #[inline]
    fn side(&self, operation: IoOperation) -> (&'a LiveSide, usize) {
        match operation {
            IoOperation::Read => (&self.live.read, 0),
            IoOperation::Trim => (&self.live.trim, 2),
            _ => (&self.live.write, 1),
        }
    }

    /// The histogram that latencies go to now, where they are recorded. I/Os that outlive the measurement count with the time that they took.
    #[inline]
    fn histogram(&self, side: &'a LiveSide) -> Option<&'a LiveHistogram> {
        match (self.timing, self.open) {
            (true, _) => Some(&side.latency),
            (false, false) if self.timed => Some(&side.late),
            (false, _) => None,
        }
    }

    #[inline]
    fn places(&self, side: &'a LiveSide) -> Option<&'a LivePlaces> {
        side.places.as_ref().filter(|_| self.timing)
    }

    /// A counter for I/Os that are all alike, for one look at `now_ns`.
    #[inline]
    pub(crate) fn counter(&self, operation: IoOperation, now_ns: u64) -> Counter<'a> {
        let side = self.side(operation).0;
        Counter::new(side, self.histogram(side), self.places(side), self.open, now_ns)
    }

    /// Counts a completed read, write or trim.
    #[inline]
    pub(crate) fn count(&mut self, slot: &Slot, now_ns: u64) {
        let (side, _) = self.side(slot.operation);
        side.add(1, slot.bytes.into());
        if let Some(latency) = self.histogram(side) {
            latency.record(now_ns.saturating_sub(slot.submitted_ns), 1);
        }
        if let Some(places) = self.places(side) {
            places.record(slot.offset, now_ns.saturating_sub(slot.submitted_ns));
        }
        if self.open {
            side.record_parts(slot.submitted_ns, slot.accepted_ns, now_ns, 1);
        }
    }

    /// Records the response time of an I/O, also of one that outlives the measurement, and the I/O itself, where the job asks for them.
    pub(crate) fn count_extra(&mut self, slot: &Slot, now_ns: u64) {
        let (_, index) = self.side(slot.operation);
        if let Some(response) = &mut self.responses[index] {
            response.record(now_ns.saturating_sub(slot.began_ns));
        }
        self.count_priority(slot, now_ns);
        if self.open && self.noted.len() < self.noted.capacity() {
            self.note(slot, now_ns);
        }
    }

    /// Records the latency of an I/O with those of its priority.
    fn count_priority(&mut self, slot: &Slot, now_ns: u64) {
        let (_, index) = self.side(slot.operation);
        let Some(of) = self.by_priority.get_mut(slot.priority as usize).filter(|_| self.open) else { return };
        let since_ns = if self.total_by_priority { slot.submitted_ns } else { slot.submitted_ns.max(slot.accepted_ns) };
        match index {
            0 => of.read.record(now_ns.saturating_sub(since_ns)),
            1 => of.write.record(now_ns.saturating_sub(since_ns)),
            _ => {}
        }
    }

    /// Records an I/O that is handed over now, also in the ramp, as long as there is room.
    #[inline]
    pub(crate) fn record_issued(&mut self, slot: &Slot, start_ns: u64) {
        if self.recorded.len() < self.recorded.capacity() {
            self.recorded.push(RecordedIo {
                at_ns: slot.submitted_ns.saturating_sub(start_ns),
                offset_bytes: slot.offset,
                bytes: if slot.operation.is_sync() { 0 } else { slot.bytes },
                target: slot.target,
                kind: slot.operation.recorded(),
            });
        }
    }

    /// Notes one I/O; there is room.
    fn note(&mut self, slot: &Slot, now_ns: u64) {
        self.noted.push(IoSample {
            end_ns: now_ns.saturating_sub(self.began_ns),
            latency_ns: now_ns.saturating_sub(slot.submitted_ns),
            submission_ns: slot.accepted_ns.saturating_sub(slot.submitted_ns),
            offset_bytes: slot.offset,
            bytes: slot.bytes,
            target: slot.target as u16,
            kind: match slot.operation {
                IoOperation::Read => IoKind::Read,
                IoOperation::Trim => IoKind::Trim,
                _ => IoKind::Write,
            },
            priority: self.priorities.get(slot.priority as usize).copied().unwrap_or(0),
        });
    }

    #[inline]
    pub(crate) fn count_sync(&mut self, slot: &Slot, now_ns: u64) {
        let (sync_ns, durable_ns) = (now_ns.saturating_sub(slot.submitted_ns), now_ns.saturating_sub(slot.began_ns));
        if self.open {
            self.count_sync_at_end(sync_ns);
            self.durable.iter_mut().for_each(|durable| durable.record(durable_ns));
        } else if let Some((sync, durable)) = &mut self.late {
            sync.record(sync_ns);
            durable.record(durable_ns);
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

    /// Counts the first completion after a pause, so long after the first I/O.
    #[cold]
    pub(crate) fn count_after_pause(&mut self, ns: u64) {
        if self.timed && self.open {
            self.after_pause.record(ns);
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

    /// Drops the measurement of the ramp; errors stay.
    pub(crate) fn forget(&mut self, now_ns: u64) {
        self.before = self.live.sides().map(LiveSide::so_far);
        self.live.sides().iter().for_each(|side| side.clear());
        self.began_ns = now_ns;
        self.noted.clear();
        self.by_priority.iter_mut().for_each(PriorityLatency::clear);
        self.responses.iter_mut().flatten().for_each(Histogram::clear);
        self.sync.ios = 0;
        self.sync.latency.clear();
        self.durable.iter_mut().for_each(Histogram::clear);
        self.queue = QueueCounts::default();
        self.timing = self.timed;
    }

    /// From here on, so long after the job began, nothing counts but errors, total bytes and the latency of what is still under way.
    pub(crate) fn close(&mut self, elapsed_ns: u64) {
        self.measured = self.since_begin();
        let _ = self.live.ended.set(Ended { elapsed_ns, counted: self.live.counted() });
        (self.open, self.timing) = (false, false);
    }

    fn since_begin(&self) -> [Counted; 3] {
        let [reads, writes, trims] = self.live.sides().map(LiveSide::so_far);
        let [r, w, t] = self.before;
        [reads.since(r), writes.since(w), trims.since(t)]
    }

    /// I/Os of the measurement, syncs left aside.
    pub(crate) fn ios(&self) -> u64 {
        self.since_begin().iter().map(|counted| counted.ios).sum()
    }

    /// True while completions count.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The results.
    pub(crate) fn finish(self) -> WorkerResults {
        let [of_reads, of_writes, of_trims] = self.responses;
        let [reads, writes, trims] = self.measured;
        let direction = |side: &LiveSide, Counted { ios, bytes }, response| Direction {
            ios,
            bytes,
            latency: side.latency.snapshot(),
            late: Some(side.late.snapshot()).filter(|late| late.count() > 0),
            response,
            submission: side.split.as_ref().map(|split| split.submission.snapshot()),
            completion: side.split.as_ref().map(|split| split.completion.snapshot()),
            places: side.places.as_ref().map(LivePlaces::snapshot).filter(|places| !places.ios.is_empty()),
        };
        let told = |late: Histogram| Some(late).filter(|late| late.count() > 0);
        let (sync_late, durable_late) = self.late.map_or((None, None), |(sync, durable)| (told(sync), told(durable)));
        WorkerResults {
            read: direction(&self.live.read, reads, of_reads),
            write: direction(&self.live.write, writes, of_writes),
            trim: direction(&self.live.trim, trims, of_trims),
            sync: Direction { late: sync_late, ..self.sync },
            durable_late: durable_late.filter(|_| self.durable.is_some()),
            durable: self.durable,
            queue: QueueUse { after_pause: told(self.after_pause), ..self.queue.stored() },
            check: self.check,
            errors: self.errors,
            usage: self.usage,
            edge_ns: self.edge_ns,
            noted: self.noted,
            recorded: self.recorded,
            by_priority: self.by_priority,
            ended_in_ramp: self.ended_in_ramp,
            total_bytes: self.live.total_bytes(),
        }
    }
}

impl WorkerResults {
    /// The same of a worker that did nothing after the ramp, where others did.
    pub(crate) fn without_ramp(self) -> Self {
        if !self.ended_in_ramp {
            return self;
        }
        Self { check: self.check, errors: self.errors, total_bytes: self.total_bytes, recorded: self.recorded, ..Self::default() }
    }
}

impl QueueCounts {
    fn stored(&self) -> QueueUse {
        let trimmed = |counts: &[u64]| counts[..counts.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1)].to_vec();
        QueueUse { depths: trimmed(&self.depths), submitted: trimmed(&self.submitted), reaped: trimmed(&self.reaped), after_pause: None }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn done(counter: &mut Counter, batches: &[(u64, u64)]) {
        batches.iter().for_each(|&(submitted_ns, accepted_ns)| counter.count(&Slot { submitted_ns, accepted_ns, ..Slot::EMPTY }));
    }

    #[test]
    fn every_io_of_a_look_counts_once_with_the_stamps_of_its_batch() {
        let live = Live::new(true, None);
        let mut counter = Counter::new(&live.read, Some(&live.read.latency), None, true, 100);
        // Two batches that are mixed with each other, as a drive mixes them.
        done(&mut counter, &[(10, 20), (10, 20), (50, 55), (10, 20)]);
        counter.finish(4096);
        let (mut whole, mut submission) = (Histogram::default(), Histogram::default());
        [90, 90, 50, 90].into_iter().for_each(|ns| whole.record(ns));
        [10, 10, 5, 10].into_iter().for_each(|ns| submission.record(ns));
        assert_eq!((live.read.latency.snapshot(), live.read.so_far()), (whole, Counted { ios: 4, bytes: 4 * 4096 }));
        assert_eq!(live.read.split.as_ref().map(|split| split.submission.snapshot()), Some(submission));
    }

    #[test]
    fn outside_of_the_measurement_ios_count_and_their_latency_does_not() {
        let live = Live::new(true, None);
        let mut counter = Counter::new(&live.read, None, None, false, 9);
        done(&mut counter, &[(1, 2), (3, 4)]);
        counter.finish(512);
        assert_eq!((live.read.so_far().ios, live.read.latency.snapshot().count(), live.read.submission_sum_ns()), (2, 0, 0));
    }
}
