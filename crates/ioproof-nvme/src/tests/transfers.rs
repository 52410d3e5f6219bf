//! Data and commands of a drive that behaves.

use super::*;
use crate::scripted::Script;
use crate::wire::command::nvm;

fn fill(part: &mut [u8], seed: u64) {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    for byte in part {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
}

fn writes_and_reads_back(script: Script, sizes: &[u32]) {
    let largest = sizes.iter().copied().max().unwrap();
    let mut bench = Bench::new(script, 3, largest);
    let mut offset = 0;
    for (number, bytes) in sizes.iter().enumerate() {
        let slot = number % 3;
        fill(bench.region.write_part(slot, *bytes as usize), number as u64);
        let expected = bench.region.write_part(slot, *bytes as usize).to_vec();
        bench.queue.push(Operation::Write { fua: false }, slot as u32, offset, *bytes);
        assert_eq!(bench.take(1), [(slot as u32, *bytes as i32)]);
        assert!(bench.drive.content(offset as usize, *bytes as usize) == expected, "{script:?}: write of {bytes} at {offset}");
        bench.queue.push(Operation::Read, slot as u32, offset, *bytes);
        assert_eq!(bench.take(1), [(slot as u32, *bytes as i32)]);
        assert!(bench.region.read_part(slot, *bytes as usize) == expected, "{script:?}: read of {bytes} at {offset}");
        offset += u64::from(*bytes);
    }
}

/// The same with a drive that takes SGLs and with one that does not.
pub(super) fn writes_and_reads_back_both_ways(script: Script, sizes: &[u32]) {
    for sgls in [false, true] {
        writes_and_reads_back(Script { sgls, ..script }, sizes);
    }
}

pub(super) const SIZES: [u32; 9] = [4096, 8192, 12_288, 4096, 65_536, 131_072, 135_168, 1 << 20, 3 << 20];

#[test]
fn all_sizes_arrive_with_every_limit_of_transfers() {
    for mdts in [0, 1, 5, 9] {
        writes_and_reads_back_both_ways(Script { mdts, ..Script::default() }, &SIZES);
    }
}

#[test]
fn blocks_of_both_sizes_and_pieces_of_pages_arrive() {
    let small = [512, 1024, 3584, 4608, 512, 7680, 66_048];
    writes_and_reads_back_both_ways(Script { mdts: 2, ..Script::default() }, &small);
    writes_and_reads_back_both_ways(Script { block_shift: 12, blocks: 1 << 12, ..Script::default() }, &SIZES);
}

#[test]
fn boundaries_are_not_crossed() {
    let script = Script { boundary_blocks: 24, ..Script::default() };
    writes_and_reads_back_both_ways(script, &[512, 4096, 16_384, 65_536, 512, 131_072]);
    let mut bench = Bench::new(script, 1, 65_536);
    assert_eq!(bench.one(Operation::Read, 8192, 8192), 8192);
    let parts: Vec<(u64, u32)> = bench.drive.commands().iter().map(|c| (c.first_block(), c.dword12 + 1)).collect();
    assert_eq!(parts, [(16, 8), (24, 8)]);
}

#[test]
fn every_multiple_of_a_block_arrives_across_limits_and_boundaries() {
    let sizes: Vec<u32> = (1..=24).map(|blocks| 512 * blocks).chain([65_536 - 512, 131_072 + 512, (1 << 20) - 512, 1 << 20]).collect();
    for (mdts, boundary_blocks) in [(0, 0), (2, 0), (5, 0), (5, 24), (0, 100), (9, 256)] {
        writes_and_reads_back_both_ways(Script { mdts, boundary_blocks, ..Script::default() }, &sizes);
    }
}

#[test]
fn sgls_are_used_where_prps_would_need_a_list_and_the_drive_takes_them() {
    let (small, large) = ([512, 4096, 8192], [8704, 12_288, 131_072]);
    for sgls in [false, true] {
        let mut bench = Bench::new(Script { sgls, ..Script::default() }, 1, 131_072);
        for bytes in small.into_iter().chain(large) {
            assert_eq!(bench.one(Operation::Read, 0, bytes), bytes as i32);
            assert_eq!(bench.one(Operation::Write { fua: true }, 0, bytes), bytes as i32);
        }
        let blocks: Vec<Option<u32>> = bench.drive.commands().iter().map(|command| Some(command.data_block()?.1)).collect();
        let expected = small.map(|_| None).into_iter().chain(large.map(|bytes| sgls.then_some(bytes))).flat_map(|block| [block; 2]);
        assert_eq!(blocks, expected.collect::<Vec<_>>(), "the drive takes SGLs: {sgls}");
    }
}

#[test]
fn a_drive_that_takes_sgls_is_given_no_lists() {
    let mappings = [false, true].map(|sgls| Bench::new(Script { sgls, ..Script::default() }, 1, 131_072).drive.mappings());
    assert_eq!(mappings[0], mappings[1] + 1);
}

#[test]
fn a_boundary_in_a_batch_takes_no_more_room_than_there_is() {
    let mut bench = Bench::new(Script { queue_entries: 4, boundary_blocks: 24, ..Script::default() }, 3, 8192);
    bench.queue.push_alike(Operation::Read, 8192, &[0, 1, 2], &[8192, 0, 24_576]);
    let mut taken = bench.take(3);
    taken.sort_unstable();
    assert_eq!(taken, [(0, 8192), (1, 8192), (2, 8192)]);
    let mut places: Vec<u64> = bench.drive.commands().iter().map(|command| command.first_block()).collect();
    places.sort_unstable();
    assert_eq!(places, [0, 16, 24, 48]);
}

#[test]
fn commands_are_those_that_were_asked_for() {
    let mut bench = Bench::new(Script::default(), 1, 8192);
    assert_eq!(bench.one(Operation::Write { fua: true }, 4096, 4096), 4096);
    assert_eq!(bench.one(Operation::Flush, 0, 0), 0);
    assert_eq!(bench.one(Operation::Deallocate, 4096, 1 << 20), 0);
    let commands = bench.drive.commands();
    let opcodes: Vec<u8> = commands.iter().map(|command| command.opcode()).collect();
    assert_eq!(opcodes, [nvm::WRITE, nvm::FLUSH, nvm::DATASET_MANAGEMENT]);
    assert_eq!((commands[0].dword12, commands[2].dword11), (1 << 30 | 7, 4));
}

#[test]
fn what_is_no_whole_block_fails_without_a_command() {
    let mut bench = Bench::new(Script { block_shift: 12, ..Script::default() }, 1, 8192);
    for (offset, bytes) in [(512, 4096), (0, 512), (0, 0)] {
        assert_eq!(bench.one(Operation::Read, offset, bytes), -libc::EINVAL);
    }
    assert_eq!(bench.drive.commands().len(), 0);
}

#[test]
fn a_ring_that_is_full_lets_commands_wait() {
    let script = Script { queue_entries: 8, mdts: 1, reverses: true, ..Script::default() };
    let mut bench = Bench::new(script, 16, 65_536);
    assert_eq!(bench.queue.entries(), 8);
    for slot in 0..16 {
        fill(bench.region.write_part(slot, 65_536), slot as u64);
        bench.queue.push(Operation::Write { fua: false }, slot as u32, slot as u64 * 65_536, 65_536);
    }
    let mut taken = bench.take(16);
    taken.sort_unstable();
    assert_eq!(taken, (0..16).map(|slot| (slot, 65_536)).collect::<Vec<_>>());
    for slot in 0..16 {
        let expected = bench.region.write_part(slot, 65_536).to_vec();
        assert!(bench.drive.content(slot * 65_536, 65_536) == expected, "slot {slot}");
    }
}

#[test]
fn rings_wrap_around_with_their_phase() {
    let mut bench = Bench::new(Script { queue_entries: 4, reverses: true, ..Script::default() }, 3, 4096);
    for round in 0..50_u64 {
        for slot in 0..3 {
            bench.queue.push(Operation::Read, slot, (3 * round + u64::from(slot)) * 4096, 4096);
        }
        assert_eq!(bench.take(3).len(), 3, "round {round}");
    }
    assert_eq!(bench.drive.commands().len(), 150);
}

#[test]
fn doorbells_have_their_distance_and_are_rung_once_a_batch_and_once_a_quarter_of_completions() {
    let mut bench = Bench::new(Script { stride: 2, ..Script::default() }, 8, 4096);
    assert_eq!(bench.queue.entries(), 64);
    for (batch, writes) in [1, 3, 4, 6].into_iter().enumerate() {
        for slot in 0..8 {
            bench.queue.push(Operation::Read, slot, 0, 4096);
        }
        assert_eq!(bench.take(8).len(), 8);
        assert_eq!(bench.drive.doorbell_writes(), writes, "batch {batch}: one for its submissions, one for every 16 completions");
    }
}

#[test]
fn shadow_doorbells_spare_the_bus() {
    for stride in [0, 1] {
        let mut bench = Bench::new(Script { shadow_doorbells: true, stride, ..Script::default() }, 4, 65_536);
        assert!(bench.queue.controller().facts().shadow_doorbells);
        bench.drive.clock_ns();
        let before = bench.drive.doorbell_writes();
        for round in 0..2000_u64 {
            for slot in 0..4 {
                bench.queue.push(Operation::Read, slot, round % 100 * 65_536, 65_536);
            }
            assert_eq!(bench.take(4).len(), 4);
        }
        assert_eq!(bench.drive.doorbell_writes() - before, 0, "stride {stride}");
    }
}

#[test]
fn workers_have_queues_of_their_own_and_leave_nothing() {
    let bench = Bench::new(Script { queues: 2, ..Script::default() }, 2, 4096);
    let controller = Controller::open(Arc::new(Scripted::new(Script { queues: 2, ..Script::default() }))).unwrap();
    let namespace = controller.namespace(1).unwrap();
    // SAFETY: the region outlives the queues.
    let make = || unsafe { IoQueue::new(&controller, namespace, &bench.region.layout, PATIENCE_NS) };
    let (first, second) = (make().unwrap(), make().unwrap());
    assert!(make().unwrap_err().to_string().contains("2 I/O queues"));
    drop(first);
    drop((make().unwrap(), second));

    let Bench { queue, drive, .. } = bench;
    assert_eq!(drive.queues(), 1);
    drop(queue);
    assert_eq!((drive.queues(), drive.mappings(), drive.is_enabled()), (0, 0, false));
}

#[test]
fn a_new_queue_does_not_begin_where_an_old_one_of_its_number_ended() {
    let Bench { queue, drive, region } = Bench::new(Script { shadow_doorbells: true, ..Script::default() }, 4, 4096);
    let (controller, namespace) = (Arc::clone(queue.controller()), queue.namespace());
    let mut bench = Bench { queue, region, drive };
    for round in 0..5 {
        // Ends at the third entry of the ring.
        for slot in 0..3 {
            bench.queue.push(Operation::Read, slot, 0, 4096);
        }
        assert_eq!(bench.take(3).len(), 3, "round {round}");
        let Bench { queue, region, drive } = bench;
        drop(queue);
        // SAFETY: the region outlives the queue.
        let queue = unsafe { IoQueue::new(&controller, namespace, &region.layout, PATIENCE_NS) }.unwrap();
        bench = Bench { queue, region, drive };
    }
    assert_eq!(controller.generation(), 0);
}
