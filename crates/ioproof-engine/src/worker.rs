//! The loop. It reads from top to bottom: fill the free slots, hand them over, look at the clock, take what is done.
//!
//! Everything is resolved before it starts; it allocates nothing, takes no lock and knows no strings. Latency is stamped just before the
//! kernel is entered and when the completion is seen, so it contains the submission.

pub(crate) mod affinity;
mod edges;
mod fill;
mod gate;
mod locked;
pub(crate) mod pool;
mod sampler;
mod silence;
mod take;
mod thread;
mod usage;
mod waking;

use crate::backend::{Backend, BackendChoice};
use crate::batching::{Batching, Filling};
use crate::buffers::Buffers;
use crate::check::Reader;
use crate::clock::Clock;
use crate::ledger::WriteLedger;
use crate::live::Live;
use crate::pace::{FlowShare, Pacer};
use crate::requests::priorities::Priorities;
use crate::requests::{AllSyncs, Replay, Requests};
use crate::slot::{IoOperation, Slot};
use crate::tally::Tally;
use crate::worker::usage::Usage;
use ioproof_core::faults::Faults;
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::workload::{Durability, Pattern};
use silence::Silence;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use waking::Waking;

/// I/Os handed over at once where nothing waits, because all I/O was done when the call came back: only the calls cost.
const MANY: usize = 32;

/// Longest time of one I/O on average where all is done at once. Nanoseconds.
const AT_ONCE_NS: u64 = 1000;

/// Longest wait for completions, so that the worker sees that it is to stop. Nanoseconds.
const WAIT_NS: u64 = 100_000_000;

/// The common knowledge of all workers of a job.
#[derive(Debug)]
pub(crate) struct JobShared {
    pub(crate) spec: JobSpec,
    pub(crate) clock: Clock,
    /// Set to end the job early.
    pub(crate) stop: AtomicBool,
    pub(crate) faults: Option<Faults>,
    pub(crate) choice: BackendChoice,
    pub(crate) polled: bool,
    pub(crate) kernel_submits: bool,
    pub(crate) batching: Option<Batching>,
    pub(crate) flow: Option<FlowShare>,
    /// The file in which the buffers lie, where it is not memory of the process.
    pub(crate) buffers_in: Option<Arc<OwnedFd>>,
    /// The last write of every place, if that is noted.
    pub(crate) ledger: Option<Arc<WriteLedger>>,
    /// True where only that is read.
    pub(crate) read_back: bool,
    /// Recorded I/O that is issued in the place of the job's own.
    pub(crate) replay: Option<Replay>,
    /// Counts the I/Os of all workers where all targets are synced after so many.
    pub(crate) all_syncs: Arc<AllSyncs>,
    /// When the job began, by the clock; set before the workers are let go. Nanoseconds.
    pub(crate) start_ns: AtomicU64,
}

impl JobShared {
    /// True where latency is split; a synchronous backend does the I/O while it submits, so that there is nothing to split.
    pub(crate) fn splits(&self) -> bool {
        self.spec.recording.split && !self.choice.is_synchronous()
    }

    /// The span whose parts are told apart, of random I/O on one target: sequential I/O is in one part at a time.
    pub(crate) fn places(&self, targets: usize) -> Option<Span> {
        let is_told = targets == 1 && self.spec.workload.pattern == Pattern::Random && self.spec.recording.latency;
        is_told.then_some(self.spec.span)
    }
}

/// The phases of a worker's job.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// I/O runs, its results will be dropped unless the job ends before the ramp does.
    Ramp { usage: Usage },
    /// Results count.
    Measure { began_ns: u64, usage: Usage },
    /// No new I/O; outstanding I/Os are waited for and count.
    Last { began_ns: u64, usage: Usage },
    /// No new I/O; outstanding I/Os are waited for and do not count.
    Drain,
}

impl Phase {
    /// The longest that a worker may sleep of the `wait_ns` that its limit asks for: in the ramp until it is over. A worker that is held back begins
    /// to measure when all do, not with its own next I/O, which would then be one too many. Nanoseconds.
    fn bounds(self, wait_ns: u64, now_ns: impl FnOnce() -> u64, measure_from_ns: u64) -> u64 {
        if matches!(self, Self::Ramp { .. }) { wait_ns.min(measure_from_ns.saturating_sub(now_ns())) } else { wait_ns }
    }
}

