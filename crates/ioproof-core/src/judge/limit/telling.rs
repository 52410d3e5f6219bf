//! The further run that tells two places apart: the command that made this run with one thing changed, and the place that each outcome points to.
//!
//! A run is a row of a table: the places that it tells apart, and the change. A command that would write where the user did not consent to is never made: consent
//! comes from the command as it was typed, and only a load that writes keeps it.

mod command;

use crate::facts::{LimitedResource, OwnLimit};
use crate::findings::was_stopped;
use crate::limited_by::{LimitConfidence, Outcome, Place, TellingRun};
use crate::measured::Measured;
use crate::record::{RunRecord, TargetRecord};
use crate::units::{iops, latency};
use crate::workload::Workload;
use command::CommandWords;

/// Greatest depth that the program takes (`--depth`).
const MOST_DEPTH: u32 = 4096;

/// The job, the place that is named and those that are left, as rows go by them.
pub(super) struct TellingCase<'a> {
    pub record: &'a RunRecord,
    pub measured: &'a Measured<'a>,
    pub place: Place,
    pub left: &'a [Place],
}

type Tell = fn(&TellingCase) -> Option<TellingRun>;

/// The first that applies is given.
const RUNS: [Tell; 9] = [
    outside_of_the_group,
    like_others,
    while_nothing_else_runs,
    one_more_worker,
    without_a_drive,
    larger_blocks,
    twice_the_depth,
    one_alone,
    below,
];

/// The run that tells the place apart from another one; none where it is certain.
pub(super) fn run(case: &TellingCase, confidence: LimitConfidence) -> Option<TellingRun> {
    // That a limit of our own binds is certain, and what the drive can do without it is still to be told.
    let is_own = matches!(case.place, Place::IoLimit | Place::CpuLimit | Place::CpuSet);
    let is_told = confidence == LimitConfidence::Certain && !is_own;
    RUNS.iter().filter(|_| !is_told).find_map(|tell| tell(case))
}

impl TellingCase<'_> {
    /// The command with this load on the run's own target.
    fn command(&self, workload: &Workload) -> Option<CommandWords> {
        CommandWords::of(self.record, self.measured.job, workload)
    }

    /// The command with the same load: of a job file the one that was typed.
    fn again(&self) -> Option<CommandWords> {
        if self.record.verb == crate::record::verbs::VERIFY {
            self.command(self.measured.workload())
        } else {
            CommandWords::again(self.record)
        }
    }

    fn workload(&self) -> Workload {
        self.measured.workload().clone()
    }

    /// The target, where there is one alone.
    fn target(&self) -> Option<&TargetRecord> {
        let mut targets = self.record.targets_of(self.measured.job);
        targets.next().filter(|_| targets.next().is_none())
    }

    /// True where nothing tells too little concurrency from a place that is busy.
    fn is_concurrency_open(&self) -> bool {
        self.place == Place::Concurrency || self.left.contains(&Place::Concurrency)
    }

    /// The shortest queue of requests before the drives, where it is known.
    fn shortest_queue(&self) -> Option<u32> {
        self.record.drives_of(self.measured.job).iter().filter_map(|drive| drive.nr_requests.as_ref()).map(|fact| fact.value).min()
    }

    /// The place that is named, or the drive where none is.
    fn place(&self) -> Place {
        if self.place == Place::NotTold { Place::Drive } else { self.place }
    }
}

fn tells(command: String, outcomes: [(&str, Place); 2]) -> TellingRun {
    let outcome = |(seen, place): (&str, Place)| Outcome { seen: seen.to_owned(), place };
    TellingRun { command, workload: None, outcomes: outcomes.map(outcome).into() }
}

/// The same load outside of the control group whose limit it may have run into.
fn outside_of_the_group(case: &TellingCase) -> Option<TellingRun> {
    let limits = |limit: &&OwnLimit| match limit.resource {
        LimitedResource::Cpus => case.place == Place::CpuLimit,
        LimitedResource::Memory => case.place == Place::MemoryLimit,
        LimitedResource::CpuSet => false,
        _ => case.place == Place::IoLimit,
    };
    let limit = case.record.host.limits.iter().find(limits)?;
    let command = case.again()?;
    Some(tells(command.outside_of(&limit.source)?, [("faster", case.place), ("the same", Place::Drive)]))
}

/// The same load on all CPUs, or with the priority that others have.
fn like_others(case: &TellingCase) -> Option<TellingRun> {
    let command = || Some(case.again()?.line());
    let online = || case.measured.median_counted(|part| part.stage.host.as_ref()?.cpus.map(f64::from));
    let host = &case.record.host;
    let line = match (case.place, host.nice) {
        (Place::CpuSet, _) => format!("taskset -c 0-{:.0} {}", online()? - 1.0, command()?),
        (Place::Priority, Some(nice)) if nice > 0 => format!("sudo nice -n -{nice} {}", command()?),
        (Place::Priority, _) => format!("ionice -c 2 -n 4 {}", command()?),
        _ => return None,
    };
    Some(tells(line, [("faster", case.place), ("the same", Place::Drive)]))
}

