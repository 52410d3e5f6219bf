//! The pace against a simulated clock: every figure is exact or has the spread that theory gives it.

use super::*;
use ioproof_core::shape::{Limits, Shape, Think};
use ioproof_core::workload::Pattern;
use std::collections::VecDeque;

const START_NS: u64 = 7_123_456_789;
const SECOND_NS: u64 = 1_000_000_000;

fn workload(workers: u32, shape: Shape) -> Workload {
    Workload { shape, ..Workload::plain(Pattern::Random, 100, 4096, workers, 1) }
}

fn paced(pace: Pace) -> Shape {
    Shape { pace, ..Shape::PLAIN }
}

fn limited(limits: Limits) -> Shape {
    Shape { limits, ..Shape::PLAIN }
}

fn pacers(workers: u32, shape: Shape) -> Vec<Pacer> {
    let workload = workload(workers, shape);
    (0..workers).map(|worker| Pacer::new(&workload, worker, 42, START_NS)).collect()
}

/// Starts every I/O exactly when it is due, until the end; gives the intended times.
fn run_until(pacer: &mut Pacer, end_ns: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let due_ns = pacer.due_ns(IoOperation::Read);
        (due_ns < end_ns).then(|| pacer.start(IoOperation::Read, 4096, due_ns))
    })
}

/// A device that serves each I/O in `service_ns` and keeps `depth` of them, asked by a worker without delays of its own. Gives when each I/O
/// started, and when it was meant to.
fn device(pacer: &mut Pacer, operation: IoOperation, depth: usize, service_ns: u64, end_ns: u64) -> Vec<(u64, u64)> {
    let (mut started, mut under_way, mut now_ns) = (Vec::new(), VecDeque::new(), START_NS);
    while now_ns < end_ns {
        let due_ns = pacer.due_ns(operation);
        if under_way.len() < depth && due_ns <= now_ns {
            started.push((now_ns, pacer.start(operation, 4096, now_ns)));
            under_way.push_back(now_ns + service_ns);
            continue;
        }
        let next_done_ns = under_way.front().copied().unwrap_or(u64::MAX);
        let next_start_ns = if under_way.len() < depth { due_ns } else { u64::MAX };
        now_ns = next_done_ns.min(next_start_ns);
        while under_way.front().is_some_and(|done_ns| *done_ns <= now_ns) {
            under_way.pop_front();
        }
        pacer.seen(under_way.len() as u32, now_ns);
    }
    started
}

#[test]
fn a_fixed_rate_is_exact_over_all_workers() {
    for ios_per_s in [1, 333, 600_000, 10_000_000] {
        for workers in [1, 3] {
            // Ten million a second for a tenth of the time, because the test counts them one by one.
            let seconds = if ios_per_s == 10_000_000 { 1 } else { 10 };
            let end_ns = START_NS + seconds * SECOND_NS;
            let counts =
                pacers(workers, paced(Pace::Fixed { ios_per_s })).into_iter().map(|mut p| run_until(&mut p, end_ns).count() as u64);
            assert_eq!(counts.sum::<u64>(), seconds * ios_per_s, "{ios_per_s} per second, {workers} workers");
        }
    }
}

#[test]
fn arrival_n_lies_n_distances_after_the_start_and_never_drifts() {
    let mut pacers = pacers(3, paced(Pace::Fixed { ios_per_s: 600_007 }));
    let far = 2_000_000;
    for n in 0..far {
        let intended_ns = pacers[(n % 3) as usize].start(IoOperation::Read, 4096, u64::MAX / 2);
        assert_eq!(intended_ns, START_NS + n * SECOND_NS / 600_007, "arrival {n}");
    }
}

#[test]
fn absurd_rates_do_no_harm() {
    for ios_per_s in [0, u64::MAX] {
        for pace in [Pace::Fixed { ios_per_s }, Pace::Poisson { ios_per_s }] {
            let mut pacer = Pacer::new(&workload(u32::MAX, paced(pace)), u32::MAX - 1, 1, START_NS);
            let times: Vec<u64> = (0..3).map(|_| pacer.start(IoOperation::Read, 4096, START_NS)).collect();
            assert!(times.is_sorted() && times[0] >= START_NS, "{pace:?}: {times:?}");
        }
        let limits = Limits { read_ios_per_s: Some(ios_per_s), read_bytes_per_s: Some(ios_per_s), ..Limits::default() };
        let mut pacer = Pacer::new(&workload(u32::MAX, limited(limits)), 0, 1, START_NS);
        pacer.start(IoOperation::Read, u32::MAX, START_NS);
        pacer.start(IoOperation::Read, u32::MAX, START_NS);
        assert!(pacer.due_ns(IoOperation::Read) >= START_NS);
    }
}

