//! Accounts of made-up runs: which bars there are, with which ends and marks.

use super::*;
use crate::judge::judge;
use crate::layers::pool::tests::layered as pooled;
use crate::layers::tests::{layered, with_blocks};
use crate::record::{Mix, RunRecord};

fn accounts(record: &RunRecord) -> Vec<Account> {
    judge(record).results.layers.unwrap().accounts
}

/// The layer that counts as 100 %, the bars above it in per cent, and the mark of policy.
type AccountParts = (Whole, Vec<(LayerKind, f64)>, Option<f64>);

fn told(record: &RunRecord) -> Vec<AccountParts> {
    let layers = judge(record).results.layers.unwrap();
    let bars = |account: &Account| account.bars.iter().map(|bar| (bar.kind, (bar.share.median * 100.0).round())).collect();
    layers.accounts.iter().map(|one| (one.whole, bars(one), layers.verdict_of(one).map(|told| told.threshold))).collect()
}

#[test]
fn reads_are_of_the_same_blocks_and_commits_of_durable_writes() {
    let all = accounts(&with_blocks(2));
    let reads = (Whole::SameBlocks, vec![(LayerKind::FilesystemReads, 50.0)], Some(0.5));
    let commits = (Whole::DurableWrites, vec![(LayerKind::Database, 50.0)], None);
    assert_eq!(told(&with_blocks(2)), [reads, commits]);
    for account in &all {
        let share = account.bars[0].share;
        assert!(
            share.is_interval() && share.low <= share.median && share.median <= share.high && account.left_out.is_empty(),
            "{account:?}"
        );
    }
    assert!(all[0].title.contains("of its blocks on") && all[1].title.contains("fdatasync"), "{all:?}");
}

#[test]
fn what_was_not_measured_has_no_account() {
    let wholes = |record: &RunRecord| accounts(record).iter().map(|account| account.whole).collect::<Vec<_>>();
    assert_eq!(wholes(&layered(Mix::TpcbLike, 6)), [Whole::DurableWrites], "no reads past the filesystem");
    assert!(wholes(&layered(Mix::SelectOnly, 6)).is_empty(), "a database that only reads commits nothing");
    let mut by_others = layered(Mix::TpcbLike, 6);
    by_others.databases[0].clients = 7;
    assert!(wholes(&by_others).is_empty(), "durable writes by another number of writers");
}

#[test]
fn the_mark_is_that_of_policy() {
    let mut record = with_blocks(3);
    record.policy.threshold_filesystem = 0.3;
    assert_eq!(told(&record)[0].2, Some(0.3));
}

#[test]
fn turns_that_are_too_few_give_a_spread() {
    let mut record = with_blocks(2);
    record.stages.retain(|stage| stage.repetition < 3);
    let all = accounts(&record);
    assert!(all.len() == 2 && all.iter().flat_map(|account| &account.bars).all(|bar| !bar.share.is_interval()), "{all:?}");
}

#[test]
fn what_a_cache_gave_is_no_bar() {
    let mut record = with_blocks(2);
    let reads = judge(&record).results.layers.unwrap().rows[1].job.unwrap();
    let of_file = record.stages.iter_mut().filter(|stage| stage.rounds.iter().any(|round| round.job == reads));
    of_file.flat_map(|stage| stage.devices.iter_mut().flatten()).for_each(|drive| drive.read_bytes /= 10);
    let all = accounts(&record);
    assert!(all[0].bars.is_empty() && all[0].left_out[0].rules.contains(&"page-cache".to_owned()), "{:?}", all[0]);
    assert_eq!(told(&record)[1].1, [(LayerKind::Database, 50.0)], "commits are told all the same");
}

#[test]
fn commits_that_do_not_wait_for_the_drive_are_no_bar() {
    let mut record = layered(Mix::TpcbLike, 6);
    record.databases[0].settings = vec![("journal_mode".into(), "wal".into()), ("synchronous".into(), "normal".into())];
    let account = &accounts(&record)[0];
    assert!(account.bars.is_empty(), "{account:?}");
    assert_eq!(
        (account.left_out[0].title.as_str(), account.left_out[0].rules.clone()),
        ("SQLite, WAL, synchronous FULL", vec![UNSYNCED.to_owned()])
    );
}

#[test]
fn a_filesystem_on_drives_has_an_account_for_each_way_and_a_mark_at_one() {
    let of = |way, percent, threshold| (Whole::Drives { way, drives: 2 }, vec![(LayerKind::FilesystemReads, percent)], threshold);
    let expected = [of(PoolWay::OneDrive, 90.0, None), of(PoolWay::AddedUp, 60.0, None), of(PoolWay::AtOnce, 80.0, Some(0.5))];
    assert_eq!(told(&pooled(90e3, 120e3)), expected);
}
