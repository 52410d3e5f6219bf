//! Everything that a job can ask for beyond plain reads and writes, seen in the content of the file and in the counts. No test asserts a speed.

use crate::common::{MIB, blocks, go, go_on, is_zero, job, named, real, scratch, short_time, workload};
use ioproof_core::histogram::Histogram;
use ioproof_core::io_log::IoKind;
use ioproof_core::job::{JobSpec, Placement, Recording, Span, Turns, Until};
use ioproof_core::record::{Interval, RoundOutcome};
use ioproof_core::shape::{Data, Fill, Limits, Order, Pace, Shape, SizeShare, Think};
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, EngineError, Options, Outcome, WriteLedger};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

fn shaped(base: Workload, shape: Shape) -> Workload {
    Workload { shape, ..base }
}

#[test]
fn every_backend_writes_and_reads_what_it_says() {
    for backend in real() {
        let handle = scratch(4 * MIB);
        let written = go(&job(workload(Pattern::Sequential, 0, 16384, 1, 4), 4 * MIB, Until::SpanCovered), &handle, backend, None);
        assert_eq!((written.outcome, written.total_bytes), (RoundOutcome::Complete, (0, 4 * MIB)), "{}", backend.name());
        assert!(blocks(&handle, 4 * MIB).iter().all(|b| !is_zero(b)), "{}", backend.name());
        let read = go(&job(workload(Pattern::Sequential, 100, 16384, 1, 4), 4 * MIB, Until::SpanCovered), &handle, backend, None);
        assert_eq!((read.read.ios, read.errors.total()), (256, 0), "{}", backend.name());
        assert_eq!(read.engine.backend, backend.name());
        assert_eq!(read.read.latency.count(), 256);
    }
}

#[test]
fn the_null_backend_counts_and_does_nothing() {
    let handle = scratch(MIB);
    let outcome = go(&job(workload(Pattern::Random, 0, 4096, 1, 32), MIB, short_time()), &handle, BackendChoice::NULL, None);
    assert!(outcome.write.ios > 1000 && outcome.write.bytes == outcome.write.ios * 4096);
    assert!(blocks(&handle, MIB).iter().all(|b| is_zero(b)));
}

#[test]
fn trims_leave_zeros() {
    let handle = scratch(MIB);
    go(&job(workload(Pattern::Sequential, 0, 4096, 1, 1), MIB, Until::SpanCovered), &handle, BackendChoice::AUTO, None);
    let trims = shaped(workload(Pattern::Sequential, 0, 65536, 1, 1), Shape { trim_percent: 100, ..Shape::PLAIN });
    let half = JobSpec { span: Span { offset_bytes: 0, length_bytes: MIB / 2 }, ..job(trims, MIB, Until::SpanCovered) };
    let outcome = go(&half, &handle, BackendChoice::AUTO, None);
    assert_eq!((outcome.trim.ios, outcome.trim.bytes, outcome.write.ios), (8, MIB / 2, 0));
    assert_eq!(outcome.engine.backend, "psync");
    let found = blocks(&handle, MIB);
    assert!(found[..128].iter().all(|b| is_zero(b)) && found[128..].iter().all(|b| !is_zero(b)));
}

#[test]
fn strides_leave_gaps() {
    let handle = scratch(MIB);
    let strided =
        shaped(workload(Pattern::Sequential, 0, 4096, 1, 2), Shape { order: Order::Strided { stride_bytes: 16384 }, ..Shape::PLAIN });
    let outcome = go(&job(strided, MIB, Until::SpanCovered), &handle, BackendChoice::IO_URING, None);
    assert_eq!(outcome.write.ios, 64);
    for (number, block) in blocks(&handle, MIB).iter().enumerate() {
        assert_eq!(is_zero(block), number % 4 != 0, "block {number}");
    }
}

