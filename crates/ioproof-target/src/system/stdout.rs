//! Notes at the start of the program that it has no standard output (`>&-`).
//!
//! The standard library puts `/dev/null` in the place of a closed one before `main`, so that results would vanish without an error; and a `/dev/null` that
//! the user chose looks the same. So this looks before the standard library does.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// True if standard output was closed when the program was started.
#[must_use]
pub fn output_was_closed() -> bool {
    CLOSED.load(Relaxed)
}

extern "C" fn look() {
    // SAFETY: fcntl(2) with F_GETFD takes any number and touches no memory; it needs nothing that the runtime sets up.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags < 0, Relaxed);
}

// SAFETY: the loader calls the functions of this section once, before `main`, on the one thread that there is; `look` takes no argument that it must know of.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_tests_is_open() {
        assert!(!output_was_closed());
        look();
        assert!(!output_was_closed());
    }
}
