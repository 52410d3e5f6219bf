//! Finds out how much of a span was ever written: reading the rest measures the filesystem or the drive's tables, and not the medium.

use crate::error::TargetError;
use crate::owned::handle::Handle;
use crate::signs::image::{FdSource, Source};
use crate::system::kernel::{self, EXTENT_UNWRITTEN, Extent};
use crate::system::sample;
use ioproof_core::facts::ContentFacts;
use ioproof_core::job::Span;
use rustix::fs::FileType;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const SAMPLE_BYTES: u64 = 4096;

/// Asks the filesystem which bytes of `span` it has never written, and reads up to `samples` blocks of 4 KiB spread over it, while `goes_on` says so.
///
/// Generators and handles that cannot be read give no samples; devices and filesystems without FIEMAP give no answer to the first.
///
/// # Errors
/// When a sample cannot be read, or the span ends beyond the target.
pub fn content(
    handle: &Handle,
    span: Span,
    samples: u64,
    seed: u64,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<ContentFacts, TargetError> {
    let fail = |error: io::Error| TargetError::io(Path::new("the target"), "look at its content", error);
    let stat = rustix::fs::fstat(handle).map_err(|error| fail(error.into()))?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    let is_file = kind == FileType::RegularFile;
    if !handle.may_read() || !(is_file || kind == FileType::BlockDevice) {
        return Ok(ContentFacts::default());
    }
    let unwritten_bytes = if is_file { unwritten(handle.as_fd(), span) } else { None };
    let source = FdSource::new(handle.as_fd(), handle.size_bytes(), handle.alignment_bytes());
    Ok(ContentFacts { unwritten_bytes, ..sampled(&source, span, (samples, seed), goes_on).map_err(fail)? })
}

/// Several are read at a time: one after the other they would take a slow drive seconds, which are the measurement's.
fn sampled(
    source: &(dyn Source + Sync),
    span: Span,
    (samples, seed): (u64, u64),
    goes_on: &(dyn Fn() -> bool + Sync),
) -> io::Result<ContentFacts> {
    // In rounds, so that whoever is stopped has looked everywhere alike.
    let blocks = sample::rounds(span.length_bytes / SAMPLE_BYTES, samples, seed).concat();
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<Vec<Option<u64>>> {
        let mut digests = Vec::new();
        while let Some(block) = blocks.get(next.fetch_add(1, Relaxed)).filter(|_| goes_on()) {
            digests.push(digest(&source.read(span.offset_bytes + block * SAMPLE_BYTES, SAMPLE_BYTES as usize)?));
        }
        Ok(digests)
    };
    let digests: Vec<Option<u64>> = sample::by_several(blocks.len(), &work)?.concat();
    let different: HashSet<u64> = digests.iter().flatten().copied().collect();
    let zero_blocks = digests.iter().filter(|digest| digest.is_none()).count();
    let repeated_blocks = digests.len() - zero_blocks - different.len();
    let [sampled_blocks, zero_blocks, repeated_blocks] = [digests.len(), zero_blocks, repeated_blocks].map(|n| n as u64);
    Ok(ContentFacts { sampled_blocks, zero_blocks, repeated_blocks, ..ContentFacts::default() })
}

/// Tells a block from others; none for one byte throughout.
fn digest(block: &[u8]) -> Option<u64> {
    let is_one_byte = block.windows(2).all(|pair| pair[0] == pair[1]);
    let mut hasher = DefaultHasher::new();
    block.hash(&mut hasher);
    (!is_one_byte).then(|| hasher.finish())
}

/// The span less the extents that hold something; `None` where the filesystem does not tell.
fn unwritten(fd: BorrowedFd<'_>, span: Span) -> Option<u64> {
    let end = span.offset_bytes.saturating_add(span.length_bytes);
    let mut written = 0;
    kernel::each_extent(fd, span.offset_bytes, end, |extent| written += written_within(extent, span.offset_bytes, end)).ok()?;
    Some(span.length_bytes.saturating_sub(written))
}

fn written_within(extent: &Extent, start: u64, end: u64) -> u64 {
    if extent.flags & EXTENT_UNWRITTEN != 0 {
        return 0;
    }
    let (first, last) = (extent.logical.max(start), (extent.logical + extent.length).min(end));
    last.saturating_sub(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use crate::open_to_read;
    use crate::resolve::resolve;
    use crate::scratch;
    use crate::system::System;
    use std::os::unix::fs::FileExt;

    const ALL: Span = Span { offset_bytes: 0, length_bytes: 1 << 20 };

    #[test]
    fn a_fresh_scratch_file_was_never_written() {
        let folder = folder_on_a_drive();
        let (_, handle) = scratch(&System::host(), folder.path(), 1 << 20).unwrap();
        let facts = content(&handle, ALL, 64, 1, &|| true).unwrap();
        assert_eq!((facts.unwritten_bytes, facts.sampled_blocks, facts.zero_blocks), (Some(1 << 20), 64, 64));
    }

    /// Zeros, of which a block is given only while another is asked for.
    #[derive(Default)]
    struct InPairs {
        readers: std::sync::Mutex<u32>,
        second: std::sync::Condvar,
    }

    impl Source for InPairs {
        fn size_bytes(&self) -> u64 {
            1 << 20
        }

        fn read(&self, _: u64, length: usize) -> io::Result<Vec<u8>> {
            let mut readers = self.readers.lock().unwrap();
            *readers += 1;
            self.second.notify_all();
            let patience = std::time::Duration::from_secs(20);
            let (_readers, waited) = self.second.wait_timeout_while(readers, patience, |readers| *readers < 2).unwrap();
            if waited.timed_out() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(vec![0; length]) }
        }
    }

    #[test]
    fn several_samples_are_read_at_a_time() {
        assert_eq!(sampled(&InPairs::default(), ALL, (64, 1), &|| true).unwrap().zero_blocks, 64);
    }

    #[test]
    fn nobody_who_is_stopped_reads_on() {
        let left = AtomicUsize::new(20);
        let goes_on = || left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
        let folder = folder_on_a_drive();
        let (_, handle) = scratch(&System::host(), folder.path(), 1 << 20).unwrap();
        assert_eq!(content(&handle, ALL, 64, 1, &goes_on).unwrap().sampled_blocks, 20);
    }

    #[test]
    fn one_byte_throughout_is_told_from_one_block_over_and_over_and_from_data() {
        let of = |block: &dyn Fn(usize) -> Vec<u8>| {
            let bytes: Vec<u8> = (0..256).flat_map(block).collect();
            let found = sampled(&bytes, ALL, (64, 1), &|| true).unwrap();
            (found.zero_blocks, found.repeated_blocks)
        };
        assert_eq!(of(&|_| vec![0xff; 4096]), (64, 0));
        let text = |n: usize| format!("{n:>8} ").into_bytes().into_iter().cycle().take(4096).collect::<Vec<u8>>();
        assert_eq!(of(&|_| text(1)), (0, 63));
        assert_eq!(of(&text), (0, 0));
    }

    #[test]
    fn holes_are_counted_within_the_span_only() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("half");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        let data: Vec<u8> = (0..512 << 10).map(|n: u32| (n % 251) as u8).collect();
        file.write_all_at(&data, 256 << 10).unwrap();
        file.sync_all().unwrap();
        let handle = open_to_read(&resolve(&System::host(), &path).unwrap()).unwrap();
        let all = content(&handle, ALL, 256, 1, &|| true).unwrap();
        assert_eq!((all.unwritten_bytes, all.sampled_blocks, all.zero_blocks), (Some(512 << 10), 256, 128));
        let part = Span { offset_bytes: 128 << 10, length_bytes: 256 << 10 };
        let part = content(&handle, part, 1000, 1, &|| true).unwrap();
        assert_eq!((part.unwritten_bytes, part.sampled_blocks, part.zero_blocks), (Some(128 << 10), 64, 32));
    }

    #[test]
    fn many_extents_take_several_calls() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("comb");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(600 << 13).unwrap();
        for tooth in 0..600 {
            file.write_all_at(&[1u8; 4096], tooth << 13).unwrap();
        }
        file.sync_all().unwrap();
        let handle = open_to_read(&resolve(&System::host(), &path).unwrap()).unwrap();
        let span = Span { offset_bytes: 0, length_bytes: 600 << 13 };
        assert_eq!(content(&handle, span, 0, 1, &|| true).unwrap().unwritten_bytes, Some(600 << 12));
    }

    #[test]
    fn generators_have_no_content_and_a_span_beyond_the_end_is_an_error() {
        let zero = open_to_read(&resolve(&System::host(), Path::new("/dev/zero")).unwrap()).unwrap();
        assert_eq!(content(&zero, ALL, 64, 1, &|| true).unwrap(), ContentFacts::default());
        let folder = folder_on_a_drive();
        let (_, handle) = scratch(&System::host(), folder.path(), 1 << 20).unwrap();
        let beyond = Span { offset_bytes: 1 << 20, length_bytes: 8192 };
        assert!(content(&handle, beyond, 2, 1, &|| true).is_err());
    }
}
