//! The search against simulated drives whose answer is known.

use super::*;
use proptest::prelude::*;

const TARGET_NS: u64 = 1_000_000;

fn goal() -> Goal {
    Goal { target_ns: TARGET_NS, quantile: 0.999, first_ios_per_s: 1000, ceiling_ios_per_s: 10_000_000, precision: 0.02, most_steps: 60 }
}

fn search(goal: Goal, mut drive: impl FnMut(u64) -> Probe) -> GoalSearch {
    let mut search = GoalSearch::new(goal);
    while let Some(ios_per_s) = search.next_rate() {
        search.tell(ios_per_s, drive(ios_per_s));
    }
    search
}

fn answers(search: &GoalSearch) -> Vec<(u64, Answer)> {
    search.steps().iter().map(|s| (s.ios_per_s, s.answer)).collect()
}

fn probe(ios_per_s: u64, quantile_ns: u64) -> Probe {
    Probe { quantile_ns: Some(quantile_ns), delivered_ios_per_s: ios_per_s as f64 }
}

/// One server with exponential service times and random arrivals: response times are exponential too, with the rate that is left over.
fn mm1(ios_per_s: u64, capacity: f64) -> Probe {
    let left = capacity - ios_per_s as f64;
    if left <= 0.0 {
        Probe { quantile_ns: None, delivered_ios_per_s: capacity }
    } else {
        probe(ios_per_s, (1000f64.ln() / left * 1e9) as u64)
    }
}

/// 100 us up to this rate, and 10 ms beyond.
fn step(ios_per_s: u64, edge: u64) -> Probe {
    probe(ios_per_s, if ios_per_s <= edge { 100_000 } else { 10_000_000 })
}

/// Uniform between 0 and 1, seeded.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
}

#[test]
fn a_queue_is_found_within_the_precision() {
    for capacity in [20_000.0, 450_000.0, 3_000_000.0] {
        let done = search(goal(), |rate| mm1(rate, capacity));
        let truth = capacity - 1000f64.ln() / TARGET_NS as f64 * 1e9;
        let found = done.result().unwrap();
        assert_eq!(done.ending(), Some(Ending::Close));
        assert!(found.bracket.0 as f64 <= truth && truth <= found.bracket.1 as f64, "{found:?} for {truth}");
        assert!(found.rate as f64 > truth / 1.02 && found.latency_ns <= TARGET_NS);
        assert!(done.steps().len() < 30, "{} steps", done.steps().len());
    }
}

#[test]
fn an_edge_is_found_from_below_and_from_above() {
    for first_ios_per_s in [1, 1000, 77_000, 5_000_000] {
        let done = search(Goal { first_ios_per_s, ..goal() }, |rate| step(rate, 77_777));
        let found = done.result().unwrap();
        assert!((76_252..=77_777).contains(&found.rate) && found.bracket.1 > 77_777, "{found:?}");
        assert!(found.bracket.1 as f64 <= found.rate as f64 * 1.02);
        assert_eq!(found.latency_ns, 100_000);
    }
}

#[test]
fn without_a_tolerance_the_edge_is_found_exactly() {
    let done = search(Goal { precision: 0.0, most_steps: 200, ..goal() }, |rate| step(rate, 77_777));
    assert_eq!(done.result().unwrap().bracket, (77_777, 77_778));
}

/// Response times of one server simulated one by one; each starts when it has arrived and the one before is done.
fn simulated_p999_ns(ios_per_s: u64, capacity: f64, noise: &mut Noise) -> u64 {
    let mut draw = |rate: f64| -noise.next().ln() / rate * 1e9;
    let (mut response_ns, mut all) = (0.0f64, Vec::new());
    for _ in 0..100_000 {
        response_ns = (response_ns - draw(ios_per_s as f64)).max(0.0) + draw(capacity);
        all.push(response_ns);
    }
    *all.select_nth_unstable_by(99_900, f64::total_cmp).1 as u64
}

#[test]
fn a_noisy_drive_is_found_about_as_well() {
    let mut noise = Noise(1);
    for _ in 0..3 {
        let done = search(goal(), |rate| {
            // One try in ten meets a hiccup of the host.
            let hiccup = if noise.next() < 0.1 { 5_000_000 } else { 0 };
            let p999_ns = simulated_p999_ns(rate, 20_000.0, &mut noise);
            probe(rate, p999_ns + hiccup)
        });
        let found = done.result().unwrap();
        let truth = 20_000.0 - 1000f64.ln() * 1000.0;
        assert!((found.rate as f64 / truth - 1.0).abs() < 0.03, "{found:?} for {truth}");
    }
}

