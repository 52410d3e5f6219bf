//! Facts about the target, the drives under it and the host, each with its source.
//!
//! These are plain data. `ioproof-target` and `ioproof-device` fill them in; a captured machine replays them in tests.

use crate::base::distinct::distinct;
use crate::finding::Unit;
use crate::identity::Identity;
use crate::job::IoPriority;
use serde::{Deserialize, Serialize};

/// A value and where it was read, such as `/sys/block/sda/queue/rotational`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact<T> {
    /// The value; its unit is the last part of the field's name.
    pub value: T,
    /// Where it comes from.
    pub source: String,
}

impl<T> Fact<T> {
    /// A fact read at `source`.
    pub fn new(value: T, source: impl Into<String>) -> Self {
        Self { value, source: source.into() }
    }
}

/// Kind of a path, as it turned out when it was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A block device.
    BlockDevice,
    /// A file that was there before.
    File,
    /// A file that ioproof makes for the run and removes afterwards.
    Scratch,
    /// `/dev/zero` or `/dev/null`: shows the generator's own cost, not a drive.
    Generator,
}

/// Where in the storage stack the measurement is taken; it sets the threshold of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// A block device is read and written directly.
    Block,
    /// Through a file of a filesystem.
    Filesystem,
    /// No drive is involved.
    Generator,
}

/// The filesystem that a file lies on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesystemFacts {
    /// Type as the kernel names it: `ext4`, `xfs`, `overlay`.
    pub fs_type: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// Source of the mount: `/dev/nvme0n1p2`, `tank/data`.
    pub source: String,
    /// Mount options, comma separated.
    pub options: String,
    /// Free bytes for this user when the run began.
    pub free_bytes: u64,
    /// The most that a record of a file holds, which is read and written as a whole: `recordsize` of ZFS. None for other filesystems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_bytes: Option<u64>,
    /// The most that a cache of its own beside the page cache may hold: the ARC of ZFS (`c_max`). None for other filesystems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<u64>,
}

/// One block device in the stack, with what it lies on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackNode {
    /// Kernel name: `nvme0n1p2`, `dm-0`.
    pub name: String,
    /// Device number, major.
    pub major: u32,
    /// Device number, minor.
    pub minor: u32,
    /// `disk`, `partition`, `loop`, `device-mapper`, `md`, `zram`, `zvol` or `virtio`; `pool` for a filesystem that puts several devices together.
    pub kind: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// For a loop device: its backing file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_file: Option<String>,
    /// True for a loop device that reads and writes its file through the page cache (`loop/dio` is 0), or whose file lies in memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cached: bool,
    /// Byte of the device or file below at which it begins: of a partition (`start`), or of a loop device with an offset (`loop/offset`).
    #[serde(default, skip_serializing_if = "crate::base::serde_skip::is_zero")]
    pub start_bytes: u64,
    /// Devices that it lies on; empty for a drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<StackNode>,
}

impl StackNode {
    /// A disk of which nothing but the kernel name is known.
    pub fn disk(name: &str) -> Self {
        Self { name: name.to_owned(), kind: "disk".into(), ..Self::default() }
    }

    /// The drives at the bottom, each once, in the order found.
    pub fn drives(&self) -> Vec<&StackNode> {
        let mut found: Vec<&StackNode> = Vec::new();
        self.collect_drives(&mut found);
        found
    }

    fn collect_drives<'a>(&'a self, found: &mut Vec<&'a StackNode>) {
        if self.under.is_empty() && !found.iter().any(|n| n.name == self.name) {
            found.push(self);
        }
        for node in &self.under {
            node.collect_drives(found);
        }
    }

    /// This node and every one below it; one that several lie on comes more than once.
    pub fn nodes(&self) -> Vec<&StackNode> {
        std::iter::once(self).chain(self.under.iter().flat_map(StackNode::nodes)).collect()
    }

    /// Every node from here down, each name once.
    pub fn names(&self) -> Vec<String> {
        distinct(self.nodes().into_iter().map(|node| node.name.clone()))
    }
}

