//! Gives a file its length and its space: `fallocate` and `ftruncate`, as the job asks for.

use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::io;
use std::os::fd::AsFd;

/// A way to set space aside for a file that is made or grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Its blocks are reserved, where the filesystem can.
    Reserved,
    /// They are reserved and its length stays as it is, where the filesystem can.
    Kept,
    /// It gets its blocks when they are written.
    Sparse,
}

/// Sets aside the space of the first `size_bytes`, and makes a file that is shorter so long where `whole`; gives the length it has then.
pub(super) fn set_aside(fd: impl AsFd, size_bytes: u64, space: Space, whole: bool) -> io::Result<u64> {
    let flags = if space == Space::Kept { FallocateFlags::KEEP_SIZE } else { FallocateFlags::empty() };
    if space != Space::Sparse && size_bytes > 0 {
        reserve(&fd, flags, size_bytes)?;
    }
    let length = length(&fd)?;
    if whole && length < size_bytes {
        rustix::fs::ftruncate(&fd, size_bytes)?;
        return Ok(size_bytes);
    }
    Ok(length)
}

fn reserve(fd: impl AsFd, flags: FallocateFlags, size_bytes: u64) -> io::Result<()> {
    loop {
        match rustix::fs::fallocate(&fd, flags, 0, size_bytes) {
            Err(Errno::INTR) => {}
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

pub(super) fn length(fd: impl AsFd) -> io::Result<u64> {
    Ok(u64::try_from(rustix::fs::fstat(fd)?.st_size).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn each_way_leaves_its_length_and_its_blocks() {
        const SIZE: u64 = 1 << 20;
        let folder = folder_on_a_drive();
        let made = |space, whole| {
            let file = tempfile::tempfile_in(folder.path()).unwrap();
            let length = set_aside(&file, SIZE, space, whole).unwrap();
            let meta = file.metadata().unwrap();
            assert_eq!(length, meta.len());
            (meta.len(), meta.blocks() * 512 >= SIZE)
        };
        assert_eq!(made(Space::Reserved, false), (SIZE, true));
        assert_eq!(made(Space::Kept, false), (0, true));
        assert_eq!(made(Space::Kept, true), (SIZE, true));
        assert_eq!(made(Space::Sparse, true), (SIZE, false));
        assert_eq!(made(Space::Sparse, false), (0, false));
    }

    #[test]
    fn what_is_longer_stays_so() {
        let file = tempfile::tempfile_in(folder_on_a_drive().path()).unwrap();
        file.set_len(8192).unwrap();
        for space in [Space::Reserved, Space::Kept, Space::Sparse] {
            assert_eq!(set_aside(&file, 4096, space, true).unwrap(), 8192);
        }
        assert_eq!(file.metadata().unwrap().len(), 8192);
    }
}
