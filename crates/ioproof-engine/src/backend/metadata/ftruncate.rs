//! ftruncate(2) to the offset of each write.

use super::super::serial::{Serial, SerialCall};
use super::super::synchronous::{Targets, last_errno};
use super::super::{BackendSetup, Io};
use std::io;

/// The backend.
pub(crate) type Ftruncate = Serial<Calls>;

/// Calls of ftruncate(2).
#[derive(Debug)]
pub(crate) struct Calls;

impl SerialCall for Calls {
    fn new(_: &BackendSetup) -> io::Result<Self> {
        Ok(Self)
    }

    /// Nothing is read.
    fn read(&mut self, _: &Targets, _: &Io) -> i32 {
        -libc::EINVAL
    }

    fn write(&mut self, targets: &Targets, io: &Io) -> i32 {
        // SAFETY: the call takes numbers only; the descriptor is open.
        match unsafe { libc::ftruncate64(targets.raw_fd(io.target), io.offset.cast_signed()) } {
            0 => io.bytes.cast_signed(),
            _ => -last_errno(),
        }
    }

    fn features(&self) -> Vec<String> {
        vec!["no data is moved".into()]
    }
}
