//! A write-ahead log: small writes in sequence by several workers, each on a CPU of its own.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "wal",
    about: "a write-ahead log: sequential writes of 4 KiB, workers 1 to 8 on CPUs of their own, queue depth 1 to 256 each",
    flags: "--rw write --bs 4KiB --workers 1,2,4,8 --depth 1,2,4,8,16,32,64,128,256 --pin own",
};
