//! Starts the workers of a job, watches them and puts together what they measured.
//!
//! The watching thread samples throughput, passes the user's wish to stop on, and gives up on workers whose I/O the kernel never gives back:
//! those are left behind with their buffers, because the kernel may still write into them.

use crate::backend::{BackendChoice, Uring};
use crate::clock::{Clock, ClockChoice};
use crate::post::{Post, Report};
use crate::sampler::Sampler;
use crate::tally::Tally;
use crate::worker::{Live, Shared};
use ioproof_core::faults::Faults;
use ioproof_core::histogram::Histogram;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::{Direction, EngineFacts, Interval, IoError, IoErrors, RoundOutcome, WorkerUsage};
use ioproof_target::Handle;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// Why a job could not be run. A failed I/O is not among these; it is part of the outcome.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The job writes and the permit does not cover it.
    #[error("the job writes, but the target is open for reading only")]
    NotPermitted,
    /// The job does not fit the target.
    #[error("the job does not fit the target: {0}")]
    BadJob(String),
    /// The backend that was asked for cannot be used.
    #[error("io_uring cannot be used: {0}")]
    NoIoUring(#[source] io::Error),
    /// Memory, threads or descriptors ran out, or the kernel refused a call that is not an I/O.
    #[error("cannot {what}: {cause}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        #[source]
        cause: io::Error,
    },
}

impl EngineError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoIoUring(e) if e.raw_os_error() == Some(libc::EPERM) => {
                Some("see /proc/sys/kernel/io_uring_disabled; containers often forbid it; `--backend psync` works without")
            }
            Self::NoIoUring(_) => Some("`--backend psync` works without"),
            _ => None,
        }
    }
}

/// How to generate the load.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Which backend.
    pub backend: BackendChoice,
    /// Which clock.
    pub clock: ClockChoice,
    /// Faults to inject.
    pub faults: Option<Faults>,
}

/// How the caller follows and ends a job.
pub struct Control<'a> {
    /// Set by the caller to end the job early.
    pub stop: &'a AtomicBool,
    /// Called about ten times a second.
    pub observe: &'a mut dyn FnMut(Snapshot),
}

/// A job under way.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot {
    /// Since it began, ramp included. Nanoseconds.
    pub elapsed_ns: u64,
    /// Bytes read since it began.
    pub read_bytes: u64,
    /// Bytes written since it began.
    pub written_bytes: u64,
}

/// What a job measured.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub outcome: RoundOutcome,
    /// Length of the measurement. Nanoseconds.
    pub elapsed_ns: u64,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Syncs.
    pub sync: Direction,
    /// Write and its sync together, where the workload syncs.
    pub durable: Option<Histogram>,
    /// See [`ioproof_core::record::Round::edge_ns`].
    pub edge_ns: i64,
    /// Failed I/O.
    pub errors: IoErrors,
    /// Per worker.
    pub workers: Vec<WorkerUsage>,
    /// Bytes read and written, ramp and drain included.
    pub total_bytes: (u64, u64),
    /// How it was generated.
    pub engine: EngineFacts,
    /// Throughput over time.
    pub intervals: Vec<Interval>,
}

/// How often the watching thread looks.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// How long after its time a worker may take to notice, beyond the I/O timeout.
const GRACE_NS: u64 = 1_000_000_000;

/// Runs a job on a permitted handle.
///
/// # Errors
/// When the job cannot be started; what goes wrong with the I/O itself is told in the [`Outcome`].
pub fn run(spec: &JobSpec, handle: &Handle, options: &Options, control: Control) -> Result<Outcome, EngineError> {
    check(spec, handle)?;
    let (choice, fallback) = resolve(options.backend)?;
    let crew = Crew::start(spec, handle, options, choice)?;
    let mut outcome = crew.watch(control);
    outcome.engine.fallbacks.extend(fallback);
    Ok(outcome)
}

fn check(spec: &JobSpec, handle: &Handle) -> Result<(), EngineError> {
    let workload = &spec.workload;
    let block = u64::from(workload.block_bytes);
    let span_end = spec.span.offset_bytes.checked_add(spec.span.length_bytes);
    let bad = |text: &str| Err(EngineError::BadJob(text.to_owned()));
    match () {
        () if workload.writes() && !handle.may_write() => Err(EngineError::NotPermitted),
        () if workload.read_percent > 0 && !handle.may_read() => bad("it reads, and the target cannot be read"),
        () if workload.workers == 0 || workload.depth == 0 => bad("no workers or no queue depth"),
        () if !(512..=1 << 30).contains(&block) => bad("block size outside 512 B to 1 GiB"),
        () if !block.is_multiple_of(handle.alignment_bytes().into()) => bad("block size is no multiple of the target's block"),
        () if !spec.span.offset_bytes.is_multiple_of(block.min(4096)) => bad("span does not begin at a block"),
        () if span_end.is_none_or(|end| end > handle.size_bytes()) => bad("span exceeds the target"),
        () if spec.span.length_bytes / block < workload.workers.into() => bad("span is smaller than one block a worker"),
        () => Ok(()),
    }
}

