//! A job over its measured time, its runs one beside the next: rates and latencies of each direction, the spread of latencies, and what its stages say of
//! temperature, CPU and throttling.
//!
//! The slices of the record are put together into moments, a fixed number over the whole time, so that an hour takes no more room than a minute. What the
//! record does not have is none here: nothing is made up between two readings.

use crate::claim::Metric;
use crate::record::{DriveBracket, DriveState, Interval, Part, SliceLatency, Spread, Stage};

/// Moments over all measured time of a job.
const MOMENTS: f64 = 120.0;

/// Directions of a moment, in the order of its arrays.
pub const DIRECTIONS: [&str; 3] = ["reads", "writes", "trims"];

#[derive(Debug, Clone, Default)]
pub struct Timeline {
    pub length_s: f64,
    pub runs: Vec<RunSpan>,
    pub moments: Vec<Moment>,
}

/// One run and the state around its stage.
#[derive(Debug, Clone, Default)]
pub struct RunSpan {
    pub start_s: f64,
    pub end_s: f64,
    /// CPU time of the host in use by anyone, 0 to 1.
    pub cpu_busy: Option<f64>,
    /// Degrees Celsius of the hottest drive before and after.
    pub celsius: Option<(f64, f64)>,
    /// True where a drive or a CPU slowed itself down because it was hot.
    pub throttled: bool,
}

/// Some slices of one run.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    pub run: usize,
    pub from_s: f64,
    pub to_s: f64,
    /// Rates of each direction, in the metric of the job.
    pub rates: [f64; 3],
    /// Service time of each direction; none where nothing was timed, or what was told of several slices cannot be put together.
    pub latency: [Option<SliceLatency>; 3],
    /// All directions together.
    pub spread: Spread,
}

