//! A made-up run: an Intel DC P3700 of 2 TB with ten workloads, six rounds each. No figure here was measured.

use ioproof_core::claim::{Claim, ClaimSpan, Confidence, Datasheet, DriveState, Interface, Metric, Qualifier, Statistic, Variant};
use ioproof_core::facts::{ContentFacts, DeviceFacts, DriveKind, Fact, HostFacts, Layer, Link, StackNode, TargetFacts, TargetKind};
use ioproof_core::histogram::Histogram;
use ioproof_core::job::Span;
use ioproof_core::plan::{Plan, Planned, SkipReason, Skipped};
use ioproof_core::policy::Policy;
use ioproof_core::record::*;
use ioproof_core::workload::{Durability, Pattern, Workload};
use serde_json::json;

pub const RUN_ID: &str = "20261121-031500-3f9a";
const CAPACITY: u64 = 2_000_398_934_016;
const RUNS: u32 = 6;
const MEASURE_NS: u64 = 4_000_000_000;
const SLICES: u64 = 8;

/// A workload of the made-up run, what it was promised and how it goes.
pub struct Case {
    pub workload: Workload,
    pub metric: Metric,
    pub claimed: Option<f64>,
    /// I/Os per second in the middle of the runs.
    pub iops: f64,
    /// How far the runs lie apart, as a share.
    pub spread: f64,
}

fn case(pattern: Pattern, read_percent: u8, kib: u32, queue: (u32, u32), metric: Metric, claimed: Option<f64>, rate: (f64, f64)) -> Case {
    let workload = Workload::plain(pattern, read_percent, kib * 1024, queue.0, queue.1);
    Case { workload, metric, claimed, iops: rate.0, spread: rate.1 }
}

/// The ten, reads first as in a plan.
pub fn cases() -> Vec<Case> {
    use Metric::{Iops, Latency, Throughput};
    use Pattern::{Random, Sequential};
    let mut cases = vec![
        case(Sequential, 100, 128, (4, 32), Throughput, Some(2.8e9), (21_060.0, 0.004)),
        case(Random, 100, 4, (4, 32), Iops, Some(450e3), (441_200.0, 0.006)),
        case(Random, 100, 8, (4, 32), Iops, Some(295e3), (288_400.0, 0.005)),
        case(Sequential, 100, 4, (1, 1), Latency, Some(20e3), (46_900.0, 0.01)),
        case(Random, 100, 4, (1, 1), Latency, None, (8_430.0, 0.01)),
        case(Sequential, 0, 128, (4, 32), Throughput, Some(2.0e9), (14_870.0, 0.012)),
        case(Random, 70, 4, (4, 32), Iops, Some(265e3), (212_900.0, 0.03)),
        case(Random, 0, 4, (4, 32), Iops, Some(175e3), (131_700.0, 0.02)),
        case(Random, 0, 8, (4, 32), Iops, Some(90e3), (68_300.0, 0.02)),
        case(Random, 0, 4, (1, 1), Latency, None, (39_800.0, 0.015)),
    ];
    cases[9].workload.durability = Durability::FdatasyncEach;
    cases
}

/// A small generator of numbers in 0 to 1, so that the run is the same on every machine (Marsaglia's xorshift, 64 bits).
struct Random01(u64);

impl Random01 {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Around 1, from three uniform values.
    fn around_one(&mut self, spread: f64) -> f64 {
        1.0 + spread * (self.next() + self.next() + self.next() - 1.5)
    }
}

/// A histogram of `count` values around a mean, skewed to the right.
fn histogram(random: &mut Random01, count: u64, mean_ns: f64) -> Histogram {
    const SHAPE: u64 = 700;
    let mut sample = Histogram::default();
    for _ in 0..SHAPE.min(count) {
        let tail = if random.next() > 0.985 { 1.5 + 4.0 * random.next() } else { 1.0 };
        sample.record((mean_ns * 0.975 * random.around_one(0.12) * tail) as u64);
    }
    scaled(&sample, count)
}

/// The same shape with exactly `count` values, by way of the stored form; what does not divide goes into the middle bin.
fn scaled(sample: &Histogram, count: u64) -> Histogram {
    let (times, rest) = (count / sample.count(), count % sample.count());
    let mut stored = serde_json::to_value(sample).unwrap();
    let bins = stored["bins"].as_array_mut().unwrap();
    for pair in bins.iter_mut() {
        pair[1] = json!(pair[1].as_u64().unwrap() * times);
    }
    let middle = bins.len() / 4;
    bins[middle][1] = json!(bins[middle][1].as_u64().unwrap() + rest);
    stored["count"] = json!(count);
    stored["sum_ns"] = json!(sample.sum_ns() as u64 * times + rest * sample.quantile_ns(0.5).unwrap());
    serde_json::from_value(stored).unwrap()
}

