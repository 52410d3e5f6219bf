//! Copies to and from a mapping of the target, as programs do that map their files. Everything goes through the page cache.

mod bus_error;

pub use bus_error::LostPages;

use super::mapping::MemoryMap;
use super::refusals::NO_SUCH_OPERATION;
use super::row::Refusal;
use super::serial::{Serial, SerialCall};
use super::synchronous::{Targets, returned};
use super::{BackendSetup, Io, IoOperation};
use bus_error::{guarded, install};
use ioproof_core::job::Span;
use rustix::fs::{FileType, fstat};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Errors of the kernel with their remedies.
pub(super) const REFUSALS: &[Refusal] = &[
    (libc::EACCES, "a mapping must be read even where it is only written, and the target is open for writing only"),
    (libc::ENODEV, "this target cannot be mapped; take another backend"),
    (libc::ENOMEM, "the address space is too small for the span: raise its limit (`ulimit -v`) or take a smaller span"),
    NO_SUCH_OPERATION,
];

/// The backend.
pub(crate) type Mmap = Serial<Copies>;

/// Mappings of the span of each target.
#[derive(Debug)]
pub(crate) struct Copies {
    mappings: Box<[MemoryMap]>,
    /// Offset on the target at which the mappings begin: the page of the span's first byte.
    first: u64,
    page: usize,
    read_into: *mut u8,
    write_from: *mut u8,
    writable: bool,
    syncs_writes: bool,
    /// A lost page could not be mapped again, so that the state of the mapping is not known.
    broken: bool,
}

impl SerialCall for Copies {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        install();
        let page = rustix::param::page_size();
        let first = setup.span.offset_bytes - setup.span.offset_bytes % page as u64;
        Ok(Self {
            mappings: setup.targets.iter().map(|t| map(t.descriptor()?.as_fd(), first, setup)).collect::<io::Result<_>>()?,
            first,
            page,
            read_into: setup.buffers.read_at(0),
            write_from: setup.buffers.write_at(0),
            writable: setup.writable,
            syncs_writes: setup.write_flags != 0,
            broken: false,
        })
    }

    #[inline]
    fn read(&mut self, targets: &Targets, io: &Io) -> i32 {
        let (from, length) = self.part(io);
        let into = self.read_into;
        // SAFETY: `part` lies inside the mapping; the buffer outlives the backend, holds the largest I/O and is no part of the mapping.
        // Another worker or program may write the target meanwhile: then the bytes are a mixture, as with any read.
        self.copy(targets, io, from, length, || unsafe { std::ptr::copy_nonoverlapping(from, into, length) })
    }

    #[inline]
    fn write(&mut self, targets: &Targets, io: &Io) -> i32 {
        if !self.writable {
            return -libc::EBADF;
        }
        let (to, length) = self.part(io);
        let from = self.write_from;
        // SAFETY: as for `read`, the other way; the mapping is writable.
        let copied = self.copy(targets, io, to, length, || unsafe { std::ptr::copy_nonoverlapping(from, to, length) });
        let synced = if self.syncs_writes && copied > 0 { self.sync(to, length) } else { 0 };
        if synced < 0 { synced } else { copied }
    }

    fn perform(&mut self, targets: &Targets, io: &Io) -> i32 {
        match io.operation {
            IoOperation::Datasync | IoOperation::Fsync | IoOperation::RangeSync => {
                let mapping = &self.mappings[io.target as usize];
                self.sync(mapping.start(), mapping.length())
            }
            _ => targets.perform(io),
        }
    }

    fn features(&self) -> Vec<String> {
        vec!["page cache".into()]
    }
}

impl Copies {
    /// The mapped memory of an I/O, cut short where the mapping ends.
    #[inline]
    fn part(&self, io: &Io) -> (*mut u8, usize) {
        let mapping = &self.mappings[io.target as usize];
        let start = io.offset.saturating_sub(self.first).min(mapping.length() as u64) as usize;
        let length = if io.offset < self.first { 0 } else { (io.bytes as usize).min(mapping.length() - start) };
        // SAFETY: `start` is at most the mapping's length.
        (unsafe { mapping.start().add(start) }, length)
    }

    /// Copies `length` bytes from or to `start`, which is of the mapping; gives that length or the negative errno.
    #[inline]
    fn copy(&mut self, targets: &Targets, io: &Io, start: *mut u8, length: usize, copy: impl FnOnce()) -> i32 {
        let lost = self.broken || guarded(start as usize..start as usize + length, copy);
        if lost { self.mend(targets, io, start, length) } else { length as i32 }
    }

    /// Maps the target again where pages were lost. EIO is the error that a read or a write would have met, or at least the meaning of SIGBUS.
    #[cold]
    fn mend(&mut self, targets: &Targets, io: &Io, start: *mut u8, length: usize) -> i32 {
        let mapping = &self.mappings[io.target as usize];
        let (start, length) = self.pages(start, length);
        let within = start as usize - mapping.start() as usize;
        self.broken |= mapping.renew(targets.fd(io.target), self.first + within as u64, within, length, protection(self.writable)).is_err();
        -libc::EIO
    }

    fn sync(&self, start: *mut u8, length: usize) -> i32 {
        let (start, length) = self.pages(start, length);
        // SAFETY: writing pages back changes no memory; the pages are of the mapping.
        returned(unsafe { libc::msync(start.cast(), length, libc::MS_SYNC) } as isize)
    }

    /// The range widened to the left to a whole page, as the kernel wants it.
    fn pages(&self, start: *mut u8, length: usize) -> (*mut u8, usize) {
        let before = start as usize & (self.page - 1);
        (start.wrapping_sub(before), length + before)
    }
}

fn protection(writable: bool) -> i32 {
    if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ }
}

fn map(fd: BorrowedFd, first: u64, setup: &BackendSetup) -> io::Result<MemoryMap> {
    let Span { offset_bytes, length_bytes } = setup.span;
    let end = offset_bytes.checked_add(length_bytes).ok_or(io::ErrorKind::InvalidInput)?;
    let stat = fstat(fd)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && end > stat.st_size as u64 {
        let text = format!("the file ends at {} and cannot be mapped up to {end}", stat.st_size);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let length = usize::try_from(end - first).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mapping = MemoryMap::new(fd, first, length, protection(setup.writable), 0)?;
    mapping.advise(setup.order_hint);
    Ok(mapping)
}
