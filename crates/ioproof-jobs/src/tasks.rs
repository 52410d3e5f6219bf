//! From clones to the stages that the runner runs: each clone is a task, and its options become plain data.

use super::affinity;
use super::flows::Flows;
use super::request::FioRequest;
use super::subjob::Subjob;
use ioproof_core::job::JobSpec;
use ioproof_core::record::Purpose;
use ioproof_core::search::DepthGoal;
use ioproof_engine::{BackendChoice, Batching, UnknownBackend};
use ioproof_fio::compile::Compiled;
use ioproof_fio::jobs::FioJob;
use ioproof_fio::settings::{ErrorKind, ExitWhat, JobSettings};
use ioproof_fio::values::PerDirection;
use ioproof_runner::{Before, ContentCheck, EndsOthers, Failure, Generate, StageSpec, Survives, Task, TaskDepthSearch, TaskLimits};
use ioproof_target::{OwnWrites, System};
use std::time::Duration;

/// The stages of the schedule. `jobs` has the position of each clone's job in the record; `own` is the permit to write when a job begins.
pub fn stages(system: &System, request: &FioRequest, subjobs: &[Subjob], jobs: &[u32], own: &OwnWrites) -> Vec<StageSpec> {
    let firsts: Vec<usize> = subjobs
        .iter()
        .scan(0, |next, subjob| {
            let first = *next;
            *next += subjob.targets().len();
            Some(first)
        })
        .collect();
    let targets: usize = subjobs.iter().map(|subjob| subjob.targets().len()).sum();
    let buffers = |id: usize| {
        let before = subjobs[..id].iter().filter(|subjob| subjob.buffers.is_some()).count();
        subjobs[id].buffers.as_ref().map(|_| targets + before)
    };
    let flows = Flows::of(subjobs.iter().map(|subjob| &request.job(subjob).settings.start));
    let task = |id: usize| {
        let subjob = &subjobs[id];
        let handles = (firsts[id]..firsts[id] + subjob.targets().len()).collect();
        let task = task(system, request.job(subjob), subjob, jobs[id], handles);
        let task = Task { buffers: buffers(id), ..task };
        let changes = task.spec.workload.writes() || task.generate.backend.changes_files() || task.buffers.is_some();
        let own_writes = changes.then(|| own.clone());
        let flow = flows.share(&request.job(subjob).settings.start);
        let replay = request.replays.of(subjob.instance.number).map(|log| log.ios.clone().into());
        Task { id, flow, replay, ends_others: ends_others(request, subjobs, id), own_writes, ..task }
    };
    let stage = |places: &Vec<usize>| StageSpec {
        purpose: Purpose::Measure,
        repetition: 0,
        title: String::new(),
        left: None,
        tasks: places.iter().map(|id| task(*id)).collect(),
        is_job_file: true,
    };
    request.schedule.stages.iter().map(stage).collect()
}

fn task(system: &System, job: &FioJob, subjob: &Subjob, of: u32, handles: Vec<usize>) -> Task {
    let settings = &job.settings;
    let compiled = &subjob.compiled;
    let placed = affinity::stands(system, &compiled.spec, &settings.host).map_err(Failure::from);
    let generated = generate(compiled).map_err(|unknown| Failure::from((unknown.to_string(), rustix::io::Errno::INVAL.raw_os_error())));
    let impossible = subjob.impossible.clone().map(|text| Failure::from((text, rustix::io::Errno::INVAL.raw_os_error())));
    let refused = impossible.or(placed.as_ref().err().or(generated.as_ref().err()).cloned());
    let spec = placed.unwrap_or_else(|_| compiled.spec.clone());
    let plain = Task::plain(of, &subjob.instance.name, spec, handles, generated.unwrap_or(Generate::by(BackendChoice::PSYNC)));
    Task {
        memory_bytes: compiled.needs_bytes.first().copied().unwrap_or(0),
        delay: delay(job, subjob),
        waits_for: subjob.instance.waits_for.clone(),
        nice: settings.host.nice,
        before: Before { drop_cache: settings.files.invalidate, read_first: settings.files.pre_read, ..Before::default() },
        check: ContentCheck { reads_back: compiled.reads_back, only_plans: compiled.only_verifies, ..ContentCheck::default() },
        limits: limits(settings, &compiled.spec),
        depth_search: depth_search(settings),
        survives: survives(settings),
        refused,
        idle: settings.files.create_only,
        ..plain
    }
}