/// One worker with everything that its loop needs.
pub(crate) struct Worker<'a, B> {
    pub(crate) backend: B,
    pub(crate) buffers: Buffers,
    shared: &'a JobShared,
    live: &'a Live,
    /// Its number.
    worker: u32,
    requests: Requests,
    pacer: Pacer,
    slots: Box<[Slot]>,
    free: Vec<u32>,
    /// Places of the batch that is being queued.
    places: [u64; MANY],
    /// Priorities of single I/Os, where there are any.
    priorities: Option<Priorities>,
    /// Slots whose write is done and whose sync is to be submitted.
    to_sync: Vec<u32>,
    /// Slots queued since the kernel was last entered, where submission is timed.
    batch: Vec<u32>,
    /// I/Os handed over at once at the moment, and the number of them where I/O takes its time (few) and where it does not (many).
    most: usize,
    few: usize,
    many: usize,
    /// When the queue is filled, where the job says so.
    filling: Option<Filling>,
    /// Number of the next write's data.
    number: u64,
    /// The sync that follows each write in its slot.
    following: Option<IoOperation>,
    split: bool,
    /// The operation and size of every I/O, where all are alike and nothing special is done with them: the shortest way through the loop.
    alike: Option<(IoOperation, u32)>,
    /// True where completed I/Os need more than to be counted.
    extra: bool,
    /// True where writes bear headers.
    headers: bool,
    reader: Reader,
    /// A pause, and the I/O after it.
    waking: Waking,
    pub(crate) tally: Tally<'a>,
}

impl<'a, B: Backend> Worker<'a, B> {
    /// With all that it needs to run.
    ///
    /// # Errors
    /// Where there is no memory for the map of visited blocks, or for the I/Os that are to be noted.
    pub(crate) fn new(
        backend: B,
        buffers: Buffers,
        shared: &'a JobShared,
        live: &'a Live,
        number: u32,
        targets: usize,
    ) -> io::Result<Self> {
        let JobShared { spec, ledger, .. } = shared;
        let depth = spec.workload.depth;
        let split = shared.splits();
        let open_loop = spec.workload.shape.pace.ios_per_s().is_some();
        let following = match spec.workload.durability {
            Durability::FdatasyncEach => Some(IoOperation::Datasync),
            Durability::FsyncEach => Some(IoOperation::Fsync),
            _ => None,
        };
        let data = &spec.workload.shape.data;
        let extra =
            open_loop || ledger.is_some() || data.checked || spec.recording.noted_ios > 0 || !spec.placement.command_priorities.is_empty();
        let to_read_back = ledger.as_ref().filter(|_| shared.read_back);
        let requests = Requests::new(spec, number, targets)?.sharing(&shared.all_syncs).reading_back(to_read_back, spec, number);
        let requests = requests.replaying(shared.replay.as_ref());
        let is_special = extra || requests.is_replay() || spec.recording.recorded_ios > 0;
        let alike = requests.alike().filter(|_| !is_special && following.is_none() && shared.batching.is_none() && shared.flow.is_none());
        let (few, many) = match shared.batching {
            Some(Batching { at_once, .. }) => (at_once as usize, at_once as usize),
            None => (if split { 1 } else { B::BATCH }, MANY),
        };
        let (operation, bytes) = alike.unwrap_or((IoOperation::Read, 0));
        Ok(Self {
            backend,
            buffers,
            shared,
            live,
            requests,
            pacer: Pacer::new(&spec.workload, number, spec.seed, 0),
            priorities: Priorities::new(spec, number),
            worker: number,
            slots: vec![Slot { operation, bytes, ..Slot::EMPTY }; depth as usize].into(),
            free: (0..depth).rev().collect(),
            places: [0; MANY],
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
            waking: Waking::START,
            tally: Tally::new(spec, live, data.checked && spec.workload.read_percent > 0)?,
        })
    }

