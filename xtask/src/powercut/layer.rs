//! Layers that a writer can stand on above a served drive, one row each: on this kernel, or in a virtual machine that loses its power with the drive.

const SMALL_BYTES: usize = 64 << 20;
/// mkfs.xfs makes no filesystem of less than 300 MiB.
const XFS_BYTES: usize = 320 << 20;
/// ZFS takes no device below 64 MiB, and keeps copies of what it overwrites.
const ZFS_BYTES: usize = 192 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// The served file itself, where FUA is seen.
    File,
    Device,
    Filesystem(Filesystem),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    Host,
    /// The guest's, in which the drive has this serial number (`rig/README.md`).
    Machine(&'static str),
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
    pub site: Site,
    pub drive_bytes: usize,
    pub ground: Ground,
    /// Its own setting keeps flushes or FUA from the drive: even an honest one loses.
    pub keeps_flushes: bool,
}

const EXT4: &[&str] = &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"];
const XFS: &[&str] = &["-q", "-f", "-K"];

/// By the machine FUA becomes a flush behind the write.
const FLUSHES_FUA: &str = "FAULTY-S";
/// By the machine FUA is dropped.
const DROPS_FUA: &str = "FAULTY-N";

const fn layer(name: &'static str, ground: Ground) -> Layer {
    Layer { name, site: Site::Host, drive_bytes: SMALL_BYTES, ground, keeps_flushes: false }
}

const fn filesystem(name: &'static str, kind: &'static str, mkfs: &'static [&'static str], options: &'static str) -> Layer {
    layer(name, Ground::Filesystem(Filesystem { kind, mkfs, options }))
}

pub const LAYERS: &[Layer] = &[
    layer("file", Ground::File),
    layer("raw", Ground::Device),
    filesystem("ext4", "ext4", EXT4, "data=ordered"),
    filesystem("ext4-writeback", "ext4", EXT4, "data=writeback"),
    filesystem("xfs", "xfs", XFS, "defaults").sized(XFS_BYTES),
    filesystem("ext4-nobarrier", "ext4", EXT4, "nobarrier").keeping_flushes(),
    layer("vm-raw", Ground::Device).in_machine(FLUSHES_FUA),
    filesystem("vm-ext4", "ext4", EXT4, "data=ordered").in_machine(FLUSHES_FUA),
    filesystem("vm-ext4-writeback", "ext4", EXT4, "data=writeback").in_machine(FLUSHES_FUA),
    filesystem("vm-xfs", "xfs", XFS, "defaults").sized(XFS_BYTES).in_machine(FLUSHES_FUA),
    filesystem("vm-zfs", "zfs", &[], "sync=standard").sized(ZFS_BYTES).in_machine(FLUSHES_FUA),
    filesystem("vm-ext4-nobarrier", "ext4", EXT4, "nobarrier").in_machine(FLUSHES_FUA).keeping_flushes(),
    filesystem("vm-zfs-nosync", "zfs", &[], "sync=disabled").sized(ZFS_BYTES).in_machine(FLUSHES_FUA).keeping_flushes(),
    filesystem("vm-ext4-nvme", "ext4", EXT4, "data=ordered").in_machine(DROPS_FUA).keeping_flushes(),
];

impl Layer {
    const fn sized(mut self, drive_bytes: usize) -> Self {
        self.drive_bytes = drive_bytes;
        self
    }

    const fn in_machine(mut self, serial: &'static str) -> Self {
        self.site = Site::Machine(serial);
        self
    }

    const fn keeping_flushes(mut self) -> Self {
        self.keeps_flushes = true;
        self
    }

    pub fn is_in_machine(&self) -> bool {
        self.site != Site::Host
    }

    pub fn filesystem(&self) -> Option<&Filesystem> {
        if let Ground::Filesystem(filesystem) = &self.ground { Some(filesystem) } else { None }
    }

    /// A kernel that may be told that the drive has no cache.
    pub fn has_device(&self) -> bool {
        self.ground != Ground::File
    }
}
