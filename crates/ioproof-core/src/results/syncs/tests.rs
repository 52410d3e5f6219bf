//! Ways of a made-up run.

use super::*;
use crate::claim::Statistic;
use crate::finding::Effect;
use crate::judge::judge;
use crate::record::{DeviceCounters, RunRecord};
use crate::shape::{Growth, Shape};
use crate::testing::{drive_counters, finding, histogram, record_with};
use crate::verdict::Verdict;
use crate::workload::Pattern;

/// One writer whose every write is synced.
pub(crate) fn each() -> Workload {
    Workload { durability: Durability::FdatasyncEach, ..Workload::plain(Pattern::Sequential, 0, 4096, 1, 1) }
}

/// A run of these ways, six rounds each of 1000 writes in a second with a sync of `sync_ns` after each where the way has one, and a flush of the drive for
/// every `writes_a_flush` writes.
pub(crate) fn run(ways: &[Workload], sync_ns: u64, writes_a_flush: u64) -> RunRecord {
    let mut record = record_with(|_, _| 1000.0);
    record.verb = VERB.into();
    let planned = record.plan.as_ref().unwrap().reads[0].clone();
    let plan = record.plan.as_mut().unwrap();
    plan.reads.clear();
    plan.writes = ways.iter().map(|workload| crate::plan::Planned { workload: workload.clone(), ..planned.clone() }).collect();
    record.jobs.truncate(ways.len());
    record.stages.truncate(ways.len() * 6);
    for (job, way) in record.jobs.iter_mut().zip(ways) {
        job.workload = way.clone();
    }
    for stage in &mut record.stages {
        let round = &mut stage.rounds[0];
        let all = std::mem::take(&mut round.read);
        let ios = if all.ios > 0 { all.ios } else { round.write.ios };
        round.elapsed_ns = ios * 1_000_000;
        (round.write.ios, round.write.bytes, round.write.latency) = (ios, ios * 4096, histogram(&[(20_000, 1000)]));
        (round.sync.ios, round.sync.latency) = (ios, histogram(&[(sync_ns, 1000)]));
        // The ramp is as long again.
        round.total_bytes = (0, ios * 4096 * 2);
        let (write_ios, write_bytes, flush_ios) = (ios * 2, ios * 4096 * 2, ios * 2 / writes_a_flush);
        stage.devices = Some(vec![DeviceCounters { write_ios, write_bytes, flush_ios, ..drive_counters() }]);
    }
    record
}

fn syncs(record: &RunRecord) -> Syncs {
    judge(record).results.syncs.unwrap()
}

#[test]
fn commits_are_counted_by_the_way() {
    let with = |durability| Workload { durability, ..each() };
    let files = Shape { more_files: 3, ..Shape::PLAIN };
    let all = Workload { shape: files, ..with(Durability::FsyncAllEvery(1)) };
    let found =
        syncs(&run(&[each(), with(Durability::Dsync), all, with(Durability::None), with(Durability::SyncFileRangeEvery(8))], 100_000, 1));
    let rates: Vec<Option<f64>> = found.ways.iter().map(|way| way.commits_per_s.map(|rate| rate.median.round())).collect();
    assert_eq!(rates, [Some(1000.0), Some(1000.0), Some(250.0), None, None]);
    assert!(found.ways.iter().all(|way| way.writes_per_s.median.round() == 1000.0 && way.writes_per_s.is_interval()));
    assert!(found.ways[0].sync.unwrap().p50_ns.is_some_and(|ns| ns.abs_diff(100_000) < 1000));
    assert!(found.ways[0].write.p50_ns.is_some_and(|ns| ns.abs_diff(20_000) < 200));
}

#[test]
fn flushes_are_of_what_the_counters_saw_with_the_ramp() {
    let flushes = |writes_a_flush| syncs(&run(&[each()], 100_000, writes_a_flush)).ways[0].flushes_per_commit.unwrap();
    assert!((flushes(1) - 1.0).abs() < 1e-9 && (flushes(4) - 0.25).abs() < 0.01);
    let mut uncounted = run(&[each()], 100_000, 1);
    uncounted = uncounted.uncounted();
    assert_eq!(syncs(&uncounted).ways[0].flushes_per_commit, None, "not counted is not zero");
}

