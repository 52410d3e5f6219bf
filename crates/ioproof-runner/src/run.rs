//! The run: stage after stage, each in its bracket of counters, recorded and told to observers as it ends.

mod bracket;
mod idle;

use crate::end::TaskEnd;
use crate::event::{Event, Observer};
use crate::execute::Execute;
use crate::failure::{self, Failure};
use crate::round::of_jobs;
use crate::source::{Source, StageSpec};
use crate::stage::Running;
use crate::task::Task;
use bracket::Bracket;
use ioproof_core::facts::StackNode;
use ioproof_core::record::{IoError, Part, Round, RoundOutcome, RunRecord, RunStatus, Stage};
use ioproof_core::units::{decimal_size, latency};
use ioproof_target::System;
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The way in which a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnding {
    /// Nothing was left to do, or what went wrong ended it. A signal that came after the last I/O is none of its reasons.
    ByItself,
    /// The user ended it before that.
    CutShort,
}

/// Runs stages.
pub struct Runner<'a> {
    /// Where the kernel's files are.
    pub system: &'a System,
    /// Whoever does the I/O.
    pub execute: &'a dyn Execute,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
    /// Whoever wants to know.
    pub observers: Vec<&'a mut dyn Observer>,
}

impl Runner<'_> {
    /// Runs what the source asks for until it has nothing more, the user ends it, or the target fails.
    ///
    /// # Errors
    /// When the source cannot go on, or a task of something else than a job file cannot be started. The record keeps what was measured.
    pub fn run(&mut self, record: &mut RunRecord, source: &mut dyn Source) -> Result<RunEnding, Failure> {
        let mut never = BTreeSet::new();
        let (mut trouble, mut ended_ns, mut cut_short) = (None, self.execute.elapsed_ns(), false);
        while record.status == RunStatus::Running {
            if self.stop.load(Relaxed) {
                cut_short |= !source.is_over();
                break;
            }
            let Some(spec) = source.next(record, self.execute.elapsed_ns())? else { break };
            self.tell(&Event::StageBegan(&spec));
            let (ends, is_cut) = self.stage(record, &spec, &mut never, ended_ns);
            cut_short |= is_cut;
            ended_ns = self.execute.elapsed_ns();
            if let Some(stage) = record.stages.last() {
                self.tell(&Event::StageEnded { stage, spec: &spec, ends: &ends, record });
            }
            if spec.is_job_file {
                trouble = trouble.or_else(|| first_failure(&spec, &ends));
            } else {
                record.status = status_after(record, &ends)?;
            }
            source.take(ends);
        }
        source.close(record);
        if let Some(trouble) = trouble.filter(|_| record.status == RunStatus::Running) {
            record.status = trouble;
        }
        Ok(if cut_short { RunEnding::CutShort } else { RunEnding::ByItself })
    }

    /// Tells all observers.
    pub fn tell(&mut self, event: &Event<'_>) {
        self.observers.iter_mut().for_each(|observer| observer.observe(event));
    }

    /// Runs one stage and adds it to the record; gives the ends of its tasks, and whether the user cut one of them short.
    fn stage(&mut self, record: &mut RunRecord, spec: &StageSpec, never: &mut BTreeSet<usize>, ended_ns: u64) -> (Vec<TaskEnd>, bool) {
        let stacks: Vec<Vec<&StackNode>> = spec.tasks.iter().map(|task| stacks(record, task)).collect();
        let running = Running::new(self.system, self.execute, spec, stacks, self.stop, never);
        running.take_permits();
        self.execute.begin_stage();
        let began_ns = self.execute.elapsed_ns();
        let filled_bytes = record.targets.iter().map(|target| target.content.filled_bytes).sum();
        let mut stage = Stage {
            index: record.stages.len() as u32,
            purpose: spec.purpose,
            repetition: spec.repetition,
            started_at: self.execute.wall_time().rfc3339,
            state_before: bracket::state_before(record, filled_bytes, ended_ns, began_ns),
            ..Stage::default()
        };
        let bracket = Bracket::open(self.system, record, &targets(record, spec));
        let (mut ends, ended) = running.run(&mut self.observers);
        bracket.close(&mut stage);
        spec.tasks.iter().zip(&mut ends).for_each(|(task, end)| look_at_closing(task, end, self.execute));
        stage.host.iter_mut().for_each(|host| running.put_watch(host));
        never.extend(ended);
        let cut_short = running.was_cut_short();
        let unbegun = if spec.is_job_file && !cut_short { idle::look(&spec.tasks, &mut ends) } else { Vec::new() };
        // With it end the permits of tasks that never began.
        drop(running);
        stage.elapsed_ns = self.execute.elapsed_ns().saturating_sub(began_ns);
        stage.rounds = of_jobs(ends.iter().filter_map(|end| end.round.as_ref()));
        if stage.rounds.iter().any(|round| round.engine.is_passthrough()) {
            // The kernel has counted nothing of it, which must not look like an idle drive.
            stage.devices = None;
        }
        stage.databases = ends.iter().filter_map(|end| end.database.clone()).collect();
        if spec.is_job_file {
            stage.rounds.iter_mut().for_each(of_its_time);
        }
        for end in &mut ends {
            record.notes.extend(end.round.as_ref().and_then(|round| refusal(record, round)));
        }
        record.notes.extend(unbegun);
        record.notes.extend(of_looks(&stage));
        record.notes.extend(apart(record, &ends));
        record.stages.push(stage);
        (ends, cut_short)
    }
}

