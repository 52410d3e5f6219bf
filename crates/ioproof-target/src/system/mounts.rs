//! Reads the tables of mounts and of swap areas, `/proc/self/mountinfo` and `/proc/swaps` (proc(5)).
//!
//! The write rule rests on them, so a line that cannot be read is an error and never skipped.

use crate::system::System;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One mount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mount {
    pub id: u64,
    /// Device number; major 0 where the filesystem has no device of its own.
    pub major: u32,
    pub minor: u32,
    pub mount_point: String,
    pub options: String,
    pub fs_type: String,
    pub source: String,
    pub super_options: String,
}

/// One swap area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Swap {
    /// The device or file, for people.
    pub path: String,
    /// The same byte by byte.
    pub file: PathBuf,
}

/// An error in reading a table.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: line {line} is not understood", path.display())]
    Line { path: PathBuf, line: usize },
}

/// All mounts that this process sees, in the kernel's order.
pub(crate) fn mounts(system: &System) -> Result<Vec<Mount>, TableError> {
    table(system.proc("self/mountinfo"), 0, parse_mount)
}

/// The mounts that a process sees, which may live in another mount namespace.
pub(crate) fn mounts_of(system: &System, pid: &str) -> Result<Vec<Mount>, TableError> {
    table(system.proc(&format!("{pid}/mountinfo")), 0, parse_mount)
}

/// All swap areas; none where the kernel has no swap.
pub(crate) fn swaps(system: &System) -> Result<Vec<Swap>, TableError> {
    match table(system.proc("swaps"), 1, parse_swap) {
        Err(TableError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}

/// The mount that a path lies on: by the kernel's id, else by the longest mount point above it, the last mounted first.
pub(crate) fn mount_of<'a>(mounts: &'a [Mount], id: Option<u64>, path: &Path) -> Option<&'a Mount> {
    let by_id = mounts.iter().find(|m| Some(m.id) == id);
    by_id.or_else(|| mounts.iter().filter(|m| path.starts_with(&m.mount_point)).max_by_key(|m| m.mount_point.len()))
}

fn table<T>(path: PathBuf, skip: usize, parse: fn(&[u8]) -> Option<T>) -> Result<Vec<T>, TableError> {
    let bytes = std::fs::read(&path).map_err(|source| TableError::Read { path: path.clone(), source })?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().skip(skip).filter(|(_, line)| !line.trim_ascii().is_empty());
    lines.map(|(i, line)| parse(line).ok_or_else(|| TableError::Line { path: path.clone(), line: i + 1 })).collect()
}

fn parse_mount(line: &[u8]) -> Option<Mount> {
    let line = &*String::from_utf8_lossy(line);
    let (left, right) = line.split_once(" - ")?;
    let left: Vec<&str> = left.split(' ').collect();
    let mut right = right.split(' ');
    let (major, minor) = left.get(2)?.split_once(':')?;
    Some(Mount {
        id: left.first()?.parse().ok()?,
        major: major.parse().ok()?,
        minor: minor.parse().ok()?,
        mount_point: unescape(left.get(4)?),
        options: (*left.get(5)?).to_owned(),
        fs_type: unescape(right.next()?),
        source: unescape(right.next()?),
        super_options: right.next().unwrap_or_default().to_owned(),
    })
}

fn parse_swap(line: &[u8]) -> Option<Swap> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let file = PathBuf::from(OsString::from_vec(unescape_bytes(fields.next()?)));
    // Type, size and so on follow; a line of one word is not a swap area.
    fields.next()?;
    Some(Swap { path: file.to_string_lossy().into_owned(), file })
}

/// The kernel writes blanks, tabs, newlines and backslashes in names as three octal digits behind a backslash.
fn unescape(field: &str) -> String {
    String::from_utf8_lossy(&unescape_bytes(field.as_bytes())).into_owned()
}

fn unescape_bytes(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'\\').then(|| octal(after)).flatten();
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    bytes
}

fn octal(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits.get(..3)?).ok()?;
    if text.bytes().all(|b| b.is_ascii_digit()) { u8::from_str_radix(text, 8).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use proptest::prelude::*;

    #[test]
    fn a_mount_with_optional_fields_and_escapes() {
        let line = r"36 35 98:0 /mnt1 /mnt/my\040disk rw,noatime master:1 shared:7 - ext3 /dev/root\134x rw,errors=continue";
        let mount = parse_mount(line.as_bytes()).unwrap();
        assert_eq!((mount.id, mount.major, mount.minor), (36, 98, 0));
        assert_eq!(mount.mount_point, "/mnt/my disk");
        assert_eq!((mount.fs_type.as_str(), mount.source.as_str()), ("ext3", r"/dev/root\x"));
        assert_eq!((mount.options.as_str(), mount.super_options.as_str()), ("rw,noatime", "rw,errors=continue"));
    }

    #[test]
    fn a_bad_line_is_named() {
        let tree = Tree::new();
        tree.write("proc/self/mountinfo", "36 35 98:0 / / rw - ext3 /dev/root rw\nnonsense\n");
        let error = mounts(&tree.system()).unwrap_err().to_string();
        assert!(error.ends_with("line 2 is not understood"), "{error}");
    }

    #[test]
    fn swaps_are_read_and_none_is_none() {
        let tree = Tree::new();
        assert_eq!(swaps(&tree.system()).unwrap(), []);
        tree.write("proc/swaps", "Filename\t\tType\t\tSize\n/var/my\\040swap file 1 0 -2\n/dev/sda2 partition 1 0 -3\n");
        let paths: Vec<String> = swaps(&tree.system()).unwrap().into_iter().map(|s| s.path).collect();
        assert_eq!(paths, ["/var/my swap", "/dev/sda2"]);
        tree.write_bytes("proc/swaps", b"Filename\n/var/s\xffp\\040(deleted) file 1 0 -2\n");
        assert_eq!(swaps(&tree.system()).unwrap()[0].file.as_os_str().as_encoded_bytes(), b"/var/s\xffp (deleted)");
    }

    #[test]
    fn the_mount_of_a_path() {
        let line = |id, point: &str| parse_mount(&format!("{id} 1 8:1 / {point} rw - ext4 /dev/sda1 rw").into_bytes()).unwrap();
        let mounts = [line(1, "/"), line(2, "/mnt"), line(3, "/mnt")];
        assert_eq!(mount_of(&mounts, Some(2), Path::new("/x")).unwrap().id, 2);
        assert_eq!(mount_of(&mounts, None, Path::new("/mnt/x")).unwrap().id, 3);
        assert_eq!(mount_of(&mounts, None, Path::new("/mntx")).unwrap().id, 1);
    }

    proptest! {
        #[test]
        fn reading_never_panics(line in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = parse_mount(&line);
            let _ = parse_swap(&line);
        }
    }
}
