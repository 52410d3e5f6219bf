//! Losses of a filesystem or a database, which `layers` has to name, and the same ones without them, of which it has to name none.
//!
//! Figures are few and rounds short: what is told is told by settings, by counts and by what lies on the drive, not by how fast anything is.

use super::controls::OF_A_DISK;
use crate::causes::cause::*;

const fn mounted(filesystem: &'static str, options: &'static str) -> Place {
    Place::Folder(Ground::Mounted(filesystem, options))
}

/// ext4 as it is unless somebody asks for something else.
const EXT4: Place = mounted("ext4", "defaults");
const JOURNAL: Word = Rule("data-journal");
const COMPRESSED: Word = Rule("database-compressed");
const UNSYNCED: Word = Rule("commits-unsynced");
const CHECKPOINTS: Word = Rule("frequent-checkpoints");
const IMAGES: Word = Rule("full-page-writes");
const CACHED: Word = Rule("page-cache");

/// Where none of them is. Of a short run of PostgreSQL behind a checkpoint most of the log are images of pages, and that is true.
const NONE: Answer =
    Answer { healthy: Some(OF_A_DISK), ..answer(&[], &[JOURNAL, COMPRESSED, UNSYNCED, CHECKPOINTS, CACHED, Rule("cached-layer")], &[]) };

pub const CAUSES: &[Cause] = &[
    cause("layers-data-journal", "ext4 with data=journal on a loop device, writes of 64 KiB")
        .at(mounted("ext4", "data=journal"))
        .call("layers --dir TARGET --db none --page 64KiB --size 16MiB --runs 1 --time 8s")
        .answer(&[&[JOURNAL], &[Text("a cache answered")]], &[UNSYNCED, COMPRESSED], &[3]),
    cause("layers-cached-reads", "ext4 on a loop device that goes through the page cache")
        .at(Place::Folder(Ground::Cached))
        .call("layers --dir TARGET --db none --size 16MiB --runs 6 --time 9s")
        .answer(&[&[CACHED, Rule("cached-layer")], &[Text("a cache answered")]], &[JOURNAL], &[3]),
    cause("layers-compressed", "SQLite on btrfs with compress=zstd")
        .at(mounted("btrfs", "compress=zstd"))
        .call("layers --dir TARGET --db sqlite --size 32MiB --runs 1 --time 4s")
        .answer(&[&[COMPRESSED]], &[UNSYNCED, JOURNAL], &[]),
    cause("layers-compressed-postgres", "PostgreSQL on btrfs with compress-force=lzo")
        .at(mounted("btrfs", "compress-force=lzo"))
        .call("layers --dir TARGET --db postgres --db-user postgres --size 32MiB --runs 1 --time 4s")
        .answer(&[&[COMPRESSED]], &[UNSYNCED, JOURNAL], &[]),
    cause("layers-sqlite-off", "SQLite with synchronous OFF on ext4")
        .at(EXT4)
        .call("layers --dir TARGET --db sqlite:off --size 16MiB --runs 1 --time 3s")
        .answer(&[&[UNSYNCED], &[Text("do not wait for the drive")]], &[JOURNAL, COMPRESSED], &[]),
    cause("layers-fsync-off", "PostgreSQL with fsync=off on XFS")
        .at(mounted("xfs", "defaults"))
        .call("layers --dir TARGET --db postgres --db-user postgres --db-set fsync=off --size 32MiB --runs 1 --time 4s")
        .answer(&[&[UNSYNCED], &[Text("do not wait for the drive")]], &[JOURNAL, COMPRESSED, CHECKPOINTS], &[]),
    cause("layers-checkpoints", "PostgreSQL with max_wal_size=32MB on ext4; fsync=off has its log grow fast")
        .at(EXT4)
        .call("layers --dir TARGET --db postgres --db-user postgres --db-set max_wal_size=32MB --db-set fsync=off --clients 4 --mix simple-update --size 64MiB --runs 2 --time 36s")
        .answer(&[&[CHECKPOINTS]], &[JOURNAL, COMPRESSED], &[]),
    cause("layers-page-images", "PostgreSQL on ext4 right behind a checkpoint")
        .at(EXT4)
        .call("layers --dir TARGET --db postgres --db-user postgres --clients 4 --mix simple-update --size 128MiB --runs 2 --time 18s")
        .answer(&[&[IMAGES]], &[JOURNAL, COMPRESSED, UNSYNCED, CHECKPOINTS], &[]),
    cause("control-layers-ext4", "SQLite with synchronous FULL, its log and its rollback journal, on ext4")
        .at(EXT4)
        .call("layers --dir TARGET --db sqlite,sqlite:rollback --size 16MiB --runs 1 --time 4s")
        .like(NONE),
    cause("control-layers-btrfs", "SQLite on btrfs without compression")
        .at(mounted("btrfs", "defaults"))
        .call("layers --dir TARGET --db sqlite --size 32MiB --runs 1 --time 4s")
        .like(NONE),
    cause("control-layers-postgres", "PostgreSQL on XFS with the settings that ioproof chooses")
        .at(mounted("xfs", "defaults"))
        .call("layers --dir TARGET --db postgres --db-user postgres --size 32MiB --runs 2 --time 12s")
        .like(NONE),
    cause("control-layers-images", "PostgreSQL with full_page_writes=off on ext4")
        .at(EXT4)
        .call("layers --dir TARGET --db postgres --db-user postgres --db-set full_page_writes=off --clients 4 --mix simple-update --size 128MiB --runs 2 --time 18s")
        .answer(&[], &[IMAGES, JOURNAL, COMPRESSED, UNSYNCED, CHECKPOINTS, CACHED], &[])
        .healthy(OF_A_DISK),
    cause("control-layers-room", "PostgreSQL with fsync=off and max_wal_size=1GB on ext4: as much log as of layers-checkpoints, and room for it")
        .at(EXT4)
        .call("layers --dir TARGET --db postgres --db-user postgres --db-set max_wal_size=1GB --db-set fsync=off --clients 4 --mix simple-update --size 64MiB --runs 2 --time 36s")
        .answer(&[&[UNSYNCED]], &[CHECKPOINTS, JOURNAL, COMPRESSED], &[]),
];
