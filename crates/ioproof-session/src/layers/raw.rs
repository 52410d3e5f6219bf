//! The drives of a filesystem before it is made on them: a part of each is written in full, and then read alone and with all others at once, in turns. It is measured under the
//! permits by which the filesystem is made, and becomes part of its run, as drives below its directory.

use super::new_filesystem::Permitted;
use super::turns::with_lengths;
use crate::joined;
use crate::measure::RanStages;
use crate::observers::progress::ProgressLine;
use crate::open::found::{HeldHandle, OpenTarget};
use crate::open::identify::{Facts, identify};
use crate::open::target::{Chosen, whole_units};
use crate::open::{plan, record};
use crate::request::{PlanRequest, TargetExtent};
use crate::session::{Session, Stages, turns};
use anyhow::Result;
use ioproof_core::plan::Plan;
use ioproof_core::record::{JobRecord, RunRecord, RunStatus, TargetRecord};
use ioproof_core::text::visible;
use ioproof_core::workload::Workload;
use ioproof_process::complaint::{complaint, describe};
use ioproof_runner::RunEnding;
use ioproof_target::{Consent, PermittedDrive, System};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Both ends of a drive stay as they are: what makes a filesystem there looks at them for others. Bytes.
const END_BYTES: u64 = 1 << 20;

/// Measures the drives, where there are several. One by itself is measured below the file, by the very blocks of it.
///
/// # Errors
/// When they cannot be measured, or the run was interrupted: then nothing is made on them.
pub(super) fn measure(
    system: &System,
    permitted: &Permitted<'_>,
    (stop, started): (&AtomicBool, Instant),
    progress: &mut ProgressLine,
) -> Result<Option<RunRecord>> {
    if permitted.drives.len() < 2 {
        return Ok(None);
    }
    let request = &plan_request(permitted);
    let targets = permitted.drives.iter().map(|drive| open_target(system, permitted, request, drive)).collect::<Result<Vec<_>>>()?;
    progress.say(&format!("measuring {} before a filesystem is made on them, each alone and all at once", permitted.names()));
    let record = record::open(request, &targets);
    let stages = Stages::Turns(Box::new(turns(request, &targets, true)));
    let session = Session { system, request, targets, record, stages, purge: None, stop, started };
    let RanStages { record, ending, failure } = session.measure_part(vec![progress])?;
    progress.clear();
    match (&record.status, failure) {
        (_, Some(error)) => Err(not_measured(&describe(&error))),
        (RunStatus::Failed { reason }, None) => Err(not_measured(reason)),
        _ if ending == RunEnding::CutShort || stop.load(Relaxed) => Err(not_measured("")),
        _ => Ok(Some(record)),
    }
}

fn not_measured(reason: &str) -> anyhow::Error {
    let why = if reason.is_empty() { String::new() } else { format!(": {}", visible(reason)) };
    complaint(format!("the drives could not be measured to the end, and no filesystem is made on them{why}"), "begin it again")
}

/// As much of each drive as the scratch file takes, within both ends of the smallest.
fn length_bytes(permitted: &Permitted<'_>) -> u64 {
    let smallest = permitted.drives.iter().map(|drive| drive.handle.size_bytes()).min().unwrap_or(0);
    whole_units(permitted.size_bytes.min(smallest.saturating_sub(2 * END_BYTES)))
}

/// The reads of as many readers as the filesystem has at least.
fn plan_request(permitted: &Permitted<'_>) -> PlanRequest {
    let mut request = permitted.layers.session.plan.clone();
    request.load.workloads = fewest_readers(&request.load.workloads).into_iter().collect();
    request.runs = Some(permitted.layers.turns);
    request.time = None;
    request.offset_bytes = Some(END_BYTES);
    request.size = Some(TargetExtent::Bytes(length_bytes(permitted)));
    request
}

fn open_target<'a>(system: &System, permitted: &Permitted<'_>, request: &PlanRequest, drive: &'a PermittedDrive) -> Result<OpenTarget<'a>> {
    let consent = Consent { destroy: permitted.consent(), ..Consent::default() };
    let chosen = Chosen::Existing { target: drive.target.clone(), consent };
    // Layers are held against one another, and against no datasheet.
    let facts = Facts { datasheet: None, ..identify(system, &chosen, request)? };
    let plan = plan::plan(request, &chosen, &facts, plan::time(request, &chosen))?;
    let of_filesystem = with_lengths(plan.clone(), permitted.layers);
    let turns = permitted.layers.turns;
    let rounds = u64::from(turns) * permitted.layers.rounds_of_drives() as u64;
    let plan = Plan {
        time_ns: of_filesystem.round_ns() * rounds,
        ramp_ns: of_filesystem.ramp_ns,
        measure_ns: of_filesystem.measure_ns,
        min_runs: turns,
        max_runs: turns,
        time_limited: false,
        ..plan
    };
    Ok(OpenTarget { target: drive.target.clone(), handles: vec![HeldHandle::Lent(&drive.handle)], facts, plan })
}

fn fewest_readers(all: &[Workload]) -> Option<Workload> {
    all.iter().filter(|workload| !workload.writes()).min_by_key(|workload| workload.workers).cloned()
}

/// Puts what was measured into the record of the filesystem, which is its first target.
pub(crate) fn join(record: &mut RunRecord, raw: RunRecord) {
    let targets = record.targets.len() as u32;
    let of_filesystem = |target: TargetRecord| TargetRecord { below: Some(0), is_raw: true, ..target };
    let shifted = |job: JobRecord| JobRecord { targets: job.targets.iter().map(|target| target + targets).collect(), ..job };
    record.targets.extend(raw.targets.into_iter().map(of_filesystem));
    joined::join(record, raw.jobs.into_iter().map(shifted), raw.stages);
}
