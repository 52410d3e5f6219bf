//! The engine on a real file: what it says that it did is held against what is on the file afterwards. No test asserts a speed.

use crate::common::{BACKENDS, MIB, blocks, go, job, scratch, short_time, workload};
use ioproof_core::faults::Faults;
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::record::RoundOutcome;
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, Control, EngineError, Options, run};
use ioproof_target::mark::MARK;
use ioproof_target::{Handle, System};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn a_covering_job_writes_every_block_once_and_no_two_alike() {
    for backend in BACKENDS {
        for (pattern, block, workers) in [(Pattern::Sequential, 1 << 17, 1), (Pattern::Sequential, 4096, 3), (Pattern::Random, 4096, 1)] {
            let handle = scratch(4 * MIB);
            let outcome = go(&job(workload(pattern, 0, block, workers, 4), 4 * MIB, Until::SpanCovered), &handle, backend, None);
            assert_eq!(outcome.outcome, RoundOutcome::Complete);
            // psync keeps depth by threads, and each of them makes its own random pass.
            let passes = if backend == BackendChoice::PSYNC && pattern == Pattern::Random { 4 } else { 1 };
            assert_eq!(outcome.total_bytes, (0, 4 * MIB * passes), "{backend:?} {pattern:?}");
            let found = blocks(&handle, 4 * MIB);
            assert!(found.iter().all(|b| b.starts_with(&MARK)), "{backend:?} {pattern:?}: a block was left out");
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len(), "two blocks are alike");
        }
    }
}

#[test]
fn counts_bytes_and_histograms_agree() {
    for backend in BACKENDS {
        let handle = scratch(8 * MIB);
        go(&job(workload(Pattern::Sequential, 0, 1 << 20, 1, 2), 8 * MIB, Until::SpanCovered), &handle, backend, None);
        let spec = JobSpec { ramp_ns: 50_000_000, ..job(workload(Pattern::Random, 100, 4096, 2, 4), 8 * MIB, short_time()) };
        let outcome = go(&spec, &handle, backend, None);
        assert_eq!(outcome.outcome, RoundOutcome::Complete);
        assert!(outcome.read.ios > 0 && outcome.write.ios == 0);
        assert_eq!(outcome.read.bytes, outcome.read.ios * 4096);
        assert_eq!(outcome.read.latency.count(), outcome.read.ios);
        assert_eq!(outcome.workers.iter().map(|w| w.ios).sum::<u64>(), outcome.read.ios);
        assert!(outcome.total_bytes.0 > outcome.read.bytes, "the ramp is in the total only");
        assert!(outcome.elapsed_ns >= 200_000_000);
        let sampled: u64 = outcome.intervals.iter().map(|i| i.read_bytes).sum();
        assert!(sampled > 0 && sampled <= outcome.total_bytes.0);
        assert!(outcome.workers.iter().all(|w| w.cpu_user_ns + w.cpu_system_ns > 0));
    }
}

#[test]
fn outstanding_io_obeys_littles_law() {
    let handle = scratch(8 * MIB);
    go(&job(workload(Pattern::Sequential, 0, 1 << 20, 1, 2), 8 * MIB, Until::SpanCovered), &handle, BackendChoice::IO_URING, None);
    let outcome = go(&job(workload(Pattern::Random, 100, 4096, 1, 8), 8 * MIB, short_time()), &handle, BackendChoice::IO_URING, None);
    // Every slot is occupied from its stamp to its completion, and free only while the loop turns.
    let under_way = (outcome.read.latency.sum_ns() as i64 + outcome.edge_ns) as f64 / outcome.elapsed_ns as f64;
    assert!(under_way <= 8.0 && under_way > 4.0, "{under_way} I/Os outstanding of 8");
}

#[test]
fn a_mix_keeps_its_share() {
    let handle = scratch(8 * MIB);
    let outcome =
        go(&job(workload(Pattern::Random, 70, 4096, 1, 8), 8 * MIB, Until::ElapsedNs(500_000_000)), &handle, BackendChoice::IO_URING, None);
    let all = (outcome.read.ios + outcome.write.ios) as f64;
    let share = outcome.read.ios as f64 / all;
    // Five standard deviations of a binomial draw.
    assert!((share - 0.7).abs() < 5.0 * (0.21 / all).sqrt(), "{share} of {all}");
}

#[test]
fn a_durable_write_is_a_write_and_its_sync() {
    for backend in BACKENDS {
        let handle = scratch(MIB);
        let durable = Workload { durability: Durability::FdatasyncEach, ..workload(Pattern::Random, 0, 4096, 1, 1) };
        let outcome = go(&job(durable, MIB, Until::Ios(50)), &handle, backend, None);
        let both = outcome.durable.unwrap();
        assert_eq!(both.count(), outcome.sync.ios);
        assert!(outcome.write.ios.abs_diff(outcome.sync.ios) <= 1, "{} writes, {} syncs", outcome.write.ios, outcome.sync.ios);
        assert!(both.mean_ns().unwrap() > outcome.sync.latency.mean_ns().unwrap());
    }
}

