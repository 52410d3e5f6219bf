//! Whole jobs by the driver of our own, on a drive that is scripted: all that is told of a job is told of these too.

use super::common::*;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::RoundOutcome;
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, EngineError, Options, Outcome};
use ioproof_nvme::scripted::{Fault, Script};
use ioproof_nvme::wire::Status;
use ioproof_target::Handle;

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
