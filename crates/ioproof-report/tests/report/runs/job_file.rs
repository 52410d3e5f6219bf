//! A made-up run of a job file: five jobs in three stages on an NVMe drive and a SATA disk. No figure here was measured.
//!
//! The first stage runs two jobs on two drives, the second two jobs that share a drive, and around the third nothing was counted.

use crate::machine::{NVME_BYTES, SATA_BYTES, datasheet, host, nvme, sata, target};
use ioproof_core::finding::{Effect, Evidence, Finding, Severity, Subject, Unit};
use ioproof_core::histogram::Histogram;
use ioproof_core::job::Span;
use ioproof_core::policy::Policy;
use ioproof_core::record::*;
use ioproof_core::workload::{Durability, Pattern, Workload};

pub const RUN_ID: &str = "20261203-101500-7b21";
const MEASURE_NS: u64 = 2_000_000_000;
const SLICES: u64 = 4;

/// A job with the I/Os per second that it reaches.
struct Case {
    job: JobRecord,
    iops: u64,
}

fn case(name: &str, targets: &[u32], workload: Workload, iops: u64) -> Case {
    let length_bytes = if targets.contains(&0) { NVME_BYTES } else { SATA_BYTES };
    let claims = if name == "oltp" { vec![0] } else { vec![] };
    let span = Span { offset_bytes: 0, length_bytes };
    Case { job: JobRecord { name: Some(name.into()), targets: targets.to_vec(), workload, span, claims }, iops }
}

fn cases() -> Vec<Case> {
    use Pattern::{Random, Sequential};
    let synced = Workload { durability: Durability::FdatasyncEach, ..Workload::plain(Random, 0, 4096, 1, 1) };
    vec![
        case("oltp", &[0], Workload::plain(Random, 70, 4096, 4, 32), 231_000),
        case("backup", &[1], Workload::plain(Sequential, 100, 1 << 20, 1, 8), 190),
        case("scrub", &[0, 1], Workload::plain(Sequential, 100, 128 << 10, 1, 16), 3_000),
        case("log", &[0], synced, 30_000),
        case("cold", &[1], Workload::plain(Random, 100, 4096, 1, 1), 130),
    ]
}

/// I/Os with a slow one in every hundred.
fn direction(ios: u64, block_bytes: u32, latency_ns: u64) -> Direction {
    let mut latency = Histogram::default();
    (0..ios).for_each(|n| latency.record(if n % 100 == 99 { latency_ns * 5 } else { latency_ns * 96 / 100 }));
    Direction { ios, bytes: ios * u64::from(block_bytes), latency, ..Direction::default() }
}

fn intervals(read: &Direction, write: &Direction) -> Vec<Interval> {
    let length_ns = MEASURE_NS / SLICES;
    // The later slices are a little slower.
    let part = |whole: u64, n: u64| whole / SLICES * (104 - 2 * n) / 100;
    let slice = |n: u64| Interval {
        end_ns: (n + 1) * length_ns,
        length_ns,
        read_ios: part(read.ios, n),
        write_ios: part(write.ios, n),
        read_bytes: part(read.bytes, n),
        write_bytes: part(write.bytes, n),
        ..Interval::default()
    };
    (0..SLICES).map(slice).collect()
}

fn round(job: u32, Case { job: of, iops }: &Case) -> Round {
    let w = &of.workload;
    let ios = iops * MEASURE_NS / 1_000_000_000;
    let latency_ns = u64::from(w.outstanding()) * MEASURE_NS / ios;
    let reads = ios * u64::from(w.read_percent) / 100;
    let (read, write) = (direction(reads, w.block_bytes, latency_ns), direction(ios - reads, w.block_bytes, latency_ns));
    let syncs = w.durability == Durability::FdatasyncEach;
    let worker = WorkerUsage {
        ios: ios / u64::from(w.workers),
        cpu_user_ns: MEASURE_NS / 20,
        cpu_system_ns: MEASURE_NS / 8,
        wall_ns: MEASURE_NS,
        voluntary_switches: ios / 30,
        involuntary_switches: 3,
        ..WorkerUsage::default()
    };
    Round {
        job,
        elapsed_ns: MEASURE_NS,
        intervals: intervals(&read, &write),
        sync: if syncs { direction(write.ios, 0, latency_ns * 4 / 10) } else { Direction::default() },
        durable: syncs.then(|| direction(write.ios, 0, latency_ns).latency),
        total_bytes: (read.bytes, write.bytes),
        workers: vec![worker; w.workers as usize],
        read,
        write,
        engine: EngineFacts {
            backend: "io_uring".into(),
            features: vec!["registered buffers".into()],
            clock: "tsc".into(),
            clock_cost_ns: 14.0,
            ..EngineFacts::default()
        },
        ..Round::default()
    }
}

