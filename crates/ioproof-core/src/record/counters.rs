//! Counts of the kernel and readings of drives around a stage.

use super::{InterruptedCpu, Waiting};
use crate::base::serde_skip::is_zero;
use crate::facts::OwnLimit;
use serde::{Deserialize, Serialize};

/// The kernel's counters of one block device over a round (`/sys/block/*/stat`, Documentation/block/stat.rst).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceCounters {
    /// Kernel name.
    pub name: String,
    /// True where it is at the bottom of the stack.
    pub is_drive: bool,
    /// Reads completed.
    pub read_ios: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes completed.
    pub write_ios: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flush requests completed.
    pub flush_ios: u64,
    /// Time with at least one request under way. Nanoseconds.
    pub busy_ns: u64,
    /// Reads that were put together with others before they reached the device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub read_merges: u64,
    /// Writes that were put together with others before they reached the device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub write_merges: u64,
    /// Sum of the time that reads spent in the queue and on the device. Nanoseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub read_wait_ns: u64,
    /// Sum of the time that writes spent in the queue and on the device. Nanoseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub write_wait_ns: u64,
    /// Time integral of the requests in the queue and on the device. Nanoseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queued_ns: u64,
}

/// Lateness of the watching thread that is a stop: a stop as long as what is called a stall makes at least this, since the thread may have slept for a part of
/// it. Nanoseconds.
pub const STOP_NS: u64 = 50_000_000;

/// The host during a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HostLoad {
    /// Load average over one minute at the end.
    pub load_1min: f64,
    /// CPUs whose time is counted: those that are online.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Share of all CPU time that was used by anyone, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_busy: Option<f64>,
    /// Share of CPU time that a hypervisor took away, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_steal: Option<f64>,
    /// Share of the time of the busiest CPU that was used by anyone, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_cpu: Option<f64>,
    /// Time for which tasks waited for a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_waiting: Option<Waiting>,
    /// Time for which tasks waited for I/O; the load's own workers do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_waiting: Option<Waiting>,
    /// Time for which tasks waited for memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_waiting: Option<Waiting>,
    /// The CPU that interrupts took up most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_cpu: Option<InterruptedCpu>,
    /// Interrupts of the devices under the targets by CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupts_by_cpu: Option<Vec<u64>>,
    /// Bytes that this process itself read from and wrote to storage (`/proc/self/io`). (read, write)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_storage_bytes: Option<(u64, u64)>,
    /// CPU time of this process, with the kernel's threads that work for it. Nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_cpu_ns: Option<u64>,
    /// Time for which a control group's limit on CPU time stopped this process, or others of its groups. Nanoseconds, of all CPUs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_stopped_ns: Option<u64>,
    /// Times that a limit on memory made the kernel take memory away from this process's groups, with what the page cache held for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit_hits: Option<u64>,
    /// Rates at which all processes of a limited control group together used what is limited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_uses: Vec<LimitUse>,
    /// Bytes that all disks of this machine together read and wrote, where the drives below the targets are not known. (read, written)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_disks_bytes: Option<(u64, u64)>,
    /// Longest time by which a thread of ours that only watches woke up too late. Nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_late_ns: Option<u64>,
    /// Longest such time less that for which it was ready and waited for a CPU (`/proc/thread-self/schedstat`). Nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_stopped_ns: Option<u64>,
    /// Longest time for which it was ready and waited for a CPU. Nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_waited_ns: Option<u64>,
    /// Number of such times of 50 ms and more, each less the wait for a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_stops: Option<u64>,
    /// Times that a CPU was slowed down because it was hot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_throttles: Option<u64>,
}

/// The use that all processes of a control group together made of what a limit allows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitUse {
    /// The limit.
    pub limit: OwnLimit,
    /// I/Os or bytes per second.
    pub per_second: f64,
}

/// A drive at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DriveState {
    /// False where the kernel has no such drive any more.
    pub present: bool,
    /// Degrees Celsius, where it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<f64>,
    /// Minutes above the warning and the critical temperature since it was made (NVM Express Base Specification 2.0, figure 207).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot_minutes: Option<u64>,
    /// State of its health, as its own account makes it: `OK`, `OK as far as told`, `watch`, `worn`, `failing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<String>,
    /// True where its volatile write cache is on, whatever the kernel takes it for (NVMe feature 06h, word 85 of ATA's identify data, mode
    /// page 08h of SCSI).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_cache_on: Option<bool>,
    /// Seconds for which it slowed itself down because it was hot, since it was made, both levels together (figure 207, *Total Time For
    /// Thermal Management Temperature*).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle_seconds: Option<u64>,
    /// Times that it slowed itself down because it was hot, both levels together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttles: Option<u64>,
    /// Errors of the medium that it counted since it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// Bytes that hosts have written to it since it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// Share of its endurance that it counts as used, in percent; it may exceed 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<f64>,
}

impl DeviceCounters {
    /// Adds what was counted over another stage.
    pub fn add(&mut self, other: &DeviceCounters) {
        let sums = [
            (&mut self.read_ios, other.read_ios),
            (&mut self.read_bytes, other.read_bytes),
            (&mut self.write_ios, other.write_ios),
            (&mut self.write_bytes, other.write_bytes),
            (&mut self.flush_ios, other.flush_ios),
            (&mut self.busy_ns, other.busy_ns),
            (&mut self.read_merges, other.read_merges),
            (&mut self.write_merges, other.write_merges),
            (&mut self.read_wait_ns, other.read_wait_ns),
            (&mut self.write_wait_ns, other.write_wait_ns),
            (&mut self.queued_ns, other.queued_ns),
        ];
        sums.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
}
