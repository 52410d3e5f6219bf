//! pread(2), pwrite(2) and fdatasync(2): one I/O at a time, so more of them take more threads.

use super::{Backend, Operation, Setup};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// Works at depth 1: the queue is one I/O long.
#[derive(Debug)]
pub(crate) struct Psync {
    target: Arc<OwnedFd>,
    read_into: *mut u8,
    write_from: *mut u8,
    block_bytes: usize,
    queued: Option<(Operation, u32, u64)>,
    done: Option<(u32, i32)>,
}

impl Psync {
    pub(crate) fn new(setup: &Setup) -> Self {
        assert_eq!(setup.depth, 1, "psync keeps one I/O outstanding a thread");
        Self {
            target: Arc::clone(setup.target),
            read_into: setup.buffers.read_at(0),
            write_from: setup.buffers.write_at(0),
            block_bytes: setup.block_bytes as usize,
            queued: None,
            done: None,
        }
    }
}

impl Backend for Psync {
    fn push(&mut self, operation: Operation, slot: u32, offset: u64) {
        self.queued = Some((operation, slot, offset));
    }

    fn submit(&mut self, _wait: bool) -> io::Result<()> {
        let Some((operation, slot, offset)) = self.queued.take() else { return Ok(()) };
        let fd = self.target.as_raw_fd();
        let offset = offset.cast_signed();
        // SAFETY: the pointers are to slot 0 of the worker's buffers, which outlive the backend and hold `block_bytes`; the descriptor is open.
        let moved = unsafe {
            match operation {
                Operation::Read => libc::pread(fd, self.read_into.cast(), self.block_bytes, offset),
                Operation::Write => libc::pwrite(fd, self.write_from.cast_const().cast(), self.block_bytes, offset),
                Operation::Sync => libc::fdatasync(fd) as isize,
            }
        };
        let result = if moved < 0 { -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) } else { moved as i32 };
        self.done = Some((slot, result));
        Ok(())
    }

    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        if let Some((slot, result)) = self.done.take() {
            done(slot, result);
        }
    }

    fn name(&self) -> &'static str {
        "psync"
    }

    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }
}
