//! Loads for tests: right in everything, so that an example can change one thing.

use super::described::load::{BackendTraits, HostSize, Load, LoadTarget, LoadTime, MediumKind, Part};
use crate::job::Span;
use crate::workload::{Pattern, Workload};

pub(super) const GIB: u64 = 1 << 30;
pub(super) const SECOND: u64 = 1_000_000_000;

/// Random reads of 4 KiB, one at a time, through io_uring and past the page cache, for two minutes on all of a file of 64 GiB; the machine has 16 GiB of memory
/// and 8 CPUs.
pub(super) fn file() -> Load {
    on("/data/x", MediumKind::File, 64 * GIB)
}

/// The same on all of a drive of 1000 GiB.
pub(super) fn device() -> Load {
    on("/dev/nvme0n1", MediumKind::Device, 1000 * GIB)
}

fn on(path: &str, medium: MediumKind, bytes: u64) -> Load {
    let target = LoadTarget { path: path.into(), is_named: true, medium: Some(medium), size_bytes: Some(bytes), ..LoadTarget::default() };
    let load = Load {
        backend: Some(BackendTraits { name: "io_uring".into(), ..BackendTraits::default() }),
        direct: Some(true),
        targets: vec![target],
        time: LoadTime { runtime_ns: Some(120 * SECOND), fills_runtime: true, ramp_ns: Some(SECOND), ..LoadTime::default() },
        host: HostSize { memory_bytes: Some(16 * GIB), cpus: Some(8) },
        ..Load::new("a", Workload::plain(Pattern::Random, 100, 4096, 1, 1))
    };
    let load = split(&load, 1, |_| (0, bytes));
    changed(load, |l| l.begins_apart = None)
}

pub(super) fn changed(mut load: Load, change: impl FnOnce(&mut Load)) -> Load {
    change(&mut load);
    load
}

/// The same, writing.
pub(super) fn writing(load: Load) -> Load {
    changed(load, |l| l.workload.read_percent = 0)
}

/// The same, one block after the other.
pub(super) fn sequential(load: Load) -> Load {
    changed(load, |l| l.workload.pattern = Pattern::Sequential)
}

/// The same through the page cache.
pub(super) fn buffered(load: Load) -> Load {
    changed(load, |l| l.direct = Some(false))
}

/// The same with a depth that is asked for and kept.
pub(super) fn deep(load: Load, depth: u32) -> Load {
    changed(load, |l| (l.workload.depth, l.depth_asked) = (depth, Some(depth)))
}

/// The same on the first bytes of its target only.
pub(super) fn on_first(load: Load, bytes: u64) -> Load {
    let workers = load.workload.workers;
    split(&load, workers, |_| (0, bytes))
}

/// The same with this name.
pub(super) fn named(load: Load, name: &str) -> Load {
    changed(load, |l| l.name = name.into())
}

/// The load with so many workers, each on the part of the first target that is given by offset and length in bytes.
pub(super) fn split(load: &Load, workers: u32, part: impl Fn(u64) -> (u64, u64)) -> Load {
    let span = |worker: u32| {
        let (offset_bytes, length_bytes) = part(worker.into());
        Part { worker, target: 0, span: Some(Span { offset_bytes, length_bytes }) }
    };
    changed(load.clone(), |l| {
        l.workload.workers = workers;
        l.parts = (0..workers).map(span).collect();
        l.begins_apart = Some(workers > 1 && part(0).0 != part(1).0);
    })
}
