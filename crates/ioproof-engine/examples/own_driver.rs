//! Random reads of 4 KiB at depth 32 for so many seconds by the driver of our own, on a drive that is scripted, for `cargo xtask bench instructions`: what the
//! program itself executes for each I/O. Prints the I/Os.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends")]

use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, Control, Options, run};
use ioproof_nvme::scripted::Script;
use std::io::{Write, stdout};
use std::sync::atomic::AtomicBool;

fn main() {
    let seconds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let script = Script::default();
    let span = Span { offset_bytes: 0, length_bytes: script.blocks << script.block_shift };
    let until = Until::ElapsedNs(seconds * 1_000_000_000);
    let plain = JobSpec::plain(Workload::plain(Pattern::Random, 100, 4096, 1, 32), span, until);
    let spec = JobSpec { io_timeout_ns: 60_000_000_000, ..plain };
    let target = ioproof_target::scripted_drive(script);
    let options = Options::new(BackendChoice::POLLED, ClockChoice::CounterIfInvariant);
    let outcome = run(&spec, &[&target], &options, Control { stop: &AtomicBool::new(false), observe: &mut |_| {} }).unwrap();
    assert_eq!((outcome.errors.failed, outcome.read.latency.count()), (0, outcome.read.ios));
    stdout().write_all(format!("{}\n", outcome.read.ios).as_bytes()).unwrap();
}