/// Completed I/O of one direction; the count is that of the histogram.
fn direction(random: &mut Random01, ios: f64, block_bytes: u32, mean_ns: f64) -> Direction {
    if ios < 1.0 {
        return Direction::default();
    }
    let latency = histogram(random, ios as u64, mean_ns);
    Direction { ios: latency.count(), bytes: latency.count() * u64::from(block_bytes), latency, ..Direction::default() }
}

fn intervals(random: &mut Random01, round: (u64, u64), block_bytes: u32) -> Vec<Interval> {
    let length_ns = MEASURE_NS / SLICES;
    let slice = |n: u64, random: &mut Random01| {
        let wave = random.around_one(0.02);
        let part = |ios: u64| (ios as f64 / SLICES as f64 * wave) as u64;
        let (read_ios, write_ios) = (part(round.0), part(round.1));
        let bytes = |ios: u64| ios * u64::from(block_bytes);
        Interval {
            end_ns: (n + 1) * length_ns,
            length_ns,
            read_ios,
            write_ios,
            read_bytes: bytes(read_ios),
            write_bytes: bytes(write_ios),
            ..Interval::default()
        }
    };
    (0..SLICES).map(|n| slice(n, random)).collect()
}

fn round(index: u32, repetition: u32, case: &Case, previous: Option<&Round>, random: &mut Random01) -> Round {
    let w = &case.workload;
    let ios = case.iops * random.around_one(case.spread) * MEASURE_NS as f64 / 1e9;
    let mean_ns = f64::from(w.outstanding()) * MEASURE_NS as f64 / ios;
    let reads = f64::from(w.read_percent) / 100.0;
    let read = direction(random, ios * reads, w.block_bytes, mean_ns);
    let write = direction(random, ios * (1.0 - reads), w.block_bytes, mean_ns * 0.6);
    let syncs = w.durability == Durability::FdatasyncEach;
    let sync = if syncs { direction(random, ios, 0, mean_ns * 0.4) } else { Direction::default() };
    let durable = syncs.then(|| histogram(random, write.ios, mean_ns));
    let total = |bytes: u64| bytes + bytes / 4;
    Round {
        index,
        workload: w.clone(),
        span: span(),
        repetition,
        started_at: format!("2026-11-21T03:{:02}:{:02}Z", 15 + index / 12, index % 12 * 5),
        state_before: StateBefore {
            written_bytes: CAPACITY + previous.map_or(0, |p| p.state_before.written_bytes.saturating_sub(CAPACITY) + p.total_bytes.1),
            previous_workload: previous.map(|p| p.workload.id()),
            idle_ns: 40_000_000,
            temperature_celsius: Some(38.0 + f64::from(index) / 6.0),
        },
        outcome: RoundOutcome::Complete,
        elapsed_ns: MEASURE_NS,
        intervals: intervals(random, (read.ios, write.ios), w.block_bytes),
        total_bytes: (total(read.bytes), total(write.bytes)),
        devices: vec![counters(&read, &write, &sync)],
        workers: vec![worker((read.ios + write.ios) / u64::from(w.workers)); w.workers as usize],
        read,
        write,
        sync,
        durable,
        edge_ns: 0,
        trim: Direction::default(),
        queue: QueueUse::default(),
        check: None,
        errors: IoErrors::default(),
        engine: EngineFacts {
            backend: "io_uring".into(),
            features: vec!["registered buffers".into(), "registered file".into()],
            fallbacks: Vec::new(),
            clock: "tsc".into(),
            clock_cost_ns: 14.0,
            ..EngineFacts::default()
        },
        host: HostLoad {
            load_1min: 2.5,
            cpu_busy: Some(0.31),
            cpu_steal: Some(0.0),
            temperature_celsius: Some(38.0 + f64::from(index) / 6.0),
        },
    }
}

fn counters(read: &Direction, write: &Direction, sync: &Direction) -> DeviceCounters {
    let whole = |n: u64| n + n / 4;
    DeviceCounters {
        name: "nvme0n1".into(),
        is_drive: true,
        read_ios: whole(read.ios),
        read_bytes: whole(read.bytes),
        write_ios: whole(write.ios),
        write_bytes: whole(write.bytes),
        flush_ios: whole(sync.ios),
        busy_ns: MEASURE_NS + MEASURE_NS / 4,
        ..DeviceCounters::default()
    }
}

