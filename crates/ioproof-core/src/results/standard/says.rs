//! Conditions of the tests, and everything in which the run deviates from the specification.

use crate::course::Course;
use crate::facts::{Layer, TargetKind};
use crate::record::RunRecord;
use crate::standard::{CELL_NS, PASS_BLOCK_BYTES, PASSES, Standard, Test};
use crate::text::{counted, visible};
use crate::units::{binary_size, block_size, duration, latency};
use std::time::Duration;

pub(super) fn conditions(record: &RunRecord, standard: &Standard) -> Vec<String> {
    let Standard { class, workers, depth, .. } = standard;
    let (range, percent) = (binary_size(standard.active_range.length_bytes), class.active_range_percent());
    let purge = standard.purge.as_ref().map_or_else(|| "not purged".to_owned(), |way| format!("purged by {}", visible(way)));
    let passes =
        format!("{PASSES} x the capacity written in sequential blocks of {} before each test", block_size(PASS_BLOCK_BYTES.into()));
    let preconditioned =
        if standard.tests.iter().all(|test| test.is_preconditioned()) { passes } else { "none, as this test asks".to_owned() };
    let cache = write_cache(record).unwrap_or_else(|| "not known".into());
    vec![
        format!(
            "Class {}, active range {percent} % ({range}), {purge}. Workload-independent preconditioning: {preconditioned}.",
            class.title()
        ),
        format!(
            "Thread count {workers}, OIO of each {depth}, {} in total (IOPS, WSAT, HIR); TP and XSR 1 x 32; LAT 1 x 1; DIRTH 1 to 32 of each. Data: random. Volatile write cache: {cache}.",
            workers * depth
        ),
    ]
}

pub(super) fn deviations(record: &RunRecord, standard: &Standard, course: &Course) -> Vec<String> {
    let Some((plan, target)) = record.plan.as_ref().zip(record.target()) else { return Vec::new() };
    let purge = standard.purge.is_none().then(|| {
        let why = standard.not_purged.as_ref().map_or_else(String::new, |why| format!(" ({})", visible(why)));
        format!("the drive was not purged{why}; the specification purges before each test")
    });
    let cell = (plan.measure_ns != CELL_NS).then(|| {
        let (ran, asked) = (latency(plan.measure_ns as f64), duration(Duration::from_nanos(CELL_NS)));
        format!("each cell ran {ran}; the specification asks for {asked}")
    });
    let rests = (plan.measure_ns != CELL_NS && standard.tests.contains(&Test::HostIdle)).then(|| shorter_rests(plan.measure_ns));
    let layer = (target.facts.layer != Layer::Block || target.facts.kind != TargetKind::BlockDevice)
        .then(|| "a file on a filesystem was tested, not a device".to_owned());
    let size = (plan.span.length_bytes < target.facts.size_bytes / (1 << 20) * (1 << 20)).then(|| {
        let (used, all) = (binary_size(plan.span.length_bytes), binary_size(target.facts.size_bytes));
        format!("{used} of {all} were used (--size); the specification uses all")
    });
    let cache = write_cache(record).filter(|cache| is_other_cache(cache, standard.class.write_cache())).map(|cache| {
        format!(
            "the volatile write cache was left as it was, {cache}; {} asks for it {}",
            standard.class.title(),
            standard.class.write_cache()
        )
    });
    let left_out = course.tests.iter().filter_map(|test| {
        let missing = test.test.cells(standard).len() - test.cells.len();
        (missing > 0).then(|| {
            format!("{}: {} not run, since the target's smallest I/O is larger", test.test.title(), counted(missing as u64, "cell"))
        })
    });
    let untested: Vec<&str> = USUAL.iter().filter(|test| !standard.tests.contains(test)).map(|test| test.title()).collect();
    let is_usual = standard.tests.iter().any(|test| USUAL.contains(test));
    let untested = (!untested.is_empty() && is_usual).then(|| format!("not tested: {}", untested.join(", ")));
    let histograms = standard.tests.contains(&Test::DemandIntensity);
    let histograms = histograms.then(|| "DIRTH: the response time histograms of its three points were not measured".to_owned());
    [purge, cell, rests, layer, size, cache, histograms].into_iter().flatten().chain(left_out).chain(untested).collect()
}

/// Lengths of host idle recovery where a cell of other tests is so long (nanoseconds): its segments bear the names of the specification.
fn shorter_rests(cell_ns: u64) -> String {
    let of = |cell_ns: u64| {
        let cells = Test::HostIdle.segment_cells().map(|(_, cells)| Test::HostIdle.times_of(cells.start, cell_ns));
        let (rests, writes): (Vec<u64>, Vec<u64>) = cells.unzip();
        let shortest = rests.iter().filter(|rest| **rest > 0).min().copied().unwrap_or(0);
        [writes[0], shortest, rests.into_iter().max().unwrap_or(0)].map(|ns| latency(ns as f64))
    };
    let ([writes, least, most], [of_writes, of_least, of_most]) = (of(cell_ns), of(CELL_NS));
    format!("HIR: writes of {writes} and rests of {least} to {most}; the specification has {of_writes} and {of_least} to {of_most}")
}

/// The tests that belong to every run.
const USUAL: [Test; 4] = [Test::Iops, Test::Throughput128, Test::Throughput1024, Test::Latency];

/// State of the drive's volatile write cache as the kernel has it.
fn write_cache(record: &RunRecord) -> Option<String> {
    Some(visible(&record.drive()?.write_cache.as_ref()?.value))
}

/// The kernel calls an enabled cache `write back`, and none or a disabled one `write through` (Documentation/ABI/stable/sysfs-block).
fn is_other_cache(is: &str, asked: &str) -> bool {
    (is == "write back") != (asked == "enabled")
}
