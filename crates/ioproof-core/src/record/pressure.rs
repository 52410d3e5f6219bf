//! Waiting of the host's tasks over a stage, and the CPU that interrupts take up most.

use serde::{Deserialize, Serialize};

/// Time for which tasks of the host waited for a resource, as the kernel counts it (PSI, Documentation/accounting/psi.rst).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Waiting {
    /// Time for which at least one task waited. Nanoseconds.
    pub some_ns: u64,
    /// Time for which all tasks that had work to do waited. Nanoseconds; none where the kernel does not count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_ns: Option<u64>,
}

/// The CPU that spent the greatest share of its time on interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InterruptedCpu {
    /// Its number.
    pub cpu: u32,
    /// Share of its time in interrupts and what they leave to be done soon after (`irq` and `softirq` of proc_stat(5)), 0 to 1.
    pub interrupts: f64,
    /// Share of its time used by anyone, interrupts included, 0 to 1.
    pub busy: f64,
}