/// Largest distance between the distribution of `gaps` and the exponential one, in units in which 1.63 is exceeded by chance once in a hundred times
/// (Kolmogorov and Smirnov).
fn distance_from_exponential(gaps: &mut [f64], mean: f64) -> f64 {
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len() as f64;
    let expected = |gap: f64| 1.0 - (-gap / mean).exp();
    let distances = gaps.iter().enumerate().map(|(i, gap)| {
        let (below, above) = (i as f64 / n, (i + 1) as f64 / n);
        (expected(*gap) - below).abs().max((above - expected(*gap)).abs())
    });
    distances.fold(0.0, f64::max) * n.sqrt()
}

#[test]
fn random_gaps_are_exponential_for_one_worker_and_for_three_together() {
    for workers in [1, 3] {
        let pacers = pacers(workers, paced(Pace::Poisson { ios_per_s: 20_000 }));
        let end_ns = START_NS + 10 * SECOND_NS;
        let mut times: Vec<u64> = pacers.into_iter().flat_map(|mut p| run_until(&mut p, end_ns).collect::<Vec<_>>()).collect();
        times.sort_unstable();
        let mut gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let distance = distance_from_exponential(&mut gaps, 50_000.0);
        assert!(distance < 1.63, "{workers} workers: {distance}");
        // The check can tell: cut to whole microseconds, as a coarser schedule would, at a rate of 600 000 a second.
        let mut coarse: Vec<f64> = gaps.iter().map(|gap| (gap / 30.0 / 1000.0).floor() * 1000.0).collect();
        assert!(distance_from_exponential(&mut coarse, 50_000.0 / 30.0) > 10.0);
    }
}

#[test]
fn random_arrivals_keep_rate_and_spread() {
    // At ten million a second a lost fraction of a nanosecond is half a percent.
    for ios_per_s in [600_000, 10_000_000] {
        let mut pacer = pacers(1, paced(Pace::Poisson { ios_per_s })).remove(0);
        let (count, mut last_ns, mut sum, mut squares) = (4_000_000, START_NS, 0.0, 0.0);
        for _ in 0..count {
            let at_ns = pacer.start(IoOperation::Read, 4096, 0);
            let gap = (at_ns - last_ns) as f64;
            (sum, squares, last_ns) = (sum + gap, squares + gap * gap, at_ns);
        }
        let mean = sum / f64::from(count);
        let variation = (squares / f64::from(count) - mean * mean).sqrt() / mean;
        // By chance the mean is off by 0.05 % (one standard deviation).
        assert!((mean * ios_per_s as f64 / 1e9 - 1.0).abs() < 0.001, "mean gap {mean} ns at {ios_per_s} per second");
        assert!((variation - 1.0).abs() < 0.01, "coefficient of variation {variation}");
    }
}

#[test]
fn a_seed_gives_the_same_arrivals_again_and_workers_differ() {
    let first = |worker, seed| {
        let mut pacer = Pacer::new(&workload(2, paced(Pace::Poisson { ios_per_s: 1000 })), worker, seed, START_NS);
        (0..10).map(|_| pacer.start(IoOperation::Read, 4096, 0)).collect::<Vec<_>>()
    };
    assert_eq!(first(0, 5), first(0, 5));
    assert!(first(0, 5) != first(1, 5) && first(0, 5) != first(0, 6) && first(1, 4) != first(0, 5));
}

#[test]
fn after_a_stall_the_intended_times_are_those_of_the_schedule() {
    for pace in [Pace::Fixed { ios_per_s: 1000 }, Pace::Poisson { ios_per_s: 1000 }] {
        let schedule: Vec<u64> = run_until(&mut pacers(1, paced(pace))[0], START_NS + SECOND_NS).collect();
        let mut late = pacers(1, paced(pace)).remove(0);
        // Nothing is started for half a second; then all that has arrived is overdue, and what is yet to come is not.
        let now_ns = START_NS + SECOND_NS / 2;
        let overdue = schedule.iter().filter(|at| **at <= now_ns).count();
        assert!(overdue > 400);
        for (n, expected_ns) in schedule.iter().enumerate() {
            assert_eq!(late.due_ns(IoOperation::Read) <= now_ns, n < overdue);
            assert_eq!(late.start(IoOperation::Read, 4096, now_ns.max(*expected_ns)), *expected_ns);
        }
    }
}

