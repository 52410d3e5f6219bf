//! A filesystem that compresses a database. It tells which of its extents are encoded, or as ZFS that files take less room than they have data, which is asked once the
//! database is made. Where it does not tell, fewer bytes reach the drive than the database hands down, if its own writes do not hide that.
//!
//! By bytes only SQLite whose commits last is looked at: it has synced all that it wrote when a round ends, so that nothing but compression leaves less. PostgreSQL writes a
//! page into the page cache several times before it is synced, and what of that never reaches the drive is no compression.

use crate::findings::bytes::compressing::option;
use crate::findings::prelude::*;
use crate::layers::{DatabaseTurns, Unsynced};

rule! {
    name: "database-compressed",
    about: "a filesystem that compresses its database moves fewer bytes than the database hands down",
    check: Check::EachDatabase(of_database),
}

/// Share of a database that is kept compressed, from which on it matters.
const LEAST_SHARE: f64 = 0.1;
/// Bytes at the drive for a byte, below which there are clearly fewer.
const MOST: f64 = 0.9;
/// Commits below which it tells nothing.
const COMMITS_MIN: u64 = 100;

fn of_database(context: &Context, turns: &DatabaseTurns) -> Option<Finding> {
    let database = turns.database;
    let filesystem = context.record.targets.get(database.target as usize)?.facts.filesystem.as_ref()?;
    if let Some(share) = database.compressed_share {
        return (share >= LEAST_SHARE).then(|| by_extents(turns, filesystem, share));
    }
    let (option, figure) = (option(filesystem)?, turns.estimate(&|turn| turn.drive_bytes_per_byte())?);
    let is_synced = database.kind == DatabaseKind::Sqlite && database.commits() && Unsynced::of(context, turns).is_none();
    if !is_synced || figure.high >= MOST || turns.transactions() < COMMITS_MIN {
        return None;
    }
    let title = format!(
        "{}: {} compresses it ({option}), and {:.2} bytes reach the drive for each byte that it hands down",
        turns.name(),
        filesystem.fs_type,
        figure.median
    );
    let evidence = vec![
        Evidence::text("mount option", option).read_at("/proc/self/mountinfo"),
        Evidence::number("bytes at the drive for each byte", figure.median, Unit::Average).against(MOST),
    ];
    Some(finding(&RULE, Severity::Info, Effect::None, title, evidence, REMEDY))
}

const REMEDY: &str = "mount without compression, or hold its figures only against databases whose data can be compressed alike: real rows may be compressed less than pgbench's";
const REMEDY_ZFS: &str = "zfs set compression=off before files are made, or --mkfs-opt \"-O compression=off\" for a filesystem of layers, or hold its figures only against databases whose data can be compressed alike";

/// The finding of a filesystem that tells how much of the database it keeps compressed.
fn by_extents(turns: &DatabaseTurns, filesystem: &FilesystemFacts, share: f64) -> Finding {
    let option = option(filesystem);
    let by_mount = option.map_or_else(String::new, |option| format!(" ({option})"));
    let title = format!("{}: {} keeps {} of it compressed{by_mount}", turns.name(), filesystem.fs_type, percent(share));
    let of_mount = option.map(|option| Evidence::text("mount option", option).read_at("/proc/self/mountinfo"));
    let (source, remedy) = if filesystem.fs_type == "zfs" { ("fstat(2)", REMEDY_ZFS) } else { ("FS_IOC_FIEMAP", REMEDY) };
    let kept = Evidence::number("kept compressed once it was made", share, Unit::Share).against(LEAST_SHARE).read_at(source);
    finding(&RULE, Severity::Info, Effect::None, title, of_mount.into_iter().chain([kept]).collect(), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: kept("rw,compress=zstd:3", 0.87), silent: kept("rw,compress=zstd:3", 0.02) }

    /// Btrfs that tells such a share; commits of it write far more of its own than of the database.
    fn kept(options: &str, share: f64) -> RunRecord {
        mounted(options, 12.9).with(|record| record.databases[0].compressed_share = Some(share))
    }

    /// Btrfs with these options, on a drive that is written so many bytes for each.
    fn mounted(options: &str, times: f64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, 6).mounted("btrfs", "/srv", options);
        for stage in &mut record.stages {
            let written: u64 = stage.databases.iter().filter_map(|round| round.written_bytes).sum();
            stage.devices.iter_mut().flatten().for_each(|device| device.write_bytes = (written as f64 * times) as u64);
        }
        record
    }

    fn postgres(record: &mut RunRecord) {
        record.databases[0].kind = DatabaseKind::Postgres;
    }

    #[test]
    fn zfs_tells_by_room_and_is_mended_by_its_property() {
        let mut record = kept("rw,xattr", 1.0);
        record.targets[0].facts.filesystem.as_mut().unwrap().fs_type = "zfs".into();
        let found = RULE.found(&record);
        assert!(found[0].title.ends_with("zfs keeps 100 % of it compressed"), "{found:?}");
        assert_eq!((found[0].evidence.len(), found[0].evidence[0].source.as_deref()), (1, Some("fstat(2)")));
        assert!(found[0].remedy.starts_with("zfs set compression=off"), "{found:?}");
    }

    #[test]
    fn a_filesystem_that_tells_is_believed_of_any_database() {
        let title = |record: &RunRecord| RULE.titles(record).remove(0);
        assert!(title(&fires()).contains("keeps 87.0 % of it compressed (compress=zstd:3)"), "{}", title(&fires()));
        let postgres = title(&kept("rw", 0.5).with(postgres));
        assert!(postgres.ends_with("keeps 50.0 % of it compressed"), "{postgres}");
        // Bytes are asked only where it does not tell.
        RULE.silent_on([mounted("rw,compress=zstd:3", 0.4).with(|record| record.databases[0].compressed_share = Some(0.0))]);
    }

    #[test]
    fn nothing_else_that_leaves_less_is_taken_for_compression() {
        let fires = || mounted("rw,compress=zstd:3", 0.4);
        assert!(RULE.titles(&fires())[0].contains("0.40 bytes reach the drive"), "{:?}", RULE.titles(&fires()));
        let unsynced = fires().with(|record| record.databases[0].settings = vec![("synchronous".into(), "OFF".into())]);
        let mut few = fires();
        few.stages.iter_mut().flat_map(|stage| &mut stage.databases).for_each(|round| round.total_transactions = 9);
        let other = RunRecord { verb: "verify".into(), ..fires() };
        RULE.silent_on([fires().with(postgres), unsynced, few, fires().uncounted(), other]);
        RULE.silent_on([mounted("rw", 0.4), mounted("rw,compress=zstd:3", 1.3)]);
    }
}
