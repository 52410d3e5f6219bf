//! Much of a database's log is images of whole pages: PostgreSQL logs a page in full when it is changed for the first time since a checkpoint, so that a write that was torn can be mended
//! (PostgreSQL's manual, `full_page_writes`).
//!
//! Images are counted, not their bytes: a hole within a page is left out of its image. So the share is an upper end, and none is told where images are compressed.

use crate::findings::prelude::*;
use crate::layers::DatabaseTurns;

rule! {
    name: "full-page-writes",
    about: "much of a database's log is images of whole pages",
    check: Check::EachDatabase(|_, turns| of_database(turns)),
}

/// Share of the log from which on it is told.
const LEAST_SHARE: f64 = 0.5;
/// Log and commits below which it tells nothing. Bytes.
const LEAST: (u64, u64) = (1 << 20, 100);

fn of_database(turns: &DatabaseTurns) -> Option<Finding> {
    let (database, commits) = (turns.database, turns.transactions());
    let log = log(turns)?;
    let is_plain = database.setting("wal_compression") == Some("off");
    if !is_plain || !database.commits() || log.bytes < LEAST.0 || commits < LEAST.1 {
        return None;
    }
    let images = log.full_page_images.saturating_mul(database.page_bytes.into());
    let share = (images as f64 / log.bytes as f64).min(1.0);
    let of_commit = log.bytes / commits;
    let title = format!(
        "{}: at most {} of its log are images of whole pages; a commit has {} of log",
        turns.name(),
        percent(share),
        binary_size(of_commit)
    );
    let figures = vec![
        Evidence::number("share of the log, at most", share, Unit::Share).against(LEAST_SHARE),
        Evidence::number("images of whole pages", log.full_page_images as f64, Unit::Count),
        Evidence::number("log", log.bytes as f64, Unit::BinaryBytes),
        Evidence::number("log of each commit", of_commit as f64, Unit::BinaryBytes),
    ];
    let remedy = "fewer checkpoints leave fewer of them (a longer --time, --db-set max_wal_size=8GB, --db-set checkpoint_timeout=15min), --db-set wal_compression=on smaller ones; full_page_writes=off is safe only where no write of a page can be torn";
    (share >= LEAST_SHARE).then(|| finding(&RULE, Severity::Info, Effect::None, title, figures, &turns.remedy(remedy)))
}

/// The log of all turns; none where it was not counted in each.
fn log(turns: &DatabaseTurns) -> Option<WalCounts> {
    turns.all.iter().map(|turn| turn.round.wal).try_fold(WalCounts::default(), |sum, wal| {
        let wal = wal?;
        Some(WalCounts {
            records: sum.records.saturating_add(wal.records),
            full_page_images: sum.full_page_images.saturating_add(wal.full_page_images),
            bytes: sum.bytes.saturating_add(wal.bytes),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: logged(4000, 40_000_000), silent: logged(400, 10_000_000) }

    /// Rounds of 6000 commits with so many images of 8 KiB in so many bytes of log.
    fn logged(full_page_images: u64, bytes: u64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, 6);
        let database = &mut record.databases[0];
        (database.kind, database.title, database.page_bytes) = (DatabaseKind::Postgres, "PostgreSQL".into(), 8192);
        database.settings = vec![("wal_compression".into(), "off".into())];
        for round in record.stages.iter_mut().flat_map(|stage| &mut stage.databases) {
            round.wal = Some(WalCounts { records: 30_000, full_page_images, bytes });
        }
        record
    }

    #[test]
    fn the_share_is_an_upper_end_and_never_more_than_all() {
        assert!(RULE.titles(&fires())[0].contains("at most 81.9 % of its log"), "{:?}", RULE.titles(&fires()));
        assert!(RULE.titles(&logged(6000, 40_000_000))[0].contains("at most 100 %"));
    }

    #[test]
    fn nothing_is_told_of_images_of_unknown_size_or_of_little_log() {
        let compressed = fires().with(|record| record.databases[0].settings[0].1 = "pglz".into());
        let uncounted = fires().with(|record| record.stages.last_mut().unwrap().databases[0].wal = None);
        RULE.silent_on([compressed, uncounted, RunRecord { verb: "verify".into(), ..fires() }, logged(20, 170_000)]);
    }
}
