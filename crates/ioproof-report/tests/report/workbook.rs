//! Workbooks as a spreadsheet reads them: sheets, headings and cells against golden texts; charts, print and the archive itself.

use crate::golden::{check, runs};
use crate::stored::version_1;
use crate::swept;
use calamine::{Data, Reader, Xlsx};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::finding::{Finding, Subject};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::sweep::Axis;
use ioproof_report::{Format, render};
use std::fmt::Write as _;
use std::io::{Cursor, Read as _};

fn rendered(record: &RunRecord, judgement: &Judgement) -> Vec<u8> {
    let mut out = Vec::new();
    render(Format::Xlsx, record, judgement, &mut out).unwrap();
    out
}

/// The cells of a sheet of the workbook that a run becomes.
pub fn sheet(record: &RunRecord, judgement: &Judgement, name: &str) -> Vec<Vec<Data>> {
    rows(&rendered(record, judgement), name)
}

/// The chart files of that workbook, in their order.
pub fn charts_of(record: &RunRecord, judgement: &Judgement) -> Vec<String> {
    charts(&rendered(record, judgement))
}

fn opened(bytes: &[u8]) -> Xlsx<Cursor<&[u8]>> {
    calamine::open_workbook_from_rs(Cursor::new(bytes)).unwrap()
}

/// The rows of a sheet; one without a cell has none.
fn rows(bytes: &[u8], sheet: &str) -> Vec<Vec<Data>> {
    let range = opened(bytes).worksheet_range(sheet).unwrap();
    let first = range.start().map_or(0, |(row, _)| row as usize);
    let above = std::iter::repeat_n(Vec::new(), first);
    above.chain(range.rows().map(<[Data]>::to_vec)).collect()
}

fn show(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::Float(number) => format!("{number}"),
        Data::Int(number) => format!("{number}"),
        Data::DateTime(moment) => format!("date {}", moment.as_f64()),
        Data::String(text) => format!("{text:?}"),
        other => panic!("{other:?}"),
    }
}

/// Every cell, a line a row; text is in quotes, so that a number is told from digits.
fn dump(bytes: &[u8]) -> String {
    let mut text = String::new();
    for name in opened(bytes).sheet_names() {
        writeln!(text, "## {name}").unwrap();
        for row in rows(bytes, &name) {
            let cells: Vec<String> = row.iter().map(show).collect();
            writeln!(text, "{}", cells.join("|").trim_end_matches('|')).unwrap();
        }
    }
    text
}

/// A file of the archive.
fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap_or_else(|e| panic!("{name}: {e}")).read_to_string(&mut text).unwrap();
    text
}

/// The chart files, in their order.
fn charts(bytes: &[u8]) -> Vec<String> {
    let archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let count = archive.file_names().filter(|name| name.starts_with("xl/charts/chart")).count();
    (1..=count).map(|n| part(bytes, &format!("xl/charts/chart{n}.xml"))).collect()
}

/// Checks a workbook of odd strings: it opens, and runs none of them.
pub fn check_odd(record: &RunRecord, judgement: &Judgement) {
    let bytes = rendered(record, judgement);
    let mut book = opened(&bytes);
    for name in book.sheet_names() {
        let formulas = book.worksheet_formula(&name).unwrap();
        assert!(formulas.used_cells().all(|(_, _, formula)| formula.is_empty()), "{name}: {formulas:?}");
    }
    assert!(!dump(&bytes).contains(['\x1b', '\u{202e}', '\u{7}']));
    for chart in charts(&bytes) {
        let own: usize = ["<c:f>Charts!", "<c:f>Layers!"].iter().map(|sheet| chart.matches(sheet).count()).sum();
        assert_eq!(chart.matches("<c:f>").count(), own, "{chart}");
    }
}

#[test]
fn workbooks_are_as_expected() {
    for (folder, (record, judgement)) in runs() {
        check(folder, "report.xlsx.txt", &dump(&rendered(record, judgement)));
    }
    let (record, judgement) = swept::run();
    check("sweep", "report.xlsx.txt", &dump(&rendered(&record, &judgement)));
}

#[test]
fn one_run_gives_the_same_bytes() {
    let (record, judgement) = swept::run();
    let first = rendered(&record, &judgement);
    assert!((0..20).all(|_| rendered(&record, &judgement) == first));
    let (record, judgement) = version_1();
    assert!(part(&rendered(record, judgement), "docProps/core.xml").contains(">2026-11-21T03:15:00Z<"));
}

