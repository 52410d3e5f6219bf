//! Every way of making a write durable, then block sizes, writers and growing files by the way that databases use most.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "ways",
    about: "every way of making writes durable; then block sizes, several writers, growing files and several files with fdatasync",
    loads: &[
        "--rw write --bs 4KiB --workers 1 --depth 1 --sync fdatasync,fsync,dsync,sync,fdatasync:8,range:8,none",
        "--rw write --bs 512,16KiB,64KiB --workers 1 --depth 1 --sync fdatasync",
        "--rw write --bs 4KiB --workers 4,16 --depth 1 --sync fdatasync",
        "--rw write --bs 4KiB --workers 1 --depth 1 --sync fdatasync --write-to append,append-reserved,reserved",
        "--rw randwrite --bs 4KiB --workers 1 --depth 1 --sync fsync,fsync-all:1 --files 8",
    ],
    limit: None,
};
