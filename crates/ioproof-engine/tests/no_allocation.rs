//! The loop allocates nothing once it is armed: however long it runs, a worker's thread has allocated as often as after a short run.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

#[expect(dead_code, reason = "shared with the other tests")]
#[path = "all/common/mod.rs"]
mod common;

use common::{MIB, go, job, scratch, workload};
use ioproof_core::job::{JobSpec, Recording, Until};
use ioproof_core::shape::{Order, Pace, Shape, SizeShare};
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_engine::BackendChoice;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Allocations of all threads that call themselves workers.
static BY_WORKERS: AtomicU64 = AtomicU64::new(0);
/// One measurement at a time, because the count is of the process.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// True where this thread is a worker, once it was asked.
    static IS_WORKER: Cell<Option<bool>> = const { Cell::new(None) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches an atomic and a thread's own cell.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    let worker = IS_WORKER.try_with(|known| {
        let worker = known.get().unwrap_or_else(is_worker);
        known.set(Some(worker));
        worker
    });
    if worker == Ok(true) {
        BY_WORKERS.fetch_add(1, Relaxed);
    }
}

/// By the kernel's name of the thread, which can be asked without allocating.
fn is_worker() -> bool {
    let mut name = [0u8; 16];
    // SAFETY: PR_GET_NAME writes at most 16 bytes, which is the size of `name`.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name.starts_with(b"worker")
}

/// Allocations by workers of a job of so many I/Os of each.
fn allocations(spec: &JobSpec, ios: u64, backend: BackendChoice) -> u64 {
    let handle = scratch(4 * MIB);
    let spec = JobSpec { until: Until::Ios(ios), ..spec.clone() };
    let before = BY_WORKERS.load(Relaxed);
    let outcome = go(&spec, &handle, backend, None);
    // A batch is finished.
    assert!(outcome.read.ios + outcome.write.ios >= ios * u64::from(spec.workload.workers), "{}", spec.workload.title());
    BY_WORKERS.load(Relaxed) - before
}

/// Runs a workload for so many I/Os and for ten times as many, and holds the counts against one another.
fn assert_steady_for(ios: u64, workload: Workload, recording: Recording, backend: BackendChoice) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let spec = JobSpec { recording, ..job(workload, 4 * MIB, Until::SpanCovered) };
    let short = allocations(&spec, ios, backend);
    let long = allocations(&spec, 10 * ios, backend);
    assert!(short > 0, "arming allocates, so the count must see it");
    // The channel by which workers report makes room now and then; that is a handful a job, whatever its length.
    let text = format!("{} on {}: {short} allocations for {ios} I/Os, {long} for ten times as many", spec.workload.title(), backend.name());
    assert!(long <= short + 8, "{text}");
}

fn assert_steady(workload: Workload, recording: Recording, backend: BackendChoice) {
    // 4 MiB are gone through several times.
    assert_steady_for(500, workload, recording, backend);
}

#[test]
fn plain_reads_and_writes() {
    for backend in ["io_uring", "libaio", "psync", "pvsync2", "mmap"].map(common::named) {
        assert_steady(workload(Pattern::Random, 50, 4096, 1, 8), Recording::default(), backend);
    }
}

#[test]
fn everything_that_a_job_can_ask_for() {
    let sizes = vec![SizeShare { bytes: 4096, percent: 50 }, SizeShare { bytes: 16384, percent: 50 }];
    let several = Shape { read_sizes: sizes.clone(), write_sizes: sizes, ..Shape::PLAIN };
    let base = workload(Pattern::Random, 50, 4096, 2, 8);
    let shaped = |shape: Shape| Workload { shape, ..base.clone() };
    let split = Recording { split: true, ..Recording::default() };
    assert_steady(
        shaped(Shape { order: Order::Zipf { theta_milli: 1200, center_ppm: None }, ..Shape::PLAIN }),
        split,
        BackendChoice::IO_URING,
    );
    assert_steady(shaped(Shape { pace: Pace::Poisson { ios_per_s: 10_000 }, ..Shape::PLAIN }), split, BackendChoice::IO_URING);
    let order = Order::Mapped { optional: false };
    assert_steady(shaped(Shape { order, ..several.clone() }), split, BackendChoice::IO_URING);
    assert_steady(shaped(several), split, BackendChoice::IO_URING);
    let synced = Workload { durability: Durability::FdatasyncEvery(4), ..base.clone() };
    assert_steady_for(100, synced, Recording::default(), BackendChoice::IO_URING);
    let durable = Workload { durability: Durability::FdatasyncEach, ..base };
    assert_steady_for(50, durable, Recording::default(), BackendChoice::IO_URING);
}
