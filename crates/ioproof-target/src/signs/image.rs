//! Reading pieces of a device or file for a look at its content: a trait, so that the checks work on images in memory as well.

use rustix::io::Errno;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, Ordering};

/// Something with bytes at offsets.
pub(crate) trait Source {
    /// Its length in bytes.
    fn size_bytes(&self) -> u64;

    /// Exactly `length` bytes from `offset` on.
    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>>;
}

/// An open device or file, read in whole units as `O_DIRECT` wants it.
pub(crate) struct FdSource<'a> {
    fd: BorrowedFd<'a>,
    size_bytes: u64,
    unit_bytes: u64,
    read_bytes: AtomicU64,
}

impl<'a> FdSource<'a> {
    /// `unit_bytes` is a power of two: the alignment of offsets, lengths and buffers.
    pub(crate) fn new(fd: BorrowedFd<'a>, size_bytes: u64, unit_bytes: u32) -> Self {
        Self { fd, size_bytes, unit_bytes: u64::from(unit_bytes.max(1).next_power_of_two()), read_bytes: AtomicU64::new(0) }
    }

    /// Bytes that were read of it until now, in whole units.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    fn read_units(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let alignment = (self.unit_bytes as usize).max(4096);
        let mut buffer = vec![0u8; length + alignment];
        let skip = buffer.as_ptr().align_offset(alignment);
        let mut done = 0;
        while done < length {
            match rustix::io::pread(self.fd, &mut buffer[skip + done..skip + length], start + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.read_bytes.fetch_add(done as u64, Ordering::Relaxed);
        buffer.drain(..skip);
        buffer.truncate(done);
        Ok(buffer)
    }
}

impl Source for FdSource<'_> {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = offset / self.unit_bytes * self.unit_bytes;
        let skip = (offset - start) as usize;
        let end = (offset + length as u64).next_multiple_of(self.unit_bytes);
        let mut bytes = self.read_units(start, (end - start) as usize)?;
        if bytes.len() < skip + length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.drain(..skip);
        bytes.truncate(length);
        Ok(bytes)
    }
}

impl Source for Vec<u8> {
    fn size_bytes(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        self.get(start..start + length).map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The length of each end that is looked at in full: beyond the first MiB, at which the first partition begins on most disks, so that its
/// filesystem is seen also when the partition table is gone. Bytes.
pub(crate) const END_BYTES: u64 = 2 << 20;

/// A source with both ends in memory, since most signatures lie there.
pub(crate) struct Image<'a> {
    source: &'a (dyn Source + Sync),
    head: Vec<u8>,
    tail: Vec<u8>,
    tail_at: u64,
}

impl<'a> Image<'a> {
    /// Reads both ends.
    pub(crate) fn new(source: &'a (dyn Source + Sync)) -> io::Result<Self> {
        let size = source.size_bytes();
        let tail_at = size.saturating_sub(END_BYTES) / 4096 * 4096;
        let head = source.read(0, size.min(END_BYTES) as usize)?;
        let tail = source.read(tail_at, (size - tail_at) as usize)?;
        Ok(Self { source, head, tail, tail_at })
    }

    /// Length of the whole in bytes.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    /// The first [`END_BYTES`].
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last [`END_BYTES`] or a little more, and where it begins; that is a multiple of 4 KiB.
    pub(crate) fn tail(&self) -> (u64, &[u8]) {
        (self.tail_at, &self.tail)
    }

    /// `length` bytes from `offset` on; `None` where they lie outside.
    pub(crate) fn bytes(&self, offset: u64, length: usize) -> io::Result<Option<Vec<u8>>> {
        let Some(end) = offset.checked_add(length as u64).filter(|end| *end <= self.size_bytes()) else { return Ok(None) };
        if end <= self.head.len() as u64 {
            return Ok(Some(self.head[offset as usize..end as usize].to_vec()));
        }
        if offset >= self.tail_at {
            let start = (offset - self.tail_at) as usize;
            return Ok(Some(self.tail[start..start + length].to_vec()));
        }
        self.source.read(offset, length).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn a_file_gives_the_bytes_asked_for_whatever_the_unit() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        file.write_all(&bytes).unwrap();
        for (unit, read_bytes) in [(1, 20), (512, 1024), (4096, 8192)] {
            let source = FdSource::new(file.as_fd(), 10_000, unit);
            assert_eq!(source.read(4090, 20).unwrap(), &bytes[4090..4110]);
            assert_eq!(source.read_bytes(), read_bytes);
            assert_eq!(source.read(9_990, 10).unwrap(), &bytes[9_990..]);
            assert!(source.read(9_990, 11).is_err());
        }
    }

    #[test]
    fn an_image_reads_head_middle_and_tail() {
        let mut source = vec![0u8; 5 << 20];
        source[10] = 1;
        source[2_500_000] = 2;
        let last = source.len() - 1;
        source[last] = 3;
        let image = Image::new(&source).unwrap();
        assert_eq!(image.bytes(10, 1).unwrap(), Some(vec![1]));
        assert_eq!(image.bytes(2_500_000, 1).unwrap(), Some(vec![2]));
        assert_eq!(image.bytes(last as u64, 1).unwrap(), Some(vec![3]));
        assert_eq!(image.bytes(last as u64, 2).unwrap(), None);
        assert_eq!(image.bytes(u64::MAX, 2).unwrap(), None);
    }
}
