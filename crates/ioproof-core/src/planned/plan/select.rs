//! Which workloads answer which claims.

use super::{Planned, Request, SkipReason, Skipped};
use crate::claim::{Claim, Metric};
use crate::datasheet::superseded;
use crate::workload::{Durability, Pattern, Workload};

/// Workers and queue depth per worker where the claim names none.
const DEFAULT_CONCURRENCY: (u32, u32) = (4, 32);
/// Up to this queue depth in total one worker is enough, where the claim does not say how many.
const ONE_WORKER_DEPTH: u32 = 32;

/// Workloads that are measured on every drive, in the order in which they are run: reads, then writes with sequential before random, and
/// among the random ones the gentlest first, because writing changes the drive for whatever follows.
pub const BASE_WORKLOADS: [Workload; 10] = [
    base(Pattern::Sequential, 100, 128, DEFAULT_CONCURRENCY),
    base(Pattern::Random, 100, 4, DEFAULT_CONCURRENCY),
    base(Pattern::Random, 100, 8, DEFAULT_CONCURRENCY),
    base(Pattern::Random, 100, 4, (1, 1)),
    base(Pattern::Sequential, 0, 128, DEFAULT_CONCURRENCY),
    base(Pattern::Random, 0, 4, (1, 1)),
    durable(base(Pattern::Random, 0, 4, (1, 1))),
    base(Pattern::Random, 0, 8, DEFAULT_CONCURRENCY),
    base(Pattern::Random, 70, 4, DEFAULT_CONCURRENCY),
    base(Pattern::Random, 0, 4, DEFAULT_CONCURRENCY),
];

const fn base(pattern: Pattern, read_percent: u8, block_kib: u32, (workers, depth): (u32, u32)) -> Workload {
    Workload::plain(pattern, read_percent, block_kib << 10, workers, depth)
}

const fn durable(mut workload: Workload) -> Workload {
    workload.durability = Durability::FdatasyncEach;
    workload
}

/// The workload that measures a claim under its own conditions.
pub fn workload_of(claim: &Claim) -> Workload {
    let (workers, depth) = concurrency_of(claim);
    Workload::plain(claim.pattern, claim.read_percent, claim.block_bytes, workers, depth)
}

fn concurrency_of(claim: &Claim) -> (u32, u32) {
    match (claim.queue_depth_total, claim.workers) {
        (None, None) if claim.metric == Metric::Latency => (1, 1),
        (None, None) => DEFAULT_CONCURRENCY,
        (None, Some(workers)) => (workers.max(1), DEFAULT_CONCURRENCY.1),
        (Some(total), Some(workers)) => (workers.max(1), (total / workers.max(1)).max(1)),
        (Some(total), None) => {
            let workers = if total <= ONE_WORKER_DEPTH { 1 } else { [4, 2].into_iter().find(|w| total.is_multiple_of(*w)).unwrap_or(1) };
            (workers, total.max(1) / workers)
        }
    }
}

/// Workloads in the order of the plan, reads before writes, and the claims left out.
pub(super) fn select(request: &Request) -> (Vec<Planned>, Vec<Skipped>) {
    let mut planned: Vec<Planned> = Vec::new();
    let mut skipped = Vec::new();
    for (index, claim) in request.datasheet.iter().flat_map(|d| d.claims.iter().enumerate()) {
        match why_not(index, claim, request) {
            Some(reason) => skipped.push(Skipped { claim: index, reason }),
            None => add(&mut planned, workload_of(claim), Some(index)),
        }
    }
    let wanted = if request.only.is_empty() { &BASE_WORKLOADS[..] } else { request.only };
    for workload in wanted.iter().filter(|w| refusal(w, request).is_none()) {
        if !request.only.is_empty() || !planned.iter().any(|p| stands_for(&p.workload, workload)) {
            add(&mut planned, workload.clone(), None);
        }
    }
    match request.in_order {
        true => planned.sort_by_key(|p| p.workload.writes()),
        false => planned.sort_by_key(|p| place(&p.workload)),
    }
    (planned, skipped)
}