/// The way in which the load of a clone is generated. Trims have no asynchronous call, but are commands of a drive.
///
/// # Errors
/// Where no backend stands in for its engine.
pub fn generate(compiled: &Compiled) -> Result<Generate, UnknownBackend> {
    let asked = BackendChoice::for_fio(compiled.engine.word())?;
    let trims_itself = asked.is_passthrough() || asked.is_driver() || !asked.moves_data();
    let backend = if compiled.spec.workload.trims() && !trims_itself { BackendChoice::PSYNC } else { asked };
    Ok(Generate {
        polled: compiled.polled,
        kernel_submits: compiled.kernel_submits,
        batching: compiled.batching.map(|(at_once, refill_at)| Batching { at_once, refill_at }),
        ..Generate::by(backend)
    })
}

/// A note on a clone before it runs: that it may stand on some of its CPUs only.
pub fn note(system: &System, job: &FioJob, subjob: &Subjob) -> Option<String> {
    let text = affinity::note(system, &subjob.compiled.spec, &job.settings.host)?;
    Some(format!("{}: {text}", subjob.instance.name))
}

/// `startdelay`: fixed, or drawn between two.
fn delay(job: &FioJob, subjob: &Subjob) -> Duration {
    let (least, most) = job.settings.time.start_delay_ns;
    let range = most.saturating_sub(least).saturating_add(1);
    Duration::from_nanos(least + subjob.compiled.spec.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) % range)
}

/// `max_latency`, `rate_min`, `rate_iops_min`.
fn limits(settings: &JobSettings, spec: &JobSpec) -> TaskLimits {
    let trims = spec.workload.trims();
    TaskLimits {
        longest_ns: each(settings.latency_target.max_ns),
        least_bytes_per_s: each(settings.pace.min_bytes_per_s),
        least_ios_per_s: each(settings.pace.min_ios_per_s),
        cycle_ns: settings.pace.cycle_ns,
        used: [spec.workload.read_percent > 0 && !trims, spec.workload.write_percent() > 0, trims],
    }
}

fn each<T>(of: PerDirection<T>) -> [T; 3] {
    [of.read, of.write, of.trim]
}

/// `latency_target`.
fn depth_search(settings: &JobSettings) -> Option<TaskDepthSearch> {
    let target = &settings.latency_target;
    let goal = DepthGoal { target_ns: target.target_ns, percentile: target.percentile, trial_ns: target.window_ns, runs_on: target.run_on };
    (target.target_ns > 0).then_some(TaskDepthSearch { goal })
}

/// `continue_on_error`, `ignore_error`, `fill_device`.
fn survives(settings: &JobSettings) -> Survives {
    let any = |kind: ErrorKind| settings.errors.survived.contains(&kind);
    Survives {
        any: [any(ErrorKind::Read), any(ErrorKind::Write)],
        errnos: [settings.errors.ignored[0].clone(), settings.errors.ignored[1].clone()],
        full: settings.files.fill_device,
    }
}

/// `exitall`, `exitall_on_error`.
fn ends_others(request: &FioRequest, subjobs: &[Subjob], id: usize) -> Option<EndsOthers> {
    let start = &request.job(&subjobs[id]).settings.start;
    if !start.exit_all && !start.exit_all_on_error {
        return None;
    }
    let own = &subjobs[id].instance;
    let meant = |other: &Subjob| match start.exit_what {
        ExitWhat::Group => other.instance.group == own.group,
        ExitWhat::Stonewall => other.instance.stage == own.stage,
        ExitWhat::All => true,
    };
    let tasks = subjobs.iter().enumerate().filter(|(_, other)| meant(other)).map(|(at, _)| at).collect();
    Some(EndsOthers { on_failure: !start.exit_all, tasks })
}
