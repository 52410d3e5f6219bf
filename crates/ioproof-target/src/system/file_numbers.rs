//! A file that another process has open, by what the kernel knows of it by itself. Whoever serves a filesystem (FUSE, the network) may never answer, and a
//! look at all processes must not wait for that.

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, makedev, statx};
use std::io;
use std::path::Path;

/// Numbers of a file as statx(2) gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileNumbers {
    /// Device and inode.
    pub id: (u64, u64),
    /// The device that it is, where it is a block device.
    pub block_device: Option<u64>,
}

impl FileNumbers {
    /// The file at a path or behind a link of procfs, without a question to who serves it (`AT_STATX_DONT_SYNC`).
    ///
    /// # Errors
    /// When there is none, or it may not be looked at.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let found = statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE | StatxFlags::INO)?;
        let is_block_device = FileType::from_raw_mode(found.stx_mode.into()) == FileType::BlockDevice;
        Ok(Self {
            id: (makedev(found.stx_dev_major, found.stx_dev_minor), found.stx_ino),
            block_device: is_block_device.then(|| makedev(found.stx_rdev_major, found.stx_rdev_minor)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_file_has_the_numbers_of_stat() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let meta = file.as_file().metadata().unwrap();
        assert_eq!(FileNumbers::at(file.path()).unwrap(), FileNumbers { id: (meta.dev(), meta.ino()), block_device: None });
        assert_eq!(FileNumbers::at(Path::new("/dev/null")).unwrap().block_device, None);
        assert_eq!(FileNumbers::at(&file.path().join("x")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}