fn add(planned: &mut Vec<Planned>, workload: Workload, claim: Option<usize>) {
    match planned.iter_mut().find(|p| p.workload == workload) {
        Some(same) => same.claims.extend(claim),
        None => planned.push(Planned { workload, claims: claim.into_iter().collect() }),
    }
}

fn why_not(index: usize, claim: &Claim, request: &Request) -> Option<SkipReason> {
    if for_another_drive(claim, request) || request.datasheet.is_some_and(|d| superseded(d, index, request.capacity_bytes)) {
        return Some(SkipReason::OtherCapacity);
    }
    let workload = workload_of(claim);
    let not_asked = !request.only.is_empty() && !request.only.contains(&workload);
    refusal(&workload, request).or(not_asked.then_some(SkipReason::NotAsked))
}

/// True where a figure is for another capacity. For a drive of no capacity that the datasheet knows, the figures of the whole family stand, where there are any.
fn for_another_drive(claim: &Claim, request: &Request) -> bool {
    let family = || request.datasheet.is_some_and(|d| d.claims.iter().any(|c| c.capacities_bytes.is_empty()));
    match request.capacity_bytes {
        _ if claim.capacities_bytes.is_empty() => false,
        Some(capacity) => !claim.capacities_bytes.contains(&capacity),
        None => family(),
    }
}

fn refusal(workload: &Workload, request: &Request) -> Option<SkipReason> {
    let (smallest, largest) = (u64::from(workload.smallest_block_bytes()), u64::from(workload.largest_block_bytes()));
    let unit = if workload.shape.buffered { 1 } else { request.alignment_bytes.max(1) };
    let aligned = |bytes: u64| bytes.is_multiple_of(unit.into());
    match () {
        () if workload.writes() && !request.may_write => Some(SkipReason::NeedsWriting),
        () if workload.read_percent > 0 && !request.may_read => Some(SkipReason::NeedsReading),
        () if !request.own_files && workload.shape.needs_own_files() => Some(SkipReason::OwnFiles),
        () if !aligned(smallest) || !aligned(largest) => Some(SkipReason::BlockSize),
        () if request.span.length_bytes < workload.least_span_bytes() => Some(SkipReason::TooSmall),
        () => None,
    }
}

/// True where a claim's workload makes a base workload superfluous: they differ in nothing but workers and depth.
fn stands_for(planned: &Workload, base: &Workload) -> bool {
    let same_conditions = Workload { workers: base.workers, depth: base.depth, ..planned.clone() } == *base;
    same_conditions && planned.is_unloaded() == base.is_unloaded()
}

/// Sort key: reads first; writes sequential before random, then by how much they disturb.
fn place(workload: &Workload) -> (bool, bool, bool, u32) {
    let random = workload.pattern == Pattern::Random;
    let smaller_last = if workload.writes() { u32::MAX - workload.block_bytes } else { 0 };
    let load = if workload.writes() { workload.outstanding() } else { 0 };
    (workload.writes(), random && workload.writes(), load > 1, smaller_last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::claim;

    #[test]
    fn concurrency_comes_from_the_claim() {
        let of = |queue_depth_total, workers| concurrency_of(&Claim { queue_depth_total, workers, ..claim(1.0) });
        assert_eq!(of(None, None), (4, 32));
        assert_eq!(of(Some(128), Some(4)), (4, 32));
        assert_eq!(of(Some(32), None), (1, 32));
        assert_eq!(of(Some(256), None), (4, 64));
        assert_eq!(of(Some(127), None), (1, 127));
        assert_eq!(of(None, Some(16)), (16, 32));
        assert_eq!(concurrency_of(&Claim { metric: Metric::Latency, ..claim(1.0) }), (1, 1));
    }
}
