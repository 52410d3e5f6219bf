//! A stream of writes: each block is filled, written, made durable, and its acknowledgement handed over before the next is begun.

use crate::block::Stamp;
use crate::plan::{How, Order, StreamPlan};
use ioproof_core::job::Span;
use ioproof_core::splitmix;
use ioproof_target::Handle;
use rustix::io::ReadWriteFlags;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Boundary that buffers of direct I/O begin at. Bytes.
const ALIGNED: usize = 4096;

/// Whoever keeps acknowledgements.
pub trait Keeper: Sync {
    /// Takes the acknowledgement of a write; waits where there is no room.
    ///
    /// # Errors
    /// When it never will be taken: then the stream ends.
    fn keep(&self, stream: u32, place: u64, sequence: u64) -> io::Result<()>;
}

/// The session that streams belong to.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    /// The campaign.
    pub campaign: [u8; 16],
    /// Its number.
    pub number: u32,
    /// Whoever keeps what is acknowledged.
    pub keeper: &'a dyn Keeper,
    /// Writes and steps that are durable so far, over all streams.
    pub durable: &'a AtomicU64,
}

impl Session<'_> {
    /// Takes note of what is durable.
    pub(crate) fn done(&self, stream: u32, place: u64, sequence: u64) -> io::Result<()> {
        self.durable.fetch_add(1, Relaxed);
        self.keeper.keep(stream, place, sequence)
    }
}

/// One stream under way.
pub struct Stream<'a> {
    /// The target, open to be written past the page cache where it can be.
    pub handle: &'a Handle,
    /// Blocks that it writes, and how.
    pub plan: StreamPlan,
    /// Size of a block. Bytes, a multiple of 512.
    pub block_bytes: u32,
    /// Its session.
    pub session: Session<'a>,
}

impl Stream<'_> {
    /// Writes until it is stopped. Gives the number of blocks.
    ///
    /// # Errors
    /// The first of a write, a sync or the keeper: what was acknowledged until then holds.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<u64> {
        let mut buffer = Buffer::new(self.block_bytes as usize);
        let blocks = (self.plan.span.length_bytes / u64::from(self.block_bytes)).max(1);
        let mut random = u64::from(self.plan.stream) << 32 ^ u64::from(self.session.number);
        let mut sequence = 0;
        while !stop.load(Relaxed) {
            sequence += 1;
            let number = match self.plan.order {
                Order::Sequential => (sequence - 1) % blocks,
                Order::Random => splitmix::next(&mut random) % blocks,
            };
            let place = self.plan.span.offset_bytes + number * u64::from(self.block_bytes);
            let stamp = Stamp { campaign: self.session.campaign, session: self.session.number, stream: self.plan.stream, place, sequence };
            stamp.fill(buffer.bytes());
            write_durably(self.handle, self.plan.sync, place, buffer.bytes())?;
            self.session.done(self.plan.stream, place, sequence)?;
        }
        Ok(sequence)
    }
}

/// Writes the whole of a span once with zeros, so that streams write over blocks that are there.
///
/// # Errors
/// When it cannot be written.
pub fn fill(handle: &Handle, span: Span) -> io::Result<()> {
    const PIECE: u64 = 1 << 20;
    let mut buffer = Buffer::new(PIECE as usize);
    let mut at = 0;
    while at < span.length_bytes {
        let length = PIECE.min(span.length_bytes - at);
        write_all(handle, span.offset_bytes + at, &buffer.bytes()[..length as usize], ReadWriteFlags::empty())?;
        at += length;
    }
    Ok(rustix::fs::fdatasync(handle)?)
}

fn write_durably(handle: &Handle, how: How, place: u64, bytes: &[u8]) -> io::Result<()> {
    let flags = match how {
        How::Dsync => ReadWriteFlags::DSYNC,
        How::Sync => ReadWriteFlags::SYNC,
        How::Fdatasync | How::Fsync => ReadWriteFlags::empty(),
    };
    write_all(handle, place, bytes, flags)?;
    match how {
        How::Fdatasync => Ok(rustix::fs::fdatasync(handle)?),
        How::Fsync => Ok(rustix::fs::fsync(handle)?),
        How::Dsync | How::Sync => Ok(()),
    }
}

fn write_all(handle: &Handle, place: u64, bytes: &[u8], flags: ReadWriteFlags) -> io::Result<()> {
    loop {
        match rustix::io::pwritev2(handle, &[IoSlice::new(bytes)], place, flags) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(written) if written == bytes.len() => return Ok(()),
            Ok(written) => return Err(io::Error::other(format!("a write of {} bytes came back with {written}", bytes.len()))),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Memory that begins where direct I/O wants it.
pub(crate) struct Buffer {
    memory: Vec<u8>,
    first: usize,
    length: usize,
}

impl Buffer {
    pub(crate) fn new(length: usize) -> Self {
        let memory = vec![0; length + ALIGNED];
        let first = memory.as_ptr().align_offset(ALIGNED);
        Self { memory, first, length }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.first..self.first + self.length]
    }
}
