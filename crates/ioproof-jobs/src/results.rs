//! From the ends of clones to the results that every output of fio's is made of.

pub mod disks;
mod errors;

use super::request::FioRequest;
use super::subjob::Subjob;
use crate::steady::Steady;
use ioproof_core::histogram::Histogram;
use ioproof_core::record::Round;
use ioproof_engine::PriorityLatency;
use ioproof_fio::assemble::{groups, measured, together};
use ioproof_fio::jobs::{FioJob, globals_shown};
use ioproof_fio::results::{DiskUse, JobFailure, JobResult, LatencyTargetResult, PriorityResult, Reported, Results};
use ioproof_fio::schedule::ReportLine;
use ioproof_runner::{Failure, TaskEnd, note_of_writers};
use rustix::io::Errno;

pub fn results(
    request: &FioRequest,
    clones: &[Subjob],
    ends: &[TaskEnd],
    steady: &Steady,
    disks: Vec<DiskUse>,
    notes: Vec<String>,
) -> Results {
    let of = |(place, (clone, end)): (usize, (&Subjob, &TaskEnd))| JobResult {
        steady_state: steady.get(&place).cloned(),
        ..of_clone(request, clone, end)
    };
    let each: Vec<JobResult> = clones.iter().zip(ends).enumerate().map(of).collect();
    let mut lines: Vec<JobResult> = request.schedule.lines.iter().filter_map(|line| of_line(request, line, &each)).collect();
    let groups = groups(&mut lines);
    let shown = request.jobs.iter().any(|job| job.settings.report.disks);
    let failures = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let Failure { text, hint, .. } = end.failed.clone()?;
        Some(JobFailure { job: clone.instance.name.clone(), text, hint })
    });
    let seeds = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let note = note_of_writers(end.round.as_ref()?.check.as_ref()?)?;
        Some(format!("{}: {note}", clone.instance.name))
    });
    let in_memory = clones.iter().zip(ends).flat_map(|(clone, end)| {
        let fallbacks = end.read_back.iter().flat_map(|outcome| &outcome.engine.fallbacks);
        fallbacks.map(|text| format!("{}: {text}", clone.instance.name))
    });
    // Whether a map is too much for this host is known only when the job starts.
    let without_map = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let mib = end.round.as_ref()?.engine.map_left_out_bytes?.div_ceil(1 << 20);
        let would = format!("a map of which blocks were visited would take {mib} MiB");
        Some(format!("{}: not mapped: {would}; blocks come with repetition instead", clone.instance.name))
    });
    let without_ramp = clones.iter().zip(ends).filter_map(|(clone, end)| {
        let told = "ramp_time: it ended before its ramp did, so nothing was left to measure after it; the figures are of the whole job";
        end.round.as_ref()?.engine.ended_in_ramp.then(|| format!("{}: {told}", clone.instance.name))
    });
    let timestamp_ms = ioproof_runner::now().unix_ms;
    Results {
        timestamp_ms,
        time: local_time(timestamp_ms),
        global_options: globals_shown(&request.jobs),
        jobs: lines,
        groups,
        disks: if shown { disks } else { Vec::new() },
        notes: notes.into_iter().chain(seeds).chain(in_memory).chain(without_map).collect(),
        warnings: without_ramp.chain(errors::warnings(request, clones, ends)).collect(),
        failures: failures.collect(),
        ..Results::default()
    }
}

