//! pread(2) and pwrite(2); pwritev2(2) for writes that are to be durable by themselves, and NVMe's own command for those with FUA.

use super::commands::nvme_fua::Fua;
use super::pvsync2::write_with_flags;
use super::serial::{Serial, SerialCall};
use super::synchronous::{Targets, returned};
use super::{BackendSetup, Io};
use std::io;

/// The backend.
pub(crate) type Psync = Serial<Plain>;

/// The plainest calls there are.
#[derive(Debug)]
pub(crate) struct Plain {
    read_into: *mut u8,
    write_from: *mut u8,
    write_flags: i32,
    fua: Option<Fua>,
}

impl SerialCall for Plain {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let fua = setup.fua.then(|| Fua::new(setup)).transpose()?;
        Ok(Self { read_into: setup.buffers.read_at(0), write_from: setup.buffers.write_at(0), write_flags: setup.write_flags, fua })
    }

    #[inline]
    fn read(&mut self, targets: &Targets, io: &Io) -> i32 {
        let (fd, offset) = (targets.raw_fd(io.target), io.offset.cast_signed());
        // SAFETY: the pointer is to slot 0 of the worker's buffers, which outlive the backend and hold the largest I/O; the descriptor is open.
        returned(unsafe { libc::pread(fd, self.read_into.cast(), io.bytes as usize, offset) })
    }

    #[inline]
    fn write(&mut self, targets: &Targets, io: &Io) -> i32 {
        let (fd, offset) = (targets.raw_fd(io.target), io.offset.cast_signed());
        if let Some(fua) = &self.fua {
            return fua.write(targets.fd(io.target), self.write_from, io);
        }
        if self.write_flags != 0 {
            return write_with_flags(fd, self.write_from, io, self.write_flags);
        }
        // SAFETY: as for `read`.
        returned(unsafe { libc::pwrite(fd, self.write_from.cast_const().cast(), io.bytes as usize, offset) })
    }
}
