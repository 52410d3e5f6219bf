//! A worker's thread, before and after the loop: it takes its place, arms buffers and backend, waits for the others, runs, and hands over its measurement.

use crate::backend::{Backend, BackendChoice, BackendSetup, Build, OpenMedium, WithBackend};
use crate::buffers::{self, Buffers};
use crate::live::Live;
use crate::tally::WorkerResults;
use crate::worker::affinity;
use crate::worker::gate::Gate;
use crate::worker::locked::Locked;
use crate::worker::{JobShared, Worker};
use ioproof_core::job::{JobSpec, Span};
use ioproof_core::record::EngineFacts;
use ioproof_core::workload::Durability;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;

/// Report of a worker thread that is done.
pub(crate) struct Report {
    pub(crate) number: usize,
    pub(crate) measured: WorkerResults,
    pub(crate) facts: EngineFacts,
    /// The refusal of the kernel that ended it.
    pub(crate) refused: Option<io::Error>,
}

/// A worker thread with all that it needs.
pub(crate) struct WorkerThread {
    pub(crate) number: usize,
    pub(crate) targets: Arc<[OpenMedium]>,
    pub(crate) writable: bool,
    pub(crate) shared: Arc<JobShared>,
    pub(crate) live: Arc<[Live]>,
    pub(crate) gate: Arc<Gate>,
}

/// A worker's buffers and the wishes that could not be fulfilled while they were made, on the way to its backend.
struct Armed<'a> {
    buffers: Buffers,
    notes: Vec<String>,
    says: &'a Sender<io::Result<()>>,
    reports: &'a Sender<Report>,
}

/// A thread at work, once the type of its backend is known.
struct Serving<'a> {
    thread: &'a WorkerThread,
    armed: Armed<'a>,
}

impl WithBackend for Serving<'_> {
    type Outcome = ();

    fn with<B: Build>(self) {
        let backend = B::new(&self.thread.setup(&self.armed));
        self.thread.start(backend, self.armed);
    }
}

/// The span that covers every part of a target that a worker uses.
fn covering(spec: &JobSpec, worker: u32) -> Span {
    let whole = |a: Span, b: Span| {
        let offset_bytes = a.offset_bytes.min(b.offset_bytes);
        let end = (a.offset_bytes + a.length_bytes).max(b.offset_bytes + b.length_bytes);
        Span { offset_bytes, length_bytes: end - offset_bytes }
    };
    spec.placement.target_spans.iter().copied().reduce(whole).unwrap_or_else(|| spec.span_of(worker))
}

impl WorkerThread {
    /// Serves one job and ends.
    pub(crate) fn serve(&self, says: &Sender<io::Result<()>>, reports: &Sender<Report>) {
        let (notes, buffers, _locked) = match self.place() {
            Ok(place) => place,
            Err(e) => return self.refuse(e, says),
        };
        let armed = Armed { notes: [notes, buffers.notes()].concat(), buffers, says, reports };
        self.shared.choice.with(self.shared.faults.is_some(), Serving { thread: self, armed });
    }

    /// The thread's place with its notes, its buffers, and the memory that is kept from everybody while it works.
    fn place(&self) -> io::Result<(Vec<String>, Buffers, Option<Locked>)> {
        let spec = &self.shared.spec;
        let notes = affinity::take(spec, self.number)?;
        Ok((notes, self.buffers()?, Locked::new(spec.placement.locked_bytes)?))
    }

    fn buffers(&self) -> io::Result<Buffers> {
        let spec = &self.shared.spec;
        let workload = &spec.workload;
        let (slots, largest) = (workload.depth as usize, workload.largest_block_bytes() as usize);
        let ([reads, writes], data) = (buffers::parts_of(workload), &workload.shape.data);
        let seed = spec.seed ^ ((self.number as u64) << 48);
        // Such memory is mapped for the drive, which is cheapest by huge pages.
        let huge_pages = spec.placement.huge_pages || self.shared.choice.is_driver();
        let buffers = match &self.shared.buffers_in {
            Some(file) => Buffers::in_file((file.as_fd(), self.number as u64), slots, largest, reads, writes, data, seed),
            None => Buffers::new(slots, largest, reads, writes, data, huge_pages, seed),
        };
        // Not the limits of the backend's queue are too low then, of which its remedies speak.
        buffers
            .map_err(|error| io::Error::other(format!("no memory for its buffers: {error} (`ulimit -v`, memory.max of a control group)")))
    }

