//! A drive that can misbehave: a server of the NBD protocol, of which QEMU makes a SCSI or an NVMe drive.
//!
//! It is a drive with a volatile cache (`cached.rs`) that does as it is told while it runs
//! (`behaviour.rs`), is slow or fails, and speaks as much of the protocol as QEMU's client needs (`greeting.rs`, `requests.rs`). `client.rs` is the other
//! side, for tests. Requests of one connection are carried out one after another, so a delay of each adds up in a queue.

mod behaviour;
#[cfg(test)]
mod client;
pub mod drive;
mod greeting;
mod requests;

use anyhow::{Context, Result};
use drive::FaultyDrive;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A drive that listens. Ends when dropped; connections end when the other side does.
#[derive(Debug)]
pub struct Server {
    socket: PathBuf,
    drive: Arc<FaultyDrive>,
    stop: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

impl Server {
    /// Makes an honest drive of zeros and listens at this path.
    pub fn start(socket: &Path, size_bytes: u64) -> Result<Self> {
        let size_bytes = usize::try_from(size_bytes).context("the drive is larger than memory")?;
        Self::serve(socket, Arc::new(FaultyDrive::new(size_bytes)))
    }

    /// Listens at this path for a drive that outlives it.
    pub fn serve(socket: &Path, drive: Arc<FaultyDrive>) -> Result<Self> {
        let listener = UnixListener::bind(socket).with_context(|| format!("cannot listen at {}", socket.display()))?;
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (drive, stop) = (Arc::clone(&drive), Arc::clone(&stop));
            move || accept(&listener, &drive, &stop)
        });
        Ok(Self { socket: socket.to_owned(), drive, stop, listener: Some(thread) })
    }

    /// Changes what the drive does, or tells what it did; `behaviour.rs` has the words.
    pub fn command(&self, words: &[&str]) -> Result<String> {
        self.drive.command(words)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Whoever is kept waiting by a drive that hangs may go.
        let _ = self.drive.command(&["honest"]);
        // The listener wakes up by a visitor. Without a socket there is nobody to wake it, and it ends with the process.
        if UnixStream::connect(&self.socket).is_ok()
            && let Some(thread) = self.listener.take()
        {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &UnixListener, drive: &Arc<FaultyDrive>, stop: &AtomicBool) {
    for stream in listener.incoming() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let drive = Arc::clone(drive);
        std::thread::spawn(move || {
            // A connection that breaks is how QEMU ends.
            let _ = serve(stream, &drive);
        });
    }
}

/// One connection from greeting to goodbye.
fn serve(mut stream: UnixStream, drive: &FaultyDrive) -> io::Result<()> {
    if greeting::exchange(&mut stream, drive.size_bytes())? {
        requests::answer_all(&mut stream, drive)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::client::Client;
    use super::*;

    #[test]
    fn whoever_connects_later_finds_what_was_written() {
        let socket = std::env::temp_dir().join(format!("rig-nbd-{}.sock", std::process::id()));
        let server = Server::start(&socket, 8192).unwrap();
        Client::greet(UnixStream::connect(&socket).unwrap()).write(512, b"here", false).unwrap();
        let mut later = Client::greet(UnixStream::connect(&socket).unwrap());
        assert_eq!(later.read(512, 4).unwrap(), b"here");
        drop(server);
        std::fs::remove_file(socket).unwrap();
    }
}
