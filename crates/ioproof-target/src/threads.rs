//! Threads of ours, all made here (`cargo xtask tidy` checks it): with a stack whose size is said. Without that the standard library takes it from
//! `RUST_MIN_STACK` (std::thread, "Stack size"), so that a variable which somebody set for another program would end this one in the middle of a measurement.

use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Size of a thread's stack, the standard library's own default. Only the part that is touched takes memory.
const STACK_BYTES: usize = 2 << 20;

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