#[test]
fn a_device_that_is_too_slow_shows_in_the_response_time() {
    // 1000 I/Os arrive in a second, 500 are served: the last that starts arrived half a second ago.
    let started = device(&mut pacers(1, paced(Pace::Fixed { ios_per_s: 1000 }))[0], IoOperation::Read, 1, 2_000_000, START_NS + SECOND_NS);
    assert_eq!(started.len(), 500);
    let (started_ns, intended_ns) = started[499];
    assert_eq!((started_ns - START_NS, intended_ns - START_NS), (998_000_000, 499_000_000));
}

#[test]
fn limits_hold_and_are_reached() {
    let ios = Limits { read_ios_per_s: Some(30_000), write_ios_per_s: Some(7_000), ..Limits::default() };
    let bytes = Limits { read_bytes_per_s: Some(30_000 * 4096), write_bytes_per_s: Some(7_000 * 4096), ..Limits::default() };
    let both = Limits {
        read_ios_per_s: Some(90_000),
        write_bytes_per_s: Some(1 << 40),
        read_bytes_per_s: Some(30_000 * 4096),
        write_ios_per_s: Some(7_000),
        catches_up: false,
    };
    for limits in [ios, bytes, both] {
        for (operation, per_s) in [(IoOperation::Read, 30_000), (IoOperation::Write, 7_000), (IoOperation::Trim, 7_000)] {
            for workers in [1, 3] {
                let each = pacers(workers, limited(limits)).into_iter();
                let started: usize = each.map(|mut p| device(&mut p, operation, 8, 80_000, START_NS + SECOND_NS).len()).sum();
                // Each worker may begin with one I/O at once.
                assert!((per_s..=per_s + workers as usize).contains(&started), "{started} of {per_s}, {limits:?}");
            }
        }
    }
}

#[test]
fn what_was_missed_is_made_up_for_only_within_the_burst() {
    let mut pacer = pacers(1, limited(Limits { read_ios_per_s: Some(100_000), ..Limits::default() })).remove(0);
    let back_ns = START_NS + SECOND_NS;
    let at_once = (0..)
        .take_while(|_| pacer.due_ns(IoOperation::Read) <= back_ns && pacer.start(IoOperation::Read, 4096, back_ns) == back_ns)
        .count();
    assert_eq!(at_once, 1001, "10 ms worth, and one");
    assert_eq!(run_until(&mut pacer, back_ns + SECOND_NS).count(), 99_999, "and then the limit");
    // What was missed by less than the burst is made up for in full.
    let mut late = pacers(1, limited(Limits { read_ios_per_s: Some(1000), ..Limits::default() })).remove(0);
    let started = std::iter::from_fn(|| {
        let now_ns = late.due_ns(IoOperation::Read) + 900_000;
        (now_ns < START_NS + SECOND_NS).then(|| late.start(IoOperation::Read, 4096, now_ns))
    });
    assert_eq!(started.count(), 1000);
}

#[test]
fn all_that_was_missed_is_made_up_for_where_it_is_asked() {
    let limits = Limits { read_ios_per_s: Some(1000), catches_up: true, ..Limits::default() };
    let mut pacer = pacers(1, limited(limits)).remove(0);
    let back_ns = START_NS + 5 * SECOND_NS;
    let at_once = (0..)
        .take_while(|_| pacer.due_ns(IoOperation::Read) <= back_ns && pacer.start(IoOperation::Read, 4096, back_ns) == back_ns)
        .count();
    assert_eq!(at_once, 5001);
    assert_eq!(run_until(&mut pacer, back_ns + SECOND_NS).count(), 999, "and then the limit");
}

#[test]
fn workers_under_a_limit_begin_in_turn() {
    let limits = Limits { read_ios_per_s: Some(1000), write_bytes_per_s: Some(4096 * 1000), ..Limits::default() };
    for (worker, pacer) in pacers(4, limited(limits)).iter().enumerate() {
        for operation in [IoOperation::Read, IoOperation::Write] {
            assert_eq!(pacer.due_ns(operation), START_NS + worker as u64 * 1_000_000);
        }
    }
}

#[test]
fn a_limit_of_one_direction_leaves_the_other_and_syncs_alone() {
    let mut pacer = pacers(1, limited(Limits { write_ios_per_s: Some(1), ..Limits::default() })).remove(0);
    assert!(!pacer.is_free());
    pacer.start(IoOperation::Write, 4096, START_NS);
    assert_eq!(pacer.due_ns(IoOperation::Trim), START_NS + SECOND_NS);
    assert!(pacer.due_ns(IoOperation::Read) <= START_NS && pacer.due_ns(IoOperation::Fsync) <= START_NS);
}

