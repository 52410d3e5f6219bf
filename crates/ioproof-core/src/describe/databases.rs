//! Databases of a run, and rates of pg_test_fsync, with every setting that bears on their figures.

use super::{Fact, Section, fact, fact_of_bytes};
use crate::layers;
use crate::record::{DatabaseRecord, PgTestFsync, RunRecord, SyncRate};
use crate::text::visible;
use crate::units::rate;

/// A section for each directory with rates of pg_test_fsync, and for each database, with every setting that bears on its figures.
pub(super) fn sections(record: &RunRecord) -> impl Iterator<Item = Section> + '_ {
    let of_rates = record.targets.iter().filter_map(|target| Some((target.facts.given.as_str(), target.pg_test_fsync.as_ref()?)));
    of_rates.map(|(given, rates)| sync_rates(given, rates)).chain(of_databases(record))
}

/// Rates of pg_test_fsync. One run, so there is no interval.
fn sync_rates(given: &str, rates: &PgTestFsync) -> Section {
    let title =
        format!("pg_test_fsync of PostgreSQL {} on {given}: one run of {} s each, without an interval", rates.version, rates.seconds);
    let shown = |of: &SyncRate| of.per_s.map_or_else(|| "not on this system".to_owned(), |per_s| format!("{} a second", rate(per_s)));
    let facts = rates.rates.iter().map(|of| fact(&visible(&format!("{}: {}", of.test, of.method)), shown(of), ""));
    Section { title: visible(&title), facts: facts.collect() }
}

fn of_databases(record: &RunRecord) -> impl Iterator<Item = Section> + '_ {
    record.databases.iter().map(|database| {
        let several = record.targets.get(database.target as usize).filter(|_| layers::directories(record) > 1);
        let place = several.map_or_else(String::new, |target| format!(" on {}", target.facts.given));
        Section { title: visible(&format!("{}{place}", database.title)), facts: facts(database) }
    })
}

fn facts(database: &DatabaseRecord) -> Vec<Fact> {
    let source = if database.scripts.is_empty() { "pgbench's standard script" } else { "own scripts" };
    let own = [
        fact("version", format!("{} {}", database.kind.title(), database.version), ""),
        fact("transaction", database.transaction(), source),
        fact("clients", database.clients.to_string(), ""),
        fact("scale", format!("{}, each of 100,000 accounts", database.scale), ""),
        fact_of_bytes("size", database.size_bytes),
        fact_of_bytes("page", database.page_bytes.into()),
        fact_of_bytes("its own cache", database.cache_bytes),
    ];
    let server = database.server.iter().flat_map(|server| {
        let apart = server.apart.as_ref().map(|why| fact("not held against the filesystem", why.as_str(), ""));
        [fact("server", server.address.as_str(), ""), fact("database", server.database.as_str(), "")].into_iter().chain(apart)
    });
    let digests = database.scripts.iter().map(|script| fact(&format!("SHA-256 of {}", script.name), script.sha256.as_str(), ""));
    own.into_iter()
        .chain(server)
        .chain(digests)
        .chain(database.settings.iter().map(|(name, value)| fact(name, value.as_str(), "")))
        .collect()
}
