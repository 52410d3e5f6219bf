//! Every format of one stored run, byte for byte.
//!
//! `UPDATE_GOLDEN=1` rewrites the expected files. `UPDATE_FIXTURE=1` first rewrites the stored run from the builder; that is for as long
//! as the stored run is a made-up one.

use crate::stored::{repository, round_files, store_run, stored_run};
use crate::{builder, judged};
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use ioproof_report::{Format, Style, json_document, render, summary};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Formats that are compared with a file; JSON is compared with the stored run itself.
const FORMATS: [(Format, &str); 4] =
    [(Format::Markdown, "report.md"), (Format::Csv, "report.csv"), (Format::Html, "report.html"), (Format::Text, "report.txt")];

fn directory() -> PathBuf {
    repository("fixtures/runs").join(builder::RUN_ID)
}

fn run() -> &'static (RunRecord, Judgement) {
    static RUN: OnceLock<(RunRecord, Judgement)> = OnceLock::new();
    RUN.get_or_init(|| {
        if std::env::var_os("UPDATE_FIXTURE").is_some() {
            let record = builder::record();
            store_run(&directory(), &record, &judged::judgement(&record));
        }
        stored_run(&directory())
    })
}

fn check(name: &str, got: &str) {
    let path = repository("crates/ioproof-report/tests/report/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, got).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; UPDATE_GOLDEN=1 writes it", path.display()));
    let differs = expected.lines().zip(got.lines()).position(|(a, b)| a != b);
    assert!(expected == got, "{name} differs, first in line {:?}; UPDATE_GOLDEN=1 rewrites it", differs.map(|n| n + 1));
}

fn rendered(format: Format) -> String {
    let mut out = Vec::new();
    render(format, &run().0, &run().1, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn formats_are_as_expected() {
    for (format, name) in FORMATS {
        check(name, &rendered(format));
    }
}

#[test]
fn summaries_are_as_expected() {
    for (width, color) in [(80, false), (80, true), (60, false), (140, false)] {
        let name = format!("summary-{width}{}.txt", if color { "-color" } else { "" });
        check(&name, &summary(&run().0, &run().1, Style { color, width }));
    }
}

#[test]
fn json_is_the_stored_run_whole() {
    let stored = |name: &str| -> serde_json::Value { serde_json::from_slice(&fs::read(directory().join(name)).unwrap()).unwrap() };
    let document = json_document(&run().0, &run().1);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&rendered(Format::Json)).unwrap(), document);
    assert_eq!(document["judgement"], stored("judgement.json"));
    let rounds = document["run"]["rounds"].as_array().unwrap();
    let files = round_files(&directory());
    assert_eq!(rounds.len(), files.len());
    for (round, file) in rounds.iter().zip(files) {
        assert_eq!(*round, stored(file.strip_prefix(directory()).unwrap().to_str().unwrap()));
    }
    let mut run = document["run"].clone();
    run["rounds"] = serde_json::json!([]);
    assert_eq!(run, stored("run.json"));
}
