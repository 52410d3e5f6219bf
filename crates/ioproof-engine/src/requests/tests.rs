//! The next request, and the request that goes in the place of one that must wait.

use super::*;
use crate::offsets::spec_of;
use ioproof_core::job::Span;
use ioproof_core::shape::{Order, SizeRange};
use ioproof_core::workload::Pattern;

const BLOCKS: u64 = 100;

fn spec(read_percent: u8, until: Until) -> JobSpec {
    let mut spec = spec_of(Pattern::Sequential, Order::Plain, BLOCKS, 1);
    (spec.workload.read_percent, spec.until) = (read_percent, until);
    spec
}

fn kind(request: Option<Request>) -> Option<IoOperation> {
    request.map(|request| request.operation)
}

/// Draws until the next one is of this direction.
fn with_next(requests: &mut Requests, operation: IoOperation) {
    while kind(requests.peek()).unwrap() != operation {
        requests.next();
    }
}

#[test]
fn what_waits_stays_and_the_other_direction_goes() {
    let mut requests = Requests::new(&spec(50, Until::ElapsedNs(1)), 0, 1).unwrap();
    with_next(&mut requests, IoOperation::Read);
    let waiting = requests.peek().unwrap();
    assert_eq!(requests.other(IoOperation::Read), Some(IoOperation::Write));
    let others: Vec<Request> = (0..5).map(|_| requests.next_of(IoOperation::Write).unwrap()).collect();
    assert!(others.iter().all(|request| request.operation == IoOperation::Write));
    assert_eq!(others[0].offset, (waiting.offset + 4096) % (BLOCKS * 4096), "each place comes once");
    assert_eq!((requests.peek(), requests.next()), (Some(waiting), Some(waiting)));
}

#[test]
fn a_job_of_one_direction_has_no_other() {
    for (read_percent, trim_percent, operation) in [(100, 0, IoOperation::Read), (0, 0, IoOperation::Write), (0, 100, IoOperation::Trim)] {
        let mut spec = spec(read_percent, Until::ElapsedNs(1));
        spec.workload.shape.trim_percent = trim_percent;
        let mut requests = Requests::new(&spec, 0, 1).unwrap();
        assert_eq!((kind(requests.peek()), requests.other(operation)), (Some(operation), None));
    }
    assert_eq!(Requests::new(&spec(50, Until::ElapsedNs(1)), 0, 1).unwrap().other(IoOperation::Fsync), None);
}

#[test]
fn writes_and_trims_in_the_place_of_a_read_keep_their_shares() {
    let mut spec = spec(40, Until::ElapsedNs(1));
    spec.workload.shape.trim_percent = 15;
    let mut requests = Requests::new(&spec, 0, 1).unwrap();
    let trims = (0..40_000).filter(|_| kind(requests.next_of(IoOperation::Write)) == Some(IoOperation::Trim)).count();
    // A quarter; four deviations are 346.
    assert!(trims.abs_diff(10_000) < 346, "{trims}");
}

#[test]
fn only_what_is_taken_counts() {
    for until in [Until::Ios(20), Until::Bytes(20 * 4096)] {
        let mut requests = Requests::new(&spec(50, until), 0, 1).unwrap();
        with_next(&mut requests, IoOperation::Write);
        let mut reads = 0;
        while requests.peek().is_some() {
            assert_eq!(kind(requests.next_of(IoOperation::Read)), Some(IoOperation::Read));
            reads += 1;
        }
        let before = 20 - reads;
        assert!(reads > 10, "{before} went before");
        assert_eq!((requests.peek(), requests.next()), (None, None), "the write that waited is left behind, and the job has had its 20");
    }
    let mut plain = Requests::new(&spec(50, Until::Ios(20)), 0, 1).unwrap();
    assert_eq!(std::iter::from_fn(|| plain.next()).count(), 20);
}

