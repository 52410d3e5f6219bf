//! Data that nobody promised must not be blamed on anybody: writes under way, failed, at once, or of somebody else.

use super::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::scope;

#[test]
fn of_overlapping_writes_either_is_accepted_but_not_an_older_one() {
    let mut rig = Rig::written();
    let old = rig.drive[..4096].to_vec();
    let (first, second) = (rig.begin(0, 1), rig.begin(0, 1));
    rig.acknowledge(0, 1, second);
    rig.acknowledge(0, 1, first);
    let blocks = [first, second].map(|s| Rig::block(0, 1, s, SEED));
    for block in &blocks {
        rig.put(0, block);
        assert_eq!(counts(&rig.read(0, 1)), [8, 0, 0, 0, 0, 0]);
    }
    rig.put(0, &blocks[0][..1024]);
    assert_eq!(counts(&rig.read(0, 1)), [8, 0, 0, 0, 0, 0], "some of the one, some of the other");
    rig.drive[100] ^= 1;
    assert_eq!(counts(&rig.read(0, 1)), [7, 0, 1, 0, 0, 0], "no drive mixes two within a piece");
    rig.ledger.note_mixing();
    assert_eq!(counts(&rig.read(0, 1)), [7, 1, 0, 0, 0, 0], "whoever copies into mapped memory does");
    rig.put(0, &old);
    assert_eq!(counts(&rig.read(0, 1)), [0, 0, 0, 0, 8, 0]);
}

#[test]
fn while_a_write_is_under_way_or_failed_old_and_new_are_accepted() {
    let mut rig = Rig::written();
    let sequence = rig.begin(0, 1);
    let new = Rig::block(0, 1, sequence, SEED);
    for abandoned in [false, true] {
        if abandoned {
            rig.ledger.abandon(START, UNIT);
        }
        assert_eq!(counts(&rig.read(0, 1)), [8, 0, 0, 0, 0, 0]);
        rig.put(0, &new[..2048]);
        assert_eq!(counts(&rig.read(0, 1)), [8, 0, 0, 0, 0, 0]);
        rig.drive[100] ^= 1;
        assert_eq!(counts(&rig.read(0, 1)), [7, 1, 0, 0, 0, 0], "half of a piece may have been written");
        rig.drive[100] ^= 1;
    }
    let last = rig.write_and_lose(0, 1);
    assert_eq!(counts(&rig.read(0, 1)), [0, 0, 0, 0, 8, 0], "write {last} settles it");
}

#[test]
fn a_write_that_came_and_went_during_a_read_is_no_ground_for_complaint() {
    let mut rig = Rig::written();
    let stood = rig.drive[..8192].to_vec();
    let judge = |rig: &Rig, seen| {
        let mut result = CheckResult::default();
        check_read(&rig.ledger, seen, START, &stood, &mut result);
        counts(&result)
    };
    let before = rig.ledger.look(START, 2 * UNIT);
    let under_way = rig.begin(0, 1);
    let during = rig.ledger.look(START, 2 * UNIT);
    rig.acknowledge(0, 1, under_way);
    assert_eq!(judge(&rig, before), [16, 0, 0, 0, 0, 0], "begun and done while it was read");
    assert_eq!(judge(&rig, during), [16, 0, 0, 0, 0, 0], "done while it was read");
    let after = rig.ledger.look(START, 2 * UNIT);
    assert_eq!(judge(&rig, after), [8, 0, 0, 0, 8, 0], "done before");
    rig.write(1, 1);
    assert_eq!(judge(&rig, after), [16, 0, 0, 0, 0, 0]);
}

#[test]
fn data_nobody_wrote_is_not_judged() {
    let mut rig = Rig::new();
    rig.put(0, &Rig::block(3, 1, 5, SEED));
    rig.put(1, &[0xee; 4096]);
    assert_eq!(counts(&rig.read_all()), [0, 128, 0, 0, 0, 0]);
    let mut result = CheckResult::default();
    check(&rig.ledger, 0, &[7; 4096], &mut result);
    check(&rig.ledger, START - 512, &rig.drive[..1024], &mut result);
    check(&rig.ledger, u64::MAX - 1023, &[7; 1024], &mut result);
    assert_eq!(counts(&result), [0, 12, 0, 0, 0, 0]);
}

/// A drive of four units whose pieces are written and read one by one.
type Pieces = [Mutex<[u8; PIECE_BYTES]>; 32];

fn write_often(ledger: &WriteLedger, pieces: &Pieces, first_unit: u64) {
    for round in 0..3000 {
        let unit = first_unit + round % 3;
        let offset = START + unit * u64::from(UNIT);
        let sequence = ledger.begin(offset, UNIT);
        let block = Rig::block(unit, 1, sequence, SEED);
        for (piece, bytes) in pieces[unit as usize * 8..].iter().zip(block.as_chunks().0) {
            *piece.lock().unwrap() = *bytes;
        }
        ledger.acknowledge(offset, UNIT, sequence);
    }
}

fn read_until(stop: &AtomicBool, ledger: &WriteLedger, pieces: &Pieces) -> CheckResult {
    let mut result = CheckResult::default();
    let mut last = false;
    while !last {
        last = stop.load(Relaxed);
        let seen = ledger.look(START, 4 * UNIT);
        let block: Vec<u8> = pieces.iter().flat_map(|p| *p.lock().unwrap()).collect();
        check_read(ledger, seen, START, &block, &mut result);
    }
    result
}

#[test]
fn a_drive_that_does_as_it_is_told_is_never_blamed_whatever_comes_at_once() {
    let ledger = Rig::new().ledger;
    let pieces: Pieces = std::array::from_fn(|_| Mutex::new([0; PIECE_BYTES]));
    let stop = AtomicBool::new(false);
    let result = scope(|s| {
        let reader = s.spawn(|| read_until(&stop, &ledger, &pieces));
        let writers = [s.spawn(|| write_often(&ledger, &pieces, 0)), s.spawn(|| write_often(&ledger, &pieces, 1))];
        writers.into_iter().for_each(|w| w.join().unwrap());
        stop.store(true, Relaxed);
        reader.join().unwrap()
    });
    assert!(result.bad() == 0 && result.good >= 32, "{result:?}");
}
