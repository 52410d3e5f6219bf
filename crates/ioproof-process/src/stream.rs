//! Standard output and error, which may be closed, full, or read by somebody who does not get on.
//!
//! While something is measured nothing waits for them: what is not taken at once is kept, and is written when more follows or when all is done. Beside it:
//! `messages` talks by way of it, `output` prints results.

use crate::locale;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

/// A pipe that can be written to at all takes so much without making anybody wait (PIPE_BUF, pipe(7)). Bytes.
const PIECE_BYTES: usize = 4096;

/// The reason why nothing may be written to a stream, where what is behind it would be written over: a shell's `>` empties a file, while `1<>` and systemd's
/// `file:` leave what it holds.
pub fn holds_data(stream: impl AsFd) -> Option<&'static str> {
    let stat = rustix::fs::fstat(&stream).ok()?;
    let flags = rustix::fs::fcntl_getfl(&stream).ok()?;
    if flags & OFlags::RWMODE == OFlags::RDONLY {
        return None;
    }
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::BlockDevice => Some("is a block device"),
        FileType::RegularFile if !flags.contains(OFlags::APPEND) => {
            let at = rustix::fs::tell(&stream).ok()?;
            (at < u64::try_from(stat.st_size).unwrap_or(0)).then_some("stands before data in a file")
        }
        _ => None,
    }
}

/// Bytes that a stream has not taken yet.
#[derive(Debug, Default)]
pub struct PatientStream {
    pending: Vec<u8>,
    failed: bool,
    /// True while everything is kept, because a picture is where it would be written.
    held: bool,
    /// The terminal that it is, opened once more so that writing to it waits for nobody; none inside where it is no terminal.
    terminal: Option<Option<OwnedFd>>,
}

impl PatientStream {
    /// Nothing is left to be written.
    pub const fn new() -> Self {
        Self { pending: Vec::new(), failed: false, held: false, terminal: None }
    }

    /// Adds text, and writes as much as the stream takes without waiting.
    ///
    /// # Errors
    /// When the stream takes no more; from then on nothing is kept for it.
    pub fn put(&mut self, to: impl AsFd, bytes: &[u8]) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        if locale::is_plain() && rustix::termios::isatty(&to) {
            self.pending.extend_from_slice(locale::plain(&String::from_utf8_lossy(bytes)).as_bytes());
        } else {
            self.pending.extend_from_slice(bytes);
        }
        if self.held {
            return Ok(());
        }
        let terminal = self.terminal.take().unwrap_or_else(|| terminal(&to));
        let written = match &terminal {
            Some(terminal) => self.write(terminal, NOW),
            None => self.write(&to, NOW),
        };
        self.terminal = Some(terminal);
        written
    }

    /// Keeps what is added from now on, or no more; what was kept goes with what is added next.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Writes what is shown for the moment: only if it is taken at once and nothing else waits.
    pub fn show(&mut self, to: impl AsFd, bytes: &[u8]) {
        if self.failed || self.held || !self.pending.is_empty() || !is_ready(&to, NOW) {
            return;
        }
        let piece = &bytes[..bytes.len().min(PIECE_BYTES)];
        let _ = match self.terminal.get_or_insert_with(|| terminal(&to)) {
            Some(terminal) => write_behind(terminal, piece),
            None => write_behind(&to, piece),
        };
    }

    /// Writes the rest, however long that takes.
    pub fn finish(&mut self, to: impl AsFd) -> io::Result<()> {
        self.write(&to, None)
    }

    /// Writes as much of the rest as the stream takes until it has taken nothing for so long.
    pub fn write_on(&mut self, to: impl AsFd, patience: Duration) -> io::Result<()> {
        self.write(&to, Timespec::try_from(patience).ok().or(NOW))
    }

    /// The bytes that are kept.
    pub fn into_pending(self) -> Vec<u8> {
        self.pending
    }

    /// Keeps these bytes before all others.
    pub fn put_first(&mut self, bytes: Vec<u8>) {
        if !self.failed {
            self.pending.splice(..0, bytes);
        }
    }

    /// Number of bytes that are kept.
    pub fn pending_bytes(&self) -> usize {
        self.pending.len()
    }

    fn write(&mut self, to: &impl AsFd, patience: Option<Timespec>) -> io::Result<()> {
        let mut done = 0;
        let end = loop {
            if done == self.pending.len() || !is_ready(to, patience) {
                break Ok(());
            }
            let piece = &self.pending[done..self.pending.len().min(done + PIECE_BYTES)];
            match write_behind(to, piece) {
                // As a file of the kernel does that has nothing behind it any more; it would never take anything.
                Ok(0) => break Err(ErrorKind::WriteZero.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock && patience.is_some() => break Ok(()),
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => break Err(error),
            }
        };
        self.failed = end.is_err();
        self.pending.drain(..if self.failed { self.pending.len() } else { done });
        end
    }
}

