//! Runs held against one another whole; figures are held against each other in `against`.

use super::*;
use crate::testing::{finding, record_with};

/// A run about this rate, with so much noise at the most.
fn run(iops: f64, noise: f64) -> RunRecord {
    record_with(|_, run| iops * (1.0 + noise * f64::from((run * 7) % 5) / 5.0))
}

fn answers(first: &RunRecord, second: &RunRecord) -> Vec<Answer> {
    compare(&[first, second])
        .rows
        .iter()
        .filter(|row| row.metric != Metric::Latency)
        .map(|row| row.against[0].as_ref().unwrap().answer)
        .collect()
}

#[test]
fn a_clear_difference_is_told_in_its_direction() {
    let (slow, fast) = (run(10_000.0, 0.01), run(12_000.0, 0.01));
    let (better, worse) = (answers(&slow, &fast), answers(&fast, &slow));
    assert!(!better.is_empty() && better.iter().all(|answer| *answer == Answer::Better), "{better:?}");
    assert!(worse.iter().all(|answer| *answer == Answer::Worse), "{worse:?}");
}

#[test]
fn equal_runs_and_small_differences_are_not_told() {
    let first = run(10_000.0, 0.02);
    assert!(answers(&first, &first).iter().all(|answer| *answer == Answer::CannotTell));
    assert!(answers(&first, &run(10_050.0, 0.02)).iter().all(|answer| *answer == Answer::CannotTell));
}

#[test]
fn a_generator_alone_is_held_against_no_drive() {
    let without_io = |iops: f64| {
        let mut record = run(iops, 0.02);
        record.rounds_mut().for_each(|round| round.engine.backend = "null".into());
        record
    };
    let all = |first: &RunRecord, second: &RunRecord, expected| answers(first, second).iter().all(|answer| *answer == expected);
    assert!(all(&run(10_000.0, 0.02), &without_io(20_000.0), Answer::CannotTell));
    assert!(all(&without_io(10_000.0), &without_io(20_000.0), Answer::Better), "two generators are");
}

#[test]
fn what_cannot_be_told_says_how_many_runs_would() {
    let told = compare(&[&run(10_000.0, 0.02), &run(10_100.0, 0.02)]);
    let row = told.rows.iter().find(|row| row.metric == Metric::Iops).unwrap();
    let needed = row.against[0].as_ref().unwrap().runs_needed.unwrap();
    assert!(needed > 6, "{needed}");
    assert!(!told.has_worse());
}

#[test]
fn workloads_that_not_all_runs_have_are_named() {
    let (first, mut second) = (run(10_000.0, 0.01), run(10_000.0, 0.01));
    second.jobs[0].workload.depth = 77;
    let told = compare(&[&first, &second, &second]);
    assert_eq!(told.alone.iter().map(|alone| alone.runs.as_slice()).collect::<Vec<_>>(), [&[0][..], &[1, 2]]);
    assert!(told.alone[1].title.contains("77"), "{:?}", told.alone);
    let shared = told.rows.iter().find(|row| row.workload.depth == 77).unwrap();
    assert!(shared.measured[0].is_none() && shared.against.iter().all(Option::is_none), "the first has nothing to hold them against");
}

#[test]
fn a_percentile_is_of_all_ios_together_and_tested_by_rounds() {
    // One round has as many I/Os as the others together, each of a fifth of their time.
    let uneven = record_with(|_, run| if run == 0 { 500_000.0 } else { 100_000.0 });
    let told = compare(&[&uneven, &uneven]);
    let row = told.rows.iter().find(|row| row.statistic == Some(Statistic::P99) && row.workload.outstanding() > 1).unwrap();
    let context = Context::new(&uneven);
    let measured = context.counted().find(|measured| *measured.workload() == row.workload).unwrap();
    let merged = measured.merged_latency().quantile_ns(0.99).unwrap() as f64;
    assert_eq!(row.measured[0].unwrap().median, merged);
    assert_eq!(row.rounds[0].len(), 6);
    let e = row.measured[0].unwrap();
    assert!(e.low <= merged && merged <= e.high);
}

#[test]
fn a_change_of_conditions_is_of_the_run_that_has_it() {
    let (first, mut third) = (run(10_000.0, 0.01), run(10_000.0, 0.01));
    third.config.faults = Some("errors".into());
    let told = compare(&[&first, &first.clone(), &third]);
    assert_eq!((told.other_conditions(1).count(), told.other_conditions(2).count()), (0, 1));
}

#[test]
fn the_end_of_a_run_is_told_in_the_word_that_every_list_has_for_it() {
    let (first, mut second) = (run(10_000.0, 0.01), run(10_000.0, 0.01));
    second.status = RunStatus::Interrupted;
    let told = compare(&[&first, &second]);
    assert_eq!((told.runs[0].end.as_deref(), told.runs[1].end.as_deref()), (None, Some("interrupted")));
    let end = told.differing.iter().find(|one| one.name == "end").unwrap();
    assert_eq!(end.values, ["complete", "interrupted"]);
}

#[test]
fn a_percentile_of_all_rounds_together_has_no_ends_and_all_of_their_number() {
    // A hundred I/Os a round, too few beyond the percentile, and enough in six of them.
    let mut few = run(10_000.0, 0.0);
    few.policy.percentile_samples = few.stages[0].rounds[0].latency().samples_beyond(0.999) + 1;
    let told = compare(&[&few, &few]);
    let row = told.rows.iter().find(|row| row.rounds[0].is_empty() && row.measured[0].is_some());
    let row = row.unwrap_or_else(|| panic!("every percentile is of single rounds"));
    assert_eq!((row.interval(0), row.measured[0].unwrap().runs), (None, 6));
    assert_eq!(row.against[0].as_ref().unwrap().why, Some(Why::FewIos));
}

#[test]
fn figures_that_are_not_the_drives_make_it_neither_better_nor_worse() {
    let (slow, mut fast) = (run(10_000.0, 0.01), run(12_000.0, 0.01));
    assert!(answers(&slow, &fast).contains(&Answer::Better));
    for job in 0..fast.jobs.len() as u32 {
        fast.warnings.push(finding("cached-layer", job, Effect::Invalid));
    }
    for both in [[&slow, &fast], [&fast, &slow]] {
        let told = compare(&both);
        let against: Vec<&Against> = told.rows.iter().flat_map(|row| &row.against).flatten().collect();
        assert!(!against.is_empty() && against.iter().all(|one| one.answer == Answer::CannotTell), "{against:?}");
        assert!(against.iter().all(|one| one.why == Some(Why::NotTheDrives) && one.runs_needed.is_none()));
    }
}
