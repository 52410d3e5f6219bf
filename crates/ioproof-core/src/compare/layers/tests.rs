//! Made-up runs of layers held against one another.

use super::*;
use crate::compare::{Answer, Comparison, compare, is_interleaved, sides};
use crate::layers::tests::layered;
use crate::record::{JobRecord, Mix, RunRecord, ScriptRecord, Stage, TargetRecord};
use crate::testing::finding;

/// The same with rounds of databases and of loads that take so many times as long.
fn slower(run: &RunRecord, database: u64, loads: u64) -> RunRecord {
    let mut slow = RunRecord { id: "slow".into(), ..run.clone() };
    slow.stages.iter_mut().flat_map(|stage| &mut stage.databases).for_each(|round| round.elapsed_ns *= database);
    slow.stages.iter_mut().flat_map(|stage| &mut stage.rounds).for_each(|round| round.elapsed_ns *= loads);
    slow
}

fn row(told: &Comparison, kind: LayerKind, statistic: Option<Statistic>) -> &Row {
    let is_it = |row: &&Row| row.statistic == statistic && row.layer.as_ref().is_some_and(|layer| layer.kind == kind);
    told.rows.iter().find(is_it).unwrap_or_else(|| panic!("no {kind:?}, {statistic:?}"))
}

fn answer(told: &Comparison, kind: LayerKind) -> Answer {
    row(told, kind, None).against[0].as_ref().unwrap().answer
}