#[test]
fn what_waits_is_the_last_of_a_span_that_is_covered() {
    let mut requests = Requests::new(&spec(50, Until::SpanCovered), 0, 1).unwrap();
    with_next(&mut requests, IoOperation::Read);
    let waiting = requests.peek();
    while requests.next_of(IoOperation::Write).is_some() {}
    assert_eq!((requests.next(), requests.next()), (waiting, None));
}

#[test]
fn each_block_is_trimmed_and_then_written() {
    for (until, pattern) in [(Until::Ios(9), Pattern::Random), (Until::Bytes(9 * 4096), Pattern::Sequential)] {
        let mut spec = spec(0, until);
        spec.workload.pattern = pattern;
        (spec.workload.shape.trim_percent, spec.workload.shape.trims_first) = (50, true);
        let mut requests = Requests::new(&spec, 0, 2).unwrap();
        let mut taken = Vec::new();
        while let Some(waiting) = requests.peek() {
            let next = requests.next().unwrap();
            assert_eq!(next, waiting);
            taken.push(next);
        }
        assert_eq!((taken.len(), requests.next()), (18, None), "a trim and its write count once");
        for pair in taken.chunks(2) {
            assert_eq!(pair[0].operation, IoOperation::Trim);
            assert_eq!(pair[1], Request { operation: IoOperation::Write, ..pair[0] });
        }
    }
}

#[test]
fn all_targets_are_synced_in_turn_and_only_where_something_was_written() {
    let mut spec = spec(60, Until::Ios(400));
    spec.workload.durability = Durability::FsyncAllEvery(1);
    let mut requests = Requests::new(&spec, 0, 3).unwrap();
    let mut wrote = false;
    while let Some(request) = requests.next() {
        if wrote {
            assert_eq!((request.operation, request.target), (IoOperation::Fsync, 0));
            let others: Vec<u32> = [requests.next(), requests.next()].into_iter().flatten().map(|request| request.target).collect();
            assert_eq!(others, [1, 2]);
            wrote = false;
        } else {
            assert!(request.operation != IoOperation::Fsync, "after a read there is nothing to sync");
            wrote = request.operation == IoOperation::Write;
        }
    }
}

#[test]
fn workers_share_the_syncs_of_all_targets() {
    let mut spec = spec(0, Until::ElapsedNs(1));
    spec.workload.durability = Durability::FsyncAllEvery(2);
    let syncs = std::sync::Arc::default();
    let mut workers = [0, 1].map(|worker| Requests::new(&spec, worker, 3).unwrap().sharing(&syncs));
    let mut of = |worker: usize| workers[worker].next().map(|request| (request.operation, request.target)).unwrap();
    let is_write = |request: (IoOperation, u32)| request.0 == IoOperation::Write;
    assert!(is_write(of(0)) && is_write(of(1)), "a write of each");
    assert_eq!([of(0), of(1), of(1)], [0, 1, 2].map(|target| (IoOperation::Fsync, target)), "one round, which both share");
    assert!(is_write(of(0)) && is_write(of(0)) && !is_write(of(1)));
}

#[test]
fn a_sync_comes_before_what_waits() {
    let mut spec = spec(50, Until::ElapsedNs(1));
    spec.workload.durability = Durability::FsyncEvery(2);
    let mut requests = Requests::new(&spec, 0, 1).unwrap();
    with_next(&mut requests, IoOperation::Read);
    let waiting = requests.peek();
    while kind(requests.peek()) != Some(IoOperation::Fsync) {
        assert_eq!(requests.peek(), waiting);
        requests.next_of(IoOperation::Write);
    }
    assert_eq!((kind(requests.next()), requests.next()), (Some(IoOperation::Fsync), waiting));
}

