//! Trims of what is open: a discard of blocks of a device, a hole in a file. Neither is promised to be carried out, and a place that was trimmed reads as its drive likes.

use crate::Handle;
use rustix::fs::{FallocateFlags, FileType, fallocate, fstat};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// `_IO(0x12, 119)` of include/uapi/linux/fs.h.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Discards blocks of a device that is open to be written.
///
/// # Errors
/// EOPNOTSUPP where it takes no discards; any other of the kernel.
pub fn discard(device: BorrowedFd<'_>, offset_bytes: u64, length_bytes: u64) -> rustix::io::Result<()> {
    let range = [offset_bytes, length_bytes];
    // SAFETY: BLKDISCARD reads two numbers of 64 bits, offset and length, from where it is pointed to.
    match unsafe { libc::ioctl(device.as_raw_fd(), BLKDISCARD, range.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}

/// Punches a hole into a file, which keeps its size.
///
/// # Errors
/// EOPNOTSUPP where its filesystem has no holes; any other of the kernel.
pub fn punch_hole(file: BorrowedFd<'_>, offset_bytes: u64, length_bytes: u64) -> rustix::io::Result<()> {
    fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset_bytes, length_bytes)
}

impl Handle {
    /// Trims a part of the target, for which its permit must cover writing. Durable behind the next sync, as a write is.
    ///
    /// # Errors
    /// EPERM without that permit, EOPNOTSUPP where nothing can be trimmed; any other of the kernel.
    pub fn trim(&self, offset_bytes: u64, length_bytes: u64) -> io::Result<()> {
        if !self.may_write() {
            return Err(Errno::PERM.into());
        }
        match FileType::from_raw_mode(fstat(self)?.st_mode) {
            FileType::BlockDevice => discard(self.as_fd(), offset_bytes, length_bytes)?,
            FileType::RegularFile => punch_hole(self.as_fd(), offset_bytes, length_bytes)?,
            _ => return Err(Errno::OPNOTSUPP.into()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Consent, System, open_to_read, open_to_write, resolve};

    #[test]
    fn a_part_of_a_file_is_trimmed_and_only_through_a_handle_that_may_write() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, [7; 16 << 10]).unwrap();
        let (system, consent) = (System::host(), Consent { overwrite: vec![file.clone()], in_use_unseen: true, ..Consent::default() });
        let target = resolve(&system, &file).unwrap();
        let refused = open_to_read(&target).unwrap().trim(0, 4096).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EPERM));
        open_to_write(&system, &target, &consent).unwrap().trim(4096, 8192).unwrap();
        let content = std::fs::read(&file).unwrap();
        let held: Vec<bool> = content.chunks(4096).map(|block| block == [7; 4096]).collect();
        assert_eq!((held, content.len()), (vec![true, false, false, true], 16 << 10));
    }
}
