//! Shares of I/Os, and how far chance may move them.

use super::trace::TracedCall;
use std::collections::BTreeMap;

/// Asserts that `hits` of `all` are a share `p` as far as chance allows: five standard deviations of the binomial distribution, beyond which
/// one draw in a million lies.
#[track_caller]
pub fn assert_share(hits: u64, all: u64, p: f64) {
    let share = hits as f64 / all as f64;
    let limit = 5.0 * (p * (1.0 - p) / all as f64).sqrt();
    assert!((share - p).abs() < limit, "{hits} of {all} are {share}, not {p} within {limit}");
}

/// Which share of the I/Os goes to the share `top` of `blocks` blocks that are used most.
pub fn share_of_most_used(calls: &[TracedCall], blocks: u64, top: f64) -> f64 {
    let mut uses: BTreeMap<u64, u64> = BTreeMap::new();
    for (_, offset) in calls.iter().filter_map(|call| call.transfer()) {
        *uses.entry(offset).or_default() += 1;
    }
    let mut uses: Vec<u64> = uses.into_values().collect();
    uses.sort_unstable_by(|a, b| b.cmp(a));
    let most: u64 = uses.iter().take((blocks as f64 * top) as usize).sum();
    most as f64 / uses.iter().sum::<u64>() as f64
}

#[test]
fn the_most_used_come_first() {
    let calls: Vec<TracedCall> = [0, 1, 1, 1, 2, 3, 4, 5, 6, 1].map(|offset| TracedCall::Read { bytes: 4096, offset }).into();
    assert_eq!(share_of_most_used(&calls, 10, 0.1), 0.4);
    assert_eq!(share_of_most_used(&calls, 10, 0.2), 0.5);
}

#[test]
#[should_panic(expected = "not 0.7")]
fn a_share_that_is_off_is_seen() {
    assert_share(720, 1000, 0.7);
    assert_share(800, 1000, 0.7);
}