#[test]
fn sizes_are_mixed_as_asked() {
    let handle = scratch(16 * MIB);
    let sizes = vec![SizeShare { bytes: 4096, percent: 75 }, SizeShare { bytes: 16384, percent: 25 }];
    let mixed = shaped(workload(Pattern::Random, 0, 4096, 1, 4), Shape { write_sizes: sizes, ..Shape::PLAIN });
    let outcome = go(&job(mixed, 16 * MIB, Until::Ios(4000)), &handle, BackendChoice::IO_URING, None);
    assert_eq!(outcome.write.ios, 4000);
    // bytes = 4096 * n + 12288 * large, and `large` is binomial with a share of one quarter.
    let large = (outcome.write.bytes - 4000 * 4096) as f64 / 12288.0;
    assert!((large / 4000.0 - 0.25).abs() < 5.0 * (0.25f64 * 0.75 / 4000.0).sqrt(), "{large} of 4000");
}

#[test]
fn a_count_of_ios_and_of_bytes_ends_a_job() {
    for backend in real() {
        let handle = scratch(MIB);
        let ios = go(&job(workload(Pattern::Random, 0, 4096, 2, 1), MIB, Until::Ios(100)), &handle, backend, None);
        assert_eq!((ios.outcome, ios.write.ios), (RoundOutcome::Complete, 200), "{}: each worker", backend.name());
        let bytes = go(&job(workload(Pattern::Random, 0, 4096, 1, 1), MIB, Until::Bytes(10 * 4096)), &handle, backend, None);
        assert_eq!(bytes.write.bytes, 10 * 4096);
    }
}

#[test]
fn targets_take_turns_and_workers_keep_to_their_spans() {
    let (first, second) = (scratch(MIB), scratch(MIB));
    let options = Options::new(BackendChoice::IO_URING, ClockChoice::System);
    let spec = job(workload(Pattern::Sequential, 0, 4096, 1, 4), MIB, Until::SpanCovered);
    let outcome = go_on(&spec, &[&first, &second], &options).unwrap();
    assert_eq!(outcome.total_bytes.1, 2 * MIB);
    assert!([&first, &second].iter().all(|h| blocks(h, MIB).iter().all(|b| !is_zero(b))));

    let own = scratch(MIB);
    let part = |number: u64| Span { offset_bytes: number * MIB / 2, length_bytes: MIB / 8 };
    let placement = Placement { spans: vec![part(0), part(1)], ..Placement::default() };
    let spec = JobSpec { placement, ..job(workload(Pattern::Random, 0, 4096, 2, 1), MIB, Until::SpanCovered) };
    go(&spec, &own, BackendChoice::IO_URING, None);
    for (number, block) in blocks(&own, MIB).iter().enumerate() {
        assert_eq!(is_zero(block), number % 128 >= 32, "block {number}");
    }
}

#[test]
fn a_sync_follows_every_so_many_writes() {
    for backend in ["io_uring", "libaio", "psync", "mmap"].map(named) {
        for durability in [Durability::FdatasyncEvery(5), Durability::FsyncEvery(5), Durability::SyncFileRangeEvery(5)] {
            let handle = scratch(MIB);
            let spec = job(Workload { durability, ..workload(Pattern::Random, 0, 4096, 1, 1) }, MIB, Until::Ios(50));
            let outcome = go(&spec, &handle, backend, None);
            assert_eq!((outcome.write.ios, outcome.errors.total()), (50, 0), "{} {durability:?}", backend.name());
            assert!((9..=10).contains(&outcome.sync.ios), "{} {durability:?}: {} syncs", backend.name(), outcome.sync.ios);
            assert_eq!(outcome.sync.latency.count(), outcome.sync.ios);
            assert!(outcome.durable.is_none());
        }
    }
}

#[test]
fn every_write_can_be_durable_by_a_flag() {
    for backend in ["io_uring", "libaio", "psync", "pvsync2", "mmap"].map(named) {
        for durability in [Durability::Dsync, Durability::Sync] {
            let handle = scratch(MIB);
            let spec = job(Workload { durability, ..workload(Pattern::Random, 0, 4096, 1, 1) }, MIB, Until::Ios(10));
            let outcome = go(&spec, &handle, backend, None);
            assert_eq!((outcome.write.ios, outcome.errors.total()), (10, 0), "{} {durability:?}", backend.name());
        }
    }
}

