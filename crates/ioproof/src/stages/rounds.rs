//! Rounds: each a job with the counters of the kernel before and after it, stored at once and kept in the record.

use crate::complaint::complaint;
use crate::stages::bench::Bench;
use crate::stages::clock;
use crate::store::Writer;
use anyhow::Result;
use ioproof_core::claim::Metric;
use ioproof_core::job::JobSpec;
use ioproof_core::record::{IoError, Round, RoundOutcome, RunRecord, RunStatus, StateBefore};
use ioproof_core::units::{iops, throughput};
use ioproof_device::Snapshot as Counters;
use ioproof_engine::{Options, Snapshot};
use rustix::io::Errno;
use std::time::Instant;

/// Runs rounds one after the other.
pub struct Rounds<'a, 'b> {
    /// What they work with.
    pub bench: &'a mut Bench<'b>,
    writer: &'a Writer,
    written_bytes: u64,
    previous: Option<String>,
    ended: Instant,
}

impl<'a, 'b> Rounds<'a, 'b> {
    /// None is run yet.
    pub fn new(bench: &'a mut Bench<'b>, record: &RunRecord, writer: &'a Writer) -> Self {
        Self { bench, writer, written_bytes: record.content.filled_bytes, previous: None, ended: Instant::now() }
    }

    /// Whether further rounds are to be run.
    pub fn go_on(&self, record: &RunRecord) -> bool {
        record.status == RunStatus::Running && !self.bench.is_stopped()
    }

    /// Runs one round and keeps it.
    ///
    /// # Errors
    /// When it cannot be started or stored, or the target cannot be polled.
    pub fn run<'r>(&mut self, record: &'r mut RunRecord, spec: &JobSpec, options: &Options, repetition: u32) -> Result<&'r Round> {
        let round = self.measured(record, spec, options, repetition)?;
        self.writer.save_round(&round)?;
        record.status = status_after(&round);
        let refused = is_refused(&round);
        record.notes.extend(refusal(&round));
        let at = record.rounds.len();
        record.rounds.push(round);
        if options.polled && refused {
            let hint = "only drives with queues for polling can, as NVMe with poll_queues, and not through every filesystem; leave it out";
            return Err(complaint("--polled: this target cannot be polled", hint));
        }
        Ok(&record.rounds[at])
    }

    fn measured(&mut self, record: &RunRecord, spec: &JobSpec, options: &Options, repetition: u32) -> Result<Round> {
        let state_before = self.state_before(record);
        let started_at = clock::now();
        // Without I/O there is nothing that a device could have counted.
        let stack = record.target.stack.as_ref().filter(|_| !self.bench.args.load.is_null());
        let before = Counters::take(self.bench.system, stack);
        let outcome = self.bench.run(spec, options, &mut |progress, now| progress.now(&rate(spec, now)))?;
        let (devices, host) = Counters::take(self.bench.system, stack).since(&before);
        self.written_bytes += outcome.total_bytes.1;
        self.previous = Some(spec.workload.id());
        self.ended = Instant::now();
        Ok(Round {
            index: record.rounds.len() as u32,
            workload: spec.workload.clone(),
            span: spec.span,
            repetition,
            started_at,
            state_before,
            outcome: outcome.outcome,
            elapsed_ns: outcome.elapsed_ns,
            read: outcome.read,
            write: outcome.write,
            sync: outcome.sync,
            durable: outcome.durable,
            edge_ns: outcome.edge_ns,
            trim: outcome.trim,
            queue: outcome.queue,
            check: outcome.check,
            errors: outcome.errors,
            workers: outcome.workers,
            devices,
            total_bytes: outcome.total_bytes,
            engine: outcome.engine,
            host,
            intervals: outcome.intervals,
        })
    }

    fn state_before(&mut self, record: &RunRecord) -> StateBefore {
        let temperature = record.drive().and_then(|drive| ioproof_device::temperature_celsius(self.bench.system, &drive.name));
        StateBefore {
            written_bytes: self.written_bytes,
            previous_workload: self.previous.take(),
            idle_ns: self.ended.elapsed().as_nanos() as u64,
            temperature_celsius: temperature,
        }
    }
}

/// Whether the kernel refuses this kind of I/O on the target as such, which is no fault of the drive.
fn is_refused(round: &Round) -> bool {
    let unknown = |e: &IoError| e.errno == Errno::OPNOTSUPP.raw_os_error() || e.errno == Errno::INVAL.raw_os_error();
    round.errors.first.as_ref().is_some_and(unknown) && round.read.ios == 0 && round.write.ios == 0 && round.trim.ios == 0
}

/// What a reader must know of a round whose I/O the kernel refused.
fn refusal(round: &Round) -> Option<String> {
    let error = round.errors.first.as_ref().filter(|_| is_refused(round))?;
    Some(format!(
        "{}: the kernel refuses {} on this target ({}), which says nothing about the drive",
        round.workload.title(),
        error.operation,
        error.message
    ))
}

/// A drive that is gone or that hangs ends the run; failed I/O ends only its workload.
fn status_after(round: &Round) -> RunStatus {
    const GONE: [Errno; 3] = [Errno::NODEV, Errno::NXIO, Errno::SHUTDOWN];
    match (round.outcome, &round.errors.first) {
        (RoundOutcome::Hung, _) => RunStatus::Hung { reason: format!("{}: an I/O never came back", round.workload.title()) },
        (RoundOutcome::Failed, Some(e)) if GONE.iter().any(|g| g.raw_os_error() == e.errno) => {
            RunStatus::Failed { reason: format!("the target is gone: {}", e.message) }
        }
        _ => RunStatus::Running,
    }
}

fn rate(spec: &JobSpec, now: Snapshot) -> String {
    let seconds = now.elapsed_ns.max(1) as f64 / 1e9;
    let bytes_per_s = (now.read_bytes + now.written_bytes) as f64 / seconds;
    let one_size = spec.workload.smallest_block_bytes() == spec.workload.largest_block_bytes();
    match spec.workload.main_metric() {
        Metric::Iops | Metric::Latency if one_size => iops(bytes_per_s / f64::from(spec.workload.block_bytes)),
        _ => throughput(bytes_per_s),
    }
}