/// Reads with gaps on targets of 10 blocks each: target and block.
fn with_gaps(skip_blocks: i64, passes: u32, targets: usize, change: impl FnOnce(&mut JobSpec)) -> Vec<(u32, u64)> {
    let order = Order::Skipping { skip_bytes: skip_blocks * 4096, passes, wraps: true };
    let mut spec = spec_of(Pattern::Sequential, order, 10, 1);
    spec.until = Until::Bytes(30 * 4096);
    change(&mut spec);
    let mut requests = Requests::new(&spec, 0, targets).unwrap();
    std::iter::from_fn(|| requests.next()).map(|request| (request.target, request.offset / 4096 - 2)).collect()
}

// fio 3.33 does four I/Os with rw=read:8k and size=40k, twice as many with loops=2, and ten with size=36k.
#[test]
fn a_pass_is_over_where_an_io_ends_at_the_end() {
    let blocks = |skip, passes| with_gaps(skip, passes, 1, |_| ()).into_iter().map(|(_, block)| block).collect::<Vec<_>>();
    assert_eq!(blocks(2, 1), [0, 3, 6, 9]);
    assert_eq!(blocks(2, 2), [0, 3, 6, 9, 0, 3, 6, 9]);
    assert_eq!(blocks(2, 0).len(), 30, "where passes do not count");
    assert_eq!((blocks(1, 1).len(), blocks(3, 1).len(), blocks(-2, 1).len()), (30, 30, 30), "where no I/O ends at the end");
}

// fio 3.33 with rw=read:8k: size=40k of a larger file, or behind an offset; size=38k of a file of its own, and 42k.
#[test]
fn a_pass_that_does_not_wrap_is_over_where_there_is_no_room() {
    let count = |skip_blocks: i64, wraps, length_kib: u64| {
        let change = |spec: &mut JobSpec| {
            spec.workload.shape.order = Order::Skipping { skip_bytes: skip_blocks * 4096, passes: 1, wraps };
            spec.span.length_bytes = length_kib << 10;
        };
        with_gaps(0, 1, 1, change).len()
    };
    assert_eq!([40, 44, 48].map(|length| count(2, false, length)), [4, 4, 4]);
    assert_eq!([40, 44, 48].map(|length| count(2, true, length)), [4, 30, 30]);
    assert_eq!([38, 42].map(|length| count(2, true, length)), [3, 30]);
    assert_eq!((count(-2, false, 40), count(-2, false, 4)), (30, 1));
}

#[test]
fn targets_that_are_over_are_passed_over() {
    let each = |change: fn(&mut JobSpec)| with_gaps(2, 1, 2, change);
    assert_eq!(each(|_| ()), [(0, 0), (1, 0), (0, 3), (1, 3), (0, 6), (1, 6), (0, 9), (1, 9)]);
    let one_by_one = [0, 1].map(|target| [0, 3, 6, 9].map(|block| (target, block))).concat();
    assert_eq!(each(|spec| spec.placement.turns = Turns::Sequential), one_by_one);
    let of_two_sizes = each(|spec| {
        let span = |length_bytes| ioproof_core::job::Span { offset_bytes: 8192, length_bytes };
        spec.placement.target_spans = vec![span(4 * 4096), span(40960)];
    });
    assert_eq!(of_two_sizes, [(0, 0), (1, 0), (0, 3), (1, 3), (1, 6), (1, 9)]);
}

#[test]
fn the_direction_that_ends_first_ends_the_pass_of_both() {
    let mixed = |passes| {
        let order = Order::Skipping { skip_bytes: 8192, passes, wraps: true };
        let mut spec = spec_of(Pattern::Sequential, order, 10, 1);
        (spec.until, spec.workload.read_percent, spec.workload.shape.separate_streams) = (Until::Bytes(300 * 4096), 50, true);
        let mut requests = Requests::new(&spec, 0, 1).unwrap();
        std::iter::from_fn(move || requests.next()).map(|request| (request.operation, request.offset / 4096 - 2)).collect::<Vec<_>>()
    };
    let (one, three) = (mixed(1), mixed(3));
    let is_last = |ios: &[(IoOperation, u64)]| ios.iter().filter(|(_, block)| *block == 9).count();
    assert_eq!((is_last(&one), one.last().unwrap().1, is_last(&three), three.last().unwrap().1), (1, 9, 3, 9));
    assert_eq!(one, three[..one.len()]);
    assert_eq!(three[one.len()].1, 0, "both begin again");
    let later = &three[one.len()..];
    assert!(
        [IoOperation::Read, IoOperation::Write].iter().all(|wanted| later.iter().find(|(o, _)| o == wanted).is_none_or(|(_, b)| *b == 0))
    );
}

