//! Jobs and stages of the rounds of version 1. Each round becomes a stage of its own.

use super::{RoundV1, RunV1};
use crate::plan::Planned;
use crate::record::{DriveBracket, DriveState, HostLoad, JobRecord, Purpose, Round, Stage, StateBefore};
use crate::search::Searched;
use crate::shape::Pace;
use crate::workload::{Pattern, Workload};

/// One job for each round, as it was stored: in the order of the file, but without those that did not begin. Names were kept each once, so they belong to
/// the rounds only where there are as many.
pub(super) fn of_job_file(run: &RunV1, rounds: Vec<RoundV1>) -> (Vec<JobRecord>, Vec<Stage>) {
    let is_told = run.jobs.len() == rounds.len();
    let name = |at: usize| run.jobs.get(at).filter(|_| is_told).cloned();
    let jobs = rounds.iter().enumerate().map(|(at, round)| JobRecord { name: name(at), ..run.job(round) }).collect();
    let stages = (0..).zip(rounds).map(|(job, round)| round.stage(job, Purpose::Measure, run.drive())).collect();
    (jobs, stages)
}

/// The workloads of the plan as jobs, followed by those of rounds that were not planned: steps of searches, and reading back.
pub(super) fn of_plan(run: &RunV1, rounds: Vec<RoundV1>) -> (Vec<JobRecord>, Vec<Stage>) {
    let mut jobs: Vec<JobRecord> = run.plan.all().map(|planned| run.planned_job(planned)).collect();
    let planned = jobs.len();
    let mut steps = Steps::of(run);
    let mut stages = Vec::with_capacity(rounds.len());
    for round in rounds {
        let job = jobs.iter().position(|job| job.workload == round.workload).unwrap_or_else(|| {
            jobs.push(run.job(&round));
            jobs.len() - 1
        });
        let purpose = steps.purpose(&round, job < planned);
        stages.push(round.stage(job as u32, purpose, run.drive()));
    }
    (jobs, stages)
}

impl RunV1 {
    fn planned_job(&self, planned: &Planned) -> JobRecord {
        let Planned { workload, claims } = planned.clone();
        JobRecord { name: None, targets: self.targets(), workload, span: self.plan.span, claims }
    }

    fn job(&self, round: &RoundV1) -> JobRecord {
        JobRecord { name: None, targets: self.targets(), workload: round.workload.clone(), span: round.span, claims: Vec::new() }
    }

    fn targets(&self) -> Vec<u32> {
        if self.has_target() { vec![0] } else { Vec::new() }
    }

    /// The drive whose temperature was read: the only one.
    fn drive(&self) -> Option<&str> {
        match self.drives.as_slice() {
            [drive] => Some(&drive.name),
            _ => None,
        }
    }
}

/// The steps of searches that have not been met among the rounds yet.
struct Steps {
    /// Workload and number of each try.
    tries: Vec<(Workload, u32)>,
    /// True where the run searched, even if it ended before a search did.
    searched: bool,
}

impl Steps {
    fn of(run: &RunV1) -> Self {
        let asked = run.config.command.iter().any(|word| word.starts_with("--latency-target"));
        Self { tries: run.searches.iter().flat_map(tries).collect(), searched: asked || !run.searches.is_empty() }
    }

    /// A try at the rate that was found looks like a round of the result; it came first. A round without a rate shows a search where to begin.
    fn purpose(&mut self, round: &RoundV1, is_planned: bool) -> Purpose {
        let met = self.tries.iter().position(|(workload, number)| *workload == round.workload && *number == round.repetition);
        let is_try = met.map(|at| self.tries.swap_remove(at)).is_some();
        let begins = self.searched && round.workload.shape.pace == Pace::Closed;
        match is_planned {
            true if is_try || begins => Purpose::Search,
            true => Purpose::Measure,
            false if self.searched && !round.reads_back() => Purpose::Search,
            false => Purpose::ReadBack,
        }
    }
}

fn tries(search: &Searched) -> impl Iterator<Item = (Workload, u32)> {
    let at = |ios_per_s| {
        let mut workload = search.workload.clone();
        workload.shape.pace = Pace::Fixed { ios_per_s };
        workload
    };
    search.steps.iter().map(move |step| at(step.ios_per_s)).zip(0..)
}

impl RoundV1 {
    /// True for the one ascending pass that reads back what a workload wrote.
    fn reads_back(&self) -> bool {
        let mut pass = Workload::plain(Pattern::Sequential, 100, self.workload.block_bytes, 1, 32);
        pass.shape.data.checked = true;
        self.workload == pass
    }

    /// A stage of this round alone. Its length with ramp and drain was not kept.
    fn stage(self, job: u32, purpose: Purpose, drive: Option<&str>) -> Stage {
        let host = HostLoad {
            load_1min: self.host.load_1min,
            cpu_busy: self.host.cpu_busy,
            cpu_steal: self.host.cpu_steal,
            ..HostLoad::default()
        };
        Stage {
            index: self.index,
            purpose,
            repetition: self.repetition,
            started_at: self.started_at.clone(),
            elapsed_ns: 0,
            state_before: StateBefore {
                written_bytes: self.state_before.written_bytes,
                previous_workload: self.state_before.previous_workload.clone(),
                idle_ns: self.state_before.idle_ns,
            },
            drives: drive.and_then(|name| self.bracket(name)).into_iter().collect(),
            devices: (!self.devices.is_empty()).then(|| self.devices.clone()),
            host: (host != HostLoad::default()).then_some(host),
            rounds: vec![self.round(job)],
            databases: Vec::new(),
        }
    }

    /// The drive before and after, where its temperature was read.
    fn bracket(&self, drive: &str) -> Option<DriveBracket> {
        let (before, after) = (self.state_before.temperature_celsius, self.host.temperature_celsius);
        let state = |temperature_celsius| DriveState { present: true, temperature_celsius, ..DriveState::default() };
        before.or(after)?;
        Some(DriveBracket { name: drive.to_owned(), before: state(before), after: state(after) })
    }

    fn round(self, job: u32) -> Round {
        Round {
            job,
            outcome: self.outcome,
            elapsed_ns: self.elapsed_ns,
            read: self.read,
            write: self.write,
            sync: self.sync,
            durable: self.durable,
            durable_late: None,
            edge_ns: self.edge_ns,
            trim: self.trim,
            depth_found: None,
            queue: self.queue,
            check: self.check,
            read_back_ns: 0,
            errors: self.errors,
            workers: self.workers,
            total_bytes: self.total_bytes,
            looked_at_bytes: 0,
            engine: self.engine,
            intervals: self.intervals,
        }
    }
}