#[test]
fn banners_stand_before_any_number() {
    let (mut record, judgement) = swept::run();
    record.config.faults = Some("eio=0.01".into());
    let bytes = rendered(&record, &judgement);
    for sheet in ["Summary", "Matrix"] {
        let cells = rows(&bytes, sheet).concat();
        let banner = cells.iter().position(|cell| cell.to_string().contains("this shows nothing about the drive"));
        let number = cells.iter().position(|cell| matches!(cell, Data::Float(_) | Data::Int(_) | Data::DateTime(_)));
        assert!(banner.unwrap() < number.unwrap(), "{sheet}");
    }
}

/// The cells of a row that begins with this number, by the names of their columns.
fn named(rows: &[Vec<Data>], heading: usize, first: f64) -> Vec<(String, &Data)> {
    let row = rows.iter().find(|row| row.first() == Some(&Data::Float(first))).unwrap();
    rows[heading].iter().map(ToString::to_string).zip(row).collect()
}

#[test]
fn the_matrix_marks_what_the_curve_shows() {
    let (record, judgement) = swept::run();
    let rows = rows(&rendered(&record, &judgement), "Matrix");
    let notes = |first: f64| named(&rows, 2, first).into_iter().find(|(name, _)| name == "note").unwrap().1.to_string();
    assert_eq!([1.0, 8.0, 64.0, 256.0, 2.0].map(notes), ["floor", "knee", "full", "ceiling", ""]);
    let text = rows.iter().map(|row| row.iter().map(show).collect::<Vec<_>>().join("|")).collect::<Vec<_>>().join("\n");
    assert_eq!(text.matches("\"left out\"").count(), 4, "{text}");
    assert!(text.contains("host\"|\"the generator's CPUs: 99 % busy\""), "{text}");
    let first = named(&rows, 2, 1.0);
    let of = |name: &str| first.iter().find(|(column, _)| column == name).unwrap().1;
    assert_eq!((of("IOPS"), of("minimum (µs)")), (&Data::Float(102_351.15), &Data::Float(8.15)));
    assert_eq!(of("MB/s"), &Data::Float(102_351.15 * 4096.0 / 1e6));
    assert!(matches!(of("p50 (µs)"), Data::Float(_)) && matches!(of("IOPS - low"), Data::Float(_)), "{text}");
}

#[test]
fn what_a_rule_finds_of_several_workloads_is_said_once_and_listed_behind() {
    let (record, mut judgement) = swept::run();
    let first = judgement.findings[0].clone();
    let of_job = |job| Finding { rule: "made-up".into(), title: "all alike".into(), subject: Subject::Job(job), ..first.clone() };
    judgement.findings = (0..record.jobs.len() as u32).map(of_job).collect();
    let bytes = rendered(&record, &judgement);
    let said = |sheet: &str| rows(&bytes, sheet).concat().iter().filter(|cell| **cell == "all alike").count();
    assert_eq!((said("Summary"), said("Findings")), (1, record.jobs.len()));
    let lists = |sheet: &str| rows(&bytes, sheet).iter().any(|row| row.get(1).is_some_and(|cell| *cell == "backup: sequential read 1 MiB"));
    assert!(lists("Cells") && !lists("Summary"), "cells that nothing was promised of stand on a sheet of their own");
    let more = format!("and {} more: ", record.jobs.len() - 1);
    assert!(rows(&bytes, "Summary").concat().iter().any(|cell| cell.to_string().contains(&more)), "{}", dump(&bytes));
    let mut page = Vec::new();
    render(Format::Markdown, &record, &judgement, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains(&format!("{} more of this rule", record.jobs.len() - 1)), "{page}");
}

#[test]
fn percentiles_without_samples_are_empty() {
    let (record, judgement) = swept::run();
    let rows = rows(&rendered(&record, &judgement), "Percentiles");
    let column = |name: &str| rows[2].iter().position(|heading| *heading == *name).unwrap();
    assert_eq!(rows[3][column("p99.9 (µs)")], Data::Empty);
    assert_eq!(rows[4][column("p99.9 (µs)")], Data::Float(31.186));
    assert_eq!(rows[3][column("CPU per I/O (µs)")], Data::Float(0.781));
}

