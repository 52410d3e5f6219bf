//! The structures and system calls of Linux's asynchronous I/O (include/uapi/linux/aio_abi.h). The C library has none of them.

use std::io;
use std::mem::size_of;
use std::os::fd::AsRawFd;

/// `IOCB_CMD_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum AioCommand {
    Read = 0,
    Write = 1,
    Fsync = 2,
    Datasync = 3,
}

/// `IOCB_FLAG_IOPRIO`: the block has a priority.
const WITH_PRIORITY: u32 = 1 << 1;

/// `struct iocb`: one I/O as the kernel is told of it.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Block {
    data: u64,
    #[cfg(target_endian = "big")]
    flags: i32,
    key: u32,
    #[cfg(target_endian = "little")]
    flags: i32,
    command: u16,
    priority: i16,
    fd: u32,
    address: u64,
    length: u64,
    offset: i64,
    reserved: u64,
    block_flags: u32,
    event_fd: u32,
}

/// `struct io_event`: one that is done.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct AioEvent {
    pub(super) data: u64,
    block: u64,
    pub(super) result: i64,
    result2: i64,
}

const _: () = assert!(size_of::<Block>() == 64 && size_of::<AioEvent>() == 32);

impl Block {
    #[inline]
    pub(super) fn new(command: AioCommand, fd: i32, address: u64, bytes: u32, offset: u64, flags: i32) -> Self {
        let (fd, offset) = (fd.cast_unsigned(), offset.cast_signed());
        Self { command: command as u16, fd, address, length: bytes.into(), offset, flags, ..Self::default() }
    }

    /// The same with the number that its event will bear.
    #[inline]
    pub(super) fn with_data(self, data: u64) -> Self {
        Self { data, ..self }
    }

    /// The same with a priority of its own; 0: that of the thread.
    #[inline]
    pub(super) fn with_priority(self, number: u16) -> Self {
        let block_flags = if number > 0 { WITH_PRIORITY } else { 0 };
        Self { priority: number.cast_signed(), block_flags, ..self }
    }

    /// The number that its event will bear.
    pub(super) fn data(&self) -> u64 {
        self.data
    }
}

/// `aio_context_t`: a queue in the kernel; dropping it waits for what is outstanding.
#[derive(Debug)]
pub(super) struct AioContext(libc::c_ulong);

impl AioContext {
    /// A queue for `depth` I/Os.
    ///
    /// # Errors
    /// EAGAIN when the system's limit of such I/O is used up, ENOSYS where the kernel has none.
    pub(super) fn new(depth: u32) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one number to where it is pointed to.
        let result = unsafe { libc::syscall(libc::SYS_io_setup, libc::c_ulong::from(depth), &raw mut context) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(Self(context)) }
    }

    /// Hands blocks over; gives how many of the first were taken, or the errno of the very first.
    ///
    /// # Safety
    /// The blocks must be valid and their buffers stay so until their events have come.
    pub(super) unsafe fn submit(&self, blocks: &mut [*mut Block]) -> Result<usize, i32> {
        // SAFETY: the caller vouches for the blocks; their number is the slice's.
        let result = unsafe { libc::syscall(libc::SYS_io_submit, self.0, blocks.len() as libc::c_long, blocks.as_mut_ptr()) };
        usize::try_from(result).map_err(|_| crate::backend::synchronous::last_errno())
    }

    /// Fills `events` from the front with what is done, waiting for at least so many or until the time has gone by; gives how many there are.
    ///
    /// # Errors
    /// The error of io_getevents(2); a signal is none.
    #[inline]
    pub(super) fn events(&self, at_least: usize, events: &mut [AioEvent], wait_ns: u64) -> io::Result<usize> {
        let most = events.len() as libc::c_long;
        let at_least = (at_least as libc::c_long).min(most);
        let mut wait = libc::timespec { tv_sec: (wait_ns / 1_000_000_000) as _, tv_nsec: (wait_ns % 1_000_000_000) as _ };
        // SAFETY: the kernel writes at most `most` events to the slice, and reads the time.
        let result = unsafe { libc::syscall(libc::SYS_io_getevents, self.0, at_least, most, events.as_mut_ptr(), &raw mut wait) };
        match usize::try_from(result) {
            Ok(count) => Ok(count),
            Err(_) if crate::backend::synchronous::last_errno() == libc::EINTR => Ok(0),
            Err(_) => Err(io::Error::last_os_error()),
        }
    }

    /// Answers whether syncs can be queued (since Linux 4.18); tried on a file in memory, so that no drive gets a flush.
    pub(super) fn knows_syncs(&self) -> bool {
        let Ok(file) = rustix::fs::memfd_create("ioproof", rustix::fs::MemfdFlags::CLOEXEC) else { return false };
        let mut block = Block::new(AioCommand::Datasync, file.as_raw_fd(), 0, 0, 0, 0);
        // SAFETY: the block has no buffer, and its event is waited for before it goes.
        let taken = unsafe { self.submit(&mut [&raw mut block]) } == Ok(1);
        let mut event = [AioEvent::default()];
        while taken && self.events(1, &mut event, 1_000_000_000).is_ok_and(|count| count == 0) {}
        taken && event[0].result == 0
    }
}

impl Drop for AioContext {
    fn drop(&mut self) {
        // SAFETY: the context was made by `new` and is not used any more.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}
