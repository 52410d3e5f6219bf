//! Runs under special conditions: an open loop, split latencies, syncs, trims, checked data, no drive at all.

use crate::stored::{rendered, version_1};
use crate::tables::{has, rows};
use ioproof_core::histogram::Histogram;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{CheckResult, DepthFound, Direction, Purpose, QueueUse, Round, RunRecord, SelfTest};
use ioproof_core::shape::{Order, Pace};
use ioproof_core::workload::{Durability, Workload};
use ioproof_report::{Format, Style, Table, summary};

const FORMATS: [Format; 4] = [Format::Markdown, Format::Csv, Format::Html, Format::Text];

fn shown(record: &RunRecord, judgement: &Judgement) -> String {
    summary(record, judgement, Style { color: false, width: 100 })
}

fn constant(ns: u64, count: u64) -> Histogram {
    let mut histogram = Histogram::default();
    (0..count).for_each(|_| histogram.record(ns));
    histogram
}

/// The position of the job that a test changes.
const CHANGED: u32 = 1;

/// The made-up run with one of its jobs changed, in jobs and judgement alike.
fn changed(change: impl Fn(&mut Workload)) -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = version_1().clone();
    let job = &mut record.jobs[CHANGED as usize];
    change(&mut job.workload);
    judgement.rows.iter_mut().filter(|row| row.job == Some(CHANGED)).for_each(|row| row.workload = job.workload.clone());
    (record, judgement)
}

/// Its rounds.
fn rounds_of_changed(record: &mut RunRecord) -> impl Iterator<Item = &mut Round> {
    record.stages.iter_mut().flat_map(|stage| &mut stage.rounds).filter(|round| round.job == CHANGED)
}

fn lines_with<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    text.lines().filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

#[test]
fn what_is_special_is_a_footnote_in_the_summary_and_in_full_elsewhere() {
    let (record, judgement) = changed(|w| w.shape.order = Order::Zipf { theta_milli: 1200, center_ppm: None });
    let text = shown(&record, &judgement);
    let row = lines_with(&text, &["rand read 4 KiB", "450 kIOPS"]);
    let note = lines_with(&text, &["conditions: zipf 1.2"]);
    assert_eq!((row.len(), note.len()), (1, 1), "{text}");
    let mark = note[0].split_whitespace().next().unwrap();
    assert!(row[0].split_whitespace().last().unwrap().split(',').any(|m| m == mark), "{row:?} {note:?}");
    for format in FORMATS {
        assert!(rendered(format, &record, &judgement).contains("zipf 1.2"), "{format:?}");
    }
}

#[test]
fn the_depth_that_a_search_found_is_a_condition() {
    let shown_with = |depths: &[u32], is_settled| {
        let (mut record, judgement) = changed(|w| (w.workers, w.depth) = (depths.len() as u32, depths[0]));
        let found = DepthFound { target_ns: 500_000, percentile: 90.0, most: 32, depths: depths.to_vec(), is_settled, is_missed: false };
        rounds_of_changed(&mut record).for_each(|round| round.depth_found = Some(found.clone()));
        (rendered(Format::Text, &record, &judgement), rendered(Format::Markdown, &record, &judgement))
    };
    let (text, table) = shown_with(&[4], true);
    assert!(text.contains("depth found of at most 32, for 90 % within 500 µs"), "{text}");
    assert!(table.contains("| 1 x 4 = 4 |"), "{table}");
    let (text, table) = shown_with(&[4, 3], false);
    assert!(text.contains("depth still searched for, of at most 32") && table.contains("| 4 + 3 = 7 |"), "{text}{table}");
}

#[test]
fn response_time_stands_beside_service_time() {
    let (mut record, judgement) = changed(|w| w.shape.pace = Pace::Fixed { ios_per_s: 1000 });
    record.plan.as_mut().unwrap().asked = true;
    for round in rounds_of_changed(&mut record) {
        round.read = Direction { latency: constant(100_000, 1000), response: Some(constant(700_000, 1000)), ..round.read.clone() };
    }
    let text = shown(&record, &judgement);
    let of = |part: &str, value: &str| lines_with(&text, &["rand read 4 KiB", part, value]).len();
    assert_eq!((of(", QD", "100 µs"), of(": response", "700 µs")), (1, 1), "{text}");
    let cells = [("timed", "response"), ("statistic", "p50"), ("special", "1000 IOPS at even distances")];
    assert_eq!(rows(Table::Latency, &record, &judgement).iter().filter(|row| has(row, &cells)).count(), 1);
    assert!(rendered(Format::Html, &record, &judgement).contains("Response time: from when the I/O was to start"));
}

#[test]
fn steps_of_a_search_are_rounds_and_nothing_more() {
    let (mut record, judgement) = changed(|w| w.shape.pace = Pace::Fixed { ios_per_s: 1000 });
    for round in rounds_of_changed(&mut record) {
        round.read.response = Some(constant(700_000, 1000));
    }
    let (mut step, step_job) = (record.jobs[CHANGED as usize].clone(), record.jobs.len() as u32);
    step.workload.shape.pace = Pace::Fixed { ios_per_s: 2000 };
    record.jobs.push(step);
    for stage in record.stages.iter_mut().filter(|stage| stage.rounds[0].job == CHANGED && stage.repetition > 2) {
        stage.purpose = Purpose::Search;
        stage.rounds[0].job = step_job;
    }
    let with = |table: Table, metric: &str, rate: &str| {
        let special = format!("{rate} IOPS at even distances");
        rows(table, &record, &judgement).iter().filter(|row| has(row, &[("metric", metric), ("special", &special)])).count()
    };
    assert!(with(Table::Latency, "latency", "1000") > 0 && with(Table::Rounds, "iops", "1000") == 3);
    assert_eq!((with(Table::Latency, "latency", "2000"), with(Table::Rounds, "iops", "2000")), (0, 3));
}