#[test]
fn charts_of_a_sweep_refer_to_the_matrix() {
    let (record, judgement) = swept::run();
    let charts = charts(&rendered(&record, &judgement));
    assert_eq!(charts.len(), 3);
    for (chart, references) in charts.iter().zip([8, 4, 4]) {
        assert_eq!(chart.matches("<c:ser>").count(), 2, "{chart}");
        assert_eq!(chart.matches("<c:f>Matrix!").count(), references, "whiskers of rates: {chart}");
        assert!(chart.contains(">1 worker<") && chart.contains(">4 workers<"), "{chart}");
    }
    let log = charts.iter().map(|chart| [2, 10].map(|base| chart.matches(&format!("<c:logBase val=\"{base}\"/>")).count()));
    assert_eq!(log.collect::<Vec<_>>(), [[1, 0], [1, 1], [0, 1]]);
}

#[test]
fn a_sweep_of_block_sizes_and_of_one_cell_has_its_charts() {
    let (record, mut judgement) = swept::run();
    let sweep = judgement.results.sweep.as_mut().unwrap();
    sweep.axis = Axis::BlockSize;
    sweep.series.truncate(1);
    sweep.series[0].cells.truncate(1);
    sweep.series[0].shape = None;
    let bytes = rendered(&record, &judgement);
    assert_eq!(named(&rows(&bytes, "Matrix"), 2, 4.0)[0].0, "block size (KiB)");
    assert!(charts(&bytes)[0].contains("MB/s"));
}

#[test]
fn charts_of_other_runs_show_throughput_over_time() {
    let (record, judgement) = version_1();
    let charts = charts(&rendered(record, judgement));
    assert_eq!(charts.len(), record.jobs.len());
    assert!(charts.iter().any(|chart| chart.contains(">claim<")) && charts.iter().all(|chart| chart.contains(">run 6<")));
    let mut without = record.clone();
    without.stages.iter_mut().flat_map(|stage| &mut stage.rounds).for_each(|round| round.intervals.clear());
    assert!(!opened(&rendered(&without, judgement)).sheet_names().contains(&"Charts".to_owned()));
}

#[test]
fn a_name_is_no_reference_to_cells() {
    let (mut record, judgement) = version_1().clone();
    for job in &mut record.jobs {
        job.name = Some("=Summary!$A$1".into());
    }
    check_odd(&record, &judgement);
}

#[test]
fn sheets_are_set_up_for_screen_and_paper() {
    let (record, judgement) = swept::run();
    let bytes = rendered(&record, &judgement);
    let sheets: Vec<String> = (1..=5).map(|n| part(&bytes, &format!("xl/worksheets/sheet{n}.xml"))).collect();
    assert!(sheets.iter().all(|sheet| sheet.contains("orientation=\"landscape\"")));
    let fitted: Vec<bool> = sheets.iter().map(|sheet| sheet.contains("fitToPage=\"1\"")).collect();
    assert_eq!(fitted, [true, true, true, false, true], "charts are divided between pages");
    let frozen: Vec<bool> = sheets.iter().map(|sheet| sheet.contains("state=\"frozen\"")).collect();
    assert_eq!(frozen, [true, true, true, false, true]);
    let filtered: Vec<bool> = sheets.iter().map(|sheet| sheet.contains("<autoFilter ")).collect();
    assert_eq!(filtered, [false, false, false, false, true]);
    assert!(sheets[0].contains("\"meets\"") && sheets[1].contains("<dataBar"), "conditional formats");
    let names = part(&bytes, "xl/workbook.xml");
    assert_eq!(names.matches("_xlnm.Print_Titles").count(), 5, "{names}");
}

#[test]
fn figures_are_told_in_one_unit_a_metric() {
    let (record, judgement) = version_1();
    let rows = rows(&rendered(record, judgement), "Summary");
    let heading = rows.iter().position(|row| row.first() == Some(&Data::String("verdict".into()))).unwrap();
    for (row, of) in rows[heading + 1..].iter().zip(&judgement.rows) {
        let factor = match of.metric {
            Metric::Iops => 1.0,
            Metric::Throughput => 1e6,
            Metric::Latency => 1e3,
        };
        let column = |name: &str| rows[heading].iter().position(|heading| *heading == *name).unwrap();
        assert_eq!(row[column("measured")], of.measured.map_or(Data::Empty, |e| Data::Float(e.median / factor)));
        assert_eq!(row[column("verdict")].to_string(), of.verdict.map_or("", |verdict| verdict.title()));
        assert_eq!(row[column("figure")].to_string().ends_with("mean"), of.statistic == Some(Statistic::Mean));
    }
}

#[test]
fn without_a_round_the_sheet_has_headings_alone() {
    let (mut record, mut judgement) = version_1().clone();
    record.stages.clear();
    judgement.rows.clear();
    judgement.latencies.clear();
    assert_eq!(rows(&rendered(&record, &judgement), "Rounds").len(), 1);
}