#[test]
fn a_limit_on_an_open_loop_delays_the_start_but_not_the_arrival() {
    let limits = Limits { read_ios_per_s: Some(100), ..Limits::default() };
    let shape = Shape { limits, ..paced(Pace::Fixed { ios_per_s: 1000 }) };
    let started = device(&mut pacers(1, shape)[0], IoOperation::Read, 4, 1000, START_NS + SECOND_NS);
    assert_eq!(started.len(), 100);
    assert_eq!(started[99], (START_NS + 990_000_000, START_NS + 99_000_000));
}

#[test]
fn a_pause_begins_when_the_last_is_back() {
    let shape = Shape { think: Some(Think { ns: 500, every: 3, every_ns: 0 }), ..Shape::PLAIN };
    let mut pacer = pacers(1, shape.clone()).remove(0);
    for now_ns in 10..13 {
        assert!(pacer.due_ns(IoOperation::Read) <= now_ns);
        assert_eq!(pacer.start(IoOperation::Read, 4096, now_ns), now_ns);
    }
    assert_eq!(pacer.due_ns(IoOperation::Read), u64::MAX);
    assert_eq!(pacer.due_ns(IoOperation::Datasync), 0, "a sync is not held back");
    pacer.seen(1, 20);
    assert_eq!(pacer.due_ns(IoOperation::Read), u64::MAX);
    pacer.seen(0, 30);
    pacer.seen(0, 40);
    assert_eq!(pacer.due_ns(IoOperation::Read), 530);
    // At depth 2 three I/Os take two services of 100 ns, and then comes the pause.
    let started = device(&mut pacers(1, shape)[0], IoOperation::Read, 2, 100, START_NS + 1400);
    let times: Vec<u64> = started.iter().map(|(at, _)| at - START_NS).collect();
    assert_eq!(times, [0, 0, 100, 700, 700, 800]);
}

/// When I/Os of 100 ns start, one at a time, from the start.
fn starts(think: Think, until_ns: u64) -> Vec<u64> {
    let shape = Shape { think: Some(think), ..Shape::PLAIN };
    let started = device(&mut pacers(1, shape)[0], IoOperation::Read, 1, 100, START_NS + until_ns);
    started.iter().map(|(at, _)| at - START_NS).collect()
}

#[test]
fn a_pause_comes_after_so_much_time_or_so_many_ios() {
    // The I/O that starts when the 250 ns are over is the last; they run anew from the end of the pause.
    assert_eq!(starts(Think { ns: 500, every: 0, every_ns: 250 }, 1300), [0, 100, 200, 300, 900, 1000, 1100, 1200]);
    assert_eq!(starts(Think { ns: 500, every: 2, every_ns: 250 }, 1300), [0, 100, 700, 800]);
    assert_eq!(starts(Think { ns: 500, every: 5, every_ns: 250 }, 1000), [0, 100, 200, 300, 900]);
}

#[test]
fn only_a_plain_closed_loop_is_free() {
    let think = |ns| Shape { think: Some(Think { ns, every: 1, every_ns: 0 }), ..Shape::PLAIN };
    let free = |shape| pacers(1, shape)[0].is_free();
    assert!(free(Shape::PLAIN) && free(think(0)));
    assert!(!free(think(1)) && !free(paced(Pace::Fixed { ios_per_s: 1 })) && !free(paced(Pace::Poisson { ios_per_s: 1 })));
    for limits in [Limits { read_ios_per_s: Some(1), ..Limits::default() }, Limits { write_bytes_per_s: Some(1), ..Limits::default() }] {
        assert!(!free(limited(limits)));
    }
}

/// Number of I/Os that start at `now_ns`, one at once after the other.
fn at_once(pacer: &mut Pacer, now_ns: u64) -> usize {
    (0..).take_while(|_| pacer.due_ns(IoOperation::Read) <= now_ns && pacer.start(IoOperation::Read, 4096, now_ns) <= now_ns).count()
}

#[test]
fn a_stall_over_the_end_of_the_ramp_is_not_made_up_for_in_the_measurement() {
    let limits = |catches_up| {
        let ios = Limits { read_ios_per_s: Some(1000), catches_up, ..Limits::default() };
        [limited(ios), limited(Limits { read_ios_per_s: None, read_bytes_per_s: Some(4096 * 1000), ..ios })]
    };
    let paces = [paced(Pace::Fixed { ios_per_s: 1000 })];
    for shape in limits(true).into_iter().chain(limits(false)).chain(paces) {
        let mut pacer = pacers(1, shape.clone()).remove(0);
        assert_eq!(run_until(&mut pacer, START_NS + SECOND_NS).count(), 1000, "{shape:?}");
        // Nothing runs for a second and a half; then the measurement begins.
        let begins_ns = START_NS + SECOND_NS * 5 / 2;
        pacer.begin(begins_ns, u64::MAX);
        assert!(at_once(&mut pacer, begins_ns) <= 1, "{shape:?}");
        let started = run_until(&mut pacer, begins_ns + SECOND_NS).count();
        assert!((999..=1000).contains(&started), "{started}: {shape:?}");
        // A stall in the measurement itself is made up for as it always was.
        assert_eq!(at_once(&mut pacer, begins_ns + 3 * SECOND_NS) > 1000, shape.limits.catches_up || shape.pace != Pace::Closed);
    }
}