#[test]
fn commits_that_follow_their_durable_writes_are_what_is_below_them() {
    let first = layered(Mix::TpcbLike, 8);
    let told = compare(&[&first, &slower(&first, 2, 2)]);
    let commits = row(&told, LayerKind::Database, None);
    assert_eq!((answer(&told, LayerKind::Database), commits.durable), (Answer::Worse, Some(Durable::Commits)));
    assert_eq!((commits.flushes_per_commit.as_slice(), commits.drive_bytes_per_commit.len()), (&[Some(2.0), Some(2.0)][..], 2));
    assert!(commits.shares.iter().all(|share| share.is_some_and(|share| share.is_interval())));
    assert!(row(&told, LayerKind::Database, Some(Statistic::P50)).durable == Some(Durable::Sync), "the commit alone is timed");
    let text = &told.says[0].text;
    for part in ["are 0.5 (0.5 to 0.5) times those in", "durable writes of the filesystem 0.5 (", "what is below the database makes"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_database_that_does_not_follow_and_runs_that_are_alike_are_told_as_that() {
    let first = layered(Mix::TpcbLike, 8);
    let says = |second: &RunRecord| compare(&[&first, second]).says[0].text.clone();
    let alike = says(&slower(&first, 1, 1));
    assert!(alike.contains("cannot be told apart") && !alike.contains("makes the difference"), "{alike}");
    assert!(says(&slower(&first, 4, 2)).contains("does not follow them in the same measure"));
    assert!(says(&slower(&first, 2, 1)).contains("what makes the difference cannot be told"));
    assert!(says(&slower(&first, 1, 2)).contains("makes nothing of it"));
    let mut newer = slower(&first, 2, 2);
    newer.databases[0].version = "99".into();
    assert!(says(&newer).contains("the version of the database is another one"));
    assert!(compare(&[&first, &newer]).other_conditions(1).any(|one| one.name == "databases"));
}

#[test]
fn too_few_turns_tell_nothing() {
    let first = layered(Mix::TpcbLike, 3);
    let told = compare(&[&first, &slower(&first, 9, 9)]);
    assert_eq!(answer(&told, LayerKind::Database), Answer::CannotTell);
    assert!(told.says[0].text.contains("too few runs"), "{:?}", told.says);
}

#[test]
fn a_database_by_other_settings_is_another_one() {
    let first = layered(Mix::TpcbLike, 8);
    for (name, change) in [
        ("clients: 1, 4", (|of| of.clients = 4) as fn(&mut DatabaseRecord)),
        ("transaction: tpcb-like, a.sql@1 (0123456789ab)", |of| {
            of.scripts = vec![ScriptRecord { name: "a.sql".into(), weight: 1, sha256: "0123456789abcdef".into() }];
        }),
        ("transaction: tpcb-like, select-only", |of| of.mix = Mix::SelectOnly),
        ("sync call: not told, fsync", |of| of.settings.push(("sync call".into(), "fsync".into()))),
    ] {
        let mut second = first.clone();
        change(&mut second.databases[0]);
        let told = compare(&[&first, &second]);
        assert!(!told.rows.iter().any(Row::is_of_database) && told.says.is_empty() && !told.rows.is_empty(), "{name}");
        assert!(told.alone[0].title.contains(name), "{name}: {:?}", told.alone);
    }
}

#[test]
fn doubts_of_durable_writes_are_those_of_commits() {
    let first = layered(Mix::TpcbLike, 8);
    let mut second = slower(&first, 2, 2);
    let writes = first.jobs.iter().position(|job| job.workload.writes() && job.workload.durability.is_of_each_write()).unwrap();
    second.warnings.push(finding("cached-layer", writes as u32, crate::finding::Effect::Invalid));
    assert_eq!(answer(&compare(&[&first, &second]), LayerKind::Database), Answer::CannotTell);
}

/// A run in which two directories took turns, of which the second is half as fast; the blocks of both were read too.
fn two_directories() -> RunRecord {
    let mut run = layered(Mix::TpcbLike, 12);
    let reads = run.stages.iter().flat_map(|stage| &stage.rounds).map(|round| round.job).min().unwrap();
    let counted: Vec<u32> = run.stages.iter().flat_map(|stage| &stage.rounds).map(|round| round.job).collect();
    let jobs = run.jobs.len() as u32;
    let (mut target, mut device) = (run.targets[0].clone(), run.targets[0].clone());
    (target.facts.given, device.facts.given) = ("/mnt/b".into(), "/dev/sda1".into());
    run.targets.extend([target, TargetRecord { below: Some(0), ..device.clone() }, TargetRecord { below: Some(1), ..device }]);
    run.jobs.extend(run.jobs.clone().into_iter().map(|job| JobRecord { targets: vec![1], ..job }));
    let of_reads = run.jobs[reads as usize].clone();
    run.jobs.extend([2, 3].map(|target| JobRecord { targets: vec![target], ..of_reads.clone() }));
    run.databases.push(DatabaseRecord { target: 1, ..run.databases[0].clone() });
    let mut stages: Vec<Stage> = slower(&run, 2, 2).stages;
    stages.iter_mut().flat_map(|stage| &mut stage.rounds).for_each(|round| round.job += jobs);
    stages.iter_mut().flat_map(|stage| &mut stage.databases).for_each(|round| round.database = 1);
    let of_blocks = |stage: &Stage, job: u32| {
        let mut stage = stage.clone();
        stage.rounds[0].job = job;
        stage
    };
    let is_read = |stage: &&Stage| stage.rounds.first().is_some_and(|round| round.job == reads);
    let blocks: Vec<Stage> =
        run.stages.iter().filter(is_read).flat_map(|stage| [0, 1].map(|side| of_blocks(stage, 2 * jobs + side))).collect();
    run.stages.extend(stages.into_iter().chain(blocks));
    assert!(counted.iter().all(|job| *job < jobs));
    run
}

#[test]
fn two_directories_of_one_run_are_compared_turn_by_turn() {
    let run = two_directories();
    assert!(is_interleaved(&run) && !is_interleaved(&layered(Mix::TpcbLike, 12)));
    let [first, second] = sides(&run);
    assert_eq!((first.targets.len(), second.targets.len(), second.targets[1].below), (2, 2, Some(0)));
    let told = compare(&[&first, &second]);
    // Its loads have six turns, too few for pairs.
    let is_paired = |row: &Row| row.against[0].as_ref().unwrap().is_paired;
    assert!(
        told.alone.is_empty() && told.rows.iter().filter(|row| row.statistic.is_none()).all(|row| is_paired(row) == row.is_of_database()),
        "{:?}",
        told.alone
    );
    let kinds = [LayerKind::BlockReads, LayerKind::FilesystemReads, LayerKind::FilesystemWrites, LayerKind::Database];
    assert_eq!(kinds.map(|kind| answer(&told, kind)), [Answer::CannotTell, Answer::Worse, Answer::Worse, Answer::Worse]);
    assert!(row(&told, LayerKind::BlockReads, None).title().contains("past the filesystem, QD 1"));
    assert_eq!(row(&told, LayerKind::FilesystemReads, None).shares.iter().flatten().count(), 2);
    assert!(told.says[0].text.contains("on /mnt/b are 0.5 (0.5 to 0.5) times those on"), "{:?}", told.says);
    assert_eq!(told.runs[1].targets, ["/mnt/b"]);
}