#[test]
fn a_single_hiccup_changes_nothing_and_two_count() {
    let with_hiccups = |hiccups: u32| {
        let mut left = hiccups;
        search(goal(), move |rate| {
            let hiccup = rate == 4000 && left > 0;
            left -= u32::from(hiccup);
            step(rate, if hiccup { 0 } else { 50_000 })
        })
    };
    assert_eq!(with_hiccups(1).result(), with_hiccups(0).result());
    assert_eq!(with_hiccups(1).steps().len(), with_hiccups(0).steps().len() + 1);
    assert!(with_hiccups(2).result().unwrap().rate < 4000);
}

#[test]
fn nothing_is_found_where_even_the_lowest_rate_fails() {
    let done = search(goal(), |rate| probe(rate, TARGET_NS + 1));
    assert_eq!((done.result(), done.ending()), (None, Some(Ending::NothingHolds)));
    assert_eq!(answers(&done)[..3], [(1000, Answer::TooSlow), (1000, Answer::TooSlow), (500, Answer::TooSlow)]);
    assert_eq!(answers(&done).last(), Some(&(1, Answer::TooSlow)));
    assert_eq!(search(goal(), |rate| probe(rate, TARGET_NS)).ending(), Some(Ending::AtCeiling), "the target itself is kept");
}

#[test]
fn a_drive_without_limit_stops_at_the_ceiling() {
    let done = search(goal(), |rate| probe(rate, 5000));
    assert_eq!(done.ending(), Some(Ending::AtCeiling));
    assert_eq!(done.result(), Some(Found { rate: 10_000_000, latency_ns: 5000, bracket: (10_000_000, 10_000_000) }));
    assert!(done.steps().iter().all(|s| s.ios_per_s <= 10_000_000));
}

#[test]
fn what_is_not_delivered_does_not_hold_however_quick_it_is() {
    let done = search(goal(), |rate| Probe { quantile_ns: Some(1000), delivered_ios_per_s: (rate as f64).min(40_000.0) });
    let found = done.result().unwrap();
    // At most 2 % more was asked for than was delivered.
    assert!((39_900..=40_817).contains(&found.rate), "{found:?}");
    assert!(answers(&done).contains(&(64_000, Answer::NotDelivered)));
}

#[test]
fn too_few_samples_are_neither_good_nor_bad() {
    let told =
        |rate, few_below: u64, edge| if rate < few_below { Probe { quantile_ns: None, ..step(rate, edge) } } else { step(rate, edge) };
    // The rate grows past them without a second try.
    let done = search(goal(), |rate| told(rate, 3000, 20_000));
    assert_eq!(answers(&done)[..3], [(1000, Answer::CannotTell), (2000, Answer::CannotTell), (4000, Answer::Holds)]);
    assert!((19_600..=20_000).contains(&done.result().unwrap().rate));
    // What holds may lie where it cannot be told.
    let done = search(goal(), |rate| told(rate, 30_000, 20_000));
    assert_eq!((done.result(), done.ending()), (None, Some(Ending::CannotTell)));
    assert!(answers(&done).contains(&(32_000, Answer::TooSlow)));
    let done = search(goal(), |rate| told(rate, u64::MAX, 20_000));
    assert_eq!((done.result(), done.ending()), (None, Some(Ending::CannotTell)));
}

#[test]
fn steps_run_out() {
    for most_steps in 0..8 {
        let done = search(Goal { most_steps, ..goal() }, |rate| step(rate, 20_000));
        assert_eq!((done.steps().len() as u32, done.ending()), (most_steps, Some(Ending::OutOfSteps)));
        assert_eq!(done.result().is_some(), most_steps > 0);
    }
    // Not when the last step was the one that ended it.
    let most_steps = search(goal(), |rate| step(rate, 20_000)).steps().len() as u32;
    assert_eq!(search(Goal { most_steps, ..goal() }, |rate| step(rate, 20_000)).ending(), Some(Ending::Close));
}

proptest! {
    #[test]
    fn whatever_is_told_it_ends_and_does_not_contradict_itself(
        told in prop::collection::vec((any::<bool>(), prop::option::of(0u64..2_000_000), 0.5f64..1.1), 60),
        first in any::<u64>(), ceiling in any::<u64>(), precision in -1.0f64..0.5,
    ) {
        let goal = Goal { first_ios_per_s: first, ceiling_ios_per_s: ceiling, precision, ..goal() };
        let mut search = GoalSearch::new(goal);
        for (obey, quantile_ns, share) in told {
            let Some(next) = search.next_rate() else { break };
            prop_assert!(next >= 1 && next <= ceiling.max(1));
            let rate = if obey { next } else { next / 3 };
            search.tell(rate, Probe { quantile_ns, delivered_ios_per_s: rate as f64 * share });
        }
        prop_assert_eq!(search.next_rate(), None);
        if let Some(found) = search.result() {
            prop_assert!(found.bracket.0 == found.rate && found.rate <= found.bracket.1 && found.latency_ns <= TARGET_NS);
        }
    }
}
