//! The next request of a worker: its operation, size, target and offset. The draws of one worker depend on the job's seed and its number alone.

mod all_syncs;
mod passes;
pub(crate) mod priorities;
mod replay;
mod turns;

pub(crate) use all_syncs::AllSyncs;
pub(crate) use replay::Replay;

use crate::ledger::{Walk, WriteLedger};
use crate::offsets::Offsets;
use crate::random::Draws;
use crate::sizes::Sizes;
use crate::slot::IoOperation;
use ioproof_core::job::{JobSpec, Placement, Span, Turns, Until};
use ioproof_core::shape::Order;
use ioproof_core::workload::{Durability, Workload};
use passes::Passes;
use std::collections::TryReserveError;
use std::io;
use std::sync::Arc;
use turns::ios_a_turn;

/// One I/O that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) operation: IoOperation,
    pub(crate) target: u32,
    pub(crate) bytes: u32,
    pub(crate) offset: u64,
}

/// The I/Os of one worker, one after the other.
#[derive(Debug)]
pub(crate) struct Requests {
    alike: Option<(IoOperation, u32)>,
    /// The sequence of places on the first target, and those on the others.
    first: Offsets,
    others: Box<[Offsets]>,
    /// The sequences of writes, one a target, where reads and writes each have their own.
    of_writes: Box<[Offsets]>,
    /// Reads that check earlier writes, in place of all these.
    written: Option<Walk>,
    /// Recorded I/O, in place of all these too.
    replay: Option<Replay>,
    /// Whose turn it is, and for how many I/Os more.
    turn: usize,
    turn_ios: u64,
    /// Number of I/Os that each target gets at its turn.
    ios_a_turn: Box<[u64]>,
    any_turn: bool,
    read_percent: u8,
    /// Reads and trims together.
    not_written_percent: u8,
    read_sizes: Sizes,
    write_sizes: Sizes,
    random: Draws,
    syncs: Option<PeriodicSync>,
    /// Each block is trimmed and then written.
    trims_first: bool,
    /// The one that is held is the write of a block that was trimmed, which counts as done with its trim.
    owes_write: bool,
    passes: Option<Passes>,
    /// True where there is no other pass after the first.
    once: bool,
    /// The largest I/O. Bytes.
    largest_bytes: u64,
    ios_left: u64,
    bytes_left: u64,
    /// Drawn, and held back until its time has come.
    held: Option<Request>,
}

/// A sync after every so many writes, or one of each target after every so many I/Os.
#[derive(Debug)]
struct PeriodicSync {
    operation: IoOperation,
    every: u32,
    /// Writes since the last one.
    writes: u32,
    /// Target of the last write, which the sync is for.
    target: u32,
    /// True where they stand between I/Os, so that the last I/O has none after it, as in a job of fio.
    between: bool,
    /// Count of all workers, where all targets are synced.
    of_all: Option<Arc<AllSyncs>>,
}

