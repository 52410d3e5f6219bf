//! A file that this process serves itself: a filesystem of one file (FUSE), mounted on a file.
//!
//! **This process must not touch the file, nor what stands on it**: its own thread would wait for ever for an answer when it ends.

mod protocol;

use crate::cached::Action;
use crate::command::{self, tool, wait_until};
use anyhow::{Context, Result, ensure};
use protocol::IO_BYTES_MAX;
pub use protocol::{EIO, ENOSYS};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Stack of a slot's thread, and of nothing deep. Bytes.
const STACK_BYTES: usize = 128 << 10;

pub trait Drive: Send + Sync + 'static {
    fn size_bytes(&self) -> u64;

    /// Carries one request out; gives what was read, or an error's number. Called by several threads.
    fn io(&self, action: Action) -> Result<Vec<u8>, i32>;
}

pub struct Mounted {
    file: PathBuf,
    slots: Vec<JoinHandle<()>>,
}

impl Mounted {
    pub fn start(file: &Path, slots: usize, drive: &Arc<impl Drive>) -> Result<Self> {
        let device = File::options().read(true).write(true).open("/dev/fuse").context("cannot open /dev/fuse")?;
        File::create(file)?;
        mount(&device, file)?;
        let start = |_| {
            let (device, drive) = (device.try_clone()?, Arc::clone(drive));
            Ok(std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(device, drive.as_ref()))?)
        };
        let slots = (0..slots).map(start).collect::<Result<Vec<_>>>();
        slots.map(|slots| Self { file: file.to_owned(), slots })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let file = self.file.display().to_string();
        // The loop device lets go when its last I/O is done.
        let gone = wait_until("the end of a served drive", || tool("umount", &[&file]).is_ok());
        // The last user gone, the kernel ends the connection, and with it the threads.
        if gone.is_ok() {
            self.slots.drain(..).for_each(|slot| drop(slot.join()));
        }
    }
}

/// The tool gets the connection as its standard input, because it needs it by number.
fn mount(device: &File, file: &Path) -> Result<()> {
    let tool = command::find_program("mount").context("mount is not there")?;
    let words = ["--internal-only", "--types", "fuse", "--options", "fd=0,rootmode=100600,user_id=0,group_id=0", "ioproof-served"];
    let output = Command::new(tool).args(words).arg(file).stdin(Stdio::from(device.try_clone()?)).output()?;
    ensure!(output.status.success(), "cannot mount a served drive: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

fn serve(mut device: File, drive: &impl Drive) {
    // A drive does not wait for the host's programs. Only this thread is meant (nice(2), on Linux).
    let _ = rustix::process::nice(-20);
    let mut message = vec![0; IO_BYTES_MAX as usize + 4096];
    loop {
        match device.read(&mut message) {
            Ok(length) => {
                if let Some(answer) = message.get(..length).and_then(|message| answer(message, drive)) {
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

fn answer(message: &[u8], drive: &impl Drive) -> Option<Vec<u8>> {
    let (opcode, unique, body) = protocol::request(message)?;
    let body = match opcode {
        // FORGET and BATCH_FORGET, INIT, GETATTR, OPEN, STATFS, RELEASE.
        2 | 42 => return None,
        26 => Ok(protocol::init()),
        3 => Ok(protocol::attributes(u64::from(std::process::id()), drive.size_bytes())),
        14 => Ok(protocol::opened()),
        17 => Ok(protocol::statistics(drive.size_bytes())),
        18 => Ok(Vec::new()),
        _ => protocol::action(opcode, body).map_or(Err(ENOSYS), |action| carry_out(action, drive)),
    };
    Some(protocol::answer(unique, body))
}

/// Body of the answer. A read ends with the file.
fn carry_out(mut action: Action, drive: &impl Drive) -> Result<Vec<u8>, i32> {
    let (range, size_bytes) = (action.range(), usize::try_from(drive.size_bytes()).unwrap_or(usize::MAX));
    match &mut action {
        Action::Read { offset, length } => *length = size_bytes.saturating_sub(*offset).min(*length),
        _ if range.end > size_bytes => return Err(protocol::EFBIG),
        _ => {}
    }
    let is_write = matches!(action, Action::Write { .. });
    drive.io(action).map(|read| if is_write { protocol::written(range.len()) } else { read })
}