#[test]
fn the_sync_at_the_end_is_timed() {
    let handle = scratch(MIB);
    let spec = JobSpec { end_fsync: true, ..job(workload(Pattern::Sequential, 0, 65536, 1, 1), MIB, Until::SpanCovered) };
    let outcome = go(&spec, &handle, BackendChoice::IO_URING, None);
    assert_eq!((outcome.sync.ios, outcome.sync.latency.count()), (1, 1));
}

#[test]
fn an_open_loop_asks_at_its_own_pace() {
    let handle = scratch(4 * MIB);
    for backend in [BackendChoice::IO_URING, BackendChoice::PSYNC] {
        for pace in [Pace::Fixed { ios_per_s: 500 }, Pace::Poisson { ios_per_s: 500 }] {
            let paced = shaped(workload(Pattern::Random, 0, 4096, 1, 4), Shape { pace, ..Shape::PLAIN });
            let outcome = go(&job(paced, 4 * MIB, Until::ElapsedNs(1_000_000_000)), &handle, backend, None);
            let response = outcome.write.response.as_ref().unwrap();
            assert_eq!(response.count(), outcome.write.timed().count());
            assert!(response.sum_ns() >= outcome.write.timed().sum_ns(), "what waits to be submitted waits in the response time only");
            // A slow disk can hold some back at the end; none can make it more than was asked for.
            let most = if matches!(pace, Pace::Fixed { .. }) { 500 } else { 500 + 5 * 23 };
            assert!(outcome.write.ios > 100 && outcome.write.ios <= most, "{} {pace:?}: {}", backend.name(), outcome.write.ios);
        }
    }
}

#[test]
fn limits_and_pauses_hold() {
    let handle = scratch(4 * MIB);
    let limits = Limits { write_ios_per_s: Some(400), ..Limits::default() };
    let limited = shaped(workload(Pattern::Random, 0, 4096, 2, 4), Shape { limits, ..Shape::PLAIN });
    let outcome = go(&job(limited, 4 * MIB, Until::ElapsedNs(500_000_000)), &handle, BackendChoice::IO_URING, None);
    assert!(outcome.write.ios > 50 && outcome.write.ios <= 220, "{} of 200 writes and a small burst", outcome.write.ios);
    let think = Some(Think { ns: 20_000_000, every: 2, every_ns: 0 });
    let paused = shaped(workload(Pattern::Random, 0, 4096, 1, 1), Shape { think, ..Shape::PLAIN });
    let outcome = go(&job(paused, 4 * MIB, Until::ElapsedNs(500_000_000)), &handle, BackendChoice::IO_URING, None);
    assert!((2..=54).contains(&outcome.write.ios), "{} writes, two between pauses of 20 ms", outcome.write.ios);
}

#[test]
fn latency_is_split_where_that_is_asked_for() {
    for backend in real().filter(|backend| !backend.is_synchronous()) {
        let handle = scratch(4 * MIB);
        let recording = Recording { split: true, ..Recording::default() };
        let spec = JobSpec { recording, ..job(workload(Pattern::Random, 0, 4096, 1, 4), 4 * MIB, Until::Ios(500)) };
        let outcome = go(&spec, &handle, backend, None);
        let (submission, completion) = (outcome.write.submission.unwrap(), outcome.write.completion.unwrap());
        assert_eq!((submission.count(), completion.count()), (500, 500));
        assert_eq!(submission.sum_ns() + completion.sum_ns(), outcome.write.latency.sum_ns(), "{}", backend.name());
    }
}

#[test]
fn without_latency_there_are_counts_only() {
    let handle = scratch(MIB);
    let recording = Recording { latency: false, ..Recording::default() };
    let spec = JobSpec { recording, ..job(workload(Pattern::Random, 0, 4096, 1, 4), MIB, Until::Ios(100)) };
    let outcome = go(&spec, &handle, BackendChoice::IO_URING, None);
    assert_eq!((outcome.write.ios, outcome.write.latency.count()), (100, 0));
}

