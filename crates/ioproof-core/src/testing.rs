//! Records for tests: made from the rates that the drive is to show, consistent in everything else, so that a test can break one thing.

use crate::claim::*;
use crate::facts::*;
use crate::finding::{Effect, Evidence, Finding, Severity, Subject, Unit, Value};
use crate::histogram::{BINS, Histogram, bin_of};
use crate::job::Span;
use crate::plan::tests::request;
use crate::plan::{Plan, Planned, Request};
use crate::policy::Policy;
use crate::record::{DriveState, *};
use crate::workload::Workload;

/// A drive of 2 TB that does 100 kIOPS in everything that queues and 10 kIOPS with one I/O at a time.
pub(crate) fn record() -> RunRecord {
    record_with(|w, _| if w.is_unloaded() { 10_000.0 } else { 100_000.0 })
}

/// The same with rates by workload and repetition.
pub(crate) fn record_with(iops: impl Fn(&Workload, u32) -> f64) -> RunRecord {
    let span = Span { offset_bytes: 0, length_bytes: 2_000_000_000_000 };
    let plan = Plan::make(&Request { span, fill: false, time_ns: 600_000_000_000, ..request() });
    let job = |planned: &Planned| JobRecord {
        name: None,
        targets: vec![0],
        workload: planned.workload.clone(),
        span,
        claims: planned.claims.clone(),
    };
    let jobs: Vec<JobRecord> = plan.all().map(job).collect();
    let mut stages = Vec::new();
    for (job, of) in (0..).zip(&jobs) {
        for repetition in 0..6 {
            stages.push(stage(stages.len() as u32, repetition, round(job, &of.workload, iops(&of.workload, repetition))));
        }
    }
    RunRecord {
        id: "20260101-000000-test".into(),
        started_at: "2026-01-01T00:00:00Z".into(),
        status: RunStatus::Complete,
        targets: vec![TargetRecord { drives: vec![drive("nvme0n1", span.length_bytes)], ..TargetRecord::new(target(span.length_bytes)) }],
        jobs,
        policy: Policy::default(),
        plan: Some(plan),
        stages,
        ..RunRecord::begun("verify", host(), Config { time_s: 600.0, backend: "auto".into(), seed: 1, ..Config::default() })
    }
}

/// Changes of a record, each of one thing.
impl RunRecord {
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// In every stage the host is loaded like this.
    pub(crate) fn with_host(self, load: HostLoad) -> Self {
        self.with(|record| record.stages.iter_mut().for_each(|stage| stage.host = Some(load.clone())))
    }

    /// The host has this limit, and no other.
    pub(crate) fn with_limit(self, resource: LimitedResource, device: Option<&str>, value: f64) -> Self {
        let limit = OwnLimit { resource, device: device.map(Into::into), value, source: "/sys/fs/cgroup/test".into() };
        self.with(|record| record.host.limits = vec![limit])
    }

    /// Its drive says this of itself before and after the run.
    pub(crate) fn with_health(self, before: DriveState, after: DriveState) -> Self {
        self.with(|record| record.health = vec![DriveBracket { name: "nvme0n1".into(), before, after }])
    }

    /// Its first target lies on a filesystem with these options.
    pub(crate) fn mounted(self, fs_type: &str, mount_point: &str, options: &str) -> Self {
        let filesystem = FilesystemFacts {
            fs_type: fs_type.into(),
            mount_point: mount_point.into(),
            source: "/dev/nvme0n1".into(),
            options: options.into(),
            free_bytes: 1 << 40,
            ..FilesystemFacts::default()
        };
        self.with(|record| record.targets[0].facts.filesystem = Some(filesystem))
    }

    /// No stage has counters of devices.
    pub(crate) fn uncounted(self) -> Self {
        self.with(|record| record.stages.iter_mut().for_each(|stage| stage.devices = None))
    }

    pub(crate) fn rounds_mut(&mut self) -> impl Iterator<Item = &mut Round> {
        self.stages.iter_mut().flat_map(|stage| &mut stage.rounds)
    }

    /// The reads of all rounds that have some.
    pub(crate) fn reads_mut(&mut self) -> impl Iterator<Item = &mut Direction> {
        self.rounds_mut().map(|round| &mut round.read).filter(|read| read.ios > 0)
    }

    pub(crate) fn counters_mut(&mut self) -> impl Iterator<Item = &mut DeviceCounters> {
        self.stages.iter_mut().flat_map(|stage| stage.devices.iter_mut().flatten())
    }

