//! The write-ahead log of etcd: small entries appended through the page cache to a file whose space is reserved, each with fdatasync before it is answered
//! (etcd, `server/storage/wal`). The size is that of the job with which its community measures disks.

use super::{Limit, Preset};
use ioproof_core::claim::Statistic;

pub const PRESET: Preset = Preset {
    name: "etcd",
    about: "the log of etcd: entries of 2300 bytes, each with fdatasync, p99 at most 10 ms",
    loads: &["--rw write --bs 2300 --workers 1 --depth 1 --sync fdatasync --write-to append-reserved --buffered"],
    limit: Some(Limit {
        statistic: Statistic::P99,
        most_ns: 10_000_000,
        source: "etcd.io, FAQ: the 99th percentile of wal_fsync_duration_seconds should be less than 10 ms",
    }),
};