#[test]
fn workers_that_all_missed_their_turn_before_the_measurement_exceed_no_limit_in_it() {
    let limits = Limits { read_ios_per_s: Some(20), ..Limits::default() };
    for limits in [limits, Limits { read_ios_per_s: None, read_bytes_per_s: Some(20 * 4096), ..limits }] {
        // Turns are 50 ms apart; three of them were missed when the measurement begins, and 14 lie within its 700 ms.
        let (begins_ns, ends_ns) = (START_NS + 149_000_000, START_NS + 849_000_000);
        let mut workers = pacers(32, limited(limits));
        workers.iter_mut().for_each(|pacer| pacer.begin(begins_ns, ends_ns));
        let started: usize = workers.iter_mut().map(|pacer| run_until(pacer, ends_ns).count()).sum();
        assert_eq!(started, 14, "{limits:?}");
    }
    // A worker that is only a little late does not wait for another turn.
    let mut late = pacers(32, limited(limits)).remove(2);
    late.begin(START_NS + 109_000_000, u64::MAX);
    assert_eq!(late.due_ns(IoOperation::Read), START_NS + 109_000_000);
}

#[test]
fn a_measurement_that_begins_in_time_changes_no_schedule() {
    for shape in [paced(Pace::Fixed { ios_per_s: 600_007 }), limited(Limits { read_ios_per_s: Some(600_007), ..Limits::default() })] {
        let (mut begun, mut plain) = (pacers(3, shape.clone()).remove(1), pacers(3, shape).remove(1));
        for n in 0..1000 {
            let due_ns = plain.due_ns(IoOperation::Read);
            begun.begin(due_ns - 1, u64::MAX);
            assert_eq!(begun.due_ns(IoOperation::Read), due_ns, "I/O {n}");
            assert_eq!(begun.start(IoOperation::Read, 4096, due_ns), plain.start(IoOperation::Read, 4096, due_ns));
        }
    }
}

#[test]
fn arrivals_that_are_left_out_leave_the_others_where_they_were() {
    for (ios_per_s, worker) in [(1, 0), (600_007, 1), (10_000_000, 2)] {
        let shape = paced(Pace::Fixed { ios_per_s });
        let (mut begun, mut plain) = (pacers(3, shape.clone()).remove(worker), pacers(3, shape).remove(worker));
        let begins_ns = START_NS + SECOND_NS / 100 + 1;
        begun.begin(begins_ns, u64::MAX);
        while plain.due_ns(IoOperation::Read) < begins_ns {
            plain.start(IoOperation::Read, 4096, u64::MAX / 2);
        }
        for _ in 0..1000 {
            assert_eq!(begun.start(IoOperation::Read, 4096, u64::MAX / 2), plain.start(IoOperation::Read, 4096, u64::MAX / 2));
        }
    }
    let mut random = pacers(1, paced(Pace::Poisson { ios_per_s: 1000 })).remove(0);
    random.begin(START_NS + SECOND_NS, u64::MAX);
    assert!(random.due_ns(IoOperation::Read) > START_NS + SECOND_NS && at_once(&mut random, START_NS + SECOND_NS) == 0);
}

#[test]
fn what_falls_due_at_the_end_never_starts() {
    let limits = Limits { read_ios_per_s: Some(2), ..Limits::default() };
    for shape in [limited(limits), paced(Pace::Fixed { ios_per_s: 2 })] {
        let mut pacer = pacers(1, shape).remove(0);
        pacer.begin(START_NS, START_NS + SECOND_NS);
        let mut started = 0;
        while pacer.due_ns(IoOperation::Read) <= START_NS + 5 * SECOND_NS {
            let due_ns = pacer.due_ns(IoOperation::Read);
            pacer.start(IoOperation::Read, 4096, due_ns);
            started += 1;
        }
        assert_eq!(started, 2);
        assert!(pacer.wait_ns(u64::MAX, START_NS, u64::MAX) < SECOND_NS, "nobody sleeps beyond the end");
    }
}
