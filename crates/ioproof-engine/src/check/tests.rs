//! Each kind of damage is planted and must be told from the others.

mod promises;

use super::*;
use ioproof_core::job::Span;
use proptest::prelude::*;

const UNIT: u32 = 4096;
const START: u64 = 65536;
const SEED: u64 = 9;

/// A ledger and a drive that does as it is told.
struct Rig {
    ledger: WriteLedger,
    drive: Vec<u8>,
}

impl Rig {
    fn new() -> Self {
        let span = Span { offset_bytes: START, length_bytes: 16 * u64::from(UNIT) };
        Self { ledger: WriteLedger::new(span, UNIT, SEED).unwrap(), drive: vec![0; 16 * UNIT as usize] }
    }

    /// Eight units that were written by one I/O.
    fn written() -> Self {
        let mut rig = Self::new();
        rig.write(0, 8);
        rig
    }

    fn block(unit: u64, units: u32, sequence: u32, seed: u64) -> Vec<u8> {
        let mut block: Vec<u8> = (0..units * UNIT).map(|i| (i * 7 + sequence) as u8).collect();
        seal(&mut block, Header { seed, offset: START + unit * u64::from(UNIT), sequence });
        block
    }

    fn put(&mut self, unit: u64, block: &[u8]) {
        let at = unit as usize * UNIT as usize;
        self.drive[at..at + block.len()].copy_from_slice(block);
    }

    fn begin(&self, unit: u64, units: u32) -> u32 {
        self.ledger.begin(START + unit * u64::from(UNIT), units * UNIT)
    }

    fn acknowledge(&self, unit: u64, units: u32, sequence: u32) {
        self.ledger.acknowledge(START + unit * u64::from(UNIT), units * UNIT, sequence);
    }

    /// A write that comes back well; gives its sequence number.
    fn write(&mut self, unit: u64, units: u32) -> u32 {
        let sequence = self.write_and_lose(unit, units);
        self.put(unit, &Self::block(unit, units, sequence, SEED));
        sequence
    }

    /// A write that comes back well and changes nothing.
    fn write_and_lose(&mut self, unit: u64, units: u32) -> u32 {
        let sequence = self.begin(unit, units);
        self.acknowledge(unit, units, sequence);
        sequence
    }

    fn read(&self, unit: u64, units: u32) -> CheckResult {
        let at = unit as usize * UNIT as usize;
        let mut result = CheckResult::default();
        check(&self.ledger, START + at as u64, &self.drive[at..at + (units * UNIT) as usize], &mut result);
        result
    }

    fn read_all(&self) -> CheckResult {
        self.read(0, 16)
    }
}

fn counts(result: &CheckResult) -> [u64; 6] {
    [result.good, result.unwritten, result.corrupt, result.misplaced, result.stale, result.torn]
}

fn words(result: &CheckResult) -> &str {
    result.first.as_deref().unwrap_or_default()
}

#[test]
fn what_was_written_is_good_and_the_rest_unwritten() {
    let result = Rig::written().read_all();
    assert_eq!(counts(&result), [64, 64, 0, 0, 0, 0]);
    assert_eq!(result.first, None);
}

#[test]
fn corrupt_data_zeros_and_foreign_data_are_corrupt() {
    let mut rig = Rig::written();
    rig.drive[5000] ^= 1;
    let result = rig.read_all();
    assert_eq!(counts(&result), [63, 64, 1, 0, 0, 0]);
    assert!(words(&result).starts_with("corrupt at byte 70144: the header says checksum "), "{result:?}");
    rig.drive[4096..5120].fill(0);
    let result = rig.read_all();
    assert_eq!(counts(&result), [62, 64, 2, 0, 0, 0]);
    assert_eq!(words(&result), "corrupt at byte 69632: zeros stand there");
    rig.drive[4096..4100].fill(7);
    assert_eq!(words(&rig.read_all()), "corrupt at byte 69632: no header stands there");
}

#[test]
fn writes_at_once_that_left_nothing_are_lost() {
    let mut rig = Rig::new();
    let both = [rig.begin(0, 1), rig.begin(0, 1)];
    both.iter().for_each(|sequence| rig.acknowledge(0, 1, *sequence));
    assert_eq!(counts(&rig.read(0, 1)), [0, 0, 8, 0, 0, 0], "zeros are none of both");
    rig.put(0, &Rig::block(0, 1, both[0], SEED));
    rig.drive[600] ^= 1;
    assert_eq!(counts(&rig.read(0, 1)), [7, 0, 1, 0, 0, 0], "one byte is neither's");
    rig.ledger.note_mixing();
    assert_eq!(counts(&rig.read(0, 1)), [7, 1, 0, 0, 0, 0], "a mixture has no right checksum");
    rig.put(0, &Rig::block(1, 1, both[0], SEED));
    assert_eq!(counts(&rig.read(0, 1)), [0, 0, 0, 8, 0, 0]);
}

#[test]
fn what_was_written_for_another_place_is_misplaced() {
    let mut rig = Rig::written();
    let other = rig.drive[3 * 4096..3 * 4096 + 1024].to_vec();
    rig.drive[..1024].copy_from_slice(&other);
    let result = rig.read_all();
    assert_eq!(counts(&result), [62, 64, 0, 2, 0, 0]);
    assert_eq!(words(&result), "misplaced at byte 65536: what stands there was written for byte 77824");
}

