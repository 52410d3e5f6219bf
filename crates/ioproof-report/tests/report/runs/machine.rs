//! The machine of the made-up run: an NVMe drive, a SATA disk, the host, and the datasheet of the first.

use ioproof_core::claim::{Claim, ClaimSpan, Confidence, Datasheet, DriveState, Interface, Metric, Qualifier, Variant};
use ioproof_core::facts::{ContentFacts, DeviceFacts, DriveKind, Fact, HostFacts, Layer, Link, StackNode, TargetFacts, TargetKind};
use ioproof_core::record::TargetRecord;
use ioproof_core::workload::Pattern;

pub const NVME_BYTES: u64 = 2_000_398_934_016;
pub const SATA_BYTES: u64 = 4_000_787_030_016;

pub fn datasheet() -> Datasheet {
    let claim = Claim {
        metric: Metric::Iops,
        value: 265e3,
        qualifier: Qualifier::UpTo,
        pattern: Pattern::Random,
        read_percent: 70,
        block_bytes: 4096,
        queue_depth_total: Some(128),
        workers: Some(4),
        span: Some(ClaimSpan::Full),
        state: Some(DriveState::Steady),
        tool: Some("FIO".into()),
        statistic: None,
        capacities_bytes: Vec::new(),
        source: "product specification, table \"performance\" (made up for this fixture)".into(),
        confidence: Confidence::High,
        note: None,
    };
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
        claims: vec![claim],
    }
}

pub fn nvme() -> DeviceFacts {
    let sysfs = |file: &str| format!("/sys/block/nvme0n1/{file}");
    DeviceFacts {
        name: "nvme0n1".into(),
        kind: DriveKind::Nvme,
        vendor: None,
        model: Some(Fact::new("INTEL SSDPEDMD020T4".into(), sysfs("device/model"))),
        serial: Some(Fact::new("FIXTURE0000001".into(), sysfs("device/serial"))),
        firmware: Some(Fact::new("8DV10171".into(), sysfs("device/firmware_rev"))),
        capacity_bytes: Fact::new(NVME_BYTES, sysfs("size")),
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
        upstream: Vec::new(),
        utilized_bytes: None,
        temperature_celsius: Some(Fact::new(37.0, "SMART log, page 02h")),
    }
}

pub fn sata() -> DeviceFacts {
    let sysfs = |file: &str| format!("/sys/block/sdb/{file}");
    DeviceFacts {
        name: "sdb".into(),
        kind: DriveKind::Sata,
        vendor: None,
        model: Some(Fact::new("ST4000NM0035-1V4107".into(), sysfs("device/model"))),
        serial: Some(Fact::new("FIXTURE0000002".into(), sysfs("device/vpd_pg80"))),
        firmware: None,
        capacity_bytes: Fact::new(SATA_BYTES, sysfs("size")),
        logical_block_bytes: Some(Fact::new(512, sysfs("queue/logical_block_size"))),
        physical_block_bytes: Some(Fact::new(4096, sysfs("queue/physical_block_size"))),
        rotational: Some(Fact::new(true, sysfs("queue/rotational"))),
        write_cache: Some(Fact::new("write back".into(), sysfs("queue/write_cache"))),
        fua: None,
        scheduler: Some(Fact::new("mq-deadline".into(), sysfs("queue/scheduler"))),
        nr_requests: Some(Fact::new(64, sysfs("queue/nr_requests"))),
        max_request_bytes: None,
        numa_node: None,
        link: Some(Link {
            title: "SATA 6.0 Gbps".into(),
            limit_bytes_per_s: 600e6,
            capable_bytes_per_s: None,
            source: "/sys/class/ata_link/link2/sata_spd".into(),
        }),
        upstream: Vec::new(),
        temperature_celsius: None,
        utilized_bytes: None,
    }
}

pub fn target(path: &str, drive: DeviceFacts, major: u32) -> TargetRecord {
    let size_bytes = drive.capacity_bytes.value;
    let name = drive.name.clone();
    let facts = TargetFacts {
        given: path.into(),
        resolved: path.into(),
        kind: TargetKind::BlockDevice,
        layer: Layer::Block,
        size_bytes,
        filesystem: None,
        stack: Some(StackNode { major, size_bytes, ..StackNode::disk(&name) }),
        identity: None,
        direct: true,
        alignment_bytes: 512,
        notes: Vec::new(),
    };
    let content = ContentFacts { unwritten_bytes: None, sampled_blocks: 4096, zero_blocks: 0, ..ContentFacts::default() };
    TargetRecord { drives: vec![drive], content, ..TargetRecord::new(facts) }
}

pub fn host() -> HostFacts {
    HostFacts {
        name: None,
        cpu_model: Fact::new("Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz".into(), "/proc/cpuinfo"),
        cpus_usable: 16,
        kernel: Fact::new("6.1.0-40-amd64".into(), "uname(2)"),
        memory_bytes: Fact::new(67_430_000_000, "/proc/meminfo"),
        governor: Some(Fact::new("performance".into(), "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        clocksource: Some(Fact::new("tsc".into(), "/sys/devices/system/clocksource/clocksource0/current_clocksource")),
        hypervisor: None,
        memlock_bytes: Some(8 << 20),
        limits: Vec::new(),
        nice: Some(0),
        runs_when_idle: false,
        io_priority: None,
    }
}