#[test]
fn the_same_seed_visits_the_same_blocks() {
    // A job that writes part of a file in random order marks the same blocks again with the same seed, and others with another.
    let marked = |seed| {
        let handle = scratch(4 * MIB);
        let faults: Faults = "gone_after=64".parse().unwrap();
        let spec = JobSpec { seed, ..job(workload(Pattern::Random, 0, 4096, 1, 1), 4 * MIB, Until::SpanCovered) };
        go(&spec, &handle, BackendChoice::IO_URING, Some(faults));
        blocks(&handle, 4 * MIB).iter().map(|b| b.starts_with(&MARK)).collect::<Vec<bool>>()
    };
    let first = marked(1);
    assert!(first == marked(1) && first != marked(2));
    assert_eq!(first.iter().filter(|m| **m).count(), 65, "64 good writes and the first that fails, which the file took all the same");
}

#[test]
fn failed_io_is_counted_and_ends_the_job() {
    for backend in BACKENDS {
        let handle = scratch(MIB);
        let spec = job(workload(Pattern::Random, 100, 4096, 1, 1), MIB, short_time());
        let outcome = go(&spec, &handle, backend, Some("fail_after=20".parse().unwrap()));
        assert_eq!(outcome.outcome, RoundOutcome::Failed);
        assert_eq!(outcome.errors.failed, 10, "as many as the limit allows");
        assert_eq!(outcome.read.ios, 20);
        let first = outcome.errors.first.unwrap();
        assert_eq!((first.operation.as_str(), first.errno), ("read", 5));
        let short = go(&spec, &handle, backend, Some("short=1".parse().unwrap()));
        assert_eq!((short.outcome, short.errors.short), (RoundOutcome::Failed, 10));
        let gone = go(&spec, &handle, backend, Some("gone_after=5".parse().unwrap()));
        assert_eq!((gone.outcome, gone.errors.failed), (RoundOutcome::Failed, 1));
    }
}

#[test]
fn few_errors_do_not_end_the_job() {
    let handle = scratch(MIB);
    let spec = JobSpec { error_limit: u64::MAX, ..job(workload(Pattern::Random, 100, 4096, 1, 2), MIB, short_time()) };
    let outcome = go(&spec, &handle, BackendChoice::IO_URING, Some("errors=0.1,seed=1".parse().unwrap()));
    assert_eq!(outcome.outcome, RoundOutcome::Complete);
    assert!(outcome.errors.failed > 0 && outcome.read.ios > outcome.errors.failed);
}

#[test]
fn io_that_never_returns_ends_as_hung() {
    for backend in BACKENDS {
        let handle = scratch(MIB);
        let spec = JobSpec { io_timeout_ns: 300_000_000, ..job(workload(Pattern::Random, 100, 4096, 1, 1), MIB, short_time()) };
        let outcome = go(&spec, &handle, backend, Some("hang_at=5".parse().unwrap()));
        assert_eq!(outcome.outcome, RoundOutcome::Hung, "{backend:?}");
        assert_eq!(outcome.errors.lost, 1);
        assert_eq!(outcome.read.ios, 4);
    }
}

#[test]
fn the_user_can_stop_a_job() {
    for backend in BACKENDS {
        let handle = scratch(MIB);
        let stop = AtomicBool::new(false);
        let options = Options::new(backend, ClockChoice::System);
        let spec = job(workload(Pattern::Random, 100, 4096, 2, 2), MIB, Until::ElapsedNs(3_600_000_000_000));
        let began = Instant::now();
        let outcome =
            run(&spec, &[&handle], &options, Control { stop: &stop, observe: &mut |_| stop.store(true, Ordering::Relaxed) }).unwrap();
        assert_eq!(outcome.outcome, RoundOutcome::Interrupted);
        assert!(began.elapsed() < Duration::from_secs(60), "an hour was asked for");
    }
}

#[test]
fn jobs_that_do_not_fit_are_refused_before_anything_is_written() {
    let handle = scratch(MIB);
    let options = Options::new(BackendChoice::AUTO, ClockChoice::System);
    let stop = AtomicBool::new(false);
    let refused =
        |spec: JobSpec, handle: &Handle| run(&spec, &[handle], &options, Control { stop: &stop, observe: &mut |_| {} }).unwrap_err();
    let good = job(workload(Pattern::Random, 0, 4096, 1, 1), MIB, short_time());
    let outside = JobSpec { span: Span { offset_bytes: MIB, length_bytes: MIB }, ..good.clone() };
    let odd = JobSpec { workload: Workload { block_bytes: 1000, ..good.workload.clone() }, ..good.clone() };
    let nothing = JobSpec { workload: Workload { depth: 0, ..good.workload.clone() }, ..good.clone() };
    let crowd = JobSpec { workload: Workload { workers: 1000, ..good.workload.clone() }, ..good.clone() };
    for bad in [outside, odd, nothing, crowd] {
        assert!(matches!(refused(bad, &handle), EngineError::BadJob(_)));
    }
    assert!(blocks(&handle, MIB).iter().all(|b| b.iter().all(|byte| *byte == 0)));
}

#[test]
fn a_handle_for_reading_is_never_written() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, vec![7u8; MIB as usize]).unwrap();
    let target = ioproof_target::resolve(&System::host(), &path).unwrap();
    let handle = ioproof_target::open_to_read(&target).unwrap();
    let options = Options::new(BackendChoice::AUTO, ClockChoice::System);
    let stop = AtomicBool::new(false);
    let spec = job(workload(Pattern::Random, 50, 4096, 1, 1), MIB, short_time());
    let refused = run(&spec, &[&handle], &options, Control { stop: &stop, observe: &mut |_| {} });
    assert!(matches!(refused, Err(EngineError::NotPermitted)));
    assert!(std::fs::read(&path).unwrap().iter().all(|b| *b == 7));
}
