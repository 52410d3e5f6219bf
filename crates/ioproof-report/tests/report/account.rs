//! The account of layers as bars, of made-up figures: in the page, in the workbook, and of two runs.

use crate::golden::check;
use crate::layered;
use crate::workbook;
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{Account, AccountBar, Below, FilesystemVerdict, LayerKind, LeftOut, PoolWay, Whole};
use ioproof_core::record::RunRecord;
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::verdict::Verdict;
use ioproof_report::{Format, render};

/// A directory whose name is markup, a reference to cells and a sign that no terminal shows.
const HOSTILE: &str = "=Layers!A1</text><script>alert(1)</script>\"'&\u{1b}[31m";

fn bar(kind: LayerKind, title: &str, share: f64) -> AccountBar {
    AccountBar { kind, title: title.into(), share: layered::estimate(share) }
}

fn account(target: u32, whole: Whole, title: &str, bars: Vec<AccountBar>) -> Account {
    Account { target, whole, title: title.into(), per_s: layered::estimate(41_200.0), bars, left_out: Vec::new() }
}

fn answer(target: u32, verdict: Verdict) -> FilesystemVerdict {
    FilesystemVerdict { target, below: Below::SameBlocks, threshold: 0.5, verdict, reasons: Vec::new() }
}

fn reads(target: u32, share: f64) -> Account {
    let bars = vec![bar(LayerKind::FilesystemReads, "random reads of 4 KiB", share)];
    account(target, Whole::SameBlocks, "random reads of 4 KiB of its blocks on /dev/sda1", bars)
}

fn commits(target: u32, share: f64) -> Account {
    let bars = vec![bar(LayerKind::Database, layered::SQLITE, share)];
    account(target, Whole::DurableWrites, "random writes of 4 KiB + fdatasync", bars)
}

/// Two directories: of the second, reads fall short, and SQLite makes more commits than a scale has room for.
fn run() -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = layered::run();
    record.targets[0].facts.given = "/mnt/ext4".into();
    record.targets.push(record.targets[0].clone());
    record.targets[1].facts.given = HOSTILE.into();
    let layers = judgement.results.layers.as_mut().unwrap();
    let other: Vec<_> = layers.rows.iter().cloned().map(|row| ioproof_core::layers::LayerRow { target: 1, ..row }).collect();
    layers.rows.extend(other);
    layers.accounts = vec![reads(0, 0.925), commits(0, 0.452), reads(1, 0.31), commits(1, 3.4)];
    layers.verdicts = vec![answer(0, Verdict::Meets), answer(1, Verdict::Misses)];
    (record, judgement)
}

