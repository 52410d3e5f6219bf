//! From the outcome of a task to its round of the record.

use crate::clock::WallTime;
use crate::end::TaskEnd;
use crate::task::Task;
use ioproof_core::record::{EngineFacts, IoErrors, QueueUse, Round, RoundOutcome};
use ioproof_engine::{JobSnapshot, Outcome};

/// The round of one task.
pub(crate) fn round(job: u32, outcome: Outcome) -> Round {
    Round {
        job,
        outcome: outcome.outcome,
        elapsed_ns: outcome.elapsed_ns,
        read: outcome.read,
        write: outcome.write,
        sync: outcome.sync,
        durable: outcome.durable,
        durable_late: outcome.durable_late,
        edge_ns: outcome.edge_ns,
        trim: outcome.trim,
        queue: outcome.queue,
        depth_found: None,
        check: outcome.check,
        read_back_ns: 0,
        errors: outcome.errors,
        workers: outcome.workers,
        total_bytes: outcome.total_bytes,
        looked_at_bytes: 0,
        engine: outcome.engine,
        intervals: outcome.intervals,
    }
}

/// The results so far of a task that still runs. The use of the queue and of the CPU is known only at its end.
pub(crate) fn so_far(task: &Task, now: &JobSnapshot<'_>, started_ms: u64) -> TaskEnd {
    let [read, write, trim] = now.measured();
    let round = Round {
        job: task.job,
        outcome: RoundOutcome::Interrupted,
        elapsed_ns: now.elapsed_ns.saturating_sub(task.spec.ramp_ns),
        read,
        write,
        trim,
        queue: QueueUse::default(),
        errors: IoErrors::default(),
        total_bytes: (now.read_bytes, now.written_bytes),
        engine: EngineFacts::default(),
        intervals: now.intervals.to_vec(),
        ..Round::default()
    };
    TaskEnd { round: Some(round), started: WallTime { unix_ms: started_ms, ..WallTime::default() }, ..TaskEnd::default() }
}

/// One round a job: its tasks ran side by side and are its workers. In the order of jobs.
pub(crate) fn of_jobs<'a>(rounds: impl Iterator<Item = &'a Round>) -> Vec<Round> {
    let mut all: Vec<Round> = Vec::new();
    for round in rounds {
        match all.iter().position(|known| known.job == round.job) {
            Some(at) => all[at] = std::mem::take(&mut all[at]).beside(round),
            None => all.push(round.clone()),
        }
    }
    all.sort_by_key(|round| round.job);
    all
}
