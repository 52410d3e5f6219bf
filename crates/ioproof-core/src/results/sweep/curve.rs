//! The shape of a curve of throughput and latency over the I/O outstanding: its floor, its ceiling, its knee, and where more of it only queues.
//!
//! - The *knee* is where power, throughput over latency, is greatest: beyond it latency grows by a larger share than throughput does (Giessler, Hänle, König &
//!   Pade 1978, doi 10.1016/0376-5075(78)90045-X; Kleinrock 1979, "Power and deterministic rules of thumb").
//! - By Little's law (1961, doi 10.1287/opre.9.3.383) outstanding = throughput x latency: where throughput stays, what is outstanding beyond it waits in a
//!   queue, and latency grows by as much.

use serde::{Deserialize, Serialize};

/// A rise of throughput by less than this share is none, where intervals do not tell it either.
const NO_RISE: f64 = 0.02;
/// Least share of the ceiling that a cell has from which on more only queues, however wide its interval is.
const FULL: f64 = 0.9;
/// Steps without a rise, one behind the other, after which nothing more is learned.
const STEPS_WITHOUT: usize = 2;

/// One cell of a curve, as far as its shape goes by it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// I/Os outstanding in total.
    pub outstanding: u32,
    /// Median of the throughput, in I/Os per second.
    pub iops: f64,
    /// Ends of its interval; the same as the median where there is none.
    pub iops_low: f64,
    pub iops_high: f64,
    /// Mean latency. Nanoseconds.
    pub latency_ns: f64,
}

/// Positions of what is special, in a curve whose points are in the order of what is outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shape {
    /// The least mean latency.
    pub floor: usize,
    /// The greatest throughput.
    pub ceiling: usize,
    /// The greatest throughput over latency; beyond it latency grows faster than throughput.
    pub knee: usize,
    /// The first one that has nine tenths of the ceiling and cannot be told from it, where others come after it: these only queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<usize>,
}

impl Shape {
    /// Of a curve; `None` for fewer than three points.
    pub fn of(points: &[Point]) -> Option<Self> {
        if points.len() < 3 {
            return None;
        }
        let most = |value: &dyn Fn(&Point) -> f64| {
            let better = |best: usize, at: usize| if value(&points[at]) > value(&points[best]) { at } else { best };
            (0..points.len()).reduce(better).unwrap_or(0)
        };
        let ceiling = most(&|point| point.iops);
        let is_full = |point: &Point| point.iops >= FULL * points[ceiling].iops && !rises(point, &points[ceiling]);
        let full = points.iter().position(is_full).filter(|full| full + 1 < points.len());
        Some(Self { floor: most(&|point| -point.latency_ns), ceiling, knee: most(&|point| point.iops / point.latency_ns.max(1.0)), full })
    }
}

/// True where a curve that was climbed so far shows that more outstanding brings no more throughput.
pub fn is_flat(points: &[Point]) -> bool {
    let Some(before) = points.len().checked_sub(STEPS_WITHOUT + 1) else { return false };
    points[before + 1..].iter().all(|later| !rises(&points[before], later))
}

/// True where the second has more throughput than the first, by their intervals and by a share that is worth the name.
fn rises(first: &Point, second: &Point) -> bool {
    second.iops > first.iops * (1.0 + NO_RISE) && second.iops_low > first.iops_high
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(outstanding: u32, iops: f64) -> Point {
        let latency_ns = f64::from(outstanding) / iops * 1e9;
        Point { outstanding, iops, iops_low: iops * 0.99, iops_high: iops * 1.01, latency_ns }
    }

    /// A station of so many slots that each take so long: throughput min(depth, slots) / time.
    fn station(slots: u32, service_ns: f64, depths: &[u32]) -> Vec<Point> {
        depths.iter().map(|depth| point(*depth, f64::from((*depth).min(slots)) / service_ns * 1e9)).collect()
    }

    const DEPTHS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

    #[test]
    fn a_station_of_eight_slots_is_full_at_eight() {
        let shape = Shape::of(&station(8, 100_000.0, &DEPTHS)).unwrap();
        assert_eq!(shape, Shape { floor: 0, ceiling: 3, knee: 3, full: Some(3) });
    }

    #[test]
    fn a_curve_that_still_rises_is_full_nowhere() {
        let shape = Shape::of(&station(1000, 100_000.0, &DEPTHS)).unwrap();
        assert_eq!((shape.ceiling, shape.knee, shape.full), (8, 8, None));
    }

    #[test]
    fn the_published_drive() {
        // IOPS of a PM1733 with 4 KiB sequential writes by one worker, depth 1 to 256.
        let iops = [102_351.15, 195_578.43, 332_707.70, 494_580.12, 604_705.96, 620_312.92, 630_753.78, 632_426.65, 633_949.05];
        let points: Vec<Point> = DEPTHS.iter().zip(iops).map(|(depth, iops)| point(*depth, iops)).collect();
        let shape = Shape::of(&points).unwrap();
        assert_eq!((shape.floor, shape.ceiling), (0, 8));
        assert_eq!(DEPTHS[shape.knee], 8, "latency grows by 64 % from 8 to 16, throughput by 22 %");
        assert_eq!(shape.full.map(|full| DEPTHS[full]), Some(64), "intervals of 1 % do not tell it from the ceiling");
    }

    #[test]
    fn climbing_ends_after_two_steps_without_a_rise() {
        let all = station(8, 100_000.0, &DEPTHS);
        let flat: Vec<bool> = (0..=all.len()).map(|so_far| is_flat(&all[..so_far])).collect();
        assert_eq!(flat.iter().position(|flat| *flat), Some(6), "8 is the last that rises, 16 and 32 do not");
        assert!(!is_flat(&[]) && !is_flat(&station(1000, 100_000.0, &DEPTHS)));
    }

    #[test]
    fn a_single_bad_step_ends_nothing() {
        let points = [point(1, 10.0), point(2, 20.0), point(4, 19.0), point(8, 60.0)];
        assert!(!is_flat(&points[..3]) && !is_flat(&points));
    }

    proptest! {
        #[test]
        fn positions_are_those_of_points(iops in prop::collection::vec(0.0f64..1e7, 0..12)) {
            let points: Vec<Point> = (0..).zip(&iops).map(|(at, iops)| point(1 << at, *iops)).collect();
            match Shape::of(&points) {
                Some(shape) => prop_assert!([Some(shape.floor), Some(shape.ceiling), Some(shape.knee), shape.full].into_iter().flatten().all(|at| at < points.len())),
                None => prop_assert!(points.len() < 3),
            }
        }
    }
}
