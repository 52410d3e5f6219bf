//! io_uring, with what the kernel offers of it: deferred task work, a single issuer, no submission array, registered buffers, file and ring.
//!
//! Each of these is tried and, where the kernel refuses, left out with the reason; only the ring itself is needed.

pub(super) mod abi;
mod nops;
pub(super) mod passthrough;
pub(super) mod ring;

pub(crate) use nops::Nops;
pub(super) use passthrough::Passthrough;

use super::refusals::NOT_POLLED;
use super::row::Refusal;
use super::synchronous::{Aside, WRITE_BACK_AND_WAIT};
use super::{Backend, BackendSetup, Build, Io, IoOperation};
use abi::{FIXED_FILE, FSYNC_DATASYNC, Head, operation, setup as set};
use ring::{Format, Ring};
use std::io;
use std::os::fd::AsRawFd;

/// The most that the kernel registers as one buffer (`io_sqe_buffer_register`). Bytes.
const LARGEST_BUFFER: usize = 1 << 30;

/// Errors of the kernel with their remedies.
pub(super) const REFUSALS: &[Refusal] = &[
    (
        libc::EPERM,
        "io_uring is forbidden: by /proc/sys/kernel/io_uring_disabled (1: only members of io_uring_group may, 2: nobody; \
         `sysctl kernel.io_uring_disabled=0` mends it) or by the seccomp filter of a container; `--backend libaio` works without",
    ),
    (
        libc::ENOSYS,
        "this kernel has no io_uring (it came with Linux 5.1, and can be left out), or the seccomp filter of a container hides it; \
         `--backend libaio` works without",
    ),
    (
        libc::ENOMEM,
        "a limit is too low for the rings: raise that of locked memory (`ulimit -l`, LimitMEMLOCK= of a service), or of the address space (`ulimit -v`)",
    ),
    NOT_POLLED,
];

/// Asks the kernel whether it has io_uring and lets this process use it.
///
/// # Errors
/// The kernel's answer: ENOSYS, or EPERM where it is disabled.
pub(super) fn available() -> io::Result<()> {
    Ring::new(1, 0).map(drop)
}

pub(crate) struct Uring {
    ring: Ring,
    /// The first bytes of an entry to read from and to write to each target.
    heads: Box<[[Head; 2]]>,
    /// Addresses that each slot reads into and writes from.
    addresses: Box<[[u64; 2]]>,
    write_flags: u32,
    /// True where the ring takes reads and writes only.
    polled: bool,
    registered_buffers: bool,
    registered_files: bool,
    aside: Aside,
    features: Vec<String>,
    fallbacks: Vec<String>,
}

impl Build for Uring {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let (ring, features, fallbacks) = build(setup, setup.depth)?;
        let slots = (0..setup.depth).map(|s| [setup.buffers.read_at(s) as u64, setup.buffers.write_at(s) as u64]);
        let mut uring = Self {
            ring,
            heads: [].into(),
            addresses: slots.collect(),
            write_flags: setup.write_flags.cast_unsigned(),
            polled: setup.polled,
            registered_buffers: false,
            registered_files: false,
            aside: Aside::new(setup)?,
            features,
            fallbacks,
        };
        uring.register(setup);
        Ok(uring)
    }
}

impl Uring {
    fn register(&mut self, setup: &BackendSetup) {
        let buffer = setup.buffers.as_iovec();
        // SAFETY: the worker keeps the buffers until after the ring is dropped.
        let result = unsafe { self.ring.register_buffer(buffer) };
        self.registered_buffers = self.note("registered buffers", result, buffer.iov_len);
        let mut fds: Vec<i32> = setup.targets.iter().filter_map(|target| Some(target.descriptor().ok()?.as_raw_fd())).collect();
        let result = self.ring.register_files(&mut fds);
        self.registered_files = self.note("registered files", result, 0);
        let result = self.ring.register_self();
        self.note("registered ring", result, 0);
        let operations = match self.registered_buffers {
            true => [operation::READ_FIXED, operation::WRITE_FIXED],
            false => [operation::READ, operation::WRITE],
        };
        self.heads = (0..fds.len() as u32).map(|target| operations.map(|operation| self.head(operation, target))).collect();
    }

    fn note(&mut self, feature: &str, result: io::Result<()>, bytes: usize) -> bool {
        match reason(feature, &result, bytes) {
            None => self.features.push(feature.into()),
            Some(reason) => self.fallbacks.push(reason),
        }
        result.is_ok()
    }

    fn head(&self, operation: u8, target: u32) -> Head {
        match self.registered_files {
            true => Head { operation, flags: FIXED_FILE, priority: 0, fd: target.cast_signed() },
            false => Head { operation, flags: 0, priority: 0, fd: self.aside.targets.raw_fd(target) },
        }
    }