impl Timeline {
    /// The runs of a job that lies on these drives.
    pub fn new(rounds: &[Part<'_>], metric: Metric, drives: &[&str]) -> Self {
        let length_s = rounds.iter().map(|round| seconds(round.elapsed_ns)).sum();
        let mut timeline = Self { length_s, ..Self::default() };
        let mut start_s = 0.0;
        for (run, part) in rounds.iter().enumerate() {
            let end_s = start_s + seconds(part.elapsed_ns);
            timeline.runs.push(RunSpan { start_s, end_s, ..around(part.stage, drives) });
            timeline.moments.extend(moments(&part.intervals, run, start_s, length_s / MOMENTS, metric));
            start_s = end_s;
        }
        timeline
    }

    /// Positions of the directions that moved anything.
    pub fn directions(&self) -> Vec<usize> {
        (0..DIRECTIONS.len()).filter(|n| self.moments.iter().any(|moment| moment.rates[*n] > 0.0)).collect()
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// The state around a stage. A drive that is alone in it is that of every job.
fn around(stage: &Stage, names: &[&str]) -> RunSpan {
    let is_ours = |drive: &&DriveBracket| stage.drives.len() == 1 || names.contains(&drive.name.as_str());
    let drives: Vec<&DriveBracket> = stage.drives.iter().filter(is_ours).collect();
    let hottest = |of: fn(&DriveBracket) -> &DriveState| {
        drives.iter().filter_map(|drive| of(drive).temperature_celsius).filter(|celsius| celsius.is_finite()).reduce(f64::max)
    };
    let rose = |of: fn(&DriveState) -> Option<u64>| drives.iter().any(|drive| of(&drive.after) > of(&drive.before));
    let cpus = stage.host.as_ref().and_then(|host| host.cpu_throttles).is_some_and(|n| n > 0);
    RunSpan {
        cpu_busy: stage.cpu_busy().filter(|share| share.is_finite()),
        celsius: hottest(|drive| &drive.before).zip(hottest(|drive| &drive.after)),
        throttled: cpus || rose(|state| state.throttles) || rose(|state| state.throttle_seconds),
        ..RunSpan::default()
    }
}

/// The slices of a run, those of one moment put together.
fn moments(slices: &[Interval], run: usize, start_s: f64, step_s: f64, metric: Metric) -> Vec<Moment> {
    let mut groups: Vec<(u64, Vec<&Interval>)> = Vec::new();
    for slice in slices.iter().filter(|slice| slice.length_ns > 0) {
        let middle_s = seconds(slice.end_ns.saturating_sub(slice.length_ns / 2));
        let at = (middle_s / step_s.max(1e-9)) as u64;
        match groups.last_mut().filter(|(last, _)| *last == at) {
            Some((_, group)) => group.push(slice),
            None => groups.push((at, vec![slice])),
        }
    }
    groups.iter().filter_map(|(_, group)| moment(group, run, start_s, metric)).collect()
}

fn moment(slices: &[&Interval], run: usize, start_s: f64, metric: Metric) -> Option<Moment> {
    let (first, last) = (slices.first()?, slices.last()?);
    let length_s = seconds(slices.iter().fold(0, |sum: u64, slice| sum.saturating_add(slice.length_ns)));
    let latency = [0, 1, 2].map(|direction| latency_of(slices, direction));
    let mut spread = Spread::default();
    latency.iter().flatten().for_each(|latency| spread.merge(&latency.spread));
    let rate = |direction| slices.iter().map(|slice| amount(slice, direction, metric) as f64).sum::<f64>() / length_s;
    Some(Moment {
        run,
        from_s: start_s + seconds(first.end_ns.saturating_sub(first.length_ns)),
        to_s: start_s + seconds(last.end_ns),
        rates: [0, 1, 2].map(rate),
        latency,
        spread,
    })
}

fn latency_of(slices: &[&Interval], direction: usize) -> Option<SliceLatency> {
    let of = |slice: &&Interval| [&slice.read_latency, &slice.write_latency, &slice.trim_latency][direction].clone();
    let mut timed = slices.iter().filter_map(|slice| Some((of(slice)?, amount(slice, direction, Metric::Iops))));
    let (mut all, mut ios) = timed.next()?;
    for (latency, more) in timed {
        all = all.beside(ios, &latency, more)?;
        ios = ios.saturating_add(more);
    }
    Some(all)
}

fn amount(slice: &Interval, direction: usize, metric: Metric) -> u64 {
    match metric {
        Metric::Throughput => [slice.read_bytes, slice.write_bytes, slice.trim_bytes][direction],
        Metric::Iops | Metric::Latency => [slice.read_ios, slice.write_ios, slice.trim_ios][direction],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{JobRecord, Round};

    fn slices(n: u64) -> Vec<Interval> {
        let length_ns = 100_000_000;
        let latency = SliceLatency { mean_ns: 1000, spread: Spread::of_bins([0, 50].into_iter()), ..SliceLatency::default() };
        let slice = |at| Interval {
            end_ns: (at + 1) * length_ns,
            length_ns,
            read_ios: 50,
            write_ios: 5,
            read_latency: Some(latency.clone()),
            ..Interval::default()
        };
        (0..n).map(slice).collect()
    }

    fn timeline(rounds: &[Round], stage: &Stage) -> Timeline {
        let job: JobRecord = serde_json::from_value(serde_json::json!({
            "targets": [], "span": { "offset_bytes": 0, "length_bytes": 0 }, "claims": [],
            "workload": crate::workload::Workload::plain(crate::workload::Pattern::Random, 90, 4096, 1, 1),
        }))
        .unwrap();
        let parts: Vec<Part> = rounds.iter().map(|round| Part { stage, job: &job, round }).collect();
        Timeline::new(&parts, Metric::Iops, &["sda"])
    }

    #[test]
    fn an_hour_takes_as_many_moments_as_a_minute() {
        let hour = Round { elapsed_ns: 3_600_000_000_000, intervals: slices(36_000), ..Round::default() };
        let line = timeline(&[hour], &Stage::default());
        assert_eq!((line.moments.len(), line.directions()), (120, vec![0, 1]));
        let first = &line.moments[0];
        assert_eq!((first.rates, first.spread.histogram().count()), ([500.0, 50.0, 0.0], 300 * 50));
        assert_eq!((first.from_s, first.to_s), (0.0, 30.0));
    }

    #[test]
    fn runs_stand_beside_each_other_with_the_state_around_them() {
        let state =
            |celsius, throttles| DriveState { temperature_celsius: Some(celsius), throttles: Some(throttles), ..DriveState::default() };
        let drive = DriveBracket { name: "sda".into(), before: state(30.0, 1), after: state(41.0, 2) };
        let other = DriveBracket { name: "sdb".into(), before: state(60.0, 0), after: state(70.0, 9) };
        let stage = Stage { drives: vec![drive, other], ..Stage::default() };
        let round = Round { elapsed_ns: 200_000_000, intervals: slices(2), ..Round::default() };
        let line = timeline(&[round.clone(), round], &stage);
        assert_eq!(line.moments.iter().map(|moment| moment.run).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!((line.runs[1].start_s, line.runs[1].celsius, line.runs[1].throttled), (0.2, Some((30.0, 41.0)), true));
        let idle = timeline(&[Round { elapsed_ns: 1, ..Round::default() }], &Stage::default());
        assert!(idle.moments.is_empty() && idle.runs[0].celsius.is_none() && idle.runs[0].cpu_busy.is_none() && !idle.runs[0].throttled);
    }
}