fn page((record, judgement): &(RunRecord, Judgement)) -> String {
    let mut out = Vec::new();
    render(Format::Html, record, judgement, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The charts of bars alone.
fn charts(page: &str) -> String {
    let figures = page.split("<figure>").skip(1).filter_map(|rest| rest.split_once("</figure>").map(|(figure, _)| figure));
    figures.filter(|figure| figure.contains("class=\"bars\"")).map(|figure| format!("{}\n", figure.replace('>', ">\n"))).collect()
}

#[test]
fn the_bars_of_a_page_are_as_expected() {
    check("account", "bars.html", &charts(&page(&run())));
}

#[test]
fn bars_of_several_directories_have_one_scale_and_their_whiskers_and_marks() {
    let charts = charts(&page(&run()));
    let count = |part: &str| charts.matches(part).count();
    assert_eq!(count("class=\"bars\""), 6, "reads, commits, and four figures of each commit");
    // Up to 200 % on 210 units: half of that is 100 %.
    assert_eq!(count("class=\"track\" x=\"4\" y=\"32.0\" width=\"105.0\""), 2, "the first bar of both charts: {charts}");
    assert_eq!(count("class=\"claim\" d=\"M56.5"), 2, "50 % of policy at both filesystems: {charts}");
    for part in ["<g class=\"meets\"", "<g class=\"misses\"", "92.5 (83.2 to 102) %", "31 (27.9 to 34.1) %", "100 % = ", "l4 4l-4 4"] {
        assert!(charts.contains(part), "{part}: {charts}");
    }
}

#[test]
fn a_hostile_name_stays_text() {
    let page = page(&run());
    assert!(!page.contains("<script>alert") && !page.contains('\u{1b}'), "markup");
    assert!(charts(&page).contains("=Layers!A1&lt;/text&gt;"), "{}", charts(&page));
}

#[test]
fn too_few_turns_are_pale_and_have_no_whisker() {
    let mut run = run();
    let layers = run.1.results.layers.as_mut().unwrap();
    layers.accounts = vec![reads(0, 0.9)];
    layers.accounts[0].bars[0].share.method = IntervalMethod::Spread;
    let page = page(&run);
    let charts = charts(&page);
    let reads = charts.split("</svg").next().unwrap();
    assert!(reads.contains("class=\"bar faint\"") && !reads.contains("whisker") && reads.contains("90 [81 to 99] %"), "{reads}");
    assert!(reads.contains("pale: too few turns for an interval"), "{reads}");
}

#[test]
fn what_is_left_out_or_no_number_is_said_and_not_drawn() {
    let mut run = run();
    let layers = run.1.results.layers.as_mut().unwrap();
    let left = LeftOut { title: "random reads of 4 KiB".into(), rules: vec!["page-cache".into()] };
    let nothing = Estimate { median: f64::NAN, ..layered::estimate(1.0) };
    let no_number = AccountBar { share: nothing, ..bar(LayerKind::Database, layered::SQLITE, 1.0) };
    let commits = Account { bars: vec![no_number], ..commits(0, 1.0) };
    layers.accounts = vec![Account { bars: Vec::new(), left_out: vec![left], ..reads(0, 0.9) }, commits];
    let page = page(&run);
    assert!(page.contains("Without a bar, by what was found of them: random reads of 4 KiB on /mnt/ext4 (page-cache)."), "{page}");
    assert!(!page.contains("id=\"shares-0-t\"") && page.contains("id=\"costs-0-t\""));
}

#[test]
fn a_wide_interval_ends_in_an_arrow_and_leaves_room_for_bars() {
    let mut run = layered::run();
    let rows = &mut run.1.results.layers.as_mut().unwrap().rows;
    rows.iter_mut().for_each(|row| row.drive_bytes_per_byte = None);
    rows[0].flushes_per_commit = Some(Estimate { high: 400.0, ..layered::estimate(1.0) });
    let charts = charts(&page(&run));
    let flushes = charts.split("</svg").next().unwrap();
    assert!(flushes.contains("arrow: further than the scale") && flushes.contains("width=\"105.0\""), "one of two flushes: {flushes}");
    assert!(!charts.contains("Bytes for each byte"), "nobody counted them");
}

#[test]
fn without_accounts_and_commits_nothing_is_drawn() {
    let mut run = layered::run();
    run.1.results.layers.as_mut().unwrap().rows.iter_mut().for_each(|row| row.commits_per_s = None);
    assert!(charts(&page(&run)).is_empty());
}

#[test]
fn each_way_of_stating_drives_has_its_bars() {
    let mut run = layered::run();
    let of = |way, share| Account { whole: Whole::Drives { way, drives: 2 }, ..reads(0, share) };
    let layers = run.1.results.layers.as_mut().unwrap();
    layers.accounts = vec![of(PoolWay::OneDrive, 0.9), of(PoolWay::AtOnce, 0.75)];
    layers.verdicts = vec![FilesystemVerdict { below: Below::DrivesAtOnce, ..answer(0, Verdict::Meets) }];
    let charts = charts(&page(&run));
    assert!(charts.contains("one drive alone") && charts.contains("all 2 drives at once"), "{charts}");
    assert_eq!(charts.matches("class=\"claim\"").count(), 1, "policy asks of all at once: {charts}");
}

#[test]
fn the_workbook_has_native_bars_of_its_own_cells() {
    let (record, judgement) = run();
    let charts = workbook::charts_of(&record, &judgement);
    let of_bars: Vec<&String> = charts.iter().filter(|chart| chart.contains("<c:barDir val=\"bar\"/>")).collect();
    assert_eq!(of_bars.len(), 2, "reads and commits");
    for chart in &of_bars {
        let formulas = chart.matches("<c:f>").count();
        assert_eq!(chart.matches("<c:f>Layers!").count(), formulas, "{chart}");
        assert!(chart.contains("<c:errBars>") && chart.contains("<c:max val=\"2\"/>"), "one scale, with whiskers: {chart}");
    }
    assert_eq!(of_bars.iter().map(|chart| chart.contains("asked by policy")).collect::<Vec<_>>(), [true, false]);
    let cells = workbook::sheet(&record, &judgement, "Layers");
    let is_of = |row: &&Vec<calamine::Data>| row[0].to_string().starts_with("random reads of 4 KiB through the filesystem, /mnt/ext4");
    let row = cells.iter().find(is_of).unwrap();
    let number = |at: usize| if let calamine::Data::Float(number) = row[at] { (number * 1e4).round() / 1e4 } else { panic!("{row:?}") };
    assert_eq!([2, 3, 4, 5, 6, 7].map(number), [0.925, 0.8325, 1.0175, 0.5, 0.0925, 0.0925]);
    workbook::check_odd(&record, &judgement);
}
