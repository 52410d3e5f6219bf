//! One database with several numbers of clients: how far its rate grows with them. Neighbours are held against each other turn by turn, and nothing is said that their intervals
//! do not carry.

use super::{DatabaseTurn, DatabaseTurns};
use crate::measured::{Context, Measured};
use crate::record::{DatabaseRecord, RunRecord};
use crate::stats::Estimate;
use crate::text::too_few_turns;
use crate::units::three_digits;

/// True where two databases of a run are one, with or without the same clients.
pub(super) fn are_one(one: &DatabaseRecord, other: &DatabaseRecord) -> bool {
    (one.target, one.kind, &one.title) == (other.target, other.kind, &other.title)
}

/// `, 4 writers` where the durable writes of a target were measured with several numbers of them, and the same of reads.
pub(super) fn of_several(context: &Context, measured: &Measured) -> String {
    let writes = measured.workload().writes();
    let is_other = |other: &&Measured| other.job.targets == measured.job.targets && other.workload().writes() == writes;
    let who = if writes { "writer" } else { "reader" };
    match measured.workload().workers {
        _ if context.counted().filter(is_other).count() <= 1 => String::new(),
        1 => format!(", 1 {who}"),
        many => format!(", {many} {who}s"),
    }
}

/// A sentence on each database that was measured with several numbers of clients.
pub(super) fn curves(context: &Context) -> Vec<String> {
    let record = context.record;
    let firsts = (0..).zip(&record.databases).filter(|(at, of)| !record.databases[..*at].iter().any(|before| are_one(before, of)));
    firsts.filter_map(|(_, of)| curve(record, of)).collect()
}

fn curve(record: &RunRecord, of: &DatabaseRecord) -> Option<String> {
    let all = DatabaseTurns::each(record).filter(|turns| are_one(turns.database, of));
    let mut points: Vec<DatabaseTurns> = all.collect();
    points.sort_by_key(|turns| turns.database.clients);
    let first = points.first().filter(|_| points.len() > 1)?;
    let what = if of.commits() { "commits" } else { "transactions" };
    let several = record.targets.iter().filter(|target| target.below.is_none()).count() > 1;
    let place =
        record.targets.get(of.target as usize).filter(|_| several).map_or(String::new(), |target| format!(" on {}", target.facts.given));
    let steps: Vec<ClientStep> = points.windows(2).map(|pair| ClientStep::between(&pair[0], &pair[1])).collect();
    let grown = steps.iter().take_while(|step| step.grows()).count();
    Some(format!("{}{place}: {}", of.title, told(what, first, &points, &steps, grown)))
}

fn told(what: &str, first: &DatabaseTurns, points: &[DatabaseTurns], steps: &[ClientStep], grown: usize) -> String {
    let clients = |at: usize| points[at].database.clients_in_words();
    let knee = points[grown].database.clients;
    let begun = match grown {
        0 => format!("{what} do not grow beyond {} that can be told", clients(0)),
        _ => {
            let all = ClientStep::between(first, &points[grown]);
            format!("{what} grow up to {}, {} times those of {}", clients(grown), all.figures(), first.database.clients)
        }
    };
    let Some(next) = steps.get(grown) else { return format!("{begun}: more clients than were measured may give more") };
    let after = points[grown + 1].database.clients;
    let behind = match next {
        ClientStep { ratio: Some(ratio), .. } if !ratio.is_interval() => {
            return format!("{} to tell how {what} grow with clients", too_few_turns(ratio.runs));
        }
        ClientStep { ratio: None } => return format!("{begun}; no turn has both {knee} and {after}"),
        ClientStep { ratio: Some(ratio) } if ratio.high < 1.0 => {
            format!("with {after} they are fewer, {} times those of {knee}", next.figures())
        }
        ClientStep { .. } => format!("with {after} they are {} times those of {knee}, which cannot be told apart", next.figures()),
    };
    let again = (grown + 1..steps.len()).find(|at| steps[*at].grows());
    let again =
        again.map_or_else(String::new, |at| format!("; they grow again from {} to {}", points[at].database.clients, clients(at + 1)));
    format!("{begun}; {behind}{again}")
}

/// Two numbers of clients against each other.
#[derive(Debug, Clone, Copy)]
struct ClientStep {
    /// The rate with the second for that with the first in the same turn.
    ratio: Option<Estimate>,
}

impl ClientStep {
    fn between(one: &DatabaseTurns, other: &DatabaseTurns) -> Self {
        let of = |turn: &DatabaseTurn| {
            let same = one.all.iter().find(|same| same.stage.repetition == turn.stage.repetition)?;
            (same.round.per_s() > 0.0).then(|| turn.round.per_s() / same.round.per_s())
        };
        Self { ratio: other.estimate(&of) }
    }

