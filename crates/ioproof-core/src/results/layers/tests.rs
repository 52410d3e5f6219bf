//! Layers of made-up runs.

use super::*;
use crate::finding::Effect;
use crate::judge::judge;
use crate::record::{DatabaseRecord, DeviceCounters, JobRecord, Mix, RoundOutcome, RunRecord, ServerRecord, Stage};
use crate::testing::{drive_counters, finding, histogram, record};
use crate::verdict::Verdict;
use crate::workload::{Durability, Pattern, Workload};

const SECOND_NS: u64 = 1_000_000_000;

/// A run with durable writes at 10,000 a second, and a database that commits half as often with twice the flushes.
pub(crate) fn layered(mix: Mix, turns: u32) -> RunRecord {
    let mut record = record();
    record.verb = VERB.into();
    let reads = record.jobs.iter().position(|job| job.workload == Workload::plain(Pattern::Random, 100, 4096, 1, 1)).unwrap() as u32;
    let writes = record.jobs.iter().position(|job| job.workload.durability == Durability::FdatasyncEach).unwrap() as u32;
    record.stages.retain(|stage| stage.rounds[0].job == reads || stage.rounds[0].job == writes);
    record.stages.retain(|stage| stage.repetition < turns);
    for stage in record.stages.iter_mut().filter(|stage| stage.rounds[0].job == writes) {
        let ios = stage.rounds[0].write.ios;
        stage.rounds[0].sync.ios = ios;
        stage.devices.as_mut().unwrap()[0].flush_ios = ios;
    }
    record.databases.push(DatabaseRecord { title: "SQLite, WAL, synchronous FULL".into(), mix, clients: 1, ..DatabaseRecord::default() });
    record.stages.extend((0..turns).map(of_database));
    record
}

/// 5,000 transactions in a second behind a warm-up of 1,000.
fn of_database(repetition: u32) -> Stage {
    let round = DatabaseRound {
        elapsed_ns: SECOND_NS,
        transactions: 5000,
        total_transactions: 6000,
        latency: histogram(&[(200_000, 5000)]),
        commit: Some(histogram(&[(150_000, 5000)])),
        written_bytes: Some(6000 * 8192),
        cpu_ns: Some(6000 * 40_000),
        ..DatabaseRound::default()
    };
    let drive = DeviceCounters { write_bytes: 6000 * 16_384, flush_ios: 12_000, ..drive_counters() };
    Stage { repetition, elapsed_ns: 1_200_000_000, devices: Some(vec![drive]), databases: vec![round], ..Stage::default() }
}

fn rows(record: &RunRecord) -> Vec<LayerRow> {
    judge(record).results.layers.map(|layers| layers.rows).unwrap_or_default()
}

#[test]
fn each_layer_has_its_rate_and_what_reached_the_drive_for_each_commit() {
    let rows = rows(&layered(Mix::TpcbLike, 6));
    assert_eq!(
        rows.iter().map(|row| row.kind).collect::<Vec<_>>(),
        [LayerKind::FilesystemReads, LayerKind::FilesystemWrites, LayerKind::Database]
    );
    let median = |of: Option<Estimate>| of.unwrap().median;
    let (writes, database) = (&rows[1], &rows[2]);
    assert_eq!((median(database.commits_per_s), median(database.share)), (5000.0, 5000.0 / writes.per_s.median));
    assert_eq!((median(database.flushes_per_commit), median(database.drive_bytes_per_commit)), (2.0, 16_384.0));
    assert_eq!((median(database.drive_bytes_per_byte), median(database.cpu_ns_each)), (2.0, 40_000.0));
    assert!((median(writes.flushes_per_commit) - 1.0).abs() < 0.01 && writes.share.is_none());
    assert_eq!((rows[0].commits_per_s, rows[0].flushes_per_commit, rows[0].drive_bytes_per_commit), (None, None, None));
    assert!(database.share.unwrap().is_interval() && database.commit.unwrap().p50_ns.is_some());
}

#[test]
fn what_is_said_has_intervals_and_nothing_is_said_without_them() {
    let says = judge(&layered(Mix::TpcbLike, 6)).results.layers.unwrap().says;
    assert!(says[0].contains("commits a second where the filesystem makes") && says[0].contains("50.0 % ("), "{says:?}");
    assert!(says[1].contains("2.00 flushes and 16 KiB"), "{says:?}");
    assert!(says[2].contains("200 µs on average, its commit 150 µs (most of it)"), "{says:?}");
    let few = judge(&layered(Mix::TpcbLike, 3)).results.layers.unwrap().says;
    assert!(few[0].contains("too few"), "{few:?}");
}