/// Has a task fail whose writes turn out to have failed when its files are closed.
fn look_at_closing(task: &Task, end: &mut TaskEnd, execute: &dyn Execute) {
    if end.failed.is_some() || end.is_full || task.database.is_some() || !task.spec.workload.writes() {
        return;
    }
    let written = execute.targets_of(task).into_iter().filter(|handle| handle.may_write());
    let is_told = |error: &std::io::Error| error.kind() != std::io::ErrorKind::Interrupted;
    end.failed = written.filter_map(|handle| handle.close_once().err()).find(is_told).map(|error| failure::of_closing(&error));
}

/// A note on what a task that began within its stage read of a device before it wrote it.
fn of_looks(stage: &Stage) -> Option<String> {
    let bytes: u64 = stage.rounds.iter().map(|round| round.looked_at_bytes).sum();
    (bytes > 0).then(|| {
        let read = decimal_size(bytes);
        format!(
            "stage {}: what the kernel counted at the device holds {read} that ioproof read to see that it was still as it had been",
            stage.index + 1
        )
    })
}

/// Clones that begin less far apart begin together, as far as threads do.
const LEAST_APART_MS: u64 = 100;

/// Notes on jobs whose clones hardly ran at the same time, because each waited for a time of its own: their rates are added up as fio adds them up.
fn apart(record: &RunRecord, ends: &[TaskEnd]) -> Vec<String> {
    let mut began: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
    for (round, end) in ends.iter().filter_map(|end| Some((end.round.as_ref()?, end))) {
        let (first_ms, last_ms, longest_ns) = began.entry(round.job).or_insert((u64::MAX, 0, 0));
        (*first_ms, *last_ms) = ((*first_ms).min(end.started.unix_ms), (*last_ms).max(end.started.unix_ms));
        *longest_ns = (*longest_ns).max(round.elapsed_ns);
    }
    let is_apart = |(_, (first_ms, last_ms, longest_ns)): &(u32, (u64, u64, u64))| {
        let apart_ms = last_ms - first_ms;
        apart_ms >= LEAST_APART_MS && apart_ms.saturating_mul(1_000_000) > longest_ns / 2
    };
    let note = |(job, (first_ms, last_ms, _)): (u32, (u64, u64, u64))| {
        let title = record.jobs.get(job as usize)?.title();
        let apart = latency((last_ms - first_ms) as f64 * 1e6);
        Some(format!(
            "{title}: its clones began up to {apart} apart, and its rates are their rates added up, as if all had run at the same time"
        ))
    };
    began.into_iter().filter(is_apart).filter_map(note).collect()
}

/// Positions of all targets of a stage. A task without I/O has none, and so nothing that a device could have counted.
fn targets(record: &RunRecord, spec: &StageSpec) -> Vec<usize> {
    let all: BTreeSet<usize> = spec.tasks.iter().flat_map(|task| targets_of(record, task)).collect();
    all.into_iter().collect()
}

fn targets_of<'a>(record: &'a RunRecord, task: &Task) -> impl Iterator<Item = usize> + 'a {
    let job = record.jobs.get(task.job as usize);
    let database = task.database.and_then(|load| record.databases.get(load.database as usize));
    job.into_iter().flat_map(|job| &job.targets).chain(database.map(|database| &database.target)).map(|target| *target as usize)
}