impl Requests {
    /// Those of worker `worker` on `targets` targets.
    ///
    /// # Errors
    /// Where there is no memory for the maps that they need.
    pub(crate) fn new(spec: &JobSpec, worker: u32, targets: usize) -> io::Result<Self> {
        let workload = &spec.workload;
        let shape = &workload.shape;
        let waits = matches!(spec.until, Until::Ios(_) | Until::Bytes(_));
        let own = without_places(spec);
        let sequence = |target: usize| Offsets::new(own.as_ref().unwrap_or(spec), worker, target, waits).map_err(no_map);
        let (ios_left, bytes_left) = match spec.until {
            Until::Ios(ios) => (ios, spec.at_most_bytes.unwrap_or(u64::MAX)),
            Until::Bytes(bytes) => (u64::MAX, bytes),
            Until::ElapsedNs(_) | Until::SpanCovered => (u64::MAX, spec.at_most_bytes.unwrap_or(u64::MAX)),
        };
        Ok(Self {
            alike: alike(spec).filter(|_| targets == 1),
            first: sequence(0)?,
            others: (1..targets).map(sequence).collect::<io::Result<_>>()?,
            of_writes: (0..if shape.separate_streams { targets } else { 0 }).map(sequence).collect::<io::Result<_>>()?,
            written: None,
            replay: None,
            turn: 0,
            turn_ios: ios_a_turn(spec, worker, 0),
            ios_a_turn: (0..targets).map(|target| ios_a_turn(spec, worker, target)).collect(),
            any_turn: spec.placement.turns == Turns::Random,
            read_percent: workload.read_percent,
            not_written_percent: workload.read_percent.saturating_add(workload.shape.trim_percent),
            read_sizes: Sizes::new(workload.block_bytes, &shape.read_sizes, shape.read_range),
            write_sizes: Sizes::new(workload.block_bytes, &shape.write_sizes, shape.write_range),
            random: Draws::new(!spec.seed ^ u64::from(worker)),
            syncs: PeriodicSync::of(workload.durability).map(|syncs| PeriodicSync { between: spec.recording.to_the_last, ..syncs }),
            trims_first: shape.trims_first,
            owes_write: false,
            passes: Passes::of(spec, worker, targets),
            once: spec.until == Until::SpanCovered,
            largest_bytes: workload.largest_block_bytes().into(),
            ios_left,
            bytes_left,
            held: None,
        })
    }

    /// The same, or only reads of the places in a ledger; `worker` is one of the job's.
    pub(crate) fn reading_back(self, ledger: Option<&Arc<WriteLedger>>, spec: &JobSpec, worker: u32) -> Self {
        let Some(ledger) = ledger else { return self };
        let Workload { workers, .. } = spec.workload;
        Self { written: Some(Walk::new(Arc::clone(ledger), (worker, workers), spec.workload.largest_block_bytes())), ..self }
    }

    /// The same with its syncs of all targets counted with those of the job's other workers.
    pub(crate) fn sharing(mut self, syncs: &Arc<AllSyncs>) -> Self {
        if let Some(of_all) = self.syncs.as_mut().and_then(|own| own.of_all.as_mut()) {
            *of_all = Arc::clone(syncs);
        }
        self
    }

    /// The same, or only what was recorded.
    pub(crate) fn replaying(self, replay: Option<&Replay>) -> Self {
        Self { replay: replay.cloned(), ..self }
    }

    /// When the next recorded I/O is due, since the job began; `None` where there is no more. Nanoseconds.
    pub(crate) fn recorded_due_ns(&mut self) -> Option<u64> {
        self.replay.as_mut()?.peek().map(|(at_ns, _)| at_ns)
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.replay.is_some()
    }

    /// Number of targets.
    pub(crate) fn targets(&self) -> u32 {
        1 + self.others.len() as u32
    }

    /// The operation and size of every request, where they differ in nothing but their place and none is held back; then [`Self::next_places`] is all
    /// that is asked.
    pub(crate) fn alike(&self) -> Option<(IoOperation, u32)> {
        self.alike
    }

    /// Offsets of the next requests that are all alike, as many as there is room for; fewer when the job has no more. Gives how many.
    #[inline]
    pub(crate) fn next_places(&mut self, places: &mut [u64], bytes: u32) -> usize {
        self.first.fill(places, bytes)
    }

    /// The next one, which stays the next until it is taken; `None` when the job has no more.
    pub(crate) fn peek(&mut self) -> Option<Request> {
        if let Some(replay) = &mut self.replay {
            return replay.peek().map(|(_, request)| request);
        }
        self.hold();
        self.sync_due().or(self.held)
    }

    /// Draws the next I/O, unless it is drawn already or the job has no more.
    fn hold(&mut self) {
        if self.is_over() {
            self.held = None;
        } else if self.held.is_none() {
            let operation = self.operation();
            self.held = self.draw(operation);
        }
    }

