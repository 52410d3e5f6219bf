//! Drives alone and at once, with rates that are known.

use super::*;
use crate::judge::judge;
use crate::record::{JobRecord, RoundOutcome, TargetRecord};
use crate::testing::{record, round, stage};
use proptest::prelude::*;

/// Drives of these rates alone, of which all at once keep these, in so many turns. I/Os per second.
pub(crate) fn measured(alone: &[f64], together: &[f64], turns: u32) -> RunRecord {
    let mut made = record();
    let job = made.jobs.iter().find(|job| job.workload.id() == "rand-read-4k-4x32").unwrap().clone();
    let target = made.targets[0].clone();
    made.targets = (0..alone.len()).map(|at| named(&target, at)).collect();
    made.jobs = (0..alone.len() as u32).map(|target| JobRecord { targets: vec![target], ..job.clone() }).collect();
    made.stages.clear();
    let of = |at: usize, rate: f64| round(at as u32, &job.workload, rate);
    for turn in 0..turns {
        for (at, rate) in alone.iter().enumerate() {
            let mut one = stage(made.stages.len() as u32, turn, of(at, *rate));
            one.devices.as_mut().unwrap()[0].name = drive_name(at);
            made.stages.push(one);
        }
        let rounds: Vec<_> = together.iter().enumerate().map(|(at, rate)| of(at, *rate)).collect();
        let first = stage(made.stages.len() as u32, turn, rounds[0].clone());
        made.stages.push(Stage { purpose: Purpose::Together, rounds, devices: None, ..first });
    }
    made
}

fn named(target: &TargetRecord, at: usize) -> TargetRecord {
    let mut target = target.clone();
    target.facts.given = format!("/dev/{}", drive_name(at));
    target.drives[0].name = drive_name(at);
    target
}

fn drive_name(at: usize) -> String {
    format!("nvme{at}n1")
}

fn account_of(record: &RunRecord) -> Vec<TogetherRow> {
    rows(&Context::new(record))
}

#[test]
fn less_at_once_than_alone_is_told_with_who_loses() {
    let record = measured(&[100e3, 100e3], &[90e3, 60e3], 6);
    let together = judge(&record).results.together.unwrap();
    let row = &together.rows[0];
    assert_eq!((row.apart.iops.median, row.together.iops.median, row.answer), (200e3, 150e3, AtOnce::Less));
    assert!((row.share.median - 0.75).abs() < 1e-9 && row.share.is_interval());
    assert_eq!(row.members.iter().map(|member| member.target).collect::<Vec<_>>(), [0, 1]);
    let said = &together.says[0];
    assert!(said.contains("all 2 at once give 150 kIOPS, each alone 200 kIOPS added up; 75"), "{said}");
    assert!(said.contains("/dev/nvme1n1 keeps least of its own (60"), "{said}");
}

#[test]
fn as_much_at_once_as_alone_is_told() {
    let row = &account_of(&measured(&[100e3, 50e3, 10e3], &[100e3, 50e3, 10e3], 6))[0];
    assert_eq!((row.answer, row.members.len()), (AtOnce::AsMuch, 3));
}

#[test]
fn few_turns_tell_nothing() {
    let record = measured(&[100e3, 100e3], &[50e3, 50e3], 3);
    assert_eq!(account_of(&record)[0].answer, AtOnce::CannotTell);
    let said = judge(&record).results.together.unwrap().says.remove(0);
    assert!(said.ends_with("3 turns are too few to tell whether that is less"), "{said}");
}

#[test]
fn a_turn_counts_where_all_of_its_rounds_do() {
    let mut record = measured(&[100e3, 100e3], &[50e3, 50e3], 7);
    record.stages[1].rounds[0].outcome = RoundOutcome::Failed;
    assert_eq!(account_of(&record)[0].share.runs, 6);
    record.stages.iter_mut().for_each(|stage| stage.rounds[0].outcome = RoundOutcome::Failed);
    assert!(account_of(&record).is_empty() && judge(&record).results.together.is_none());
}

#[test]
fn claims_are_judged_by_each_alone() {
    let record = measured(&[100e3, 100e3], &[10e3, 10e3], 6);
    let judgement = judge(&record);
    let medians: Vec<f64> = judgement.rows.iter().filter_map(|row| row.measured).map(|measured| measured.median).collect();
    assert_eq!(medians, [100e3, 100e3]);
    assert!(judge(&crate::testing::record()).results.together.is_none());
}

#[test]
fn two_names_of_one_drive_are_told() {
    let mut record = measured(&[100e3, 100e3], &[50e3, 50e3], 6);
    assert!(one_drive(&record).is_empty());
    record.targets[1].drives[0].name = drive_name(0);
    assert_eq!(
        one_drive(&record),
        ["/dev/nvme0n1 and /dev/nvme1n1 lie on one drive, nvme0n1, which they share when all are measured at once"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_share_is_that_of_the_sum_whatever_each_gives(
        alone in proptest::collection::vec(1_000_u32..1_000_000, 2..5),
        percent in 10_u32..130,
    ) {
        let alone: Vec<f64> = alone.into_iter().map(f64::from).collect();
        let share = f64::from(percent) / 100.0;
        let together: Vec<f64> = alone.iter().map(|rate| (rate * share).floor()).collect();
        let row = account_of(&measured(&alone, &together, 6)).remove(0);
        prop_assert!((row.share.median - together.iter().sum::<f64>() / alone.iter().sum::<f64>()).abs() < 1e-9);
        prop_assert!(row.share.low <= row.share.median && row.share.median <= row.share.high);
        prop_assert_eq!(row.members.len(), alone.len());
        match row.answer {
            AtOnce::Less => prop_assert!(percent <= 100),
            AtOnce::AsMuch => prop_assert!(percent >= 94),
            AtOnce::CannotTell => prop_assert!((90..=101).contains(&percent)),
        }
    }
}
