//! The end of what is written to a named pipe that a user gave for results or logs: it was held open for both (fifo(7)), so that it did not end while nobody
//! had it open; now somebody must read it, and is waited for only so long.

use crate::interrupt::while_waiting;
use crate::messages;
use crate::stream::PatientStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// Waits between two looks for a reader.
const LOOK: Duration = Duration::from_millis(100);

/// Looks before a reader that never came, or takes nothing, is given up: those of 5 s.
const LOOKS_MAX: u32 = 50;

/// Magic number of the filesystem of pipes without a name (Linux, `include/uapi/linux/magic.h`).
const PIPE_FS: rustix::fs::FsWord = 0x5049_5045;

/// Writes the rest to a stream of the user's. A reader that takes something is waited for; a named pipe that nobody opens is an error, and so is one of which
/// nothing is taken. Whoever is behind a pipe without a name, such as a pager, may take any time, as behind standard output; Ctrl-C ends the waiting.
///
/// # Errors
/// When nobody reads it, or it takes no more.
pub fn finish(file: File, stream: &mut PatientStream, path: &Path) -> io::Result<()> {
    while_waiting(|| finish_within(LOOKS_MAX, file, stream, path))
}

fn finish_within(looks_max: u32, file: File, stream: &mut PatientStream, path: &Path) -> io::Result<()> {
    if FileType::from_raw_mode(file.metadata()?.mode()) != FileType::Fifo {
        return stream.finish(&file);
    }
    // This end alone does not count as a reader, and keeps what is in the pipe already.
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    let writer = File::from(rustix::fs::open(name, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?);
    drop(file);
    // Whoever took all and went has read it.
    let is_read = stream.pending_bytes() == 0 && rustix::io::ioctl_fionread(&writer)? == 0;
    if !is_read {
        wait_for_reader(looks_max, &writer, path)?;
    }
    if rustix::fs::fstatfs(&writer)?.f_type == PIPE_FS {
        return stream.finish(&writer);
    }
    finish_taken(looks_max, &writer, stream)
}

/// Writes the rest while somebody takes of it, however little.
fn finish_taken(looks_max: u32, writer: &File, stream: &mut PatientStream) -> io::Result<()> {
    let (mut before, mut looks) = (None, 0);
    loop {
        stream.write_on(writer, LOOK)?;
        // A pipe has room only when a whole page of it was read; what is in it tells of each byte.
        let left = Some((stream.pending_bytes(), rustix::io::ioctl_fionread(writer)?));
        looks = if left == before { looks + 1 } else { 0 };
        before = left;
        match stream.pending_bytes() {
            0 => return Ok(()),
            _ if looks >= looks_max => return Err(io::Error::other("whoever has the pipe open does not read it")),
            _ => {}
        }
    }
}

fn wait_for_reader(looks_max: u32, writer: &File, path: &Path) -> io::Result<()> {
    for look in 0..looks_max {
        if has_reader(writer)? {
            return Ok(());
        }
        if look == 0 {
            messages::note(&format!("waiting for somebody to read {}", path.display()));
        }
        std::thread::sleep(LOOK);
    }
    Err(io::Error::other("nobody reads the pipe"))
}

/// True if somebody has the pipe open to read it (pipe(7): without a reader it tells an error).
fn has_reader(writer: &File) -> io::Result<bool> {
    let mut fds = [PollFd::new(writer, PollFlags::OUT)];
    poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
    Ok(!fds[0].revents().contains(PollFlags::ERR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_target::output_file::OutputFile;
    use rustix::fs::CWD;
    use std::io::Read;
    use std::path::PathBuf;

    fn pipe(folder: &Path) -> PathBuf {
        let path = folder.join("pipe");
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        path
    }

    fn put(path: &Path, bytes: &[u8]) -> (File, PatientStream) {
        let (file, mut stream) = (OutputFile::open_folder(path).unwrap().open_stream().unwrap(), PatientStream::new());
        stream.put(&file, bytes).unwrap();
        (file, stream)
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_an_error_whatever_fits_into_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        for size in [10, 1 << 20] {
            let (file, mut stream) = put(&path, &vec![b'x'; size]);
            assert!(finish_within(2, file, &mut stream, &path).unwrap_err().to_string().contains("nobody reads"), "{size}");
        }
    }

    #[test]
    fn a_reader_that_takes_nothing_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let (file, mut stream) = put(&path, &vec![b'x'; 1 << 20]);
        let mut reader = File::open(&path).unwrap();
        assert!(finish_within(2, file, &mut stream, &path).unwrap_err().to_string().contains("does not read"));
        assert!(reader.read(&mut [0; 10]).unwrap() == 10, "what it got by then stays");
    }

    #[test]
    fn a_reader_that_took_all_may_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let (file, mut stream) = put(&path, b"1234");
        let mut got = [0; 4];
        File::open(&path).unwrap().read_exact(&mut got).unwrap();
        finish(file, &mut stream, &path).unwrap();
    }

    #[test]
    fn a_reader_gets_everything_whenever_it_opens_the_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let (file, mut stream) = put(&path, &vec![b'x'; 1 << 20]);
        let reader = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut got = Vec::new();
                File::open(path).unwrap().read_to_end(&mut got).map(|_| got.len())
            }
        });
        finish(file, &mut stream, &path).unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), 1 << 20);
    }
}
