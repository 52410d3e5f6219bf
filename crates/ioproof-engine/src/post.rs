//! What a worker's thread does before and after the loop: it arms buffers and backend, waits for the others, runs, and hands over what it measured.

use crate::backend::{Backend, BackendChoice, Faulty, Psync, Setup, Uring};
use crate::buffers::Buffers;
use crate::tally::Tally;
use crate::worker::{Live, Shared, Worker};
use ioproof_core::record::EngineFacts;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Barrier};

/// What a worker thread sends when it is done.
pub(crate) type Report = (usize, io::Result<(Tally, EngineFacts)>);

/// What a worker thread is given.
pub(crate) struct Post {
    pub(crate) number: usize,
    pub(crate) target: Arc<OwnedFd>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) live: Arc<[Live]>,
    pub(crate) gate: Arc<Barrier>,
}

impl Post {
    /// Serves one job and ends.
    pub(crate) fn serve(&self, armed: &Sender<io::Result<()>>, reports: &Sender<Report>) {
        let Shared { spec, choice, faults, .. } = &*self.shared;
        let workload = &spec.workload;
        let buffers = Buffers::new(
            workload.depth as usize,
            workload.block_bytes as usize,
            workload.read_percent > 0,
            workload.writes(),
            spec.seed ^ ((self.number as u64) << 48),
        );
        let buffers = match buffers {
            Ok(buffers) => buffers,
            Err(e) => return self.refuse(e, armed),
        };
        let setup = Setup { target: &self.target, buffers: &buffers, block_bytes: workload.block_bytes, depth: workload.depth };
        match (choice, faults) {
            (BackendChoice::Psync, None) => self.work(Psync::new(&setup), buffers, armed, reports),
            (BackendChoice::Psync, Some(f)) => self.work(Faulty::new(Psync::new(&setup), *f, workload.depth), buffers, armed, reports),
            (_, faults) => match (Uring::new(&setup), faults) {
                (Err(e), _) => self.refuse(e, armed),
                (Ok(uring), None) => self.work(uring, buffers, armed, reports),
                (Ok(uring), Some(f)) => self.work(Faulty::new(uring, *f, workload.depth), buffers, armed, reports),
            },
        }
    }

    fn refuse(&self, error: io::Error, armed: &Sender<io::Result<()>>) {
        // The receiver is gone only when the job was given up.
        let _ = armed.send(Err(error));
        self.gate.wait();
    }

    fn work<B: Backend>(&self, backend: B, buffers: Buffers, armed: &Sender<io::Result<()>>, reports: &Sender<Report>) {
        let facts = EngineFacts {
            backend: backend.name().to_owned(),
            features: backend.features(),
            fallbacks: backend.fallbacks(),
            clock: self.shared.clock.name().to_owned(),
            clock_cost_ns: self.shared.clock.cost_ns(),
        };
        let depth = self.shared.spec.workload.depth;
        let mut worker = Worker::new(backend, buffers, &self.shared, &self.live[self.number], self.number as u32, depth);
        let _ = armed.send(Ok(()));
        self.gate.wait();
        if self.shared.stop.load(Relaxed) {
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
        let _ = reports.send((self.number, ended.map(|()| (tally, facts))));
    }
}
