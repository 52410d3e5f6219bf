//! The thresholds by which a run is judged. They are policy, not truth: all can be set, and the record keeps those in force.

use crate::facts::Layer;
use serde::{Deserialize, Serialize};

/// The thresholds of a judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Share of the claim that passes on the block device.
    pub threshold_block: f64,
    /// Share of the claim that passes through a filesystem, and of reads of the same blocks past it that its reads have to be.
    pub threshold_filesystem: f64,
    /// Share of the claim above which a result is suspicious instead of good.
    pub too_good: f64,
    /// Confidence of every interval.
    pub confidence: f64,
    /// Half width of an interval over its median at which repeating stops.
    pub precision: f64,
    /// Fewest runs of a workload before its interval can end it.
    pub min_runs: u32,
    /// Samples that must lie beyond a percentile before it is printed.
    pub percentile_samples: u64,
    /// Largest share by which IOPS x mean latency may differ from the outstanding I/O.
    pub little_tolerance: f64,
    /// Share of all usable CPU time, or of one worker's CPU, at which the generator counts as saturated.
    pub cpu_saturated: f64,
    /// Least share of the claimed bytes that the device must have seen.
    pub device_bytes: f64,
    /// Steady: largest range of the last runs over their mean (SNIA SSS PTS 2.0.2: 20 %).
    pub steady_range: f64,
    /// Steady: largest excursion of the least-squares line over the last runs (SNIA SSS PTS 2.0.2: 10 %).
    pub steady_slope: f64,
    /// Share of unwritten or zero blocks in what is read that makes a read fantasy.
    pub unwritten: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            threshold_block: 0.80,
            threshold_filesystem: 0.50,
            too_good: 1.5,
            confidence: 0.95,
            precision: 0.05,
            min_runs: 6,
            percentile_samples: 100,
            little_tolerance: 0.05,
            cpu_saturated: 0.90,
            device_bytes: 0.95,
            steady_range: 0.20,
            steady_slope: 0.10,
            unwritten: 0.01,
        }
    }
}

impl Policy {
    /// The share of a claim that passes on this layer.
    pub fn threshold(&self, layer: Layer) -> f64 {
        match layer {
            Layer::Block | Layer::Generator => self.threshold_block,
            Layer::Filesystem => self.threshold_filesystem,
        }
    }
}
