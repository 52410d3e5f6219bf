//! Properties of whole sequences, over all orders, sizes and numbers of workers.

use super::*;
use crate::sizes::Sizes;
use ioproof_core::job::Span;
use ioproof_core::shape::{SizeShare, Zone};
use ioproof_core::workload::Workload;
use proptest::prelude::*;
use std::collections::HashMap;

const START: u64 = 8192;
const BLOCK: u64 = 4096;

/// A job that reads `blocks` blocks of 4 KiB.
pub(crate) fn spec_of(pattern: Pattern, order: Order, blocks: u64, workers: u32) -> JobSpec {
    let mut workload = Workload::plain(pattern, 100, BLOCK as u32, workers, 1);
    workload.shape.order = order;
    let span = Span { offset_bytes: START, length_bytes: blocks * BLOCK };
    JobSpec { seed: 3, ..JobSpec::plain(workload, span, Until::ElapsedNs(1)) }
}

/// The first `n` blocks of a worker.
fn take(spec: &JobSpec, worker: u32, n: usize) -> Vec<u64> {
    let mut offsets = Offsets::new(spec, worker, 0, false).unwrap();
    (0..n).map_while(|_| offsets.next(BLOCK as u32)).map(|o| (o - START) / BLOCK).collect()
}

/// Start and end of `n` I/Os of a worker, in the job's mix of read sizes.
fn extents(spec: &JobSpec, worker: u32, n: usize) -> Vec<(u64, u64)> {
    let mut sizes = Sizes::new(spec.workload.block_bytes, &spec.workload.shape.read_sizes, None);
    let (mut offsets, mut random) = (Offsets::new(spec, worker, 0, false).unwrap(), Draws::new(spec.seed));
    let mut next = || {
        let bytes = sizes.next(&mut random);
        offsets.next(bytes).map(|offset| (offset, offset + u64::from(bytes)))
    };
    (0..n).map_while(|_| next()).collect()
}

fn any_zones() -> impl Strategy<Value = Order> {
    (1u8..100, 0u8..=100).prop_map(|(span, access)| {
        let zone = |access_percent, span_percent| Zone { access_percent, span_percent };
        Order::Zoned { zones: vec![zone(access, span), zone(100 - access, 100 - span)] }
    })
}

fn any_order() -> impl Strategy<Value = (Pattern, Order)> {
    prop_oneof![
        Just((Pattern::Sequential, Order::Plain)),
        (16u64..100).prop_map(|blocks| (Pattern::Sequential, Order::Strided { stride_bytes: blocks * BLOCK })),
        Just((Pattern::Random, Order::Plain)),
        Just((Pattern::Random, Order::Free)),
        (1u32..10_000)
            .prop_filter("theta 1", |t| *t != 1000)
            .prop_map(|theta_milli| (Pattern::Random, Order::Zipf { theta_milli, center_ppm: None })),
        (1u32..1000).prop_map(|h_milli| (Pattern::Random, Order::Pareto { h_milli, center_ppm: None })),
        (1u32..=1000).prop_map(|deviation_milli| (Pattern::Random, Order::Normal { deviation_milli, center_ppm: None })),
        any_zones().prop_map(|order| (Pattern::Random, order)),
    ]
}

fn any_sizes() -> impl Strategy<Value = Vec<SizeShare>> {
    let pair = (1u32..=16, 1u32..=128, 1u8..100).prop_map(|(blocks, sectors, percent)| {
        let (bytes, other) = (blocks * BLOCK as u32, sectors * 512);
        vec![SizeShare { bytes, percent }, SizeShare { bytes: other, percent: 100 - percent }]
    });
    prop_oneof![Just(Vec::new()), pair]
}

/// Jobs of any order, most of which pass the check.
fn any_spec() -> impl Strategy<Value = JobSpec> {
    (any_order(), any_sizes(), 100u64..3000, 1u32..5, any::<u64>(), any::<bool>()).prop_map(
        |((pattern, order), sizes, blocks, workers, seed, checked)| {
            let mut spec = JobSpec { seed, ..spec_of(pattern, order, blocks, workers) };
            spec.workload.shape.read_sizes = sizes;
            spec.workload.shape.data.checked = checked;
            spec
        },
    )
}

