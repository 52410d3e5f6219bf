//! The threads of a job: they are started together, followed to their end, and given up when the kernel does not give their I/O back.
//!
//! Workers that hang are left behind with their buffers, because the kernel may still write into them.

use crate::api::{Control, EngineError, JobSnapshot, Options};
use crate::backend::{BackendChoice, OpenMedium};
use crate::clock::Clock;
use crate::live::Live;
use crate::offsets::least_room_bytes;
use crate::outcome::{Outcome, elapsed_ns};
use crate::requests::Replay;
use crate::worker::JobShared;
use crate::worker::gate::Gate;
use crate::worker::sampler::{Sampler, tick};
use crate::worker::silence::Silence;
use crate::worker::thread::{Report, WorkerThread};
use ioproof_core::job::{JobSpec, OrderHint, Span, Until};
use ioproof_core::record::{Interval, RoundOutcome};
use ioproof_target::{Handle, threads};
use rustix::fs::{Advice, fadvise};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

/// Time that a worker may take to notice its end, beyond the I/O timeout. Nanoseconds.
const GRACE_NS: u64 = 1_000_000_000;

/// The workers of a job.
pub(crate) struct WorkerPool {
    shared: Arc<JobShared>,
    live: Arc<[Live]>,
    reports: Receiver<Report>,
}