#[test]
fn the_use_of_the_queue_adds_up() {
    let handle = scratch(4 * MIB);
    let outcome = go(&job(workload(Pattern::Random, 0, 4096, 2, 8), 4 * MIB, Until::Ios(1000)), &handle, BackendChoice::IO_URING, None);
    assert_eq!(outcome.queue.depths.iter().sum::<u64>(), 2000);
    assert!(outcome.queue.depths.len() <= 4, "no more than 8 are ever outstanding: {:?}", outcome.queue.depths);
    let (calls, looks): (u64, u64) = (outcome.queue.submitted.iter().sum(), outcome.queue.reaped.iter().sum());
    assert!((250..=2000).contains(&calls) && (250..=2000).contains(&looks), "{calls} calls and {looks} looks");
}

#[test]
fn slices_bear_percentiles_of_what_is_counted() {
    let handle = scratch(4 * MIB);
    let outcome =
        go(&job(workload(Pattern::Random, 0, 4096, 1, 4), 4 * MIB, Until::ElapsedNs(600_000_000)), &handle, BackendChoice::IO_URING, None);
    let slices: Vec<_> = outcome.intervals.iter().filter(|i| i.write_ios > 0).collect();
    assert!(slices.len() >= 3);
    for slice in slices {
        let latency = slice.write_latency.as_ref().unwrap();
        assert!(slice.read_latency.is_none() && latency.mean_ns > 0);
        assert!(latency.p50_ns.is_none() == (slice.write_ios < 20) || slice.write_ios.abs_diff(20) < 8, "{slice:?}");
    }
}

#[test]
fn zeros_and_patterns_are_written_as_they_are() {
    let handle = scratch(MIB);
    let of =
        |fill: Fill| shaped(workload(Pattern::Sequential, 0, 4096, 1, 2), Shape { data: Data { fill, ..Data::default() }, ..Shape::PLAIN });
    let spec = job(of(Fill::Pattern(vec![1, 2, 3, 4])), MIB, Until::SpanCovered);
    go(&spec, &handle, BackendChoice::IO_URING, None);
    assert!(blocks(&handle, MIB).iter().all(|b| b.chunks(4).all(|c| c == [1, 2, 3, 4])));
    go(&job(of(Fill::Zero), MIB, Until::SpanCovered), &handle, BackendChoice::IO_URING, None);
    assert!(blocks(&handle, MIB).iter().all(|b| is_zero(b)));
}

#[test]
fn huge_pages_and_pinning_are_granted_or_explained() {
    let handle = scratch(MIB);
    let placement = Placement { cpus: vec![vec![0]], huge_pages: true, ..Placement::default() };
    let spec = JobSpec { placement, ..job(workload(Pattern::Random, 0, 4096, 1, 4), MIB, Until::Ios(100)) };
    assert_eq!(go(&spec, &handle, BackendChoice::IO_URING, None).write.ios, 100);
    let nowhere = JobSpec { placement: Placement { cpus: vec![vec![9999]], ..Placement::default() }, ..spec };
    let outcome = go(&nowhere, &handle, BackendChoice::IO_URING, None);
    assert!(outcome.engine.fallbacks.iter().any(|f| f.contains("CPU 9999")), "{:?}", outcome.engine.fallbacks);
}

fn checked(pattern: Pattern, read_percent: u8, workers: u32, depth: u32) -> Workload {
    shaped(workload(pattern, read_percent, 4096, workers, depth), Shape { data: Data { checked: true, ..Data::default() }, ..Shape::PLAIN })
}

