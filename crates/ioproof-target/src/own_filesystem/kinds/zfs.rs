//! The row of ZFS: `zpool create OPTIONS NAME LAYOUT DRIVES`, of which the kernel makes a pool and a filesystem in it, with properties of both (zpoolprops(7), zfsprops(7)).

use super::{ANY, FilesystemKind, Layout, Room, Values};

/// A mirror is of all drives; without a word zpool stripes.
static LAYOUTS: [Layout; 5] = [
    Layout { names: &["single"], drives: (1, 1), words: &[], room: Room::Sum },
    Layout { names: &["stripe"], drives: (2, ANY), words: &[], room: Room::Striped },
    Layout { names: &["mirror"], drives: (2, ANY), words: &["mirror"], room: Room::Smallest },
    Layout { names: &["raidz", "raidz1"], drives: (3, ANY), words: &["raidz1"], room: Room::Parity(1) },
    Layout { names: &["raidz2"], drives: (4, ANY), words: &["raidz2"], room: Room::Parity(2) },
];

/// The row. No file names the pool, so that no start of the machine imports it; and its own cache keeps no data, which reads are to come from the drives for. Properties
/// that place it elsewhere, share it, name a file or ask for a key are not taken.
pub(super) const ROW: FilesystemKind = FilesystemKind {
    name: "zfs",
    program: "zpool",
    package: "zfsutils-linux, of contrib",
    always: &["create", "-o", "cachefile=none", "-O", "mountpoint=legacy"],
    usual: &[("-O", "primarycache=metadata")],
    is_pool: true,
    mounted: &[],
    least_bytes: 64 << 20,
    own_bytes: 192 << 20,
    makes: &[
        ("-o", Values::Each(&["ashift", "autotrim"])),
        (
            "-O",
            Values::Each(&[
                "atime",
                "checksum",
                "compression",
                "copies",
                "dedup",
                "dnodesize",
                "logbias",
                "primarycache",
                "recordsize",
                "redundant_metadata",
                "relatime",
                "sync",
                "xattr",
            ]),
        ),
    ],
    mounts: &[],
    layouts: &LAYOUTS,
};
