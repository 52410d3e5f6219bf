//! A workload: the conditions under which a number is measured, in the field's standard terms.
//!
//! It says nothing of where or for how long; `job` adds that. Two workloads with equal conditions are one.

use crate::metric::Metric;
use crate::units::binary_size;
use serde::{Deserialize, Serialize};

/// In which order blocks are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Ascending; each worker walks its own part of the span.
    Sequential,
    /// Every block of the span once per pass, in random order.
    Random,
}

/// What makes a write durable inside the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Nothing: a write ends when the device has acknowledged it.
    #[default]
    None,
    /// `fdatasync(2)` after every write.
    FdatasyncEach,
}

/// The conditions of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// In which order blocks are visited.
    pub pattern: Pattern,
    /// Share of reads, 0 to 100; 100 reads only, 0 writes only.
    pub read_percent: u8,
    /// Size of one I/O in bytes.
    pub block_bytes: u32,
    /// Threads that submit I/O.
    pub workers: u32,
    /// Queue depth per worker; in total it is `workers * depth`.
    pub depth: u32,
    /// What makes each write durable.
    #[serde(default)]
    pub durability: Durability,
}

impl Workload {
    /// I/Os kept outstanding over all workers.
    #[must_use]
    pub fn outstanding(&self) -> u32 {
        self.workers.saturating_mul(self.depth)
    }

    /// Whether the workload changes what is on the target.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }

    /// Whether one I/O at a time is outstanding, so that its latency is the drive's unloaded latency.
    #[must_use]
    pub fn is_unloaded(&self) -> bool {
        self.outstanding() == 1
    }

    /// What the workload is about: bytes per second for sequential I/O, latency where one I/O is outstanding, else IOPS.
    #[must_use]
    pub fn main_metric(&self) -> Metric {
        match (self.is_unloaded(), self.pattern) {
            (true, _) => Metric::Latency,
            (false, Pattern::Sequential) => Metric::Throughput,
            (false, Pattern::Random) => Metric::Iops,
        }
    }

    /// `read`, `write`, `write + fdatasync` or `70/30 mix`.
    #[must_use]
    pub fn direction(&self) -> String {
        match (self.read_percent, self.durability) {
            (100, _) => "read".into(),
            (0, Durability::None) => "write".into(),
            (0, Durability::FdatasyncEach) => "write + fdatasync".into(),
            (r, _) => format!("{r}/{} mix", 100u8.saturating_sub(r)),
        }
    }

    /// A name for people: `random read 4 KiB`.
    #[must_use]
    pub fn title(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "sequential",
            Pattern::Random => "random",
        };
        format!("{pattern} {} {}", self.direction(), binary_size(self.block_bytes.into()))
    }

    /// Queue depth for people, always per worker and in total: `4 x 32 = 128`.
    #[must_use]
    pub fn concurrency(&self) -> String {
        match self.workers {
            1 => format!("{}", self.depth),
            w => format!("{w} x {} = {}", self.depth, self.outstanding()),
        }
    }

    /// A stable name for files and JSON: `random-read-4k-4x32`.
    #[must_use]
    pub fn id(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "seq",
            Pattern::Random => "rand",
        };
        let direction = match (self.read_percent, self.durability) {
            (100, _) => "read".to_owned(),
            (0, Durability::None) => "write".to_owned(),
            (0, Durability::FdatasyncEach) => "write-fdatasync".to_owned(),
            (r, _) => format!("mix{r}"),
        };
        let size = binary_size(self.block_bytes.into()).replace(" KiB", "k").replace(" MiB", "m").replace(" B", "b");
        format!("{pattern}-{direction}-{size}-{}x{}", self.workers, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let w =
            Workload { pattern: Pattern::Random, read_percent: 70, block_bytes: 4096, workers: 4, depth: 32, durability: Durability::None };
        assert_eq!(w.title(), "random 70/30 mix 4 KiB");
        assert_eq!(w.id(), "rand-mix70-4k-4x32");
        assert_eq!(w.concurrency(), "4 x 32 = 128");
        assert!(w.writes() && !w.is_unloaded());
    }
}
