//! The same job by fio and by ioproof, and whether both did the same: which blocks, what sizes, how often, at what pace, how long it took.
//!
//! Needs fio and strace, no root (`cargo xtask test` brings them in). What is done is seen from outside (`against_fio/trace.rs`), so that no
//! program vouches for itself. How fast either is says nothing here, except where a job sets its pace.

mod jobs;
mod shares;
mod trace;

use crate::common::{MIB, Sandbox};
use ioproof_core::histogram::Histogram;
use jobs::{ours, ours_queued, ours_traced, theirs, theirs_traced};
use serde_json::Value;
use shares::{assert_share, share_of_most_used};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use trace::TracedCall;

/// Jobs that keep a pace or are timed run alone; the others may run side by side.
static ALONE: RwLock<()> = RwLock::new(());

// A test that has failed must not fail the others.
fn alone() -> RwLockWriteGuard<'static, ()> {
    ALONE.write().unwrap_or_else(PoisonError::into_inner)
}

fn side_by_side() -> RwLockReadGuard<'static, ()> {
    ALONE.read().unwrap_or_else(PoisonError::into_inner)
}

const BLOCK: u64 = 4096;
/// Of the files that are covered once.
const FILE_BYTES: u64 = 16 * MIB;
const BLOCKS: u64 = FILE_BYTES / BLOCK;

/// Flags that let ioproof write to the file `data` and end after so many I/Os.
fn writes(ios: &str) -> [&str; 7] {
    ["data", "--overwrite", "data", "--time", "10m", "--ios", ios]
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The blocks that were written, in order.
fn written(calls: &[TracedCall]) -> Vec<u64> {
    let offset = |call: &TracedCall| if let TracedCall::Write { bytes: BLOCK, offset } = call { Some(*offset) } else { None };
    calls.iter().filter_map(offset).collect()
}

#[track_caller]
fn assert_covers_the_file_once(calls: &[TracedCall]) {
    let mut blocks = written(calls);
    assert_eq!((blocks.len(), calls.len()), (BLOCKS as usize, BLOCKS as usize), "I/Os of one pass");
    assert!(!blocks.is_sorted(), "a random pass");
    blocks.sort_unstable();
    assert!(blocks.iter().copied().eq((0..BLOCKS).map(|n| n * BLOCK)), "not each block once");
}

#[test]
fn a_random_pass_writes_every_block_once() {
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", FILE_BYTES);
    let theirs = theirs_traced(
        &sandbox,
        &["--filename=data", "--direct=1", "--rw=randwrite", "--bs=4k", "--verify=pattern", "--verify_pattern=%o", "--do_verify=0"],
    );
    assert_covers_the_file_once(&theirs.calls);
    for (n, block) in std::fs::read(&file).unwrap().chunks(BLOCK as usize).enumerate() {
        assert!(block.starts_with(&(n as u64 * BLOCK).to_le_bytes()), "fio left its offset in block {n}");
    }
    let ours = ours_traced(&sandbox, &[&writes("4096")[..], &["--rw", "randwrite", "--bs", "4KiB", "--distribution", "once"]].concat());
    assert_covers_the_file_once(&ours.calls);
    let content = std::fs::read(&file).unwrap();
    let mut blocks: Vec<&[u8]> = content.chunks(BLOCK as usize).collect();
    assert!(blocks.iter().all(|block| block.starts_with(b"IOPROOF")));
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len() as u64, BLOCKS, "no two blocks are equal");
    let reports = [(number(&theirs.report["write"]["total_ios"]), number(&theirs.report["write"]["io_bytes"]))];
    assert_eq!(reports, [(ours.report.write.ios as f64, ours.report.write.bytes as f64)]);
    assert_eq!((ours.report.write.ios, ours.report.write.bytes), (BLOCKS, FILE_BYTES));
}