fn worker(ios: u64) -> WorkerUsage {
    let wall_ns = MEASURE_NS + MEASURE_NS / 4;
    let cpu_ns = (ios * 2_500).min(wall_ns);
    WorkerUsage {
        ios,
        cpu_user_ns: cpu_ns / 4,
        cpu_system_ns: cpu_ns * 3 / 4,
        wall_ns,
        voluntary_switches: ios / 30,
        involuntary_switches: 12,
        ..WorkerUsage::default()
    }
}

fn span() -> Span {
    Span { offset_bytes: 0, length_bytes: CAPACITY }
}

fn claim(case: &Case, value: f64) -> Claim {
    let latency = case.metric == Metric::Latency;
    // One claim is for a deeper queue than is run, so that its row is only indicative.
    let deeper = case.workload.block_bytes == 8192 && case.workload.writes();
    Claim {
        metric: case.metric,
        value,
        qualifier: if latency { Qualifier::Typical } else { Qualifier::UpTo },
        pattern: case.workload.pattern,
        read_percent: case.workload.read_percent,
        block_bytes: case.workload.block_bytes,
        queue_depth_total: Some(if deeper { 256 } else { case.workload.outstanding() }),
        workers: Some(case.workload.workers),
        span: Some(ClaimSpan::Full),
        state: case.workload.writes().then_some(DriveState::Steady),
        tool: Some("FIO".into()),
        statistic: latency.then_some(Statistic::Mean),
        capacities_bytes: Vec::new(),
        source: "product specification, table \"performance\" (made up for this fixture)".into(),
        confidence: Confidence::High,
        note: None,
    }
}

fn datasheet() -> Datasheet {
    Datasheet {
        name: "intel-dc-p3700".into(),
        vendor: "Intel".into(),
        family: "SSD DC P3700".into(),
        models: vec!["INTEL SSDPED?D*".into()],
        interface: Interface::Nvme,
        link: Some("PCIe 3.0 x4".into()),
        plp: Some(true),
        drive_writes_per_day: Some(10.0),
        endurance_bytes: None,
        note: None,
        variants: vec![Variant { capacity_bytes: 2_000_000_000_000, models: Vec::new(), endurance_bytes: None }],
        claims: cases().iter().filter_map(|case| case.claimed.map(|value| claim(case, value))).chain([skipped_claim()]).collect(),
    }
}

fn skipped_claim() -> Claim {
    let case = case(Pattern::Sequential, 0, 4, (1, 1), Metric::Latency, None, (0.0, 0.0));
    claim(&case, 20e3)
}

fn plan(policy: &Policy) -> Plan {
    let mut claims = 0usize..;
    let planned: Vec<Planned> = cases()
        .into_iter()
        .map(|case| Planned { claims: case.claimed.and_then(|_| claims.next()).into_iter().collect(), workload: case.workload })
        .collect();
    let skipped = planned.iter().map(|p| p.claims.len()).sum();
    let (writes, reads) = planned.into_iter().partition(|p| p.workload.writes());
    Plan {
        reads,
        writes,
        skipped: vec![Skipped { claim: skipped, reason: SkipReason::OtherCapacity }],
        span: span(),
        fill: true,
        asked: false,
        ramp_ns: MEASURE_NS / 4,
        measure_ns: MEASURE_NS,
        time_ns: 600_000_000_000,
        time_limited: false,
        min_runs: RUNS,
        max_runs: RUNS,
        precision: policy.precision,
        confidence: policy.confidence,
    }
}

fn drive() -> DeviceFacts {
    let sysfs = |file: &str| format!("/sys/block/nvme0n1/{file}");
    DeviceFacts {
        name: "nvme0n1".into(),
        kind: DriveKind::Nvme,
        vendor: None,
        model: Some(Fact::new("INTEL SSDPEDMD020T4".into(), sysfs("device/model"))),
        serial: Some(Fact::new("FIXTURE0000001".into(), sysfs("device/serial"))),
        firmware: Some(Fact::new("8DV10171".into(), sysfs("device/firmware_rev"))),
        capacity_bytes: Fact::new(CAPACITY, sysfs("size")),
        logical_block_bytes: Some(Fact::new(512, sysfs("queue/logical_block_size"))),
        physical_block_bytes: Some(Fact::new(512, sysfs("queue/physical_block_size"))),
        rotational: Some(Fact::new(false, sysfs("queue/rotational"))),
        write_cache: Some(Fact::new("write through".into(), sysfs("queue/write_cache"))),
        fua: Some(Fact::new(false, sysfs("queue/fua"))),
        scheduler: Some(Fact::new("none".into(), sysfs("queue/scheduler"))),
        nr_requests: Some(Fact::new(1023, sysfs("queue/nr_requests"))),
        max_request_bytes: Some(Fact::new(131_072, sysfs("queue/max_hw_sectors_kb"))),
        numa_node: Some(Fact::new(0, sysfs("device/numa_node"))),
        link: Some(Link {
            title: "PCIe 8.0 GT/s x4".into(),
            limit_bytes_per_s: 3.55e9,
            capable_bytes_per_s: Some(3.55e9),
            source: sysfs("device/device/current_link_speed"),
        }),
        utilized_bytes: None,
        temperature_celsius: Some(Fact::new(37.0, "SMART log, page 02h")),
    }
}

