//! A run of another program that measures drives, on the conditions of a cell of a sweep, as it printed its figures: one run, without an interval.

use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// Name of SPDK's program, and the backend of the workloads that it runs.
pub const SPDK_PERF: &str = "spdk_nvme_perf";

/// One run of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramRun {
    /// The conditions. Their backend is the name of the program.
    pub workload: Workload,
    /// Time that it was given. Seconds.
    pub seconds: u32,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean latency. Nanoseconds.
    pub mean_ns: f64,
    /// The smallest and the largest latency. Nanoseconds.
    pub extremes_ns: (u64, u64),
    /// Percentiles: the share in percent, the latency in nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentiles_ns: Vec<(f64, u64)>,
}