#[test]
fn a_sequential_pass_writes_every_block_in_order() {
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    sandbox.file("data", FILE_BYTES);
    let theirs = theirs_traced(&sandbox, &["--filename=data", "--direct=1", "--rw=write", "--bs=4k"]);
    let ours = ours_traced(&sandbox, &[&writes("4096")[..], &["--rw", "write", "--bs", "4KiB"]].concat());
    assert!(written(&theirs.calls).iter().copied().eq((0..BLOCKS).map(|n| n * BLOCK)));
    assert_eq!(ours.calls, theirs.calls);
}

#[test]
fn fio_reads_back_the_pattern_that_ioproof_wrote() {
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", FILE_BYTES);
    ours(&sandbox, &[&writes("4096")[..], &["--rw", "randwrite", "--bs", "4KiB", "--data", "pattern:5ac3f00d"]].concat());
    let verify = ["--filename=data", "--rw=read", "--bs=4k", "--verify=pattern", "--verify_pattern=0x5ac3f00d"];
    assert_eq!(theirs(&sandbox, &verify)["read"]["total_ios"], BLOCKS);
    let mut content = std::fs::read(&file).unwrap();
    content[5 * MIB as usize] ^= 1;
    std::fs::write(&file, content).unwrap();
    let mut fio = std::process::Command::new("fio");
    sandbox.prepare(&mut fio);
    let spoiled = fio.args(["--name=job", "--thread"]).args(verify).output().unwrap();
    assert!(!spoiled.status.success(), "fio would have seen a wrong bit");
}

#[test]
fn reads_and_writes_are_mixed_in_the_same_ratio() {
    const IOS: u64 = 3000;
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    sandbox.file("data", FILE_BYTES);
    let reads = |calls: &[TracedCall]| calls.iter().filter(|c| matches!(c, TracedCall::Read { .. })).count() as u64;
    let flags = ["--filename=data", "--direct=1", "--rw=randrw", "--rwmixread=70", "--bs=4k", "--norandommap", "--number_ios=3000"];
    let theirs = theirs_traced(&sandbox, &[&flags[..], &["--io_size=1g"]].concat());
    let ours = ours_traced(&sandbox, &[&writes("3000")[..], &["--rw", "randrw:70", "--bs", "4KiB"]].concat());
    assert_eq!((theirs.calls.len() as u64, ours.calls.len() as u64), (IOS, IOS));
    assert_eq!(number(&theirs.report["read"]["total_ios"]), reads(&theirs.calls) as f64);
    assert_eq!((ours.report.read.ios, ours.report.write.ios), (reads(&ours.calls), IOS - reads(&ours.calls)));
    assert_share(reads(&theirs.calls), IOS, 0.7);
    assert_share(reads(&ours.calls), IOS, 0.7);
}

#[test]
fn sizes_are_mixed_in_the_same_ratio() {
    const IOS: u64 = 3000;
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    sandbox.file("data", FILE_BYTES);
    let of_size =
        |calls: &[TracedCall], size| calls.iter().filter(|c| matches!(c, TracedCall::Write { bytes, .. } if *bytes == size)).count() as u64;
    let flags = ["--filename=data", "--direct=1", "--rw=randwrite", "--bssplit=4k/60:16k/40", "--norandommap", "--number_ios=3000"];
    let theirs = theirs_traced(&sandbox, &[&flags[..], &["--io_size=1g"]].concat());
    let ours = ours_traced(&sandbox, &[&writes("3000")[..], &["--rw", "randwrite", "--bs", "4KiB:60/16KiB:40"]].concat());
    for calls in [&theirs.calls, &ours.calls] {
        let (small, large) = (of_size(calls, 4096), of_size(calls, 16384));
        assert_eq!((small + large, calls.len() as u64), (IOS, IOS));
        assert_share(small, IOS, 0.6);
        let in_order = |(bytes, offset): (u64, u64)| offset + bytes <= FILE_BYTES && offset % 4096 == 0;
        assert!(calls.iter().filter_map(|c| c.transfer()).all(in_order), "inside the file and aligned");
    }
    let bytes = |calls: &[TracedCall]| calls.iter().filter_map(|c| c.transfer()).map(|(bytes, _)| bytes).sum::<u64>();
    assert_eq!((ours.report.write.ios, ours.report.write.bytes), (IOS, bytes(&ours.calls)));
    assert_eq!(number(&theirs.report["write"]["io_bytes"]), bytes(&theirs.calls) as f64);
}

