//! The curves of sweeps over each other: each series that at least two of the runs have, with its points in each run.

use crate::base::distinct::distinct_by;
use crate::claim::{Metric, Statistic};
use crate::measured::{Context, Measured};
use crate::sweep::{Axis, LinePoint, SeriesLine, VERB, series_title};
use crate::text::visible;
use crate::workload::Workload;
use serde::Serialize;

/// One series in all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Curve {
    /// The condition that rises.
    pub axis: Axis,
    /// The conditions of one of its cells; all but the axis are those of all.
    pub workload: Workload,
    /// The metric of the rates of its points.
    pub metric: Metric,
    /// The points of each run, in the order of the axis; none of a run that has no such series.
    pub points: Vec<Vec<CurvePoint>>,
}

/// One cell of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurvePoint {
    /// The value on the axis.
    pub at: u32,
    /// I/Os outstanding in total.
    pub outstanding: u32,
    /// Rate in the unit of the curve's metric, the median of rounds.
    pub rate: f64,
    /// Mean latency of all I/Os, as in the matrix of a sweep. Nanoseconds.
    pub latency_ns: f64,
}

impl Curve {
    /// A line for each run, under the run's letter.
    pub fn lines(&self) -> Vec<SeriesLine> {
        let point = |of: &CurvePoint| {
            let (at, label) = self.axis.along(of.at, of.outstanding);
            LinePoint { at, label, rate: of.rate, latency_ns: of.latency_ns }
        };
        let line = |(run, points): (usize, &Vec<CurvePoint>)| SeriesLine {
            title: self.title(),
            group: self.title(),
            name: super::words::letter(run),
            backend: None,
            axis: self.axis,
            points: points.iter().map(point).collect(),
            metric: self.metric,
            full: None,
        };
        self.points.iter().enumerate().map(line).collect()
    }

    pub fn title(&self) -> String {
        visible(&series_title(self.axis, &self.workload))
    }
}

/// Fewer points are no curve.
const FEWEST_POINTS: usize = 2;

/// The series that at least two of the runs have; none where fewer than two of them are sweeps.
pub(super) fn curves(contexts: &[Context]) -> Vec<Curve> {
    let sweeps: Vec<&Context> = contexts.iter().filter(|context| context.record.verb == VERB).collect();
    if sweeps.len() < 2 {
        return Vec::new();
    }
    let axis = Axis::of(sweeps.iter().flat_map(|context| context.counted()).map(Measured::workload));
    let cells = sweeps.iter().flat_map(|context| context.counted()).map(Measured::workload);
    let series = distinct_by(cells, |one, other| axis.rest(one) == axis.rest(other));
    series.into_iter().map(|workload| curve(axis, workload.clone(), contexts)).filter(is_shared).collect()
}

fn is_shared(curve: &Curve) -> bool {
    curve.points.iter().filter(|points| points.len() >= FEWEST_POINTS).count() > 1
}

fn curve(axis: Axis, workload: Workload, contexts: &[Context]) -> Curve {
    let metric = if axis == Axis::BlockSize { Metric::Throughput } else { Metric::Iops };
    let rest = axis.rest(&workload);
    let points = |context: &Context| {
        let own = context.counted().filter(|measured| context.record.verb == VERB && axis.rest(measured.workload()) == rest);
        let mut points: Vec<CurvePoint> = own.filter_map(|measured| point(axis, metric, measured)).collect();
        points.sort_by_key(|point| point.at);
        points
    };
    let points = contexts.iter().map(points).collect();
    Curve { axis, workload, metric, points }
}

fn point(axis: Axis, metric: Metric, measured: &Measured) -> Option<CurvePoint> {
    let workload = measured.workload();
    let latency_ns = measured.estimate(Metric::Latency, Some(Statistic::Mean))?.median;
    let rate = measured.estimate(metric, None)?.median;
    Some(CurvePoint { at: axis.value(workload), outstanding: workload.outstanding(), rate, latency_ns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunRecord;
    use crate::testing::record_with;

    /// A sweep of one workload over these depths.
    fn sweep(depths: &[u32]) -> RunRecord {
        let mut record = record_with(|workload, _| 1000.0 * f64::from(workload.outstanding()));
        record.verb = VERB.into();
        record.jobs.truncate(depths.len());
        record.stages.retain(|stage| (stage.rounds[0].job as usize) < depths.len());
        let first = record.jobs[0].workload.clone();
        record.jobs.iter_mut().zip(depths).for_each(|(job, depth)| job.workload = Workload { depth: *depth, ..first.clone() });
        record
    }

    fn of(records: &[&RunRecord]) -> Vec<Curve> {
        curves(&records.iter().map(|record| Context::new(record)).collect::<Vec<_>>())
    }

    #[test]
    fn cells_of_one_run_alone_are_points_of_its_curve_too() {
        let (short, long) = (sweep(&[2, 1]), sweep(&[1, 2, 4]));
        let curves = of(&[&short, &long]);
        assert_eq!(curves.len(), 1);
        let at = |run: usize| curves[0].points[run].iter().map(|point| point.at).collect::<Vec<_>>();
        assert_eq!((at(0), at(1)), (vec![1, 2], vec![1, 2, 4]));
    }

    #[test]
    fn the_latency_of_a_point_is_of_all_ios_as_in_the_matrix() {
        // One round has as many I/Os as the others together, each of a fifth of their time.
        let mut uneven = record_with(|_, run| if run == 0 { 500_000.0 } else { 100_000.0 });
        uneven.verb = VERB.into();
        uneven.jobs.truncate(2);
        uneven.stages.retain(|stage| stage.rounds[0].job < 2);
        let first = uneven.jobs[0].workload.clone();
        uneven.jobs.iter_mut().zip([1, 2]).for_each(|(job, depth)| job.workload = Workload { depth, ..first.clone() });
        let context = Context::new(&uneven);
        let merged: Vec<f64> = context.counted().map(|measured| measured.merged_latency().mean_ns().unwrap()).collect();
        let curves = of(&[&uneven, &uneven]);
        assert_eq!(curves[0].points[1].iter().map(|point| point.latency_ns).collect::<Vec<_>>(), merged);
    }

    #[test]
    fn other_runs_have_no_curves() {
        let mut other = sweep(&[1, 2, 4]);
        assert_eq!(of(&[&sweep(&[1, 2]), &sweep(&[1])]), [], "one cell is no curve");
        other.verb = "verify".into();
        assert_eq!(of(&[&sweep(&[1, 2]), &other]), []);
    }
}
