//! A filesystem that compresses a database: fewer bytes reach the drive than the database hands down.
//!
//! Only SQLite whose commits last is looked at: it has synced all that it wrote when a round ends, so that nothing but compression leaves less. PostgreSQL writes a
//! page into the page cache several times before it is synced, and what of that never reaches the drive is no compression.

use super::compressing::option;
use super::{Context, Rule, finding, waits_for_no_drive};
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::layers::Turns;
use crate::record::DatabaseKind;

pub(super) const RULE: Rule = Rule {
    name: "database-compressed",
    about: "a filesystem that compresses writes less than its database hands down",
    check,
    limit: None,
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// Bytes at the drive for a byte, below which there are clearly fewer.
const MOST: f64 = 0.9;
/// Commits below which it tells nothing.
const COMMITS_MIN: u64 = 100;

fn check(context: &Context) -> Vec<Finding> {
    Turns::each(context.record).filter_map(|turns| of_database(context, &turns)).collect()
}

fn of_database(context: &Context, turns: &Turns) -> Option<Finding> {
    let database = turns.database;
    let filesystem = context.record.targets.get(database.target as usize)?.facts.filesystem.as_ref()?;
    let (option, figure) = (option(filesystem)?, turns.estimate(&|turn| turn.drive_bytes_per_byte())?);
    let is_synced = database.kind == DatabaseKind::Sqlite && database.commits() && !waits_for_no_drive(context, turns);
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
    let remedy = "mount without compression, or hold its figures only against databases whose data can be compressed alike: real rows may be compressed less than pgbench's";
    Some(finding(&RULE, Severity::Info, Effect::None, title, evidence, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::FilesystemFacts;
    use crate::layers::tests::layered;
    use crate::record::{Mix, RunRecord};

    pub(in super::super) fn fires() -> RunRecord {
        mounted("rw,compress=zstd:3", 0.4)
    }

    pub(in super::super) fn silent() -> RunRecord {
        mounted("rw,compress=zstd:3", 1.3)
    }

    /// Btrfs with these options, on a drive that is written so many bytes for each.
    fn mounted(options: &str, times: f64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, 6);
        record.targets[0].facts.filesystem = Some(FilesystemFacts {
            fs_type: "btrfs".into(),
            mount_point: "/srv".into(),
            source: "/dev/nvme0n1".into(),
            options: options.into(),
            free_bytes: 1 << 40,
        });
        for stage in &mut record.stages {
            let written: u64 = stage.databases.iter().filter_map(|round| round.written_bytes).sum();
            stage.devices.iter_mut().flatten().for_each(|device| device.write_bytes = (written as f64 * times) as u64);
        }
        record
    }

    fn titles(record: &RunRecord) -> Vec<String> {
        check(&Context::new(record)).into_iter().map(|finding| finding.title).collect()
    }

    #[test]
    fn nothing_else_that_leaves_less_is_taken_for_compression() {
        assert!(titles(&fires())[0].contains("0.40 bytes reach the drive"), "{:?}", titles(&fires()));
        let mut postgres = fires();
        postgres.databases[0].kind = DatabaseKind::Postgres;
        let mut unsynced = fires();
        unsynced.databases[0].settings = vec![("synchronous".into(), "OFF".into())];
        let mut few = fires();
        few.stages.iter_mut().flat_map(|stage| &mut stage.databases).for_each(|round| round.total_transactions = 9);
        let mut uncounted = fires();
        uncounted.stages.iter_mut().for_each(|stage| stage.devices = None);
        let other = RunRecord { verb: "verify".into(), ..fires() };
        for record in [postgres, unsynced, few, uncounted, other, mounted("rw", 0.4)] {
            assert!(titles(&record).is_empty(), "{:?}", titles(&record));
        }
    }
}