    /// The number of the job that has a workload of this id.
    pub(crate) fn job_of(&self, workload: &str) -> usize {
        self.jobs.iter().position(|job| job.workload.id() == workload).unwrap()
    }
}

/// CPUs that are busy for the share `busy` of their time. This process used `own_cpu_ns` of it.
pub(crate) fn cpu_load(busy: f64, own_cpu_ns: u64, cpus: u32) -> HostLoad {
    HostLoad { cpu_busy: Some(busy), own_cpu_ns: Some(own_cpu_ns), cpus: Some(cpus), ..HostLoad::default() }
}

/// Adds one claim on random 4 KiB reads (IOPS, whole drive, this capacity) and judges the record by it.
pub(crate) fn with_claim(mut record: RunRecord, iops: f64, queue_depth_total: Option<u32>) -> RunRecord {
    let capacities_bytes = vec![2_000_000_000_000];
    let claim = Claim { queue_depth_total, span: Some(ClaimSpan::Full), capacities_bytes, ..claim(iops) };
    let job = record.job_of("rand-read-4k-4x32");
    record.jobs[job].claims = vec![0];
    let datasheet = Datasheet {
        name: "test".into(),
        vendor: "Test".into(),
        family: "T1".into(),
        models: vec!["T1*".into()],
        interface: Interface::Nvme,
        link: None,
        plp: None,
        drive_writes_per_day: None,
        endurance_bytes: None,
        note: None,
        variants: vec![Variant { capacity_bytes: 2_000_000_000_000, models: vec![], endurance_bytes: None }],
        claims: vec![claim],
    };
    record.targets[0].datasheet = Some(DatasheetUse { datasheet, chosen_by: "test".into(), capacity_bytes: Some(2_000_000_000_000) });
    record
}

/// A claim on random reads of 4 KiB, without a condition.
pub(crate) fn claim(iops: f64) -> Claim {
    Claim {
        metric: Metric::Iops,
        value: iops,
        qualifier: Qualifier::UpTo,
        pattern: crate::workload::Pattern::Random,
        read_percent: 100,
        block_bytes: 4096,
        queue_depth_total: None,
        workers: None,
        span: None,
        state: None,
        tool: None,
        statistic: None,
        capacities_bytes: vec![],
        source: "test".into(),
        confidence: Confidence::High,
        note: None,
    }
}

/// A finding about a job that bears on it so.
pub(crate) fn finding(rule: &str, job: u32, effect: Effect) -> Finding {
    let (severity, subject, title) = (Severity::Warn, Subject::Job(job), "x".into());
    Finding { rule: rule.into(), severity, subject, title, evidence: vec![], effect, remedy: String::new() }
}

/// A link that carries so much, where it could carry four times as much.
pub(crate) fn link(limit_bytes_per_s: f64) -> Link {
    let capable_bytes_per_s = Some(4.0 * limit_bytes_per_s);
    Link { title: "PCIe 3.0 x1".into(), limit_bytes_per_s, capable_bytes_per_s, source: "test".into() }
}

/// The record with its first two jobs side by side in every stage, the second on a target whose drive has this name.
pub(crate) fn beside(mut record: RunRecord, drive_of_second: &str) -> RunRecord {
    let capacity = record.targets[0].facts.size_bytes;
    record.targets.push(TargetRecord { drives: vec![drive(drive_of_second, capacity)], ..TargetRecord::new(target(capacity)) });
    record.jobs[1].targets = vec![1];
    let second: Vec<Stage> = record.stages.extract_if(.., |stage| stage.rounds[0].job == 1).collect();
    for (stage, other) in record.stages.iter_mut().filter(|stage| stage.rounds[0].job == 0).zip(second) {
        stage.rounds.extend(other.rounds);
        let theirs = other.devices.unwrap_or_default().remove(0);
        let devices = stage.devices.get_or_insert_default();
        match devices.iter_mut().find(|device| device.name == drive_of_second) {
            Some(same) => same.read_bytes += theirs.read_bytes,
            None => devices.push(DeviceCounters { name: drive_of_second.into(), ..theirs }),
        }
    }
    record
}

