//! aio_read(3), aio_write(3) and aio_fsync(3): threads of the C library do the I/O. It is here to show what programs get that use them.

use super::refusals::NO_SUCH_OPERATION;
use super::row::Refusal;
use super::synchronous::{Aside, last_errno, sleep};
use super::{Backend, BackendSetup, Build, Io, IoOperation};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

/// Errors of the C library with their remedies.
pub(super) const REFUSALS: &[Refusal] = &[
    (libc::EAGAIN, "the C library could not start a thread: raise the limit of processes (`ulimit -u`, pids.max of a control group)"),
    NO_SUCH_OPERATION,
];

/// State of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Queued(IoOperation),
    /// The C library has it.
    Outstanding,
}

/// One control block for each slot; they never move.
pub(crate) struct PosixAio {
    blocks: Box<[libc::aiocb]>,
    states: Box<[State]>,
    /// The list for aio_suspend(3): the outstanding blocks, null for the other slots.
    watched: Box<[*const libc::aiocb]>,
    /// Slots to be handed over, in their order.
    queued: Vec<u32>,
    /// Addresses that each slot reads into and writes from.
    addresses: Box<[(*mut u8, *mut u8)]>,
    done: Vec<(u32, i32)>,
    aside: Aside,
}

impl Build for PosixAio {
    /// Writes that are to bear flags are refused: POSIX knows none.
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        if setup.write_flags != 0 {
            let text =
                "POSIX AIO has no durable writes; io_uring, libaio, psync and pvsync2 have, and a sync after each write works with all";
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        let aside = Aside::new(setup)?;
        try_thread(aside.targets.raw_fd(0))?;
        let room = setup.depth as usize;
        let slots = (0..setup.depth).map(|s| (setup.buffers.read_at(s), setup.buffers.write_at(s)));
        Ok(Self {
            blocks: (0..room).map(|_| empty()).collect(),
            states: vec![State::Free; room].into(),
            watched: vec![std::ptr::null(); room].into(),
            queued: Vec::with_capacity(room),
            addresses: slots.collect(),
            done: Vec::with_capacity(room),
            aside,
        })
    }
}

impl PosixAio {
    /// Hands over the queued I/Os. One that the C library has no room for stays queued; one that it refuses is done, with its error.
    fn hand_over(&mut self) {
        let mut taken = 0;
        for &slot in &self.queued {
            let block = &raw mut self.blocks[slot as usize];
            let State::Queued(operation) = self.states[slot as usize] else { continue };
            // SAFETY: the block is in a box that does not move, names its slot's buffer, which outlives this value, and is not in use.
            let errno = unsafe { start(operation, block) };
            match errno {
                0 => (self.states[slot as usize], self.watched[slot as usize]) = (State::Outstanding, block.cast_const()),
                // With nothing under way there is no thread that would make room.
                libc::EAGAIN if self.states.contains(&State::Outstanding) => break,
                errno => {
                    self.states[slot as usize] = State::Free;
                    self.aside.refuse(slot, errno);
                }
            }
            taken += 1;
        }
        self.queued.drain(..taken);
    }

    /// Moves completed I/Os to `done`.
    fn collect(&mut self) {
        for slot in 0..self.states.len() {
            if self.states[slot] != State::Outstanding {
                continue;
            }
            let block = &raw mut self.blocks[slot];
            // SAFETY: the block was handed over and its result has not been taken.
            let errno = unsafe { libc::aio_error(block) };
            if errno == libc::EINPROGRESS {
                continue;
            }
            // SAFETY: as before; it is done, and its result is taken once, since the slot is free from here on.
            let moved = unsafe { libc::aio_return(block) };
            (self.states[slot], self.watched[slot]) = (State::Free, std::ptr::null());
            self.done.push((slot as u32, if errno == 0 { moved as i32 } else { -errno }));
        }
    }

    fn has_outstanding(&self) -> bool {
        self.states.contains(&State::Outstanding)
    }

