//! Descriptors that the program was started with, by their number: `--output=/dev/fd/3`.

use rustix::io::FdFlags;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};

/// Another descriptor of what the program was started with under this number: written where that stands, and no path is walked or opened. Descriptors of
/// the program's own, which may be those of targets, close when another program is executed, and are refused by that.
///
/// # Errors
/// When there is none, or it is the program's own.
pub fn inherited(number: RawFd) -> io::Result<File> {
    if number < 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the number is only handed to fcntl(2), twice, which answers EBADF where it is no descriptor; nothing is read, written or closed through it.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    if rustix::io::fcntl_getfd(fd)?.contains(FdFlags::CLOEXEC) {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 3)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn only_what_the_program_was_started_with_is_taken() {
        assert!(inherited(1).is_ok());
        let own = tempfile::tempfile().unwrap();
        assert!(inherited(own.as_raw_fd()).is_err() && inherited(-1).is_err() && inherited(1_000_000).is_err());
    }
}