/// The shares that a finding holds its figures against, where they are whole percents, as pages show them: `95 %`.
pub(crate) fn whole_percents(finding: &Finding) -> Vec<String> {
    let percent = |evidence: &Evidence| match evidence.value {
        Value::Number { unit: Unit::Share, threshold: Some(share), .. } => Some(share * 100.0),
        _ => None,
    };
    let is_whole = |percent: &f64| *percent >= 1.0 && (percent - percent.round()).abs() < 1e-9;
    finding.evidence.iter().filter_map(percent).filter(is_whole).map(|percent| format!("{percent:.0} %")).collect()
}

/// A disk with the number 8:`minor`.
pub(crate) fn node(name: &str, minor: u32) -> StackNode {
    StackNode { major: 8, minor, size_bytes: 1 << 30, ..StackNode::disk(name) }
}

/// A stage of one round, with the drive's counters around it.
pub(crate) fn stage(index: u32, repetition: u32, round: Round) -> Stage {
    let devices = vec![DeviceCounters { read_bytes: round.read.bytes, write_bytes: round.write.bytes, ..drive_counters() }];
    Stage {
        index,
        repetition,
        started_at: "2026-01-01T00:00:00Z".into(),
        elapsed_ns: round.elapsed_ns,
        devices: Some(devices),
        host: Some(HostLoad::default()),
        rounds: vec![round],
        ..Stage::default()
    }
}

pub(crate) fn drive_counters() -> DeviceCounters {
    DeviceCounters { name: "nvme0n1".into(), is_drive: true, ..DeviceCounters::default() }
}

/// A round of one second at this rate.
pub(crate) fn round(job: u32, workload: &Workload, iops: f64) -> Round {
    let elapsed_ns = 1_000_000_000;
    let ios = iops as u64;
    let latency_ns = (f64::from(workload.outstanding()) * 1e9 / iops) as u64;
    let reads = ios * u64::from(workload.read_percent) / 100;
    let (read, write) = (direction(workload, reads, latency_ns), direction(workload, ios - reads, latency_ns));
    Round {
        job,
        elapsed_ns,
        durable: (workload.durability != Default::default()).then(|| write.latency.clone()),
        total_bytes: (read.bytes, write.bytes),
        read,
        write,
        workers: vec![
            WorkerUsage { ios, cpu_user_ns: 1, cpu_system_ns: 1, wall_ns: elapsed_ns, ..WorkerUsage::default() };
            workload.workers as usize
        ],
        ..Round::default()
    }
}

fn direction(workload: &Workload, ios: u64, latency_ns: u64) -> Direction {
    Direction { ios, bytes: ios * u64::from(workload.block_bytes), latency: histogram(&[(latency_ns, ios)]), ..Direction::default() }
}

/// Latencies, each with its number of I/Os.
pub(crate) fn histogram(latencies: &[(u64, u64)]) -> Histogram {
    let counted = || latencies.iter().filter(|(_, ios)| *ios > 0);
    let mut bins = vec![0; BINS];
    counted().for_each(|(ns, ios)| bins[bin_of(*ns)] += ios);
    let sum_ns = counted().map(|(ns, ios)| u128::from(*ns) * u128::from(*ios)).sum();
    let (min_ns, max_ns) = (counted().map(|(ns, _)| *ns).min(), counted().map(|(ns, _)| *ns).max());
    Histogram::from_bins(bins.into_iter(), sum_ns, min_ns.unwrap_or(u64::MAX), max_ns.unwrap_or(0))
}

fn target(size_bytes: u64) -> TargetFacts {
    TargetFacts {
        given: "/dev/nvme0n1".into(),
        resolved: "/dev/nvme0n1".into(),
        kind: TargetKind::BlockDevice,
        layer: Layer::Block,
        size_bytes,
        filesystem: None,
        stack: None,
        identity: None,
        direct: true,
        alignment_bytes: 512,
        notes: vec![],
    }
}

fn drive(name: &str, capacity: u64) -> DeviceFacts {
    DeviceFacts {
        model: Some(Fact::new("T1 2TB".into(), "test")),
        ..DeviceFacts::named(name, DriveKind::Nvme, Fact::new(capacity, "test"))
    }
}

fn host() -> HostFacts {
    HostFacts {
        cpu_model: Fact::new("test".into(), "test"),
        cpus_usable: 64,
        kernel: Fact::new("6.1".into(), "test"),
        memory_bytes: Fact::new(1 << 36, "test"),
        nice: Some(0),
        runs_when_idle: false,
        ..HostFacts::default()
    }
}
