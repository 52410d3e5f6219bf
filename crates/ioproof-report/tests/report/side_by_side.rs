//! Jobs side by side: names and targets of rows, shared counters, stages that count for no figure, findings about drives and jobs to come.

use crate::stored::{job_file, rejudged};
use crate::tables::{has, rows};
use ioproof_core::finding::{Effect, Finding, Severity, Subject};
use ioproof_core::judge::judge;
use ioproof_core::record::{CheckResult, DriveState, Purpose, Round, RunRecord};
use ioproof_report::{Format, Style, Table, summary};

const FOR_PEOPLE: [Format; 3] = [Format::Markdown, Format::Html, Format::Text];

fn shown(record: &RunRecord) -> String {
    summary(record, &judge(record), Style { color: false, width: 160 })
}

/// Lines of text that contain all of these.
fn lines_with(text: &str, parts: &[&str]) -> usize {
    text.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
}

#[test]
fn jobs_of_one_name_are_told_apart_by_their_targets() {
    let mut record = job_file();
    record.jobs[1].name = Some("oltp".into());
    let text = rejudged(Format::Text, &record);
    assert!(text.contains("oltp: rand 70/30 4 KiB on /dev/nvme0n1") && text.contains("oltp: seq read 1 MiB on /dev/sdb"), "{text}");
    assert!(text.contains("log: rand write+sync 4 KiB  "), "a name of its own needs no target: {text}");
}

#[test]
fn jobs_without_a_name_bear_their_targets() {
    let mut record = job_file();
    record.jobs.iter_mut().for_each(|job| job.name = None);
    let text = rejudged(Format::Text, &record);
    assert!(text.contains("seq read 128 KiB on /dev/nvme0n1, /dev/sdb"), "{text}");
    assert!(!shown(&record).contains("jobs  "));
}

#[test]
fn counters_are_said_to_be_shared_only_where_they_are() {
    for format in FOR_PEOPLE {
        let text = rejudged(format, &job_file());
        assert_eq!(lines_with(&text, &["(shared)"]), 1, "{format:?}");
        assert_eq!(lines_with(&text, &["nvme0n1", "scrub, log (shared)", "393 MB", "246 MB"]), 1, "{format:?}");
        assert_eq!(lines_with(&text, &["cold", "not counted"]), 1, "{format:?}");
        assert_eq!(lines_with(&text, &["nvme0n1", "oltp", "38 to 44"]), 1, "{format:?}");
    }
}

#[test]
fn what_was_not_counted_is_no_zero() {
    let mut record = job_file();
    record.stages.iter_mut().for_each(|stage| (stage.devices, stage.host) = (None, None));
    let rows = rows(Table::Rounds, &record, &judge(&record));
    let of_stages: Vec<_> = rows.iter().filter(|row| !row.contains_key("round")).collect();
    assert_eq!(of_stages.len(), 8, "two drives in two stages, before and after");
    assert!(of_stages.iter().all(|row| row["metric"] == "temperature"), "{of_stages:?}");
    let text = rejudged(Format::Text, &record);
    assert_eq!(lines_with(&text, &["nvme0n1", "oltp", "not counted", "38 to 44"]), 1, "{text}");
}

#[test]
fn a_drive_that_slowed_itself_down_or_went_is_remarked() {
    let mut record = job_file();
    let drives = &mut record.stages[0].drives;
    (drives[0].before.throttles, drives[0].after.throttles) = (Some(1), Some(3));
    drives[1].after = DriveState::default();
    let text = rejudged(Format::Text, &record);
    assert_eq!(lines_with(&text, &["nvme0n1", "slowed itself down 2 times"]), 1, "{text}");
    assert_eq!(lines_with(&text, &["sdb", "31 to -", "gone afterwards"]), 1, "{text}");
}

#[test]
fn stages_that_count_for_no_figure_stand_apart() {
    let mut record = job_file();
    let purposes = [Purpose::Precondition, Purpose::Search, Purpose::ReadBack];
    record.stages.iter_mut().zip(purposes).for_each(|(stage, purpose)| stage.purpose = purpose);
    let measured: Round = Round { job: 0, ..record.stages[0].rounds[0].clone() };
    let mut stage = record.stages[0].clone();
    (stage.index, stage.purpose, stage.rounds) = (3, Purpose::Measure, vec![measured]);
    record.stages.push(stage);
    let text = rejudged(Format::Text, &record);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("`{part}` is missing in {text}"));
    assert!(at("\nRounds\n") < at("\nSteps of searches") && at("\nSteps of searches") < at("\nPreconditioning"));
    let (rounds, apart) = text[at("\nRounds\n")..].split_at(at("\nSteps of searches") - at("\nRounds\n"));
    assert!(rounds.contains("oltp: ") && !rounds.contains("backup: ") && apart.contains("backup: ") && apart.contains("cold: "), "{text}");
    let before = &text[..at("\nRounds\n")];
    assert!(!before.contains("scrub: ") && !before.contains("199 MB/s"), "no row, latency or chart is made of them: {before}");
    let rows = rows(Table::Rounds, &record, &judge(&record));
    let of = |purpose: &str| rows.iter().filter(|row| has(row, &[("metric", "iops"), ("purpose", purpose)])).count();
    assert_eq!(["measure", "search", "precondition", "read back"].map(of), [1, 2, 2, 1]);
}

#[test]
fn findings_name_the_drive_or_the_job_to_come() {
    let mut record = job_file();
    let about = |subject| Finding {
        rule: "test-rule".into(),
        severity: Severity::Warn,
        subject,
        title: "It is so".into(),
        evidence: vec![],
        effect: Effect::None,
        remedy: String::new(),
    };
    let subjects = [Subject::Drive("sdb".into()), Subject::Named("night".into()), Subject::Target("/dev/sdb".into()), Subject::Run];
    record.warnings = subjects.into_iter().map(about).collect();
    let text = shown(&record);
    assert!(text.contains("drive sdb: It is so; also night, target /dev/sdb"), "{text}");
    for format in FOR_PEOPLE {
        let text = rejudged(format, &record);
        assert!(text.contains("drive sdb") && text.contains("whole run") && text.contains("night"), "{format:?}");
    }
}

#[test]
fn what_jobs_do_not_have_in_common_is_said_of_each() {
    let mut record = job_file();
    let round = &mut record.stages[0].rounds[1];
    round.engine.backend = "psync".into();
    round.engine.map_left_out_bytes = Some(1 << 30);
    (round.check, round.read_back_ns) = (Some(CheckResult { good: 8, ..CheckResult::default() }), 3_000_000_000);
    let text = rejudged(Format::Text, &record);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("engine backup: psync, registered buffers, no map of visited blocks, which would take 1 GiB"), "{text}");
    assert!(text.contains("engine oltp, scrub, log, cold: io_uring, registered buffers engine backup"), "{text}");
    assert!(
        text.contains("round 1 backup: sequential read 1 MiB: all 8 pieces of 512 B are as they were written; read back in 3 s"),
        "{text}"
    );
}

#[test]
fn without_targets_it_is_said_that_no_data_is_moved() {
    let mut record = job_file();
    record.targets.clear();
    record.jobs.iter_mut().for_each(|job| (job.targets, job.claims) = (vec![], vec![]));
    for format in FOR_PEOPLE {
        assert!(rejudged(format, &record).contains("none: the jobs move no data"), "{format:?}");
    }
}