#[test]
fn a_write_that_came_back_and_is_not_there_leaves_stale_data() {
    let mut rig = Rig::written();
    let lost = rig.write_and_lose(2, 2);
    let result = rig.read_all();
    assert_eq!(counts(&result), [48, 64, 0, 0, 16, 0]);
    assert_eq!(words(&result), format!("stale at byte 73728: write 1 stands there, though write {lost} came back well"));
}

#[test]
fn what_another_run_wrote_is_stale() {
    let mut rig = Rig::written();
    let foreign = Rig::block(1, 1, 1, SEED + 1);
    rig.put(1, &foreign);
    let result = rig.read_all();
    assert_eq!(counts(&result), [56, 64, 0, 0, 8, 0]);
    assert_eq!(words(&result), "stale at byte 69632: what another run or another worker wrote stands there, though write 1 came back well");
}

#[test]
fn a_unit_of_two_writes_is_torn_and_that_is_counted_once_an_io() {
    let mut rig = Rig::written();
    let old = rig.drive.clone();
    let second = rig.write(0, 2);
    rig.drive[512..1024].copy_from_slice(&old[512..1024]);
    rig.drive[7168..8192].copy_from_slice(&old[7168..8192]);
    let result = rig.read_all();
    assert_eq!(counts(&result), [61, 64, 0, 0, 0, 1]);
    assert_eq!(words(&result), format!("torn at byte 66048: write 1 stands there, beside write {second}, which came back well as a whole"));
}

#[test]
fn all_four_at_once_are_told_apart() {
    let mut rig = Rig::written();
    let old = rig.drive.clone();
    rig.write(0, 8);
    rig.drive[0] ^= 1;
    rig.drive[4096..4608].copy_from_slice(&old[..512]);
    rig.drive[8192..12288].copy_from_slice(&old[8192..12288]);
    rig.drive[12288..12800].copy_from_slice(&old[12288..12800]);
    let result = rig.read(0, 8);
    assert_eq!(counts(&result), [64 - 1 - 1 - 8 - 1, 0, 1, 1, 8, 1]);
    assert_eq!(result.bad(), 11);
}

#[test]
fn units_of_different_writes_in_one_read_are_no_tear() {
    let mut rig = Rig::written();
    for unit in [1, 3, 4, 1] {
        rig.write(unit, 1);
    }
    assert_eq!(counts(&rig.read(0, 8)), [64, 0, 0, 0, 0, 0]);
}

#[test]
fn half_of_a_large_write_is_stale_where_units_are_whole() {
    let mut rig = Rig::written();
    let old = rig.drive.clone();
    rig.write(0, 8);
    rig.drive[4 * 4096..].copy_from_slice(&old[4 * 4096..]);
    assert_eq!(counts(&rig.read(0, 8)), [32, 0, 0, 0, 32, 0]);
}

#[test]
fn parts_of_units_can_be_read() {
    let mut rig = Rig::written();
    rig.write(1, 1);
    let mut result = CheckResult::default();
    check(&rig.ledger, START + 2048, &rig.drive[2048..8192 + 512], &mut result);
    assert_eq!(counts(&result), [13, 0, 0, 0, 0, 0]);
}

#[test]
fn the_first_finding_stays() {
    let mut rig = Rig::written();
    rig.drive[4096] ^= 1;
    let mut result = rig.read(1, 1);
    let first = result.first.clone();
    rig.drive[..512].fill(0);
    check(&rig.ledger, START, &rig.drive[..4096], &mut result);
    assert_eq!((result.corrupt, result.first), (2, first));
}

proptest! {
    #[test]
    fn damage_of_any_byte_is_found_where_it_is(at in 0usize..8 * 4096, change in 1u8..) {
        let mut rig = Rig::written();
        rig.drive[at] ^= change;
        let result = rig.read(0, 8);
        prop_assert_eq!(counts(&result), [63, 0, 1, 0, 0, 0]);
        let piece = START + at as u64 / 512 * 512;
        prop_assert!(words(&result).starts_with(&format!("corrupt at byte {piece}: ")), "{}", words(&result));
    }

    #[test]
    fn any_piece_from_elsewhere_or_before_is_found(from in 0u64..128, to in 0usize..64, older: bool) {
        let mut rig = Rig::new();
        rig.write(0, 16);
        let old = rig.drive.clone();
        rig.write(0, 16);
        let source = if older { &old } else { &rig.drive };
        let piece = source[from as usize * 512..][..512].to_vec();
        rig.drive[to * 512..][..512].copy_from_slice(&piece);
        let expected = match (from == to as u64, older) {
            (false, _) => [127, 0, 0, 1, 0, 0],
            (true, true) => [127, 0, 0, 0, 0, 1],
            (true, false) => [128, 0, 0, 0, 0, 0],
        };
        prop_assert_eq!(counts(&rig.read_all()), expected);
    }

    #[test]
    fn anything_can_be_judged(bytes in proptest::collection::vec(any::<u8>(), 0..3000), offset in 0u64..200_000) {
        let rig = Rig::written();
        let mut result = CheckResult::default();
        check(&rig.ledger, offset, &bytes, &mut result);
        prop_assert_eq!(result.good, 0);
    }
}
