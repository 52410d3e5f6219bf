//! Each I/O, from logs with offsets.

use super::logs::Io;
use super::pair::{Pair, Seen};
use std::collections::BTreeMap;

/// The I/Os of each clone, by number of clone.
fn clones(seen: &Seen) -> Vec<Vec<Io>> {
    let logs = seen.logs.iter().filter(|(name, _)| name.contains("_lat."));
    logs.map(|(_, log)| log.ios()).collect()
}

/// Differences of the clones whose I/Os `differ`; a missing log is one too.
fn each(pair: &Pair, differ: impl Fn(&[Io], &[Io]) -> Option<String>) -> Vec<String> {
    let (theirs, ours) = (clones(&pair.theirs), clones(&pair.ours));
    if theirs.is_empty() || theirs.len() != ours.len() {
        return vec![format!("logs: fio {}, ioproof {}", theirs.len(), ours.len())];
    }
    theirs.iter().zip(&ours).filter_map(|(theirs, ours)| differ(theirs, ours)).collect()
}

/// The same I/Os in the same order.
pub fn order(pair: &Pair) -> Vec<String> {
    each(pair, |theirs, ours| {
        let place = theirs.iter().zip(ours).position(|(a, b)| a != b);
        let at = |ios: &[Io]| place.and_then(|place| ios.get(place).copied());
        (theirs != ours)
            .then(|| format!("I/O {place:?}: fio {:?} of {}, ioproof {:?} of {}", at(theirs), theirs.len(), at(ours), ours.len()))
    })
}

/// The same I/Os in any order; where they are in random order, in one.
pub fn offsets(pair: &Pair) -> Vec<String> {
    each(pair, |theirs, ours| {
        let sorted = |ios: &[Io]| {
            let mut ios = ios.to_vec();
            ios.sort_unstable();
            ios
        };
        let random = |ios: &[Io]| ios.len() > 8 && !ios.is_sorted_by_key(|io| io.offset);
        let same = sorted(theirs) == sorted(ours) && random(theirs) == random(ours);
        (!same).then(|| {
            format!("blocks: fio {} (random: {}), ioproof {} (random: {})", theirs.len(), random(theirs), ours.len(), random(ours))
        })
    })
}

/// Number of visits to each 4 KiB.
pub fn visits(pair: &Pair) -> Vec<String> {
    each(pair, |theirs, ours| unlike_visits(&visits_of(theirs), &visits_of(ours)))
}

fn visits_of(ios: &[Io]) -> BTreeMap<u64, u64> {
    counts(ios.iter().flat_map(|io| (io.offset..io.offset + io.bytes).step_by(4096)))
}

fn unlike_visits(theirs: &BTreeMap<u64, u64>, ours: &BTreeMap<u64, u64>) -> Option<String> {
    let of = |counts: &BTreeMap<u64, u64>, at: &u64| counts.get(at).copied().unwrap_or(0);
    let mut all = theirs.keys().chain(ours.keys());
    let first = all.find(|at| of(theirs, at) != of(ours, at))?;
    Some(format!("visits of the 4 KiB at {first}: fio {}, ioproof {}", of(theirs, first), of(ours, first)))
}

/// Shares of each pair of direction and size.
pub fn sizes(pair: &Pair) -> Vec<String> {
    each(pair, |theirs, ours| {
        let count = |ios: &[Io]| counts(ios.iter().map(|io| (io.direction, io.bytes)));
        unlike(&count(theirs), &count(ours))
    })
}

/// I/Os of each part of the region.
pub fn regions(pair: &Pair, parts: u64) -> Vec<String> {
    each(pair, |theirs, ours| {
        let end = theirs.iter().chain(ours).map(|io| io.offset + io.bytes).max().unwrap_or(1);
        let count = |ios: &[Io]| counts(ios.iter().map(|io| io.offset * parts / end));
        unlike(&count(theirs), &count(ours))
    })
}

fn counts<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

/// Difference of two samples that cannot be of one distribution: five standard deviations of the difference of two counts.
fn unlike<K: Ord + std::fmt::Debug>(theirs: &BTreeMap<K, u64>, ours: &BTreeMap<K, u64>) -> Option<String> {
    let keys = theirs.keys().chain(ours.keys());
    let of = |counts: &BTreeMap<K, u64>, key: &K| counts.get(key).copied().unwrap_or(0);
    let far = |(a, b): (u64, u64)| a.abs_diff(b) as f64 > 5.0 * ((a + b) as f64).sqrt();
    let off = keys.map(|key| (key, of(theirs, key), of(ours, key))).find(|(_, a, b)| far((*a, *b)));
    off.map(|(key, a, b)| format!("{key:?}: fio {a} I/Os, ioproof {b}"))
}

/// The share of the busiest tenth of the blocks.
pub fn busiest(pair: &Pair) -> Vec<String> {
    each(pair, |theirs, ours| {
        let end = theirs.iter().chain(ours).map(|io| io.offset / io.bytes + 1).max().unwrap_or(1);
        let [a, b] = [theirs, ours].map(|ios| busiest_share(ios, end / 10));
        ((a - b).abs() > 0.03).then(|| format!("share of the busiest tenth: fio {a:.3}, ioproof {b:.3}"))
    })
}

fn busiest_share(ios: &[Io], blocks: u64) -> f64 {
    let mut uses: Vec<u64> = counts(ios.iter().map(|io| io.offset)).into_values().collect();
    uses.sort_unstable_by(|a, b| b.cmp(a));
    uses.iter().take(blocks as usize).sum::<u64>() as f64 / ios.len() as f64
}

/// The share of I/Os that begin where the one before ended.
pub fn follows(pair: &Pair) -> Vec<String> {
    each(pair, |theirs, ours| {
        let count = |ios: &[Io]| counts(ios.windows(2).map(|two| two[1].offset == two[0].offset + two[0].bytes));
        unlike(&count(theirs), &count(ours))
    })
}

#[test]
fn what_lies_beyond_chance_is_seen() {
    let counts = |a: u64, b: u64| BTreeMap::from([(0, a), (1, b)]);
    assert!(unlike(&counts(500, 500), &counts(480, 520)).is_none());
    assert!(unlike(&counts(500, 500), &counts(700, 300)).is_some());
    assert!(unlike(&counts(1000, 0), &counts(900, 100)).is_some());
}

#[test]
fn visits_are_of_blocks_and_not_of_ios() {
    let io = |block: u64, blocks: u64| Io { direction: 0, bytes: blocks * 4096, offset: block * 4096 };
    let one = visits_of(&[io(0, 4), io(4, 1)]);
    assert_eq!(unlike_visits(&one, &visits_of(&[io(1, 4), io(0, 1)])), None);
    assert!(unlike_visits(&one, &visits_of(&[io(0, 4), io(3, 1)])).is_some_and(|said| said.contains("at 12288")));
    assert!(unlike_visits(&one, &visits_of(&[io(0, 4)])).is_some());
}

#[test]
fn the_busiest_blocks_come_first() {
    let ios: Vec<Io> = [0, 1, 1, 1, 2, 3, 4, 5, 6, 1].map(|block| Io { direction: 0, bytes: 4096, offset: block * 4096 }).into();
    assert_eq!((busiest_share(&ios, 1), busiest_share(&ios, 2)), (0.4, 0.5));
}