#[test]
fn what_was_written_is_known_again_and_damage_is_told_apart() {
    let handle = scratch(MIB);
    let ledger = Arc::new(WriteLedger::new(Span { offset_bytes: 0, length_bytes: MIB }, 4096, 7).unwrap());
    let options = Options { ledger: Some(&ledger), ..Options::new(BackendChoice::IO_URING, ClockChoice::System) };
    let write = job(checked(Pattern::Random, 0, 2, 4), MIB, Until::Ios(400));
    assert_eq!(go_on(&write, &[&handle], &options).unwrap().write.ios, 800);
    let read = job(checked(Pattern::Sequential, 100, 1, 4), MIB, Until::SpanCovered);
    let good = go_on(&read, &[&handle], &options).unwrap().check.unwrap();
    assert_eq!((good.good, good.bad()), (2048, 0), "{good:?}");

    // The same block once more, so that a stale copy can be put back; then one of each kind of damage.
    let file = File::from(handle.as_fd().try_clone_to_owned().unwrap());
    let before = blocks(&handle, MIB);
    assert_eq!(go_on(&write, &[&handle], &options).unwrap().write.ios, 800);
    let now = blocks(&handle, MIB);
    let put = |number: u64, bytes: &[u8]| {
        let mut memory = vec![0u8; 8192];
        let skip = memory.as_ptr().align_offset(4096);
        memory[skip..skip + 4096].copy_from_slice(bytes);
        file.write_all_at(&memory[skip..skip + 4096], number * 4096).unwrap();
    };
    put(3, &before[3]);
    put(5, &now[6]);
    let mut flipped = now[9].clone();
    flipped[700] ^= 1;
    put(9, &flipped);
    put(12, &[&now[12][..2048], &before[12][2048..]].concat());
    let bad = go_on(&read, &[&handle], &options).unwrap().check.unwrap();
    assert_eq!((bad.stale, bad.misplaced, bad.corrupt, bad.torn), (8, 8, 1, 1), "{bad:?}");
    assert!(bad.first.is_some());
}

