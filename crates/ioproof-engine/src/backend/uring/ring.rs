//! The rings of an io_uring and the calls on them: entries are written where the kernel reads them, and nothing is looked at twice.
//!
//! An outside crate would do, but not as cheaply: this is where the loop spends most of what it spends in user space (README.md).

mod format;
mod registration;

pub(in crate::backend) use format::{Commands, Format, Plain};

use super::abi::{
    CommandEntry, Completion, Head, MOST_ENTRIES, OFFSET_OF_ENTRIES, OFFSET_OF_RINGS, Parameters, Time, Wait, enter, feature, say, setup,
};
use crate::backend::mapping::MemoryMap;
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// A ring of one thread, with entries and completions of one format.
pub(in crate::backend) struct Ring<F: Format = Plain> {
    entries: *mut F::Entry,
    entries_mask: u32,
    /// Entries written, and of those the ones that the kernel has taken; they count on for ever.
    written: u32,
    taken: u32,
    completions: *const F::Completion,
    completions_mask: u32,
    /// Completions passed on; counts on for ever.
    passed: u32,
    submission_tail: *const AtomicU32,
    submission_flags: *const AtomicU32,
    completion_head: *const AtomicU32,
    completion_tail: *const AtomicU32,
    /// A kernel thread takes the entries.
    kernel_submits: bool,
    /// Completions are found only by a thread that enters the kernel to look for them.
    polls: bool,
    timed_wait: bool,
    enter_fd: i32,
    enter_flags: u32,
    /// The length of the wait that `time` is set to. Nanoseconds.
    wait_ns: u64,
    time: Time,
    fd: OwnedFd,
    _rings: MemoryMap,
    _entries: MemoryMap,
}

impl Ring {
    /// A ring for `depth` I/Os, set up with `flags`.
    ///
    /// # Errors
    /// Those of [`Ring::of_format`].
    pub(in crate::backend) fn new(depth: u32, flags: u32) -> io::Result<Self> {
        Self::of_format(depth, flags)
    }

    /// Writes one entry. What follows the user data is zero, as the kernel made it and nobody changes it.
    #[inline]
    pub(in crate::backend) fn push(&mut self, head: Head, offset: u64, address: u64, length: u32, operation_flags: u32, user_data: u64) {
        let entry = self.next();
        entry.head = head;
        entry.offset = offset;
        entry.address = address;
        entry.length = length;
        entry.operation_flags = operation_flags;
        entry.user_data = user_data;
    }
}

impl<C: Copy> Ring<Commands<C>> {
    /// Writes one entry with a command.
    #[inline]
    pub(in crate::backend) fn push_command(&mut self, entry: CommandEntry<C>) {
        *self.next() = entry;
    }
}

impl<F: Format> Ring<F> {
    /// A ring for `depth` entries, set up with `flags` and those of the format.
    ///
    /// # Errors
    /// EINVAL when the kernel does not know a flag, ENOSYS or EPERM when it has no io_uring or forbids it, Unsupported when it is too old.
    pub(in crate::backend) fn of_format(depth: u32, flags: u32) -> io::Result<Self> {
        if depth > MOST_ENTRIES {
            let text = format!("a ring has at most {MOST_ENTRIES} entries; spread the queue depth over more workers");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let mut parameters = Parameters { flags: flags | F::FLAGS, ..Parameters::default() };
        // SAFETY: the kernel reads and writes one structure of this layout.
        let fd = unsafe { libc::syscall(libc::SYS_io_uring_setup, depth.next_power_of_two(), &raw mut parameters) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else's.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        let needed = feature::SINGLE_MMAP | feature::NODROP | feature::RW_CUR_POS;
        if parameters.features & needed != needed {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "this kernel's io_uring has no plain reads and writes (Linux 5.6)"));
        }
        Self::map(fd, &parameters)
    }

