//! The signal that ends the program at once, told from a repetition of the first one.
//!
//! One wish may come as several signals: timeout(1) sends SIGTERM to the program and then to its process group, and so does many a service manager. So what comes within
//! [`ONE_WISH`] of the first is that one again.

use signal_hook::SigId;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// Time after the first signal in which others say the same.
pub const ONE_WISH: Duration = Duration::from_millis(500);

/// When the first signal came, by the clock since the machine was started. Nanoseconds; 0 before.
static FIRST_NS: AtomicU64 = AtomicU64::new(0);

/// Has a signal end the program at once with this status where `is_armed` is set, unless it comes with the first one.
///
/// # Errors
/// When the kernel refuses a handler.
pub fn ends_at_once(signal: i32, status: Arc<AtomicI32>, is_armed: Arc<AtomicBool>) -> io::Result<SigId> {
    ends_where(signal, status, move || is_armed.load(SeqCst) && !is_with_first(now_ns()))
}

/// Has a signal end the program at once with this status where `is_waiting` is set, also the first one.
///
/// # Errors
/// When the kernel refuses a handler.
pub fn ends_waiting(signal: i32, status: Arc<AtomicI32>, is_waiting: Arc<AtomicBool>) -> io::Result<SigId> {
    ends_where(signal, status, move || is_waiting.load(SeqCst))
}

#[expect(unsafe_code, reason = "a handler is given to the kernel")]
fn ends_where(signal: i32, status: Arc<AtomicI32>, is_end: impl Fn() -> bool + Send + Sync + 'static) -> io::Result<SigId> {
    let action = move || {
        if is_end() {
            signal_hook::low_level::exit(status.load(SeqCst));
        }
    };
    // SAFETY: the handler reads the clock (signal-safety(7)), looks at atomics and leaves by _exit.
    unsafe { signal_hook::low_level::register(signal, action) }
}

/// Has a signal be the first one, where none came before. To be registered behind all others.
///
/// # Errors
/// When the kernel refuses a handler.
#[expect(unsafe_code, reason = "a handler is given to the kernel")]
pub fn notes_first(signal: i32) -> io::Result<SigId> {
    let action = || {
        let _ = FIRST_NS.compare_exchange(0, now_ns(), SeqCst, SeqCst);
    };
    // SAFETY: the handler reads the clock (signal-safety(7)) and changes an atomic.
    unsafe { signal_hook::low_level::register(signal, action) }
}

/// From now on every further signal is a second one: whoever sent the first has seen that it came.
pub fn first_is_seen() {
    let _ = FIRST_NS.fetch_min(1, SeqCst);
}

/// True once a signal came that ends the run.
#[must_use]
pub fn have_come() -> bool {
    FIRST_NS.load(SeqCst) > 0
}

fn is_with_first(now_ns: u64) -> bool {
    let first_ns = FIRST_NS.load(SeqCst);
    first_ns > 0 && now_ns.saturating_sub(first_ns) < ONE_WISH.as_nanos() as u64
}

/// The clock since the machine was started, at least 1.
fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_soon_after_the_first_is_the_same_wish() {
        assert!(!is_with_first(5) && !have_come(), "there was none");
        FIRST_NS.store(1_000_000_000, SeqCst);
        assert!(is_with_first(1_000_000_000) && is_with_first(1_499_999_999) && !is_with_first(1_500_000_000));
        first_is_seen();
        assert!(have_come());
        assert!(!is_with_first(1_000_000_001) && now_ns() > 1);
    }
}
