//! Demands of the ledger after writes in every order.

use super::Expectation::{AtLeast, Exactly, Unknown, Unwritten};
use super::*;
use crate::random::Draws;
use std::thread::scope;

const UNIT: u32 = 4096;
const START: u64 = 1 << 20;

/// Of four units and a half.
fn ledger() -> WriteLedger {
    WriteLedger::new(Span { offset_bytes: START, length_bytes: 18432 }, UNIT, 9).unwrap()
}

fn at(unit: u64) -> u64 {
    START + unit * u64::from(UNIT)
}

#[test]
fn a_write_is_unknown_until_it_comes_back() {
    let ledger = ledger();
    assert_eq!(ledger.expected(at(1)), Unwritten);
    let sequence = ledger.begin(at(1), UNIT);
    assert_eq!(ledger.expected(at(1)), Unknown);
    ledger.acknowledge(at(1), UNIT, sequence);
    assert_eq!([0, 1, 2].map(|u| ledger.expected(at(u))), [Unwritten, Exactly(sequence), Unwritten]);
    assert_eq!(ledger.expected(at(2) - 1), Exactly(sequence));
}

#[test]
fn a_write_may_have_several_units_and_the_last_may_be_cut() {
    let ledger = ledger();
    let all = ledger.begin(START, 18432);
    ledger.acknowledge(START, 18432, all);
    let one = ledger.begin(at(2), UNIT);
    ledger.acknowledge(at(2), UNIT, one);
    assert_ne!(one, all);
    let expected = [0, 1, 2, 3, 4].map(|u| ledger.expected(at(u)));
    assert_eq!(expected, [Exactly(all), Exactly(all), Exactly(one), Exactly(all), Exactly(all)]);
}

#[test]
fn after_writes_at_once_any_of_them_is_accepted() {
    let ledger = ledger();
    let first = ledger.begin(at(0), UNIT);
    let second = ledger.begin(at(0), 2 * UNIT);
    ledger.acknowledge(at(0), UNIT, first);
    assert_eq!(ledger.expected(at(0)), Unknown, "the second is under way");
    ledger.acknowledge(at(0), 2 * UNIT, second);
    assert_eq!((ledger.expected(at(0)), ledger.expected(at(1))), (AtLeast(first), Exactly(second)));
    let third = ledger.begin(at(0), UNIT);
    ledger.acknowledge(at(0), UNIT, third);
    assert_eq!(ledger.expected(at(0)), Exactly(third), "one alone settles it");
}

#[test]
fn after_a_failed_write_nothing_is_known_until_another_comes_back() {
    let ledger = ledger();
    let good = ledger.begin(at(0), UNIT);
    ledger.acknowledge(at(0), UNIT, good);
    ledger.begin(at(0), UNIT);
    ledger.abandon(at(0), UNIT);
    assert_eq!(ledger.expected(at(0)), Unknown);
    let (failing, other) = (ledger.begin(at(0), UNIT), ledger.begin(at(0), UNIT));
    ledger.abandon(at(0), UNIT);
    ledger.acknowledge(at(0), UNIT, other);
    assert!(failing < other && ledger.expected(at(0)) == Unknown, "the failed one may have come later");
    let last = ledger.begin(at(0), UNIT);
    ledger.acknowledge(at(0), UNIT, last);
    assert_eq!(ledger.expected(at(0)), Exactly(last));
}

#[test]
fn a_write_that_never_comes_back_leaves_its_units_unknown_for_good() {
    let ledger = ledger();
    ledger.begin(at(0), UNIT);
    let later = ledger.begin(at(0), UNIT);
    ledger.acknowledge(at(0), UNIT, later);
    assert_eq!(ledger.expected(at(0)), Unknown);
}

#[test]
fn a_unit_of_which_a_part_was_written_is_unknown() {
    let ledger = ledger();
    let sequence = ledger.begin(at(0) + 512, 2 * UNIT);
    ledger.acknowledge(at(0) + 512, 2 * UNIT, sequence);
    assert_eq!([0, 1, 2].map(|u| ledger.expected(at(u))), [Unknown, Exactly(sequence), Unknown]);
}

#[test]
fn a_part_written_beside_a_whole_leaves_the_unit_unknown() {
    let ledger = ledger();
    let (whole, part) = (ledger.begin(at(0), UNIT), ledger.begin(at(0), 512));
    ledger.acknowledge(at(0), UNIT, whole);
    ledger.acknowledge(at(0), 512, part);
    assert_eq!(ledger.expected(at(0)), Unknown);
}

#[test]
fn the_oldest_of_writes_at_once_counts_even_if_it_reached_the_unit_last() {
    let cell = Cell::default().begin(6, true, 0).begin(5, true, 0).end(true).end(true);
    assert_eq!(cell.expected(), AtLeast(5));
}

#[test]
fn a_write_that_comes_back_without_having_begun_settles_nothing() {
    let ledger = ledger();
    let old = ledger.begin(at(1), UNIT);
    ledger.begin(at(0), UNIT);
    ledger.acknowledge(at(0), UNIT, old);
    assert_eq!(ledger.expected(at(0)), Unknown);
}

#[test]
fn what_is_outside_of_the_span_is_unwritten_and_hurts_nobody() {
    let ledger = ledger();
    for offset in [0, START - 4096, at(5), u64::MAX - 100, u64::MAX] {
        let sequence = ledger.begin(offset, UNIT);
        ledger.acknowledge(offset, UNIT, sequence);
        ledger.abandon(offset, UNIT);
        ledger.look(offset, UNIT);
        assert!(ledger.rest_of_unit(offset) > 0);
        assert_eq!(ledger.expected(offset), Unwritten, "{offset}");
    }
    assert!((0..5).all(|u| ledger.expected(at(u)) == Unwritten));
}

