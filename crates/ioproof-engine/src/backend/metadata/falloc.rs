//! fallocate(2) over the range of each I/O: a read sets space aside and keeps the length of the file, a write extends the file, a trim punches a hole.

use super::super::serial::{Serial, SerialCall};
use super::super::synchronous::{Targets, last_errno};
use super::super::{BackendSetup, Io, IoOperation};
use std::io;

/// The backend.
pub(crate) type Falloc = Serial<Calls>;

/// Calls of fallocate(2).
#[derive(Debug)]
pub(crate) struct Calls;

impl SerialCall for Calls {
    fn new(_: &BackendSetup) -> io::Result<Self> {
        Ok(Self)
    }

    fn read(&mut self, targets: &Targets, io: &Io) -> i32 {
        allocate(targets, io, libc::FALLOC_FL_KEEP_SIZE)
    }

    fn write(&mut self, targets: &Targets, io: &Io) -> i32 {
        allocate(targets, io, 0)
    }

    fn perform(&mut self, targets: &Targets, io: &Io) -> i32 {
        match io.operation {
            IoOperation::Trim => allocate(targets, io, libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE),
            _ => targets.perform(io),
        }
    }

    fn features(&self) -> Vec<String> {
        vec!["no data is moved".into()]
    }
}

/// Gives what a whole I/O of this kind gives, or the negative errno.
fn allocate(targets: &Targets, io: &Io, mode: i32) -> i32 {
    let (fd, offset) = (targets.raw_fd(io.target), io.offset.cast_signed());
    // SAFETY: the call takes numbers only; the descriptor is open.
    match unsafe { libc::fallocate64(fd, mode, offset, io.bytes.into()) } {
        0 => io.operation.expects(io.bytes),
        _ => -last_errno(),
    }
}
