//! Rounds: each a job with the counters of the kernel before and after it, stored at once and kept in the record.

use crate::complaint::complaint;
use crate::stages::bench::Bench;
use crate::stages::{clock, presence};
use crate::store::Writer;
use anyhow::Result;
use ioproof_core::claim::Metric;
use ioproof_core::job::JobSpec;
use ioproof_core::record::{CheckResult, HostLoad, IoError, Round, RoundOutcome, RunRecord, RunStatus, StateBefore};
use ioproof_core::units::{iops, throughput};
use ioproof_device::Snapshot as Counters;
use ioproof_engine::{Options, Outcome, Snapshot};
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
        let mut round = self.measured(record, spec, options, repetition)?;
        record.status = status_after(&round, self.missing(record, &round));
        record.notes.extend(spare_the_pulled(round.check.as_mut(), &record.status));
        self.writer.save_round(&round)?;
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

    /// That a drive under the target has gone, where I/O failed.
    fn missing(&self, record: &RunRecord, round: &Round) -> Option<String> {
        let wait = round.outcome == RoundOutcome::Failed;
        presence::gone(self.bench.system, record.target.stack.as_ref(), &round.errors, wait)
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
        let index = record.rounds.len() as u32;
        Ok(Round { index, repetition, state_before, devices, host, ..round(spec, outcome, started_at) })
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

/// What a job measured, as a round: the first of its workload, with nothing said of what surrounded it.
pub fn round(spec: &JobSpec, outcome: Outcome, started_at: String) -> Round {
    Round {
        index: 0,
        workload: spec.workload.clone(),
        span: spec.span,
        repetition: 0,
        started_at,
        state_before: StateBefore::default(),
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
        devices: Vec::new(),
        total_bytes: outcome.total_bytes,
        engine: outcome.engine,
        host: HostLoad::default(),
        intervals: outcome.intervals,
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

/// What cannot be read of a drive that was pulled is not lost: nobody knows.
pub fn spare_the_pulled(check: Option<&mut CheckResult>, status: &RunStatus) -> Option<String> {
    let check = check.filter(|check| check.unreadable > 0 && matches!(status, RunStatus::Failed { .. }))?;
    check.unreadable = 0;
    check.first.take_if(|first| first.starts_with("unreadable"));
    Some("the target went while what was written was read back: nothing is known of what had not been read by then".into())
}

/// A drive that is gone or that hangs ends the run; failed I/O ends only its workload.
fn status_after(round: &Round, missing: Option<String>) -> RunStatus {
    const GONE: [Errno; 3] = [Errno::NODEV, Errno::NXIO, Errno::SHUTDOWN];
    match (round.outcome, &round.errors.first, missing) {
        (RoundOutcome::Hung, ..) => RunStatus::Hung { reason: format!("{}: an I/O never came back", round.workload.title()) },
        (RoundOutcome::Complete | RoundOutcome::Failed, _, Some(reason)) => RunStatus::Failed { reason },
        (RoundOutcome::Failed, Some(e), None) if GONE.iter().any(|g| g.raw_os_error() == e.errno) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pulled_drive_took_along_is_not_lost() {
        let found = CheckResult { good: 7, unreadable: 3, first: Some("unreadable at byte 512".into()), ..CheckResult::default() };
        let failing = &mut found.clone();
        assert_eq!(spare_the_pulled(Some(failing), &RunStatus::Running), None);
        assert_eq!(failing.bad(), 3, "a drive that is there and cannot read has lost it");
        let gone = RunStatus::Failed { reason: "the target is gone".into() };
        let pulled = &mut found.clone();
        assert!(spare_the_pulled(Some(pulled), &gone).is_some());
        assert_eq!((pulled.good, pulled.bad(), pulled.first.as_ref()), (7, 0, None));
        let corrupt = &mut CheckResult { corrupt: 1, first: Some("corrupt at byte 0".into()), ..found };
        assert!(spare_the_pulled(Some(corrupt), &gone).is_some());
        assert_eq!((corrupt.bad(), corrupt.first.as_deref()), (1, Some("corrupt at byte 0")), "what was seen stays");
    }
}
