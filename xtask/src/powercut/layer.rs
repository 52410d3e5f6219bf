//! Layers that a writer can stand on above a served drive, one row each: on this kernel, or in a virtual machine that loses its power with the drive.

const SMALL_BYTES: usize = 64 << 20;
/// mkfs.xfs makes no filesystem of less than 300 MiB.
const XFS_BYTES: usize = 320 << 20;
/// ZFS takes no device below 64 MiB, and keeps copies of what it overwrites.
const ZFS_BYTES: usize = 192 << 20;

/// A filesystem's kind, the words of its mkfs, and mount options. Nothing is trimmed, and nothing is left to be done later.
pub type Filesystem = (&'static str, &'static [&'static str], &'static str);

#[derive(Clone, Copy)]
pub struct Layer {
    pub name: &'static str,
    /// Serial number of the drive (`rig/README.md`) where it stands in the machine.
    pub serial: Option<&'static str>,
    pub drive_bytes: usize,
    pub filesystem: Option<Filesystem>,
    /// A kernel that may be told that the drive has no cache; not so of the served file itself, where FUA is seen.
    pub has_device: bool,
    /// Its own setting keeps flushes or FUA from the drive: even an honest one loses.
    pub keeps_flushes: bool,
}

const EXT4: &[&str] = &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"];
const XFS: &[&str] = &["-q", "-f", "-K"];

/// By the machine FUA becomes a flush behind the write.
const FLUSHES_FUA: &str = "FAULTY-S";
/// By the machine FUA is dropped.
const DROPS_FUA: &str = "FAULTY-N";
const RAW: Layer = Layer { name: "raw", serial: None, drive_bytes: SMALL_BYTES, filesystem: None, has_device: true, keeps_flushes: false };

const fn ext4(name: &'static str, options: &'static str) -> Layer {
    Layer { name, filesystem: Some(("ext4", EXT4, options)), ..RAW }
}

const fn xfs(name: &'static str) -> Layer {
    Layer { name, drive_bytes: XFS_BYTES, filesystem: Some(("xfs", XFS, "defaults")), ..RAW }
}

const fn zfs(name: &'static str, options: &'static str) -> Layer {
    Layer { name, drive_bytes: ZFS_BYTES, filesystem: Some(("zfs", &[], options)), ..RAW }
}

pub const LAYERS: &[Layer] = &[
    Layer { name: "file", has_device: false, ..RAW },
    RAW,
    ext4("ext4", "data=ordered"),
    ext4("ext4-writeback", "data=writeback"),
    xfs("xfs"),
    ext4("ext4-nobarrier", "nobarrier").keeping_flushes(),
    Layer { name: "vm-raw", ..RAW }.in_machine(FLUSHES_FUA),
    ext4("vm-ext4", "data=ordered").in_machine(FLUSHES_FUA),
    ext4("vm-ext4-writeback", "data=writeback").in_machine(FLUSHES_FUA),
    xfs("vm-xfs").in_machine(FLUSHES_FUA),
    zfs("vm-zfs", "sync=standard").in_machine(FLUSHES_FUA),
    ext4("vm-ext4-nobarrier", "nobarrier").in_machine(FLUSHES_FUA).keeping_flushes(),
    zfs("vm-zfs-nosync", "sync=disabled").in_machine(FLUSHES_FUA).keeping_flushes(),
    ext4("vm-ext4-nvme", "data=ordered").in_machine(DROPS_FUA).keeping_flushes(),
];

impl Layer {
    const fn in_machine(mut self, serial: &'static str) -> Self {
        self.serial = Some(serial);
        self
    }

    const fn keeping_flushes(mut self) -> Self {
        self.keeps_flushes = true;
        self
    }
}
