//! Runs under special conditions: an open loop, split latencies, syncs, trims, checked data, no drive at all.

use crate::{builder, judged};
use ioproof_core::histogram::Histogram;
use ioproof_core::record::{CheckResult, Direction, QueueUse, RunRecord, SelfTest};
use ioproof_core::shape::{Order, Pace};
use ioproof_core::verdict::Judgement;
use ioproof_core::workload::{Durability, Workload};
use ioproof_report::{Format, Style, render, summary};

const FORMATS: [Format; 4] = [Format::Markdown, Format::Csv, Format::Html, Format::Text];

fn rendered(format: Format, record: &RunRecord, judgement: &Judgement) -> String {
    let mut out = Vec::new();
    render(format, record, judgement, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn shown(record: &RunRecord, judgement: &Judgement) -> String {
    summary(record, judgement, Style { color: false, width: 100 })
}

fn constant(ns: u64, count: u64) -> Histogram {
    let mut histogram = Histogram::default();
    (0..count).for_each(|_| histogram.record(ns));
    histogram
}

/// The made-up run with one of its workloads changed, in plan, rounds and judgement alike.
fn changed(change: impl Fn(&mut Workload)) -> (RunRecord, Judgement, Workload) {
    let mut record = builder::record();
    let before = record.plan.all().nth(1).unwrap().workload.clone();
    let mut after = before.clone();
    change(&mut after);
    record.plan.reads.iter_mut().filter(|p| p.workload == before).for_each(|p| p.workload = after.clone());
    record.rounds.iter_mut().filter(|r| r.workload == before).for_each(|r| r.workload = after.clone());
    let mut judgement = judged::judgement(&builder::record());
    judgement.rows.iter_mut().filter(|r| r.workload == before).for_each(|r| r.workload = after.clone());
    (record, judgement, after)
}

fn lines_with<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    text.lines().filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

#[test]
fn what_is_special_is_a_footnote_in_the_summary_and_in_full_elsewhere() {
    let (record, judgement, _) = changed(|w| w.shape.order = Order::Zipf { theta_milli: 1200, center_ppm: None });
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
fn response_time_stands_beside_service_time() {
    let (mut record, judgement, workload) = changed(|w| w.shape.pace = Pace::Fixed { ios_per_s: 1000 });
    for round in record.rounds.iter_mut().filter(|r| r.workload == workload) {
        round.read = Direction { latency: constant(100_000, 1000), response: Some(constant(700_000, 1000)), ..round.read.clone() };
    }
    let text = shown(&record, &judgement);
    let of = |part: &str, value: &str| lines_with(&text, &["rand read 4 KiB", part, value]).len();
    assert_eq!((of(": service", "100 µs"), of(": response", "700 µs")), (1, 1), "{text}");
    let csv = rendered(Format::Csv, &record, &judgement);
    assert_eq!(lines_with(&csv, &[",response,latency,p50,", ",1000 IOPS at even distances,"]).len(), 1);
    assert!(rendered(Format::Html, &record, &judgement).contains("Response time: from when the I/O was to start"));
}

#[test]
fn steps_of_a_search_are_rounds_and_nothing_more() {
    let (mut record, judgement, workload) = changed(|w| w.shape.pace = Pace::Fixed { ios_per_s: 1000 });
    for round in record.rounds.iter_mut().filter(|r| r.workload == workload) {
        round.read.response = Some(constant(700_000, 1000));
        if round.repetition > 2 {
            round.workload.shape.pace = Pace::Fixed { ios_per_s: 2000 };
        }
    }
    let csv = rendered(Format::Csv, &record, &judgement);
    let with = |kind: &str, rate: &str| {
        csv.lines().filter(|line| line.starts_with(kind) && line.contains(&format!(",{rate} IOPS at even distances,"))).count()
    };
    assert!(with("latency,", "1000") > 0 && with("round,", "1000") == 3);
    assert_eq!((with("latency,", "2000"), with("round,", "2000")), (0, 3));
}

#[test]
fn submission_and_completion_are_lines_of_their_own() {
    let (mut record, judgement, workload) = changed(|_| {});
    for round in record.rounds.iter_mut().filter(|r| r.workload == workload) {
        round.read.submission = Some(constant(5_000, 500));
        round.read.completion = Some(constant(95_000, 500));
    }
    let markdown = rendered(Format::Markdown, &record, &judgement);
    assert_eq!(lines_with(&markdown, &["random read 4 KiB", "| submission |", "5 µs"]).len(), 1);
    assert_eq!(lines_with(&markdown, &["random read 4 KiB", "| completion |", "| 3000 |"]).len(), 1, "six rounds of 500");
}

#[test]
fn a_mix_names_the_direction_of_each_part() {
    let (mut record, judgement, workload) = changed(|w| (w.read_percent, w.durability) = (60, Durability::FsyncEvery(8)));
    for round in record.rounds.iter_mut().filter(|r| r.workload == workload) {
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
    let csv = rendered(Format::Csv, &record, &judgement);
    for (operation, mean) in [("write response", "60"), ("write service", "50"), ("trim", "9"), ("fsync", "4000")] {
        let found = lines_with(&csv, &[&format!(",{operation},latency,max,"), &format!(",{mean}000,")]);
        assert_eq!(found.len(), 1, "{operation}");
    }
}

#[test]
fn lost_data_is_said_first_and_loudly() {
    let (mut record, judgement, _) = changed(|_| {});
    record.rounds[3].check = Some(CheckResult { good: 1000, ..CheckResult::default() });
    for text in FORMATS.map(|format| rendered(format, &record, &judgement)) {
        assert!(!text.contains("DATA WAS LOST"));
    }
    assert!(shown(&record, &judgement).contains("all 1\u{202f}000 pieces of 512 B are as they were written"));
    let first = Some("stale: \u{1b}[31mbyte 4096".into());
    record.rounds[4].check = Some(CheckResult { good: 90, stale: 8, corrupt: 2, first, ..CheckResult::default() });
    for text in FORMATS.map(|format| rendered(format, &record, &judgement)).into_iter().chain([shown(&record, &judgement)]) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let at = text.find("DATA WAS LOST: 2 corrupt, 8 stale, of 1 100 pieces").unwrap_or_else(|| panic!("not said in {text}"));
        assert!(text.find("2800").is_none_or(|number| at < number));
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn what_could_not_be_read_back_is_said() {
    let (mut record, judgement, _) = changed(|_| {});
    record.rounds[3].check = Some(CheckResult { good: 1000, ..CheckResult::default() });
    assert!(!shown(&record, &judgement).contains("could be read back"));
    record.rounds[3].errors.failed = 48;
    assert!(shown(&record, &judgement).contains("!! Not all of what was written could be read back: 48 reads failed."));
}

#[test]
fn the_exit_status_names_lost_data() {
    let (mut record, mut judgement, _) = changed(|_| {});
    judgement.exit_status = 1;
    judgement.exit_reason = "2 pieces are not what was written".into();
    assert!(shown(&record, &judgement).contains("exit status 1, a claim was missed: 2 pieces"));
    record.rounds[4].check = Some(CheckResult { corrupt: 2, ..CheckResult::default() });
    assert!(shown(&record, &judgement).contains("exit status 1, data was lost: 2 pieces"));
}

#[test]
fn without_io_it_is_said_that_no_drive_was_measured() {
    let (mut record, judgement, _) = changed(|_| {});
    record.config.backend = "null".into();
    for text in FORMATS.map(|format| rendered(format, &record, &judgement)) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("the generator's own, not the drive's") || text.contains("the generator&#39;s own"), "{text}");
    }
}

#[test]
fn generator_and_queue_are_facts() {
    let (mut record, judgement, workload) = changed(|_| {});
    record.self_test = Some(SelfTest { loop_ns_per_io: 81.0, punts: Some(true), ..SelfTest::default() });
    for round in record.rounds.iter_mut().filter(|r| r.workload == workload) {
        round.queue = QueueUse { depths: vec![0, 1, 3], submitted: vec![4], reaped: vec![2, 2] };
    }
    for format in [Format::Markdown, Format::Html, Format::Text] {
        let text = rendered(format, &record, &judgement).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("an I/O costs 81 ns in the loop") && text.contains("hand I/O to kernel threads"), "{format:?}");
        assert!(text.contains("at submission 2-3: 25.0 %, 4-7: 75.0 %"), "{format:?}");
    }
}
