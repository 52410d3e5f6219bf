//! The share of the latency that is the kernel's: series that pass its block layer or all of it by, held against the same series through it. Runs of SPDK's
//! program are held against the own driver.

use super::{Cell, Series, Sweep};
use crate::record::{OWN_DRIVER, SPDK_PERF};
use crate::units::{iops, latency, percent};
use crate::workload::Workload;

/// The backend that goes through all of the kernel.
const THROUGH: &str = "io_uring";
/// Backends that do not, each with what it passes by and in which words.
const PAST: [(&str, &str, &str); 2] = [("io_uring_cmd", "block layer", "past it"), (OWN_DRIVER, "kernel", "without it")];

/// The share of the latency at the first cell that both series have; `None` for a series that passes nothing by, or without the other.
pub(super) fn says(sweep: &Sweep, series: &Series) -> Option<String> {
    let backend = series.cells.first()?.workload.backend.as_deref();
    if backend == Some(SPDK_PERF) {
        return beside_own_driver(sweep, series);
    }
    let (_, of, how) = PAST.into_iter().find(|(past, ..)| Some(*past) == backend)?;
    let (past, through) = first_of_both(sweep, series, THROUGH)?;
    let place = place(sweep, past);
    let (with, without) = (through.latency_ns, past.latency_ns);
    let figures = format!("{} by {THROUGH}, {} {how}", latency(with.median), latency(without.median));
    if without.high >= with.low {
        return Some(format!("{of}: no share of the latency can be told from zero at {place} ({figures})"));
    }
    let share = percent(1.0 - without.median / with.median);
    let doubt = if with.is_interval() && without.is_interval() { "" } else { "; uncertain: too few runs for an interval" };
    Some(format!("{of}: {share} of the latency at {place} ({figures}){doubt}"))
}

/// Both rates, without a verdict: the program was run once.
fn beside_own_driver(sweep: &Sweep, series: &Series) -> Option<String> {
    let (theirs, own) = first_of_both(sweep, series, OWN_DRIVER)?;
    let (rate, own_rate, at) = (iops(theirs.iops.median), iops(own.iops.median), place(sweep, theirs));
    Some(format!("{SPDK_PERF}: {rate} at {at}, {own_rate} by {OWN_DRIVER}; one run, so no difference can be told"))
}

/// The first cell that the series has in common with that of a backend, and the cell of that backend.
fn first_of_both<'s>(sweep: &'s Sweep, series: &'s Series, backend: &str) -> Option<(&'s Cell, &'s Cell)> {
    let others = || sweep.cells().filter(|cell| cell.workload.backend.as_deref() == Some(backend));
    let same = |cell: &Cell| others().find(|other| is_same_but_for_backend(&other.workload, &cell.workload));
    series.cells.iter().find_map(|cell| Some((cell, same(cell)?)))
}

fn place(sweep: &Sweep, cell: &Cell) -> String {
    format!("{} {}", sweep.axis.name(), sweep.axis.place(&cell.workload))
}

fn is_same_but_for_backend(one: &Workload, other: &Workload) -> bool {
    let bare = |workload: &Workload| Workload { backend: None, ..workload.clone() };
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sweep::Axis;
    use crate::stats::{Estimate, IntervalMethod};
    use crate::workload::Pattern;

    fn estimate(low: f64, median: f64, high: f64) -> Estimate {
        Estimate { median, low, high, runs: 6, method: IntervalMethod::Rank { rank: 1, coverage: 0.97 } }
    }

    fn series(backend: &str, depth: u32, latency_ns: Estimate) -> Series {
        let workload = Workload { backend: Some(backend.into()), ..Workload::plain(Pattern::Random, 100, 4096, 1, depth) };
        let rate = estimate(1.0, 1.0, 1.0);
        let cell = Cell {
            job: 0,
            workload,
            iops: rate,
            bytes_per_s: rate,
            latency_ns,
            percentiles_ns: Vec::new(),
            extremes_ns: (1, 2),
            samples: 9,
            threads: None,
            cpu_ns_per_io: None,
            host_limit: None,
        };
        Series { cells: vec![cell], left_out: Vec::new(), shape: None }
    }

    fn said(of: [Series; 2]) -> [Option<String>; 2] {
        let sweep = Sweep { axis: Axis::Depth, series: of.to_vec() };
        [0, 1].map(|at| says(&sweep, &sweep.series[at]))
    }

    #[test]
    fn the_share_is_said_once_of_the_series_that_passes_the_block_layer_by() {
        let [through, past] = said([
            series("io_uring", 1, estimate(9_800.0, 10_000.0, 10_200.0)),
            series("io_uring_cmd", 1, estimate(7_400.0, 7_500.0, 7_600.0)),
        ]);
        assert_eq!(through, None);
        assert_eq!(past.unwrap(), "block layer: 25.0 % of the latency at queue depth 1 (10 µs by io_uring, 7.5 µs past it)");
    }

    #[test]
    fn what_the_kernel_takes_in_all_is_said_of_the_own_driver() {
        let [_, own] =
            said([series("io_uring", 1, estimate(9_800.0, 10_000.0, 10_200.0)), series("polled", 1, estimate(3_900.0, 4_000.0, 4_100.0))]);
        assert_eq!(own.unwrap(), "kernel: 60.0 % of the latency at queue depth 1 (10 µs by io_uring, 4 µs without it)");
    }

    #[test]
    fn spdk_is_held_against_the_own_driver() {
        let one = |backend| series(backend, 1, estimate(4_000.0, 4_000.0, 4_000.0));
        let [own, spdk] = said([one("polled"), one("spdk_nvme_perf")]);
        assert_eq!(own, None);
        assert_eq!(spdk.unwrap(), "spdk_nvme_perf: 1 IOPS at queue depth 1, 1 IOPS by polled; one run, so no difference can be told");
    }

    #[test]
    fn what_the_intervals_do_not_tell_apart_is_no_share() {
        let [_, past] = said([
            series("io_uring", 1, estimate(7_000.0, 10_000.0, 10_200.0)),
            series("io_uring_cmd", 1, estimate(7_400.0, 7_500.0, 7_600.0)),
        ]);
        assert!(past.unwrap().contains("no share"));
        let other_depth = said([series("io_uring", 2, estimate(1.0, 1.0, 1.0)), series("io_uring_cmd", 1, estimate(1.0, 1.0, 1.0))]);
        assert_eq!(other_depth, [None, None]);
    }
}
