//! Comparison of what both programs count, of their times, and of the files afterwards.

use super::pair::{Pair, Seen};
use super::shape::differ;
use serde_json::Value;
use std::collections::HashSet;

/// With `unified_rw_reporting` there is a fourth, or only that.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// Difference of success and failure.
pub fn status(pair: &Pair) -> Vec<String> {
    let said = |seen: &Seen| seen.said.lines().next_back().unwrap_or_default().to_owned();
    let mut all = differ("success", &(pair.theirs.status == 0), &(pair.ours.status == 0));
    all.iter_mut().for_each(|text| *text = format!("{text} ({} / {})", said(&pair.theirs), said(&pair.ours)));
    all.extend(pair.jobs().flat_map(|(theirs, ours)| differ("error", &theirs["error"], &ours["error"])));
    all
}

/// I/Os and bytes.
pub fn totals(pair: &Pair) -> Vec<String> {
    let of = |job: &Value| DIRECTIONS.map(|direction| (number(&job[direction]["total_ios"]), number(&job[direction]["io_bytes"])));
    pair.jobs().flat_map(|(theirs, ours)| differ("I/Os and bytes by direction", &of(theirs), &of(ours))).collect()
}

/// Reads and the bytes of them.
pub fn reads(pair: &Pair) -> Vec<String> {
    let of = |job: &Value| ["total_ios", "io_bytes"].map(|key| number(&job["read"][key]));
    pair.jobs().flat_map(|(theirs, ours)| differ("reads and bytes", &of(theirs), &of(ours))).collect()
}

fn ios(job: &Value) -> f64 {
    ["read", "write", "trim"].iter().map(|direction| number(&job[*direction]["total_ios"])).sum()
}

/// I/Os over all directions; one more or less where there is a tolerance.
pub fn sums(pair: &Pair, percent: u64) -> Vec<String> {
    let near = |(a, b): (f64, f64)| (a - b).abs() <= if percent == 0 { 0.0 } else { a.max(b) * percent as f64 / 100.0 + 1.0 };
    let sums = pair.jobs().map(|(theirs, ours)| (ios(theirs), ios(ours)));
    sums.filter(|both| !near(*both)).map(|(a, b)| format!("I/Os: fio {a}, ioproof {b}")).collect()
}

/// Bytes over all directions.
pub fn bytes(pair: &Pair) -> Vec<String> {
    let of = |job: &Value| ["read", "write", "trim"].iter().map(|side| number(&job[side]["io_bytes"])).sum::<f64>();
    let both = pair.jobs().map(|(theirs, ours)| (of(theirs), of(ours)));
    both.filter(|(a, b)| a != b).map(|(a, b)| format!("bytes: fio {a}, ioproof {b}")).collect()
}

/// The share of reads of each program: five standard deviations, beyond which one run in a million lies.
pub fn mix(pair: &Pair, percent: u64) -> Vec<String> {
    let p = percent as f64 / 100.0;
    let off = |(who, job): (&str, &Value)| {
        let (reads, all) = (number(&job["read"]["total_ios"]), ios(job));
        let limit = 5.0 * (p * (1.0 - p) / all).sqrt();
        ((reads / all - p).abs() >= limit).then(|| format!("{who}: {reads} of {all} are reads, not {percent} %"))
    };
    pair.jobs().flat_map(|(theirs, ours)| [("fio", theirs), ("ioproof", ours)]).filter_map(off).collect()
}

/// Syncs: fio does not do the one that follows the last write.
pub fn syncs(pair: &Pair) -> Vec<String> {
    // Its total leaves out fdatasync(2) and sync_file_range(2), the number of latencies does not.
    let of = |job: &Value| number(&job["sync"]["lat_ns"]["N"]);
    let both = pair.jobs().map(|(theirs, ours)| (of(theirs), of(ours)));
    both.filter(|(a, b)| b - a < 0.0 || b - a > 1.0 || *a == 0.0 && *b > 0.0).map(|(a, b)| format!("syncs: fio {a}, ioproof {b}")).collect()
}

/// Within 5 % and what a process takes to start.
pub fn runtime(pair: &Pair) -> Vec<String> {
    let both = pair.jobs().map(|(theirs, ours)| (number(&theirs["job_runtime"]), number(&ours["job_runtime"])));
    both.filter(|(a, b)| (a - b).abs() > a * 0.05 + 25.0).map(|(a, b)| format!("runtime: fio {a} ms, ioproof {b} ms")).collect()
}

/// Within 2 % and one I/O.
pub fn rate(pair: &Pair) -> Vec<String> {
    let mut all = Vec::new();
    for (theirs, ours) in pair.jobs() {
        for direction in DIRECTIONS {
            let [a, b] = [theirs, ours].map(|job| number(&job[direction]["iops"]));
            let one = 1000.0 / number(&ours[direction]["runtime"]).max(1.0);
            if (a - b).abs() > a * 0.02 + one {
                all.push(format!("{direction}s per second: fio {a:.1}, ioproof {b:.1}"));
            }
        }
    }
    all
}

/// Every byte of every file.
pub fn contents(pair: &Pair) -> Vec<String> {
    let differs = |name: &&String| pair.theirs.content(name) != pair.ours.content(name);
    common_files(pair).filter(differs).map(|name| format!("the content of {name}")).collect()
}

fn common_files(pair: &Pair) -> impl Iterator<Item = &String> {
    pair.ours.files.keys().filter(|name| pair.theirs.files.contains_key(*name))
}

/// The share of the commonest byte.
pub fn compressible(pair: &Pair) -> Vec<String> {
    let share = |content: &[u8]| {
        let mut counts = [0u64; 256];
        content.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        counts.into_iter().max().unwrap_or(0) as f64 / content.len() as f64
    };
    near(pair, "share of one byte", 0.03, share)
}

/// The share of blocks that were seen before.
pub fn duplicates(pair: &Pair) -> Vec<String> {
    let share = |content: &[u8]| {
        let blocks: Vec<&[u8]> = content.chunks(4096).collect();
        1.0 - blocks.iter().collect::<HashSet<_>>().len() as f64 / blocks.len() as f64
    };
    near(pair, "share of blocks that were seen before", 0.1, share)
}

fn near(pair: &Pair, what: &str, limit: f64, of: impl Fn(&[u8]) -> f64) -> Vec<String> {
    let both = common_files(pair).map(|name| (name, of(&pair.theirs.content(name)), of(&pair.ours.content(name))));
    both.filter(|(_, a, b)| (a - b).abs() > limit).map(|(name, a, b)| format!("{what} of {name}: fio {a:.3}, ioproof {b:.3}")).collect()
}
