//! Options, control and errors: the questions to the engine and its answers beside a job.

use crate::backend::{BackendChoice, UnknownBackend};
use crate::batching::Batching;
use crate::clock::ClockChoice;
use crate::ledger::WriteLedger;
use crate::live::{Counted, Live, LiveSide};
use crate::pace::FlowShare;
use ioproof_core::faults::Faults;
use ioproof_core::io_log::RecordedIo;
use ioproof_core::record::{Direction, Interval};
use ioproof_target::Handle;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Reasons why a job could not be run. A failed I/O is not among these; it is part of the outcome.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The job writes and the permit does not cover it.
    #[error("the job writes, but the target is open for reading only")]
    NotPermitted,
    /// There is no such backend.
    #[error(transparent)]
    UnknownBackend(#[from] UnknownBackend),
    /// The job does not fit the target.
    #[error("the job does not fit the target: {0}")]
    BadJob(String),
    /// The backend that was asked for cannot be used here.
    #[error("{} cannot be used: {cause}", choice.name())]
    NoBackend {
        /// Which.
        choice: BackendChoice,
        /// The error of the kernel.
        #[source]
        cause: io::Error,
    },
    /// A worker could not get its memory or its queue.
    #[error("cannot set up a worker's buffers and {} queue: {cause}", choice.name())]
    NotArmed {
        /// With which backend.
        choice: BackendChoice,
        /// The error of the kernel.
        #[source]
        cause: io::Error,
    },
    /// A worker has no thread.
    #[error("no thread can be had for a worker ({had} of {wanted} are there): {cause}")]
    NoThread {
        /// Threads that the job had until then.
        had: usize,
        /// Threads that it needs.
        wanted: usize,
        /// The error of the kernel.
        #[source]
        cause: io::Error,
    },
    /// Memory, threads or descriptors ran out, or the kernel refused a call that is not an I/O.
    #[error("cannot {what}: {cause}")]
    System {
        /// The attempt, after "cannot".
        what: &'static str,
        /// The error of the kernel.
        #[source]
        cause: io::Error,
    },
}

impl EngineError {
    /// A remedy, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoBackend { choice, cause } => Some(choice.explain(cause).unwrap_or(choice.needs())),
            Self::NotArmed { choice, cause } => choice.explain(cause),
            Self::NoThread { .. } => Some("fewer workers or less depth, or a higher limit (ulimit -u, a container's pids.max)"),
            _ => None,
        }
    }
}

/// Options of the load generator.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Which backend.
    pub backend: BackendChoice,
    /// Which clock.
    pub clock: ClockChoice,
    /// Faults to inject, where the backend takes any.
    pub faults: Option<Faults>,
    /// Completions are polled for (io_uring's IOPOLL, pvsync2's RWF_HIPRI).
    pub polled: bool,
    /// A thread of the kernel submits (io_uring's SQPOLL).
    pub kernel_submits: bool,
    /// Filling of the queue; `None`: as it is best, a few I/Os at once and as soon as there is room.
    pub batching: Option<Batching>,
    /// The part of the job in what several do together.
    pub flow: Option<&'a FlowShare>,
    /// The last write of every place: writes note themselves here, and where data is checked, reads are compared with it.
    pub ledger: Option<&'a Arc<WriteLedger>>,
    /// I/O that was recorded and is issued again, in the place of the job's own; the job's order is then [`ioproof_core::shape::Order::Recorded`].
    pub replay: Option<&'a Arc<[RecordedIo]>>,
    /// The file in which the buffers lie, mapped and shared; `None`: memory of the process.
    pub buffers_in: Option<&'a Handle>,
    /// Reads only the places of the ledger, in ascending order, a read for each write, instead of following the job's order.
    pub read_back: bool,
}

impl Options<'_> {
    /// A backend and a clock, and nothing special.
    #[must_use]
    pub fn new(backend: BackendChoice, clock: ClockChoice) -> Self {
        Self {
            backend,
            clock,
            faults: None,
            polled: false,
            kernel_submits: false,
            batching: None,
            flow: None,
            ledger: None,
            replay: None,
            buffers_in: None,
            read_back: false,
        }
    }
}

/// The caller's means to follow and end a job.
pub struct Control<'a> {
    /// Set by the caller to end the job early.
    pub stop: &'a AtomicBool,
    /// Called about ten times a second.
    pub observe: &'a mut dyn FnMut(JobSnapshot),
}

/// A job under way.
#[derive(Debug, Clone, Copy)]
pub struct JobSnapshot<'a> {
    /// Since it began, ramp included. Nanoseconds.
    pub elapsed_ns: u64,
    /// Bytes read since it began.
    pub read_bytes: u64,
    /// Bytes written since it began.
    pub written_bytes: u64,
    /// I/Os completed since it began, syncs left aside.
    pub ios: u64,
    /// The measurement over time so far.
    pub intervals: &'a [Interval],
    pub(crate) live: &'a [Live],
    pub(crate) in_ramp: bool,
}

impl JobSnapshot<'_> {
    /// Reads, writes and trims of the measurement so far, with their latencies. It looks at every bin, so it is not for every call.
    #[must_use]
    pub fn measured(&self) -> [Direction; 3] {
        [self.direction(|l| &l.read), self.direction(|l| &l.write), self.direction(|l| &l.trim)]
    }

    fn direction(&self, side: fn(&Live) -> &LiveSide) -> Direction {
        let mut sum = Direction::default();
        for side in self.live.iter().map(side).filter(|_| !self.in_ramp) {
            let Counted { ios, bytes } = side.measured();
            sum.merge(&Direction { ios, bytes, latency: side.latency.snapshot(), ..Direction::default() });
        }
        sum
    }

    /// The longest read, write and trim of the measurement so far; 0 for none. Nanoseconds.
    #[must_use]
    pub fn longest_ns(&self) -> [u64; 3] {
        let longest = |side: fn(&Live) -> &LiveSide| self.live.iter().map(|live| side(live).latency.max_ns()).max().unwrap_or(0);
        if self.in_ramp { [0; 3] } else { [longest(|l| &l.read), longest(|l| &l.write), longest(|l| &l.trim)] }
    }

    /// Reads, writes and trims since the job began, ramp included: I/Os and bytes of each.
    #[must_use]
    pub fn counted(&self) -> [(u64, u64); 3] {
        let sum = |side: fn(&Live) -> &LiveSide| {
            let each = self.live.iter().map(|live| side(live).so_far());
            each.fold((0, 0), |(ios, bytes), one| (ios + one.ios, bytes + one.bytes))
        };
        [sum(|l| &l.read), sum(|l| &l.write), sum(|l| &l.trim)]
    }
}
