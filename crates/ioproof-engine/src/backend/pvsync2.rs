//! preadv2(2) and pwritev2(2), which take flags with each I/O: RWF_HIPRI asks to wait by polling the device.

use super::refusals::NOT_POLLED;
use super::row::Refusal;
use super::serial::{Serial, SerialCall};
use super::synchronous::{Targets, returned};
use super::{BackendSetup, Io};
use std::io;

/// Errors of the kernel with their remedies.
pub(super) const REFUSALS: &[Refusal] = &[NOT_POLLED, (libc::ENOSYS, "preadv2 came with Linux 4.6; `--backend psync` works without")];

/// The backend.
pub(crate) type Pvsync2 = Serial<Flagged>;

/// Calls with flags.
#[derive(Debug)]
pub(crate) struct Flagged {
    read_into: *mut u8,
    write_from: *mut u8,
    read_flags: i32,
    write_flags: i32,
}

impl SerialCall for Flagged {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let read_flags = if setup.polled { libc::RWF_HIPRI } else { 0 };
        Ok(Self {
            read_into: setup.buffers.read_at(0),
            write_from: setup.buffers.write_at(0),
            read_flags,
            write_flags: read_flags | setup.write_flags,
        })
    }

    #[inline]
    fn read(&mut self, targets: &Targets, io: &Io) -> i32 {
        let vector = vector(self.read_into, io);
        // SAFETY: the vector is of slot 0 of the worker's buffers, which outlive the backend and hold the largest I/O; the descriptor is open.
        returned(unsafe { libc::preadv2(targets.raw_fd(io.target), &raw const vector, 1, io.offset.cast_signed(), self.read_flags) })
    }

    #[inline]
    fn write(&mut self, targets: &Targets, io: &Io) -> i32 {
        write_with_flags(targets.raw_fd(io.target), self.write_from, io, self.write_flags)
    }

    fn features(&self) -> Vec<String> {
        self.polls().then(|| "RWF_HIPRI".to_owned()).into_iter().collect()
    }

    fn fallbacks(&self) -> Vec<String> {
        // Commit 9650b453a3d4, "block: ignore RWF_HIPRI hint for sync dio", which went into stable kernels, too.
        let text = "RWF_HIPRI: since Linux 5.19 the kernel takes it and waits for the interrupt all the same; only io_uring polls";
        self.polls().then(|| text.to_owned()).into_iter().collect()
    }
}

impl Flagged {
    fn polls(&self) -> bool {
        self.read_flags & libc::RWF_HIPRI != 0
    }
}

fn vector(start: *mut u8, io: &Io) -> libc::iovec {
    libc::iovec { iov_base: start.cast(), iov_len: io.bytes as usize }
}

/// Writes from `start`, which must be part of the worker's buffers and hold the I/O; gives the bytes moved or the negative errno.
#[inline]
pub(super) fn write_with_flags(fd: i32, start: *mut u8, io: &Io, flags: i32) -> i32 {
    let vector = vector(start, io);
    // SAFETY: the caller points into its buffers, which the kernel only reads; a bad descriptor is an error like any other.
    returned(unsafe { libc::pwritev2(fd, &raw const vector, 1, io.offset.cast_signed(), flags) })
}