    /// Runs the job to its end. Where the kernel refuses the call that hands I/O over, what was done until then counts.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let JobShared { spec, clock, start_ns, .. } = self.shared;
        let start_ns = start_ns.load(Relaxed);
        self.pacer = Pacer::new(&spec.workload, self.worker, spec.seed, start_ns).in_flow(self.shared.flow.as_ref());
        let mut phase = if spec.ramp_ns == 0 { self.begin(start_ns) } else { self.ramp(start_ns) };
        let mut ended = self.go_on(&mut phase, start_ns);
        self.pacer.leave();
        if ended.is_err() {
            // What had come back before the call that was refused.
            self.take(clock.now_ns());
        }
        if ended.is_ok() && spec.end_fsync && self.tally.errors.lost == 0 {
            ended = self.sync_at_end();
        }
        match phase {
            Phase::Ramp { usage } => drop(self.end_in_ramp(clock.now_ns(), start_ns, usage)),
            Phase::Measure { began_ns, usage } | Phase::Last { began_ns, usage } => drop(self.end(clock.now_ns(), began_ns, usage)),
            Phase::Drain => {}
        }
        ended
    }

    /// The loop of the program.
    fn go_on(&mut self, phase: &mut Phase, start_ns: u64) -> io::Result<()> {
        let JobShared { spec, clock, stop, .. } = self.shared;
        let measure_from_ns = start_ns + spec.ramp_ns;
        let measure_ns = self.measure_ns();
        let (mut last_completion_ns, mut silence) = (start_ns, Silence::new(start_ns));
        loop {
            let wait_ns = match *phase {
                Phase::Last { .. } | Phase::Drain => self.finish_syncs(),
                _ => self.fill()?,
            };
            let Some(wait_ns) = wait_ns else { return Ok(()) };
            let wait_ns = phase.bounds(wait_ns, || clock.now_ns(), measure_from_ns);
            self.enter(wait_ns)?;
            let now_ns = clock.now_ns();
            let taken = self.take(now_ns);
            if taken > 0
                && let Some(ns) = self.waking.answered(now_ns)
            {
                self.tally.count_after_pause(ns);
            }
            if taken > 0 || self.is_idle() {
                let at_once = self.is_idle() && now_ns - last_completion_ns < taken as u64 * AT_ONCE_NS;
                self.most = if at_once { self.many } else { self.few };
                last_completion_ns = now_ns;
                self.live.last_seen_ns.store(now_ns, Relaxed);
            } else if silence.look(last_completion_ns, now_ns) > spec.io_timeout_ns {
                self.tally.errors.lost = self.outstanding() as u64;
                return Ok(());
            }
            *phase = match *phase {
                Phase::Ramp { usage } if stop.load(Relaxed) => self.end_in_ramp(now_ns, start_ns, usage),
                Phase::Ramp { .. } if now_ns >= measure_from_ns && !self.is_over() => self.begin(now_ns),
                Phase::Measure { began_ns, usage } if now_ns - began_ns >= measure_ns || stop.load(Relaxed) => {
                    if spec.recording.to_the_last { Phase::Last { began_ns, usage } } else { self.end(now_ns, began_ns, usage) }
                }
                other => other,
            };
        }
    }

    /// Hands the queued I/Os over, and waits for up to `wait_ns`; where nothing is under way there is only the time to wait for.
    #[inline]
    fn enter(&mut self, wait_ns: u64) -> io::Result<()> {
        if self.is_idle() {
            std::thread::sleep(std::time::Duration::from_nanos(wait_ns));
            self.waking.paused(wait_ns);
            return Ok(());
        }
        self.waking.submits(&self.shared.clock);
        self.backend.submit(wait_ns)
    }

    /// The most that the measurement takes; `u64::MAX` where only what is done ends it. Nanoseconds.
    fn measure_ns(&self) -> u64 {
        let JobShared { spec, .. } = self.shared;
        if let Until::ElapsedNs(ns) = spec.until { ns } else { spec.at_most_ns.unwrap_or(u64::MAX) }
    }

    #[inline]
    fn outstanding(&self) -> usize {
        self.slots.len() - self.free.len() - self.to_sync.len()
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.free.len() == self.slots.len()
    }

    /// True where all that the job asks for is done.
    fn is_over(&mut self) -> bool {
        self.is_idle() && self.requests.peek().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_a_limit_holds_back_sleeps_in_the_ramp_until_it_is_over() {
        let ramp = Phase::Ramp { usage: Usage::default() };
        assert_eq!(ramp.bounds(64_000_000, || 90_000_000, 100_000_000), 10_000_000, "its next I/O is due 54 ms into the measurement");
        assert_eq!(ramp.bounds(5_000_000, || 90_000_000, 100_000_000), 5_000_000, "its next I/O is due within the ramp");
        assert_eq!(ramp.bounds(5_000_000, || 100_000_001, 100_000_000), 0, "the ramp is over");
        let measured = Phase::Measure { began_ns: 100_000_000, usage: Usage::default() };
        assert_eq!(measured.bounds(64_000_000, || 110_000_000, 100_000_000), 64_000_000);
    }
}
