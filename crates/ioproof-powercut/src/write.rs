//! A stream of writes: the blocks of a group are filled, written, made durable by one sync, and their acknowledgements handed over before the next group is begun.
//!
//! A stream with trims does the same, then trims the group, syncs that, reads what is there, and hands over what it read. Where which group lies is `places.rs`.

use crate::block::WriteStamp;
use crate::check::read_whole;
use crate::judge::after_trim;
use crate::places::Places;
use crate::plan::{How, Order, StreamPlan};
use crate::step::{Step, StepAction};
use crate::turns::SessionTurns;
use ioproof_core::job::Span;
use ioproof_target::Handle;
use rustix::io::ReadWriteFlags;
use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Boundary that buffers of direct I/O begin at. Bytes.
const ALIGNED: usize = 4096;

/// Whoever keeps acknowledgements.
pub trait Keeper: Sync {
    /// Takes the acknowledgements of steps that became durable together; waits where there is no room.
    ///
    /// # Errors
    /// When they never will be taken: then the stream ends.
    fn keep(&self, stream: u32, steps: &[Step]) -> io::Result<()>;
}

/// The session that streams belong to.
#[derive(Clone, Copy)]
pub struct WriteSession<'a> {
    /// The campaign.
    pub campaign: [u8; 16],
    /// Its number.
    pub number: u32,
    /// Whoever keeps what is acknowledged.
    pub keeper: &'a dyn Keeper,
    /// Steps that are durable so far, over all streams.
    pub durable: &'a AtomicU64,
}

impl WriteSession<'_> {
    /// Takes note of what is durable.
    pub(crate) fn done(&self, stream: u32, steps: &[Step]) -> io::Result<()> {
        self.durable.fetch_add(steps.len() as u64, Relaxed);
        self.keeper.keep(stream, steps)
    }
}

/// One stream under way.
pub struct Stream<'a> {
    /// The target, open to be read and written, past the page cache where it can be.
    pub handle: &'a Handle,
    /// Blocks that it writes, and how.
    pub plan: StreamPlan,
    /// Size of a block. Bytes, a multiple of 512.
    pub block_bytes: u32,
    /// Its session.
    pub session: WriteSession<'a>,
    /// Turns of the session's streams.
    pub turns: &'a SessionTurns,
}

impl Stream<'_> {
    /// Works until it is stopped. Gives the number of steps.
    ///
    /// # Errors
    /// The first of a write, a trim, a sync or the keeper: what was acknowledged until then holds.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<u64> {
        let mut buffer = Buffer::new(self.block_bytes as usize);
        let (mut last, turn) = (0, self.turns.begin(self.plan.sync));
        for group in Places::new(self.plan, self.block_bytes, self.session.number) {
            turn.wait(stop);
            if stop.load(Relaxed) {
                break;
            }
            last = self.write(&group, last, buffer.bytes())?;
            if self.plan.order == Order::Trim {
                last = self.trim(&group, last, buffer.bytes())?;
            }
        }
        Ok(last)
    }

    /// Writes a group and has it durable; gives the number of its last step.
    fn write(&self, group: &[u64], last: u64, block: &mut [u8]) -> io::Result<u64> {
        let steps: Vec<Step> = group.iter().zip(last + 1..).map(|(place, sequence)| Step::written(*place, sequence)).collect();
        for step in &steps {
            self.stamp(step.place, step.sequence).fill(block);
            write_all(self.handle, step.place, block, flags(self.plan.sync))?;
        }
        sync(self.handle, self.plan.sync)?;
        self.session.done(self.plan.stream, &steps)?;
        Ok(last + group.len() as u64)
    }

    /// Trims a run and has that durable; what is read of it then goes into its acknowledgement, since a drive need not return zeros, nor carry out a trim at all.
    fn trim(&self, run: &[u64], last: u64, block: &mut [u8]) -> io::Result<u64> {
        let length_bytes = run.len() as u64 * u64::from(self.block_bytes);
        let trimmed = run.first().map_or(Ok(()), |first| self.handle.trim(*first, length_bytes));
        trimmed.map_err(|error| io::Error::new(error.kind(), format!("trims: {error}")))?;
        sync(self.handle, self.plan.sync)?;
        let mut steps = Vec::with_capacity(run.len());
        for (place, sequence) in run.iter().zip(last + 1..) {
            read_whole(self.handle, *place, block)?;
            steps.push(Step { place: *place, sequence, deed: StepAction::Trimmed(after_trim(block, &self.session.campaign)) });
        }
        self.session.done(self.plan.stream, &steps)?;
        Ok(last + run.len() as u64)
    }

    fn stamp(&self, place: u64, sequence: u64) -> WriteStamp {
        WriteStamp { campaign: self.session.campaign, session: self.session.number, stream: self.plan.stream, place, sequence }
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

fn flags(how: How) -> ReadWriteFlags {
    match how {
        How::Dsync => ReadWriteFlags::DSYNC,
        How::Sync => ReadWriteFlags::SYNC,
        How::Fdatasync | How::Fsync => ReadWriteFlags::empty(),
    }
}

fn sync(handle: &Handle, how: How) -> io::Result<()> {
    match how {
        How::Fdatasync => Ok(rustix::fs::fdatasync(handle)?),
        How::Fsync => Ok(rustix::fs::fsync(handle)?),
        How::Dsync | How::Sync => Ok(()),
    }
}

/// Writes at once, or fails: the rest of a write that came back short would be another one.
pub(crate) fn write_all(handle: impl AsFd, place: u64, bytes: &[u8], flags: ReadWriteFlags) -> io::Result<()> {
    loop {
        match rustix::io::pwritev2(&handle, &[IoSlice::new(bytes)], place, flags) {
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
