//! Runs that are not as usual: ended early, without datasheet or rounds, narrow terminals, hostile and very long strings.

use crate::stored::{rendered, version_1};
use crate::tables::{self, read_csv};
use crate::{junit, openmetrics, workbook};
use ioproof_core::finding::Evidence;
use ioproof_core::judgement::Judgement;
use ioproof_core::plan::SkipReason;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::stats::Estimate;
use ioproof_core::verdict::Verdict;
use ioproof_report::{Format, Style, Table, json_document, render, summary};
use proptest::prelude::*;

const FORMATS: [Format; 7] = [Format::Json, Format::Markdown, Format::Csv, Format::Html, Format::Text, Format::Junit, Format::OpenMetrics];
const PLAIN: Style = Style { color: false, width: 80 };

fn whole() -> &'static (RunRecord, Judgement) {
    version_1()
}

/// The run in every format for people.
fn all_texts(record: &RunRecord, judgement: &Judgement) -> Vec<String> {
    let formats = [Format::Markdown, Format::Csv, Format::Html, Format::Text].map(|format| rendered(format, record, judgement));
    formats.into_iter().chain([summary(record, judgement, PLAIN)]).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn how_a_run_ended_stands_before_any_number() {
    let (mut record, judgement) = whole().clone();
    for (status, words) in [
        (RunStatus::Interrupted, "was interrupted"),
        (RunStatus::Running, "has not ended"),
        (RunStatus::Hung { reason: "read at byte 4096".into() }, "hung, an I/O never came back: read at byte 4096"),
        (RunStatus::Failed { reason: "EIO".into() }, "The run failed: EIO"),
    ] {
        record.status = status;
        for text in all_texts(&record, &judgement) {
            let banner = text.find(words).unwrap_or_else(|| panic!("`{words}` is missing in {text}"));
            assert!(text.find("2800").is_none_or(|number| banner < number));
        }
    }
}

#[test]
fn of_a_target_whose_content_nobody_looked_at_nothing_is_said() {
    let (mut record, judgement) = whole().clone();
    let said = |record: &RunRecord| all_texts(record, &judgement).iter().any(|text| text.contains("sampled blocks"));
    assert!(said(&record));
    let target = &mut record.targets[0];
    (target.fill, target.content) = (None, Default::default());
    assert!(!said(&record));
    assert!(all_texts(&record, &judgement).iter().all(|text| !text.contains("before it was read")));
}

#[test]
fn injected_faults_are_said_in_every_format() {
    let (mut record, judgement) = whole().clone();
    record.config.faults = Some("eio=0.01".into());
    for text in all_texts(&record, &judgement) {
        assert!(one_line(&text).contains("this shows nothing about the drive"), "{text}");
    }
}

#[test]
fn without_a_datasheet_there_is_no_verdict_column() {
    let (mut record, mut judgement) = whole().clone();
    record.targets[0].datasheet = None;
    for row in &mut judgement.rows {
        (row.claim, row.claimed, row.matched, row.verdict) = (None, None, None, None);
        row.reasons.clear();
    }
    let text = summary(&record, &judgement, PLAIN);
    assert!(text.contains("No datasheet, so no verdict."), "{text}");
    assert!(!text.contains("verdict ") && !text.contains("match"), "{text}");
    assert!(!rendered(Format::Html, &record, &judgement).contains("data-label=\"Verdict\""));
    assert!(!rendered(Format::Markdown, &record, &judgement).contains("| verdict |"));
}

#[test]
fn without_a_round_every_format_says_so() {
    let (mut record, mut judgement) = whole().clone();
    record.stages.clear();
    judgement.rows.clear();
    judgement.latencies.clear();
    judgement.findings.clear();
    for text in all_texts(&record, &judgement) {
        assert!(text.contains("nothing was measured"), "{text}");
    }
}

#[test]
fn a_claim_left_out_is_counted_and_not_judged() {
    let (record, mut judgement) = whole().clone();
    let mut left_out = record.plan.as_ref().unwrap().skipped.iter().filter(|s| s.reason != SkipReason::OtherCapacity).count();
    for row in judgement.rows.iter_mut().filter(|row| row.workload.writes() && row.claim.is_some()) {
        (row.measured, row.matched, row.verdict) = (None, None, None);
        left_out += 1;
    }
    let text = summary(&record, &judgement, PLAIN);
    assert!(left_out > 0 && text.contains(&format!("claims not measured: {left_out} ")), "{text}");
}

#[test]
fn different_numbers_of_runs_are_told_apart() {
    let (record, mut judgement) = whole().clone();
    judgement.rows[1].measured = Estimate::of(&[4.4e5; 9], 0.95);
    judgement.rows[2].measured = Estimate::of(&[2.8e5, 2.9e5, 3.0e5], 0.95);
    let text = summary(&record, &judgement, PLAIN);
    assert!(one_line(&text).contains("96.1 % to 96.9 % interval of the median"), "{text}");
    assert!(one_line(&text).contains("spread of 3 runs"), "{text}");
    let page = rendered(Format::Markdown, &record, &judgement);
    assert!(page.contains("| 9 (96.1 %) |") && page.contains("| 3 (spread) |"), "{page}");
}

#[test]
fn the_usual_run_fits_one_screen() {
    let mut record = whole().0.clone();
    record.targets[0].facts.given = "/dev/nvme0n1".into();
    let text = summary(&record, &whole().1, PLAIN);
    assert!(text.lines().count() <= 40, "{} lines\n{text}", text.lines().count());
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let (mut record, mut judgement) = whole().clone();
    record.targets[0].facts.given = format!("/mnt/{}", "very-long-name-".repeat(300));
    judgement.findings[0].title = "word ".repeat(400);
    judgement.rows[0].limited_by = "x".repeat(3000);
    for width in [40, 60, 80, 100, 200] {
        let text = summary(&record, &judgement, Style { color: false, width });
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(text.lines().count() < 110, "{text}");
    }
}

#[test]
fn wide_characters_take_two_columns() {
    let (mut record, judgement) = whole().clone();
    record.targets[0].drives[0].model.as_mut().unwrap().value = "東芝".repeat(60);
    let text = summary(&record, &judgement, PLAIN);
    for line in text.lines() {
        let wide = line.chars().filter(|c| matches!(c, '東' | '芝')).count();
        assert!(line.chars().count() + wide <= 80, "{line}");
    }
}

#[test]
fn colour_adds_nothing_but_colour() {
    let colored = summary(&whole().0, &whole().1, Style { color: true, width: 80 });
    let bare: String =
        colored.split("\x1b[").enumerate().map(|(n, part)| if n == 0 { part } else { part.split_once('m').unwrap().1 }).collect();
    assert_eq!(bare, summary(&whole().0, &whole().1, PLAIN));
    for verdict in [Verdict::Meets, Verdict::Misses, Verdict::CannotTell, Verdict::Indicative] {
        assert!(bare.contains(verdict.title()));
    }
}

/// Checks that every element is closed in order, that nothing is loaded, and that nothing is run but the one script of ours.
fn check_html(page: &str) {
    let (before, rest) = page.split_once("<script>").unwrap();
    let (script, after) = rest.split_once("</script>").unwrap();
    assert_eq!(script.trim_start(), include_str!("../../src/formats/html/script.js"));
    let page = &format!("{before}{after}");
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1).map(|part| part.split_once('>').unwrap_or_else(|| panic!("`<{part}` is not closed")).0) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        assert!(!["script", "img", "link", "iframe", "object"].contains(&name.to_lowercase().as_str()), "<{tag}>");
        match tag {
            t if t.starts_with('!') || t.ends_with('/') || name == "meta" => {}
            t if t.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
    assert!(page.split("href=\"").skip(1).all(|rest| rest.starts_with('#')));
}

/// Puts an odd string wherever a string from outside can stand.
fn with(odd: &str) -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = whole().clone();
    record.stages.truncate(2);
    let text = || odd.to_owned();
    (record.id, record.program_version, record.started_at, record.config_sha256) = (text(), text(), text(), text());
    let facts = &mut record.targets[0].facts;
    (facts.given, facts.resolved) = (text(), text());
    record.notes.push(text());
    record.config.command.push(text());
    record.config.faults = Some(text());
    record.status = RunStatus::Hung { reason: text() };
    record.host.cpu_model.value = text();
    record.host.hypervisor = Some(ioproof_core::facts::Fact::new(text(), text()));
    let drive = &mut record.targets[0].drives[0];
    drive.name = text();
    drive.model.as_mut().unwrap().value = text();
    drive.link.as_mut().unwrap().title = text();
    let used = record.targets[0].datasheet.as_mut().unwrap();
    (used.chosen_by, used.datasheet.family, used.datasheet.claims[0].source) = (text(), text(), text());
    record.stages[0].started_at = text();
    record.stages[0].state_before.previous_workload = Some(text());
    for row in &mut judgement.rows {
        row.limited_by = text();
        row.reasons.iter_mut().for_each(|reason| (reason.about, reason.text) = (text(), text()));
    }
    for finding in &mut judgement.findings {
        (finding.rule, finding.title, finding.remedy) = (text(), text(), text());
        finding.evidence.iter_mut().for_each(|e| *e = Evidence::text(odd, odd));
    }
    judgement.latencies[0].operation = text();
    judgement.exit_reason = text();
    (record, judgement)
}