    /// Takes the next one; `None` when the job has no more.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Request> {
        if let Some(replay) = &mut self.replay {
            return replay.next();
        }
        if let Some(sync) = self.take_sync() {
            return Some(sync);
        }
        if self.is_over() {
            return None;
        }
        let request = match self.held.take() {
            Some(request) => request,
            None => {
                let operation = self.operation();
                self.draw(operation)?
            }
        };
        self.count(&request);
        Some(request)
    }

    /// An operation that may go in the place of an I/O that must wait: one of the other direction, where the job has both.
    pub(crate) fn other(&self, operation: IoOperation) -> Option<IoOperation> {
        match operation {
            IoOperation::Read => (self.read_percent < 100).then_some(IoOperation::Write),
            IoOperation::Write | IoOperation::Trim => (self.read_percent > 0).then_some(IoOperation::Read),
            IoOperation::Datasync | IoOperation::Fsync | IoOperation::RangeSync => None,
        }
    }

    /// Takes one of a direction, and leaves the one that waits; `None` when there is no place left for it. Of writes and trims, each comes as often as
    /// the job says.
    pub(crate) fn next_of(&mut self, operation: IoOperation) -> Option<Request> {
        let trims = self.not_written_percent - self.read_percent;
        let operation = match operation {
            IoOperation::Write if trims > 0 && self.random.below(u64::from(100 - self.read_percent)) < trims.into() => IoOperation::Trim,
            other => other,
        };
        let request = self.draw(operation)?;
        self.count(&request);
        Some(request)
    }

    /// The sync that must come before any other I/O. Of several workers another one may take it.
    #[inline]
    fn sync_due(&self) -> Option<Request> {
        let syncs = self.syncs.as_ref()?;
        let own = || (syncs.writes >= syncs.every && (!syncs.between || self.held.is_some())).then_some(syncs.target);
        let target = syncs.of_all.as_ref().map_or_else(own, |all| all.due(syncs.every))?;
        Some(Request { operation: syncs.operation, target, bytes: 0, offset: 0 })
    }

    #[inline]
    fn take_sync(&mut self) -> Option<Request> {
        if self.syncs.as_ref().is_some_and(|syncs| syncs.between && syncs.writes >= syncs.every) {
            self.hold();
            self.held?;
        }
        let targets = self.targets();
        let syncs = self.syncs.as_mut()?;
        let target = match &syncs.of_all {
            Some(all) => all.take(syncs.every, targets)?,
            None if syncs.writes < syncs.every => return None,
            None => {
                syncs.writes = 0;
                syncs.target
            }
        };
        Some(Request { operation: syncs.operation, target, bytes: 0, offset: 0 })
    }

    #[inline]
    fn is_over(&self) -> bool {
        if self.owes_write {
            return false;
        }
        self.ios_left == 0 || self.bytes_left == 0 || self.passes.as_ref().is_some_and(Passes::are_over)
    }

    #[inline]
    fn draw(&mut self, operation: IoOperation) -> Option<Request> {
        if let Some(written) = &mut self.written {
            return written.next().map(|(target, offset, bytes)| Request { operation, target, bytes, offset });
        }
        let sizes = if operation == IoOperation::Read { &mut self.read_sizes } else { &mut self.write_sizes };
        let bytes = sizes.next(&mut self.random);
        let own = operation != IoOperation::Read && !self.of_writes.is_empty();
        let place = if self.others.is_empty() && !own {
            let is_read = operation == IoOperation::Read;
            self.first.place(bytes, is_read, || sizes.next(&mut self.random)).map(|place| (0, place))
        } else {
            self.place(operation, bytes, own)
        };
        let (target, (offset, bytes)) = match place {
            Some(place) => place,
            None => self.in_new_pass(operation, bytes, own)?,
        };
        Some(Request { operation, target: target as u32, bytes, offset })
    }

    /// An I/O is taken: only now it counts, because one that waits may be left behind when the job ends.
    #[inline]
    fn count(&mut self, request: &Request) {
        if let Some(syncs) = &mut self.syncs {
            syncs.count(request);
        }
        if std::mem::take(&mut self.owes_write) {
            return;
        }
        if self.trims_first {
            (self.owes_write, self.held) = (true, Some(Request { operation: IoOperation::Write, ..*request }));
        }
        self.ios_left -= 1;
        self.bytes_left = self.bytes_left.saturating_sub(request.bytes.into());
        if self.passes.as_mut().is_some_and(|passes| passes.taken(request)) {
            let all = [&mut self.others, &mut self.of_writes].into_iter().flatten();
            all.chain([&mut self.first]).for_each(Offsets::restart);
        }
    }

    fn operation(&mut self) -> IoOperation {
        if self.trims_first {
            return IoOperation::Trim;
        }
        match (self.read_percent, self.not_written_percent) {
            (100, _) => IoOperation::Read,
            (0, 0) => IoOperation::Write,
            (0, 100) => IoOperation::Trim,
            (read, not_written) => match self.random.below(100) as u8 {
                draw if draw < read => IoOperation::Read,
                draw if draw < not_written => IoOperation::Trim,
                _ => IoOperation::Write,
            },
        }
    }
}

