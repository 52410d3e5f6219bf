//! The drives of a filesystem before it is made on them: a part of each is written in full, and then read alone and with all others at once, in turns. It is measured under the
//! permits by which the filesystem is made, and becomes part of its run, as drives below its directory.

use super::drive::Permitted;
use super::{Begun, with_lengths};
use crate::clock::clock_choice;
use crate::observers::progress::Progress;
use crate::request::VerifyRequest;
use crate::sources::elsewhere::Elsewhere;
use crate::sources::interleave::{self, Interleave};
use crate::verify::target::{Chosen, whole_units};
use crate::verify::{Content, Preparation, identify, record};
use anyhow::{Context, Result};
use ioproof_core::plan::Plan;
use ioproof_core::record::{JobRecord, Round, RunRecord, RunStatus, Stage, TargetRecord};
use ioproof_core::text::visible;
use ioproof_core::workload::Workload;
use ioproof_process::complaint::complaint;
use ioproof_runner::{Engine, Observer, Runner};
use ioproof_target::{PermittedDrive, System};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Both ends of a drive stay as they are: what makes a filesystem there looks at them for others. Bytes.
const END_BYTES: u64 = 1 << 20;

/// A drive that is measured.
struct Side<'a> {
    drive: &'a PermittedDrive,
    request: VerifyRequest,
    facts: identify::Facts,
    plan: Plan,
}

/// Measures the drives, where there are several. One by itself is measured below the file, by the very blocks of it.
///
/// # Errors
/// When they cannot be measured, or the run was interrupted: then nothing is made on them.
pub(super) fn measure(system: &System, permitted: &Permitted<'_>, begun: &Begun) -> Result<Option<RunRecord>> {
    if permitted.drives.len() < 2 {
        return Ok(None);
    }
    let length_bytes = length_bytes(permitted);
    let sides = permitted.drives.iter().map(|drive| side(system, permitted, drive, length_bytes)).collect::<Result<Vec<_>>>()?;
    let first = sides.first().context("there is no drive")?;
    let mut record = record_of(&sides);
    let mut progress = Progress::new();
    progress.say(&format!("measuring {} before a filesystem is made on them, each alone and all at once", permitted.names()));
    let stop = begun.stop.as_ref();
    let engine = Engine::new(sides.iter().map(|side| &side.drive.handle).collect(), clock_choice(system), begun.started);
    let turn = |side: &Side| interleave::Side {
        tasks: record::tasks(&first.request, side.plan.span),
        name: visible(&side.drive.target.facts.given).to_string(),
    };
    let mut source = Interleave::new(sides.iter().map(turn).collect(), true, &first.plan, first.request.seed);
    source.preview().iter().try_for_each(|task| engine.check(task))?;
    for (at, side) in sides.iter().enumerate() {
        side.fill(system, begun, at, &engine, &mut record, &mut progress)?;
    }
    if record.status == RunStatus::Running && !stop.load(Relaxed) {
        Runner { system, execute: &engine, stop, observers: vec![&mut progress] }.run(&mut record, &mut Elsewhere(&mut source))?;
    }
    progress.clear();
    match &record.status {
        RunStatus::Running if !stop.load(Relaxed) => Ok(Some(record)),
        status => Err(not_measured(status)),
    }
}

fn not_measured(status: &RunStatus) -> anyhow::Error {
    let why = if let RunStatus::Failed { reason } = status { format!(": {}", visible(reason)) } else { String::new() };
    complaint(format!("the drives could not be measured to the end, and no filesystem is made on them{why}"), "begin it again")
}

/// As much of each drive as the scratch file takes, within both ends of the smallest.
fn length_bytes(permitted: &Permitted<'_>) -> u64 {
    let smallest = permitted.drives.iter().map(|drive| drive.handle.size_bytes()).min().unwrap_or(0);
    whole_units(permitted.size_bytes.min(smallest.saturating_sub(2 * END_BYTES)))
}

fn side<'a>(system: &System, permitted: &Permitted<'_>, drive: &'a PermittedDrive, length_bytes: u64) -> Result<Side<'a>> {
    let mut request = permitted.request.clone();
    // The reads of as many readers as the filesystem has at least.
    request.load.workloads = fewest_readers(&request.load.workloads).into_iter().collect();
    request.destroy = permitted.consent();
    request.runs = Some(permitted.layers.turns);
    request.time = None;
    request.offset_bytes = Some(END_BYTES);
    request.size = Some(crate::request::Extent::Bytes(length_bytes));
    let chosen = Chosen::Existing(drive.target.clone());
    // Layers are held against one another, and against no datasheet.
    let facts = identify::Facts { datasheet: None, ..identify::identify(system, &chosen, &request)? };
    let plan = record::plan(&request, &chosen, &facts)?;
    let of_filesystem = with_lengths(plan.clone(), permitted.layers);
    let rounds = u64::from(permitted.layers.turns) * permitted.layers.rounds_of_drives() as u64;
    let plan = Plan {
        time_ns: of_filesystem.round_ns() * rounds,
        ramp_ns: of_filesystem.ramp_ns,
        measure_ns: of_filesystem.measure_ns,
        min_runs: permitted.layers.turns,
        max_runs: permitted.layers.turns,
        time_limited: false,
        ..plan
    };
    Ok(Side { drive, request, facts, plan })
}

fn fewest_readers(all: &[Workload]) -> Option<Workload> {
    all.iter().filter(|workload| !workload.writes()).min_by_key(|workload| workload.workers).cloned()
}

impl Side<'_> {
    fn fill(
        &self,
        system: &System,
        begun: &Begun,
        at: usize,
        engine: &Engine<'_>,
        record: &mut RunRecord,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if record.status != RunStatus::Running || begun.stop.load(Relaxed) {
            return Ok(());
        }
        let (handle, span) = (&self.drive.handle, self.plan.span);
        let tasks = record::tasks(&self.request, span);
        let with = Preparation { system, request: &self.request, handles: std::slice::from_ref(handle), tasks, stop: &begun.stop };
        let left = Duration::from_nanos(self.plan.time_ns);
        Content { handle, position: at, target: at, span, fill: true, left }.prepare(&with, engine, record, observer)
    }
}

fn record_of(sides: &[Side<'_>]) -> RunRecord {
    let of = |side: &Side| record::open(&side.request, &side.drive.target, &side.drive.handle, side.facts.clone(), side.plan.clone());
    record::joined(&sides[0].request, of(&sides[0]), sides[1..].iter().map(of))
}

/// Puts what was measured into the record of the filesystem, which is its first target.
pub(super) fn join(record: &mut RunRecord, raw: RunRecord) {
    let (targets, jobs) = (record.targets.len() as u32, record.jobs.len() as u32);
    let of_filesystem = |target: TargetRecord| TargetRecord { below: Some(0), is_raw: true, ..target };
    let shifted = |job: JobRecord| JobRecord { targets: job.targets.iter().map(|target| target + targets).collect(), ..job };
    let renumbered = |round: Round| Round { job: round.job + jobs, ..round };
    record.targets.extend(raw.targets.into_iter().map(of_filesystem));
    record.jobs.extend(raw.jobs.into_iter().map(shifted));
    let first = record.stages.len() as u32;
    let stages = raw.stages.into_iter().map(|stage| Stage {
        index: stage.index + first,
        rounds: stage.rounds.into_iter().map(renumbered).collect(),
        ..stage
    });
    record.stages.extend(stages);
    ioproof_store::config_hash::rehash(record);
}
