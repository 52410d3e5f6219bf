//! The part of a sweep that goes by ioproof's own driver. The drive is taken from the kernel, swept, and given back before the kernel's paths are measured, so that the
//! latencies of all paths stand in one run.

use crate::joined;
use crate::measure::RanStages;
use crate::observers::progress::ProgressLine;
use crate::open::identify::identify;
use crate::open::{plan, target};
use crate::request::{LoadRequest, PlanRequest, RunKind, SessionRequest, TargetRequest};
use crate::session::{self, Session};
use crate::spdk_perf::SpdkPerf;
use anyhow::Result;
use ioproof_core::record::{JobRecord, Part, RunRecord, SPDK_PERF};
use ioproof_core::text::visible;
use ioproof_core::workload::Workload;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::{self, complaint, describe};
use ioproof_target::{BoundDrive, System};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Takes that part out of a request and measures it; nothing where it has none.
///
/// # Errors
/// When the drive cannot be taken or given back, or nothing could be measured on it.
pub fn measure(system: &System, request: &mut SessionRequest, stop: &AtomicBool, progress: &mut ProgressLine) -> Result<Option<RunRecord>> {
    let Some((serial, part)) = split(system, request)? else { return Ok(None) };
    let consent = &request.targets[0].consent;
    let drive = ioproof_target::bind(system, &serial, consent, false)?;
    let mut taken = Taken { system, drive: Some(drive.clone()) };
    let [path]: [String; 1] = drive.names().try_into().map_err(|_| {
        complaint(
            format!("{} has several namespaces", visible(&serial)),
            "bind it, and sweep one of them: `ioproof device bind` prints their names",
        )
    })?;
    progress.say(&format!("{} is taken from the kernel and swept by ioproof's own driver first", visible(&serial)));
    let target = TargetRequest { path: Some(path.clone().into()), ..request.targets[0].clone() };
    let part = SessionRequest { targets: vec![target], plan: part };
    let RanStages { mut record, failure, .. } = session::open(system, &part, None, stop)?.measure_part(vec![progress])?;
    progress.clear();
    // What is noted of the whole run is noted with the kernel's paths.
    record.notes.clear();
    if let RunKind::Sweep { with: Some(perf), .. } = &request.plan.kind {
        run_beside(perf, &path, &mut record, stop, progress);
    }
    taken.give_back()?;
    match failure {
        Some(error) => Err(complaint(format!("by its own driver: {}", describe(&error)), "the drive is with the kernel again")),
        None => Ok(Some(record)),
    }
}

/// Runs SPDK's program on each cell that was measured, for as long as a round took. What it fails at is a note: the cells of this program stand.
fn run_beside(perf: &SpdkPerf, drive: &str, record: &mut RunRecord, stop: &AtomicBool, progress: &mut ProgressLine) {
    let seconds = |part: Part| part.round.elapsed_ns.div_ceil(1_000_000_000).max(1) as u32;
    let measured = |(at, job): (usize, &JobRecord)| Some((job.workload.clone(), seconds(record.parts_of(at).last()?)));
    let cells: Vec<(Workload, u32)> = record.jobs.iter().enumerate().filter_map(measured).collect();
    let (mut runs, mut left_out) = (Vec::new(), 0);
    for (workload, seconds) in cells {
        if stop.load(Relaxed) {
            break;
        }
        progress.say(&format!("{SPDK_PERF}: {}, queue depth {}, {seconds} s", workload.title(), workload.concurrency()));
        match perf.run(drive, &workload, seconds, stop) {
            Ok(Some(run)) => runs.push(run),
            Ok(None) => left_out += 1,
            Err(error) => {
                complaint::warn("not run beside", &error);
                record.notes.push(describe(&error));
                break;
            }
        }
    }
    if left_out > 0 && !stop.load(Relaxed) {
        let why = "it cannot run sequential ones of several workers, nor more workers than CPUs";
        record.notes.push(format!("{SPDK_PERF}: {left_out} cells left out: {why}"));
    }
    if let Some(target) = record.targets.first_mut() {
        target.programs = runs;
    }
}

/// Leaves the paths of the kernel in the request. The drive's serial number, and the plan of the own driver; `None` where that was not asked for.
fn split(system: &System, request: &mut SessionRequest) -> Result<Option<(String, PlanRequest)>> {
    let backends = &request.plan.load.backends;
    let is_sweep = matches!(request.plan.kind, RunKind::Sweep { .. });
    if !is_sweep || backends.len() < 2 || !backends.contains(&BackendChoice::POLLED) {
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
    let time = plan::time(&request.plan, &chosen);
    let own = share(&request.plan.load, time, |backend| backend == BackendChoice::POLLED.name());
    let rest = share(&request.plan.load, time, |backend| backend != BackendChoice::POLLED.name());
    let plan = |(load, time): (LoadRequest, Duration)| PlanRequest { load, time: Some(time), ..request.plan.clone() };
    let (own, rest) = (plan(own), plan(rest));
    request.plan = rest;
    Ok(Some((serial, own)))
}

/// The workloads of some backends, and their share of the time.
fn share(of: &LoadRequest, time: Duration, is_one: impl Fn(&str) -> bool) -> (LoadRequest, Duration) {
    let mut load = of.clone();
    load.backends.retain(|choice| is_one(choice.name()));
    load.workloads.retain(|workload| workload.backend.as_deref().is_some_and(&is_one));
    let time = time / of.backends.len() as u32 * load.backends.len() as u32;
    (load, time)
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
    record.notes.extend(part.notes);
    for (target, of_part) in record.targets.iter_mut().zip(part.targets) {
        target.programs = of_part.programs;
    }
    let on_it = |job: JobRecord| JobRecord { targets: vec![0; job.targets.len()], ..job };
    joined::join(record, part.jobs.into_iter().map(on_it), part.stages);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_core::workload::Workload;

    #[test]
    fn each_path_has_its_workloads_and_its_share_of_the_time() {
        let mut load = testing::load("--rw randread --depth 1,2 --workers 1");
        load.backends = vec![BackendChoice::IO_URING, BackendChoice::IO_URING_CMD, BackendChoice::POLLED];
        let bare = load.workloads.clone();
        let on =
            |choice: &BackendChoice| bare.clone().into_iter().map(|of| Workload { backend: Some(choice.name().into()), ..of }).collect();
        load.workloads = load.backends.iter().flat_map(|choice| -> Vec<Workload> { on(choice) }).collect();
        let time = Duration::from_secs(300);
        let (own, own_time) = share(&load, time, |backend| backend == "polled");
        let (rest, rest_time) = share(&load, time, |backend| backend != "polled");
        assert_eq!((own_time.as_secs(), rest_time.as_secs()), (100, 200));
        assert_eq!((own.workloads.len(), rest.workloads.len()), (2, 4));
        assert!(own.workloads.iter().all(|workload| workload.backend.as_deref() == Some("polled")));
    }
}
