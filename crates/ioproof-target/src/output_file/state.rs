//! Files of the program's own state folder, where every regular file is ours whatever it holds; but a link there leads to somebody else's.

use super::{OutputError, OutputFile, Seen};
use crate::held_folder::HeldFolder;
use crate::target::Pin;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Tries to write a file that others of this program write at the same time.
const TRIES: u32 = 50;

/// Time between two of them.
const WAIT: Duration = Duration::from_millis(2);

/// Writes a file of the state folder whole: a kill leaves the old one or the new one, and of several that write it at the same time the last one counts.
///
/// # Errors
/// When something else than a regular file stands there, or the system refuses.
pub fn store(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    for _ in 1..TRIES {
        match store_once(path, bytes) {
            Err(OutputError::Changed(_) | OutputError::InUse(_)) => std::thread::sleep(WAIT),
            stored => return stored,
        }
    }
    store_once(path, bytes)
}

fn store_once(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let (folder, name) = HeldFolder::of(path).map_err(|error| OutputError::io(path, "write", error))?;
    let output = OutputFile { path: path.to_path_buf(), folder, name };
    let seen = check(path, output.folder.pin(&output.name).ok())?;
    let mut new = output.begin()?.of_state();
    new.write_all(bytes).map_err(|error| OutputError::io(path, "write", error))?;
    match seen {
        Some(seen) => output.replace_own(new, &seen),
        None => output.create_new(new),
    }
    .map(drop)
}

/// Opens a file of the state folder to be locked, and makes it if it is not there; its content stays.
///
/// # Errors
/// As [`store`].
pub fn open_lock(path: &Path) -> Result<File, OutputError> {
    let fail = |error: std::io::Error| OutputError::io(path, "open", error);
    let (folder, name) = HeldFolder::of(path).map_err(fail)?;
    check(path, folder.pin(&name).ok())?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&folder, &name, flags, Mode::from_raw_mode(0o644)).map_err(|error| fail(error.into()))?;
    check(path, Some(Pin::of(&fd).map_err(fail)?))?;
    Ok(fd.into())
}

fn check(path: &Path, pin: Option<Pin>) -> Result<Option<Seen>, OutputError> {
    match pin {
        Some(pin) if FileType::from_raw_mode(pin.stat.st_mode) != FileType::RegularFile => {
            Err(OutputError::NoFile { path: path.to_path_buf(), kind: "no regular file" })
        }
        pin => Ok(pin.map(|pin| Seen::of(&pin.stat))),
    }
}
