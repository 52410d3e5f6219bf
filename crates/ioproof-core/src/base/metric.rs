//! Metric of a figure, and the way in which it is printed.

use crate::units;
use serde::{Deserialize, Serialize};

/// Metric that is measured or promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// I/O operations per second; larger is better.
    Iops,
    /// Bytes per second; larger is better.
    Throughput,
    /// Nanoseconds; smaller is better.
    Latency,
}

impl Metric {
    /// Its name in tables: `iops`, `throughput` or `latency`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Iops => "iops",
            Metric::Throughput => "throughput",
            Metric::Latency => "latency",
        }
    }

    pub fn show(self, value: f64) -> String {
        match self {
            Metric::Iops => units::iops(value),
            Metric::Throughput => units::throughput(value),
            Metric::Latency => units::latency(value),
        }
    }

    /// The unit of stored values: `IOPS`, `B/s` or `ns`.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Iops => "IOPS",
            Metric::Throughput => "B/s",
            Metric::Latency => "ns",
        }
    }
}