impl WorkerPool {
    /// Starts all workers and lets them go together once every one is armed.
    pub(crate) fn start(spec: &JobSpec, targets: &[&Handle], options: &Options, choice: BackendChoice) -> Result<Self, EngineError> {
        let writable = targets.iter().all(|t| t.may_write());
        let targets = match (choice.is_driver(), choice.is_passthrough()) {
            (true, _) => drives(targets).map_err(|cause| EngineError::NoBackend { choice, cause })?,
            (false, true) => namespaces(targets).map_err(|cause| EngineError::NoBackend { choice, cause })?,
            (false, false) => targets.iter().map(|handle| OpenMedium::of(handle)).collect(),
        };
        advise(&targets, spec.placement.order_hint);
        let buffers_in = options.buffers_in.map(Handle::shared);
        let spec = spread(spec, choice);
        let workers = spec.workload.workers as usize;
        options.ledger.filter(|_| choice.is_cached()).into_iter().for_each(|ledger| ledger.note_mixing());
        let clock = Clock::new(options.clock);
        let shared = Arc::new(JobShared {
            spec,
            clock,
            stop: AtomicBool::new(false),
            faults: options.faults,
            choice,
            polled: options.polled,
            kernel_submits: options.kernel_submits,
            batching: options.batching,
            flow: options.flow.cloned(),
            buffers_in,
            ledger: options.ledger.cloned(),
            read_back: options.read_back,
            replay: options.replay.map(Replay::new),
            all_syncs: Arc::default(),
            start_ns: AtomicU64::new(0),
        });
        let live: Arc<[Live]> = (0..workers).map(|_| Live::new(shared.splits(), shared.places(targets.len()))).collect();
        let gate = Arc::new(Gate::default());
        let (armed_sender, armed) = channel();
        let (sender, reports) = channel();
        let mut spawned = 0;
        let mut refused = None;
        for number in 0..workers {
            let (shared, live, gate) = (Arc::clone(&shared), Arc::clone(&live), Arc::clone(&gate));
            let worker = WorkerThread { number, targets: Arc::clone(&targets), writable, shared, live, gate };
            let (armed, sender) = (armed_sender.clone(), sender.clone());
            let thread = threads::spawn(&format!("worker {number}"), move || worker.serve(&armed, &sender));
            if let Err(error) = thread {
                refused = Some(error);
                break;
            }
            spawned += 1;
        }
        drop((armed_sender, sender));
        // All are waited for, so that a refusal leaves nothing behind that still takes memory.
        let arming: Vec<io::Result<()>> = (0..spawned).map(|_| armed.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))).collect();
        let arming: io::Result<()> = arming.into_iter().collect();
        if arming.is_ok() && refused.is_none() {
            shared.start_ns.store(clock.now_ns(), Relaxed);
        }
        gate.open();
        if let Some(error) = refused {
            return Err(EngineError::NoThread { had: spawned, wanted: workers, cause: error });
        }
        arming.map_err(|cause| EngineError::NotArmed { choice, cause })?;
        Ok(Self { shared, live, reports })
    }

    /// Follows the workers to their end.
    pub(crate) fn watch(self, control: Control) -> Outcome {
        let ramp_ns = self.shared.spec.ramp_ns;
        let (mut sampler, mut of_ramp) = (Sampler::of_measurement(&self.shared.spec), Sampler::of_job());
        let mut done: Vec<Option<Report>> = self.live.iter().map(|_| None).collect();
        let mut interrupted = false;
        let tick = tick(&self.shared.spec);
        let mut silences = vec![Silence::new(self.shared.clock.now_ns()); self.live.len()];
        loop {
            match self.reports.recv_timeout(tick) {
                Ok(report) => {
                    let number = report.number;
                    done[number] = Some(report);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let elapsed_ns = self.elapsed_ns();
                    if elapsed_ns < ramp_ns {
                        of_ramp.sample(&self.shared.spec, elapsed_ns, &self.live, false);
                    }
                    sampler.sample(&self.shared.spec, elapsed_ns, &self.live, false);
                    (control.observe)(self.snapshot(&sampler.intervals));
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if control.stop.load(Relaxed) {
                interrupted = true;
                self.shared.stop.store(true, Relaxed);
            }
            if done.iter().all(Option::is_some) || self.is_stuck(&done, &mut silences) {
                break;
            }
        }
        let ended_in_ramp = done.iter().all(|report| matches!(report, Some(report) if report.measured.ended_in_ramp));
        let mut sampler = if ended_in_ramp { of_ramp } else { sampler };
        sampler.sample(&self.shared.spec, self.elapsed_ns(), &self.live, true);
        let mut outcome = self.gather(done, ended_in_ramp, interrupted, sampler.intervals);
        outcome.engine.ended_in_ramp = ended_in_ramp;
        outcome
    }

    /// Since the workers were let go. Nanoseconds.
    fn elapsed_ns(&self) -> u64 {
        self.shared.clock.now_ns().saturating_sub(self.shared.start_ns.load(Relaxed))
    }

    fn snapshot<'a>(&'a self, intervals: &'a [Interval]) -> JobSnapshot<'a> {
        let elapsed_ns = self.elapsed_ns();
        let bytes = self.live.iter().map(Live::total_bytes).fold((0, 0), |(r, w), (read, written)| (r + read, w + written));
        JobSnapshot {
            elapsed_ns,
            read_bytes: bytes.0,
            written_bytes: bytes.1,
            ios: self.live.iter().map(Live::total_ios).sum(),
            intervals,
            live: &self.live,
            in_ramp: elapsed_ns < self.shared.spec.ramp_ns,
        }
    }

    /// True where a worker is so long without a completion that it must be inside a system call that does not return.
    fn is_stuck(&self, done: &[Option<Report>], silences: &mut [Silence]) -> bool {
        let now_ns = self.shared.clock.now_ns();
        let start_ns = self.shared.start_ns.load(Relaxed);
        let patience_ns = self.shared.spec.io_timeout_ns + GRACE_NS;
        let silent =
            |(live, silence): (&Live, &mut Silence)| silence.look(live.last_seen_ns.load(Relaxed).max(start_ns), now_ns) > patience_ns;
        let waited_for = self.live.iter().zip(silences).zip(done).filter(|(_, report)| report.is_none());
        waited_for.fold(false, |stuck, (worker, _)| silent(worker) || stuck)
    }

    fn gather(&self, done: Vec<Option<Report>>, ended_in_ramp: bool, interrupted: bool, intervals: Vec<Interval>) -> Outcome {
        let mut outcome = Outcome::empty(self.shared.clock, intervals);
        for (report, live) in done.into_iter().zip(self.live.iter()) {
            let Some(Report { measured, facts, refused, .. }) = report else {
                outcome.add_lost(live);
                continue;
            };
            outcome.add(if ended_in_ramp { measured } else { measured.without_ramp() }, facts);
            refused.iter().for_each(|error| outcome.add_refused(error));
        }
        outcome.noted.sort_by_key(|io| io.end_ns);
        outcome.recorded.sort_by_key(|io| io.at_ns);
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

/// The targets with the character devices by which commands reach them.
fn namespaces(targets: &[&Handle]) -> io::Result<Arc<[OpenMedium]>> {
    let namespace = |target: &&Handle| {
        let passthrough = Arc::new(target.passthrough()?);
        Ok(OpenMedium::Namespace(target.shared(), passthrough))
    };
    targets.iter().map(namespace).collect()
}

/// The targets as drives that this process drives by itself.
fn drives(targets: &[&Handle]) -> io::Result<Arc<[OpenMedium]>> {
    let none = || io::Error::new(io::ErrorKind::Unsupported, "the kernel drives the target");
    targets.iter().map(|target| target.drive().cloned().map(OpenMedium::Drive).ok_or_else(none)).collect()
}

/// Tells the page cache in which order the targets are gone through. What has none, as /dev/null, refuses, and nothing differs.
fn advise(targets: &[OpenMedium], hint: Option<OrderHint>) {
    let Some(hint) = hint else { return };
    let advice = match hint {
        OrderHint::Sequential => Advice::Sequential,
        OrderHint::Random => Advice::Random,
    };
    for target in targets {
        let _ = target.descriptor().map(|fd| fadvise(fd, 0, None, advice));
    }
}

/// A backend of depth 1 gets one thread for each I/O that is to be outstanding.
fn spread(spec: &JobSpec, choice: BackendChoice) -> JobSpec {
    let mut spec = spec.clone();
    if choice.is_synchronous() {
        let room = |span: &Span| span.length_bytes / u64::from(least_room_bytes(&spec.workload));
        let own = &spec.placement.spans;
        let blocks = own.iter().map(room).min().map_or_else(|| room(&spec.span), |least| least * own.len() as u64);
        let asked = u64::from(spec.workload.workers);
        spec.workload.workers = u64::from(spec.workload.outstanding()).min(blocks) as u32;
        let share = |of_a_worker: u64| (of_a_worker * asked).div_ceil(spec.workload.workers.into());
        spec.until = match spec.until {
            Until::Ios(ios) => Until::Ios(share(ios)),
            Until::Bytes(bytes) => Until::Bytes(share(bytes)),
            other => other,
        };
        spec.at_most_bytes = spec.at_most_bytes.map(share);
        spec.workload.depth = 1;
    }
    spec
}
