//! Everything in a folder as it was before an attempt, held against what is there afterwards.
//!
//! Content is compared byte by byte, so that a loss has a number. What is new is not looked at.

use anyhow::{Context, Result};
use rustix::fs::SeekFrom;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

const BLOCK_BYTES: usize = 4096;

const READ_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Content, length, inode and time of the last change.
    Everything,
    /// Content and length: of files behind loop devices, to which the kernel may write what they hold already.
    Content,
    /// Content, length and inode, wherever in the folder it lies afterwards: of files that somebody renames meanwhile.
    Somewhere,
}

#[derive(Debug, PartialEq, Eq)]
enum Content {
    Folder,
    Link(PathBuf),
    File(BTreeMap<u64, Vec<u8>>),
    Other,
}

struct Entry {
    content: Content,
    length: u64,
    inode: u64,
    modified_ns: i128,
}

pub struct Snapshot {
    care: Care,
    entries: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Bytes that are others now, or gone; 0 where only the file itself is another one.
    pub bytes: u64,
    pub text: String,
}

impl Snapshot {
    pub fn take(folder: &Path, care: Care) -> Result<Self> {
        let mut entries = BTreeMap::new();
        walk(folder, &mut entries)?;
        Ok(Self { care, entries })
    }

    pub fn keep_only(&mut self, paths: &[PathBuf]) {
        self.entries.retain(|path, _| paths.contains(path));
    }

    pub fn differences(&self, after: &Self) -> Vec<Difference> {
        self.entries.iter().filter_map(|(path, before)| self.difference(path, before, after)).collect()
    }

    fn difference(&self, path: &Path, before: &Entry, after: &Self) -> Option<Difference> {
        let found = match self.care {
            Care::Somewhere if before.content != Content::Folder => after.by_inode(before.inode),
            _ => after.entries.get(path),
        };
        let told = |bytes, what: &str| Some(Difference { bytes, text: format!("{} {what}", path.display()) });
        let Some(now) = found else { return told(before.length.max(1), "is gone") };
        match before.lost_bytes(now) {
            0 if self.care != Care::Content && before.inode != now.inode => told(0, "is another file of the same content"),
            0 if self.care == Care::Everything && before.touched(now) => told(0, "was written to or touched, with the same content"),
            0 => None,
            bytes => told(bytes, &format!("has {bytes} bytes that differ")),
        }
    }

    fn by_inode(&self, inode: u64) -> Option<&Entry> {
        self.entries.values().find(|entry| entry.inode == inode)
    }

    pub fn left_overs(&self) -> Vec<&Path> {
        let is_ours = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".ioproof-"));
        self.entries.keys().filter(is_ours).map(PathBuf::as_path).collect()
    }
}

impl Entry {
    fn of(path: &Path, metadata: &Metadata) -> Result<Self> {
        let kind = metadata.file_type();
        let content = if kind.is_dir() {
            Content::Folder
        } else if kind.is_symlink() {
            Content::Link(std::fs::read_link(path)?)
        } else if kind.is_file() {
            Content::File(blocks(path, metadata.len()).with_context(|| format!("cannot read {}", path.display()))?)
        } else {
            Content::Other
        };
        let modified_ns = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        // A folder's length and time change with every file that is made in it, and a pipe's time with what went through it, which it does not keep.
        let is_kept = !matches!(content, Content::Folder | Content::Other);
        Ok(Self {
            content,
            length: if is_kept { metadata.len() } else { 0 },
            inode: metadata.ino(),
            modified_ns: if is_kept { modified_ns } else { 0 },
        })
    }

    fn touched(&self, now: &Self) -> bool {
        self.modified_ns != now.modified_ns
    }

    fn lost_bytes(&self, now: &Self) -> u64 {
        match (&self.content, &now.content) {
            (Content::File(before), Content::File(after)) => differing(before, after).max(self.length.abs_diff(now.length)),
            (before, after) if before == after => 0,
            _ => self.length.max(1),
        }
    }
}

fn differing(before: &BTreeMap<u64, Vec<u8>>, after: &BTreeMap<u64, Vec<u8>>) -> u64 {
    let zeros = vec![0; BLOCK_BYTES];
    let in_block = |number: &u64| count(before.get(number).unwrap_or(&zeros), after.get(number).unwrap_or(&zeros));
    let only_after = after.keys().filter(|number| !before.contains_key(number));
    before.keys().chain(only_after).map(in_block).sum()
}

