//! So many random reads of 4 KiB at depth 32 by the driver of our own, on a drive that is scripted, for `cargo xtask bench instructions`: what the
//! program itself executes for each I/O.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends")]

use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, Control, Options, run};
use ioproof_nvme::scripted::Script;
use std::sync::atomic::AtomicBool;

fn main() {
    let ios = std::env::args().nth(1).unwrap().parse().unwrap();
    let script = Script::default();
    let span = Span { offset_bytes: 0, length_bytes: script.blocks << script.block_shift };
    let plain = JobSpec::plain(Workload::plain(Pattern::Random, 100, 4096, 1, 32), span, Until::Ios(ios));
    let spec = JobSpec { io_timeout_ns: 60_000_000_000, ..plain };
    let target = ioproof_target::scripted_drive(script);
    let options = Options::new(BackendChoice::POLLED, ClockChoice::CounterIfInvariant);
    let outcome = run(&spec, &[&target], &options, Control { stop: &AtomicBool::new(false), observe: &mut |_| {} }).unwrap();
    assert_eq!((outcome.read.ios, outcome.read.latency.count()), (ios, ios));
}
