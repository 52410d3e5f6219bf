//! `--sync`: what makes writes durable.

use ioproof_core::workload::Durability;

const KNOWN: &str = "known: none, fdatasync, fsync (after each write), fdatasync:N, fsync:N, range:N (after every N writes of a worker), \
                     fsync-all:N (of every file after N I/Os of all workers), dsync, sync \
                     (each write with O_DSYNC or O_SYNC), fua (each write an NVMe command with FUA, on a whole namespace)";

/// Reads `--sync`.
pub fn read(text: &str) -> Result<Durability, String> {
    let (name, every) = text.split_once(':').map_or((text, None), |(name, every)| (name, Some(every)));
    let every =
        every.map(|n| n.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("`{n}` is no number of writes; {KNOWN}"))).transpose()?;
    match (name, every) {
        ("none", None) => Ok(Durability::None),
        ("fdatasync", None) => Ok(Durability::FdatasyncEach),
        ("fsync", None) => Ok(Durability::FsyncEach),
        ("fdatasync", Some(n)) => Ok(Durability::FdatasyncEvery(n)),
        ("fsync", Some(n)) => Ok(Durability::FsyncEvery(n)),
        ("fsync-all", Some(n)) => Ok(Durability::FsyncAllEvery(n)),
        ("range", Some(n)) => Ok(Durability::SyncFileRangeEvery(n)),
        ("dsync", None) => Ok(Durability::Dsync),
        ("sync", None) => Ok(Durability::Sync),
        ("fua", None) => Ok(Durability::Fua),
        _ => Err(KNOWN.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syncs() {
        assert_eq!(read("none"), Ok(Durability::None));
        assert_eq!((read("fdatasync"), read("fsync")), (Ok(Durability::FdatasyncEach), Ok(Durability::FsyncEach)));
        assert_eq!((read("fdatasync:8"), read("fsync:1")), (Ok(Durability::FdatasyncEvery(8)), Ok(Durability::FsyncEvery(1))));
        assert_eq!(
            (read("range:16"), read("dsync"), read("sync")),
            (Ok(Durability::SyncFileRangeEvery(16)), Ok(Durability::Dsync), Ok(Durability::Sync))
        );
        assert_eq!(read("fsync-all:100"), Ok(Durability::FsyncAllEvery(100)));
        assert_eq!(read("fua"), Ok(Durability::Fua));
        for bad in ["", "fua:2", "range", "fsync-all", "fsync:0", "fsync:x", "dsync:2", "none:1", "flush"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
