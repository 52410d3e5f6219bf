//! Judgements of made-up runs by the standard.

use super::*;
use crate::job::Span;
use crate::judge::judge;
use crate::plan::{Plan, Planned};
use crate::record::{JobRecord, Purpose, RunStatus};
use crate::results::Figure;
use crate::standard::{CELL_NS, MOST_ROUNDS, Standard};
use crate::testing::{record, round, stage};
use crate::workload::Workload;

/// A run of these tests whose cells do so many I/Os a second, by test and round, with as many rounds as the course asks for.
pub(crate) fn run(tests: &[Test], iops: impl Fn(Test, usize) -> f64) -> RunRecord {
    run_by(tests, |test, round, _| iops(test, round))
}

/// The same by the cell as well.
pub(crate) fn run_by(tests: &[Test], iops: impl Fn(Test, usize, &Workload) -> f64) -> RunRecord {
    let mut record = record();
    let active_range = Span { offset_bytes: 0, length_bytes: 2_000_000_000_000 };
    let (class, tests) = (Class::Enterprise, tests.to_vec());
    let standard = Standard { class, tests, workers: 4, depth: 32, active_range, purge: None, not_purged: None };
    let planned = |workload| Planned { workload, claims: Vec::new() };
    let (writes, reads): (Vec<Planned>, Vec<Planned>) = standard.workloads().into_iter().map(planned).partition(|of| of.workload.writes());
    let plan = record.plan.take().unwrap();
    record.plan = Some(Plan { reads, writes, measure_ns: CELL_NS, ramp_ns: 0, standard: Some(standard), ..plan });
    let job = |workload| JobRecord { name: None, targets: vec![0], workload, span: active_range, claims: Vec::new() };
    record.jobs = record.plan.as_ref().unwrap().all().map(|planned| job(planned.workload.clone())).collect();
    record.stages.clear();
    while let Some(step) = Course::of(&record).unwrap().next() {
        push(&mut record, step, &iops);
    }
    record
}

fn push(record: &mut RunRecord, step: crate::course::Step, iops: &impl Fn(Test, usize, &Workload) -> f64) {
    use crate::course::Step;
    let course = Course::of(record).unwrap();
    let index = record.stages.len() as u32;
    let (purpose, workload, rate) = match step {
        Step::Pass { test, .. } => (Purpose::Precondition, course.tests[test].cells.last().unwrap().clone(), 1000.0),
        Step::Cell { test, round, cell } => {
            let workload = course.tests[test].cells[cell].clone();
            (Purpose::Measure, workload.clone(), iops(course.tests[test].test, round, &workload))
        }
    };
    let job = record.jobs.iter().position(|job| job.workload == workload).unwrap();
    record.stages.push(crate::record::Stage { purpose, ..stage(index, 0, round(job as u32, &workload, rate)) });
}

/// Fresh for two rounds, then at its steady rate.
fn settles(_: Test, round: usize) -> f64 {
    if round < 2 { 50_000.0 } else { 10_000.0 + 100.0 * (round % 2) as f64 }
}

#[test]
fn tests_end_at_their_first_steady_window_and_report_its_rounds_alone() {
    let record = run(&[Test::Throughput128, Test::Latency], settles);
    let judgement = judge(&record);
    let standard = judgement.results.standard.as_ref().unwrap();
    for of in &standard.tests {
        assert_eq!((of.rounds.len(), of.state), (7, SteadyState::Steady), "{}", of.result());
        assert_eq!(of.window.map(|window| (window.first_round, window.last_round)), Some((3, 7)));
    }
    assert_eq!(record.stages.len(), 2 + 7 * 2 + 2 + 7 * 9, "two passes before each test, and seven rounds of 2 and of 9 cells");
    let writes = &standard.tests[0].cells[1];
    assert!((writes.average - 10_040.0 * 131_072.0).abs() < 1.0, "rounds 3 to 7: {}", writes.average);
    let row = judgement.rows.iter().find(|row| row.job == Some(writes.job)).unwrap();
    assert_eq!(row.measured.map(|measured| measured.runs), Some(5));
    assert_eq!((judgement.exit_status, judgement.exit_reason.contains("not steady")), (0, false), "{}", judgement.exit_reason);
}

#[test]
fn the_steady_state_that_is_kept_for_the_drive_is_that_of_the_last_test_and_not_of_its_passes() {
    let record = run(&[Test::Throughput128, Test::Latency], settles);
    let kept = |record: &RunRecord| Course::of(record).unwrap().steady_state(record);
    let steady = kept(&record).unwrap();
    assert_eq!((steady.workload.as_str(), steady.metric), ("random write 4 KiB", Metric::Latency));
    assert!((steady.rate / 99_600.0 - 1.0).abs() < 0.01, "one I/O in a ten-thousandth of a second: {}", steady.rate);
    assert_eq!(kept(&run(&[Test::Throughput128], |_, round| 10_000.0 * 0.9f64.powi(round as i32))), None);
}

#[test]
fn a_drive_that_was_empty_when_the_run_began_is_no_doubt_since_preconditioning_writes_it() {
    let mut record = run(&[Test::Throughput128], settles);
    (record.targets[0].content.sampled_blocks, record.targets[0].content.zero_blocks) = (100, 100);
    let finds = |record: &RunRecord| judge(record).findings.iter().any(|finding| finding.rule == "unwritten");
    assert!(!finds(&record));
    record.plan.as_mut().unwrap().standard = None;
    assert!(finds(&record));
}