proptest! {
    #[test]
    fn no_io_leaves_the_span_or_lies_askew(spec in any_spec()) {
        prop_assume!(check(&spec).is_ok());
        let sequential = spec.workload.pattern == Pattern::Sequential;
        let unit = if sequential { 512 } else { u64::from(spec.workload.smallest_block_bytes()) };
        for worker in 0..spec.workload.workers {
            let extents = extents(&spec, worker, 500);
            prop_assert_eq!(extents.len(), 500);
            for (start, end) in extents {
                prop_assert!(start >= START && end <= START + spec.span.length_bytes, "{start} to {end}");
                prop_assert!((start - START).is_multiple_of(unit), "{start}");
            }
        }
    }

    #[test]
    fn several_sizes_come_to_each_block_once(sizes in any_sizes(), blocks in 1u64..3000, seed: u64) {
        let mut spec = JobSpec { seed, ..spec_of(Pattern::Random, Order::Mapped { optional: false }, blocks, 1) };
        spec.workload.shape.read_sizes = sizes;
        let unit = u64::from(spec.workload.smallest_block_bytes());
        prop_assume!(check(&spec).is_ok() && unit != u64::from(spec.workload.largest_block_bytes()));
        let mut sizes = Sizes::new(spec.workload.block_bytes, &spec.workload.shape.read_sizes, None);
        let (mut offsets, mut random) = (Offsets::new(&spec, 0, 0, false).unwrap(), Draws::new(seed));
        for _ in 0..2 {
            let mut visited = Vec::new();
            let wanted = sizes.next(&mut random);
            while let Some((offset, bytes)) = offsets.place(wanted, false, || sizes.next(&mut random)) {
                prop_assert!(u64::from(bytes).is_multiple_of(unit));
                visited.extend((offset..offset + u64::from(bytes)).step_by(unit as usize));
            }
            visited.sort_unstable();
            let places = spec.span.length_bytes / unit;
            prop_assert!(visited.into_iter().eq((0..places).map(|place| START + place * unit)));
            prop_assert!(offsets.begin_pass());
        }
    }

    #[test]
    fn workers_stay_apart_where_this_is_promised(spec in any_spec()) {
        prop_assume!(check(&spec).is_ok() && (spec.workload.pattern == Pattern::Sequential || spec.workload.shape.data.checked));
        let mut hull_end = 0;
        for worker in 0..spec.workload.workers {
            let extents = extents(&spec, worker, 500);
            prop_assert!(extents.iter().all(|(start, _)| *start >= hull_end), "worker {worker} begins before {hull_end}");
            hull_end = extents.iter().fold(hull_end, |hull, (_, end)| hull.max(*end));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_blocks(spec in any_spec()) {
        prop_assume!(check(&spec).is_ok());
        prop_assert_eq!(extents(&spec, 0, 200), extents(&spec, 0, 200));
    }

    #[test]
    fn covering_jobs_visit_every_block_once(blocks in 5u64..2000, workers in 1u32..5, random: bool, seed: u64) {
        let pattern = if random { Pattern::Random } else { Pattern::Sequential };
        let mut spec = JobSpec { seed, until: Until::SpanCovered, ..spec_of(pattern, Order::Plain, blocks, workers) };
        // Where workers are not to keep apart, each makes a random pass of its own.
        spec.workload.shape.data.checked = true;
        prop_assert_eq!(check(&spec), Ok(()));
        let mut seen: Vec<u64> = (0..workers).flat_map(|worker| take(&spec, worker, blocks as usize + 1)).collect();
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..blocks));
    }

    #[test]
    fn a_covering_sequential_job_of_several_sizes_leaves_no_gap(blocks in 100u64..3000, sizes in any_sizes(), seed: u64) {
        let mut spec = JobSpec { seed, until: Until::SpanCovered, ..spec_of(Pattern::Sequential, Order::Plain, blocks, 1) };
        spec.workload.shape.read_sizes = sizes;
        prop_assume!(check(&spec).is_ok());
        let extents = extents(&spec, 0, usize::MAX);
        prop_assert!(extents.windows(2).all(|pair| pair[0].1 == pair[1].0));
        // What is no whole block at the end of the span is never used.
        let left = Part::of(&spec, 0, 0).end() - extents.last().map_or(START, |last| last.1);
        prop_assert!(left < u64::from(spec.workload.largest_block_bytes()), "{left} B left");
    }
}

#[test]
fn sequential_workers_share_the_span_without_overlap() {
    let spec = JobSpec { until: Until::SpanCovered, ..spec_of(Pattern::Sequential, Order::Plain, 10, 3) };
    let all: Vec<u64> = (0..3).flat_map(|worker| take(&spec, worker, 100)).collect();
    assert_eq!(all, (0..10).collect::<Vec<_>>());
}

