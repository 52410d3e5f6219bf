//! Cost of a worker: CPU time, context switches, page faults.

use crate::base::serde_skip::is_zero;
use serde::{Deserialize, Serialize};

/// Cost of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerUsage {
    /// Reads and writes it completed in the measurement.
    pub ios: u64,
    /// CPU time in user mode. Nanoseconds.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel. Nanoseconds.
    pub cpu_system_ns: u64,
    /// Time over which CPU time was counted. Nanoseconds.
    pub wall_ns: u64,
    /// Context switches because it waited.
    pub voluntary_switches: u64,
    /// Context switches because it was preempted.
    pub involuntary_switches: u64,
    /// Page faults that had to wait for a disk.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub major_faults: u64,
    /// Page faults that memory alone could serve.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub minor_faults: u64,
}

impl WorkerUsage {
    /// CPU time in both modes. Nanoseconds.
    #[inline]
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_user_ns.saturating_add(self.cpu_system_ns)
    }
}