fn resolve(choice: BackendChoice) -> Result<(BackendChoice, Option<String>), EngineError> {
    match (choice, Uring::available()) {
        (BackendChoice::Psync, _) => Ok((BackendChoice::Psync, None)),
        (_, Ok(())) => Ok((BackendChoice::IoUring, None)),
        (BackendChoice::IoUring, Err(e)) => Err(EngineError::NoIoUring(e)),
        (BackendChoice::Auto, Err(e)) => {
            Ok((BackendChoice::Psync, Some(format!("io_uring: {e}; psync instead, one thread for each outstanding I/O"))))
        }
    }
}

/// The workers of a job.
struct Crew {
    shared: Arc<Shared>,
    live: Arc<[Live]>,
    reports: Receiver<Report>,
}

impl Crew {
    /// Starts all workers and lets them go together once every one is armed.
    fn start(spec: &JobSpec, handle: &Handle, options: &Options, choice: BackendChoice) -> Result<Self, EngineError> {
        let system = |what| move |cause| EngineError::System { what, cause };
        let target = Arc::new(handle.as_fd().try_clone_to_owned().map_err(system("duplicate the target's descriptor"))?);
        let spec = spread(spec, choice);
        let workers = spec.workload.workers as usize;
        let clock = Clock::new(options.clock);
        let shared =
            Arc::new(Shared { spec, clock, stop: AtomicBool::new(false), start_ns: AtomicU64::new(0), faults: options.faults, choice });
        let live: Arc<[Live]> = (0..workers).map(|_| Live::default()).collect();
        let gate = Arc::new(Barrier::new(workers + 1));
        let (armed_sender, armed) = channel();
        let (sender, reports) = channel();
        for number in 0..workers {
            let post =
                Post { number, target: Arc::clone(&target), shared: Arc::clone(&shared), live: Arc::clone(&live), gate: Arc::clone(&gate) };
            let (armed, sender) = (armed_sender.clone(), sender.clone());
            let spawned = std::thread::Builder::new().name(format!("worker {number}")).spawn(move || post.serve(&armed, &sender));
            // Threads started so far wait at the gate for ever; the program ends with this error.
            spawned.map_err(system("start a worker thread"))?;
        }
        let arming: Result<(), io::Error> =
            (0..workers).try_for_each(|_| armed.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())));
        shared.stop.store(arming.is_err(), Relaxed);
        shared.start_ns.store(clock.now_ns(), Relaxed);
        gate.wait();
        arming.map_err(system("set up a worker's buffers and ring"))?;
        Ok(Self { shared, live, reports })
    }

    /// Follows the workers to their end.
    fn watch(self, control: Control) -> Outcome {
        let mut sampler = Sampler::default();
        let mut done: Vec<Option<io::Result<(Tally, EngineFacts)>>> = self.live.iter().map(|_| None).collect();
        let mut interrupted = false;
        loop {
            match self.reports.recv_timeout(TICK) {
                Ok((number, report)) => done[number] = Some(report),
                Err(RecvTimeoutError::Timeout) => {
                    let snapshot = self.snapshot();
                    sampler.sample(&self.shared.spec, snapshot);
                    (control.observe)(snapshot);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if control.stop.load(Relaxed) {
                interrupted = true;
                self.shared.stop.store(true, Relaxed);
            }
            if done.iter().all(Option::is_some) || self.is_stuck(&done) {
                break;
            }
        }
        sampler.sample(&self.shared.spec, self.snapshot());
        self.gather(done, interrupted, sampler.intervals)
    }

    fn snapshot(&self) -> Snapshot {
        let sum = |field: fn(&Live) -> &AtomicU64| self.live.iter().map(|l| field(l).load(Relaxed)).sum();
        Snapshot {
            elapsed_ns: self.shared.clock.now_ns().saturating_sub(self.shared.start_ns.load(Relaxed)),
            read_bytes: sum(|l| &l.read_bytes),
            written_bytes: sum(|l| &l.written_bytes),
        }
    }

    /// Whether a worker is so long without a completion that it must be inside a system call that does not return.
    fn is_stuck(&self, done: &[Option<io::Result<(Tally, EngineFacts)>>]) -> bool {
        let now_ns = self.shared.clock.now_ns();
        let start_ns = self.shared.start_ns.load(Relaxed);
        let patience_ns = self.shared.spec.io_timeout_ns + GRACE_NS;
        let silent = |l: &Live| now_ns.saturating_sub(l.last_seen_ns.load(Relaxed).max(start_ns)) > patience_ns;
        self.live.iter().zip(done).any(|(live, report)| report.is_none() && silent(live))
    }

    fn gather(&self, done: Vec<Option<io::Result<(Tally, EngineFacts)>>>, interrupted: bool, intervals: Vec<Interval>) -> Outcome {
        let mut outcome = Outcome::empty(self.shared.clock, intervals);
        for (report, live) in done.into_iter().zip(self.live.iter()) {
            match report {
                Some(Ok((tally, facts))) => outcome.add(tally, facts),
                Some(Err(e)) => outcome.add_refused(&e),
                None => outcome.add_lost(live),
            }
        }
        outcome.elapsed_ns = elapsed_ns(&outcome.workers, self.shared.spec.until);
        outcome.outcome = self.verdict(&outcome, interrupted);
        outcome
    }

    fn verdict(&self, outcome: &Outcome, interrupted: bool) -> RoundOutcome {
        if outcome.errors.lost > 0 {
            RoundOutcome::Hung
        } else if interrupted {
            RoundOutcome::Interrupted
        } else if self.shared.stop.load(Relaxed) || outcome.workers.len() < self.live.len() {
            RoundOutcome::Failed
        } else {
            RoundOutcome::Complete
        }
    }
}

/// A backend of depth 1 gets one thread for each I/O that is to be outstanding.
fn spread(spec: &JobSpec, choice: BackendChoice) -> JobSpec {
    let mut spec = spec.clone();
    if choice == BackendChoice::Psync {
        let blocks = spec.span.length_bytes / u64::from(spec.workload.block_bytes);
        spec.workload.workers = u64::from(spec.workload.outstanding()).min(blocks) as u32;
        spec.workload.depth = 1;
    }
    spec
}

impl Outcome {
    fn empty(clock: Clock, intervals: Vec<Interval>) -> Self {
        let engine = EngineFacts { clock: clock.name().to_owned(), clock_cost_ns: clock.cost_ns(), ..EngineFacts::default() };
        Self {
            outcome: RoundOutcome::Complete,
            elapsed_ns: 0,
            read: Direction::default(),
            write: Direction::default(),
            sync: Direction::default(),
            durable: None,
            edge_ns: 0,
            errors: IoErrors::default(),
            workers: Vec::new(),
            total_bytes: (0, 0),
            engine,
            intervals,
        }
    }

    fn add(&mut self, tally: Tally, facts: EngineFacts) {
        self.read.merge(&tally.read);
        self.write.merge(&tally.write);
        self.sync.merge(&tally.sync);
        if let Some(durable) = &tally.durable {
            self.durable.get_or_insert_default().merge(durable);
        }
        self.edge_ns += tally.edge_ns;
        self.errors.merge(&tally.errors);
        self.workers.push(tally.usage);
        self.total_bytes.0 += tally.total_bytes.0;
        self.total_bytes.1 += tally.total_bytes.1;
        self.add_facts(facts);
    }

    /// Workers can differ in what the kernel granted them, as when the limit of locked memory is reached by the second: every fallback is kept.
    fn add_facts(&mut self, facts: EngineFacts) {
        let mut fallbacks = std::mem::take(&mut self.engine.fallbacks);
        let features = std::mem::take(&mut self.engine.features);
        let common = |f: &String| self.engine.backend.is_empty() || features.contains(f);
        fallbacks.extend(facts.fallbacks.iter().filter(|f| !fallbacks.contains(f)).cloned().collect::<Vec<_>>());
        let features = facts.features.iter().filter(|f| common(f)).cloned().collect();
        self.engine = EngineFacts { features, fallbacks, ..facts };
    }

    /// The kernel refused the call by which a worker submits I/O.
    fn add_refused(&mut self, error: &io::Error) {
        let first =
            IoError { operation: "submit".into(), offset_bytes: 0, errno: error.raw_os_error().unwrap_or(0), message: error.to_string() };
        self.errors.merge(&IoErrors { failed: 1, first: Some(first), ..IoErrors::default() });
    }

    /// A worker that never came back: only what it had published is known.
    fn add_lost(&mut self, live: &Live) {
        self.errors.lost += 1;
        self.total_bytes.0 += live.read_bytes.load(Relaxed);
        self.total_bytes.1 += live.written_bytes.load(Relaxed);
    }
}

/// Length of the measurement: the mean over the workers, which begin and end within one I/O of each other; of a job that covers a span, the longest.
fn elapsed_ns(workers: &[WorkerUsage], until: Until) -> u64 {
    let each = || workers.iter().map(|w| w.wall_ns);
    match until {
        Until::SpanCovered => each().max().unwrap_or(0),
        Until::ElapsedNs(_) => each().sum::<u64>() / workers.len().max(1) as u64,
    }
}
