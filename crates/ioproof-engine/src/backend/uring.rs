//! io_uring, with what the kernel offers of it: deferred task work, a single issuer, no submission array, registered buffers, file and ring.
//!
//! Each of these is tried and, where the kernel refuses, left out with the reason; only the ring itself is needed.

use super::{Backend, Operation, Setup};
use crate::buffers::Buffers;
use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, opcode, squeue};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// How long one wait for completions lasts at most, so that the worker sees that it is to stop.
const WAIT: Timespec = Timespec::new().nsec(100_000_000);

pub(crate) struct Uring {
    ring: IoUring,
    /// Held so that the descriptor stays open as long as the ring may use it.
    target: Arc<OwnedFd>,
    addresses: Vec<(*mut u8, *mut u8)>,
    block_bytes: u32,
    registered_buffers: bool,
    registered_file: bool,
    timed_wait: bool,
    features: Vec<String>,
    fallbacks: Vec<String>,
}

impl Uring {
    /// Sets the ring up; must be called by the thread that uses it.
    ///
    /// # Errors
    /// When the kernel has no io_uring or forbids it.
    pub(crate) fn new(setup: &Setup) -> io::Result<Self> {
        let (ring, features) = build(setup.depth)?;
        let slots = (0..setup.depth).map(|s| (setup.buffers.read_at(s), setup.buffers.write_at(s)));
        let mut uring = Self {
            timed_wait: ring.params().is_feature_ext_arg(),
            ring,
            target: Arc::clone(setup.target),
            addresses: slots.collect(),
            block_bytes: setup.block_bytes,
            registered_buffers: false,
            registered_file: false,
            features,
            fallbacks: Vec::new(),
        };
        uring.register(setup.buffers);
        Ok(uring)
    }

    /// Whether the kernel has io_uring and lets this process use it.
    ///
    /// # Errors
    /// What the kernel says: ENOSYS, or EPERM where it is disabled.
    pub(crate) fn available() -> io::Result<()> {
        build(1).map(drop)
    }

    fn register(&mut self, buffers: &Buffers) {
        // SAFETY: the worker keeps the buffers until after the ring is dropped.
        let result = unsafe { self.ring.submitter().register_buffers(&[buffers.as_iovec()]) };
        self.registered_buffers = self.note("registered buffers", result);
        let result = self.ring.submitter().register_files(&[self.target.as_raw_fd()]);
        self.registered_file = self.note("registered file", result);
        let result = self.ring.submitter().register_ring_fd();
        self.note("registered ring", result);
    }

    fn note(&mut self, feature: &str, result: io::Result<()>) -> bool {
        match &result {
            Ok(()) => self.features.push(feature.into()),
            Err(e) if e.raw_os_error() == Some(libc::ENOMEM) => {
                self.fallbacks.push(format!("{feature}: the limit of locked memory is too low (ulimit -l; {e})"));
            }
            Err(e) => self.fallbacks.push(format!("{feature}: {e}")),
        }
        result.is_ok()
    }

    fn entry(&self, operation: Operation, slot: u32, offset: u64) -> squeue::Entry {
        let (read_into, write_from) = self.addresses[slot as usize];
        // `Fixed` and `Fd` are different types of target, so the choice cannot be a value.
        macro_rules! target_of {
            ($op:ident, $($arg:expr),*) => {
                if self.registered_file { opcode::$op::new(Fixed(0), $($arg),*) } else { opcode::$op::new(Fd(self.target.as_raw_fd()), $($arg),*) }
            };
        }
        match (operation, self.registered_buffers) {
            (Operation::Read, true) => target_of!(ReadFixed, read_into, self.block_bytes, 0).offset(offset).build(),
            (Operation::Read, false) => target_of!(Read, read_into, self.block_bytes).offset(offset).build(),
            (Operation::Write, true) => target_of!(WriteFixed, write_from, self.block_bytes, 0).offset(offset).build(),
            (Operation::Write, false) => target_of!(Write, write_from, self.block_bytes).offset(offset).build(),
            (Operation::Sync, _) => target_of!(Fsync,).flags(FsyncFlags::DATASYNC).build(),
        }
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        // The kernel takes a ring apart later and on its own; a target that it still held would look in use to whoever comes next.
        let submitter = self.ring.submitter();
        if self.registered_file {
            let _ = submitter.unregister_files();
        }
        if self.registered_buffers {
            let _ = submitter.unregister_buffers();
        }
    }
}

impl Backend for Uring {
    #[inline]
    fn push(&mut self, operation: Operation, slot: u32, offset: u64) {
        let entry = self.entry(operation, slot, offset).user_data(slot.into());
        // SAFETY: the entry names a slot of buffers that outlive the ring and that nobody else touches until it completes.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        assert!(pushed.is_ok(), "more I/Os than the ring has entries");
    }

    #[inline]
    fn submit(&mut self, wait: bool) -> io::Result<()> {
        let result = if !wait {
            self.ring.submit()
        } else if self.timed_wait {
            self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&WAIT))
        } else {
            self.ring.submit_and_wait(1)
        };
        match result {
            Ok(_) => Ok(()),
            Err(e) if matches!(e.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)) => Ok(()),
            Err(e) => Err(e),
        }
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        for completion in self.ring.completion() {
            done(completion.user_data() as u32, completion.result());
        }
    }

    fn name(&self) -> &'static str {
        "io_uring"
    }

    fn features(&self) -> Vec<String> {
        self.features.clone()
    }

    fn fallbacks(&self) -> Vec<String> {
        self.fallbacks.clone()
    }
}

/// Names of flags, and how to set them.
type Attempt = (&'static [&'static str], fn(&mut io_uring::Builder));

/// The ring with as much as this kernel knows (DEFER_TASKRUN since 6.1, NO_SQARRAY since 6.6).
fn build(depth: u32) -> io::Result<(IoUring, Vec<String>)> {
    let entries = depth.next_power_of_two().max(2);
    let attempts: [Attempt; 3] = [
        (&["SINGLE_ISSUER", "DEFER_TASKRUN", "NO_SQARRAY"], |b| {
            b.setup_single_issuer().setup_defer_taskrun().setup_no_sqarray();
        }),
        (&["SINGLE_ISSUER", "DEFER_TASKRUN"], |b| {
            b.setup_single_issuer().setup_defer_taskrun();
        }),
        (&["COOP_TASKRUN"], |b| {
            b.setup_coop_taskrun();
        }),
    ];
    for (names, set) in attempts {
        let mut builder = IoUring::builder();
        set(&mut builder);
        match builder.build(entries) {
            Ok(ring) => return Ok((ring, names.iter().map(|n| (*n).to_owned()).collect())),
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => {}
            Err(e) => return Err(e),
        }
    }
    Ok((IoUring::builder().build(entries)?, Vec::new()))
}