#[test]
fn a_look_changes_with_every_step_of_a_write_below_it_only() {
    let ledger = ledger();
    let look = || ledger.look(at(0), 2 * UNIT);
    let elsewhere = ledger.begin(at(2), UNIT);
    let mut seen = vec![look()];
    ledger.acknowledge(at(2), UNIT, elsewhere);
    assert_eq!(seen[0], look());
    for unit in [0, 1, 0] {
        let sequence = ledger.begin(at(unit), UNIT);
        seen.push(look());
        ledger.acknowledge(at(unit), UNIT, sequence);
        seen.push(look());
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 7);
}

#[test]
fn sequence_numbers_begin_again() {
    let ledger = WriteLedger { last: Arc::new(AtomicU32::new(u32::MAX - 1)), ..ledger() };
    let (first, second) = (ledger.begin(at(0), UNIT), ledger.begin(at(0), UNIT));
    assert_eq!((first, second), (u32::MAX, 0));
    ledger.acknowledge(at(0), UNIT, second);
    ledger.acknowledge(at(0), UNIT, first);
    assert_eq!(ledger.expected(at(0)), AtLeast(u32::MAX));
    assert!(is_older(u32::MAX, 0) && !is_older(0, u32::MAX) && !is_older(7, 7));
}

/// Writes every one of some units over and over; gives the last sequence number of each.
fn write_over_and_over(ledger: &WriteLedger, units: &[u64], seed: u64) -> Vec<u32> {
    let mut random = Draws::new(seed);
    let mut last = vec![0; units.len()];
    for round in 0..4000 {
        let which = if round < units.len() { round } else { random.next() as usize % units.len() };
        last[which] = ledger.begin(at(units[which]), UNIT);
        assert_eq!(ledger.expected(at(units[which])), Unknown);
        ledger.acknowledge(at(units[which]), UNIT, last[which]);
    }
    last
}

#[test]
fn two_threads_on_units_of_their_own_do_not_disturb_each_other() {
    let ledger = WriteLedger::new(Span { offset_bytes: START, length_bytes: 64 << 12 }, UNIT, 9).unwrap();
    let (even, odd): (Vec<u64>, Vec<u64>) = (0..64).partition(|u| u % 2 == 0);
    let (left, right) = scope(|s| {
        let left = s.spawn(|| write_over_and_over(&ledger, &even, 1));
        let right = s.spawn(|| write_over_and_over(&ledger, &odd, 2));
        (left.join().unwrap(), right.join().unwrap())
    });
    for (unit, last) in even.iter().zip(left).chain(odd.iter().zip(right)) {
        assert_eq!(ledger.expected(at(*unit)), Exactly(last), "unit {unit}");
    }
}

#[test]
fn two_threads_on_the_same_unit_leave_one_that_either_may_have_written_last() {
    let ledger = ledger();
    let write = || {
        (0..4000).fold(0, |_, _| {
            let sequence = ledger.begin(at(0), UNIT);
            ledger.acknowledge(at(0), UNIT, sequence);
            sequence
        })
    };
    let lasts = scope(|s| [s.spawn(write), s.spawn(write)].map(|t| t.join().unwrap()));
    match ledger.expected(at(0)) {
        Exactly(sequence) => assert!(lasts.contains(&sequence)),
        AtLeast(oldest) => assert!(lasts.iter().any(|last| !is_older(*last, oldest))),
        other => panic!("{other:?} with nothing under way"),
    }
}

#[test]
fn a_ledger_that_is_too_large_is_refused_with_what_would_do() {
    let span = |length_bytes| Span { offset_bytes: 0, length_bytes };
    let error = WriteLedger::new(span(2 << 40), 4096, 1).unwrap_err().to_string();
    assert_eq!(
        error,
        "to check 2 TiB in blocks of 4 KiB takes 4 GiB of memory for what was written where, and it may be 1 GiB: \
         check at most 512 GiB, or use larger blocks"
    );
    assert!(matches!(WriteLedger::new(span((512 << 30) + 1), 4096, 1), Err(LedgerError::TooLong { .. })));
    assert!(WriteLedger::new(span(u64::MAX), 1 << 30, 1).unwrap_err().to_string().contains("at most"));
    assert_eq!(WriteLedger::new(span(4096), 1000, 1).unwrap_err(), LedgerError::Unit(1000));
    assert_eq!(WriteLedger::new(span(4096), 0, 1).unwrap_err(), LedgerError::Unit(0));
}

#[test]
fn it_covers_what_is_inside() {
    let covers = |offset_bytes, length_bytes| ledger().covers(Span { offset_bytes, length_bytes });
    assert!(covers(START, 18432) && covers(START + 4096, 4096));
    assert!(!covers(START - 512, 512) && !covers(START, 18433) && !covers(START, u64::MAX));
}

/// Memory of this process that is in use. Bytes.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * rustix::param::page_size() as u64
}

#[test]
fn memory_is_taken_where_something_was_written_alone() {
    let before = resident_bytes();
    // Cells of 1 GiB: all that there may be.
    let ledger = WriteLedger::new(Span { offset_bytes: 0, length_bytes: 64 << 30 }, 512, 1).unwrap();
    ledger.acknowledge(32 << 30, 512, ledger.begin(32 << 30, 512));
    let taken = resident_bytes().saturating_sub(before);
    assert!(taken < 512 << 20, "{taken} bytes");
}
