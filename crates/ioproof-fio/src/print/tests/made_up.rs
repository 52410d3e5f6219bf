//! Results that nobody measured, of every kind that the outputs must show.

use crate::results::{
    DirectionResult, DiskUse, GroupResult, GroupSide, JobResult, LatencyTargetResult, Results, Samples, SteadyStateResult, Unified,
};
use ioproof_core::record::{CheckResult, QueueUse};

pub(crate) const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

fn side(ios: u64) -> DirectionResult {
    let mut side = DirectionResult { runtime_ms: 2000, bandwidth_share_percent: 100.0, ..DirectionResult::default() };
    for n in 0..ios {
        let (submission, completion) = (2_000 + n % 977, 80_000 + n * 7919 % 400_000);
        side.io.submission.get_or_insert_default().record(submission);
        side.io.completion.get_or_insert_default().record(completion);
        side.io.latency.record(submission + completion);
    }
    (side.io.ios, side.io.bytes) = (ios, ios * 4096);
    side.bandwidth =
        Samples { count: 4, min: 65_736.0 * 1024.0, max: 82_088.0 * 1024.0, mean: 71_373.0 * 1024.0, deviation: 5935.0 * 1024.0 };
    side.iops = Samples { count: 4, min: 968.0, max: 20_522.0, mean: 17_843.33, deviation: 0.5 };
    side
}

fn job(name: &str) -> JobResult {
    JobResult {
        name: name.into(),
        number: 1,
        clones: 1,
        pid: 4711,
        options: [("rw", "randread"), ("bs", "4k"), ("iodepth", "16"), ("numjobs", "1")].map(|(k, v)| (k.into(), v.into())).into(),
        runtime_ms: 2000,
        elapsed_s: 3,
        cpu_user_percent: 2.0,
        cpu_system_percent: 21.912,
        context_switches: 10_498,
        minor_faults: 14,
        depth: 16,
        percentiles: PERCENTILES.into(),
        ..JobResult::default()
    }
}

fn read_job(name: &str) -> JobResult {
    let queue = QueueUse { depths: vec![1, 1, 2, 4, 4992], submitted: vec![5000], reaped: vec![4990, 5], after_pause: None };
    JobResult { read: side(5000), queue, ..job(name) }
}

fn group(side: [Option<&DirectionResult>; 3]) -> GroupResult {
    let of = |side: &DirectionResult| {
        let rate = side.io.bytes as f64 * 1000.0 / side.runtime_ms as f64;
        GroupSide {
            bytes: side.io.bytes,
            total_bytes_per_s: rate,
            min_bytes_per_s: rate / 2.0,
            max_bytes_per_s: rate,
            min_runtime_ms: side.runtime_ms,
            max_runtime_ms: side.runtime_ms + 1,
        }
    };
    GroupResult { group: 0, sides: side.map(|s| s.map(of)) }
}

fn results(job: JobResult) -> Results {
    let used = |side: &DirectionResult| side.io.ios > 0;
    let groups = vec![group([&job.read, &job.write, &job.trim].map(|s| Some(s).filter(|s| used(s))))];
    Results { timestamp_ms: 1_795_252_954_999, time: "Sat Nov 21 09:22:34 2026".into(), jobs: vec![job], groups, ..Results::default() }
}

fn disk(name: &str, below: Vec<DiskUse>) -> DiskUse {
    let pair = (52_547, 23_589);
    DiskUse { name: name.into(), ios: pair, sectors: pair, merges: (0, 1), ticks_ms: pair, in_queue_ms: 14_222, busy_percent: 33.65, below }
}

pub(super) fn one_job() -> Results {
    let global_options = vec![("ioengine".into(), "libaio".into()), ("direct".into(), "1".into())];
    let notes = vec!["zero_buffers is taken for all data".into()];
    let disks = vec![disk("sda", vec![]), disk("dm-0", vec![disk("sdb", vec![]), disk("sdc", vec![])])];
    Results { global_options, disks, notes, run_id: Some("20261121-092234-3f9a".into()), ..results(read_job("one")) }
}

pub(super) fn mixed() -> Results {
    let mut job = JobResult {
        write: side(1000),
        description: Some("seven to three".into()),
        continue_on_error: true,
        errors_total: 2,
        error: 5,
        steady_state: Some(SteadyStateResult {
            criterion: "iops:20%".into(),
            duration_s: 2,
            attained: true,
            value: 0.066_644,
            limit: 20.0,
            percent: true,
            iops: vec![1001.0, 1000.0],
            bytes_per_s: vec![65_609_224.0, 65_536_000.0],
            ..SteadyStateResult::default()
        }),
        latency_target: LatencyTargetResult { depth: 2, target_ns: 50_000, percentile: 99.5, window_ns: 200_000_000 },
        check: Some(CheckResult { good: 8000, ..CheckResult::default() }),
        ..read_job("mixed")
    };
    for ns in [306_752, 6_937_343, 38_509_492, 4_751_360] {
        job.sync.latency.record(ns);
        job.sync.ios += 1;
    }
    job.reported.lat_percentiles = true;
    results(job)
}

pub(super) fn unified(unified: Unified) -> Results {
    let mut results = mixed();
    for job in &mut results.jobs {
        job.unified = unified;
        (job.bandwidth, job.iops) = (job.read.bandwidth.beside(job.write.bandwidth), job.read.iops.beside(job.write.iops));
    }
    results
}

pub(super) fn groups() -> Results {
    let mut clones = results(JobResult { clones: 4, runtime_ms: 8000, ..read_job("clones") });
    let mut trims = results(JobResult { trim: side(100), group: 1, number: 5, ..job("trims") });
    trims.groups[0].group = 1;
    clones.jobs.append(&mut trims.jobs);
    clones.groups.append(&mut trims.groups);
    clones
}

pub(super) fn failed() -> Results {
    let mut failed = results(JobResult { error: 28, errors_total: 1, ..read_job("failed") });
    failed.jobs.push(JobResult { queue: QueueUse::default(), ..job("idle") });
    failed
}

pub(super) fn all() -> Vec<(&'static str, Results)> {
    vec![
        ("one-job", one_job()),
        ("mixed", mixed()),
        ("unified", unified(Unified::Mixed)),
        ("both", unified(Unified::Both)),
        ("groups", groups()),
        ("failed", failed()),
        ("nothing", Results::default()),
    ]
}
