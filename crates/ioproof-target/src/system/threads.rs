//! Threads of ours, all made here (`cargo xtask tidy` checks it): with a stack whose size is said. Without that the standard library takes it from
//! `RUST_MIN_STACK` (std::thread, "Stack size"), so that a variable which somebody set for another program would end this one in the middle of a measurement.

use crate::system::kernel;
use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Size of a thread's stack, the standard library's own default. Only the part that is touched takes memory.
const STACK_BYTES: usize = 2 << 20;

/// Size of the stack on which the program itself runs, that of a usual main thread.
const PROGRAM_STACK_BYTES: usize = 8 << 20;

/// Pools from which the C library gives memory to all threads. It makes eight for each CPU and reserves 64 MiB of addresses for each of them
/// (mallopt(3), M_ARENA_MAX), which `ulimit -v` may not leave; nothing is allocated while I/O is measured, so that nobody waits for another.
pub const THREAD_POOLS: i32 = 2;

/// Runs the program in a thread, and gives what it says. The kernel takes the size of the first thread's stack from the user's limit (`ulimit -s`), at which
/// a program ends without a word. Where no thread is to be had, it runs in the first one.
pub fn run_program<T: Send + 'static>(program: fn() -> T) -> T {
    kernel::share_memory_pools(THREAD_POOLS);
    match builder("ioproof").stack_size(PROGRAM_STACK_BYTES).spawn(program) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => program(),
    }
}

/// Begins a thread.
///
/// # Errors
/// When the kernel gives none: a limit on processes (`ulimit -u`, pids.max of a control group), or no memory.
pub fn spawn<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    builder(name).spawn(work)
}

/// Begins a thread that ends within the scope.
///
/// # Errors
/// As [`spawn`].
pub fn spawn_within<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    builder(name).spawn_scoped(scope, work)
}

fn builder(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(STACK_BYTES)
}