    /// True where the interval says that there is more.
    fn grows(self) -> bool {
        self.ratio.is_some_and(|ratio| ratio.is_interval() && ratio.low > 1.0)
    }

    /// `1.92 (1.85 to 2.01)`.
    fn figures(self) -> String {
        let of = |ratio: Estimate| format!("{} ({} to {})", three_digits(ratio.median), three_digits(ratio.low), three_digits(ratio.high));
        self.ratio.map_or_else(String::new, of)
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::judge;
    use crate::layers::tests::layered;
    use crate::layers::{LayerKind, LayerRow};
    use crate::record::{Mix, RunRecord};

    /// A run with a database by each of these numbers of clients, at so many times the rate of the first, and the durable writes of as many writers.
    fn swept(points: &[(u32, u64)], turns: u32) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, turns);
        let (plain, stages) = (record.databases[0].clone(), record.stages.clone());
        let played = stages.iter().flat_map(|stage| &stage.rounds).map(|round| round.job as usize);
        let writes = played.filter(|job| record.jobs[*job].workload.writes()).min().unwrap();
        for (database, (clients, times)) in (1..).zip(points) {
            record.databases.push(plain.with_clients(*clients));
            let job = record.jobs.len() as u32;
            let mut of_writers = record.jobs[writes].clone();
            of_writers.workload.workers = *clients;
            record.jobs.push(of_writers);
            for stage in &stages {
                let mut stage = stage.clone();
                stage.databases.iter_mut().for_each(|round| {
                    round.database = database;
                    round.transactions *= times;
                });
                stage.rounds.retain(|round| round.job as usize == writes);
                stage.rounds.iter_mut().for_each(|round| round.job = job);
                if !stage.rounds.is_empty() || !stage.databases.is_empty() {
                    record.stages.push(stage);
                }
            }
        }
        record
    }

    fn says(points: &[(u32, u64)], turns: u32) -> String {
        let says = judge(&swept(points, turns)).results.layers.unwrap().says;
        says.iter().find(|text| text.contains("grow")).unwrap_or_else(|| panic!("{says:?}")).clone()
    }

    #[test]
    fn the_knee_is_where_more_clients_give_no_more_that_can_be_told() {
        let said = says(&[(2, 2), (4, 3), (8, 3)], 6);
        assert!(
            said.contains("grow up to 4 clients, 3 (3 to 3) times those of 1; with 8 they are 1 (1 to 1) times those of 4, which cannot"),
            "{said}"
        );
        assert!(says(&[(2, 2), (4, 3)], 6).contains("grow up to 4 clients, 3 (3 to 3) times those of 1: more clients than were measured"));
        assert!(says(&[(2, 1)], 6).contains("do not grow beyond 1 client that can be told; with 2"));
        assert!(says(&[(2, 4), (4, 2)], 6).contains("with 4 they are fewer, 0.5 (0.5 to 0.5) times those of 2"));
        assert!(says(&[(2, 1), (4, 2)], 6).ends_with("they grow again from 2 to 4 clients"));
    }

    #[test]
    fn without_intervals_there_is_no_knee() {
        assert!(says(&[(2, 2), (4, 3)], 3).contains("3 turns are too few to tell how commits grow with clients"));
        let plain = judge(&layered(Mix::TpcbLike, 6)).results.layers.unwrap();
        assert!(!plain.says.iter().any(|text| text.contains("grow")) && plain.rows.iter().all(|row| !row.title.contains("client")));
    }

    #[test]
    fn commits_are_held_against_as_many_writers() {
        let record = swept(&[(4, 2)], 6);
        let rows = judge(&record).results.layers.unwrap().rows;
        let of = |kind: LayerKind| rows.iter().filter(|row| row.kind == kind).collect::<Vec<&LayerRow>>();
        let (writes, databases) = (of(LayerKind::FilesystemWrites), of(LayerKind::Database));
        assert_eq!(
            [writes[0].clients, writes[1].clients, databases[0].clients, databases[1].clients],
            [Some(1), Some(4), Some(1), Some(4)]
        );
        assert!(writes[1].title.ends_with(", 4 writers") && databases[1].title.ends_with(", 4 clients"), "{}", databases[1].title);
        let share = |row: &LayerRow| row.share.unwrap().median;
        assert!((share(databases[1]) / share(databases[0]) - 2.0).abs() < 1e-9);
        let mut without = record.clone();
        without.jobs.last_mut().unwrap().workload.workers = 2;
        let rows = judge(&without).results.layers.unwrap().rows;
        assert!(rows.iter().any(|row| row.clients == Some(4) && row.share.is_none()), "no writes by as many");
    }
}
