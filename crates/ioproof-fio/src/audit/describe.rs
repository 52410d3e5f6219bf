//! Jobs as the rules of method see them.
//!
//! The workload is the one that the engine would be given ([`compile`](crate::compile)); the rest comes from the settings, the files and the schedule.

use super::context::{AuditContext, JobContext};
use super::facts::{AuditFacts, FileFacts, FileKind};
use crate::compile::workload;
use crate::jobs::FioJob;
use crate::results::Unified;
use crate::schedule::{Instance, Schedule};
use crate::settings::{EngineName, JobSettings, ReportSettings};
use crate::values::Amount;
use ioproof_core::method::{
    BackendTraits, CacheUse, HostSize, Load, LoadTarget, LoadTime, MediumKind, Part, Percentiles, Start, WriteBuffers,
};
use ioproof_core::shape::{Limits, Pace};
use ioproof_core::workload::Workload;

/// The load of each job, with the position of its job. A job that cannot be run has none; it is refused elsewhere.
pub fn describe(jobs: &[FioJob], schedule: &Schedule, facts: &AuditFacts) -> Vec<(usize, Load)> {
    loads(&AuditContext::new(jobs, schedule, facts))
}

pub(super) fn loads(context: &AuditContext) -> Vec<(usize, Load)> {
    context.jobs.iter().filter_map(|job| Some((job.at, load(job, context.facts)?))).collect()
}

fn load(job: &JobContext, facts: &AuditFacts) -> Option<Load> {
    let set = job.set;
    let mut one = workload(set, &mut Vec::new()).ok()?;
    let depth = one.depth;
    take_all_clones(&mut one, job.clone_count());
    let targets = targets(job);
    Some(Load {
        depth_asked: Some(set.submission.depth),
        backend: Some(backend(set)),
        direct: Some(set.access.direct || set.engine.name.sends_commands()),
        cache: cache(job),
        parts: parts(job, &targets),
        targets,
        begins_apart: (job.clones.len() > 1).then(|| Instance::is_set_apart(job.job)),
        asked_bytes: asked_bytes(set),
        time: time(job),
        buffers: buffers(set, u64::from(depth) * job.clone_count()),
        repeats_offsets: Some(set.random.same_offsets && set.random.seed.is_none()),
        ends_with_sync: Some(set.syncs.end_fsync || set.syncs.fsync_on_close),
        percentiles: percentiles(set),
        logs_of_each_io: logs_of_each_io(set),
        start: start(job),
        host: HostSize {
            memory_bytes: Some(facts.memory_bytes).filter(|bytes| *bytes > 0),
            cpus: u32::try_from(facts.cpus).ok().filter(|cpus| *cpus > 0),
        },
        ..Load::new(&job.job.name, one)
    })
}

/// Makes the workload of one clone that of all: a rate is each clone's own.
fn take_all_clones(workload: &mut Workload, clones: u64) {
    workload.workers = u32::try_from(clones).unwrap_or(u32::MAX);
    let all = |rate: Option<u64>| rate.map(|rate| rate.saturating_mul(clones));
    let shape = &mut workload.shape;
    let Limits { read_ios_per_s, write_ios_per_s, read_bytes_per_s, write_bytes_per_s, catches_up } = shape.limits;
    shape.limits = Limits {
        read_ios_per_s: all(read_ios_per_s),
        write_ios_per_s: all(write_ios_per_s),
        read_bytes_per_s: all(read_bytes_per_s),
        write_bytes_per_s: all(write_bytes_per_s),
        catches_up,
    };
    if let Pace::Fixed { ios_per_s } | Pace::Poisson { ios_per_s } = &mut shape.pace {
        *ios_per_s = ios_per_s.saturating_mul(clones);
    }
}

fn backend(set: &JobSettings) -> BackendTraits {
    let engine = &set.engine;
    BackendTraits {
        name: engine.name.word().into(),
        synchronous: engine.name.is_synchronous(),
        mapped: engine.name == EngineName::Mmap,
        transfers_nothing: engine.name == EngineName::Null || !engine.name.has_data(),
        spinning_threads: u32::from(engine.polled) + u32::from(engine.kernel_thread),
    }
}

fn cache(job: &JobContext) -> CacheUse {
    let is_meant = job.typed("direct").is_some() || job.typed("buffered").is_some();
    CacheUse { is_meant, filled_first: job.set.files.pre_read, kept: !job.set.files.invalidate }
}

fn targets(job: &JobContext) -> Vec<LoadTarget> {
    let mut targets: Vec<LoadTarget> = Vec::new();
    for (path, facts) in job.clones.iter().flat_map(|clone| clone.instance.files.iter().zip(&clone.files)) {
        if !targets.iter().any(|target| target.path == *path) {
            targets.push(target(job, path, facts));
        }
    }
    targets
}

fn target(job: &JobContext, path: &str, facts: &FileFacts) -> LoadTarget {
    LoadTarget {
        path: path.to_owned(),
        is_named: !job.set.files.names.is_empty(),
        medium: medium(facts.kind),
        size_bytes: facts.bytes,
        written_bytes: facts.written_bytes,
        drives: facts.drives.clone(),
        rotational: facts.rotational,
        identity: facts.identity,
    }
}

fn medium(kind: FileKind) -> Option<MediumKind> {
    match kind {
        FileKind::Unknown => None,
        FileKind::Regular => Some(MediumKind::File),
        FileKind::Device => Some(MediumKind::Device),
        FileKind::Memory => Some(MediumKind::Memory),
        FileKind::Endless => Some(MediumKind::Generator),
    }
}

