//! Layers that a writer can stand on above a served drive, one row each.

/// Bytes of a drive for what takes any size.
const SMALL_BYTES: usize = 64 << 20;
/// mkfs.xfs makes no filesystem of less than 300 MiB.
const XFS_BYTES: usize = 320 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// The served file itself, where FUA is seen.
    File,
    /// A loop device on it.
    Device,
    /// A filesystem on that.
    Filesystem(Filesystem),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filesystem {
    pub kind: &'static str,
    /// Words of its mkfs. Nothing is trimmed, and nothing is left to be done later.
    pub mkfs: &'static [&'static str],
    pub options: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    pub name: &'static str,
    pub drive_bytes: usize,
    pub ground: Ground,
    /// Its own setting keeps flushes from the drive: even an honest one loses.
    pub keeps_flushes: bool,
}

const EXT4: &[&str] = &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"];
const XFS: &[&str] = &["-q", "-f", "-K"];

const fn filesystem(name: &'static str, kind: &'static str, mkfs: &'static [&'static str], options: &'static str) -> Layer {
    let ground = Ground::Filesystem(Filesystem { kind, mkfs, options });
    Layer { name, drive_bytes: SMALL_BYTES, ground, keeps_flushes: false }
}

pub const LAYERS: &[Layer] = &[
    Layer { name: "file", drive_bytes: SMALL_BYTES, ground: Ground::File, keeps_flushes: false },
    Layer { name: "raw", drive_bytes: SMALL_BYTES, ground: Ground::Device, keeps_flushes: false },
    filesystem("ext4", "ext4", EXT4, "data=ordered"),
    filesystem("ext4-writeback", "ext4", EXT4, "data=writeback"),
    Layer { drive_bytes: XFS_BYTES, ..filesystem("xfs", "xfs", XFS, "defaults") },
    Layer { keeps_flushes: true, ..filesystem("ext4-nobarrier", "ext4", EXT4, "nobarrier") },
];

impl Layer {
    pub fn filesystem(&self) -> Option<&Filesystem> {
        if let Ground::Filesystem(filesystem) = &self.ground { Some(filesystem) } else { None }
    }

    /// A kernel that may be told that the drive has no cache.
    pub fn has_device(&self) -> bool {
        self.ground != Ground::File
    }
}
