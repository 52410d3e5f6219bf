//! Figures of one direction, or of all as one.

use super::latency::Latency;
use crate::results::{DirectionResult, JobResult, PriorityResult, Reported, Samples, Unified};
use ioproof_core::histogram::Histogram;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Figures {
    pub name: &'static str,
    pub bytes: u64,
    pub runtime_ms: u64,
    pub ios: u64,
    pub short: u64,
    pub dropped: u64,
    pub slat: Latency,
    pub clat: Latency,
    pub lat: Latency,
    /// By priority, where I/Os of several were done.
    pub priorities: Vec<PriorityFigures>,
    pub bandwidth: Samples,
    pub iops: Samples,
    /// Share of the group's throughput in percent, as fio states it: never over 100, 0 where there are no samples.
    pub share_percent: f64,
}

/// Latency of the I/Os of one priority.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PriorityFigures {
    /// Which latency it is: `clat` or `lat`.
    pub name: &'static str,
    pub class: u8,
    pub level: u8,
    pub latency: Latency,
    pub share_percent: f64,
}

/// fio shows them where there are several, as completion latency, or as total latency where that has percentiles.
fn by_priority(side: &DirectionResult, reported: Reported, percentiles: &[f64]) -> Vec<PriorityFigures> {
    let (name, with) = match () {
        () if reported.lat && reported.lat_percentiles => ("lat", true),
        () if reported.clat => ("clat", reported.clat_percentiles),
        () => return Vec::new(),
    };
    let used = || side.priorities.iter().filter(|one| one.latency.count() > 0);
    if used().count() < 2 {
        return Vec::new();
    }
    let all = used().map(|one| one.latency.count()).sum::<u64>() as f64;
    let figures = |one: &PriorityResult| PriorityFigures {
        name,
        class: one.class,
        level: one.level,
        latency: Latency::from_histogram(Some(&one.latency), if with { percentiles } else { &[] }),
        share_percent: one.latency.count() as f64 * 100.0 / all,
    };
    used().map(figures).collect()
}

impl Figures {
    fn from_side(name: &'static str, side: &DirectionResult, reported: Reported, percentiles: &[f64]) -> Self {
        let shown = |wanted: bool, histogram: Option<&Histogram>, with: bool| {
            Latency::from_histogram(histogram.filter(|_| wanted), if with { percentiles } else { &[] })
        };
        let lat = &side.io.latency;
        // Where nobody looked at the submission by itself, as with synchronous calls, completion is all there is.
        let clat = side.io.completion.as_ref().unwrap_or(lat);
        Self {
            name,
            bytes: side.io.bytes,
            runtime_ms: side.runtime_ms,
            ios: side.io.ios,
            short: side.short_ios,
            dropped: side.dropped_ios,
            slat: shown(reported.slat, side.io.submission.as_ref(), reported.slat_percentiles),
            clat: shown(reported.clat, Some(clat), reported.clat_percentiles),
            lat: shown(reported.lat, Some(lat), reported.lat_percentiles),
            priorities: by_priority(side, reported, percentiles),
            bandwidth: side.bandwidth,
            iops: side.iops,
            share_percent: if side.bandwidth.count == 0 { 0.0 } else { side.bandwidth_share_percent.min(100.0) },
        }
    }

    pub fn bytes_per_s(&self) -> f64 {
        self.per_second(self.bytes)
    }

    pub fn iops(&self) -> f64 {
        self.per_second(self.ios)
    }

    fn per_second(&self, n: u64) -> f64 {
        if self.runtime_ms == 0 { 0.0 } else { n as f64 * 1000.0 / self.runtime_ms as f64 }
    }
}

pub(super) fn separate(job: &JobResult) -> [Figures; 3] {
    [("read", &job.read), ("write", &job.write), ("trim", &job.trim)]
        .map(|(name, side)| Figures::from_side(name, side, job.reported, &job.percentiles))
}

pub(super) fn mixed(job: &JobResult) -> Figures {
    let sides = [&job.read, &job.write, &job.trim];
    let runtime_ms = sides.iter().map(|s| s.runtime_ms).max().unwrap_or(0);
    let mut all = DirectionResult { runtime_ms, bandwidth: job.bandwidth, iops: job.iops, ..DirectionResult::default() };
    for side in sides {
        merge_completion(&mut all, side);
        all.io.merge(&side.io);
        PriorityResult::merge(&mut all.priorities, &side.priorities);
        all.short_ios = all.short_ios.saturating_add(side.short_ios);
        all.dropped_ios = all.dropped_ios.saturating_add(side.dropped_ios);
        all.bandwidth_share_percent += side.bandwidth_share_percent;
    }
    Figures::from_side("mixed", &all, job.reported, &job.percentiles)
}

/// A direction without completion latencies of its own brings its total ones, where another has some.
fn merge_completion(all: &mut DirectionResult, side: &DirectionResult) {
    if all.io.completion.is_none() && side.io.completion.is_some() && !all.io.is_empty() {
        all.io.completion = Some(all.io.latency.clone());
    } else if let (Some(completion), None) = (&mut all.io.completion, &side.io.completion) {
        completion.merge(&side.io.latency);
    }
}

pub(super) fn reported(job: &JobResult) -> Vec<Figures> {
    match job.unified {
        Unified::Separate => separate(job).into(),
        Unified::Mixed => vec![mixed(job)],
        Unified::Both => separate(job).into_iter().chain([mixed(job)]).collect(),
    }
}

pub(super) fn sync(job: &JobResult) -> Latency {
    Latency::from_histogram(Some(&job.sync.latency), &job.percentiles)
}

pub(super) fn did_io(job: &JobResult) -> bool {
    [&job.read, &job.write, &job.trim].iter().any(|side| side.io.ios > 0 || side.io.bytes > 0)
}
