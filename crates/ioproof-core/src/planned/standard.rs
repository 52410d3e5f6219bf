//! The tests of a standard: SNIA Solid State Storage Performance Test Specification (SSS PTS) 2.0.2, for drives of enterprises (PTS-E) and of clients (PTS-C).
//!
//! Here is the part that a plan holds: class, tests, cells and their order. `window` tells a steady state. How far a run has come is told by
//! `course`, which needs its record.

mod demand;
mod segment;
mod test;
mod window;

pub use segment::Segment;
pub use test::{SATURATION_CAPACITIES, SATURATION_NS, Test};
pub use window::{MEASUREMENT_WINDOW, Window};

use crate::job::Span;
use serde::{Deserialize, Serialize};

/// The specification and its version.
pub const TITLE: &str = "SNIA SSS PTS 2.0.2";

/// Most rounds of a test before it ends unsteady (sections 7 to 9, step 3.2).
pub const MOST_ROUNDS: usize = 25;

/// Length of one cell of a round (step 3.2.1.2). Nanoseconds.
pub const CELL_NS: u64 = 60_000_000_000;

/// Sequential passes over the user capacity before the rounds: workload-independent preconditioning (step 2.2).
pub const PASSES: u32 = 2;

/// Block of these passes. Bytes.
pub const PASS_BLOCK_BYTES: u32 = 128 << 10;

/// Class of drives, which sets the write cache and the active range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// PTS-E.
    Enterprise,
    /// PTS-C.
    Client,
}

impl Class {
    /// Name in the specification.
    pub fn title(self) -> &'static str {
        match self {
            Self::Enterprise => "PTS-E",
            Self::Client => "PTS-C",
        }
    }

    /// Share of the user capacity that the tests use: the active range. Per cent.
    pub fn active_range_percent(self) -> u64 {
        match self {
            Self::Enterprise => 100,
            Self::Client => 75,
        }
    }

    /// State of the volatile write cache that the specification asks for.
    pub fn write_cache(self) -> &'static str {
        match self {
            Self::Enterprise => "disabled",
            Self::Client => "enabled",
        }
    }

    /// Thread count and OIO (outstanding I/Os) of each thread of the IOPS test. The specification leaves both to the operator.
    pub fn concurrency(self) -> (u32, u32) {
        match self {
            Self::Enterprise => (4, 32),
            Self::Client => (2, 16),
        }
    }

    /// The first part of a span, as much of it as the tests use.
    pub fn active_range(self, whole: Span) -> Span {
        let unit = if whole.length_bytes >= 64 << 20 { 1 << 20 } else { 4096 };
        let share = u128::from(whole.length_bytes) * u128::from(self.active_range_percent()) / 100;
        let length_bytes = if self.active_range_percent() == 100 { whole.length_bytes } else { share as u64 / unit * unit };
        Span { length_bytes, ..whole }
    }
}

/// The tests of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standard {
    /// Class of the drive.
    pub class: Class,
    /// The tests in their order.
    pub tests: Vec<Test>,
    /// Thread count of the IOPS test.
    pub workers: u32,
    /// OIO of each of its threads.
    pub depth: u32,
    /// The part of the target that the tests use. Preconditioning uses all of the plan's span.
    pub active_range: Span,
    /// The way in which the drive was purged before each test that has begun; `None`: it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purge: Option<String>,
    /// The reason for which it is not purged, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_purged: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_active_range_is_all_or_three_quarters() {
        let whole = Span { offset_bytes: 1 << 20, length_bytes: 101 << 20 };
        assert_eq!(Class::Enterprise.active_range(whole), whole);
        assert_eq!(Class::Client.active_range(whole), Span { length_bytes: 75 << 20, ..whole }, "75.75 MiB in whole MiB");
    }
}