fn parts(job: &JobContext, targets: &[LoadTarget]) -> Vec<Part> {
    let of_clone = |(worker, clone): (u32, &super::context::CloneContext)| {
        let span = |file: usize| clone.places.as_ref().and_then(|places| places.spans.get(file).copied());
        let position = |path: &String| targets.iter().position(|target| target.path == *path);
        let files = clone.instance.files.iter().enumerate();
        files.filter_map(|(file, path)| Some(Part { worker, target: position(path)?, span: span(file) })).collect::<Vec<_>>()
    };
    (0..).zip(&job.clones).flat_map(of_clone).collect()
}

fn asked_bytes(set: &JobSettings) -> Vec<u64> {
    let amounts = [set.region.size, set.region.io_size].into_iter().flatten();
    amounts.filter_map(|amount| if let Amount::Bytes(bytes) = amount { Some(bytes) } else { None }).collect()
}

fn time(job: &JobContext) -> LoadTime {
    let (time, region) = (&job.set.time, &job.set.region);
    LoadTime {
        runtime_ns: Some(time.runtime_ns).filter(|ns| *ns > 0),
        // The first I/O of a job counts, however slow its pace is, unless a ramp drops it.
        run_ns: Some(time.runtime_ns).filter(|ns| *ns > 0 && time.time_based && time.ramp_ns > 0),
        fills_runtime: time.time_based,
        ramp_ns: Some(time.ramp_ns),
        until_steady: job.set.steady_state.duration_ns > 0,
        repeats: None,
        total_bytes: job.total_bytes(),
        ios_each: region.ios,
        amount_is_meant: region.io_size.is_some() || region.ios.is_some() || time.loops > 1,
    }
}

fn buffers(set: &JobSettings, count: u64) -> Option<WriteBuffers> {
    let buffers = &set.buffers;
    let made_otherwise =
        buffers.zero || buffers.pattern.is_some() || buffers.compressible_percent.is_some() || buffers.duplicate_percent.is_some();
    (!buffers.refill && !made_otherwise).then_some(WriteBuffers { count, changed: buffers.scramble })
}

fn percentiles(set: &JobSettings) -> Option<Percentiles> {
    let report = &set.report;
    let are_shown = (report.clat_percentiles && !report.no_clat) || (report.lat_percentiles && !report.no_lat);
    let asked = report.percentiles != ReportSettings::PERCENTILES;
    // Of the percentiles that are shown unasked nobody needs the last.
    let below = if asked { 100.0 } else { 99.5 };
    let highest = report.percentiles.iter().copied().filter(|percentile| *percentile < below).fold(0.0, f64::max);
    let per_direction = report.unified == Unified::Separate;
    (are_shown && report.shown).then_some(Percentiles { highest, asked, per_worker: !report.by_group, per_direction })
}

fn logs_of_each_io(set: &JobSettings) -> u32 {
    let logs = &set.logs;
    let kept = [&logs.bandwidth, &logs.iops, &logs.latency].into_iter().flatten().count();
    if logs.average_ns == 0 { kept as u32 } else { 0 }
}

fn start(job: &JobContext) -> Start {
    Start {
        stage: job.clones.first().map(|clone| clone.instance.stage),
        delay_ns: job.set.time.start_delay_ns,
        waits: job.set.start.wait_for.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{facts_of, jobs_of};
    use super::*;
    use crate::schedule::schedule;

    fn loads_of(text: &str) -> Vec<Load> {
        let jobs = jobs_of(text);
        let schedule = schedule(&jobs);
        describe(&jobs, &schedule, &facts_of(&schedule)).into_iter().map(|(_, load)| load).collect()
    }

    #[test]
    fn clones_are_workers_with_parts_and_rates_of_all() {
        let text =
            "[a]\nfilename=/dev/nvme0n1\nsize=1g\nnumjobs=4\noffset_increment=1g\nrw=read\nrate_iops=100\nioengine=psync\niodepth=8\n";
        let load = &loads_of(text)[0];
        assert_eq!((load.workload.workers, load.workload.depth, load.depth_asked), (4, 1, Some(8)));
        assert_eq!((load.workload.shape.limits.read_ios_per_s, load.begins_apart), (Some(400), Some(true)));
        let mut offsets: Vec<_> = load.parts.iter().map(|part| part.span.unwrap().offset_bytes >> 30).collect();
        offsets.sort_unstable();
        assert_eq!((offsets, load.targets.len(), load.targets[0].medium), (vec![0, 1, 2, 3], 1, Some(MediumKind::Device)));
    }

    #[test]
    fn stages_names_and_amounts_are_those_of_the_jobs() {
        let loads = loads_of("[a]\nfilename=/data/x\nsize=1g\nio_size=2g\n[b]\nstonewall\nsize=1g\nruntime=5\ntime_based\n");
        let all: Vec<_> = loads.iter().map(|l| (l.name.as_str(), l.start.stage, l.time.amount_is_meant, l.targets[0].is_named)).collect();
        assert_eq!(all, [("a", Some(0), true, true), ("b", Some(1), false, false)]);
        assert_eq!((loads[0].asked_bytes.as_slice(), loads[1].time.runtime_ns), ([1 << 30, 2 << 30].as_slice(), Some(5_000_000_000)));
    }

    #[test]
    fn a_job_that_cannot_be_run_is_no_load() {
        assert_eq!(loads_of("[a]\nfilename=/dev/nvme0n1\nrw=read\nzonemode=strided\n"), []);
    }
}