#[test]
fn a_server_whose_files_may_lie_anywhere_is_held_against_nothing_here() {
    let mut record = layered(Mix::TpcbLike, 6);
    let server =
        |apart: Option<&str>| Some(ServerRecord { address: "h:5432".into(), database: "bench".into(), apart: apart.map(Into::into) });
    record.databases[0].server = server(None);
    assert!(rows(&record)[2].share.is_some() && !rows(&record)[2].is_apart, "its files are known to lie here");
    record.databases[0].server = server(Some("it is elsewhere"));
    let layers = judge(&record).results.layers.unwrap();
    let database = &layers.rows[2];
    assert_eq!((database.per_s.median, database.is_apart), (5000.0, true));
    let of_drives = [database.share, database.flushes_per_commit, database.drive_bytes_per_commit, database.drive_bytes_per_byte];
    assert!(of_drives.iter().all(Option::is_none) && Layers::writes_of(&layers.rows, database).is_none(), "{database:?}");
    let of_database: Vec<&String> = layers.says.iter().filter(|text| text.starts_with("SQLite")).collect();
    assert!(of_database.len() == 1 && of_database[0].ends_with("cannot be told: it is elsewhere"), "{:?}", layers.says);
}

#[test]
fn a_commit_is_no_longer_than_the_transactions_that_hold_it() {
    let mut record = layered(Mix::TpcbLike, 6);
    // A slow turn of few transactions weighs less in the mean of all than in the median of turns.
    let turns = record.stages.iter_mut().flat_map(|stage| &mut stage.databases).skip(1);
    turns.for_each(|round| {
        let [latency, commit] = [13_000_000, 12_000_000].map(|ns| histogram(&[(ns, 1)]));
        (round.transactions, round.latency, round.commit) = (1, latency, Some(commit));
    });
    let row = rows(&record).into_iter().find(|row| row.kind == LayerKind::Database).unwrap();
    let [all, commit] = [row.latency_ns_mean, row.commit_ns_mean].map(|mean| mean.unwrap().median);
    assert!(commit < all, "{commit} of {all}");
}

#[test]
fn reads_of_a_database_commit_nothing() {
    let rows = rows(&layered(Mix::SelectOnly, 6));
    let database = &rows[2];
    assert_eq!((database.per_s.median, database.commits_per_s, database.share, database.flushes_per_commit), (5000.0, None, None, None));
    assert!(database.cpu_ns_each.is_some());
}

#[test]
fn a_database_without_a_figure_is_named_with_the_reason() {
    let mut record = layered(Mix::TpcbLike, 2);
    for round in record.stages.iter_mut().flat_map(|stage| &mut stage.databases) {
        round.transactions = 0;
    }
    let why = "no transaction came to its end";
    assert_eq!(without_figure(&record), [("SQLite, WAL, synchronous FULL".to_owned(), why.to_owned())]);
    assert!(judge(&record).results.layers.unwrap().says.contains(&format!("SQLite, WAL, synchronous FULL: no figure: {why}")));
    // What the user ended is told as such.
    record.stages.iter_mut().flat_map(|stage| &mut stage.databases).for_each(|round| round.outcome = RoundOutcome::Interrupted);
    assert!(without_figure(&record).is_empty());
}

#[test]
fn a_round_that_failed_is_no_figure_and_no_pass() {
    let mut record = layered(Mix::TpcbLike, 6);
    record.stages.last_mut().unwrap().databases = vec![DatabaseRound::failed(0, "disk full")];
    let judgement = judge(&record);
    assert_eq!((judgement.exit_status, judgement.exit_reason.as_str()), (3, "a database failed: disk full"));
    let layers = judgement.results.layers.unwrap();
    assert_eq!(layers.rows[2].per_s.runs, 5);
    let said = "SQLite, WAL, synchronous FULL: no figure of 1 of its 6 turns: disk full (what failed is not tried again)";
    assert!(layers.says.iter().any(|text| text == said) && without_figure(&record).is_empty(), "{:?}", layers.says);
    record.verb = "verify".into();
    assert!(judge(&record).results.layers.is_none());
}