/// The same again, where others took part.
fn while_nothing_else_runs(case: &TellingCase) -> Option<TellingRun> {
    let others = matches!(case.place, Place::OtherUsers | Place::OthersOnCpu | Place::Hypervisor | Place::Heat);
    let command = others.then(|| case.again())??;
    Some(tells(command.line(), [("faster while nothing else runs", case.place), ("the same", Place::Drive)]))
}

/// One more worker, where a CPU is left for it, brings more of a drive that a worker could not keep busy. No more is outstanding than before, so that concurrency has
/// no part in it.
fn one_more_worker(case: &TellingCase) -> Option<TellingRun> {
    let is_worker = case.place == Place::Generator && !was_stopped(case.measured);
    let workload = is_worker.then(|| case.workload()).filter(|workload| workload.workers < case.record.host.cpus_usable)?;
    let workers = workload.workers + 1;
    let depth = Some(workload.outstanding() / workers).filter(|depth| *depth > 0)?;
    let more = Workload { workers, depth, ..workload };
    let command = case.command(&more)?;
    let now = case.measured.median_of(|part| part.iops()).map(iops)?;
    let run = tells(command.line(), [(&format!("clearly more than {now}"), Place::Generator), ("about as many", Place::Drive)]);
    Some(TellingRun { workload: Some(more), ..run })
}

/// The same load without any I/O shows what the generator can do.
fn without_a_drive(case: &TellingCase) -> Option<TellingRun> {
    let host = matches!(case.place, Place::Cpu | Place::Generator);
    let command = host.then(|| case.command(&case.workload()))??;
    Some(tells(command.with("--backend", "null").line(), [("hardly faster", Place::Generator), ("several times faster", Place::Path)]))
}

/// A link carries no more bytes in larger blocks.
fn larger_blocks(case: &TellingCase) -> Option<TellingRun> {
    let workload = (case.place == Place::Link).then(|| case.workload()).filter(|w| w.block_bytes < 1 << 20)?;
    let command = case.command(&Workload { block_bytes: 1 << 20, ..workload })?;
    Some(tells(command.line(), [("as many bytes per second", Place::Link), ("more", Place::Drive)]))
}

/// More outstanding I/O brings more of a drive that is not busy, and none of one that is.
fn twice_the_depth(case: &TellingCase) -> Option<TellingRun> {
    let workload = case.is_concurrency_open().then(|| case.workload()).filter(|workload| workload.depth.saturating_mul(2) <= MOST_DEPTH)?;
    let deeper = Workload { depth: workload.depth * 2, ..workload };
    // What waits before a queue that is full adds nothing, whatever the drive can do.
    if case.shortest_queue().is_some_and(|requests| requests < deeper.outstanding()) {
        return None;
    }
    let command = case.command(&deeper)?;
    let now = case.measured.median_of(|part| part.iops()).map(iops)?;
    let busy = if case.place == Place::Concurrency { Place::Drive } else { case.place() };
    let run = tells(command.line(), [(&format!("clearly more than {now}"), Place::Concurrency), ("about as many", busy)]);
    Some(TellingRun { workload: Some(deeper), ..run })
}

/// One I/O alone takes as long where the drive is not busy, and much less where it is: for a queue of requests that takes no more than is outstanding already.
fn one_alone(case: &TellingCase) -> Option<TellingRun> {
    let workload = (case.place != Place::Concurrency && case.is_concurrency_open()).then(|| case.workload())?;
    let alone = Workload { depth: 1, workers: 1, ..workload };
    let is_plain = alone.shape.is_plain() && matches!(alone.read_percent, 0 | 100) && !case.measured.workload().is_unloaded();
    let is_known = case.record.jobs.iter().any(|job| job.workload == alone && job.targets == case.measured.job.targets);
    let command = case.command(&alone).filter(|_| is_plain && !is_known)?;
    let now = case.measured.merged_latency().mean_ns().map(latency)?;
    let run = tells(command.line(), [(&format!("about {now} an I/O"), Place::Concurrency), ("much less", case.place())]);
    Some(TellingRun { workload: Some(alone), ..run })
}

/// The same reads on the device below a file or a layer.
fn below(case: &TellingCase) -> Option<TellingRun> {
    let is_above = matches!(case.place, Place::Path | Place::Layer | Place::NotTold);
    let workload = is_above.then(|| case.workload()).filter(|workload| !workload.writes())?;
    let stack = case.target()?.facts.stack.as_ref()?;
    let [drive] = stack.drives()[..] else { return None };
    let device = format!("/dev/{}", drive.name);
    if case.target()?.facts.resolved == device {
        return None;
    }
    let command = case.command(&workload)?.on(&device);
    let above = if case.place == Place::Layer { Place::Layer } else { Place::Path };
    Some(tells(command.line(), [("clearly faster", above), ("about as fast", Place::Drive)]))
}