#[test]
fn writes_are_made_durable_as_often() {
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    sandbox.file("data", FILE_BYTES);
    let syncs = |calls: &[TracedCall]| calls.iter().filter(|c| matches!(c, TracedCall::Fdatasync)).count();
    let flags = ["--filename=data", "--direct=1", "--rw=randwrite", "--bs=4k", "--number_ios=400", "--fdatasync=4"];
    let theirs = theirs_traced(&sandbox, &flags);
    let ours = ours_traced(&sandbox, &[&writes("400")[..], &["--rw", "randwrite", "--bs", "4KiB", "--sync", "fdatasync:4"]].concat());
    assert_eq!((written(&theirs.calls).len(), written(&ours.calls).len()), (400, 400));
    // Whether one follows the last write is a matter of taste.
    assert!((99..=100).contains(&syncs(&theirs.calls)), "{}", syncs(&theirs.calls));
    assert!((99..=100).contains(&syncs(&ours.calls)), "{}", syncs(&ours.calls));
    assert_eq!(ours.report.sync.ios as usize, syncs(&ours.calls));
}

#[test]
fn preferred_blocks_get_the_same_share() {
    const SPAN: u64 = 64 * MIB;
    let _side_by_side = side_by_side();
    // Neither the normal distribution, whose places fio scatters by a hash with collisions, nor free choice has preferred blocks of its own.
    for distribution in ["zipf:1.2", "pareto:0.2", "zoned:60/10:40/90"] {
        let sandbox = Sandbox::new();
        let named = format!("--random_distribution={distribution}");
        let flags = ["--filename=/dev/zero", "--size=64m", "--rw=randread", "--bs=4k", "--norandommap", "--number_ios=6000"];
        let theirs = theirs_traced(&sandbox, &[&flags[..], &["--io_size=1g", &named]].concat());
        let flags = ["/dev/zero", "--size", "64MiB", "--time", "10m", "--rw", "randread", "--bs", "4KiB", "--ios", "6000"];
        let ours = ours_traced(&sandbox, &[&flags[..], &["--distribution", distribution]].concat());
        assert_eq!((theirs.calls.len(), ours.calls.len()), (6000, 6000));
        let [theirs, ours] = [theirs.calls, ours.calls].map(|calls| share_of_most_used(&calls, SPAN / BLOCK, 0.1));
        assert!((theirs - ours).abs() < 0.03, "{distribution}: the busiest tenth of the blocks gets {ours} of the I/Os, of fio's {theirs}");
        assert!(ours > 0.45, "{distribution} prefers some blocks");
    }
}

#[test]
fn a_zone_gets_its_share_where_it_lies() {
    let _side_by_side = side_by_side();
    let sandbox = Sandbox::new();
    let zones = "zoned:60/10:40/90";
    let in_first =
        |calls: &[TracedCall]| calls.iter().filter_map(|c| c.transfer()).filter(|(_, offset)| offset * 10 < 64 * MIB).count() as u64;
    let flags = ["--filename=/dev/zero", "--size=64m", "--rw=randread", "--bs=4k", "--norandommap", "--number_ios=3000", "--io_size=1g"];
    let theirs = theirs_traced(&sandbox, &[&flags[..], &["--random_distribution=zoned:60/10:40/90"]].concat());
    let flags = ["/dev/zero", "--size", "64MiB", "--time", "10m", "--rw", "randread", "--bs", "4KiB", "--ios", "3000"];
    let ours = ours_traced(&sandbox, &[&flags[..], &["--distribution", zones]].concat());
    assert_share(in_first(&theirs.calls), 3000, 0.6);
    assert_share(in_first(&ours.calls), 3000, 0.6);
}

