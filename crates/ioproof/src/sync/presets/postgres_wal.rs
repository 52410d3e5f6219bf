//! The write-ahead log of PostgreSQL: pages of 8 KiB written over recycled segments, one a commit and two, by each of the methods that `wal_sync_method`
//! chooses from and that pg_test_fsync measures; and several writers, whose commits it puts together.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "postgres-wal",
    about: "the log of PostgreSQL: pages of 8 KiB by every wal_sync_method, as pg_test_fsync has them",
    loads: &[
        "--rw write --bs 8KiB --workers 1 --depth 1 --sync fdatasync,fsync,fdatasync:2,fsync:2 --buffered",
        "--rw write --bs 8KiB --workers 1 --depth 1 --sync dsync,sync",
    ],
    limit: None,
};