/// The same with reads of the blocks below, so many times as fast as those of the file.
pub(super) fn with_blocks(times: u64) -> RunRecord {
    let mut record = layered(Mix::TpcbLike, 6);
    let reads = record.jobs.iter().position(|job| job.workload == Workload::plain(Pattern::Random, 100, 4096, 1, 1)).unwrap();
    let (device, job) = (record.targets.len() as u32, record.jobs.len() as u32);
    record.targets.push(TargetRecord { below: Some(0), ..record.targets[0].clone() });
    record.jobs.push(JobRecord { targets: vec![device], ..record.jobs[reads].clone() });
    let of_reads: Vec<Stage> =
        record.stages.iter().filter(|stage| stage.rounds.iter().any(|round| round.job == reads as u32)).cloned().collect();
    for mut stage in of_reads {
        stage.rounds[0].job = job;
        stage.rounds[0].read.ios *= times;
        record.stages.push(stage);
    }
    record
}

#[test]
fn reads_of_a_file_are_held_against_reads_of_the_same_blocks_past_its_filesystem() {
    let mut record = with_blocks(2);
    let rows = rows(&record);
    assert_eq!(
        rows.iter().map(|row| (row.kind, row.target)).collect::<Vec<_>>()[..2],
        [(LayerKind::BlockReads, 0), (LayerKind::FilesystemReads, 0)]
    );
    assert!(rows[0].share.is_none() && (rows[1].share.unwrap().median - 0.5).abs() < 1e-9);
    let says = judge(&record).results.layers.unwrap().says;
    assert!(says[0].contains("are 50.0 % (50.0 % to 50.0 %) of those of the same blocks"), "{says:?}");
    let of_file = record.stages.iter_mut().filter(|stage| stage.rounds.iter().any(|round| Some(round.job) == rows[1].job));
    of_file.flat_map(|stage| stage.devices.iter_mut().flatten()).for_each(|drive| drive.read_bytes /= 10);
    let says = judge(&record).results.layers.unwrap().says;
    assert!(says[0].ends_with("past it: a cache answered"), "{says:?}");
}

fn verdicts(record: &RunRecord) -> Vec<Verdict> {
    judge(record).results.layers.unwrap().verdicts.iter().map(|told| told.verdict).collect()
}

#[test]
fn a_filesystem_meets_or_misses_its_share() {
    for (times, verdict) in [(1, Verdict::Meets), (2, Verdict::Meets), (3, Verdict::Misses)] {
        assert_eq!(verdicts(&with_blocks(times)), [verdict], "{times}");
    }
    let judgement = judge(&with_blocks(3));
    assert_eq!((judgement.exit_status, judgement.exit_reason.contains("filesystem's share")), (1, true), "{}", judgement.exit_reason);
    assert!(judgement.results.layers.unwrap().says.iter().any(|text| text.contains("at least 50.0 % ") && text.ends_with(": misses")));
    let mut lower = with_blocks(3);
    lower.policy.threshold_filesystem = 0.3;
    assert_eq!(verdicts(&lower), [Verdict::Meets]);
}

#[test]
fn without_an_interval_or_blocks_no_filesystem_misses() {
    let mut few = with_blocks(3);
    few.stages.retain(|stage| stage.repetition < 3);
    let judgement = judge(&few);
    assert_eq!((judgement.results.layers.unwrap().verdicts[0].verdict, judgement.exit_status), (Verdict::CannotTell, 3));
    let none = judge(&layered(Mix::TpcbLike, 6)).results.layers.unwrap();
    assert!(none.verdicts.is_empty() && none.says.iter().any(|text| text.contains("no verdict, since reads past it were not measured")));
}

#[test]
fn what_is_not_the_drives_takes_the_answer_and_what_meets_both_alike_does_not() {
    let with = |times: u64, own: Option<Effect>, below: Option<Effect>| {
        let mut record = with_blocks(times);
        let rows = rows(&record);
        let both = [(rows[1].job.unwrap(), own), (rows[0].job.unwrap(), below)];
        record.warnings.extend(both.into_iter().filter_map(|(job, effect)| Some(finding("made-up", job, effect?))));
        verdicts(&record)[0]
    };
    assert_eq!(with(1, Some(Effect::Invalid), Some(Effect::Invalid)), Verdict::CannotTell);
    assert_eq!([with(3, Some(Effect::Harder), None), with(3, None, Some(Effect::Easier))], [Verdict::CannotTell; 2]);
    assert_eq!([with(1, Some(Effect::Easier), None), with(1, None, Some(Effect::Harder))], [Verdict::CannotTell; 2]);
    assert_eq!([with(3, Some(Effect::Harder), Some(Effect::Harder)), with(3, Some(Effect::Easier), None)], [Verdict::Misses; 2]);
}
