//! What is wanted next, and what goes in the place of what must wait.

use super::*;
use crate::offsets::spec_of;
use ioproof_core::shape::Order;
use ioproof_core::workload::Pattern;

const BLOCKS: u64 = 100;

fn spec(read_percent: u8, until: Until) -> JobSpec {
    let mut spec = spec_of(Pattern::Sequential, Order::Plain, BLOCKS, 1);
    (spec.workload.read_percent, spec.until) = (read_percent, until);
    spec
}

fn kind(request: Option<Request>) -> Option<Operation> {
    request.map(|request| request.operation)
}

/// Draws until the next one is of this direction.
fn with_next(requests: &mut Requests, operation: Operation) {
    while kind(requests.peek()).unwrap() != operation {
        requests.next();
    }
}

#[test]
fn what_waits_stays_and_the_other_direction_goes() {
    let mut requests = Requests::new(&spec(50, Until::ElapsedNs(1)), 0, 1);
    with_next(&mut requests, Operation::Read);
    let waiting = requests.peek().unwrap();
    assert_eq!(requests.other(Operation::Read), Some(Operation::Write));
    let others: Vec<Request> = (0..5).map(|_| requests.next_of(Operation::Write).unwrap()).collect();
    assert!(others.iter().all(|request| request.operation == Operation::Write));
    assert_eq!(others[0].offset, (waiting.offset + 4096) % (BLOCKS * 4096), "each place comes once");
    assert_eq!((requests.peek(), requests.next()), (Some(waiting), Some(waiting)));
}

#[test]
fn a_job_of_one_direction_has_no_other() {
    for (read_percent, trim_percent, operation) in [(100, 0, Operation::Read), (0, 0, Operation::Write), (0, 100, Operation::Trim)] {
        let mut spec = spec(read_percent, Until::ElapsedNs(1));
        spec.workload.shape.trim_percent = trim_percent;
        let mut requests = Requests::new(&spec, 0, 1);
        assert_eq!((kind(requests.peek()), requests.other(operation)), (Some(operation), None));
    }
    assert_eq!(Requests::new(&spec(50, Until::ElapsedNs(1)), 0, 1).other(Operation::Fsync), None);
}

#[test]
fn writes_and_trims_in_the_place_of_a_read_keep_their_shares() {
    let mut spec = spec(40, Until::ElapsedNs(1));
    spec.workload.shape.trim_percent = 15;
    let mut requests = Requests::new(&spec, 0, 1);
    let trims = (0..40_000).filter(|_| kind(requests.next_of(Operation::Write)) == Some(Operation::Trim)).count();
    // A quarter; four deviations are 346.
    assert!(trims.abs_diff(10_000) < 346, "{trims}");
}

#[test]
fn only_what_is_taken_counts() {
    for until in [Until::Ios(20), Until::Bytes(20 * 4096)] {
        let mut requests = Requests::new(&spec(50, until), 0, 1);
        with_next(&mut requests, Operation::Write);
        let mut reads = 0;
        while requests.peek().is_some() {
            assert_eq!(kind(requests.next_of(Operation::Read)), Some(Operation::Read));
            reads += 1;
        }
        let before = 20 - reads;
        assert!(reads > 10, "{before} went before");
        assert_eq!((requests.peek(), requests.next()), (None, None), "the write that waited is left behind, and the job has had its 20");
    }
    let mut plain = Requests::new(&spec(50, Until::Ios(20)), 0, 1);
    assert_eq!(std::iter::from_fn(|| plain.next()).count(), 20);
}

#[test]
fn what_waits_is_the_last_of_a_span_that_is_covered() {
    let mut requests = Requests::new(&spec(50, Until::SpanCovered), 0, 1);
    with_next(&mut requests, Operation::Read);
    let waiting = requests.peek();
    while requests.next_of(Operation::Write).is_some() {}
    assert_eq!((requests.next(), requests.next()), (waiting, None));
}

#[test]
fn a_sync_comes_before_what_waits() {
    let mut spec = spec(50, Until::ElapsedNs(1));
    spec.workload.durability = Durability::FsyncEvery(2);
    let mut requests = Requests::new(&spec, 0, 1);
    with_next(&mut requests, Operation::Read);
    let waiting = requests.peek();
    while kind(requests.peek()) != Some(Operation::Fsync) {
        assert_eq!(requests.peek(), waiting);
        requests.next_of(Operation::Write);
    }
    assert_eq!((kind(requests.next()), requests.next()), (Some(Operation::Fsync), waiting));
}
