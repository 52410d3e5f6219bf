//! I/O that the caller waits for under every backend: trims, and those syncs that a backend cannot queue.

use super::{BackendSetup, Io, IoOperation};
use ioproof_target::{discard, punch_hole};
use rustix::fs::{FileType, fdatasync, fstat, fsync};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

/// Flags of sync_file_range(2): pages under way are waited for, the rest written and waited for.
pub(super) const WRITE_BACK_AND_WAIT: u32 =
    libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;

/// The open targets of a job, each with its kind.
#[derive(Debug)]
pub(crate) struct Targets(Box<[Target]>);

#[derive(Debug)]
struct Target {
    fd: Arc<OwnedFd>,
    kind: Kind,
}

/// Kinds of targets, which are trimmed in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    BlockDevice,
    File,
    /// A generator device, which has nothing to trim.
    Other,
}

impl Targets {
    /// Holds the targets open and finds out the kind of each.
    ///
    /// # Errors
    /// The error of fstat(2).
    pub(super) fn new(setup: &BackendSetup) -> io::Result<Self> {
        let each = setup.targets.iter().map(|target| {
            let fd = target.descriptor()?;
            Ok(Target { kind: kind(fd.as_fd())?, fd: Arc::clone(fd) })
        });
        each.collect::<io::Result<_>>().map(Self)
    }

    /// The descriptor of a target.
    #[inline]
    pub(super) fn raw_fd(&self, target: u32) -> i32 {
        self.0[target as usize].fd.as_raw_fd()
    }

    /// The same, borrowed.
    pub(super) fn fd(&self, target: u32) -> BorrowedFd<'_> {
        self.0[target as usize].fd.as_fd()
    }

    /// All of them, in their order.
    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.0.iter().map(|t| t.fd.as_fd())
    }

    /// Trims or syncs, and comes back when it is done; gives 0 or the negative errno.
    pub(super) fn perform(&self, io: &Io) -> i32 {
        let Target { fd, kind } = &self.0[io.target as usize];
        match io.operation {
            IoOperation::Read | IoOperation::Write => -libc::EINVAL,
            IoOperation::Trim => trim(fd.as_fd(), *kind, io),
            IoOperation::Datasync => result(fdatasync(fd)),
            IoOperation::Fsync => result(fsync(fd)),
            IoOperation::RangeSync => range_sync(fd.as_fd()),
        }
    }
}

fn kind(fd: BorrowedFd) -> io::Result<Kind> {
    Ok(match FileType::from_raw_mode(fstat(fd)?.st_mode) {
        FileType::BlockDevice => Kind::BlockDevice,
        FileType::RegularFile => Kind::File,
        _ => Kind::Other,
    })
}

fn trim(fd: BorrowedFd, kind: Kind, io: &Io) -> i32 {
    match kind {
        Kind::BlockDevice => result(discard(fd, io.offset, io.bytes.into())),
        Kind::File => result(punch_hole(fd, io.offset, io.bytes.into())),
        Kind::Other => -libc::EOPNOTSUPP,
    }
}

fn range_sync(fd: BorrowedFd) -> i32 {
    // SAFETY: the call takes numbers only; the descriptor is open. Offset and length 0 mean the whole file.
    returned(unsafe { libc::sync_file_range(fd.as_raw_fd(), 0, 0, WRITE_BACK_AND_WAIT) } as isize)
}

/// Result of a call of the C library, with a failure as the negative errno.
#[inline]
pub(super) fn returned(value: isize) -> i32 {
    if value < 0 { -last_errno() } else { value as i32 }
}

/// The errno of the call that just failed.
#[cold]
pub(super) fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

fn result(result: rustix::io::Result<()>) -> i32 {
    result.map_or_else(|e| -e.raw_os_error(), |()| 0)
}

/// Waits, where there is nothing else to wait for.
pub(super) fn sleep(wait_ns: u64) {
    if wait_ns > 0 {
        std::thread::sleep(Duration::from_nanos(wait_ns));
    }
}

/// I/Os that an asynchronous backend cannot hand over and does itself, one after the other, when it has handed over the rest.
#[derive(Debug)]
pub(super) struct Aside {
    pub(super) targets: Targets,
    queued: Vec<Io>,
    done: Vec<(u32, i32)>,
}

impl Aside {
    /// For up to `setup.depth` I/Os; allocates nothing afterwards.
    ///
    /// # Errors
    /// The error of fstat(2) on a target.
    pub(super) fn new(setup: &BackendSetup) -> io::Result<Self> {
        let room = setup.depth as usize;
        Ok(Self { targets: Targets::new(setup)?, queued: Vec::with_capacity(room), done: Vec::with_capacity(room) })
    }

    /// Queues a trim or a sync.
    pub(super) fn push(&mut self, io: Io) {
        self.queued.push(io);
    }

    /// True where an I/O is queued or done.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        !self.queued.is_empty() || self.has_done()
    }

    /// Does the queued I/Os.
    #[inline]
    pub(super) fn work(&mut self) {
        if !self.queued.is_empty() {
            self.work_off();
        }
    }

    #[cold]
    fn work_off(&mut self) {
        let Self { targets, queued, done } = self;
        done.extend(queued.drain(..).map(|io| (io.slot, targets.perform(&io))));
    }

    /// Notes an I/O as done that the kernel refused to queue.
    #[cold]
    pub(super) fn refuse(&mut self, slot: u32, errno: i32) {
        self.done.push((slot, -errno));
    }

    /// True where an I/O is done.
    #[inline]
    pub(super) fn has_done(&self) -> bool {
        !self.done.is_empty()
    }

    /// Passes completions on.
    #[inline]
    pub(super) fn reap(&mut self, done: &mut impl FnMut(u32, i32)) {
        if self.has_done() {
            self.done.drain(..).for_each(|(slot, result)| done(slot, result));
        }
    }
}