#[test]
fn limits_are_met_missed_or_cannot_be_told() {
    let goal = Goal { name: "etcd".into(), workload: each(), statistic: Statistic::P99, most_ns: 10_000_000, source: "x".into() };
    let judged = |sync_ns, rounds| {
        let mut record = run(&[each()], sync_ns, 1);
        record.plan.as_mut().unwrap().goals = vec![goal.clone()];
        record.stages.truncate(rounds);
        let judgement = judge(&record);
        (judgement.results.syncs.unwrap().goals[0].verdict, judgement.exit_status)
    };
    assert_eq!(judged(100_000, 6).0, Verdict::Meets);
    assert_eq!(judged(50_000_000, 6), (Verdict::Misses, 1));
    assert_eq!(judged(100_000, 3), (Verdict::CannotTell, 3), "three runs carry no interval");
}

#[test]
fn findings_about_its_load_bear_on_a_limit() {
    let goal = Goal { name: "etcd".into(), workload: each(), statistic: Statistic::P99, most_ns: 10_000_000, source: "x".into() };
    let judged = |sync_ns, effect, job| {
        let mut record = run(&[each()], sync_ns, 1);
        record.plan.as_mut().unwrap().goals = vec![goal.clone()];
        record.warnings.push(finding("cached-layer", job, effect));
        let judgement = judge(&record);
        let answer = &judgement.results.syncs.unwrap().goals[0];
        (answer.verdict, answer.reasons.len(), judgement.exit_status)
    };
    for effect in [Effect::Invalid, Effect::Easier, Effect::Incomparable, Effect::Unsteady] {
        assert_eq!(judged(100_000, effect, 0), (Verdict::CannotTell, 1, 3), "{effect:?}");
    }
    for effect in [Effect::Invalid, Effect::Harder, Effect::HeldBack] {
        assert_eq!(judged(50_000_000, effect, 0), (Verdict::CannotTell, 1, 3), "{effect:?}");
    }
    assert_eq!(judged(100_000, Effect::Harder, 0).0, Verdict::Meets);
    assert_eq!(judged(50_000_000, Effect::Easier, 0).0, Verdict::Misses);
    assert_eq!(judged(100_000, Effect::Invalid, 7), (Verdict::Meets, 0, 0), "of another load");
}

#[test]
fn causes_are_stated_only_where_intervals_lie_apart() {
    let none = Workload { durability: Durability::None, ..each() };
    let writers = Workload { workers: 16, ..each() };
    let grown = Workload { shape: Shape { growth: Growth::Append, ..Shape::PLAIN }, ..each() };
    let mut record = run(&[each(), none, writers, grown], 100_000, 1);
    let said = syncs(&record).says.join("; ");
    assert_eq!(said.matches("cannot be told apart in this run").count(), 3, "{said}");
    assert!(!said.contains("times as") && !said.contains("books"), "{said}");
    // Each further way takes its own time.
    for stage in &mut record.stages {
        let round = &mut stage.rounds[0];
        round.elapsed_ns = round.elapsed_ns * [4, 1, 2, 8][round.job as usize] / 4;
    }
    let apart = syncs(&record).says.join("; ");
    for part in ["writes 4.0 times as often", "2.0 times as many as one", "must keep its own books"] {
        assert!(apart.contains(part), "{part}: {apart}");
    }
    record.stages.retain(|stage| stage.repetition < 3);
    let few = syncs(&record).says.join("; ");
    assert_eq!(few.matches("cannot be told apart").count(), 3, "three runs carry no interval: {few}");
}