fn check_all(odd: &str, width: usize) {
    let (record, judgement) = with(odd);
    let texts = FORMATS.map(|format| rendered(format, &record, &judgement));
    let [json, _, _, html, _, junit, openmetrics] = &texts;
    assert_eq!(json_document(&record, &judgement), serde_json::from_str::<serde_json::Value>(json).unwrap());
    tables::check_odd(&record, &judgement);
    junit::read(junit);
    openmetrics::read(openmetrics);
    check_html(html);
    workbook::check_odd(&record, &judgement);
    let screen = summary(&record, &judgement, Style { color: false, width });
    // JSON is data: it keeps what it was given.
    for text in texts[1..].iter().chain([&screen]) {
        assert!(!text.contains(['\x1b', '\u{202e}', '\u{7}']), "{text}");
    }
}

#[test]
fn hostile_strings_stay_text() {
    for odd in [
        "</title><script>alert(1)</script>",
        "\"'><img src=x onerror=1>",
        "=1+1",
        "a\r\nb,\"c\"",
        "\x1b]0;x\x07",
        "| `x` | <b>",
        "",
        "\u{202e}gpj",
    ] {
        check_all(odd, 80);
    }
}

#[test]
fn a_spreadsheet_runs_no_name() {
    let (record, judgement) = with("=HYPERLINK(1)");
    for table in Table::ALL {
        for field in read_csv(&tables::rendered(table, &record, &judgement)).concat() {
            assert!(!field.starts_with(['=', '@', '+']), "{field}");
        }
    }
}

#[test]
fn a_full_output_is_an_error() {
    let mut room = [0u8; 10];
    for format in FORMATS.into_iter().chain([Format::Xlsx, Format::Parquet]) {
        assert!(render(format, &whole().0, &whole().1, &mut room.as_mut_slice()).is_err(), "{format:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_format_panics_on_odd_strings(odd in any::<String>(), width in 0usize..200) {
        check_all(&odd, width);
    }
}