#[test]
fn workers_with_spans_of_their_own_use_all_of_them() {
    let span = |first: u64, blocks: u64| Span { offset_bytes: START + first * BLOCK, length_bytes: blocks * BLOCK };
    let mut spec = spec_of(Pattern::Sequential, Order::Plain, 100, 2);
    spec.placement.spans = vec![span(0, 3), span(50, 2)];
    assert_eq!((take(&spec, 0, 4), take(&spec, 1, 3)), (vec![0, 1, 2, 0], vec![50, 51, 50]));
    // The third worker shares the first one's span.
    spec.workload.workers = 3;
    assert_eq!([0, 1, 2].map(|worker| take(&spec, worker, 3)), [[0, 0, 0], [50, 51, 50], [1, 2, 1]]);
}

#[test]
fn random_workers_each_take_another_way_over_the_whole_span() {
    let spec = spec_of(Pattern::Random, Order::Plain, 1000, 2);
    let (first, second) = (take(&spec, 0, 1000), take(&spec, 1, 1000));
    assert_ne!(first, second);
    assert!([first, second].into_iter().all(|mut pass| {
        pass.sort_unstable();
        pass.into_iter().eq(0..1000)
    }));
}

#[test]
fn free_order_is_even_and_repeats() {
    let draws = take(&spec_of(Pattern::Random, Order::Free, 1000, 1), 0, 100_000);
    let counts = counts(&draws);
    let square: f64 = (0..1000).map(|block| (f64::from(*counts.get(&block).unwrap_or(&0)) - 100.0).powi(2) / 100.0).sum();
    // Chi-square of 999 degrees of freedom: four deviations are 179.
    assert!((square - 999.0).abs() < 179.0, "{square}");
    // Of the first 1000 draws 632 are of different blocks on average, with a deviation of 10.
    let different = self::counts(&draws[..1000]).len();
    assert!((592..672).contains(&different), "{different}");
}

#[test]
fn all_workers_prefer_the_same_scattered_blocks() {
    for order in [Order::Zipf { theta_milli: 1200, center_ppm: None }, Order::Pareto { h_milli: 200, center_ppm: None }] {
        let spec = spec_of(Pattern::Random, order.clone(), 1000, 2);
        let [first, second] = [0, 1].map(|worker| take(&spec, worker, 20_000));
        assert_ne!(first, second);
        let [first, second] = [first, second].map(|draws| favourites(&draws));
        assert_eq!(first[..2], second[..2], "{order:?}");
        assert!(first[0].abs_diff(first[1]) > 1, "{order:?}: {first:?}");
        assert_ne!(favourites(&take(&JobSpec { seed: 4, ..spec }, 0, 20_000))[..2], first[..2]);
    }
}

#[test]
fn a_fifth_of_the_blocks_has_four_fifths_of_the_ios() {
    let draws = take(&spec_of(Pattern::Random, Order::Pareto { h_milli: 200, center_ppm: None }, 1000, 1), 0, 100_000);
    let counts = counts(&draws);
    let top: u32 = favourites(&draws)[..200].iter().map(|block| counts[block]).sum();
    // A little more, because those that chance favoured are counted as the favourites.
    assert!((0.8..0.81).contains(&(f64::from(top) / 1e5)), "{top}");
}

#[test]
fn blocks_of_one_size_need_not_be_the_nominal_one() {
    let mut spec = spec_of(Pattern::Random, Order::Plain, 100, 1);
    spec.workload.shape.read_sizes = vec![SizeShare { bytes: 8192, percent: 100 }];
    let mut starts: Vec<u64> = extents(&spec, 0, 50).iter().map(|(start, _)| (start - START) / 8192).collect();
    starts.sort_unstable();
    assert!(starts.into_iter().eq(0..50));
}

fn counts(draws: &[u64]) -> HashMap<u64, u32> {
    let mut counts = HashMap::new();
    draws.iter().for_each(|block| *counts.entry(*block).or_default() += 1);
    counts
}

/// Blocks from the most frequent to the least.
fn favourites(draws: &[u64]) -> Vec<u64> {
    let counts = counts(draws);
    let mut blocks: Vec<u64> = counts.keys().copied().collect();
    blocks.sort_unstable_by_key(|block| (std::cmp::Reverse(counts[block]), *block));
    blocks
}
