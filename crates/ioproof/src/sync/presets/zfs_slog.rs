//! A separate log of ZFS: writes of 4 to 128 KiB in sequence, each followed by a flush of the drive, at depth 1 (OpenZFS, `zil.c`: a block of the log is
//! written, then the write cache is flushed).

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "zfs-slog",
    about: "a separate log of ZFS: writes of 4 to 128 KiB, a flush after each",
    loads: &["--rw write --bs 4KiB,16KiB,64KiB,128KiB --workers 1 --depth 1 --sync fdatasync"],
    limit: None,
};
