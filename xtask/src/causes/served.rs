//! A drive whose truth is known: a file on a filesystem of ours (FUSE), each I/O of which takes as long as `served/behaviour.rs` says.
//!
//! Each slot of the drive is a thread that takes a request from the kernel, keeps it for its time and answers. The filesystem is one file,
//! mounted on a file. A loop device with direct I/O on it is the block device that is measured. The content lies in memory.

pub mod behaviour;
mod protocol;

use crate::attack::kept::tool;
use crate::command;
use anyhow::{Context, Result, bail};
use behaviour::{Behaviour, Io, Moment};
use protocol::{EIO, ENOSYS, IO_BYTES_MAX, Request};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Stack of a slot's thread, and of nothing deep. Bytes.
const STACK_BYTES: usize = 128 << 10;

/// A drive that serves. Ends when dropped.
pub struct Served {
    file: PathBuf,
    slots: Vec<JoinHandle<()>>,
}

/// All that the slots share.
struct Drive {
    behaviour: Behaviour,
    size_bytes: u64,
    content: File,
    begun: Instant,
    ios: AtomicU64,
    written: AtomicU64,
}

impl Served {
    /// Mounts the drive on this path, where an empty file is made.
    pub fn start(file: &Path, size_bytes: u64, filled: bool, behaviour: Behaviour) -> Result<Self> {
        let (ios, written) = (AtomicU64::new(0), AtomicU64::new(0));
        let content = memory(size_bytes, filled)?;
        let drive = Arc::new(Drive { behaviour, size_bytes, content, begun: Instant::now(), ios, written });
        let device = File::options().read(true).write(true).open("/dev/fuse").context("cannot open /dev/fuse")?;
        File::create(file)?;
        mount(&device, file)?;
        let start = |_| {
            let (device, drive) = (device.try_clone()?, Arc::clone(&drive));
            Ok(std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(device, &drive))?)
        };
        let slots = (0..behaviour.slots).map(start).collect::<Result<Vec<_>>>();
        slots.map(|slots| Self { file: file.to_owned(), slots })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let file = self.file.display().to_string();
        // The loop device lets go when its last I/O is done.
        let gone = (0..200).any(|_| tool("umount", &[&file]).is_ok() || pause());
        // The last user gone, the kernel ends the connection, and with it the threads.
        if gone {
            self.slots.drain(..).for_each(|slot| drop(slot.join()));
        }
    }
}

/// Lets a tenth of a second pass; false, as nothing came of it.
fn pause() -> bool {
    std::thread::sleep(Duration::from_millis(100));
    false
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

/// The tool gets the connection as its standard input, because it needs it by number.
fn mount(device: &File, file: &Path) -> Result<()> {
    let tool = command::find_program("mount").context("mount is not there")?;
    let words = ["--internal-only", "--types", "fuse", "--options", "fd=0,rootmode=100600,user_id=0,group_id=0", "ioproof-served"];
    let output = Command::new(tool).args(words).arg(file).stdin(Stdio::from(device.try_clone()?)).output()?;
    if !output.status.success() {
        bail!("cannot mount a served drive: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// One slot, until the filesystem is gone.
fn serve(mut device: File, drive: &Drive) {
    // A drive does not wait for the host's programs. Only this thread is meant (nice(2), on Linux).
    let _ = rustix::process::nice(-20);
    let mut message = vec![0; IO_BYTES_MAX as usize + 4096];
    loop {
        match device.read(&mut message) {
            Ok(length) => {
                if let Some(answer) = message.get(..length).and_then(|message| drive.answer(message)) {
                    // Whoever asked may be gone.
                    let _ = device.write_all(&answer);
                }
            }
            // A request that was taken back, or a signal; all else is the end.
            Err(error) if matches!(error.raw_os_error(), Some(2 | 4 | 11)) => {}
            Err(_) => return,
        }
    }
}

impl Drive {
    fn answer(&self, message: &[u8]) -> Option<Vec<u8>> {
        let (unique, request) = protocol::read(message)?;
        let body = match request {
            Request::Forget => return None,
            Request::Init => protocol::init(),
            Request::GetAttributes => protocol::attributes(u64::from(std::process::id()), self.size_bytes),
            Request::Open => protocol::opened(),
            Request::Statistics => protocol::statistics(self.size_bytes),
            Request::Release => Vec::new(),
            Request::Unknown => return Some(protocol::failure(unique, ENOSYS)),
            Request::Read { offset, length } => return Some(self.io(unique, Io::Read { offset }, |_| self.read(offset, length))),
            Request::Write { offset, data } => return Some(self.io(unique, Io::Write, |number| self.write(offset, data, number))),
            Request::Sync => return Some(self.io(unique, Io::Flush, |_| Ok(Vec::new()))),
        };
        Some(protocol::answer(unique, &body))
    }

    /// Carries an I/O out, and keeps it in the slot until its time is over.
    fn io(&self, unique: u64, io: Io, carry_out: impl FnOnce(u64) -> std::io::Result<Vec<u8>>) -> Vec<u8> {
        let begun = Instant::now();
        let number = self.ios.fetch_add(1, Ordering::Relaxed);
        let moment = Moment { since_start: begun - self.begun, written: self.written.load(Ordering::Relaxed), number };
        let until = begun + self.behaviour.time_of(io, moment);
        let answer = match carry_out(number) {
            Ok(body) if !self.behaviour.fails(number) => protocol::answer(unique, &body),
            _ => protocol::failure(unique, EIO),
        };
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        answer
    }

    fn read(&self, offset: u64, length: usize) -> std::io::Result<Vec<u8>> {
        let mut data = vec![0; length.min(self.size_bytes.saturating_sub(offset) as usize)];
        self.content.read_exact_at(&mut data, offset)?;
        Ok(data)
    }

    fn write(&self, offset: u64, data: &[u8], number: u64) -> std::io::Result<Vec<u8>> {
        if !self.behaviour.drops(number) {
            self.content.write_all_at(data, offset)?;
        }
        self.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        Ok(protocol::written(data.len()))
    }
}
