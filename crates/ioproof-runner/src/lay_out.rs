//! Laying out files: those that are read, or of which only existing blocks are to be written, get content before the clock starts.
//!
//! The content is such that a file of a run that is killed can be known again ([`ioproof_target::laid_out`]). A file is written in one ascending pass by plain
//! writes: thousands of small files are many, and to start the engine for each would take longer than to write it.

use crate::event::{Event, Observer};
use crate::failure::Failure;
use ioproof_core::units::binary_size;
use ioproof_target::{Handle, laid_out};
use rustix::io::Errno;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Size of a write. Bytes.
const PIECE_BYTES: u64 = 1 << 20;
/// Time before anything is said, and between two words. Milliseconds.
const SILENT_MS: u64 = 2000;
const OFTEN_MS: u64 = 100;

/// A file that lacks content.
#[derive(Debug, Clone, Copy)]
pub struct FileLayout<'a> {
    /// Its path, for messages.
    pub path: &'a Path,
    /// Its handle.
    pub handle: &'a Handle,
    /// Bytes from its start that have content.
    pub content_bytes: u64,
    /// True where it is synced when it is written.
    pub sync: bool,
}

/// Fills all files, and calls `filled` after each.
///
/// # Errors
/// When a file cannot be written, or the user ends it.
pub fn lay_out(
    files: &[FileLayout<'_>],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
    mut filled: impl FnMut(&Path),
) -> Result<(), Failure> {
    let all = files.iter().map(|file| file.handle.size_bytes().saturating_sub(file.content_bytes)).sum();
    let mut told = Told { stop, all, done: 0, started: Instant::now(), said: Instant::now(), observer };
    let mut piece = vec![0; if files.is_empty() { 0 } else { PIECE_BYTES as usize }];
    for file in files {
        let error = |e: Failure| Failure { text: format!("cannot lay out {}: {}", file.path.display(), e.text), ..e };
        fill(file, &mut piece, &mut told).map_err(error)?;
        filled(file.path);
    }
    Ok(())
}

/// Writes the part that has no content yet.
fn fill(file: &FileLayout<'_>, piece: &mut [u8], told: &mut Told<'_>) -> Result<(), Failure> {
    let handle = file.handle.again(false).map_err(|e| system(&e))?;
    let stat = rustix::fs::fstat(&handle)?;
    let end = handle.size_bytes();
    let mut at = file.content_bytes;
    while at < end {
        let length = (end - at).min(PIECE_BYTES - at % PIECE_BYTES);
        let piece = &mut piece[..length as usize];
        laid_out::fill((stat.st_dev, stat.st_ino), at, piece);
        write(&handle, piece, at)?;
        at += length;
        told.step(length)?;
    }
    if file.sync {
        rustix::fs::fsync(&handle)?;
    }
    Ok(())
}

fn write(handle: &Handle, mut piece: &[u8], mut at: u64) -> Result<(), Failure> {
    while !piece.is_empty() {
        let written = match rustix::io::pwrite(handle, piece, at) {
            Err(Errno::INTR) => continue,
            Ok(0) => return Err(("the system wrote nothing and gave no reason".to_owned(), Errno::IO.raw_os_error()).into()),
            other => other?,
        };
        piece = &piece[written..];
        at += written as u64;
    }
    Ok(())
}

fn system(error: &std::io::Error) -> Failure {
    Failure::from((error.to_string(), error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())))
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        system(&errno.into())
    }
}

/// Says after a while how far it is, and ends when the user wants it.
struct Told<'a> {
    stop: &'a AtomicBool,
    all: u64,
    done: u64,
    started: Instant,
    said: Instant,
    observer: &'a mut dyn Observer,
}

impl Told<'_> {
    fn step(&mut self, bytes: u64) -> Result<(), Failure> {
        if self.stop.load(Relaxed) {
            let text = "interrupted while the files were laid out; what this run made is removed";
            return Err((text.to_owned(), Errno::INTR.raw_os_error()).into());
        }
        self.done += bytes;
        let elapsed = self.started.elapsed();
        if elapsed >= Duration::from_millis(SILENT_MS) && self.said.elapsed() >= Duration::from_millis(OFTEN_MS) {
            let left = elapsed.mul_f64(self.all.saturating_sub(self.done) as f64 / self.done.max(1) as f64);
            let text = format!("laying out {} of {}", binary_size(self.done), binary_size(self.all));
            self.observer.observe(&Event::Step { text: &text, left: Some(left) });
            self.said = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoObserver;
    impl Observer for NoObserver {
        fn observe(&mut self, _: &Event<'_>) {}
    }

    #[test]
    fn it_ends_when_the_user_wants_it() {
        let stop = AtomicBool::new(false);
        let now = Instant::now();
        let mut told = Told { stop: &stop, all: 2, done: 0, started: now, said: now, observer: &mut NoObserver };
        assert!(told.step(1).is_ok());
        stop.store(true, Relaxed);
        assert!(told.step(1).is_err_and(|e| e.text.starts_with("interrupted")));
    }
}