#[test]
fn what_was_acknowledged_and_cannot_be_read_is_lost() {
    let handle = scratch(MIB);
    let ledger = Arc::new(WriteLedger::new(Span { offset_bytes: 0, length_bytes: MIB }, 4096, 7).unwrap());
    let options = Options { ledger: Some(&ledger), ..Options::new(BackendChoice::IO_URING, ClockChoice::System) };
    go_on(&job(checked(Pattern::Sequential, 0, 1, 4), MIB, Until::SpanCovered), &[&handle], &options).unwrap();
    File::from(handle.as_fd().try_clone_to_owned().unwrap()).set_len(MIB / 2).unwrap();
    let read = JobSpec { error_limit: u64::MAX, ..job(checked(Pattern::Sequential, 100, 1, 4), MIB, Until::SpanCovered) };
    let without_ledger = Options { ledger: None, ..Options::new(BackendChoice::IO_URING, ClockChoice::System) };
    for options in [options, without_ledger] {
        let result = go_on(&read, &[&handle], &options).unwrap().check.unwrap();
        assert_eq!((result.good, result.unreadable, result.bad()), (1024, 1024, 1024), "{result:?}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let handle = scratch(MIB);
    let options = Options::new(BackendChoice::IO_URING, ClockChoice::System);
    let refused = |spec: &JobSpec, options: &Options| matches!(go_on(spec, &[&handle], options), Err(EngineError::BadJob(_)));
    let base = || workload(Pattern::Random, 0, 4096, 1, 1);
    let with = |shape: Shape| job(shaped(base(), shape), MIB, short_time());
    assert!(refused(&with(Shape { trim_percent: 100, ..Shape::PLAIN }), &options), "io_uring does not trim");
    assert!(refused(&with(Shape { order: Order::Strided { stride_bytes: 8192 }, ..Shape::PLAIN }), &options));
    assert!(refused(&with(Shape { order: Order::Zipf { theta_milli: 1000, center_ppm: None }, ..Shape::PLAIN }), &options));
    assert!(refused(&with(Shape { pace: Pace::Fixed { ios_per_s: 0 }, ..Shape::PLAIN }), &options));
    assert!(refused(&with(Shape { write_sizes: vec![SizeShare { bytes: 4096, percent: 99 }], ..Shape::PLAIN }), &options));
    assert!(refused(&with(Shape { data: Data { checked: true, ..Data::default() }, ..Shape::PLAIN }), &options), "no ledger");
    assert!(refused(&job(base(), MIB, short_time()), &Options { polled: true, ..Options::new(named("libaio"), ClockChoice::System) }));
}

#[test]
fn each_io_can_be_noted() {
    let handle = scratch(4 * MIB);
    let recording = Recording { split: true, noted_ios: 300, ..Recording::default() };
    let spec = JobSpec { recording, ..job(workload(Pattern::Random, 50, 4096, 1, 4), 4 * MIB, Until::Ios(500)) };
    let outcome = go(&spec, &handle, BackendChoice::IO_URING, None);
    assert_eq!((outcome.read.ios + outcome.write.ios, outcome.noted.len()), (500, 300));
    let in_order = outcome.noted.windows(2).all(|pair| pair[0].end_ns <= pair[1].end_ns);
    assert!(in_order && outcome.noted.iter().all(|io| io.bytes == 4096 && io.latency_ns >= io.submission_ns && io.latency_ns > 0));
    assert!(outcome.noted.iter().all(|io| io.offset_bytes < 4 * MIB && io.offset_bytes.is_multiple_of(4096)));
}

#[test]
fn what_is_counted_out_ends_at_a_time_as_well() {
    let handle = scratch(MIB);
    let spec = JobSpec { at_most_ns: Some(100_000_000), ..job(workload(Pattern::Random, 100, 4096, 1, 1), MIB, Until::Ios(u64::MAX)) };
    let outcome = go(&spec, &handle, BackendChoice::PSYNC, None);
    assert_eq!(outcome.outcome, RoundOutcome::Complete);
    assert!(outcome.read.ios > 0 && outcome.elapsed_ns >= 100_000_000);
}

/// Blocks that each of three targets got, of 128 blocks of 4 KiB, 64 and 64.
fn dealt_out(turns: Turns, ios: u64) -> Vec<usize> {
    let handles = [scratch(MIB / 2), scratch(MIB / 4), scratch(MIB / 4)];
    let span = |length_bytes| Span { offset_bytes: 0, length_bytes };
    let target_spans = vec![span(MIB / 2), span(MIB / 4), span(MIB / 4)];
    let placement = Placement { target_spans, turns, ..Placement::default() };
    let recording = Recording { noted_ios: 1000, ..Recording::default() };
    let spec = JobSpec { placement, recording, ..job(workload(Pattern::Sequential, 0, 4096, 1, 1), MIB / 4, Until::Ios(ios)) };
    let options = Options::new(BackendChoice::PSYNC, ClockChoice::CounterIfInvariant);
    let outcome = go_on(&spec, &[&handles[0], &handles[1], &handles[2]], &options).unwrap();
    (0..3).map(|target| outcome.noted.iter().filter(|io| io.target == target).count()).collect()
}

#[test]
fn several_targets_get_their_turns() {
    assert_eq!(dealt_out(Turns::InTurn, 192), [64, 64, 64]);
    assert_eq!(dealt_out(Turns::Each(10), 45), [20, 15, 10]);
    assert_eq!(dealt_out(Turns::Sequential, 200), [128, 64, 8]);
    let random = dealt_out(Turns::Random, 120);
    assert!(random.iter().all(|n| (22..=64).contains(n)), "{random:?}");
    assert_eq!(dealt_out(Turns::Random, 512), [256, 128, 128], "two passes");
}

#[test]
fn a_target_that_is_covered_is_passed_over() {
    let handles = [scratch(MIB / 2), scratch(MIB / 4)];
    let span = |length_bytes| Span { offset_bytes: 0, length_bytes };
    let placement = Placement { target_spans: vec![span(MIB / 2), span(MIB / 4)], ..Placement::default() };
    let spec = JobSpec { placement, ..job(workload(Pattern::Random, 0, 4096, 1, 4), MIB / 4, Until::SpanCovered) };
    let outcome = go_on(&spec, &[&handles[0], &handles[1]], &Options::new(BackendChoice::AUTO, ClockChoice::CounterIfInvariant)).unwrap();
    assert_eq!((outcome.outcome, outcome.write.ios), (RoundOutcome::Complete, 192));
    for (handle, length) in handles.iter().zip([MIB / 2, MIB / 4]) {
        assert!(blocks(handle, length).iter().all(|b| !is_zero(b)));
    }
}

#[test]
fn reads_and_writes_of_a_sequential_mix_can_go_apart() {
    let handle = scratch(MIB);
    let mix = shaped(workload(Pattern::Sequential, 50, 4096, 1, 1), Shape { separate_streams: true, ..Shape::PLAIN });
    let recording = Recording { noted_ios: 1000, ..Recording::default() };
    let outcome = go(&JobSpec { recording, ..job(mix, MIB, Until::Ios(200)) }, &handle, BackendChoice::PSYNC, None);
    for kind in [IoKind::Read, IoKind::Write] {
        let offsets: Vec<u64> = outcome.noted.iter().filter(|io| io.kind == kind).map(|io| io.offset_bytes).collect();
        assert!(offsets.len() > 50 && offsets.iter().enumerate().all(|(n, offset)| *offset == n as u64 * 4096), "{offsets:?}");
    }
}

#[test]
fn a_wish_that_the_backend_taken_by_auto_cannot_follow_is_told() {
    let handle = scratch(MIB);
    let mut trims = workload(Pattern::Random, 0, 4096, 1, 1);
    trims.shape.trim_percent = 100;
    let options = Options { polled: true, kernel_submits: true, ..Options::new(BackendChoice::AUTO, ClockChoice::System) };
    let outcome = go_on(&job(trims, MIB, Until::Ios(4)), &[&handle], &options).unwrap();
    assert_eq!(outcome.engine.backend, "psync");
    for text in
        ["polling: only io_uring, io_uring_cmd and pvsync2 can", "submission by a kernel thread: only io_uring and io_uring_cmd can"]
    {
        assert!(outcome.engine.fallbacks.iter().any(|f| f == text), "{text}: {:?}", outcome.engine.fallbacks);
    }
}

#[test]
fn a_job_that_ends_within_its_ramp_is_measured_as_a_whole() {
    let hour_ns = 3_600_000_000_000;
    for backend in BackendChoice::all().filter(|choice| *choice != BackendChoice::AUTO && choice.works_on_files()) {
        for depth in [1, 4] {
            let handle = scratch(MIB);
            let plain = job(workload(Pattern::Sequential, 0, 4096, 1, depth), MIB, Until::SpanCovered);
            let recording = Recording { noted_ios: 1000, ..Recording::default() };
            let outcome = go(&JobSpec { ramp_ns: hour_ns, end_fsync: true, recording, ..plain }, &handle, backend, None);
            let name = backend.name();
            assert_eq!((outcome.write.ios, outcome.write.bytes, outcome.total_bytes.1), (256, MIB, MIB), "{name}");
            assert_eq!((outcome.write.latency.count(), outcome.workers.iter().map(|w| w.ios).sum::<u64>()), (256, 256), "{name}");
            assert!(outcome.engine.ended_in_ramp && outcome.elapsed_ns > 0 && outcome.elapsed_ns < hour_ns, "{name}");
            assert!(outcome.noted.len() == 256 && outcome.noted.iter().all(|io| io.end_ns < hour_ns), "{name}");
        }
    }
    let handle = scratch(MIB);
    let short = JobSpec { ramp_ns: 1, ..job(workload(Pattern::Random, 100, 4096, 1, 4), MIB, short_time()) };
    assert!(!go(&short, &handle, BackendChoice::PSYNC, None).engine.ended_in_ramp);
}

/// A job whose every I/O takes longer than its measurement.
fn outlived(workload: Workload, to_the_last: bool) -> Outcome {
    let handle = scratch(MIB);
    let recording = Recording { to_the_last, ..Recording::default() };
    let spec = JobSpec { recording, ..job(workload, MIB, Until::ElapsedNs(20_000_000)) };
    go(&spec, &handle, BackendChoice::IO_URING, Some("delay_us=150000".parse().unwrap()))
}

#[test]
fn what_outlives_the_measurement_is_timed_and_does_not_count() {
    let pace = Shape { pace: Pace::Fixed { ios_per_s: 1000 }, ..Shape::PLAIN };
    let outcome = outlived(shaped(workload(Pattern::Random, 100, 4096, 1, 4), pace), false);
    let read = &outcome.read;
    assert_eq!((read.ios, read.latency.count()), (0, 0));
    assert!(read.timed().min_ns().unwrap() >= 150_000_000);
    let responses = read.response.as_ref().unwrap().count();
    assert_eq!(responses, read.timed().count(), "the response time of an open loop is told of these too");
    assert_eq!(outcome.intervals.iter().map(|slice| slice.read_ios).sum::<u64>(), 0);
}

#[test]
fn a_write_that_outlives_the_measurement_is_still_made_durable() {
    let each = Workload { durability: Durability::FdatasyncEach, ..workload(Pattern::Random, 0, 4096, 1, 1) };
    let outcome = outlived(each.clone(), false);
    let count = |late: &Option<Histogram>| late.as_ref().map_or(0, Histogram::count);
    assert_eq!((outcome.sync.ios, count(&outcome.sync.late), count(&outcome.durable_late)), (0, 1, 1));
    assert!(outcome.durable_late.unwrap().min_ns().unwrap() >= 300_000_000, "of the write and of the sync");
    let outcome = outlived(each, true);
    assert_eq!((outcome.write.ios, outcome.sync.ios, count(&outcome.durable)), (1, 1, 1));
}

#[test]
fn a_measurement_to_the_last_counts_what_outlives_its_time_and_ends_with_it() {
    let outcome = outlived(workload(Pattern::Random, 100, 4096, 1, 4), true);
    let read = &outcome.read;
    assert!(outcome.outcome == RoundOutcome::Complete && read.ios > 0 && outcome.elapsed_ns >= 150_000_000);
    assert_eq!((read.latency.count(), &read.late), (read.ios, &None));
    assert_eq!(outcome.intervals.iter().map(|slice| slice.read_ios).sum::<u64>(), read.ios, "they are seen over time too");
    assert_eq!(outcome.intervals.last().map(|slice| slice.end_ns), Some(outcome.elapsed_ns));
}

#[test]
fn slices_are_of_the_whole_measurement() {
    let handle = scratch(4 * MIB);
    for ns in [20_000_000, 250_000_000] {
        let outcome =
            go(&job(workload(Pattern::Random, 50, 4096, 2, 4), 4 * MIB, Until::ElapsedNs(ns)), &handle, BackendChoice::PSYNC, None);
        let sum = |of: fn(&Interval) -> u64| outcome.intervals.iter().map(of).sum::<u64>();
        assert_eq!((sum(|slice| slice.read_ios), sum(|slice| slice.write_ios)), (outcome.read.ios, outcome.write.ios));
        assert_eq!(sum(|slice| slice.length_ns), outcome.intervals.last().unwrap().end_ns, "from its begin");
        let longest_ns = outcome.intervals.iter().filter_map(|slice| slice.read_latency.as_ref()?.max_ns).max().unwrap();
        assert!(longest_ns >= outcome.read.latency.max_ns().unwrap() * 9 / 10, "the slowest read is in one of them");
    }
}

#[test]
fn slices_begin_where_a_ramp_that_stood_still_ended() {
    let handle = scratch(MIB);
    let ramped = JobSpec { ramp_ns: 50_000_000, ..job(workload(Pattern::Random, 100, 4096, 1, 1), MIB, Until::ElapsedNs(150_000_000)) };
    let outcome = go(&ramped, &handle, BackendChoice::PSYNC, Some("stall_at=3,stall_ms=300".parse().unwrap()));
    assert_eq!(outcome.intervals.iter().map(|slice| slice.read_ios).sum::<u64>(), outcome.read.ios);
    assert_eq!(outcome.intervals.last().map(|slice| slice.end_ns), Some(outcome.elapsed_ns), "without the stall before it");
    assert_eq!(outcome.intervals.iter().map(|slice| slice.length_ns).sum::<u64>(), outcome.elapsed_ns);
}

#[test]
fn a_sync_after_the_measurement_is_no_io_outstanding_in_it() {
    let handle = scratch(MIB);
    let spec = JobSpec { end_fsync: true, ..job(workload(Pattern::Random, 0, 4096, 1, 1), MIB, Until::ElapsedNs(100_000_000)) };
    let outcome = go(&spec, &handle, BackendChoice::PSYNC, Some("delay_us=30000".parse().unwrap()));
    assert_eq!(outcome.sync.latency.count(), 1);
    let sum_ns = outcome.write.latency.sum_ns() + outcome.sync.latency.sum_ns();
    let under_way_ns = i64::try_from(sum_ns).unwrap() + outcome.edge_ns;
    assert!(under_way_ns <= outcome.elapsed_ns.cast_signed(), "one at a time: {under_way_ns} of {}", outcome.elapsed_ns);
}
