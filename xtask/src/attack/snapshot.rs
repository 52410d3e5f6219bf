//! Everything in a folder as it was before an attempt, held against what is there afterwards.
//!
//! Content is compared byte by byte, so that a loss has a number. What is new is not looked at.

use anyhow::{Context, Result};
use rustix::fs::SeekFrom;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

const BLOCK_BYTES: u64 = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Content, length, inode and time of the last change.
    Everything,
    /// Content and length: of files behind loop devices, to which the kernel may write what they hold already.
    Content,
    /// Content, length and inode, wherever in the folder it lies afterwards: of files that somebody renames meanwhile.
    Somewhere,
}

type Blocks = BTreeMap<u64, Vec<u8>>;

#[derive(PartialEq, Eq)]
enum Content {
    Folder,
    Link(PathBuf),
    File(Blocks),
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
            Care::Somewhere if before.content != Content::Folder => after.entries.values().find(|entry| entry.inode == before.inode),
            _ => after.entries.get(path),
        };
        let told = |bytes, what: &str| Some(Difference { bytes, text: format!("{} {what}", path.display()) });
        let Some(now) = found else { return told(before.length.max(1), "is gone") };
        match before.lost_bytes(now) {
            0 if self.care != Care::Content && before.inode != now.inode => told(0, "is another file of the same content"),
            0 if self.care == Care::Everything && before.modified_ns != now.modified_ns => {
                told(0, "was written to or touched, with the same content")
            }
            0 => None,
            bytes => told(bytes, &format!("has {bytes} bytes that differ")),
        }
    }

    pub fn left_overs(&self) -> Vec<&Path> {
        let is_ours = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".ioproof-"));
        self.entries.keys().filter(is_ours).map(PathBuf::as_path).collect()
    }
}

impl Entry {
    fn of(path: &Path, metadata: &Metadata) -> Result<Self> {
        let content = match metadata.file_type() {
            kind if kind.is_dir() => Content::Folder,
            kind if kind.is_symlink() => Content::Link(std::fs::read_link(path)?),
            kind if kind.is_file() => {
                Content::File(blocks(path, metadata.len()).with_context(|| format!("cannot read {}", path.display()))?)
            }
            _ => Content::Other,
        };
        let modified_ns = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        // A folder's length and time change with every file that is made in it, and a pipe's time with what went through it, which it does not keep.
        let is_kept = !matches!(content, Content::Folder | Content::Other);
        let (length, modified_ns) = if is_kept { (metadata.len(), modified_ns) } else { (0, 0) };
        Ok(Self { content, length, inode: metadata.ino(), modified_ns })
    }

    fn lost_bytes(&self, now: &Self) -> u64 {
        match (&self.content, &now.content) {
            (Content::File(before), Content::File(after)) => differing(before, after).max(self.length.abs_diff(now.length)),
            (before, after) if before == after => 0,
            _ => self.length.max(1),
        }
    }
}

/// Bytes that differ, what only one of them has included.
fn differing(before: &Blocks, after: &Blocks) -> u64 {
    let zeros = vec![0; BLOCK_BYTES as usize];
    let count = |number: &u64| {
        let (one, other) = (before.get(number).unwrap_or(&zeros), after.get(number).unwrap_or(&zeros));
        one.iter().zip(other).filter(|(a, b)| a != b).count() + one.len().abs_diff(other.len())
    };
    let only_after = after.keys().filter(|number| !before.contains_key(number));
    before.keys().chain(only_after).filter(|number| before.get(number) != after.get(number)).map(|number| count(number) as u64).sum()
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

/// Blocks of a file that hold anything; its holes are not read. Where a filesystem does not tell them, all is data.
fn blocks(path: &Path, length: u64) -> Result<Blocks> {
    let (file, mut found, mut at) = (File::open(path)?, Blocks::new(), 0);
    let mut block = vec![0; BLOCK_BYTES as usize];
    while at < length {
        at = match rustix::fs::seek(&file, SeekFrom::Data(at)) {
            Ok(start) => start - start % BLOCK_BYTES,
            Err(rustix::io::Errno::NXIO) => break,
            Err(_) => at,
        };
        let end = rustix::fs::seek(&file, SeekFrom::Hole(at)).unwrap_or(length).clamp(at + 1, length.max(at + 1));
        while at < end {
            let read = file.read_at(&mut block, at)?;
            if block[..read].iter().any(|byte| *byte != 0) {
                found.insert(at / BLOCK_BYTES, block[..read].to_vec());
            }
            at += BLOCK_BYTES;
        }
    }
    Ok(found)
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
