//! One line of the ledger: `token device inode changed path .`, the path in hexadecimal. Without the dot the line is not whole and counts for nothing.

use rustix::fs::Stat;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file by device and inode.
pub(crate) type Id = (u64, u64);

/// One file in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub token: String,
    pub id: Id,
    /// When its content last changed, as its job left it; `None` while the job goes on. Nanoseconds since 1970.
    pub left_ns: Option<i128>,
    pub path: Vec<u8>,
}

/// When the content of a file last changed. Nanoseconds since 1970.
pub(super) fn changed_ns(stat: &Stat) -> i128 {
    i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec)
}

impl Entry {
    /// The line, with its end.
    pub(super) fn line(&self) -> String {
        let left = self.left_ns.map_or_else(|| "-".to_owned(), |ns| ns.to_string());
        let mut path = String::with_capacity(self.path.len() * 2);
        for byte in &self.path {
            path.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0')));
        }
        format!("{} {} {} {left} {path} .\n", self.token, self.id.0, self.id.1)
    }

    /// `None` for a line that was damaged: a file that cannot be told is not ours.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let mut words = text.split(' ');
        let (token, device, inode) = (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let left_ns = match words.next()? {
            "-" => None,
            ns => Some(ns.parse().ok()?),
        };
        let digits = words.next()?;
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let path = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
        (!token.is_empty() && words.eq(["."])).then(|| Self { token: token.to_owned(), id: (device, inode), left_ns, path })
    }

    pub(super) fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Whether the file is still where it was made. What was moved or replaced is no longer ours, which is the safe side.
    pub(super) fn is_there(&self) -> bool {
        self.path().symlink_metadata().is_ok_and(|meta| (meta.dev(), meta.ino()) == self.id)
    }
}
