//! The common part of the engine's tests: scratch files, jobs and the way to run them.

use ioproof_core::faults::Faults;
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, Control, EngineError, Options, Outcome, run};
use ioproof_target::{Handle, System};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub const MIB: u64 = 1 << 20;
/// The backend of this name.
pub fn named(name: &str) -> BackendChoice {
    name.parse().unwrap()
}

/// Every backend that does I/O on files.
pub fn real() -> impl Iterator<Item = BackendChoice> {
    let on_files = |choice: &BackendChoice| choice.moves_data() && choice.works_on_files();
    BackendChoice::all().filter(move |choice| *choice != BackendChoice::AUTO && on_files(choice))
}

pub const BACKENDS: [BackendChoice; 2] = [BackendChoice::IO_URING, BackendChoice::PSYNC];

pub fn scratch(size: u64) -> Handle {
    ioproof_target::scratch(&System::host(), Path::new(env!("CARGO_TARGET_TMPDIR")), size).unwrap().1
}

pub fn workload(pattern: Pattern, read_percent: u8, block_bytes: u32, workers: u32, depth: u32) -> Workload {
    Workload::plain(pattern, read_percent, block_bytes, workers, depth)
}

pub fn job(workload: Workload, length_bytes: u64, until: Until) -> JobSpec {
    let plain = JobSpec::plain(workload, Span { offset_bytes: 0, length_bytes }, until);
    JobSpec { seed: 42, io_timeout_ns: 10_000_000_000, error_limit: 10, ..plain }
}

pub fn short_time() -> Until {
    Until::ElapsedNs(200_000_000)
}

pub fn go(spec: &JobSpec, handle: &Handle, backend: BackendChoice, faults: Option<Faults>) -> Outcome {
    let options = Options { faults, ..Options::new(backend, ClockChoice::CounterIfInvariant) };
    go_on(spec, &[handle], &options).unwrap()
}

pub fn go_on(spec: &JobSpec, targets: &[&Handle], options: &Options) -> Result<Outcome, EngineError> {
    run(spec, targets, options, Control { stop: &AtomicBool::new(false), observe: &mut |_| {} })
}

/// All blocks of 4 KiB of the file.
pub fn blocks(handle: &Handle, length: u64) -> Vec<Vec<u8>> {
    let file = File::from(handle.as_fd().try_clone_to_owned().unwrap());
    // Aligned for O_DIRECT: an allocation of whole pages, cut to its first page boundary.
    let mut memory = vec![0u8; length as usize + 4096];
    let skip = memory.as_ptr().align_offset(4096);
    let aligned = &mut memory[skip..skip + length as usize];
    file.read_exact_at(aligned, 0).unwrap();
    aligned.chunks(4096).map(<[u8]>::to_vec).collect()
}

pub fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}
