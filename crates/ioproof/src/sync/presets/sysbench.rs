//! `sysbench fileio --file-test-mode=rndrw` as it comes: 128 files, blocks of 16 KiB through the page cache, three reads to two writes, 16 threads. By default it
//! syncs every file after 100 requests; 1 makes that 128 syncs after each write, `--file-fsync-all` one.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "sysbench",
    about: "sysbench fileio rndrw: 128 files, 16 KiB, 16 threads, with --file-fsync-freq=0, 1 and 100, and --file-fsync-all",
    loads: &[
        "--rw randrw:60 --bs 16KiB --workers 16 --depth 1 --sync none,fsync-all:1,fsync-all:100,fsync --files 128 --buffered --distribution free",
    ],
    limit: None,
};
