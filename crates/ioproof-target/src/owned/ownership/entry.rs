//! One line of the ledger: `token device inode modified/changed/boot path .`, the path in hexadecimal. Without the dot the line is not whole and
//! counts for nothing. Lines of versions that knew less than times and boot prove nothing, as if the job had never ended.

use rustix::fs::Stat;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;

/// A file by device and inode.
pub(crate) type Id = (u64, u64);

/// One file in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub token: String,
    pub id: Id,
    /// The state in which its job left it; `None` while the job goes on.
    pub left: Option<Left>,
    pub path: Vec<u8>,
}

/// By what is seen whether somebody changed a file. Anybody may set the time of its content back; that of the inode is the kernel's alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Left {
    /// When its content changed (mtime). Nanoseconds since 1970.
    pub modified_ns: i128,
    /// When anything of it changed: content, length, names, rights, attributes, the other time (ctime). Nanoseconds since 1970.
    pub changed_ns: i128,
    /// The start of the machine since which it is known. A power cut may take the time of a change with it and leave the changed data, so what was left before
    /// proves nothing.
    pub boot: u128,
}

/// The start of this machine that goes on (random(4)); where it is not told, one that nobody else takes for his.
fn boot() -> u128 {
    static BOOT: OnceLock<u128> = OnceLock::new();
    let read = |name| u128::from_str_radix(&std::fs::read_to_string(name).ok()?.trim().replace('-', ""), 16).ok();
    *BOOT.get_or_init(|| read("/proc/sys/kernel/random/boot_id").or_else(|| read("/proc/sys/kernel/random/uuid")).unwrap_or(0))
}

impl Left {
    /// The state of no file: of one that somebody changed while its run went on, whatever its content looks like.
    pub(super) const NEVER: Self = Self { modified_ns: i128::MIN, changed_ns: i128::MIN, boot: 0 };

    /// As a file is now.
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            boot: boot(),
            modified_ns: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
            changed_ns: i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec),
        }
    }

    fn read(word: &str) -> Option<Self> {
        let mut parts = word.split('/');
        let (modified_ns, changed_ns) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let boot = u128::from_str_radix(parts.next()?, 16).ok()?;
        parts.next().is_none().then_some(Self { modified_ns, changed_ns, boot })
    }
}

impl Entry {
    /// The line, with its end.
    pub(super) fn line(&self) -> String {
        let word = |Left { modified_ns, changed_ns, boot }| format!("{modified_ns}/{changed_ns}/{boot:032x}");
        let left = self.left.map_or_else(|| "-".to_owned(), word);
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
        let left = Left::read(words.next()?);
        let digits = words.next()?;
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let path = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
        (!token.is_empty() && words.eq(["."])).then(|| Self { token: token.to_owned(), id: (device, inode), left, path })
    }

    pub(super) fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// True if the file is still where it was made. A file that was moved or replaced is no longer ours, which is the safe side.
    pub(super) fn is_there(&self) -> bool {
        self.path().symlink_metadata().is_ok_and(|meta| (meta.dev(), meta.ino()) == self.id)
    }
}