/// Writes where the descriptor stands, never over data: somebody may have added to a regular file since our last piece, which only a look right before the
/// write tells.
fn write_behind(to: &impl AsFd, piece: &[u8]) -> io::Result<usize> {
    if stands_before_data(to)? {
        return Err(io::Error::other("it stands before data of its file, which would be written over"));
    }
    Ok(rustix::io::write(to, piece)?)
}

/// True if what is written to a regular file would go over something that is in it.
///
/// # Errors
/// When the system does not tell, as of a descriptor that is closed.
pub fn stands_before_data(to: &impl AsFd) -> io::Result<bool> {
    let stat = rustix::fs::fstat(to)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || rustix::fs::fcntl_getfl(to)?.contains(OFlags::APPEND) {
        return Ok(false);
    }
    Ok(rustix::fs::tell(to)? < u64::try_from(stat.st_size).unwrap_or(0))
}

/// A terminal, opened once more. It says that it takes something when there is room for one character, and makes whoever writes more wait.
fn terminal(to: &impl AsFd) -> Option<OwnedFd> {
    let name = rustix::termios::isatty(to).then(|| format!("/proc/self/fd/{}", to.as_fd().as_raw_fd()))?;
    rustix::fs::open(name, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).ok()
}

const NOW: Option<Timespec> = Some(Timespec { tv_sec: 0, tv_nsec: 0 });

/// True if the stream takes something, or tells an error, without waiting; without a limit of patience it is waited for.
fn is_ready(to: &impl AsFd, patience: Option<Timespec>) -> bool {
    let mut fds = [PollFd::new(to, PollFlags::OUT)];
    loop {
        match poll(&mut fds, patience.as_ref()) {
            Err(Errno::INTR) => {}
            // Where it cannot be asked, writing tells.
            Err(_) => return true,
            Ok(count) => return count > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn nobody_waits_for_a_pipe_that_nobody_empties_and_nothing_is_lost() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut stream = PatientStream::new();
        let text: Vec<u8> = (0..1u32 << 20).map(|n| n.to_le_bytes()[0]).collect();
        stream.put(&writer, &text).unwrap();
        assert!(stream.pending_bytes() > 0 && stream.pending_bytes() < text.len());
        stream.show(&writer, b"of the moment");
        let got = std::thread::spawn(move || {
            let mut got = Vec::new();
            reader.read_to_end(&mut got).map(|_| got)
        });
        stream.finish(&writer).unwrap();
        drop(writer);
        assert!(got.join().unwrap().unwrap() == text);
    }

    #[test]
    fn what_somebody_added_meanwhile_is_not_written_over() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (own, mut other) = (file.as_file(), File::options().append(true).open(file.path()).unwrap());
        let mut stream = PatientStream::new();
        stream.put(own, b"ours\n").unwrap();
        stream.put(own, b"more\n").unwrap();
        other.write_all(b"precious\n").unwrap();
        assert!(stream.put(own, b"over it\n").unwrap_err().to_string().contains("stands before data"));
        assert_eq!(std::fs::read(file.path()).unwrap(), b"ours\nmore\nprecious\n");
        PatientStream::new().put(&other, b"behind\n").unwrap();
        assert!(std::fs::read(file.path()).unwrap().ends_with(b"precious\nbehind\n"));
    }

    #[test]
    fn what_is_held_comes_later_in_its_order_and_the_moment_is_gone() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut stream = PatientStream::new();
        stream.hold(true);
        stream.put(&writer, b"first ").unwrap();
        stream.show(&writer, b"of the moment ");
        assert_eq!(stream.pending_bytes(), 6);
        stream.hold(false);
        stream.put(&writer, b"second").unwrap();
        drop(writer);
        let mut got = String::new();
        reader.read_to_string(&mut got).unwrap();
        assert_eq!(got, "first second");
    }

    #[test]
    fn what_takes_no_more_is_told_once() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut stream = PatientStream::new();
        assert_eq!(stream.put(&full, b"x").unwrap_err().raw_os_error(), Some(28));
        assert!(stream.put(&full, b"x").is_ok() && stream.finish(&full).is_ok() && stream.pending_bytes() == 0);
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        assert_eq!(PatientStream::new().put(&writer, b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let memory = File::options().write(true).open(format!("/proc/{}/mem", child.id())).unwrap();
        child.kill().and_then(|()| child.wait()).unwrap();
        assert_eq!(PatientStream::new().put(&memory, b"x").unwrap_err().kind(), ErrorKind::WriteZero);
    }
}
