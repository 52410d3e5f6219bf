//! Completed I/O of one direction, and the use of the queue.

use super::places::Places;
use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Completed I/O of one direction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Direction {
    /// Number of them.
    pub ios: u64,
    /// Bytes of them together.
    pub bytes: u64,
    /// Service time: from just before the kernel is entered to when its completion is seen.
    pub latency: Histogram,
    /// The same of I/Os that were under way when the measurement ended, none of which is counted otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Histogram>,
    /// Response time, where I/O is asked for at a pace: from when it was meant to start to when its completion is seen. With that of the I/Os that were under
    /// way when the measurement ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
    /// From just before the kernel is entered until it has accepted the I/O, where this was asked for; fio's slat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<Histogram>,
    /// From when the kernel has accepted the I/O to when its completion is seen, where this was asked for; fio's clat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Histogram>,
    /// Latency by the part of the span, of random I/O on one target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Places>,
}

impl Direction {
    pub fn is_empty(&self) -> bool {
        self.ios == 0
    }

    /// Service time of all that was timed, also of the I/Os that outlived the measurement.
    pub fn timed(&self) -> Cow<'_, Histogram> {
        self.latency.and(self.late.as_ref())
    }

    /// Adds another's counts.
    #[inline]
    pub fn merge(&mut self, other: &Direction) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.latency.merge(&other.latency);
        merge_some(&mut self.late, other.late.as_ref());
        merge_some(&mut self.response, other.response.as_ref());
        merge_some(&mut self.submission, other.submission.as_ref());
        merge_some(&mut self.completion, other.completion.as_ref());
        if let Some(places) = &other.places {
            self.places.get_or_insert_default().merge(places);
        }
    }
}

#[inline]
pub(crate) fn merge_some(mine: &mut Option<Histogram>, theirs: Option<&Histogram>) {
    if let Some(theirs) = theirs {
        mine.get_or_insert_default().merge(theirs);
    }
}

/// Use of the queue. Index `n` counts for values from `2^n` to `2^(n+1) - 1`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct QueueUse {
    /// I/Os by how many, themselves included, were outstanding when they were submitted.
    pub depths: Vec<u64>,
    /// Calls by how many I/Os they handed to the kernel.
    pub submitted: Vec<u64>,
    /// Looks by how many completions they found at once. All of them bear the stamp of that look, so the more there are,
    /// the less exactly is known when each was done.
    pub reaped: Vec<u64>,
    /// From the first I/O after a pause to the first completion: after a millisecond and more in which a worker had nothing under way, and at its start,
    /// also where that is in the ramp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_pause: Option<Histogram>,
}

impl QueueUse {
    pub fn is_empty(&self) -> bool {
        [&self.depths, &self.submitted, &self.reaped].into_iter().all(Vec::is_empty) && self.after_pause.is_none()
    }

    /// Adds another's counts.
    #[inline]
    pub fn merge(&mut self, other: &QueueUse) {
        for (mine, theirs) in
            [(&mut self.depths, &other.depths), (&mut self.submitted, &other.submitted), (&mut self.reaped, &other.reaped)]
        {
            mine.resize(mine.len().max(theirs.len()), 0);
            mine.iter_mut().zip(theirs).for_each(|(m, t)| *m = m.saturating_add(*t));
        }
        merge_some(&mut self.after_pause, other.after_pause.as_ref());
    }
}
