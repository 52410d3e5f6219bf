//! JUnit XML as a CI system reads it.

use crate::stored::{job_file, rendered, version_1};
use ioproof_core::finding::Effect;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunStatus;
use ioproof_core::verdict::Verdict;
use ioproof_report::Format;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A case: its name, and the name of the element that tells how it ended (none: it passed).
type Case = (String, Option<String>);

fn attribute(element: &BytesStart, name: &str) -> String {
    let found = element.attributes().map(Result::unwrap).find(|attribute| attribute.key.as_ref() == name);
    found.map(|attribute| attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned()).unwrap_or_default()
}

/// Reads a document: it is well-formed, its counts are those of its cases, and no two cases of a suite have one name.
pub fn read(text: &str) -> Vec<Case> {
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' || matches!(c, '\u{FFFE}' | '\u{FFFF}')), "not XML: {text:?}");
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut cases, mut counts, mut depth): (Vec<Case>, Vec<[String; 4]>, usize) = (Vec::new(), Vec::new(), 0);
    loop {
        let event = reader.read_event().unwrap_or_else(|error| panic!("{error}: {text}"));
        if let Event::Start(element) | Event::Empty(element) = &event {
            match element.name().as_ref() {
                "testsuites" | "testsuite" => counts.push(["tests", "failures", "errors", "skipped"].map(|name| attribute(element, name))),
                "testcase" => cases.push((attribute(element, "name"), None)),
                "failure" | "error" | "skipped" => {
                    cases.last_mut().unwrap().1 = Some(element.name().as_ref().to_owned());
                }
                _ => {}
            }
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    let of = |end: &str| cases.iter().filter(|case| case.1.as_deref() == Some(end)).count().to_string();
    let found = [cases.len().to_string(), of("failure"), of("error"), of("skipped")];
    assert!(depth == 0 && counts.len() == 2 && counts.iter().all(|said| *said == found), "{counts:?} {found:?}");
    let names: Vec<&String> = cases.iter().map(|case| &case.0).collect();
    assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)), "{names:?}");
    cases
}

fn end<'a>(cases: &'a [Case], name: &str) -> Option<&'a str> {
    cases.iter().find(|case| case.0.contains(name)).unwrap_or_else(|| panic!("no case {name} in {cases:?}")).1.as_deref()
}

#[test]
fn a_verdict_is_a_case() {
    let (record, judgement) = version_1();
    let cases = read(&rendered(Format::Junit, record, judgement));
    let count = |end: Option<&str>| cases.iter().filter(|case| case.1.as_deref() == end).count();
    let verdicts = |of: Verdict| judgement.rows.iter().filter(|row| row.verdict == Some(of)).count();
    assert_eq!(count(Some("failure")), verdicts(Verdict::Misses));
    assert!(count(Some("failure")) > 0 && count(Some("skipped")) >= verdicts(Verdict::CannotTell) + verdicts(Verdict::Indicative));
    assert_eq!(end(&cases, "the run comes to its end"), None);
}

#[test]
fn without_a_claim_a_job_is_a_case_and_a_figure_that_is_not_the_drives_is_skipped() {
    let record = job_file();
    let mut judgement = judge(&record);
    let cases = |judgement: &Judgement| read(&rendered(Format::Junit, &record, judgement));
    let name = judgement.rows[0].name.clone().unwrap();
    (judgement.rows[0].verdict, judgement.rows[0].claimed) = (None, None);
    judgement.rows[0].reasons.clear();
    assert_eq!(end(&cases(&judgement), &name), None);
    let reason = ioproof_core::verdict::Reason { about: "page-cache".into(), effect: Effect::Invalid, text: "memory".into() };
    judgement.rows[0].reasons.push(reason);
    assert_eq!(end(&cases(&judgement), &name), Some("skipped"));
}

#[test]
fn the_end_of_a_run_is_a_case() {
    let mut record = job_file();
    let judgement = judge(&record);
    let reason = || "it broke".to_owned();
    for (status, ended) in [
        (RunStatus::Complete, None),
        (RunStatus::Interrupted, Some("skipped")),
        (RunStatus::Running, Some("error")),
        (RunStatus::Failed { reason: reason() }, Some("error")),
        (RunStatus::Hung { reason: reason() }, Some("failure")),
    ] {
        record.status = status;
        assert_eq!(end(&read(&rendered(Format::Junit, &record, &judgement)), "the run comes to its end"), ended);
    }
}

#[test]
fn an_exit_status_that_no_other_case_tells_has_a_case_of_its_own() {
    let record = job_file();
    let mut judgement = judge(&record);
    judgement.rows.iter_mut().for_each(|row| {
        (row.verdict, row.claimed) = (None, None);
        row.reasons.clear();
    });
    let rest = |judgement: &Judgement| {
        end(&read(&rendered(Format::Junit, &record, judgement)), "nothing else speaks against the run").map(str::to_owned)
    };
    for (status, ended) in [(0, None), (1, Some("failure")), (2, Some("error")), (3, Some("skipped"))] {
        judgement.exit_status = status;
        assert_eq!(rest(&judgement).as_deref(), ended, "{status}");
    }
    judgement.rows[0].verdict = Some(Verdict::CannotTell);
    assert_eq!(rest(&judgement), None, "the row says so");
}
