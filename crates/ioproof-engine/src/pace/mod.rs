//! When the next I/O of a worker may start: the arrivals of an open loop, the limits, and the pauses, and the shares of a flow. The latest of them counts.
//!
//! An open loop has arrival times of its own that no completion moves. An I/O that starts late still counts from its arrival, so the response
//! time holds all of the waiting: behind busy slots, behind a limit, or behind this program. Limits and pauses hold a closed loop back;
//! there nobody waits, and an I/O counts from when it starts. Syncs belong to the writes before them and are never held back.

mod arrivals;
mod flow;
mod limit;
mod pause;
#[cfg(test)]
mod tests;
mod waking;

use crate::slot::IoOperation;
use arrivals::Arrivals;
use flow::FlowMember;
pub use flow::FlowShare;
use ioproof_core::shape::Pace;
use ioproof_core::workload::Workload;
use limit::Limit;
use pause::Pauses;
use waking::Waking;

/// The pace of one worker. Asking it allocates nothing and enters no kernel.
#[derive(Debug)]
pub(crate) struct Pacer {
    free: bool,
    arrivals: Arrivals,
    reads: Limit,
    /// Writes and trims.
    writes: Limit,
    pauses: Pauses,
    /// Its part of what several jobs do together.
    flow: Option<FlowMember>,
    waking: Waking,
    /// The end: an I/O that is due then or later never starts. Nanoseconds by the clock.
    ends_ns: u64,
}

/// A part of what all workers do together.
#[derive(Debug, Clone, Copy)]
struct PaceShare {
    worker: u32,
    workers: u32,
}

impl Pacer {
    /// `start_ns`: when the job began, by the clock. Rates in the workload are over all workers: each takes its share, and their phases are staggered.
    /// A rate of 0 is taken as 1 per second.
    pub(crate) fn new(workload: &Workload, worker: u32, seed: u64, start_ns: u64) -> Self {
        let share = PaceShare { worker, workers: workload.workers.max(1) };
        let shape = &workload.shape;
        let limits = shape.limits;
        let limit = |ios_per_s, bytes_per_s| {
            Limit::new(ios_per_s, bytes_per_s, workload.block_bytes, share, start_ns).catches_up(limits.catches_up)
        };
        let reads = limit(limits.read_ios_per_s, limits.read_bytes_per_s);
        let writes = limit(limits.write_ios_per_s, limits.write_bytes_per_s);
        let pauses = Pauses::new(shape.think, start_ns);
        Self {
            free: shape.pace == Pace::Closed && reads.is_none() && writes.is_none() && pauses.are_none(),
            arrivals: Arrivals::new(shape.pace, share, seed, start_ns),
            reads,
            writes,
            pauses,
            flow: None,
            waking: Waking::new(),
            ends_ns: u64::MAX,
        }
    }

    /// The same as a member of a flow, which it joins now.
    pub(crate) fn in_flow(self, share: Option<&FlowShare>) -> Self {
        let flow = share.map(FlowShare::join);
        Self { free: self.free && flow.is_none(), flow, ..self }
    }

    /// No I/O will start any more: the others of the flow go on without it.
    pub(crate) fn leave(&mut self) {
        self.flow = None;
    }

    /// The measurement begins at `now_ns` and ends before `ends_ns`: what limits would have allowed before, and what arrived and did not start, is left out rather than made up for.
    pub(crate) fn begin(&mut self, now_ns: u64, ends_ns: u64) {
        self.ends_ns = ends_ns;
        self.reads.begin(now_ns);
        self.writes.begin(now_ns);
        self.arrivals.begin(now_ns);
    }

    /// Closed loop without limits or pauses: nothing below is ever asked.
    #[inline]
    pub(crate) fn is_free(&self) -> bool {
        self.free
    }

    /// The earliest time at which an I/O of this operation may start; `u64::MAX`: not before something completes, because a pause begins
    /// when the last outstanding I/O is back, or never. Nanoseconds.
    #[inline]
    pub(crate) fn due_ns(&self, operation: IoOperation) -> u64 {
        let limit = match operation {
            IoOperation::Read => &self.reads,
            IoOperation::Write | IoOperation::Trim => &self.writes,
            IoOperation::Datasync | IoOperation::Fsync | IoOperation::RangeSync => return 0,
        };
        let shared_ns = self.flow.as_ref().map_or(0, FlowMember::due_ns);
        let due_ns = self.arrivals.next_ns().max(limit.due_ns()).max(self.pauses.due_ns()).max(shared_ns);
        if due_ns < self.ends_ns { due_ns } else { u64::MAX }
    }

    /// An I/O starts at `now_ns`, which is not before it is due. Gives its intended start, in an open loop the time of its arrival however late it is, else
    /// `now_ns`, and moves on.
    #[inline]
    pub(crate) fn start(&mut self, operation: IoOperation, bytes: u32, now_ns: u64) -> u64 {
        match operation {
            IoOperation::Read => self.reads.start(bytes, now_ns),
            IoOperation::Write | IoOperation::Trim => self.writes.start(bytes, now_ns),
            IoOperation::Datasync | IoOperation::Fsync | IoOperation::RangeSync => return now_ns,
        }
        self.pauses.start(now_ns);
        if let Some(flow) = &mut self.flow {
            flow.start();
        }
        self.arrivals.take().unwrap_or(now_ns)
    }

    /// For how long to wait for a moment or the end, at most `most_ns`. Nanoseconds.
    #[inline]
    pub(crate) fn wait_ns(&mut self, due_ns: u64, now_ns: u64, most_ns: u64) -> u64 {
        self.waking.wait_ns(due_ns.min(self.ends_ns), now_ns, most_ns)
    }

    /// The worker runs again after a wait.
    #[inline]
    pub(crate) fn woke(&mut self, now_ns: u64) {
        self.waking.woke(now_ns);
        if let Some(flow) = &mut self.flow {
            flow.look(now_ns);
        }
    }

    /// `outstanding` I/Os are left after completions were seen at `now_ns`.
    #[inline]
    pub(crate) fn seen(&mut self, outstanding: u32, now_ns: u64) {
        self.pauses.seen(outstanding, now_ns);
    }
}
