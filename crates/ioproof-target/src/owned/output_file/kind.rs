//! Kinds of what may stand at a name, told by its numbers alone: opening a device to find out can move a tape or wait for a caller.

use rustix::fs::{FileType, OFlags, Stat};

/// The kind of what stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Regular,
    /// It keeps nothing of what is written to it.
    Stream,
    /// In words: `a link`.
    Other(&'static str),
}

/// `/dev/null` (Linux, `Documentation/admin-guide/devices.txt`).
const NULL: (u32, u32) = (1, 3);

/// Majors of virtual consoles and serial lines, of `/dev/tty` and `/dev/console`, and of pseudo terminals (the same document).
const TERMINALS: [std::ops::RangeInclusive<u32>; 2] = [4..=5, 136..=143];

impl Kind {
    pub(super) fn of(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Self::Regular,
            FileType::Fifo => Self::Stream,
            FileType::CharacterDevice if keeps_nothing(stat.st_rdev) => Self::Stream,
            FileType::Directory => Self::Other("a directory"),
            FileType::Symlink => Self::Other("a link"),
            FileType::Socket => Self::Other("a socket"),
            _ => Self::Other("a device"),
        }
    }
}

fn keeps_nothing(rdev: u64) -> bool {
    let number = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
    number == NULL || TERMINALS.iter().any(|majors| majors.contains(&number.0))
}

/// A pipe that is opened for both is open at once, whoever reads it (fifo(7)).
pub(super) fn stream_flags(stat: &Stat) -> OFlags {
    if FileType::from_raw_mode(stat.st_mode) == FileType::Fifo { OFlags::RDWR } else { OFlags::WRONLY }
}