/// Bytes that differ, what only one of them has included.
fn count(one: &[u8], other: &[u8]) -> u64 {
    if one == other {
        return 0;
    }
    let common = one.iter().zip(other).filter(|(a, b)| a != b).count();
    (common + one.len().abs_diff(other.len())) as u64
}

fn walk(folder: &Path, entries: &mut BTreeMap<PathBuf, Entry>) -> Result<()> {
    let Ok(names) = std::fs::read_dir(folder) else { return Ok(()) };
    for name in names {
        let path = name?.path();
        // What somebody renames meanwhile may have gone since its name was read.
        let Ok(metadata) = path.symlink_metadata() else { continue };
        entries.insert(path.clone(), Entry::of(&path, &metadata)?);
        if metadata.is_dir() {
            walk(&path, entries)?;
        }
    }
    Ok(())
}

/// Blocks of a file that hold anything; its holes are not read.
fn blocks(path: &Path, length: u64) -> Result<BTreeMap<u64, Vec<u8>>> {
    let file = File::open(path)?;
    let mut found = BTreeMap::new();
    let mut at = 0;
    while let Some(start) = next_data(&file, at).filter(|start| *start < length) {
        let start = start - start % BLOCK_BYTES as u64;
        let end = rustix::fs::seek(&file, SeekFrom::Hole(start)).unwrap_or(length).min(length);
        at = end.max(start + 1).min(length);
        read_blocks(&file, start, at, &mut found)?;
    }
    Ok(found)
}

/// The next byte that is not in a hole. Where a filesystem does not tell, all is data.
fn next_data(file: &File, at: u64) -> Option<u64> {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(start) => Some(start),
        Err(rustix::io::Errno::NXIO) => None,
        Err(_) => Some(at),
    }
}

fn read_blocks(file: &File, start: u64, end: u64, found: &mut BTreeMap<u64, Vec<u8>>) -> Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    let zeros = [0; BLOCK_BYTES];
    let mut at = start;
    while at < end {
        let wanted = usize::try_from(end - at).unwrap_or(READ_BYTES).next_multiple_of(BLOCK_BYTES).min(READ_BYTES);
        let read = read_full(file, &mut buffer[..wanted], at)?;
        let pieces = buffer[..read].chunks(BLOCK_BYTES).enumerate();
        let first = at / BLOCK_BYTES as u64;
        found.extend(pieces.filter(|(_, piece)| **piece != zeros[..piece.len()]).map(|(n, piece)| (first + n as u64, piece.to_vec())));
        at += wanted as u64;
    }
    Ok(())
}

fn read_full(file: &File, buffer: &mut [u8], at: u64) -> Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read_at(&mut buffer[read..], at + read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_cut_replaced_or_removed_is_counted() {
        let folder = std::env::temp_dir().join(format!("xtask-snapshot-{}", std::process::id()));
        let data = folder.join("data");
        let seen = |care: Care, change: &dyn Fn()| {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&data, vec![7; 10_000]).unwrap();
            let before = Snapshot::take(&folder, care).unwrap();
            change();
            before.differences(&Snapshot::take(&folder, care).unwrap()).iter().map(|found| found.bytes).collect::<Vec<_>>()
        };
        let to_write = || File::options().write(true).open(&data).unwrap();
        let put = |byte: u8, at: u64| to_write().write_all_at(&[byte], at).unwrap();
        let replace = || std::fs::copy(&data, folder.join("new")).and_then(|_| std::fs::rename(folder.join("new"), &data)).unwrap();
        assert_eq!(seen(Care::Somewhere, &|| ()), [] as [u64; 0]);
        assert_eq!(seen(Care::Content, &|| put(9, 9_999)), [1]);
        assert_eq!(seen(Care::Content, &|| to_write().set_len(9_000).unwrap()), [1_000]);
        assert_eq!(seen(Care::Somewhere, &|| std::fs::remove_file(&data).unwrap()), [10_000]);
        assert_eq!(seen(Care::Everything, &|| put(7, 3)), [0], "the same byte again changes the time alone");
        assert_eq!([Care::Everything, Care::Somewhere].map(|care| seen(care, &replace)), [[0], [10_000]]);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
