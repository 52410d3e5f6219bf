//! The part of a sweep that goes by ioproof's own driver. The drive is taken from the kernel, swept, and given back before the kernel's paths are measured, so that the
//! latencies of all paths stand in one run.

use crate::measure::RanStages;
use crate::observers::progress::ProgressLine;
use crate::open::identify::identify;
use crate::open::{plan, target};
use crate::request::{RunKind, SessionRequest, TargetRequest};
use crate::session::{self, Session};
use anyhow::Result;
use ioproof_core::record::{JobRecord, Round, RunRecord, Stage};
use ioproof_core::text::visible;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::{complaint, describe};
use ioproof_store::config_hash::rehash;
use ioproof_target::{BoundDrive, System};
use std::sync::atomic::AtomicBool;

/// Takes that part out of a request and measures it; nothing where it has none.
///
/// # Errors
/// When the drive cannot be taken or given back, or nothing could be measured on it.
pub fn measure(system: &System, request: &mut SessionRequest, stop: &AtomicBool, progress: &mut ProgressLine) -> Result<Option<RunRecord>> {
    let Some(serial) = split(system, request)? else { return Ok(None) };
    let consent = &request.targets[0].consent;
    let drive = ioproof_target::bind(system, &serial, consent)?;
    let mut taken = Taken { system, drive: Some(drive.clone()) };
    let [path] = drive.names().try_into().map_err(|_| {
        complaint(
            format!("{} has several namespaces", visible(&serial)),
            "bind it, and sweep one of them: `ioproof device bind` prints their names",
        )
    })?;
    progress.say(&format!("{} is taken from the kernel and swept by ioproof's own driver first", visible(&serial)));
    let part = SessionRequest {
        targets: vec![TargetRequest { path: Some(path.into()), ..request.targets[0].clone() }],
        plan: request.plan.clone(),
    };
    let part = with_backends(part, vec![BackendChoice::POLLED]);
    let RanStages { record, failure, .. } = session::open(system, &part, None, stop)?.measure_part(vec![progress])?;
    progress.clear();
    taken.give_back()?;
    match failure {
        Some(error) => Err(complaint(format!("by its own driver: {}", describe(&error)), "the drive is with the kernel again")),
        None => Ok(Some(record)),
    }
}

/// Leaves the paths of the kernel in the request, and shares the time. The serial number of the drive; `None` where the own driver was not asked for.
fn split(system: &System, request: &mut SessionRequest) -> Result<Option<String>> {
    let backends = &request.plan.load.backends;
    let is_sweep = matches!(request.plan.kind, RunKind::Sweep { .. });
    let kernels: Vec<BackendChoice> = backends.iter().copied().filter(|choice| *choice != BackendChoice::POLLED).collect();
    if !is_sweep || kernels.is_empty() || kernels.len() == backends.len() {
        return Ok(None);
    }
    let chosen = target::choose(system, &request.targets[0], request.plan.size)?;
    let drives = identify(system, &chosen, &request.plan)?.drives;
    let serial = match drives.as_slice() {
        [drive] => drive.serial.as_ref().map(|serial| serial.value.clone()),
        _ => None,
    };
    let serial = serial.ok_or_else(|| {
        complaint(
            format!("{} is no NVMe drive with a serial number, which the own driver needs", visible(&chosen.facts().given)),
            "leave `polled` out, or name the drive: /dev/nvme0n1",
        )
    })?;
    let all = backends.len() as u32;
    request.plan.time = Some(plan::time(&request.plan, &chosen) / all * kernels.len() as u32);
    request.plan.load.backends = kernels;
    Ok(Some(serial))
}

/// The request on other paths, with their share of the time.
fn with_backends(mut request: SessionRequest, backends: Vec<BackendChoice>) -> SessionRequest {
    let (now, then) = (request.plan.load.backends.len() as u32, backends.len() as u32);
    request.plan.time = request.plan.time.map(|time| time / now.max(1) * then);
    request.plan.load.backends = backends;
    request
}

/// A drive that goes back to the kernel whatever happens.
struct Taken<'a> {
    system: &'a System,
    drive: Option<BoundDrive>,
}

impl Taken<'_> {
    fn give_back(&mut self) -> Result<()> {
        let drive = self.drive.take();
        drive.map_or(Ok(()), |drive| Ok(ioproof_target::unbind(self.system, &drive.address).map(drop)?))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.give_back() {
            ioproof_process::messages::warning(&format!("{error:#}; `ioproof device recover` gives the drive back"));
        }
    }
}

/// Puts the part into the session of the kernel's paths.
///
/// # Errors
/// When the target is not that drive any more.
pub fn join(session: &mut Session<'_>, part: RunRecord) -> Result<()> {
    let serial = |record: &RunRecord| Some(record.targets.first()?.drives.first()?.serial.as_ref()?.value.clone());
    let record = &mut session.record;
    if serial(record) != serial(&part) {
        return Err(complaint("the target is another drive since the own driver gave it back", "name it by /dev/disk/by-id"));
    }
    let (jobs, first) = (record.jobs.len() as u32, record.stages.len() as u32);
    record.jobs.extend(part.jobs.into_iter().map(|job| JobRecord { targets: vec![0; job.targets.len()], ..job }));
    let renumbered = |round: Round| Round { job: round.job + jobs, ..round };
    let stages = part.stages.into_iter().map(|stage| Stage {
        index: stage.index + first,
        rounds: stage.rounds.into_iter().map(renumbered).collect(),
        ..stage
    });
    record.stages.extend(stages);
    rehash(record);
    Ok(())
}