#[test]
fn a_test_that_is_never_steady_is_reported_so_and_ends_with_3() {
    let judgement = judge(&run(&[Test::Throughput1024], |_, round| 10_000.0 * 0.95f64.powi(round as i32)));
    let standard = judgement.results.standard.as_ref().unwrap();
    assert_eq!((standard.tests[0].rounds.len(), standard.tests[0].state), (MOST_ROUNDS, SteadyState::NotSteady));
    assert_eq!((judgement.exit_status, judgement.exit_reason.as_str()), (3, "not steady in 25 rounds: TP 1024 KiB"));
    let tables = standard.tables();
    assert!(tables[0].says[0].contains("TP 1024 KiB 21 to 25, not of a steady state"), "{:?}", tables[0].says);
    let last = tables[1].rows.last().unwrap();
    assert_eq!(last.figures[4], "not steady in 25 rounds".into());
}

#[test]
fn write_saturation_looks_at_one_round_of_31_and_ends_steady() {
    let record = run(&[Test::WriteSaturation], |_, round| if round < 40 { 400_000.0 / (round + 1) as f64 } else { 10_000.0 });
    let standard = judge(&record).results.standard.unwrap();
    let of = &standard.tests[0];
    assert_eq!((of.rounds.len(), of.result().as_str()), (6 * 31, "steady after 186 rounds"));
    assert_eq!(of.window.map(|window| (window.first_round, window.last_round)), Some((62, 186)));
    let marked = standard.tables().last().unwrap().rows.iter().filter(|row| row.figures.contains(&"window".into())).count();
    assert_eq!((marked, record.stages.len()), (5, 186), "no passes before it");
}

#[test]
fn host_idle_recovery_follows_its_preconditioning_and_is_told_by_segments() {
    let mut record = run(&[Test::HostIdleSaturation], |_, _| 10_000.0);
    assert_eq!(record.stages.len(), 5 * 30, "no passes, and five looks");
    record.plan.as_mut().unwrap().standard.as_mut().unwrap().tests.push(Test::HostIdle);
    assert!(!Course::of(&record).unwrap().begins_a_test(), "it is not purged in between");
    let workload = record.jobs[0].workload.clone();
    let cells = |range: std::ops::Range<u32>| range.map(|index| stage(150 + index, 0, round(0, &workload, 30_000.0)));
    record.stages.extend(cells(0..400));
    let standard = judge(&record).results.standard.unwrap();
    let of = &standard.tests[1];
    assert_eq!((standard.tests[0].state, of.state), (SteadyState::Steady, SteadyState::Unfinished));
    assert_eq!(of.segments.iter().map(|of| (of.cells, of.average.round())).collect::<Vec<_>>(), [(360, 30_000.0), (40, 30_000.0)]);
    let table = &standard.tables()[1];
    assert_eq!((table.rows.len(), table.parts[0].lines[0].lines.len(), of.result().as_str()), (40 + 3, 2, "unfinished, 400 cells"));
    assert!(standard.deviations.iter().all(|text| !text.contains("not tested")), "{:?}", standard.deviations);
    record.plan.as_mut().unwrap().measure_ns = 60_000_000;
    let deviations = judge(&record).results.standard.unwrap().deviations;
    assert_eq!(deviations[2], "HIR: writes of 5 ms and rests of 5 ms to 50 ms; the specification has 5 s and 5 s to 50 s");
    record.stages.extend(cells(400..3600));
    assert_eq!(Course::of(&record).unwrap().next(), None);
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let whole = run(&[Test::Latency], settles);
    let mut part = whole.clone();
    part.status = RunStatus::Interrupted;
    part.stages.truncate(2 + 9 * 3 + 4);
    let course = Course::of(&part).unwrap();
    assert_eq!(course.next(), Some(crate::course::Step::Cell { test: 0, round: 3, cell: 4 }));
    let state = |record: &RunRecord| judge(record).results.standard.unwrap().tests[0].state;
    assert_eq!((state(&part), state(&whole)), (SteadyState::Unfinished, SteadyState::Steady));
    part.stages.truncate(1);
    assert_eq!(Course::of(&part).unwrap().next(), Some(crate::course::Step::Pass { test: 0, number: 1 }));
}

#[test]
fn the_matrix_has_blocks_down_and_mixes_across() {
    let mut record = run(&[Test::Iops], settles);
    let standard = judge(&record).results.standard.unwrap();
    let matrix = &standard.tables()[0];
    let names: Vec<&str> = matrix.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["Block size", "", "0/100", "5/95", "35/65", "50/50", "65/35", "95/5", "100/0"]);
    assert_eq!((matrix.rows.len(), &matrix.rows[0].figures[0]), (8, &Figure::from("0.5 KiB")));
    let deviations = |record: &RunRecord| judge(record).results.standard.unwrap().deviations;
    assert_eq!(deviations(&record)[0], "the drive was not purged; the specification purges before each test");
    record.plan.as_mut().unwrap().standard.as_mut().unwrap().not_purged = Some("x takes no discards".into());
    assert_eq!(deviations(&record)[0], "the drive was not purged (x takes no discards); the specification purges before each test");
    let plan = record.plan.as_mut().unwrap();
    (plan.standard.as_mut().unwrap().purge, plan.measure_ns) = (Some("sanitize".into()), 200_000_000);
    assert_eq!(deviations(&record)[0], "each cell ran 200 ms; the specification asks for 60 s");
}

#[test]
fn a_saturation_that_is_never_steady_is_reported_so_but_for_write_saturation_which_may_end_by_bytes() {
    let judgement = judge(&run(&[Test::DemandSaturation], |_, round| 10_000.0 * 0.99f64.powi(round as i32)));
    let of = &judgement.results.standard.as_ref().unwrap().tests[0];
    assert_eq!((of.rounds.len(), of.state, of.result().as_str()), (750, SteadyState::NotSteady, "not steady in 750 rounds"));
    assert_eq!((judgement.exit_status, judgement.exit_reason.as_str()), (3, "not steady in 25 rounds: DIRTH preconditioning"));
}
