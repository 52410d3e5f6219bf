//! Facts about the load generator: of one round, and of its abilities on this host.

use serde::{Deserialize, Serialize};

/// The way in which the load was generated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineFacts {
    /// `io_uring`, `psync`.
    pub backend: String,
    /// Features in use: `registered buffers`, `DEFER_TASKRUN`.
    pub features: Vec<String>,
    /// Features that it could not use, each with the reason.
    pub fallbacks: Vec<String>,
    /// Memory that a map of visited blocks would have taken, where it was left out and blocks come with repetition instead. Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_left_out_bytes: Option<u64>,
    /// True where the job ended before its ramp did, so that the measurement is of all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_in_ramp: bool,
    /// The clock that stamped: `tsc` or `clock_gettime(CLOCK_MONOTONIC)`.
    pub clock: String,
    /// Cost of one reading of it. Nanoseconds.
    pub clock_cost_ns: f64,
}

/// The feature of an engine that sends commands to an NVMe drive, past the kernel's block layer.
pub const NVME_PASSTHROUGH: &str = "NVMe passthrough";

/// The feature of an engine that sends commands to a SCSI disk, past the kernel's block layer.
pub const SCSI_PASSTHROUGH: &str = "SCSI passthrough";

/// The backend that is ioproof's own driver, past all of the kernel.
pub const OWN_DRIVER: &str = "polled";

/// Backends of job files that move no data, each with what it does instead.
const CALLS: [(&str, &str); 5] = [
    ("falloc", "calls of fallocate(2)"),
    ("ftruncate", "calls of ftruncate(2)"),
    ("filecreate", "files made"),
    ("filestat", "files looked up"),
    ("filedelete", "files removed"),
];

impl EngineFacts {
    /// True where I/O passed the kernel's block layer by. The kernel's counters of a drive do not have it (`iostats_passthrough` is off,
    /// Documentation/ABI/stable/sysfs-block).
    pub fn is_passthrough(&self) -> bool {
        self.features.iter().any(|feature| [NVME_PASSTHROUGH, SCSI_PASSTHROUGH].contains(&feature.as_str()))
    }

    /// Kind of the I/Os of a backend that moves no data: `calls of fallocate(2)`.
    pub fn calls(&self) -> Option<&'static str> {
        CALLS.iter().find(|(backend, _)| *backend == self.backend).map(|(_, calls)| *calls)
    }
}

/// Abilities of the load generator on this host, measured before a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SelfTest {
    /// Cost of one I/O in the loop with all its statistics, where no I/O is done. Nanoseconds.
    pub loop_ns_per_io: f64,
    /// Most I/Os per second of one worker, where the kernel completes each at once (io_uring no-ops).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_ios_per_s: Option<f64>,
    /// Longest time for which a thread that only looked at the clock lost its CPU. Nanoseconds.
    pub jitter_ns_max: u64,
    /// Share of the time for which it did so, in gaps over 1 us. 0 to 1.
    pub jitter_share: f64,
    /// Time for which it looked. Nanoseconds.
    pub looked_ns: u64,
    /// True where the target makes io_uring hand I/O to kernel threads, which changes what is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub punts: Option<bool>,
}
