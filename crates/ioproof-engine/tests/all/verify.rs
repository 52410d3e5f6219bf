//! Writes are read back and compared: on several targets, by headers and by patterns, with and without knowing the writes.

use crate::common::{BACKENDS, MIB, blocks, go_on, job, scratch, workload};
use ioproof_core::job::{JobSpec, Placement, Span, Until};
use ioproof_core::record::{CheckResult, RoundOutcome};
use ioproof_core::shape::{Data, Fill, SizeRange, SizeShare};
use ioproof_core::workload::Pattern;
use ioproof_engine::{BackendChoice, ClockChoice, Options, WriteLedger};
use ioproof_target::Handle;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

const SPAN: Span = Span { offset_bytes: 0, length_bytes: MIB };

fn spec(pattern: Pattern, read_percent: u8, fill: Fill, targets: usize, until: Until) -> JobSpec {
    let mut workload = workload(pattern, read_percent, 4096, 1, 4);
    workload.shape.data = Data { fill, checked: true, ..Data::default() };
    let placement = Placement { target_spans: vec![SPAN; targets], ..Placement::default() };
    JobSpec { placement, ..job(workload, MIB, until) }
}

/// Of 64 blocks in random order.
fn writes(fill: &Fill, targets: usize) -> JobSpec {
    spec(Pattern::Random, 0, fill.clone(), targets, Until::Ios(64))
}

fn reads(fill: &Fill, targets: usize) -> JobSpec {
    spec(Pattern::Sequential, 100, fill.clone(), targets, Until::SpanCovered)
}

fn ledger(targets: usize) -> Arc<WriteLedger> {
    Arc::new(WriteLedger::of_targets(&vec![SPAN; targets], 4096, 7).unwrap())
}

fn options(backend: BackendChoice, ledger: Option<&Arc<WriteLedger>>, read_back: bool) -> Options<'_> {
    Options { ledger, read_back, ..Options::new(backend, ClockChoice::System) }
}

fn offsets() -> Fill {
    Fill::PatternOfOffsets { bytes: b"........ab".to_vec(), places: vec![0] }
}

fn put(handle: &Handle, number: u64, block: &[u8]) {
    let mut memory = vec![0u8; 8192];
    let skip = memory.as_ptr().align_offset(4096);
    memory[skip..skip + 4096].copy_from_slice(block);
    File::from(handle.as_fd().try_clone_to_owned().unwrap()).write_all_at(&memory[skip..skip + 4096], number * 4096).unwrap();
}

/// Reads back what was written; gives how many reads that took as well.
fn read_back(fill: &Fill, handles: &[&Handle], backend: BackendChoice, ledger: &Arc<WriteLedger>) -> (u64, CheckResult) {
    let outcome = go_on(&reads(fill, handles.len()), handles, &options(backend, Some(ledger), true)).unwrap();
    (outcome.read.ios, outcome.check.unwrap())
}

#[test]
fn of_several_targets_only_what_was_written_is_read_back() {
    for backend in BACKENDS {
        for fill in [Fill::Random, Fill::Pattern(b"abc".to_vec()), offsets()] {
            let (one, other, ledger) = (scratch(MIB), scratch(MIB), ledger(2));
            let handles = [&one, &other];
            let written = go_on(&writes(&fill, 2), &handles, &options(backend, Some(&ledger), false)).unwrap();
            let (ios, check) = read_back(&fill, &handles, backend, &ledger);
            assert_eq!((written.write.ios, ios, check.good, check.bad()), (64, 64, 512, 0), "{fill:?}: {check:?}");
        }
    }
}

#[test]
fn a_block_of_another_file_is_not_taken_for_its_own() {
    let (one, other, ledger) = (scratch(MIB), scratch(MIB), ledger(2));
    let handles = [&one, &other];
    let all = JobSpec { until: Until::SpanCovered, ..writes(&Fill::Random, 2) };
    go_on(&all, &handles, &options(BackendChoice::IO_URING, Some(&ledger), false)).unwrap();
    put(&other, 9, &blocks(&one, MIB)[9]);
    let (_, check) = read_back(&Fill::Random, &handles, BackendChoice::IO_URING, &ledger);
    assert_eq!((check.good, check.stale), (4096 - 8, 8), "{check:?}");
}

#[test]
fn sizes_are_read_back_as_they_were_written() {
    for fill in [Fill::Random, offsets()] {
        let (target, ledger) = (scratch(MIB), ledger(1));
        let mut write = JobSpec { until: Until::Ios(20), ..spec(Pattern::Sequential, 0, fill.clone(), 1, Until::SpanCovered) };
        write.workload.shape.write_sizes = [4096, 20480].map(|bytes| SizeShare { bytes, percent: 50 }).to_vec();
        let written = go_on(&write, &[&target], &options(BackendChoice::IO_URING, Some(&ledger), false)).unwrap();
        let mut read = reads(&fill, 1);
        read.workload.shape.read_range = Some(SizeRange { least_bytes: 4096, most_bytes: 20480 });
        let outcome = go_on(&read, &[&target], &options(BackendChoice::IO_URING, Some(&ledger), true)).unwrap();
        assert_eq!((outcome.read.ios, outcome.read.bytes), (20, written.write.bytes));
        assert_eq!(outcome.check.unwrap().good, written.write.bytes / 512);
    }
}

#[test]
fn without_a_ledger_everything_that_is_read_is_judged() {
    for fill in [Fill::Random, offsets()] {
        let target = scratch(MIB);
        let write = JobSpec { until: Until::SpanCovered, ..writes(&fill, 1) };
        go_on(&write, &[&target], &options(BackendChoice::IO_URING, Some(&ledger(1)), false)).unwrap();
        let read = || go_on(&reads(&fill, 1), &[&target], &options(BackendChoice::IO_URING, None, false)).unwrap();
        assert_eq!((read().check.unwrap().good, read().outcome), (2048, RoundOutcome::Complete));
        put(&target, 3, &blocks(&target, MIB)[4]);
        let check = read().check.unwrap();
        assert_eq!((check.good, check.bad()), (2040, 8), "{check:?}");
        let mut fatal = reads(&fill, 1);
        fatal.workload.shape.data.ends_at_difference = true;
        let ended = go_on(&fatal, &[&target], &options(BackendChoice::IO_URING, None, false)).unwrap();
        assert!(ended.outcome == RoundOutcome::Failed && ended.read.ios < 256, "{:?}", ended.read.ios);
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let target = scratch(MIB);
    let refused = |spec: &JobSpec, options: &Options| go_on(spec, &[&target], options).is_err();
    let ring = BackendChoice::IO_URING;
    let two = ledger(2);
    assert!(refused(&writes(&Fill::Random, 1), &options(ring, None, false)), "writes that nobody notes");
    assert!(refused(&reads(&Fill::Random, 1), &options(ring, None, true)), "nothing is known to read back");
    assert!(refused(&reads(&Fill::Random, 1), &options(ring, Some(&two), true)), "of other targets");
    assert!(refused(&writes(&Fill::Random, 1), &options(ring, Some(&ledger(1)), true)), "reading back that writes");
    assert!(refused(&writes(&Fill::Zero, 1), &options(ring, Some(&ledger(1)), false)), "zeros are told from nothing");
    let cut = Fill::PatternOfOffsets { bytes: vec![0; 8], places: vec![1] };
    assert!(refused(&writes(&cut, 1), &options(ring, Some(&ledger(1)), false)), "an offset without room");
    assert!(refused(&writes(&Fill::Random, 1), &options(BackendChoice::NULL, Some(&ledger(1)), false)), "nothing is written");
}
