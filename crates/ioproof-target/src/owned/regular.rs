//! Files that are read as a whole: bounded, from regular files only, so that neither a pipe that nobody fills nor a file without an end makes anybody wait.
//!
//! Nothing is opened to find out what it is: the inode is held first (`O_PATH`). Deliberately absent: what is under test (`open.rs`), and the kernel's files.

use crate::owned::held_folder::HeldFolder;
use crate::system::pin::Pin;
use rustix::fs::{FileType, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file to be read. Links are followed.
///
/// # Errors
/// When it is none, or the system refuses.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open(&Pin::following(path)?)
}

/// The same of a file of the program's own, where a link leads to somebody else's and is not followed.
///
/// # Errors
/// As [`open_regular`].
pub fn open_own(path: &Path) -> io::Result<File> {
    let (folder, name) = HeldFolder::of(path)?;
    open(&folder.pin(&name)?)
}

/// Reads a regular file of at most so many bytes. Links are followed.
///
/// # Errors
/// When it is none or larger, or the system refuses.
pub fn read_regular(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    read(&open_regular(path)?, most_bytes)
}

/// The same of a file of the program's own ([`open_own`]).
///
/// # Errors
/// As [`read_regular`].
pub fn read_own(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    read(&open_own(path)?, most_bytes)
}

/// Reads what a user names as input: a regular file, or a pipe that the program was started with (`/dev/stdin`, `/dev/fd/63` of a shell's `<(...)`).
///
/// # Errors
/// As [`read_regular`].
pub fn read_input(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let is_inherited = path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd");
    if is_inherited { read(&File::open(path)?, most_bytes) } else { read_regular(path, most_bytes) }
}

fn open(pin: &Pin) -> io::Result<File> {
    let why = match FileType::from_raw_mode(pin.stat.st_mode) {
        FileType::RegularFile => return opened(pin),
        FileType::Directory => "it is a directory",
        FileType::Symlink => "it is a link",
        FileType::Fifo => "it is a pipe, no regular file",
        _ => "it is no regular file",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Files of the kernel call themselves regular, and some make whoever reads them wait (`/proc/kmsg`, proc(5)).
fn opened(pin: &Pin) -> io::Result<File> {
    let fd = pin.open(OFlags::RDONLY)?;
    rustix::fs::fcntl_setfl(&fd, OFlags::NONBLOCK)?;
    Ok(fd.into())
}

fn read(file: &File, most_bytes: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", most_bytes >> 20));
    // Of a pipe the length is 0, and a file may grow.
    if file.metadata()?.len() > most_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_so_much_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), vec![b'x'; 3 << 20]).unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        assert_eq!(read_own(&at("file"), 3 << 20).unwrap().len(), 3 << 20);
        assert_eq!(read_regular(&at("link"), 3 << 20).unwrap().len(), 3 << 20);
        let why = |read: io::Result<Vec<u8>>| read.unwrap_err().to_string();
        assert_eq!(why(read_regular(&at("file"), 2 << 20)), "it is larger than 2 MiB");
        // Nobody has the memory to find that out by reading.
        File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(why(read_regular(&at("huge"), (1 << 40) - 1)), "it is larger than 1048575 MiB");
        assert_eq!(why(read_own(&at("link"), 3 << 20)), "it is a link");
        assert_eq!(why(read_regular(&at("pipe"), 1)), "it is a pipe, no regular file");
        assert_eq!(why(read_input(&at("pipe"), 1)), "it is a pipe, no regular file");
        assert_eq!(why(read_input(Path::new("/dev/zero"), 1)), "it is no regular file");
        assert_eq!(why(read_regular(folder.path(), 1)), "it is a directory");
        assert_eq!(read_own(&at("none"), 1).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
