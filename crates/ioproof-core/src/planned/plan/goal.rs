//! Limits that people hold durable writes against.

use crate::claim::Statistic;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// A limit on the latency of syncs, as the community of a program states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goal {
    /// The program: `etcd`.
    pub name: String,
    /// The load that stands for it.
    pub workload: Workload,
    /// The percentile that is limited.
    pub statistic: Statistic,
    /// The most that it may be. Nanoseconds.
    pub most_ns: u64,
    /// Where it is stated.
    pub source: String,
}