fn target() -> TargetFacts {
    TargetFacts {
        given: "/dev/disk/by-id/nvme-<script>alert(\"1\")</script>|`a`&_b_\u{1b}[31m,='x'".into(),
        resolved: "/dev/nvme0n1".into(),
        kind: TargetKind::BlockDevice,
        layer: Layer::Block,
        size_bytes: CAPACITY,
        filesystem: None,
        stack: Some(StackNode {
            name: "nvme0n1".into(),
            major: 259,
            minor: 0,
            kind: "disk".into(),
            size_bytes: CAPACITY,
            backing_file: None,
            under: Vec::new(),
        }),
        direct: true,
        alignment_bytes: 512,
        notes: Vec::new(),
    }
}

fn host() -> HostFacts {
    HostFacts {
        cpu_model: Fact::new("Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz".into(), "/proc/cpuinfo"),
        cpus_usable: 16,
        kernel: Fact::new("6.1.0-40-amd64".into(), "uname(2)"),
        memory_bytes: Fact::new(67_430_000_000, "/proc/meminfo"),
        governor: Some(Fact::new("performance".into(), "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        clocksource: Some(Fact::new("tsc".into(), "/sys/devices/system/clocksource/clocksource0/current_clocksource")),
        hypervisor: None,
        memlock_bytes: Some(8 << 20),
    }
}

fn config() -> Config {
    Config {
        command: ["ioproof", "verify", "/dev/nvme0n1", "--destroy", "FIXTURE0000001", "--time", "10m"].map(String::from).to_vec(),
        time_s: 600.0,
        quick: false,
        runs: None,
        backend: "io_uring".into(),
        seed: 42,
        faults: None,
    }
}

fn rounds() -> Vec<Round> {
    let mut random = Random01(0x9E37_79B9_7F4A_7C15);
    let cases = cases();
    let (reads, writes): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| !case.workload.writes());
    let interleaved = (0..RUNS).flat_map(|n| reads.iter().map(move |case| (n, *case)));
    let blocks = writes.iter().flat_map(|case| (0..RUNS).map(move |n| (n, *case)));
    let mut rounds: Vec<Round> = Vec::new();
    for (index, (repetition, case)) in interleaved.chain(blocks).enumerate() {
        let next = round(index as u32, repetition, case, rounds.last(), &mut random);
        rounds.push(next);
    }
    rounds
}

/// The whole run.
pub fn record() -> RunRecord {
    let policy = Policy::default();
    RunRecord {
        schema_version: SCHEMA_VERSION,
        id: RUN_ID.into(),
        program_version: "0.1.0".into(),
        started_at: "2026-11-21T03:15:00Z".into(),
        ended_at: Some("2026-11-21T03:20:40Z".into()),
        status: RunStatus::Complete,
        config: config(),
        config_sha256: "0f".repeat(32),
        target: target(),
        other_targets: vec![],
        jobs: vec![],
        host: host(),
        drives: vec![drive()],
        datasheet: Some(DatasheetUse {
            datasheet: datasheet(),
            chosen_by: "model \"INTEL SSDPEDMD020T4\" matches \"INTEL SSDPED?D*\"".into(),
            capacity_bytes: Some(2_000_000_000_000),
        }),
        plan: plan(&policy),
        policy,
        content: ContentFacts { unwritten_bytes: None, sampled_blocks: 4096, zero_blocks: 0, filled_bytes: CAPACITY },
        fill: Some(Fill { bytes: CAPACITY, elapsed_ns: 1_050_000_000_000 }),
        self_test: None,
        searches: vec![],
        notes: vec!["made up to test reports: none of these figures was measured".into()],
        rounds: rounds(),
    }
}