    /// All that the backend of this thread is made from.
    fn setup<'a>(&'a self, armed: &'a Armed) -> BackendSetup<'a> {
        let JobShared { spec, polled, kernel_submits, faults, .. } = &*self.shared;
        BackendSetup {
            targets: &self.targets,
            buffers: &armed.buffers,
            depth: spec.workload.depth,
            write_flags: match spec.workload.durability {
                Durability::Dsync => libc::RWF_DSYNC,
                Durability::Sync => libc::RWF_SYNC,
                _ => 0,
            },
            fua: spec.workload.durability == Durability::Fua,
            command: spec.workload.shape.data.command,
            polled: *polled,
            kernel_submits: *kernel_submits,
            span: covering(spec, self.number as u32),
            order_hint: spec.placement.order_hint,
            writable: self.writable,
            io_timeout_ns: spec.io_timeout_ns,
            faults: faults.unwrap_or_default(),
        }
    }

    fn refuse(&self, error: io::Error, says: &Sender<io::Result<()>>) {
        // The receiver is gone only when the job was given up.
        let _ = says.send(Err(error));
        self.gate.wait();
    }

    /// Works with a backend that could be made, and says why where it could not.
    fn start<B: Backend>(&self, backend: io::Result<B>, armed: Armed) {
        match backend {
            Ok(backend) => self.work(backend, armed),
            Err(e) => self.refuse(e, armed.says),
        }
    }

    fn work<B: Backend>(&self, backend: B, armed: Armed) {
        let facts = self.facts(&backend, armed.notes);
        let live = &self.live[self.number];
        let made = Worker::new(backend, armed.buffers, &self.shared, live, self.number as u32, self.targets.len());
        let mut worker = match made {
            Ok(worker) => worker,
            Err(e) => return self.refuse(e, armed.says),
        };
        let _ = armed.says.send(Ok(()));
        self.gate.wait();
        // Not `stop`: a worker that was faster may have set that already, and this one must still report.
        if self.shared.start_ns.load(Relaxed) == 0 {
            return; // Another worker could not be armed.
        }
        let ended = worker.run();
        let Worker { backend, buffers, tally, .. } = worker;
        if tally.errors.lost > 0 || ended.is_err() {
            // The kernel may still write into the buffers, so neither they nor the ring are given back.
            std::mem::forget((backend, buffers));
        } else {
            drop(backend);
            drop(buffers);
        }
        if ended.is_err() {
            self.shared.stop.store(true, Relaxed);
        }
        let _ = armed.reports.send(Report { number: self.number, measured: tally.finish(), facts, refused: ended.err() });
    }

    /// Wishes that this backend cannot follow, each with the reason; most are refused before a job starts, but not where `auto` had to take another.
    fn not_used(&self) -> Vec<String> {
        let JobShared { spec, choice, polled, kernel_submits, .. } = &*self.shared;
        let only = |what: &str, can: fn(BackendChoice) -> bool| format!("{what}: only {} can", BackendChoice::names_of(can));
        let unsplit = || format!("split latency: {} does the I/O while it is submitted, so there is nothing to split", choice.name());
        let not_used = [
            (*polled && !choice.can_poll()).then(|| only("polling", BackendChoice::can_poll)),
            (*kernel_submits && !choice.kernel_can_submit())
                .then(|| only("submission by a kernel thread", BackendChoice::kernel_can_submit)),
            (spec.recording.split && choice.is_synchronous()).then(unsplit),
        ];
        not_used.into_iter().flatten().collect()
    }

    fn facts<B: Backend>(&self, backend: &B, notes: Vec<String>) -> EngineFacts {
        EngineFacts {
            backend: self.shared.choice.name().to_owned(),
            features: backend.features(),
            fallbacks: [backend.fallbacks(), notes, self.not_used()].concat(),
            clock: self.shared.clock.name().to_owned(),
            clock_cost_ns: self.shared.clock.cost_ns(),
            ..EngineFacts::default()
        }
    }
}