/// Reads and writes of 4 to 64 KiB, which are cut to what was not visited yet.
fn cut(until: Until, turns: Turns) -> JobSpec {
    let mut spec = spec_of(Pattern::Random, Order::Mapped { optional: false }, BLOCKS, 1);
    spec.workload.read_percent = 50;
    (spec.workload.shape.read_range, spec.workload.shape.write_range) = (Some(RANGE), Some(RANGE));
    (spec.until, spec.placement.turns) = (until, turns);
    spec
}

const RANGE: SizeRange = SizeRange { least_bytes: 4096, most_bytes: 65536 };

/// The blocks that are visited: target and number, in order.
fn blocks_of(request: Request) -> impl Iterator<Item = (u32, u64)> {
    let first = request.offset / 4096;
    (first..first + u64::from(request.bytes) / 4096).map(move |block| (request.target, block))
}

#[test]
fn reads_and_writes_of_several_sizes_come_to_each_block_once_together() {
    for turns in [Turns::InTurn, Turns::Each(3), Turns::Random, Turns::Sequential] {
        let mut spec = cut(Until::Bytes(2 * 600 * 4096), turns);
        let part = |blocks: u64| Span { offset_bytes: 0, length_bytes: blocks * 4096 };
        spec.placement.target_spans = vec![part(100), part(450), part(50)];
        let mut requests = Requests::new(&spec, 0, 3).unwrap();
        let mut visited: Vec<(u32, u64)> = std::iter::from_fn(|| requests.next()).flat_map(blocks_of).collect();
        assert_eq!(visited.len(), 1200, "two passes, {turns:?}");
        visited.chunks_mut(600).for_each(|pass| assert!(is_covered(pass), "{turns:?}"));
    }
}

#[test]
fn several_targets_are_covered_once_a_pass_whatever_their_sizes() {
    for pattern in [Pattern::Sequential, Pattern::Random] {
        for turns in [Turns::InTurn, Turns::Each(3), Turns::Random, Turns::Sequential] {
            for until in [Until::Bytes(1200 * 4096), Until::Ios(1200)] {
                let spec = JobSpec { until, ..uneven(pattern, turns) };
                let mut visited: Vec<(u32, u64)> = taken(&spec).into_iter().flat_map(blocks_of).collect();
                assert_eq!(visited.len(), 1200, "two passes, {pattern:?} {turns:?}");
                visited.chunks_mut(600).for_each(|pass| assert!(is_covered(pass), "{pattern:?} {turns:?}"));
            }
        }
    }
}

#[test]
fn several_sizes_reach_the_end_of_each_target() {
    for turns in [Turns::InTurn, Turns::Each(3), Turns::Random, Turns::Sequential] {
        let mut spec = JobSpec { until: Until::Bytes(600 * 4096), ..uneven(Pattern::Sequential, turns) };
        spec.workload.shape.read_range = Some(RANGE);
        let mut visited: Vec<(u32, u64)> = taken(&spec).into_iter().flat_map(blocks_of).collect();
        assert!(visited.len() >= 600 && is_covered(&mut visited[..600]), "{turns:?}");
    }
}

#[test]
fn a_time_leaves_no_target_out() {
    let spec = JobSpec { until: Until::ElapsedNs(1), ..uneven(Pattern::Sequential, Turns::InTurn) };
    let mut requests = Requests::new(&spec, 0, 3).unwrap();
    let visits: Vec<u32> = (0..1200).map(|_| requests.next().unwrap().target).collect();
    assert_eq!([0, 1, 2].map(|target| visits.iter().filter(|visit| **visit == target).count()), [400; 3]);
}