    /// Waits until one is done or the time has gone by.
    fn wait(&self, wait_ns: u64) {
        if !self.has_outstanding() {
            return sleep(wait_ns);
        }
        let wait = libc::timespec { tv_sec: (wait_ns / 1_000_000_000) as _, tv_nsec: (wait_ns % 1_000_000_000) as _ };
        // SAFETY: the list is of blocks that were handed over, or null. The result says nothing that `collect` does not find out.
        unsafe { libc::aio_suspend(self.watched.as_ptr(), self.watched.len() as i32, &raw const wait) };
    }
}

/// Longest wait for a read of nothing. Seconds.
const TRY_S: libc::time_t = 10;

/// Reads nothing by a target's descriptor, to see that the C library gets a thread: without one its calls can wait for ever. What the read itself comes to does
/// not matter.
///
/// # Errors
/// Where no thread can be started (EAGAIN), or the read is not done in time.
fn try_thread(descriptor: RawFd) -> io::Result<()> {
    let block = Box::leak(Box::new(empty()));
    block.aio_fildes = descriptor;
    let block = std::ptr::from_mut(block);
    // SAFETY: the block is leaked, so that it stays where it is, and a read of nothing needs no buffer.
    match unsafe { start(IoOperation::Read, block) } {
        0 => {}
        errno => return Err(io::Error::from_raw_os_error(errno)),
    }
    let wait = libc::timespec { tv_sec: TRY_S, tv_nsec: 0 };
    // SAFETY: the list is of one block, which was handed over.
    unsafe { libc::aio_suspend([block.cast_const()].as_ptr(), 1, &raw const wait) };
    // SAFETY: the block was handed over and its result has not been taken.
    if unsafe { libc::aio_error(block) } == libc::EINPROGRESS {
        return Err(io::Error::from_raw_os_error(libc::EAGAIN));
    }
    // SAFETY: it is done, so that the C library knows the block no longer once its result is taken, and it came from a box.
    unsafe {
        libc::aio_return(block);
        drop(Box::from_raw(block));
    }
    Ok(())
}

/// An empty control block.
fn empty() -> libc::aiocb {
    // SAFETY: an aiocb is numbers and pointers, of which zero is a value; the C library wants all but the named fields to be zero.
    unsafe { MaybeUninit::<libc::aiocb>::zeroed().assume_init() }
}

/// Gives 0 or the errno.
///
/// # Safety
/// The block must stay where it is and its buffer valid until it is done.
unsafe fn start(operation: IoOperation, block: *mut libc::aiocb) -> i32 {
    // SAFETY: the caller vouches for the block.
    let result = unsafe {
        match operation {
            IoOperation::Read => libc::aio_read(block),
            IoOperation::Write => libc::aio_write(block),
            IoOperation::Datasync => libc::aio_fsync(libc::O_DSYNC, block),
            _ => libc::aio_fsync(libc::O_SYNC, block),
        }
    };
    if result == 0 { 0 } else { last_errno() }
}

impl Drop for PosixAio {
    /// The threads of the C library write into the blocks and the buffers, so both must outlive them.
    fn drop(&mut self) {
        while self.has_outstanding() {
            self.wait(1_000_000_000);
            self.collect();
        }
    }
}

impl Backend for PosixAio {
    fn push(&mut self, io: Io) {
        if matches!(io.operation, IoOperation::Trim | IoOperation::RangeSync) {
            return self.aside.push(io);
        }
        let (read_into, write_from) = self.addresses[io.slot as usize];
        let block = &mut self.blocks[io.slot as usize];
        block.aio_fildes = self.aside.targets.raw_fd(io.target);
        block.aio_buf = if io.operation == IoOperation::Read { read_into } else { write_from }.cast();
        block.aio_nbytes = io.bytes as usize;
        block.aio_offset = io.offset.cast_signed();
        self.states[io.slot as usize] = State::Queued(io.operation);
        self.queued.push(io.slot);
    }

    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        self.hand_over();
        self.aside.work();
        self.collect();
        if wait_ns > 0 && self.done.is_empty() && !self.aside.has_done() {
            self.wait(wait_ns);
            self.collect();
        }
        Ok(())
    }

    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        self.done.drain(..).for_each(|(slot, result)| done(slot, result));
        self.aside.reap(&mut done);
    }

    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }
}
