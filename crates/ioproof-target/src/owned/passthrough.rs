//! The open character device of a permitted NVMe namespace.

use crate::block::character::Character;
use crate::system::kernel::namespace_id;
use crate::system::pin::Pin;
use rustix::fs::{FileType, OFlags, major, minor};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// A namespace as commands reach it. Its descriptor writes only where the permit covers writing.
#[derive(Debug)]
pub struct Passthrough {
    fd: OwnedFd,
    namespace_id: u32,
    block_bytes: u32,
    most_bytes: u32,
    polls: bool,
}

impl Passthrough {
    /// Opens it, to be written as well with `may_write`; `block` is the permitted block device.
    ///
    /// # Errors
    /// When the user may not open it, it has metadata, or it is not the namespace of the permitted device.
    pub(crate) fn open(character: &Character, may_write: bool, block: BorrowedFd<'_>) -> io::Result<Self> {
        let Character { name, .. } = character;
        if character.has_metadata {
            let text = format!(
                "{name} has metadata beside each block, and these commands carry none: format it without, or use --backend io_uring"
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        let fd = open(character, may_write)?;
        let namespace_id = namespace_id(fd.as_fd())?;
        let is_block = FileType::from_raw_mode(rustix::fs::fstat(block)?.st_mode) == FileType::BlockDevice;
        if is_block && self::namespace_id(block)? != namespace_id {
            return Err(other(name));
        }
        Ok(Self { fd, namespace_id, block_bytes: character.block_bytes, most_bytes: character.most_bytes, polls: character.polls })
    }

    /// Its number within the controller, 1 and up.
    #[must_use]
    pub fn namespace_id(&self) -> u32 {
        self.namespace_id
    }

    /// Its logical block. Bytes.
    #[must_use]
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// The most that one command moves. Bytes.
    #[must_use]
    pub fn most_bytes(&self) -> u32 {
        self.most_bytes
    }

    /// True where the driver has queues for polling.
    #[must_use]
    pub fn polls(&self) -> bool {
        self.polls
    }
}

impl AsFd for Passthrough {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The device node, if it is still the device that sysfs told.
pub(crate) fn open(character: &Character, may_write: bool) -> io::Result<OwnedFd> {
    let path = Path::new("/dev").join(&character.name);
    let pin = Pin::following(&path)?;
    let is_character = FileType::from_raw_mode(pin.stat.st_mode) == FileType::CharacterDevice;
    if !is_character || (major(pin.stat.st_rdev), minor(pin.stat.st_rdev)) != character.number {
        return Err(other(&character.name));
    }
    pin.open(if may_write { OFlags::RDWR } else { OFlags::RDONLY })
}

fn other(name: &str) -> io::Error {
    io::Error::other(format!("/dev/{name} is another device by now"))
}
