//! Checkpoints that were asked for since the log had grown to its limit, one soon after the other: PostgreSQL's manual, `max_wal_size` and `checkpoint_warning`, whose half a minute
//! between two of them is the limit here.

use crate::findings::prelude::*;
use crate::layers::DatabaseTurns;

rule! {
    name: "frequent-checkpoints",
    about: "a database's log grows to its limit and asks for one checkpoint after the other",
    check: Check::EachDatabase(|_, turns| of_database(turns)),
}

/// Checkpoints a minute from which on they are frequent.
const OFTEN: f64 = 2.0;
/// Fewer of them are chance.
const LEAST: u64 = 3;

fn of_database(turns: &DatabaseTurns) -> Option<Finding> {
    let begun = turns.all.iter().map(|turn| turn.round.checkpoints_begun).collect::<Option<Vec<_>>>()?;
    let sum = |of: fn(&CheckpointCounts) -> u64| begun.iter().map(of).fold(0, u64::saturating_add);
    let (requested, timed) = (sum(|one| one.requested), sum(|one| one.timed));
    let time_ns = turns.all.iter().map(|turn| turn.stage.elapsed_ns).fold(0, u64::saturating_add);
    let a_minute = requested as f64 * 60e9 / time_ns.max(1) as f64;
    if requested < LEAST || a_minute < OFTEN || time_ns == 0 {
        return None;
    }
    let limit = turns.database.setting("max_wal_size").unwrap_or("unknown");
    let title = format!(
        "{}: its log asked for {requested} checkpoints, {a_minute:.0} a minute, since it may grow to {limit} (max_wal_size); {timed} came in their time",
        turns.name()
    );
    let figures = vec![
        Evidence::number("checkpoints that were asked for", requested as f64, Unit::Count).against(LEAST as f64),
        Evidence::number("of them each minute", a_minute, Unit::Average).against(OFTEN),
        Evidence::number("checkpoints in their time", timed as f64, Unit::Count),
        Evidence::text("max_wal_size", limit),
    ];
    let remedy = "give the log more room: --db-set max_wal_size=8GB; each checkpoint writes all changed pages, and has them logged in full once more";
    Some(finding(&RULE, Severity::Warn, Effect::None, title, figures, &turns.remedy(remedy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: begun(&[1, 0, 1, 0, 1, 0], 1_200_000_000), silent: begun(&[1, 0, 1, 0, 0, 0], 1_200_000_000) }

    /// Turns of this length, in each of which so many checkpoints were asked for.
    fn begun(requested: &[u64], elapsed_ns: u64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, requested.len() as u32);
        let database = &mut record.databases[0];
        (database.kind, database.title) = (DatabaseKind::Postgres, "PostgreSQL".into());
        database.settings = vec![("max_wal_size".into(), "64MB".into())];
        for (stage, requested) in record.stages.iter_mut().filter(|stage| !stage.databases.is_empty()).zip(requested) {
            stage.elapsed_ns = elapsed_ns;
            stage.databases[0].checkpoints_begun = Some(CheckpointCounts { timed: 0, requested: *requested });
        }
        record
    }

    #[test]
    fn they_are_held_against_the_time_of_the_rounds() {
        assert!(RULE.titles(&fires())[0].contains("asked for 3 checkpoints, 25 a minute") && RULE.titles(&fires())[0].contains("64MB"));
        assert!(RULE.titles(&begun(&[1; 6], 60_000_000_000)).is_empty(), "one a minute");
        assert_eq!(RULE.titles(&begun(&[1; 6], 30_000_000_000)).len(), 1);
    }

    #[test]
    fn what_is_not_counted_is_not_told() {
        let uncounted = fires().with(|record| record.stages.last_mut().unwrap().databases[0].checkpoints_begun = None);
        RULE.silent_on([uncounted, RunRecord { verb: "verify".into(), ..fires() }, begun(&[9; 6], 0)]);
    }

    #[test]
    fn a_server_that_was_given_is_set_by_its_keeper() {
        let given = fires().with(|record| record.databases[0].server = Some(ServerRecord::default()));
        let remedy = RULE.found(&given)[0].remedy.clone();
        assert!(remedy.starts_with("in the settings of the server: ") && remedy.contains(" max_wal_size=8GB"), "{remedy}");
        assert!(!remedy.contains("--db-set"), "{remedy}");
    }
}
