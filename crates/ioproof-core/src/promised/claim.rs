//! Claims: what a maker promises, each figure with the conditions under which it was promised.
//!
//! The file format that these come from is read in `datasheet`; how a claim is compared with a measurement is in `judge`.

pub mod words;

pub use crate::metric::Metric;

use crate::workload::Pattern;
use serde::{Deserialize, Serialize};

/// Firmness of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Qualifier {
    /// "Up to": the best case.
    #[serde(rename = "up to")]
    UpTo,
    /// "Typical".
    #[serde(rename = "typical")]
    Typical,
    /// "Maximum": a bound that is not exceeded.
    #[serde(rename = "maximum")]
    Maximum,
}

/// Which statistic of latency is promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The arithmetic mean; also what makers call "typical" and "average".
    Mean,
    /// The median.
    P50,
    /// 99 %.
    P99,
    /// 99.9 %.
    P999,
    /// 99.99 %.
    P9999,
    /// 99.999 %.
    P99999,
    /// The largest.
    Max,
}

impl Statistic {
    /// The quantile in 0 to 1, for percentiles.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Statistic::P50 => Some(0.5),
            Statistic::P99 => Some(0.99),
            Statistic::P999 => Some(0.999),
            Statistic::P9999 => Some(0.9999),
            Statistic::P99999 => Some(0.99999),
            Statistic::Mean | Statistic::Max => None,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Statistic::Mean => "mean",
            Statistic::P50 => "p50",
            Statistic::P99 => "p99",
            Statistic::P999 => "p99.9",
            Statistic::P9999 => "p99.99",
            Statistic::P99999 => "p99.999",
            Statistic::Max => "max",
        }
    }
}

/// The part of the drive that a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimSpan {
    /// Every logical block.
    Full,
    /// This many bytes.
    Bytes(u64),
}

/// The state of the drive that a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DriveState {
    /// Fresh out of the box, or purged.
    Fresh,
    /// Writes land in a fast cache of the drive (Samsung's TurboWrite and the like).
    SlcCached,
    /// That cache is used up.
    AfterSlc,
    /// Preconditioned until steady (SNIA).
    Steady,
}

/// Confidence in a claimed figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Read in the maker's own document, or in two agreeing sources.
    High,
    /// From one report of the maker's figures.
    Medium,
    /// Doubtful, or sources disagree: it never passes or fails a drive.
    Low,
}

/// One promised figure with its conditions. `None` means that the maker does not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// Metric that is promised.
    pub metric: Metric,
    /// Promised value, in the metric's stored unit (IOPS, bytes per second, nanoseconds).
    pub value: f64,
    /// Its firmness.
    pub qualifier: Qualifier,
    /// Order of blocks.
    pub pattern: Pattern,
    /// Share of reads, 0 to 100.
    pub read_percent: u8,
    /// Block size in bytes.
    pub block_bytes: u32,
    /// I/Os outstanding in total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth_total: Option<u32>,
    /// Workers among which the queue depth is divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// The part of the drive used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<ClaimSpan>,
    /// The state of the drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<DriveState>,
    /// The tool named by the maker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Which statistic, where the metric is latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// Capacities in bytes that the figure is for; empty: the maximum over the family.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities_bytes: Vec<u64>,
    /// Where the figure was found.
    pub source: String,
    /// Confidence in the figure.
    pub confidence: Confidence,
    /// Further words of the maker or the source: power mode, disagreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Attachment of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Interface {
    /// NVMe over PCIe.
    Nvme,
    /// SATA.
    Sata,
    /// SAS.
    Sas,
}

/// One capacity of a family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Variant {
    /// Nominal capacity in bytes.
    pub capacity_bytes: u64,
    /// Model patterns (`*` and `?`) of just this capacity; may be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Rated endurance: bytes that may be written, where stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance_bytes: Option<u64>,
}

/// Everything the maker says about one family of drives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Datasheet {
    /// Short name, also the file's: `intel-dc-p3700`.
    pub name: String,
    /// Maker.
    pub vendor: String,
    /// Family as sold.
    pub family: String,
    /// Model patterns (`*` and `?`) of the family.
    pub models: Vec<String>,
    /// Its attachment.
    pub interface: Interface,
    /// The link: `PCIe 3.0 x4`, `SATA 6 Gb/s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Power-loss protection; `None`: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plp: Option<bool>,
    /// Drive writes per day over the warranty, where stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_writes_per_day: Option<f64>,
    /// Largest rated endurance over the family in bytes, where no capacity is named with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance_bytes: Option<u64>,
    /// Further remarks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Capacities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// The figures.
    pub claims: Vec<Claim>,
}
