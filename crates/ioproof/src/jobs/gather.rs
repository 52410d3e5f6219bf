//! What clones measured -> the results that every output is made of.

use super::ask::Asked;
use super::clone::Clone;
use super::one::{End, Failure, now_ms, verify};
use ioproof_fio::assemble::{groups, measured, together};
use ioproof_fio::jobs::{Job, globals_shown};
use ioproof_fio::results::{DiskUse, JobFailure, JobResult, LatencyTarget, Reported, Results};
use ioproof_fio::schedule::Line;

/// The results of a run.
pub fn results(asked: &Asked, clones: &[Clone], ends: &[End], disks: Vec<DiskUse>, notes: Vec<String>) -> Results {
    let each: Vec<JobResult> = clones.iter().zip(ends).map(|(clone, end)| of_clone(asked, clone, end)).collect();
    let mut lines: Vec<JobResult> = asked.schedule.lines.iter().filter_map(|line| of_line(asked, line, &each)).collect();
    let groups = groups(&each, &mut lines);
    let shown = asked.jobs.iter().any(|job| job.settings.report.disks);
    let failures = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let Failure { text, hint, .. } = end.failed.clone()?;
        Some(JobFailure { job: clone.instance.name.clone(), text, hint })
    });
    let seeds = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let note = verify::note(end.round.as_ref()?.check.as_ref()?)?;
        Some(format!("{}: {note}", clone.instance.name))
    });
    // Whether a map is too much for this host is known only when the job starts.
    let without_map = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let mib = end.round.as_ref()?.engine.map_left_out_bytes?.div_ceil(1 << 20);
        let would = format!("a map of which blocks were visited would take {mib} MiB");
        Some(format!("{}: not mapped: {would}; blocks come with repetition instead", clone.instance.name))
    });
    let timestamp_ms = now_ms();
    Results {
        timestamp_ms,
        time: local_time(timestamp_ms),
        global_options: globals_shown(&asked.jobs),
        jobs: lines,
        groups,
        disks: if shown { disks } else { Vec::new() },
        notes: notes.into_iter().chain(seeds).chain(without_map).collect(),
        failures: failures.collect(),
        ..Results::default()
    }
}

/// As ctime(3) has it.
fn local_time(ms: u64) -> String {
    let stamp = jiff::Timestamp::from_millisecond(i64::try_from(ms).unwrap_or(0)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    stamp.to_zoned(jiff::tz::TimeZone::system()).strftime("%a %b %e %H:%M:%S %Y").to_string()
}

fn of_clone(asked: &Asked, clone: &Clone, end: &End) -> JobResult {
    let job = asked.job(clone);
    let frame = JobResult { started_ms: end.started_ms, elapsed_s: end.elapsed.as_millis().div_ceil(1000) as u64, ..frame(job, clone) };
    let result = end.round.as_ref().map_or_else(|| frame.clone(), |round| measured(frame.clone(), round, job.settings.logs.samples));
    let result = with_reading_back(result, end);
    let latency_target = LatencyTarget { depth: end.depth.unwrap_or(result.latency_target.depth), ..result.latency_target };
    let error = end.failed.as_ref().map_or(result.error, |why| why.errno);
    JobResult { error, latency_target, steady_state: end.steady.clone(), ..result }
}

/// Reads that verify come after the job and take their own time.
fn with_reading_back(mut result: JobResult, end: &End) -> JobResult {
    let read_back_ms = end.read_back_ns.div_ceil(1_000_000);
    if read_back_ms > 0 {
        let reads = end.round.as_ref().is_some_and(|round| round.workload.read_percent > 0);
        result.read.runtime_ms = if reads { result.read.runtime_ms.saturating_add(read_back_ms) } else { read_back_ms };
        result.runtime_ms = result.runtime_ms.saturating_add(read_back_ms);
    }
    result
}

/// What is known of a job's line before it ran.
fn frame(job: &Job, clone: &Clone) -> JobResult {
    let settings = &job.settings;
    let report = &settings.report;
    let synchronous = !clone.compiled.spec.recording.split;
    JobResult {
        name: clone.instance.name.clone(),
        description: settings.description.clone(),
        group: clone.instance.group,
        number: clone.instance.number,
        clones: 1,
        pid: std::process::id(),
        options: job.typed.clone(),
        continue_on_error: !settings.errors.survived.is_empty(),
        depth: clone.compiled.spec.workload.depth,
        batch: clone.compiled.batching.map_or(0, |(at_once, _)| at_once),
        percentiles: report.percentiles.clone(),
        reported: Reported {
            slat: !report.no_slat && !synchronous,
            clat: !report.no_clat,
            lat: !report.no_lat,
            slat_percentiles: report.slat_percentiles,
            clat_percentiles: report.clat_percentiles,
            lat_percentiles: report.lat_percentiles,
        },
        latency_target: LatencyTarget {
            depth: clone.compiled.spec.workload.depth,
            target_ns: settings.latency_target.target_ns,
            percentile: settings.latency_target.percentile,
            window_ns: settings.latency_target.window_ns,
        },
        unified: report.unified,
        units: settings.units(),
        ..JobResult::default()
    }
}

fn of_line(asked: &Asked, line: &Line, each: &[JobResult]) -> Option<JobResult> {
    let clones: Vec<JobResult> = line.clones.iter().map(|place| each[*place].clone()).collect();
    let job = &asked.jobs[line.job];
    let shown = line.clones.iter().any(|place| asked.jobs[asked.schedule.clones[*place].job].settings.report.shown);
    let together = together(&clones).filter(|_| shown)?;
    Some(JobResult { name: line.name.clone(), options: job.typed.clone(), ..together })
}
