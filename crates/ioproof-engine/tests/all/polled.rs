//! Whole jobs by the driver of our own, on a drive that is scripted: all that is told of a job is told of these too.

use super::common::*;
use ioproof_core::job::{JobSpec, Placement, Span, Until};
use ioproof_core::record::RoundOutcome;
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, EngineError, Options, Outcome, WriteLedger};
use ioproof_nvme::scripted::{Fault, Script};
use ioproof_nvme::wire::Status;
use ioproof_target::Handle;
use std::sync::Arc;

fn run_job(spec: &JobSpec, target: &Handle, choice: BackendChoice) -> Result<Outcome, EngineError> {
    go_on(spec, &[target], &Options::new(choice, ClockChoice::CounterIfInvariant))
}

fn run_on(script: Script, workload: Workload, until: Until) -> Result<Outcome, EngineError> {
    let target = ioproof_target::scripted_drive(script);
    run_job(&job(workload, 8 * MIB, until), &target, BackendChoice::POLLED)
}

#[test]
fn a_job_has_all_its_statistics() {
    let outcome = run_on(Script::default(), workload(Pattern::Random, 70, 4096, 2, 8), Until::Ios(4000)).unwrap();
    assert_eq!(outcome.outcome, RoundOutcome::Complete);
    let (read, write) = (&outcome.read, &outcome.write);
    assert_eq!(read.ios + write.ios, 8000);
    assert_eq!((read.bytes, write.bytes), (read.ios * 4096, write.ios * 4096));
    assert_eq!(read.latency.count() + write.latency.count(), 8000);
    assert_eq!((outcome.engine.backend.as_str(), outcome.workers.len()), ("polled", 2));
    assert!(outcome.engine.features.iter().any(|feature| feature == "polled NVMe driver"));
}

#[test]
fn large_blocks_durable_writes_and_trims_are_done() {
    let mut large = workload(Pattern::Sequential, 0, 1 << 20, 1, 4);
    large.durability = Durability::Fua;
    let outcome = run_on(Script { mdts: 3, ..Script::default() }, large, Until::Ios(16)).unwrap();
    assert_eq!((outcome.write.ios, outcome.errors.failed), (16, 0));
    let mut trims = workload(Pattern::Random, 0, 4096, 1, 4);
    trims.shape.trim_percent = 100;
    assert_eq!(run_on(Script::default(), trims, Until::Ios(64)).unwrap().trim.ios, 64);
}

/// Reads and writes whose data are looked at as they are read, and all that was written read back, on a drive that splits commands and answers out of order.
/// Gives the I/Os, and whether all was as written.
fn mixed(block_bytes: u32, depth: u32, ios: u64) -> (u64, bool) {
    let script = Script { mdts: 3, boundary_blocks: 200, queue_entries: 128, reverses: true, ..Script::default() };
    let target = ioproof_target::scripted_drive(script);
    let span = Span { offset_bytes: 0, length_bytes: 8 * MIB };
    let ledger = Arc::new(WriteLedger::of_targets(&[span], block_bytes, 7).unwrap());
    let go = |read_percent, until, read_back| {
        let mut mix = workload(Pattern::Random, read_percent, block_bytes, 1, depth);
        mix.shape.data.checked = true;
        let placement = Placement { target_spans: vec![span], ..Placement::default() };
        let spec = JobSpec { placement, ..job(mix, span.length_bytes, until) };
        let options = Options { ledger: Some(&ledger), read_back, ..Options::new(BackendChoice::POLLED, ClockChoice::CounterIfInvariant) };
        go_on(&spec, &[&target], &options).unwrap()
    };
    let all = [go(50, Until::Ios(ios), false), go(100, Until::SpanCovered, true)];
    let is_clean =
        |outcome: &Outcome| outcome.errors.failed == 0 && outcome.check.as_ref().is_some_and(|check| check.good > 0 && check.bad() == 0);
    (all.iter().map(|outcome| outcome.read.ios + outcome.write.ios).sum(), all.iter().all(is_clean))
}

#[test]
fn what_is_read_is_what_was_written_at_every_size_and_depth() {
    for (block_bytes, depth, ios) in [(512, 256, 20_000), (4096, 32, 4_000), (20_480, 7, 1_000), (131_072, 64, 200), (1 << 20, 1, 30)] {
        let (done, is_clean) = mixed(block_bytes, depth, ios);
        assert!(done > ios && is_clean, "{block_bytes} bytes at depth {depth}");
    }
}

#[test]
fn a_bad_block_is_counted_and_a_pulled_drive_ends_the_job() {
    let reads = || workload(Pattern::Sequential, 100, 4096, 1, 4);
    let bad = Script { fault: Fault::BadBlock(9, Status::UNREADABLE), ..Script::default() };
    let outcome = run_on(bad, reads(), Until::Ios(64)).unwrap();
    assert_eq!((outcome.errors.failed, outcome.read.ios), (1, 63));
    assert_eq!(outcome.errors.first.unwrap().errno, libc::ENODATA);
    let outcome = run_on(Script { fault: Fault::GoneAt(100), ..Script::default() }, reads(), Until::Ios(1000)).unwrap();
    assert_eq!((outcome.outcome, outcome.read.ios), (RoundOutcome::Failed, 100));
    assert_eq!(outcome.errors.first.unwrap().errno, libc::ENODEV);
}

#[test]
fn a_drive_that_breaks_the_protocol_ends_the_job_with_the_reason() {
    let broken = Script { fault: Fault::WrongIdentifier(50), ..Script::default() };
    let outcome = run_on(broken, workload(Pattern::Random, 100, 4096, 1, 1), Until::Ios(1000)).unwrap();
    assert_eq!((outcome.outcome, outcome.read.ios), (RoundOutcome::Failed, 50));
    let refusal = outcome.errors.first.unwrap().message;
    assert!(refusal.contains("which is not outstanding"), "{refusal}");
}

#[test]
fn the_paths_of_the_kernel_do_not_reach_it_nor_it_files() {
    let on_drive = |choice| {
        let target = ioproof_target::scripted_drive(Script::default());
        run_job(&job(workload(Pattern::Random, 100, 4096, 1, 1), MIB, Until::Ios(1)), &target, choice)
    };
    for choice in real() {
        assert!(on_drive(choice).unwrap_err().to_string().contains("use polled"), "{choice:?}");
    }
    assert_eq!(on_drive(BackendChoice::AUTO).unwrap().engine.backend, "polled");
    let file = scratch(MIB);
    let refused = run_job(&job(workload(Pattern::Random, 100, 4096, 1, 1), MIB, Until::Ios(1)), &file, BackendChoice::POLLED);
    assert!(refused.unwrap_err().to_string().contains("device bind"));
}