/// A job whose places come from a log, as one on a span with room for a block: its own places are never drawn, and its files may be smaller.
fn without_places(spec: &JobSpec) -> Option<JobSpec> {
    let span = Span { offset_bytes: 0, length_bytes: spec.workload.largest_block_bytes().into() };
    let placement = || Placement { spans: Vec::new(), target_spans: Vec::new(), ..spec.placement.clone() };
    (spec.workload.shape.order == Order::Recorded).then(|| JobSpec { span, placement: placement(), ..spec.clone() })
}

/// The operation and size of every request, where all are alike and none waits for its time.
fn alike(spec: &JobSpec) -> Option<(IoOperation, u32)> {
    let workload = &spec.workload;
    let operation = match (workload.read_percent, workload.shape.trim_percent) {
        (100, 0) => IoOperation::Read,
        (0, 0) => IoOperation::Write,
        (0, 100) => IoOperation::Trim,
        _ => return None,
    };
    let bytes = workload.smallest_block_bytes();
    let one_size = bytes == workload.largest_block_bytes() && PeriodicSync::of(workload.durability).is_none();
    let endless = matches!(spec.until, Until::ElapsedNs(_) | Until::SpanCovered);
    (one_size && endless && spec.at_most_bytes.is_none() && !workload.shape.is_held_back()).then_some((operation, bytes))
}

/// Policy where a map cannot be had.
fn no_map(error: TryReserveError) -> io::Error {
    let hint = "let blocks come with repetition (norandommap), make the smallest block larger or the span smaller";
    io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for the map of visited blocks ({error}): {hint}"))
}

impl PeriodicSync {
    fn of(durability: Durability) -> Option<Self> {
        let (operation, every) = match durability {
            Durability::FdatasyncEvery(n) => (IoOperation::Datasync, n),
            Durability::FsyncEvery(n) => (IoOperation::Fsync, n),
            Durability::FsyncAllEvery(n) => (IoOperation::Fsync, n),
            Durability::SyncFileRangeEvery(n) => (IoOperation::RangeSync, n),
            _ => return None,
        };
        let of_all = matches!(durability, Durability::FsyncAllEvery(_)).then(Arc::default);
        Some(Self { operation, every: every.max(1), writes: 0, target: 0, between: false, of_all })
    }

    /// An I/O is taken.
    #[inline]
    fn count(&mut self, request: &Request) {
        match &self.of_all {
            Some(all) => all.count(self.every, request.operation),
            None if request.operation == IoOperation::Write => (self.writes, self.target) = (self.writes + 1, request.target),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests;
