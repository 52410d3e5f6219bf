//! The depth at which a latency was kept, as a round has it whose load searched for it (`search::depth`).

use crate::units::latency;
use serde::{Deserialize, Serialize};

/// The outcome of a search for a depth, and its goal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DepthFound {
    /// The latency that was to be kept. Nanoseconds.
    pub target_ns: u64,
    /// Share of the I/Os that had to keep it. Percent.
    pub percentile: f64,
    /// The deepest queue that was allowed.
    pub most: u32,
    /// The depth of each clone of the job.
    pub depths: Vec<u32>,
    /// True where all that was measured was measured at these depths; else the search was still under way, and the figures are of several depths.
    pub is_settled: bool,
    /// True where what was measured did not keep the latency, as where not even one I/O at a time does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_missed: bool,
}

impl DepthFound {
    /// I/Os that were to be outstanding over all clones; `None` where the figures are of several depths.
    pub fn outstanding(&self) -> Option<u32> {
        self.is_settled.then(|| self.depths.iter().fold(0, |sum: u32, depth| sum.saturating_add(*depth)))
    }

    /// The deepest queue of a clone; 0 where there is none.
    pub fn deepest(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// True where every clone has the same depth.
    pub fn is_even(&self) -> bool {
        self.depths.windows(2).all(|two| two[0] == two[1])
    }

    /// `depth found of at most 32, for 90 % within 500 µs`.
    pub fn describe(&self) -> String {
        let found = match (self.is_settled, self.is_missed) {
            (false, _) => "still searched for,",
            (true, false) => "found",
            (true, true) => "not found",
        };
        format!("depth {found} of at most {}, for {} % within {}", self.most, self.percentile, latency(self.target_ns as f64))
    }

    /// This and another part of the same job that ran at the same time.
    pub(super) fn beside(&mut self, other: &Self) {
        self.depths.extend(&other.depths);
        self.is_settled &= other.is_settled;
        self.is_missed |= other.is_missed;
    }
}