fn stacks<'a>(record: &'a RunRecord, task: &Task) -> Vec<&'a StackNode> {
    targets_of(record, task).filter_map(|at| record.targets.get(at)?.facts.stack.as_ref()).collect()
}

/// A job that was ended early has figures of the time that it ran; that the run was interrupted is the record's status.
fn of_its_time(round: &mut Round) {
    if round.outcome == RoundOutcome::Interrupted {
        round.outcome = RoundOutcome::Complete;
    }
}

/// The status of a run that keeps no jobs apart: a target that is gone, that hangs or that has no more room ends it; failed I/O ends only its workload.
fn status_after(record: &RunRecord, ends: &[TaskEnd]) -> Result<RunStatus, Failure> {
    for end in ends {
        match (&end.round, &end.failed) {
            (_, Some(reason)) if end.database.is_some() && failure::ends_the_run(reason) => {
                return Ok(RunStatus::Failed { reason: reason.text.clone() });
            }
            _ if end.database.is_some() => {}
            (None, Some(reason)) => return Err(reason.clone()),
            (Some(round), failed) => match status_of(record, round, failed.as_ref()) {
                RunStatus::Running => {}
                other => return Ok(other),
            },
            (None, None) => {}
        }
    }
    Ok(RunStatus::Running)
}

fn status_of(record: &RunRecord, round: &Round, failed: Option<&Failure>) -> RunStatus {
    const GONE: [Errno; 3] = [Errno::NODEV, Errno::NXIO, Errno::SHUTDOWN];
    let title = || record.jobs.get(round.job as usize).map_or_else(String::new, |job| job.title());
    match (round.outcome, &round.errors.first, failed) {
        (RoundOutcome::Hung, ..) => RunStatus::Hung { reason: format!("{}: an I/O never came back", title()) },
        (_, _, Some(reason)) if failure::ends_the_run(reason) => RunStatus::Failed { reason: reason.text.clone() },
        (RoundOutcome::Failed, Some(e), _) if GONE.iter().any(|gone| gone.raw_os_error() == e.errno) => {
            RunStatus::Failed { reason: format!("the target is gone: {}", e.message) }
        }
        _ => RunStatus::Running,
    }
}

/// The first task of a job file that failed.
fn first_failure(spec: &StageSpec, ends: &[TaskEnd]) -> Option<RunStatus> {
    let (task, end) = spec.tasks.iter().zip(ends).find(|(_, end)| end.failed.is_some())?;
    let reason = format!("{}: {}", task.name, end.failed.as_ref()?);
    let hung = end.round.as_ref().is_some_and(|round| round.outcome == RoundOutcome::Hung);
    Some(if hung { RunStatus::Hung { reason } } else { RunStatus::Failed { reason } })
}

/// True where the kernel refuses this kind of I/O on the target as such, which is no fault of the drive.
pub(crate) fn is_refused(round: &Round) -> bool {
    let unknown = |e: &IoError| e.errno == Errno::OPNOTSUPP.raw_os_error() || e.errno == Errno::INVAL.raw_os_error();
    round.errors.first.as_ref().is_some_and(unknown) && round.read.ios == 0 && round.write.ios == 0 && round.trim.ios == 0
}

/// A note on a round whose I/O the kernel refused.
fn refusal(record: &RunRecord, round: &Round) -> Option<String> {
    let error = round.errors.first.as_ref().filter(|_| is_refused(round))?;
    let job = record.jobs.get(round.job as usize)?;
    let (operation, message) = (&error.operation, &error.message);
    Some(format!("{}: the kernel refuses {operation} on this target ({message}), which says nothing about the drive", job.title()))
}

/// Ends the record, unless it ended by itself.
pub fn close(record: &mut RunRecord, execute: &dyn Execute, ending: RunEnding) {
    record.ended_at = Some(execute.wall_time().rfc3339);
    if record.status == RunStatus::Running {
        record.status = if ending == RunEnding::CutShort { RunStatus::Interrupted } else { RunStatus::Complete };
    }
}

/// True where the last part of a job shows that the kernel refuses its I/O.
#[must_use]
pub fn was_refused(part: &Part<'_>) -> bool {
    is_refused(part.round)
}