/// As ctime(3) has it.
fn local_time(ms: u64) -> String {
    let stamp = jiff::Timestamp::from_millisecond(i64::try_from(ms).unwrap_or(0)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    stamp.to_zoned(ioproof_process::zone::local()).strftime("%a %b %e %H:%M:%S %Y").to_string()
}

fn of_clone(request: &FioRequest, clone: &Subjob, end: &TaskEnd) -> JobResult {
    let job = request.job(clone);
    let elapsed_s = end.elapsed.as_millis().div_ceil(1000) as u64;
    let frame = JobResult { started_ms: end.started.unix_ms, elapsed_s, ..frame(job, clone) };
    let durability = clone.compiled.spec.workload.durability;
    let mut result = match with_reading_back(end) {
        Some(round) => with_short(measured(frame, &round, durability, job.settings.logs.sample_times()), &round),
        None => frame,
    };
    let of = |one: &PriorityLatency, latency: &Histogram| PriorityResult {
        class: one.priority.class,
        level: one.priority.level,
        latency: latency.clone(),
    };
    result.read.priorities = end.by_priority.iter().map(|one| of(one, &one.read)).collect();
    result.write.priorities = end.by_priority.iter().map(|one| of(one, &one.write)).collect();
    // Syncs of a log that was replayed count whatever the job says of its own.
    if let (Some(_), Some(round)) = (request.replays.of(clone.instance.number), &end.round) {
        result.sync = round.sync.clone();
    }
    let result = with_time_of_reading_back(result, clone, end);
    // What has no error number of the system, as an I/O that moved too little, is an I/O error all the same.
    let number = |errno: i32| if errno == 0 { Errno::IO.raw_os_error() } else { errno };
    let error = end.failed.as_ref().map_or(result.error, |failed| number(failed.errno));
    with_depth(JobResult { error, ..result }, end)
}

/// I/Os that moved too little count for the direction of the first that failed; which they were of is not counted.
fn with_short(mut result: JobResult, round: &Round) -> JobResult {
    let side = match round.errors.first.as_ref().map(|first| first.operation.as_str()) {
        Some("write") => &mut result.write,
        Some("trim") => &mut result.trim,
        _ => &mut result.read,
    };
    side.short_ios = round.errors.short;
    result
}

/// The depth that a search led to, which is also the most that was handed over at once where all figures are of it.
fn with_depth(result: JobResult, end: &TaskEnd) -> JobResult {
    let Some(found) = end.round.as_ref().and_then(|round| round.depth_found.as_ref()) else { return result };
    let latency_target = LatencyTargetResult { depth: found.deepest(), ..result.latency_target };
    JobResult { depth: found.outstanding().unwrap_or(result.depth), latency_target, ..result }
}

/// fio counts the reads that verify with the job's own.
fn with_reading_back(end: &TaskEnd) -> Option<Round> {
    let mut round = end.round.clone()?;
    if let Some(back) = &end.read_back {
        round.read.merge(&back.read);
    }
    Some(round)
}

/// Reads that verify come after the job and take their own time.
fn with_time_of_reading_back(mut result: JobResult, clone: &Subjob, end: &TaskEnd) -> JobResult {
    let read_back_ms = end.read_back.as_ref().map_or(0, |back| back.elapsed_ns.div_ceil(1_000_000));
    if read_back_ms > 0 {
        let reads = clone.compiled.spec.workload.read_percent > 0;
        result.read.runtime_ms = if reads { result.read.runtime_ms.saturating_add(read_back_ms) } else { read_back_ms };
        result.runtime_ms = result.runtime_ms.saturating_add(read_back_ms);
    }
    result
}

/// The part of a job's line that is known before it ran.
fn frame(job: &FioJob, clone: &Subjob) -> JobResult {
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
            // fio times nothing but the call itself.
            lat: !report.no_lat && !clone.compiled.engine.is_by_name(),
            slat_percentiles: report.slat_percentiles,
            clat_percentiles: report.clat_percentiles,
            lat_percentiles: report.lat_percentiles,
        },
        latency_target: LatencyTargetResult {
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

fn of_line(request: &FioRequest, line: &ReportLine, each: &[JobResult]) -> Option<JobResult> {
    let clones: Vec<JobResult> = line.clones.iter().map(|place| each[*place].clone()).collect();
    let job = &request.jobs[line.job];
    let shown = line.clones.iter().any(|place| request.jobs[request.schedule.clones[*place].job].settings.report.shown);
    let together = together(&clones).filter(|_| shown)?;
    Some(JobResult { name: line.name.clone(), options: job.typed.clone(), ..together })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::record::{DepthFound, IoError, IoErrors};

    #[test]
    fn io_that_moved_too_little_counts_for_its_direction() {
        let first = IoError { operation: "write".into(), offset_bytes: 0, errno: 0, message: "only 512 bytes were moved".into() };
        let round = Round { errors: IoErrors { short: 2, first: Some(first), ..IoErrors::default() }, ..Round::default() };
        let result = with_short(JobResult::default(), &round);
        assert_eq!([result.read.short_ios, result.write.short_ios, result.trim.short_ios], [0, 2, 0]);
    }

    #[test]
    fn no_more_is_handed_over_at_once_than_the_depth_that_was_found() {
        let shown = |is_settled| {
            let found = DepthFound { depths: vec![4], is_settled, ..DepthFound::default() };
            let round = Round { depth_found: Some(found), ..Round::default() };
            let end = TaskEnd { round: Some(round), ..TaskEnd::default() };
            let result = with_depth(JobResult { depth: 32, ..JobResult::default() }, &end);
            (result.depth, result.latency_target.depth)
        };
        assert_eq!((shown(true), shown(false)), ((4, 4), (32, 4)));
    }
}
