//! A drive whose truth is known: a file on a filesystem of ours (FUSE), each I/O of which takes as long as `served/behaviour.rs` says.
//!
//! `fuse.rs` serves it, with a thread for each slot of the drive, which keeps a request for its time. A loop device with direct I/O on it is the block
//! device that is measured. The content lies in memory.

pub mod behaviour;

use crate::fuse::{self, EIO, ENOSYS, Mounted};
use anyhow::Result;
use behaviour::{Behaviour, Io, Moment};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// All that the slots share.
struct Drive {
    behaviour: Behaviour,
    size_bytes: u64,
    content: File,
    begun: Instant,
    ios: AtomicU64,
    written: AtomicU64,
}

/// Mounts the drive on this path, where an empty file is made.
pub fn start(file: &Path, size_bytes: u64, filled: bool, behaviour: Behaviour) -> Result<Mounted> {
    let (ios, written) = (AtomicU64::new(0), AtomicU64::new(0));
    let content = memory(size_bytes, filled)?;
    let drive = Drive { behaviour, size_bytes, content, begun: Instant::now(), ios, written };
    Mounted::start(file, behaviour.slots, &Arc::new(drive))
}

/// Memory that holds the content: random data, of which each MiB is the same, or zeros.
fn memory(size_bytes: u64, filled: bool) -> Result<File> {
    let file = File::from(rustix::fs::memfd_create("served", rustix::fs::MemfdFlags::CLOEXEC)?);
    file.set_len(size_bytes)?;
    if filled {
        let mut block = vec![0; 1 << 20];
        File::open("/dev/urandom")?.read_exact(&mut block)?;
        (0..size_bytes >> 20).try_for_each(|mib| file.write_all_at(&block, mib << 20))?;
    }
    Ok(file)
}

impl fuse::Drive for Drive {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn io(&self, io: fuse::Io<'_>) -> Result<Vec<u8>, i32> {
        match io {
            fuse::Io::Read { offset, length } => self.timed(Io::Read { offset }, |_| self.read(offset, length)),
            fuse::Io::Write { offset, data, .. } => self.timed(Io::Write, |number| self.write(offset, data, number)),
            fuse::Io::Flush => self.timed(Io::Flush, |_| Ok(Vec::new())),
            fuse::Io::Clear { .. } => Err(ENOSYS),
        }
    }
}

impl Drive {
    /// Carries an I/O out, and keeps it in the slot until its time is over.
    fn timed(&self, io: Io, carry_out: impl FnOnce(u64) -> std::io::Result<Vec<u8>>) -> Result<Vec<u8>, i32> {
        let begun = Instant::now();
        let number = self.ios.fetch_add(1, Ordering::Relaxed);
        let moment = Moment { since_start: begun - self.begun, written: self.written.load(Ordering::Relaxed), number };
        let until = begun + self.behaviour.time_of(io, moment);
        let outcome = carry_out(number).ok().filter(|_| !self.behaviour.fails(number)).ok_or(EIO);
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        outcome
    }

    fn read(&self, offset: u64, length: usize) -> std::io::Result<Vec<u8>> {
        let mut data = vec![0; length];
        self.content.read_exact_at(&mut data, offset)?;
        Ok(data)
    }

    fn write(&self, offset: u64, data: &[u8], number: u64) -> std::io::Result<Vec<u8>> {
        if !self.behaviour.drops(number) {
            self.content.write_all_at(data, offset)?;
        }
        self.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        Ok(Vec::new())
    }
}
