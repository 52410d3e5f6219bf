//! Turns the signal of a page that cannot be had into a result.
//!
//! When a drive fails, a file was cut short or a filesystem is full, whoever touches a mapped page of it gets SIGBUS, which ends a program.
//! Here a handler puts a page of zeros into its place, so that the copy goes on, and notes that it did; the caller then maps the file again
//! and reports an error. This costs nothing as long as nothing fails; asking the kernel for the pages beforehand (MADV_POPULATE_READ)
//! would make a copy of 4 KiB that is in memory three times as expensive.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence};

thread_local! {
    /// The addresses that this thread is about to touch. Neither cell is set up lazily or torn down, so the handler may use both.
    static GUARDED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// True once a page of them was lost.
    static LOST: Cell<bool> = const { Cell::new(false) };
}

/// The action of SIGBUS before this program's.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Takes SIGBUS over, once for the process; a signal that is not about a guarded page goes where it went before.
pub(super) fn install() {
    BEFORE.get_or_init(|| {
        // SAFETY: a sigaction is numbers and pointers, of which zero is a value.
        let mut action = unsafe { MaybeUninit::<libc::sigaction>::zeroed().assume_init() };
        let mut before = action;
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_bus_error;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that SA_SIGINFO asks for and does only what a handler may: two thread-local cells without
        // set-up, mmap(2) and sigaction(2). A failure leaves everything as it was.
        unsafe { libc::sigaction(libc::SIGBUS, &raw const action, &raw mut before) };
        // The page size is looked up once and kept; the handler must not be the first to ask.
        rustix::param::page_size();
        before
    });
}

/// Runs `touch`, which touches no pages that can be lost but those of `pages`; says whether some were. What was read from lost pages is zeros,
/// what was written to them is lost, and they must be mapped again.
#[inline]
pub(super) fn guarded(pages: Range<usize>, touch: impl FnOnce()) -> bool {
    GUARDED.set((pages.start, pages.end));
    // The handler runs on this thread: only the compiler could change the order.
    compiler_fence(Ordering::SeqCst);
    touch();
    compiler_fence(Ordering::SeqCst);
    GUARDED.set((0, 0));
    LOST.replace(false)
}

extern "C" fn on_bus_error(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel gives a valid structure, and with SIGBUS it has an address.
    let address = unsafe { (*info).si_addr() } as usize;
    let (start, end) = GUARDED.get();
    if (start..end).contains(&address) && put_zeros(address) {
        LOST.set(true);
    } else if let Some(before) = BEFORE.get() {
        // SAFETY: gives back what was there; the instruction is tried again and the signal goes its old way.
        unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
    }
}

/// Maps a page of zeros over the one that was touched.
fn put_zeros(address: usize) -> bool {
    let page = rustix::param::page_size();
    let start = (address & !(page - 1)) as *mut c_void;
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED);
    // SAFETY: the page is one that `guarded` was told of, so it is of the mapping that its caller holds and mends.
    unsafe { libc::mmap(start, page, protection, flags, -1, 0) != libc::MAP_FAILED }
}