#[test]
fn a_fixed_rate_is_kept_by_both() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let theirs = theirs(
        &sandbox,
        &["--filename=/dev/zero", "--size=64m", "--rw=randread", "--bs=4k", "--rate_iops=1000", "--time_based", "--runtime=2"],
    );
    let ours = ours(&sandbox, &["/dev/zero", "--rw", "randread", "--bs", "4KiB", "--rate", "1000", "--time", "3s"]);
    assert!(ours.elapsed_ns > 1_900_000_000, "long enough to tell one per cent");
    let their_rate = number(&theirs["read"]["total_ios"]) * 1000.0 / number(&theirs["read"]["runtime"]);
    for rate in [their_rate, ours.iops()] {
        // A machine that stops towards the end leaves some of it undone; more than was asked for is never right.
        assert!((0.8..1.01).contains(&(rate / 1000.0)), "{rate} per second");
    }
}

#[test]
fn a_poisson_process_keeps_its_rate_where_io_is_fast() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    // Slow enough for a busy machine to make up for what it missed. The number of I/Os scatters by its own root: 0.6 % of 30,000.
    let args = ["/dev/zero", "--rw", "randread", "--bs", "4KiB", "--poisson", "20000", "--depth", "32", "--time", "2s"];
    let rate = middle([(); 3].map(|()| ours_queued(&sandbox, &args).iops()));
    assert!((0.8..1.03).contains(&(rate / 20_000.0)), "{rate} per second");
}

#[test]
fn latency_means_the_same_to_both() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    // To fill 1 MiB takes long enough for the few instructions between a stamp and the system call to be nothing, in a debug build too. Means are
    // left out: they hold what other programs take of the CPU meanwhile.
    let pairs = [(); 3].map(|()| {
        let flags = ["--filename=/dev/zero", "--size=64m", "--rw=randread", "--bs=1m", "--time_based", "--runtime=1"];
        let theirs = theirs(&sandbox, &flags);
        let ours = ours(&sandbox, &["/dev/zero", "--rw", "randread", "--bs", "1MiB", "--time", "1s"]);
        [theirs_ns(&theirs), ours_ns(&ours.read.latency)]
    });
    // Other programs spoil single pairs; a time that means something else differs in all of them.
    for (what, value) in [("least", 0), ("median", 1)] {
        let is_same = |[theirs, ours]: &[[f64; 2]; 2]| (ours[value] / theirs[value] - 1.0).abs() < 0.3;
        assert!(pairs.iter().any(is_same), "{what}: {pairs:?} ns (fio, ours)");
    }
}

#[test]
fn latency_at_a_fixed_rate_means_the_same_to_both() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    sandbox.file("data", FILE_BYTES);
    let pairs = [(); 3].map(|()| {
        let flags = ["--filename=data", "--direct=1", "--rw=randread", "--bs=4k", "--rate_iops=500", "--time_based", "--runtime=1"];
        let theirs = theirs(&sandbox, &flags);
        let ours = ours(&sandbox, &["data", "--rw", "randread", "--bs", "4KiB", "--rate", "500", "--time", "1500ms"]);
        [theirs_ns(&theirs), ours_ns(&ours.read.latency)]
    });
    // A time that begins or ends elsewhere is off by the distance of I/Os, 2 ms. Only the quickest I/O of all is free of what others do on drive and CPUs.
    let [theirs, ours] = [0, 1].map(|who| pairs.iter().map(|pair| pair[who][0]).fold(f64::INFINITY, f64::min));
    assert!((ours - theirs).abs() < 1_000_000.0, "least: {ours} ns, of fio {theirs} ns");
}

/// Least and median.
fn theirs_ns(job: &Value) -> [f64; 2] {
    [number(&job["read"]["lat_ns"]["min"]), number(&job["read"]["clat_ns"]["percentile"]["50.000000"])]
}

fn ours_ns(latency: &Histogram) -> [f64; 2] {
    [latency.min_ns().unwrap() as f64, latency.quantile_ns(0.5).unwrap() as f64]
}

fn middle(mut values: [f64; 3]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[1]
}
