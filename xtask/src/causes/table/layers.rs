//! Losses of a filesystem or a database, which `layers` has to name, and the same ones without them, of which it has to name none.
//!
//! Figures are few and rounds short: what is told is told by settings, by counts and by what lies on the drive, not by how fast anything is.

use super::controls::OF_A_DISK;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Ground, Place, Word};

const fn mounted(filesystem: &'static str, options: &'static str) -> Place {
    Place::Folder(Ground::Mounted { filesystem, options })
}

/// ext4 as it is unless somebody asks for something else.
const EXT4: Place = mounted("ext4", "defaults");

const JOURNAL: Word = Word::Rule("data-journal");
const COMPRESSED: Word = Word::Rule("database-compressed");
const UNSYNCED: Word = Word::Rule("commits-unsynced");
const CHECKPOINTS: Word = Word::Rule("frequent-checkpoints");
const IMAGES: Word = Word::Rule("full-page-writes");
const CACHED: Word = Word::Rule("page-cache");

/// Where none of them is. Of a short run of PostgreSQL behind a checkpoint most of the log are images of pages, and that is true.
const NONE: Answer =
    Answer { wrong: &[JOURNAL, COMPRESSED, UNSYNCED, CHECKPOINTS, CACHED, Word::Rule("cached-layer")], healthy: Some(OF_A_DISK), ..ANSWER };

pub const CAUSES: [Cause; 13] = [
    Cause {
        name: "layers-data-journal",
        made: "ext4 with data=journal on a loop device, writes of 64 KiB",
        place: mounted("ext4", "data=journal"),
        call: "layers --dir TARGET --db none --page 64KiB --size 16MiB --runs 1 --time 4s",
        answer: Answer { right: &[&[JOURNAL], &[Word::Text("a cache answered")]], wrong: &[UNSYNCED, COMPRESSED], exits: &[3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "layers-cached-reads",
        made: "ext4 on a loop device that goes through the page cache",
        place: Place::Folder(Ground::Cached),
        call: "layers --dir TARGET --db none --size 16MiB --runs 6 --time 9s",
        answer: Answer {
            right: &[&[CACHED, Word::Rule("cached-layer")], &[Word::Text("a cache answered")]],
            wrong: &[JOURNAL],
            exits: &[3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "layers-compressed",
        made: "SQLite on btrfs with compress=zstd",
        place: mounted("btrfs", "compress=zstd"),
        call: "layers --dir TARGET --db sqlite --size 32MiB --runs 1 --time 4s",
        answer: Answer { right: &[&[COMPRESSED]], wrong: &[UNSYNCED, JOURNAL], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "layers-compressed-postgres",
        made: "PostgreSQL on btrfs with compress-force=lzo",
        place: mounted("btrfs", "compress-force=lzo"),
        call: "layers --dir TARGET --db postgres --db-user postgres --size 32MiB --runs 1 --time 4s",
        answer: Answer { right: &[&[COMPRESSED]], wrong: &[UNSYNCED, JOURNAL], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "layers-sqlite-off",
        made: "SQLite with synchronous OFF on ext4",
        place: EXT4,
        call: "layers --dir TARGET --db sqlite:off --size 16MiB --runs 1 --time 3s",
        answer: Answer { right: &[&[UNSYNCED], &[Word::Text("do not wait for the drive")]], wrong: &[JOURNAL, COMPRESSED], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "layers-fsync-off",
        made: "PostgreSQL with fsync=off on XFS",
        place: mounted("xfs", "defaults"),
        call: "layers --dir TARGET --db postgres --db-user postgres --db-set fsync=off --size 32MiB --runs 1 --time 4s",
        answer: Answer {
            right: &[&[UNSYNCED], &[Word::Text("do not wait for the drive")]],
            wrong: &[JOURNAL, COMPRESSED, CHECKPOINTS],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "layers-checkpoints",
        made: "PostgreSQL with max_wal_size=32MB on ext4; fsync=off has its log grow fast",
        place: EXT4,
        call: "layers --dir TARGET --db postgres --db-user postgres --db-set max_wal_size=32MB --db-set fsync=off --clients 4 --mix simple-update --size 64MiB --runs 2 --time 36s",
        answer: Answer { right: &[&[CHECKPOINTS]], wrong: &[JOURNAL, COMPRESSED], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "layers-page-images",
        made: "PostgreSQL on ext4 right behind a checkpoint",
        place: EXT4,
        call: "layers --dir TARGET --db postgres --db-user postgres --clients 4 --mix simple-update --size 128MiB --runs 2 --time 18s",
        answer: Answer { right: &[&[IMAGES]], wrong: &[JOURNAL, COMPRESSED, UNSYNCED, CHECKPOINTS], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "control-layers-ext4",
        made: "SQLite with synchronous FULL, its log and its rollback journal, on ext4",
        place: EXT4,
        call: "layers --dir TARGET --db sqlite,sqlite:rollback --size 16MiB --runs 1 --time 4s",
        answer: NONE,
        ..CAUSE
    },
    Cause {
        name: "control-layers-btrfs",
        made: "SQLite on btrfs without compression",
        place: mounted("btrfs", "defaults"),
        call: "layers --dir TARGET --db sqlite --size 32MiB --runs 1 --time 4s",
        answer: NONE,
        ..CAUSE
    },
    Cause {
        name: "control-layers-postgres",
        made: "PostgreSQL on XFS with the settings that ioproof chooses",
        place: mounted("xfs", "defaults"),
        call: "layers --dir TARGET --db postgres --db-user postgres --size 32MiB --runs 2 --time 12s",
        answer: NONE,
        ..CAUSE
    },
    Cause {
        name: "control-layers-images",
        made: "PostgreSQL with full_page_writes=off on ext4",
        place: EXT4,
        call: "layers --dir TARGET --db postgres --db-user postgres --db-set full_page_writes=off --clients 4 --mix simple-update --size 128MiB --runs 2 --time 18s",
        answer: Answer { wrong: &[IMAGES, JOURNAL, COMPRESSED, UNSYNCED, CHECKPOINTS, CACHED], ..NONE },
        ..CAUSE
    },
    Cause {
        name: "control-layers-room",
        made: "PostgreSQL with fsync=off and max_wal_size=1GB on ext4: as much log as of layers-checkpoints, and room for it",
        place: EXT4,
        call: "layers --dir TARGET --db postgres --db-user postgres --db-set max_wal_size=1GB --db-set fsync=off --clients 4 --mix simple-update --size 64MiB --runs 2 --time 36s",
        answer: Answer { right: &[&[UNSYNCED]], wrong: &[CHECKPOINTS, JOURNAL, COMPRESSED], ..ANSWER },
        ..CAUSE
    },
];
