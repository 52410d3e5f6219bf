//! A round over time, slice by slice.

use super::is_zero;
use serde::{Deserialize, Serialize};

/// One slice of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Interval {
    /// End of the slice since the measurement began. Nanoseconds.
    pub end_ns: u64,
    /// Length of the slice. Nanoseconds.
    pub length_ns: u64,
    /// Reads completed in it.
    pub read_ios: u64,
    /// Writes completed in it.
    pub write_ios: u64,
    /// Bytes read in it.
    pub read_bytes: u64,
    /// Bytes written in it.
    pub write_bytes: u64,
    /// Trims completed in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_ios: u64,
    /// Bytes trimmed in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_bytes: u64,
    /// Service time of the reads in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency: Option<SliceLatency>,
    /// Service time of the writes in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency: Option<SliceLatency>,
    /// Service time of the trims in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_latency: Option<SliceLatency>,
}

/// Latency within one slice. It cannot be merged with others: the round's histogram is for that. A percentile is left out where fewer than ten samples lie beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SliceLatency {
    /// Mean. Nanoseconds.
    pub mean_ns: u64,
    /// Mean of the part until the kernel had accepted the I/O, where submission is timed. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_mean_ns: Option<u64>,
    /// Largest, within the width of a bin (0.4 %). Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Median. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// 99 %. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// 99.9 %. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999_ns: Option<u64>,
}

impl Interval {
    /// The slices of two parts of a job that ran at the same time, added up one by one. Latencies are left out: they cannot be merged. Parts begin within
    /// milliseconds of each other, so slices with the same number are of the same time; a part that ran longer keeps its last ones.
    #[must_use]
    pub fn side_by_side(mut all: Vec<Interval>, others: &[Interval]) -> Vec<Interval> {
        for (mine, theirs) in all.iter_mut().zip(others) {
            mine.end_ns = mine.end_ns.max(theirs.end_ns);
            mine.length_ns = mine.length_ns.max(theirs.length_ns);
            let counts = [
                (&mut mine.read_ios, theirs.read_ios),
                (&mut mine.write_ios, theirs.write_ios),
                (&mut mine.read_bytes, theirs.read_bytes),
                (&mut mine.write_bytes, theirs.write_bytes),
                (&mut mine.trim_ios, theirs.trim_ios),
                (&mut mine.trim_bytes, theirs.trim_bytes),
            ];
            counts.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
            (mine.read_latency, mine.write_latency, mine.trim_latency) = (None, None, None);
        }
        let longer = others.get(all.len()..).unwrap_or_default();
        all.extend(longer.iter().map(|slice| Interval { read_latency: None, write_latency: None, trim_latency: None, ..*slice }));
        all
    }
}
