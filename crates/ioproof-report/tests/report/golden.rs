//! Every format of the stored runs, byte for byte.
//!
//! `UPDATE_GOLDEN=1` rewrites the expected files. `UPDATE_FIXTURE=1` first stores the run of the job file as this version does, judged anew. The run of
//! version 1 is never rewritten: it stands for all runs that were stored in that version.

use crate::stored::{JOB_FILE, bytes, directory, files, of_job_file, repository, version_1};
use crate::tables;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_report::{Format, Style, Table, json_document, render, summary};
use std::fs;

/// Formats that are compared with a file; workbooks are compared in `workbook`, JSON is compared with the stored run itself.
const FORMATS: [(Format, &str); 5] = [
    (Format::Markdown, "report.md"),
    (Format::Html, "report.html"),
    (Format::Text, "report.txt"),
    (Format::Junit, "report.xml"),
    (Format::OpenMetrics, "report.prom"),
];

/// The stored runs, each with the folder of what is expected of it.
pub fn runs() -> [(&'static str, &'static (RunRecord, Judgement)); 2] {
    [("version-1", version_1()), ("job-file", of_job_file())]
}

/// Compares with a golden file, or rewrites it.
pub fn check(folder: &str, name: &str, got: &str) {
    let path = repository("crates/ioproof-report/tests/report/golden").join(folder).join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, got).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; UPDATE_GOLDEN=1 writes it", path.display()));
    let differs = expected.lines().zip(got.lines()).position(|(a, b)| a != b);
    assert!(expected == got, "{folder}/{name} differs, first in line {:?}; UPDATE_GOLDEN=1 rewrites it", differs.map(|n| n + 1));
}

fn rendered(format: Format, (record, judgement): &(RunRecord, Judgement)) -> String {
    let mut out = Vec::new();
    render(format, record, judgement, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn formats_are_as_expected() {
    for (folder, run) in runs() {
        for (format, name) in FORMATS {
            check(folder, name, &rendered(format, run));
        }
    }
}

#[test]
fn markdown_is_short_unless_everything_is_asked_for() {
    for (folder, run @ (record, judgement)) in runs() {
        let short = rendered(Format::Markdown, run);
        assert!(short.lines().count() <= 120, "{folder}: {}", short.lines().count());
        let mut full = Vec::new();
        ioproof_report::render_in_full(Format::Markdown, record, judgement, &mut full).unwrap();
        let full = String::from_utf8(full).unwrap();
        check(folder, "report-full.md", &full);
        // Whatever there is of it.
        let mut many = judgement.clone();
        many.rows = many.rows.iter().cycle().take(500).cloned().collect();
        let cut = rendered(Format::Markdown, &(record.clone(), many));
        assert!(cut.lines().count() <= 120 && cut.contains("Cut here.") && cut.contains(&record.id), "{folder}");
    }
}

#[test]
fn the_report_of_a_terminal_fits_it_and_that_of_a_file_is_as_wide_as_ever() {
    for (folder, (record, judgement)) in runs() {
        let text = ioproof_report::text(record, judgement, Some(80));
        // A command stands whole, to be pasted.
        let too_wide = text.lines().filter(|line| line.chars().count() > 80 && !line.contains("ioproof verify"));
        assert_eq!(too_wide.collect::<Vec<_>>(), [""; 0], "{folder}");
        check(folder, "report-80.txt", &text);
        assert_eq!(ioproof_report::text(record, judgement, None), rendered(Format::Text, &(record.clone(), judgement.clone())));
        let narrow = ioproof_report::text(record, judgement, Some(40));
        let too_wide = narrow.lines().filter(|line| line.chars().count() > 40 && !line.contains("ioproof "));
        assert_eq!(too_wide.collect::<Vec<_>>(), [""; 0], "{folder}");
        assert_eq!(ioproof_report::text(record, judgement, Some(5)), narrow, "40 columns at least");
    }
}

#[test]
fn tables_are_as_expected() {
    let (record, judgement) = of_job_file();
    for table in Table::ALL {
        check("job-file", &format!("{}.csv", table.name()), &tables::rendered(table, record, judgement));
    }
    let (record, judgement) = version_1();
    check("version-1", "results.csv", &tables::rendered(Table::Results, record, judgement));
}

#[test]
fn summaries_are_as_expected() {
    for (folder, run) in runs() {
        for (width, color) in [(80, false), (80, true), (60, false), (140, false)] {
            let name = format!("summary-{width}{}.txt", if color { "-color" } else { "" });
            check(folder, &name, &summary(&run.0, &run.1, Style { color, width }));
        }
    }
}

#[test]
fn json_is_the_stored_run_whole() {
    let run = of_job_file();
    let directory = directory(JOB_FILE);
    let stored = |path: &std::path::Path| -> serde_json::Value { serde_json::from_slice(&bytes(path)).unwrap() };
    let document = json_document(&run.0, &run.1);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&rendered(Format::Json, run)).unwrap(), document);
    assert_eq!(document["judgement"], stored(&directory.join("judgement.json")));
    let stages = document["run"]["stages"].as_array().unwrap();
    let files = files(&directory.join("stages"));
    assert_eq!(stages.len(), files.len());
    for (stage, file) in stages.iter().zip(files) {
        assert_eq!(*stage, stored(&file));
    }
    let mut run = document["run"].clone();
    run["stages"] = serde_json::json!([]);
    assert_eq!(run, stored(&directory.join("run.json")));
}