#[test]
fn submission_and_completion_are_lines_of_their_own() {
    let (mut record, judgement) = changed(|_| {});
    for round in rounds_of_changed(&mut record) {
        round.read.submission = Some(constant(5_000, 500));
        round.read.completion = Some(constant(95_000, 500));
    }
    let markdown = rendered(Format::Markdown, &record, &judgement);
    assert_eq!(lines_with(&markdown, &["random read 4 KiB", "| submission |", "5 µs"]).len(), 1);
    assert_eq!(lines_with(&markdown, &["random read 4 KiB", "| completion |", "| 3\u{202f}000 |"]).len(), 1, "six rounds of 500");
}

#[test]
fn a_mix_names_the_direction_of_each_part() {
    let (mut record, judgement) = changed(|w| (w.read_percent, w.durability) = (60, Durability::FsyncEvery(8)));
    for round in rounds_of_changed(&mut record) {
        round.read.response = Some(constant(200_000, 10));
        round.write = Direction {
            ios: 10,
            bytes: 40_960,
            latency: constant(50_000, 10),
            response: Some(constant(60_000, 10)),
            ..Direction::default()
        };
        round.trim = Direction { ios: 3, bytes: 12_288, latency: constant(9_000, 3), ..Direction::default() };
        round.sync = Direction { ios: 2, bytes: 0, latency: constant(4_000_000, 2), ..Direction::default() };
    }
    let rows = rows(Table::Latency, &record, &judgement);
    for (timed, mean) in [("write response", "60"), ("write service", "50"), ("trim", "9"), ("fsync", "4000")] {
        let cells = [("timed", timed), ("statistic", "max"), ("value", &format!("{mean}000"))];
        assert_eq!(rows.iter().filter(|row| has(row, &cells)).count(), 1, "{timed}");
    }
}

#[test]
fn lost_data_is_said_first_and_loudly() {
    let (mut record, judgement) = changed(|_| {});
    record.stages[3].rounds[0].check = Some(CheckResult { good: 1000, ..CheckResult::default() });
    for text in FORMATS.map(|format| rendered(format, &record, &judgement)) {
        assert!(!text.contains("DATA WAS LOST"));
    }
    assert!(shown(&record, &judgement).contains("all 1\u{202f}000 pieces of 512 B are as they were written"));
    let first = Some("stale: \u{1b}[31mbyte 4096".into());
    record.stages[4].rounds[0].check = Some(CheckResult { good: 90, stale: 8, corrupt: 2, first, ..CheckResult::default() });
    for text in FORMATS.map(|format| rendered(format, &record, &judgement)).into_iter().chain([shown(&record, &judgement)]) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let at = text.find("DATA WAS LOST: 2 corrupt, 8 stale, of 1 100 pieces").unwrap_or_else(|| panic!("not said in {text}"));
        assert!(text.find("2800").is_none_or(|number| at < number));
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn what_could_not_be_read_back_is_said() {
    let (mut record, judgement) = changed(|_| {});
    record.stages[3].rounds[0].check = Some(CheckResult { good: 1000, ..CheckResult::default() });
    assert!(!shown(&record, &judgement).contains("could be read back"));
    record.stages[3].rounds[0].errors.failed = 48;
    assert!(shown(&record, &judgement).contains("!! Not all of what was written could be read back: 48 reads failed."));
}

#[test]
fn the_exit_status_names_lost_data() {
    let (mut record, mut judgement) = changed(|_| {});
    judgement.exit_status = 1;
    judgement.exit_reason = "2 pieces are not what was written".into();
    assert!(shown(&record, &judgement).contains("exit status 1, a claim was missed: 2 pieces"));
    record.stages[4].rounds[0].check = Some(CheckResult { good: 7, corrupt: 2, ..CheckResult::default() });
    assert!(shown(&record, &judgement).contains("exit status 1, data was lost: 2 pieces"));
}

#[test]
fn without_io_it_is_said_that_no_drive_was_measured() {
    let (mut record, judgement) = changed(|_| {});
    record.config.backend = "null".into();
    for text in FORMATS.map(|format| rendered(format, &record, &judgement)) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("the generator's own, not the drive's") || text.contains("the generator&#39;s own"), "{text}");
    }
}

#[test]
fn generator_and_queue_are_facts() {
    let (mut record, judgement) = changed(|_| {});
    record.self_test = Some(SelfTest { loop_ns_per_io: 81.0, punts: Some(true), ..SelfTest::default() });
    for round in rounds_of_changed(&mut record) {
        round.queue = QueueUse { depths: vec![0, 1, 3], submitted: vec![4], reaped: vec![2, 2], after_pause: None };
    }
    for format in [Format::Markdown, Format::Html, Format::Text] {
        let text = rendered(format, &record, &judgement).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("an I/O costs 81 ns in the loop") && text.contains("hand I/O to kernel threads"), "{format:?}");
        assert!(text.contains("at submission 2-3: 25.0 %, 4-7: 75.0 %"), "{format:?}");
    }
}
