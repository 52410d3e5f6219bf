//! A database whose commits do not wait for the drive: it is set so (PostgreSQL's manual, `fsync`, `synchronous_commit`; sqlite.org/pragma.html#pragma_synchronous), or far fewer flushes
//! reached the drive than commits need.
//!
//! `layers::Unsynced` tells by what.

use crate::findings::prelude::*;
use crate::layers::{self, DatabaseTurns, Unsynced};

rule! {
    name: "commits-unsynced",
    about: "a database does not wait for the drive when it commits",
    check: Check::EachDatabase(of_database),
}

fn of_database(context: &Context, turns: &DatabaseTurns) -> Option<Finding> {
    let database = turns.database;
    let Unsynced { setting, flushes } = Unsynced::of(context, turns)?;
    let cause = setting.map_or_else(String::new, |(name, value)| format!(" ({name} {value})"));
    let counted = flushes.map_or_else(String::new, |flushes| format!("; a commit has {:.2} flushes at the drive", flushes.median));
    let title = format!("{} does not wait for the drive{cause}: its rate is not one of durable commits{counted}", turns.name());
    let mut figures: Vec<Evidence> = setting.iter().map(|(name, value)| Evidence::text(name, *value)).collect();
    figures.extend(flushes.map(|flushes| {
        Evidence::number("flushes for each commit", flushes.median, Unit::Average).against(layers::least_flushes(database))
    }));
    figures.push(Evidence::number("clients", database.clients.into(), Unit::Count));
    Some(finding(&RULE, Severity::Warn, Effect::None, title, figures, remedy(setting.is_some(), database)))
}

fn remedy(is_set: bool, database: &DatabaseRecord) -> &'static str {
    match database.kind {
        _ if !is_set => "look for what drops its syncs on the way: a preloaded library such as libeatmydata, or its own settings",
        DatabaseKind::Postgres if database.server.is_some() => {
            "set fsync and synchronous_commit to on at the server, or hold the rate only against others that lose their last commits too"
        }
        DatabaseKind::Postgres => {
            "leave out --db-set fsync and --db-set synchronous_commit, or hold the rate only against others that lose their last commits too"
        }
        DatabaseKind::Sqlite => {
            "--db sqlite:full has commits that last; or hold the rate only against others that lose their last commits too"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: postgres("off", "on", 24), silent: postgres("on", "on", 6000) }

    /// PostgreSQL with one client and these settings; 6000 commits a round with so many flushes.
    fn postgres(fsync: &str, synchronous_commit: &str, flushes: u64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, 6);
        let settings = [("fsync", fsync), ("synchronous_commit", synchronous_commit), ("wal_sync_method", "fdatasync")];
        let database = &mut record.databases[0];
        (database.kind, database.title) = (DatabaseKind::Postgres, "PostgreSQL".into());
        database.settings = settings.map(|(name, value)| (name.into(), value.into())).into();
        for stage in record.stages.iter_mut().filter(|stage| !stage.databases.is_empty()) {
            stage.devices.iter_mut().flatten().for_each(|drive| drive.flush_ios = flushes);
        }
        record
    }

    fn sqlite(journal: &str, synchronous: &str) -> RunRecord {
        let settings = vec![("journal_mode".into(), journal.into()), ("synchronous".into(), synchronous.into())];
        layered(Mix::TpcbLike, 6).with(|record| record.databases[0].settings = settings)
    }

    #[test]
    fn settings_tell_it_with_the_flushes_where_they_were_counted() {
        assert!(RULE.titles(&postgres("on", "off", 600))[0].contains("(synchronous_commit off)"));
        let title = |record: &RunRecord| RULE.titles(record).remove(0);
        assert!(title(&postgres("on", "off", 600)).contains("(synchronous_commit off)"));
        let uncounted = title(&fires().uncounted());
        assert!(uncounted.ends_with("durable commits"), "{uncounted}");
        assert!(title(&sqlite("wal", "OFF")).contains("(synchronous OFF)") && RULE.titles(&sqlite("wal", "NORMAL")).len() == 1);
        RULE.silent_on([sqlite("delete", "NORMAL"), sqlite("wal", "FULL")]);
    }

    #[test]
    fn flushes_tell_it_too_where_durable_writes_have_theirs() {
        let few = || postgres("on", "on", 600);
        assert!(RULE.titles(&few())[0].contains("a commit has 0.10 flushes at the drive"), "{:?}", RULE.titles(&few()));
        // Eight clients may share them.
        let mut of_many = few();
        of_many.databases[0].clients = 8;
        of_many.jobs.iter_mut().for_each(|job| job.workload.workers = 8);
        let by_fua = few().with(|record| record.databases[0].settings[2].1 = "open_datasync".into());
        // A drive that is sent none.
        let unsent = few().with(|record| record.counters_mut().for_each(|drive| drive.flush_ios = 0));
        let mut short = few();
        short.stages.iter_mut().flat_map(|stage| &mut stage.databases).for_each(|round| round.total_transactions = 3);
        short.counters_mut().for_each(|drive| drive.flush_ios = drive.flush_ios.min(1));
        RULE.silent_on([of_many, by_fua, unsent, short]);
    }

    #[test]
    fn reads_commit_nothing_and_other_verbs_have_no_such_finding() {
        let reads = fires().with(|record| record.databases[0].mix = Mix::SelectOnly);
        RULE.silent_on([reads, RunRecord { verb: "verify".into(), ..fires() }]);
    }

    #[test]
    fn a_server_that_was_given_is_set_by_its_keeper() {
        let remedy = |record: &RunRecord| RULE.found(record)[0].remedy.clone();
        let given = remedy(&fires().with(|record| record.databases[0].server = Some(ServerRecord::default())));
        assert!(remedy(&fires()).contains("--db-set fsync") && given.contains("at the server") && !given.contains("--db-set"));
    }

    #[test]
    fn its_rate_is_not_held_against_durable_writes() {
        let says = |record: &RunRecord| crate::judge::judge(record).results.layers.unwrap().says;
        assert!(says(&fires())[0].contains("do not wait for the drive"), "{:?}", says(&fires()));
        assert!(!says(&silent()).concat().contains("do not wait"));
    }
}