    fn map(fd: OwnedFd, p: &Parameters) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let array = if p.flags & setup::NO_SQARRAY == 0 { p.submission_entries as usize } else { 0 };
        let submission_length = p.submission.array as usize + array * size_of::<u32>();
        let completion_length = p.completion.completions as usize + p.completion_entries as usize * size_of::<F::Completion>();
        let rings = MemoryMap::new(fd.as_fd(), OFFSET_OF_RINGS, submission_length.max(completion_length), protection, libc::MAP_POPULATE)?;
        let length = p.submission_entries as usize * size_of::<F::Entry>();
        let entries = MemoryMap::new(fd.as_fd(), OFFSET_OF_ENTRIES, length, protection, libc::MAP_POPULATE)?;
        // SAFETY: the kernel's offsets lie inside the mapping, which is as long as it says.
        let at = |offset: u32| unsafe { rings.start().add(offset as usize) };
        for index in 0..array as u32 {
            // SAFETY: the array of that many numbers lies inside the mapping; it names each entry by its own index, for good.
            unsafe { at(p.submission.array).cast::<u32>().add(index as usize).write(index) };
        }
        Ok(Self {
            entries: entries.start().cast(),
            entries_mask: p.submission_entries - 1,
            written: 0,
            taken: 0,
            completions: at(p.completion.completions).cast(),
            completions_mask: p.completion_entries - 1,
            passed: 0,
            submission_tail: at(p.submission.tail).cast(),
            submission_flags: at(p.submission.flags).cast(),
            completion_head: at(p.completion.head).cast(),
            completion_tail: at(p.completion.tail).cast(),
            kernel_submits: p.flags & setup::SQPOLL != 0,
            polls: p.flags & (setup::SQPOLL | setup::IOPOLL) == setup::IOPOLL,
            timed_wait: p.features & feature::EXT_ARG != 0,
            enter_fd: fd.as_raw_fd(),
            enter_flags: 0,
            wait_ns: 0,
            time: Time::default(),
            fd,
            _rings: rings,
            _entries: entries,
        })
    }

    /// The next entry to write, as it was left by its last use.
    #[inline]
    fn next(&mut self) -> &mut F::Entry {
        assert!(self.written.wrapping_sub(self.taken) <= self.entries_mask, "more I/Os than the ring has entries");
        let index = (self.written & self.entries_mask) as usize;
        // SAFETY: the index is inside the mapped entries. The kernel reads no entry before it is published, and has read this one if it
        // was used before, since no more I/Os are outstanding than there are entries.
        let entry = unsafe { &mut *self.entries.add(index) };
        self.written = self.written.wrapping_add(1);
        entry
    }

    /// Passes completions on: user data and result.
    #[inline]
    pub(in crate::backend) fn reap(&mut self, mut done: impl FnMut(u64, i32)) {
        let tail = self.load(self.completion_tail);
        if tail == self.passed {
            return;
        }
        let (completions, mask) = (self.completions, self.completions_mask);
        let mut next = self.passed;
        self.passed = tail;
        while next != tail {
            // SAFETY: the index is inside the mapped completions, and the kernel has written this one before it moved the tail.
            let completion: Completion = unsafe { completions.add((next & mask) as usize).read() }.into();
            next = next.wrapping_add(1);
            done(completion.user_data, completion.result);
        }
        // SAFETY: the pointer is into the mapped rings; this thread alone writes the number.
        unsafe { &*self.completion_head }.store(tail, Ordering::Release);
    }

    /// True where a completion was not passed on yet.
    #[inline]
    fn has_done(&self) -> bool {
        self.load(self.completion_tail) != self.passed
    }

    /// Starts what is queued, and sees to it that what is done can be reaped. It enters the kernel only where it must.
    #[inline]
    pub(in crate::backend) fn submit(&mut self) -> io::Result<()> {
        let queued = self.publish();
        let flags = self.flags();
        if queued == 0 && flags == 0 {
            return Ok(());
        }
        self.enter(queued, 0, flags, std::ptr::null(), 0)
    }

    /// Starts what is queued, and waits until something is done or the time has gone by.
    #[inline]
    pub(in crate::backend) fn submit_and_wait(&mut self, wait_ns: u64) -> io::Result<()> {
        if self.has_done() {
            return self.submit();
        }
        if !self.timed_wait || self.polls {
            return self.submit_and_wait_otherwise(wait_ns);
        }
        let queued = self.publish();
        if wait_ns != self.wait_ns {
            self.wait_ns = wait_ns;
            self.time = Time { seconds: (wait_ns / 1_000_000_000) as i64, nanoseconds: (wait_ns % 1_000_000_000) as i64 };
        }
        let wait = Wait { time: (&raw const self.time).addr() as u64, ..Wait::default() };
        let flags = self.flags() | enter::GETEVENTS | enter::EXT_ARG;
        self.enter(queued, 1, flags, (&raw const wait).cast(), size_of::<Wait>())
    }

    /// As [`Self::submit_and_wait`] where the kernel takes no time to wait: without EXT_ARG (before Linux 5.11), and where it polls.
    #[cold]
    fn submit_and_wait_otherwise(&mut self, wait_ns: u64) -> io::Result<()> {
        let outstanding = self.written != self.passed;
        if self.polls && outstanding {
            // Comes back when something is done or another thread wants the CPU.
            let queued = self.publish();
            return self.enter(queued, 1, enter::GETEVENTS, std::ptr::null(), 0);
        }
        self.submit()?;
        if self.has_done() {
            return Ok(());
        }
        let mut poll = libc::pollfd { fd: self.fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let wait = libc::timespec { tv_sec: (wait_ns / 1_000_000_000) as _, tv_nsec: (wait_ns % 1_000_000_000) as _ };
        // SAFETY: one descriptor, a time, and no signals. A failure is a signal, which ends the wait.
        unsafe { libc::ppoll(&raw mut poll, 1, &raw const wait, std::ptr::null()) };
        Ok(())
    }

    /// Waits as on a kernel that takes no time to wait.
    #[cfg(test)]
    pub(in crate::backend) fn wait_otherwise(&mut self) {
        self.timed_wait = false;
    }

    /// Shows the kernel the entries that were written; gives how many entries an enter is to take.
    #[inline]
    fn publish(&mut self) -> u32 {
        // SAFETY: the pointer is into the mapped rings; this thread alone writes the number.
        unsafe { &*self.submission_tail }.store(self.written, Ordering::Release);
        if self.kernel_submits {
            self.taken = self.written;
            // The kernel's thread says that it sleeps and then looks at the tail once more; one of the two sides must see the other's.
            fence(Ordering::SeqCst);
        }
        self.written.wrapping_sub(self.taken)
    }

    /// Flags of an enter beside taking entries: run the work that completions are waiting for (with DEFER_TASKRUN they show only then), make
    /// room after an overflow, poll, wake the kernel's thread.
    #[inline]
    fn flags(&self) -> u32 {
        let says = self.load(self.submission_flags);
        let mut flags = 0;
        if says & (say::TASKRUN | say::CQ_OVERFLOW) != 0 || (self.polls && self.written != self.passed) {
            flags = enter::GETEVENTS;
        }
        if self.kernel_submits && says & say::NEED_WAKEUP != 0 {
            flags |= enter::SQ_WAKEUP;
        }
        flags
    }

    #[inline]
    fn load(&self, number: *const AtomicU32) -> u32 {
        // SAFETY: only called with the pointers of this value, which are into the mapped rings.
        unsafe { &*number }.load(Ordering::Acquire)
    }

    #[inline]
    fn enter(&mut self, queued: u32, at_least: u32, flags: u32, argument: *const c_void, size: usize) -> io::Result<()> {
        let flags = flags | self.enter_flags;
        // SAFETY: the entries name buffers that outlive the ring's use of them (`Uring`), the argument is of the size that is said or null.
        let taken = unsafe { libc::syscall(libc::SYS_io_uring_enter, self.enter_fd, queued, at_least, flags, argument, size) };
        if taken < 0 {
            return refused();
        }
        if !self.kernel_submits {
            self.taken = self.taken.wrapping_add(taken as u32);
        }
        Ok(())
    }
}

/// An enter that did not take anything: the time went by, a signal came, or there is no room for more at the moment; else it is an error.
#[cold]
fn refused() -> io::Result<()> {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
        _ => Err(error),
    }
}
