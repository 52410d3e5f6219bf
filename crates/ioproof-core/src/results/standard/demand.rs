//! Demand intensity: the grid as curves, and the three points that the specification picks from it.

use super::{Demand, StandardCell, StandardResults, TestResult};
use crate::metric::Metric;
use crate::record::Round;
use crate::standard::Test;
use crate::sweep::{Axis, LinePoint, Point, SeriesLine, Shape};
use crate::units::latency;
use crate::workload::Workload;
use std::collections::BTreeSet;

/// Longest average response time at the point of the most IOPS. Nanoseconds.
const MOST_RESPONSE_NS: f64 = 5e6;

impl Demand {
    pub(super) fn of(cell: &Workload, rounds: &[&Round]) -> Self {
        let sum: f64 = rounds.iter().map(|round| round.value_of(Metric::Latency)).sum();
        Self { workers: cell.workers, depth: cell.depth, response_ns: sum / rounds.len().max(1) as f64 }
    }
}

/// A cell with its place in the grid.
type Placed<'a> = (&'a StandardCell, Demand);

fn placed(of: &TestResult) -> impl Iterator<Item = Placed<'_>> {
    of.cells.iter().filter_map(|cell| Some((cell, cell.demand?)))
}

impl StandardResults {
    /// The grid of demand intensity as curves, one for each thread count; none of other tests.
    pub fn curves(&self) -> Vec<SeriesLine> {
        let Some(test) = self.tests.iter().find(|of| of.test == Test::DemandIntensity) else { return Vec::new() };
        let threads: BTreeSet<u32> = placed(test).map(|(_, at)| at.workers).collect();
        threads.into_iter().map(|count| curve(test, count)).collect()
    }
}

fn curve(test: &TestResult, threads: u32) -> SeriesLine {
    let (group, name) = (format!("{}: demand intensity", test.test.title()), format!("TC {threads}"));
    let point = |(cell, at): Placed<'_>| {
        let outstanding = at.workers * at.depth;
        LinePoint { at: outstanding.into(), label: outstanding.to_string(), rate: cell.average, latency_ns: at.response_ns }
    };
    let mut points: Vec<LinePoint> = placed(test).filter(|(_, at)| at.workers == threads).map(point).collect();
    points.sort_by(|a, b| a.at.total_cmp(&b.at));
    let full = Shape::of(&points.iter().map(plain).collect::<Vec<_>>()).and_then(|shape| shape.full);
    SeriesLine { title: format!("{group}, {name}"), group, name, backend: None, axis: Axis::Depth, points, metric: Metric::Iops, full }
}

/// A point without an interval.
fn plain(of: &LinePoint) -> Point {
    Point { outstanding: of.at as u32, iops: of.rate, iops_low: of.rate, iops_high: of.rate, latency_ns: of.latency_ns }
}

/// MaxIOPS, MidIOPS and MinIOPS, a sentence each; none where every response took too long.
pub(super) fn points(test: &TestResult) -> Vec<String> {
    let fast = || placed(test).filter(|(_, at)| at.response_ns < MOST_RESPONSE_NS);
    let most = fast().max_by(|a, b| a.0.average.total_cmp(&b.0.average));
    let Some((most, least)) = most.zip(placed(test).find(|(_, at)| (at.workers, at.depth) == (1, 1))) else { return Vec::new() };
    let middle = f64::midpoint(most.0.average, least.0.average);
    let from_middle = |of: &Placed<'_>| (of.0.average - middle).abs();
    let mid = fast().min_by(|a, b| from_middle(a).total_cmp(&from_middle(b))).unwrap_or(most);
    let sentence = |name: &str, (cell, at): Placed<'_>| {
        let (iops, response) = (Metric::Iops.show(cell.average), latency(at.response_ns));
        format!("{name}: {iops} at an average response time of {response} (TC {}, QD {}).", at.workers, at.depth)
    };
    let bound = format!("MaxIOPS below {}", latency(MOST_RESPONSE_NS));
    vec![sentence(&bound, most), sentence("MidIOPS", mid), sentence("MinIOPS", least)]
}

#[cfg(test)]
mod tests {
    use super::super::tests::run_by;
    use super::*;
    use crate::judge::judge;

    #[test]
    fn the_grid_is_told_by_thread_count_and_by_three_points() {
        // A thousand I/Os a second for each that is outstanding, up to a limit.
        let rate = |cell: &Workload| (f64::from(cell.outstanding()) * 1000.0).min(90_000.0);
        let record = run_by(&[Test::DemandSaturation, Test::DemandIntensity], |_, _, cell| rate(cell));
        let standard = judge(&record).results.standard.unwrap();
        assert_eq!(record.stages.len(), 5 * 30 + 5 * 50, "no passes; five looks, and five rounds");
        assert_eq!((standard.tests[1].cells.len(), standard.tests[1].is_steady()), (49, true));
        let curves = standard.curves();
        let first: Vec<f64> = curves[0].points.iter().map(|point| point.at).collect();
        assert_eq!((curves.len(), curves[0].name.as_str(), first), (7, "TC 1", vec![1.0, 2.0, 4.0, 6.0, 8.0, 16.0, 32.0]));
        let says = points(&standard.tests[1]);
        assert!(says[0].starts_with("MaxIOPS below 5 ms: 90 kIOPS"), "the greatest demand waits for 11 ms: {says:?}");
        assert!(
            says[1].starts_with("MidIOPS: 48 kIOPS") && says[2].contains("1000 IOPS") && says[2].ends_with("(TC 1, QD 1)."),
            "{says:?}"
        );
        let tables = standard.tables();
        let names: Vec<&str> = tables.iter().map(|table| table.id).collect();
        assert_eq!(names, ["DIRTH IOPS", "DIRTH response", "DIRTH precond. steady state", "DIRTH steady state"]);
        assert_eq!((tables[0].rows.len(), tables[0].columns[8].name.as_str()), (7, "TC 32"));
    }
}