/// Targets of 100, 450 and 50 blocks, read.
fn uneven(pattern: Pattern, turns: Turns) -> JobSpec {
    let mut spec = spec_of(pattern, Order::Plain, BLOCKS, 1);
    let part = |blocks: u64| Span { offset_bytes: 0, length_bytes: blocks * 4096 };
    (spec.placement.target_spans, spec.placement.turns) = (vec![part(100), part(450), part(50)], turns);
    spec
}

/// All of a worker's I/Os on three targets.
fn taken(spec: &JobSpec) -> Vec<Request> {
    let mut requests = Requests::new(spec, 0, 3).unwrap();
    std::iter::from_fn(|| requests.next()).collect()
}

/// True where each block of the uneven targets is there once.
fn is_covered(pass: &mut [(u32, u64)]) -> bool {
    pass.sort_unstable();
    let all = [100, 450, 50].into_iter().enumerate().flat_map(|(target, blocks)| (0..blocks).map(move |block| (target as u32, block)));
    pass.iter().copied().eq(all)
}

#[test]
fn a_number_of_ios_ends_with_the_bytes_too() {
    let bytes = BLOCKS * 4096;
    for (ios, at_most_bytes, all) in [(10_000, Some(bytes), bytes), (1, Some(bytes), 65536), (0, None, 0)] {
        let spec = JobSpec { at_most_bytes, ..cut(Until::Ios(ios), Turns::InTurn) };
        let mut requests = Requests::new(&spec, 0, 1).unwrap();
        let moved: u64 = std::iter::from_fn(|| requests.next()).map(|request| u64::from(request.bytes)).sum();
        assert!(if ios > 1 { moved == all } else { moved <= all }, "{ios}: {moved}");
    }
}

#[test]
fn what_waits_keeps_its_blocks() {
    let mut requests = Requests::new(&cut(Until::Bytes(BLOCKS * 4096), Turns::InTurn), 0, 1).unwrap();
    with_next(&mut requests, IoOperation::Read);
    let waiting = requests.peek().unwrap();
    let mut visited: Vec<(u32, u64)> = (0..3).flat_map(|_| blocks_of(requests.next_of(IoOperation::Write).unwrap())).collect();
    assert!(blocks_of(waiting).all(|block| !visited.contains(&block)));
    visited.extend(std::iter::from_fn(|| requests.next()).flat_map(blocks_of));
    visited.sort_unstable();
    assert!(visited.windows(2).all(|two| two[0] != two[1]), "no block comes twice: {visited:?}");
}

// fio 3.42: 256 writes with fsync=1 make 255 syncs, with fsync=4 63, with fsync=5 51; a mix syncs after its writes alone.
#[test]
fn syncs_stand_between_ios_and_follow_writes() {
    let kinds = |read_percent, every, until| {
        let mut spec = spec(read_percent, until);
        (spec.workload.durability, spec.recording.to_the_last) = (Durability::FsyncEvery(every), true);
        let mut requests = Requests::new(&spec, 0, 1).unwrap();
        std::iter::from_fn(move || requests.next()).map(|request| request.operation).collect::<Vec<_>>()
    };
    let is_sync = |operation: &&IoOperation| **operation == IoOperation::Fsync;
    let syncs = |every, until| kinds(0, every, until).iter().filter(is_sync).count();
    assert_eq!([1, 4, 5].map(|every| syncs(every, Until::Ios(256))), [255, 63, 51]);
    assert_eq!((syncs(1, Until::SpanCovered), syncs(10, Until::SpanCovered)), (BLOCKS as usize - 1, BLOCKS as usize / 10 - 1));
    let mixed = kinds(60, 1, Until::Ios(500));
    assert!(mixed.windows(2).all(|pair| (pair[0] == IoOperation::Write) == (pair[1] == IoOperation::Fsync)));
}
