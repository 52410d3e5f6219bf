//! Registration of buffers, files and the ring itself with the kernel, so that it need not look them up with every I/O.

use super::{Format, Ring};
use crate::backend::uring::abi::{Update, enter, register};
use std::ffi::c_void;
use std::io;
use std::os::fd::AsRawFd;

impl<F: Format> Ring<F> {
    /// io_uring_register(2).
    ///
    /// # Safety
    /// `argument` must be what `call` wants, `count` times; what it names must stay valid until it is unregistered.
    unsafe fn register(&self, call: u32, argument: *mut c_void, count: u32) -> io::Result<()> {
        // SAFETY: the caller's.
        let result = unsafe { libc::syscall(libc::SYS_io_uring_register, self.fd.as_raw_fd(), call, argument, count) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Registers one buffer as number 0.
    ///
    /// # Safety
    /// The memory must stay mapped until it is unregistered or the ring dropped.
    pub(in crate::backend) unsafe fn register_buffer(&self, mut buffer: libc::iovec) -> io::Result<()> {
        // SAFETY: one vector; the caller vouches for the memory.
        unsafe { self.register(register::BUFFERS, (&raw mut buffer).cast(), 1) }
    }

    /// Registers buffers under their indices.
    ///
    /// # Safety
    /// The memory must stay mapped until they are unregistered or the ring dropped.
    pub(in crate::backend) unsafe fn register_buffers(&self, buffers: &mut [libc::iovec]) -> io::Result<()> {
        // SAFETY: so many vectors; the caller vouches for the memory.
        unsafe { self.register(register::BUFFERS, buffers.as_mut_ptr().cast(), buffers.len() as u32) }
    }

    /// Registers descriptors under their indices.
    pub(in crate::backend) fn register_files(&self, fds: &mut [i32]) -> io::Result<()> {
        // SAFETY: so many numbers; the kernel holds the files itself.
        unsafe { self.register(register::FILES, fds.as_mut_ptr().cast(), fds.len() as u32) }
    }

    /// Lets go of buffer and files at once; when the ring is closed the kernel does it later and on its own.
    pub(in crate::backend) fn unregister(&self, buffers: bool, files: bool) {
        for (registered, call) in [(files, register::UNREGISTER_FILES), (buffers, register::UNREGISTER_BUFFERS)] {
            if registered {
                // SAFETY: the calls take no argument. A failure leaves it to the closing of the ring.
                let _ = unsafe { self.register(call, std::ptr::null_mut(), 0) };
            }
        }
    }

    /// Registers the ring itself with this thread, so that entering the kernel does not look its descriptor up.
    pub(in crate::backend) fn register_self(&mut self) -> io::Result<()> {
        let mut update = Update { index: u32::MAX, reserved: 0, data: self.fd.as_raw_fd() as u64 };
        // SAFETY: one update, into which the kernel writes the index.
        unsafe { self.register(register::RING_FDS, (&raw mut update).cast(), 1) }?;
        (self.enter_fd, self.enter_flags) = (update.index.cast_signed(), enter::REGISTERED_RING);
        Ok(())
    }
}

impl<F: Format> Drop for Ring<F> {
    fn drop(&mut self) {
        if self.enter_flags & enter::REGISTERED_RING != 0 {
            let mut update = Update { index: self.enter_fd.cast_unsigned(), ..Update::default() };
            // SAFETY: one update. The registration would otherwise keep the ring until the thread ends.
            let _ = unsafe { self.register(register::UNREGISTER_RING_FDS, (&raw mut update).cast(), 1) };
        }
    }
}