#[test]
fn a_growing_file_is_held_against_blocks_that_were_written_over_and_never_against_itself() {
    let with = |growth| Workload { shape: Shape { growth, ..Shape::PLAIN }, ..each() };
    let said = |growths: &[Growth]| {
        let ways: Vec<Workload> = growths.iter().map(|growth| with(*growth)).collect();
        syncs(&run(&ways, 100_000, 1)).says.join("; ").contains("over existing blocks")
    };
    for alone in [&[Growth::Append][..], &[Growth::Append, Growth::Reserved], &[Growth::Reserved, Growth::Append]] {
        assert!(!said(alone), "{alone:?}: no existing blocks were written over");
    }
    assert!(said(&[Growth::Append, Growth::Overwrite]) && said(&[Growth::Overwrite, Growth::Append]));
}

#[test]
fn flushes_of_others_are_told_with_the_count() {
    let mut record = run(&[each()], 100_000, 1);
    record.stages.iter_mut().for_each(|stage| stage.devices.as_mut().unwrap()[0].flush_ios *= 2);
    let said = syncs(&record).says.join("; ");
    assert!(said.contains("2.00 flushes reached the drive for a commit (by the drive's count, with those of others"), "{said}");
}

#[test]
fn it_says_what_it_means() {
    let none = Workload { durability: Durability::None, ..each() };
    let writers = Workload { workers: 16, ..each() };
    let grown = Workload { shape: Shape { growth: Growth::Append, ..Shape::PLAIN }, ..each() };
    let said = syncs(&run(&[each(), none, writers, grown], 100_000, 1)).says.join("; ");
    for part in [
        "one writer makes 1000 commits a second, of 4 KiB with fdatasync",
        "16 writers together make 1000",
        "1.00 flushes reached",
        "appending to a growing file",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let mut unflushed = run(&[each()], 5_000, 1);
    unflushed.stages.iter_mut().for_each(|stage| stage.devices.as_mut().unwrap()[0].flush_ios = 0);
    assert!(syncs(&unflushed).says.join("; ").contains("no flush reached the drive"));
}

fn cache_of(value: &str) -> Option<crate::facts::Fact<String>> {
    Some(crate::facts::Fact { value: value.into(), source: "x".into() })
}

#[test]
fn it_says_what_is_known_of_the_cache() {
    let said = |change: fn(&mut RunRecord)| {
        let mut record = run(&[each()], 100_000, 1);
        record.targets[0].datasheet = None;
        change(&mut record);
        syncs(&record).says[0].clone()
    };
    let back = said(|record| record.targets[0].drives[0].write_cache = cache_of("write back"));
    assert!(back.contains("write back (flushes are sent)") && back.contains("protected against power loss is not known"), "{back}");
    let through = said(|record| record.targets[0].drives[0].write_cache = cache_of("write through"));
    assert!(through.ends_with("write through (no flush is sent)"), "{through}");
    assert!(said(|record| record.targets[0].drives[0].write_cache = None).contains("does not say whether it has a write cache"));
    let of_virtual = said(|record| {
        let drive = &mut record.targets[0].drives[0];
        (drive.kind, drive.write_cache) = (crate::facts::DriveKind::Virtio, cache_of("write back"));
    });
    assert!(of_virtual.contains("cannot be seen from here"), "{of_virtual}");
}

#[test]
fn other_verbs_have_none() {
    let mut record = run(&[each()], 100_000, 1);
    record.verb = "verify".into();
    assert_eq!(judge(&record).results.syncs, None);
}

#[test]
fn a_write_whose_sync_is_of_several_is_named_without_it() {
    let every = Workload { durability: Durability::FdatasyncEvery(8), ..each() };
    let dsync = Workload { durability: Durability::Dsync, ..each() };
    let mut record = run(&[every, dsync], 100_000, 1);
    let of_write_itself = record.rounds_mut().filter(|round| round.job == 1);
    of_write_itself.for_each(|round| round.sync = crate::record::Direction::default());
    let named: Vec<String> = judge(&record).latencies.iter().map(|row| row.operation.clone()).collect();
    assert_eq!(named, ["write, sync apart", "write + O_DSYNC"]);
}