/// The target as it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetFacts {
    /// The path as given; for a scratch file its directory.
    pub given: String,
    /// The path after links were followed.
    pub resolved: String,
    /// Its kind.
    pub kind: TargetKind,
    /// Where in the stack it is measured.
    pub layer: Layer,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// The filesystem, where it is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<FilesystemFacts>,
    /// The block device it is or lies on, down to the drives. `None` where that cannot be told (overlayfs, network).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<StackNode>,
    /// By what it is known again; of a scratch file its filesystem. A record that was made before does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// True where it is opened with `O_DIRECT`.
    pub direct: bool,
    /// Smallest unit of I/O in bytes; offsets, sizes and buffers are multiples of it.
    pub alignment_bytes: u32,
    /// Sentences that a user must read: "lies on overlayfs, the drive cannot be told".
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Attachment of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DriveKind {
    /// NVMe.
    Nvme,
    /// SATA.
    Sata,
    /// SCSI or SAS.
    Scsi,
    /// A virtual machine's disk; the real drive is out of sight.
    Virtio,
    /// A loop device.
    Loop,
    /// Compressed memory.
    Zram,
    /// SD or eMMC.
    Mmc,
    /// Device-mapper, md and anything else.
    #[default]
    Other,
}

/// The link between host and drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// For people: `PCIe 8.0 GT/s x4`, `SATA 6.0 Gb/s`.
    pub title: String,
    /// Most that it can carry in one direction after encoding and protocol. Bytes per second.
    pub limit_bytes_per_s: f64,
    /// The best the drive could negotiate, in the same unit, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capable_bytes_per_s: Option<f64>,
    /// Where it was read.
    pub source: String,
}

/// A device between a drive and the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Upstream {
    /// Its kind.
    pub kind: UpstreamKind,
    /// `0000:02:00.0`, `host0`.
    pub name: String,
    /// Most that the link at it carries in one direction after encoding and protocol; none where there is no such link, or it does not tell. Bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_bytes_per_s: Option<f64>,
    /// Where it was read.
    pub source: String,
}

/// The kind of a device between a drive and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UpstreamKind {
    /// A PCI function that drives hang on: an NVMe controller, a SATA or SAS adapter, a volume management device.
    PciController,
    /// A root port, or a port of a switch.
    PciBridge,
    /// A host of the kernel's SCSI layer: an adapter, or a port of it.
    ScsiHost,
    /// A SAS expander.
    SasExpander,
    /// A bus of USB.
    UsbBus,
}

impl UpstreamKind {
    /// In words, before its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::PciController => "the controller",
            Self::PciBridge => "the PCIe port",
            Self::ScsiHost => "the SCSI host",
            Self::SasExpander => "the SAS expander",
            Self::UsbBus => "the USB bus",
        }
    }
}

/// Facts that a drive tells about itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceFacts {
    /// Kernel name: `nvme0n1`.
    pub name: String,
    /// Its attachment.
    pub kind: DriveKind,
    /// Maker, where it is told apart from the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<Fact<String>>,
    /// Model as the drive spells it, outer blanks removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Fact<String>>,
    /// Serial number, outer blanks removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<Fact<String>>,
    /// Firmware revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<Fact<String>>,
    /// Capacity in bytes.
    pub capacity_bytes: Fact<u64>,
    /// Logical block in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_block_bytes: Option<Fact<u32>>,
    /// Physical block in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_block_bytes: Option<Fact<u32>>,
    /// True where it has turning platters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<Fact<bool>>,
    /// `write back` or `write through`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<Fact<String>>,
    /// True where forced unit access is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fua: Option<Fact<bool>>,
    /// The I/O scheduler in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Fact<String>>,
    /// Requests the block layer keeps per queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nr_requests: Option<Fact<u32>>,
    /// Largest request that reaches the driver. Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<Fact<u64>>,
    /// NUMA node, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<Fact<i32>>,
    /// The link it hangs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Devices between it and the host, which others may use too, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upstream: Vec<Upstream>,
    /// Temperature when it was identified. Degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<Fact<f64>>,
    /// Of an NVMe namespace: bytes that hold data when it was identified (NUSE, NVM Command Set Specification 1.0, Identify Namespace); the rest is
    /// deallocated or was never written. A drive that does not count reports its whole size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utilized_bytes: Option<Fact<u64>>,
}

impl DeviceFacts {
    /// A drive of which only name, kind and capacity are known.
    pub fn named(name: &str, kind: DriveKind, capacity_bytes: Fact<u64>) -> Self {
        Self { name: name.to_owned(), kind, capacity_bytes, ..Self::default() }
    }