/// The counters of a drive that did what these rounds moved on it.
fn counters(name: &str, rounds: &[(&Round, u64)]) -> DeviceCounters {
    let sum = |of: fn(&Round) -> u64| rounds.iter().map(|(round, share)| of(round) / share).sum::<u64>();
    DeviceCounters {
        name: name.into(),
        is_drive: true,
        read_ios: sum(|r| r.read.ios),
        read_bytes: sum(|r| r.read.bytes),
        write_ios: sum(|r| r.write.ios),
        write_bytes: sum(|r| r.write.bytes),
        flush_ios: sum(|r| r.sync.ios),
        busy_ns: MEASURE_NS,
        ..DeviceCounters::default()
    }
}

fn bracket(name: &str, before: f64, after: f64) -> DriveBracket {
    let at = |celsius| DriveState { present: true, temperature_celsius: Some(celsius), ..DriveState::default() };
    DriveBracket { name: name.into(), before: at(before), after: at(after) }
}

fn stage(index: u32, rounds: Vec<Round>, devices: Option<Vec<DeviceCounters>>, drives: Vec<DriveBracket>) -> Stage {
    let host = devices.is_some().then(|| HostLoad { load_1min: 2.5, cpu_busy: Some(0.31), cpu_steal: Some(0.0), ..HostLoad::default() });
    let previous = [None, Some("oltp, backup"), Some("scrub, log")];
    Stage {
        index,
        started_at: format!("2026-12-03T10:15:0{}Z", index * 3),
        elapsed_ns: MEASURE_NS + 100_000_000,
        state_before: StateBefore {
            written_bytes: u64::from(index > 0) * rounds.iter().map(|round| round.total_bytes.1).sum::<u64>(),
            previous_workload: previous[index as usize].map(str::to_owned),
            idle_ns: 40_000_000,
        },
        drives,
        devices,
        host,
        rounds,
        ..Stage::default()
    }
}

fn stages() -> Vec<Stage> {
    let rounds: Vec<Round> = (0..).zip(&cases()).map(|(job, case)| round(job, case)).collect();
    let [oltp, backup, scrub, log, cold] = rounds.try_into().unwrap();
    let apart = vec![counters("nvme0n1", &[(&oltp, 1)]), counters("sdb", &[(&backup, 1)])];
    let shared = vec![counters("nvme0n1", &[(&scrub, 2), (&log, 1)]), counters("sdb", &[(&scrub, 2)])];
    vec![
        stage(0, vec![oltp, backup], Some(apart), vec![bracket("nvme0n1", 38.0, 44.0), bracket("sdb", 31.0, 31.0)]),
        stage(1, vec![scrub, log], Some(shared), vec![bracket("nvme0n1", 44.0, 45.0), bracket("sdb", 31.0, 32.0)]),
        stage(2, vec![cold], None, Vec::new()),
    ]
}

fn config() -> Config {
    Config {
        command: ["ioproof", "run", "night.fio", "--destroy", "FIXTURE0000001"].map(String::from).to_vec(),
        time_s: 6.0,
        quick: false,
        strict: false,
        runs: None,
        backend: "io_uring".into(),
        seed: 42,
        faults: None,
    }
}

/// A finding about the method that was made before the run.
fn warning() -> Finding {
    Finding {
        rule: "short-runtime".into(),
        severity: Severity::Warn,
        subject: Subject::Job(1),
        title: "The job runs for too short a time to get past the drive's cache.".into(),
        evidence: vec![Evidence::number("time", 2.0, Unit::Seconds).against(30.0)],
        effect: Effect::None,
        remedy: "set runtime=30 or more".into(),
    }
}

/// The whole run.
pub fn record() -> RunRecord {
    let nvme = target("/dev/nvme0n1", nvme(), 259);
    let used = DatasheetUse {
        datasheet: datasheet(),
        chosen_by: "model \"INTEL SSDPEDMD020T4\" matches \"INTEL SSDPED?D*\"".into(),
        capacity_bytes: Some(2_000_000_000_000),
    };
    RunRecord {
        schema_version: SCHEMA_VERSION,
        id: RUN_ID.into(),
        program_version: "0.1.0".into(),
        verb: "run".into(),
        started_at: "2026-12-03T10:15:00Z".into(),
        ended_at: Some("2026-12-03T10:15:07Z".into()),
        status: RunStatus::Complete,
        config: config(),
        config_sha256: "1e".repeat(32),
        host: host(),
        targets: vec![TargetRecord { datasheet: Some(used), ..nvme }, target("/dev/sdb", sata(), 8)],
        jobs: cases().into_iter().map(|case| case.job).collect(),
        policy: Policy::default(),
        plan: None,
        self_test: None,
        health: vec![],
        searches: vec![],
        databases: vec![],
        warnings: vec![warning()],
        notes: vec!["made up to test reports: none of these figures was measured".into()],
        stages: stages(),
    }
}
