//! The judgement of a run: what the rules make of a record, as it is stored beside it.

use crate::claim::Statistic;
use crate::facts::Layer;
use crate::finding::Finding;
use crate::results::Results;
use crate::stats::Estimate;
use crate::verdict::{Row, Verdict};
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// Latency of one workload over all its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyRow {
    /// Position of its job in the run's list.
    #[serde(default)]
    pub job: u32,
    /// Name of its job in a job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The conditions.
    pub workload: Workload,
    /// `read`, `write`, `fdatasync` or `write + fdatasync`.
    pub operation: String,
    /// Number of I/Os.
    pub samples: u64,
    /// Mean over runs, with interval. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<Estimate>,
    /// Percentiles of the merged histogram; `None` where fewer samples than the policy asks lie beyond. Nanoseconds.
    pub percentiles_ns: Vec<(Statistic, Option<u64>)>,
    /// The largest. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
}

/// The judgement of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// Version of the rules ([`crate::RULES_VERSION`]).
    pub rules_version: u32,
    /// The layer that set the threshold.
    pub layer: Layer,
    /// The share of a claim that passes.
    pub threshold: f64,
    /// The table: claims in the datasheet's order, then what else was measured.
    pub rows: Vec<Row>,
    /// Latencies of all workloads that were measured; in judgements of older versions those at depth 1 alone, where the user named none.
    pub latencies: Vec<LatencyRow>,
    /// Results beyond single workloads.
    #[serde(flatten)]
    pub results: Results,
    /// Findings, the gravest first.
    pub findings: Vec<Finding>,
    /// Exit status of the program by the rule in the manual: 0, 1, 2 or 3.
    pub exit_status: u8,
    /// Reason for it, in a few words.
    pub exit_reason: String,
}

impl Judgement {
    /// Number of rows with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|r| r.verdict == Some(verdict)).count()
    }
}