    /// True where it has turning platters, `None` where nobody says. What is virtual says so of whatever lies below: by default the kernel takes it for a disk.
    pub fn turns(&self) -> Option<bool> {
        let is_in_sight = !matches!(self.kind, DriveKind::Virtio | DriveKind::Loop);
        self.rotational.as_ref().filter(|turns| is_in_sight || !turns.value).map(|turns| turns.value)
    }
}

impl LimitedResource {
    /// Its name, and the unit of a limit on it.
    pub fn in_words(self) -> (&'static str, Unit) {
        match self {
            Self::ReadIops => ("reads", Unit::IosPerSecond),
            Self::WriteIops => ("writes", Unit::IosPerSecond),
            Self::ReadBytes => ("bytes read", Unit::BytesPerSecond),
            Self::WriteBytes => ("bytes written", Unit::BytesPerSecond),
            Self::Cpus => ("CPU time", Unit::Cpus),
            Self::CpuSet => ("CPUs to run on", Unit::Count),
            Self::Memory => ("memory", Unit::BinaryBytes),
        }
    }
}

/// The machine that measures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostFacts {
    /// Its name in the network; a record that was made before does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Fact<String>>,
    /// CPU model.
    pub cpu_model: Fact<String>,
    /// CPUs that this process may use.
    pub cpus_usable: u32,
    /// Kernel release.
    pub kernel: Fact<String>,
    /// Memory in bytes.
    pub memory_bytes: Fact<u64>,
    /// Frequency governor of the first CPU, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<Fact<String>>,
    /// The kernel's clock source: `tsc`, `hpet`, `kvm-clock`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocksource: Option<Fact<String>>,
    /// Name of the hypervisor, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<Fact<String>>,
    /// Limit of locked memory in bytes; `None` is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memlock_bytes: Option<u64>,
    /// Limits on this process: of control groups, and of the CPUs that it may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<OwnLimit>,
    /// Niceness of this process, -20 to 19; more is less CPU time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nice: Option<i32>,
    /// True where it is scheduled by `SCHED_IDLE` (sched(7)): it runs only where nothing else wants the CPU.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runs_when_idle: bool,
    /// Priority of its I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_priority: Option<IoPriority>,
}

impl HostFacts {
    pub(crate) fn limits_on(&self, resource: LimitedResource) -> impl Iterator<Item = &OwnLimit> {
        self.limits.iter().filter(move |limit| limit.resource == resource)
    }

    /// Memory that this process may use: the machine's, or what the least of its limits leaves. Bytes.
    pub fn usable_memory_bytes(&self) -> u64 {
        self.limits_on(LimitedResource::Memory).map(|limit| limit.value as u64).fold(self.memory_bytes.value, u64::min)
    }

    /// True where limits on this process were looked for; a record that was made before does not tell that there are none.
    pub fn limits_are_known(&self) -> bool {
        self.nice.is_some() || !self.limits.is_empty()
    }
}

/// A limit on this process, which is never the drive's fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnLimit {
    /// The resource that is limited.
    pub resource: LimitedResource,
    /// Number of the device that it is for, `259:0`; none for one that is not of a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The limit: I/Os or bytes per second, CPUs, or bytes.
    pub value: f64,
    /// The file that says so.
    pub source: String,
}

/// A resource of which a process is given only so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitedResource {
    /// Reads per second.
    ReadIops,
    /// Writes per second.
    WriteIops,
    /// Bytes read per second.
    ReadBytes,
    /// Bytes written per second.
    WriteBytes,
    /// CPU time per time.
    Cpus,
    /// Memory, with what the page cache holds for it.
    Memory,
    /// CPUs that it may run on, where others are online.
    CpuSet,
}

/// Content of a target: how much of what is read had been written before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContentFacts {
    /// Bytes of the span that the filesystem has never written: holes and unwritten extents (FIEMAP). `None`: not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwritten_bytes: Option<u64>,
    /// Blocks of 4 KiB that were sampled over the span.
    pub sampled_blocks: u64,
    /// Sampled blocks that read as zeros, or as one other byte throughout: deallocated blocks of NVMe may read as FFh (NVM Command Set Specification, DLFEAT).
    pub zero_blocks: u64,
    /// Sampled blocks that are like an earlier one, zeros left aside: a drive that finds such blocks holds them once.
    #[serde(default, skip_serializing_if = "crate::base::serde_skip::is_zero")]
    pub repeated_blocks: u64,
    /// Bytes of the span that ioproof wrote by itself before it read any.
    pub filled_bytes: u64,
}