    /// Syncs; a ring that polls takes none, and trims are no operation of a ring. It takes its I/O apart so that the caller need not put it into memory.
    #[inline(never)]
    fn push_other(&mut self, operation: IoOperation, slot: u32, target: u32, bytes: u32, offset: u64) {
        let (code, flags) = match operation {
            IoOperation::Datasync if !self.polled => (operation::FSYNC, FSYNC_DATASYNC),
            IoOperation::Fsync if !self.polled => (operation::FSYNC, 0),
            IoOperation::RangeSync if !self.polled => (operation::SYNC_FILE_RANGE, WRITE_BACK_AND_WAIT),
            _ => return self.aside.push(Io { operation, slot, target, bytes, offset, priority: 0 }),
        };
        self.ring.push(self.head(code, target), 0, 0, 0, flags, slot.into());
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        // The kernel takes a ring apart later and on its own; a target that it still held would look in use to whoever comes next.
        self.ring.unregister(self.registered_buffers, self.registered_files);
    }
}

impl Backend for Uring {
    #[inline]
    fn push(&mut self, io: Io) {
        let [read_into, write_from] = self.addresses[io.slot as usize];
        let [mut read, mut write] = self.heads[io.target as usize];
        (read.priority, write.priority) = (io.priority, io.priority);
        match io.operation {
            IoOperation::Read => self.ring.push(read, io.offset, read_into, io.bytes, 0, io.slot.into()),
            IoOperation::Write => self.ring.push(write, io.offset, write_from, io.bytes, self.write_flags, io.slot.into()),
            other => self.push_other(other, io.slot, io.target, io.bytes, io.offset),
        }
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if wait_ns == 0 || self.aside.has_work() {
            self.ring.submit()?;
            self.aside.work();
            return Ok(());
        }
        self.ring.submit_and_wait(wait_ns)
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        self.ring.reap(|slot, result| done(slot as u32, result));
        self.aside.reap(&mut done);
    }

    fn features(&self) -> Vec<String> {
        self.features.clone()
    }

    fn fallbacks(&self) -> Vec<String> {
        self.fallbacks.clone()
    }
}

/// The reason why a feature of the kernel is not in use; none where it is.
fn reason(feature: &str, result: &io::Result<()>, bytes: usize) -> Option<String> {
    let error = result.as_ref().err()?;
    Some(match error.raw_os_error() {
        _ if bytes > LARGEST_BUFFER => format!("{feature}: the kernel takes 1 GiB, and these are {bytes} bytes"),
        Some(libc::ENOMEM) => format!("{feature}: the limit of locked memory is too low (ulimit -l; {error})"),
        _ => format!("{feature}: {error}"),
    })
}

/// Names of the flags of a ring, for the record; without those that change nothing in a good run.
const NAMES: [(u32, &str); 6] = [
    (set::IOPOLL, "IOPOLL"),
    (set::SQPOLL, "SQPOLL"),
    (set::SINGLE_ISSUER, "SINGLE_ISSUER"),
    (set::DEFER_TASKRUN, "DEFER_TASKRUN"),
    (set::COOP_TASKRUN, "COOP_TASKRUN"),
    (set::NO_SQARRAY, "NO_SQARRAY"),
];

/// Flags to try where the worker itself enters the kernel, best first: NO_SQARRAY since Linux 6.6, DEFER_TASKRUN since 6.1, COOP_TASKRUN
/// with its flag since 5.19, SUBMIT_ALL since 5.18.
pub(super) const ENTERED: [u32; 5] = [
    set::SUBMIT_ALL | set::SINGLE_ISSUER | set::DEFER_TASKRUN | set::TASKRUN_FLAG | set::NO_SQARRAY,
    set::SUBMIT_ALL | set::SINGLE_ISSUER | set::DEFER_TASKRUN | set::TASKRUN_FLAG,
    set::SUBMIT_ALL | set::COOP_TASKRUN | set::TASKRUN_FLAG,
    set::SUBMIT_ALL,
    0,
];

/// Flags to try where a kernel thread submits, which excludes deferred task work.
pub(super) const SUBMITTED: [u32; 4] = [
    set::SQPOLL | set::SUBMIT_ALL | set::SINGLE_ISSUER | set::NO_SQARRAY,
    set::SQPOLL | set::SUBMIT_ALL | set::SINGLE_ISSUER,
    set::SQPOLL | set::SUBMIT_ALL,
    set::SQPOLL,
];

/// The ring with as many flags as this kernel knows, the names of these, and the names of the others.
fn build<F: Format>(setup: &BackendSetup, entries: u32) -> io::Result<(Ring<F>, Vec<String>, Vec<String>)> {
    let attempts: &[u32] = if setup.kernel_submits { &SUBMITTED } else { &ENTERED };
    let polled = if setup.polled { set::IOPOLL } else { 0 };
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for flags in attempts {
        match Ring::of_format(entries, flags | polled) {
            Ok(ring) => return Ok((ring, names(flags | polled), missing(attempts[0] & !flags))),
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

fn names(flags: u32) -> Vec<String> {
    NAMES.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, name)| (*name).to_owned()).collect()
}

fn missing(flags: u32) -> Vec<String> {
    names(flags).into_iter().map(|name| format!("{name}: this kernel does not know it")).collect()
}
