//! Turns the signal of a page that cannot be had into a result.
//!
//! When a drive fails, a file was cut short or a filesystem is full, whoever touches a mapped page of it gets SIGBUS, which ends a program.
//! Here a handler puts a page of zeros into its place, so that the copy goes on, and notes that it did; the caller then maps the file again
//! and reports an error. This costs nothing as long as nothing fails; asking the kernel for the pages beforehand (MADV_POPULATE_READ)
//! would make a copy of 4 KiB that is in memory three times as expensive. Pages that a library maps, as SQLite does, are given up in the same way as long as
//! somebody asks for it ([`LostPages`]).

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

thread_local! {
    /// The addresses that this thread is about to touch. Neither cell is set up lazily or torn down, so the handler may use both.
    static GUARDED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// True once a page of them was lost.
    static LOST: Cell<bool> = const { Cell::new(false) };
}

/// Code of a page that its file cannot give, as against broken memory (sigaction(2)).
const BUS_ADRERR: c_int = 2;

/// Those who ask for pages of any mapping to be given up.
static ASKING: AtomicU64 = AtomicU64::new(0);

/// Pages that were given up for them.
static GIVEN_UP: AtomicU64 = AtomicU64::new(0);

/// Survival of pages of files that a library maps, as long as it lives: such a page becomes zeros, which only whoever counts them may bear.
#[derive(Debug)]
pub struct LostPages(());

impl LostPages {
    /// Begins to give such pages up.
    #[must_use]
    pub fn survive() -> Self {
        install();
        ASKING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// Pages that the whole program has lost in this way since it began.
    #[must_use]
    pub fn count(&self) -> u64 {
        GIVEN_UP.load(Ordering::SeqCst)
    }
}

impl Drop for LostPages {
    fn drop(&mut self) {
        ASKING.fetch_sub(1, Ordering::SeqCst);
    }
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
    let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };
    let (start, end) = GUARDED.get();
    if (start..end).contains(&address) && put_zeros(address) {
        LOST.set(true);
    } else if code == BUS_ADRERR && ASKING.load(Ordering::SeqCst) > 0 && put_zeros(address) {
        GIVEN_UP.fetch_add(1, Ordering::SeqCst);
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
    // SAFETY: the page is one that `guarded` was told of, so it is of the mapping that its caller holds and mends, or one whose file gives it no more, which
    // whoever asked for that bears.
    unsafe { libc::mmap(start, page, protection, flags, -1, 0) != libc::MAP_FAILED }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsRawFd;

    /// The first byte of a page of a file that was cut short behind it was mapped.
    fn byte_of_a_lost_page() -> u8 {
        let mut file: File = tempfile::tempfile().unwrap();
        let page = rustix::param::page_size();
        file.write_all(&vec![7; page]).unwrap();
        let (protection, fd) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd());
        // SAFETY: a new mapping of a file that lives as long as it.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), page, protection, libc::MAP_SHARED, fd, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        file.set_len(0).unwrap();
        // SAFETY: within the mapping.
        let byte = unsafe { start.cast::<u8>().read_volatile() };
        // SAFETY: nothing uses it any more.
        assert_eq!(unsafe { libc::munmap(start, page) }, 0);
        byte
    }

    #[test]
    fn a_lost_page_of_anybody_is_survived_and_counted() {
        let lost_pages = LostPages::survive();
        let before = lost_pages.count();
        assert_eq!((byte_of_a_lost_page(), lost_pages.count() - before), (0, 1));
    }
}
