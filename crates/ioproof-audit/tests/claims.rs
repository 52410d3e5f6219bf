//! The outputs of a published document against the datasheets of its two drives.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

use ioproof_audit::claims::{ClaimRow, table, too_good};
use ioproof_audit::{Findings, Reading};
use ioproof_core::datasheet::Catalogue;
use ioproof_core::verdict::Verdict;
use std::path::Path;

fn reading(file: &str) -> Reading {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audit/seeds").join(file);
    Reading::new(file, &std::fs::read(path).unwrap())
}

fn rows(file: &str, sheet: &str, sole: bool) -> Vec<ClaimRow> {
    table(&[reading(file)], Catalogue::shipped().find_by_name(sheet).unwrap(), sole)
}

fn row<'a>(rows: &'a [ClaimRow], load: &str) -> &'a ClaimRow {
    rows.iter().find(|row| row.load == load).unwrap_or_else(|| panic!("{load}: {rows:#?}"))
}

/// The match in percent, to a digit behind the point.
fn shares(rows: &[ClaimRow]) -> Vec<String> {
    let loads = ["random read 4 KiB", "random write 4 KiB", "sequential read 128 KiB", "sequential write 128 KiB"];
    loads.iter().map(|load| format!("{:.1}", row(rows, load).answer.as_ref().unwrap().share * 100.0)).collect()
}

#[test]
fn the_four_corners_of_both_drives_have_their_match() {
    let p3700 = rows("cruncher-nvme-revised.md", "intel-dc-p3700", false);
    let s3700 = rows("cruncher-nvme-revised.md", "intel-dc-s3700", false);
    assert_eq!(shares(&p3700), ["21.5", "66.2", "21.9", "28.3"]);
    assert_eq!(shares(&s3700), ["75.7", "116.0", "88.0", "84.7"]);
}

#[test]
fn a_match_passes_and_fails_nothing_that_one_run_cannot_show() {
    let p3700 = rows("cruncher-nvme-revised.md", "intel-dc-p3700", false);
    let read = row(&p3700, "random read 4 KiB").answer.as_ref().unwrap();
    assert_eq!((read.verdict, read.line), (Verdict::Indicative, 604));
    assert!(read.reasons.iter().any(|reason| reason.contains("names no queue depth, the run had 32")), "{:?}", read.reasons);
    assert!(read.reasons.iter().any(|reason| reason.contains("10 GiB of 2 TB")), "{:?}", read.reasons);
    assert_eq!(read.others.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [200, 267], "earlier runs of the same load");
    let s3700 = rows("cruncher-nvme-revised.md", "intel-dc-s3700", false);
    assert_eq!(row(&s3700, "random read 4 KiB").answer.as_ref().unwrap().verdict, Verdict::CannotTell, "75.7 % of one run, near 80 %");
    assert_eq!(row(&s3700, "sequential read 128 KiB").answer.as_ref().unwrap().verdict, Verdict::CannotTell);
}

#[test]
fn more_than_the_maker_promises_is_suspicious() {
    let s3700 = rows("cruncher-nvme-revised.md", "intel-dc-s3700", false);
    let mut findings = Findings::default();
    too_good(&s3700, &mut findings);
    let [found] = &findings.found[..] else { panic!("{findings:#?}") };
    assert_eq!((found.check, found.line), ("above-datasheet", 518));
    assert!(found.title.contains("116 %"), "{}", found.title);
}

#[test]
fn claims_without_an_output_are_not_measured() {
    let p3700 = rows("cruncher-nvme-revised.md", "intel-dc-p3700", false);
    for load in ["random 70/30 4 KiB", "random read 8 KiB", "random write 8 KiB"] {
        assert!(row(&p3700, load).answer.is_none(), "{load}");
    }
}

#[test]
fn sequential_writes_are_no_random_writes() {
    let pm1733 = rows("daos-wal-spdk-perf.md", "samsung-pm1733", true);
    let random: Vec<&ClaimRow> = pm1733.iter().filter(|row| row.load == "random write 4 KiB").collect();
    assert!(!random.is_empty() && random.iter().all(|row| row.answer.is_none()), "{random:#?}");
    let stream = row(&pm1733, "sequential write 128 KiB").answer.as_ref().unwrap();
    assert_eq!(format!("{:.0}", stream.share * 100.0), "68", "2.60 of 3.8 GB/s");
}
