//! A made-up run of `layers`: durable writes and a database on two targets. No figure of it was measured here.

use crate::stored::{rendered_run, version_1};
use crate::tables::{Row, has, rows};
use crate::workbook;
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{FilesystemVerdict, LayerKind, LayerRow, Layers, PoolShare, PoolWay, VERB};
use ioproof_core::record::{DatabaseKind, DatabaseRecord, DatabaseRound, DatabaseSlice, Mix, RunRecord, Stage, WalCounts};
use ioproof_core::results::Results;
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::syncs::Times;
use ioproof_core::verdict::Verdict;
use ioproof_report::{Format, Style, Table, summary};

pub fn estimate(median: f64) -> Estimate {
    Estimate { median, low: median * 0.9, high: median * 1.1, runs: 6, method: IntervalMethod::Rank { rank: 1, coverage: 0.96875 } }
}

fn row(kind: LayerKind, title: &str, per_s: f64) -> LayerRow {
    let is_database = kind == LayerKind::Database;
    let times = |p50: u64| Times { samples: 6000, p50_ns: Some(p50), p99_ns: Some(p50 * 3), p999_ns: None, max_ns: Some(p50 * 9) };
    LayerRow {
        target: 0,
        kind,
        title: title.into(),
        job: (!is_database).then_some(0),
        database: is_database.then_some(0),
        is_apart: false,
        clients: Some(4),
        per_s: estimate(per_s),
        commits_per_s: Some(estimate(per_s)),
        share: is_database.then(|| estimate(0.452)),
        latency: times(201_000),
        latency_ns_mean: Some(estimate(210_000.0)),
        commit: is_database.then(|| times(150_000)),
        commit_ns_mean: is_database.then(|| estimate(160_000.0)),
        flushes_per_commit: Some(estimate(1.0)),
        drive_bytes_per_commit: Some(estimate(13_209.6)),
        drive_bytes_per_byte: Some(estimate(1.2)),
        cpu_ns_each: Some(estimate(61_000.0)),
    }
}

pub const SQLITE: &str = "SQLite, WAL, synchronous FULL";

pub fn run() -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = version_1().clone();
    record.targets.iter_mut().for_each(|target| target.datasheet = None);
    record.databases.push(DatabaseRecord {
        title: SQLITE.into(),
        kind: DatabaseKind::Sqlite,
        version: "3.54.1".into(),
        server: None,
        target: 0,
        mix: Mix::TpcbLike,
        scripts: Vec::new(),
        scale: 27,
        clients: 4,
        page_bytes: 4096,
        cache_bytes: 8 << 20,
        size_bytes: 256 << 20,
        compressed_share: None,
        settings: vec![("sync call".into(), "fdatasync".into())],
    });
    judgement.rows.retain(|row| row.claimed.is_none());
    let writes = row(LayerKind::FilesystemWrites, "random writes of 4 KiB + fdatasync", 5120.0);
    let rows = vec![writes, row(LayerKind::Database, SQLITE, 2311.0)];
    let layers = Layers {
        rows,
        pool: Vec::new(),
        verdicts: Vec::new(),
        accounts: Vec::new(),
        says: vec![format!("{SQLITE}: a transaction takes 210 µs on average")],
    };
    (
        RunRecord { verb: VERB.into(), ..record },
        Judgement { results: Results { layers: Some(layers), sweep: None, ..judgement.results }, ..judgement },
    )
}

#[test]
fn each_width_has_the_columns_that_it_has_room_for() {
    let (record, judgement) = run();
    let at = |width| summary(&record, &judgement, Style { color: false, width });
    for width in [40, 60, 80, 100, 200] {
        let text = at(width);
        let table: Vec<&str> =
            text.lines().skip_while(|line| *line != "Layers").take_while(|line| !line.contains("a transaction")).collect();
        assert!(table.iter().all(|line| line.chars().count() <= width), "{width}:\n{}", table.join("\n"));
        assert!(text.contains("2311 (2080 to 2542)") || width == 40, "{width}:\n{text}");
    }
    let wide = at(100);
    for figure in ["45.2 (40.7 to 49.7) %", "1.00 (0.90 to 1.10)", "12.9 (11.6 to 14.2)", "1.2 (1.08 to 1.32)", "61 (54.9 to 67.1)"] {
        assert!(wide.contains(figure), "{figure}:\n{wide}");
    }
}

#[test]
fn every_format_has_the_layers_and_the_settings_of_the_database() {
    let run = run();
    for format in [Format::Html, Format::Markdown, Format::Text] {
        let page = rendered_run(format, &run);
        for part in [SQLITE, "2311 (2080 to 2542)", "61 (54.9 to 67.1)", "a transaction takes 210", "fdatasync", "3.54.1", "tpcb-like"] {
            assert!(page.contains(part), "{format:?}: {part}");
        }
    }
    let json = rendered_run(Format::Json, &run);
    assert!(json.contains("\"databases\"") && json.contains("\"drive_bytes_per_commit\""));
}

#[test]
fn shares_of_the_drives_are_rows_of_the_table() {
    let (record, mut judgement) = run();
    let share = |way, share: f64| PoolShare {
        target: 0,
        job: 0,
        way,
        drives: 2,
        readers: 2,
        per_s: estimate(1e5),
        share,
        low: share * 0.9,
        high: share * 1.1,
    };
    judgement.results.layers.as_mut().unwrap().pool = vec![share(PoolWay::AddedUp, 0.5), share(PoolWay::AtOnce, 0.75)];
    let all = rows(Table::Results, &record, &judgement);
    let value = |statistic: &str| {
        all.iter().find(|row| has(row, &[("metric", "share_of_drives"), ("statistic", statistic)])).map(|row| row["value"].clone())
    };
    assert_eq!((value("of each alone, added up").as_deref(), value("of all at once").as_deref()), (Some("0.5"), Some("0.75")));
}

#[test]
fn the_answer_of_policy_is_a_case_and_a_metric() {
    let (record, mut judgement) = run();
    let layers = judgement.results.layers.as_mut().unwrap();
    let reads = row(LayerKind::FilesystemReads, "random reads of 4 KiB", 5120.0);
    layers.rows.push(LayerRow { share: Some(estimate(0.3)), ..reads });
    let answer = |verdict| FilesystemVerdict { target: 0, below: Default::default(), threshold: 0.5, verdict, reasons: Vec::new() };
    layers.verdicts = vec![answer(Verdict::Misses)];
    judgement.exit_status = 1;
    let mut run = (record, judgement);
    let page = rendered_run(Format::Junit, &run);
    for part in ["are at least 50.0 % of reads of the same blocks past it", "<failure message=\"misses: 30 (27 to 33) %\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let text = rendered_run(Format::OpenMetrics, &run);
    assert!(text.contains("ioproof_filesystem_verdict{") && text.contains("verdict=\"misses\"} 1\n"), "{text}");
    assert!(rendered_run(Format::Text, &run).contains("a filesystem falls short"));
    run.1.results.layers.as_mut().unwrap().verdicts = vec![answer(Verdict::Meets)];
    run.1.exit_status = 0;
    assert!(!rendered_run(Format::Junit, &run).contains("<failure"));
}

#[test]
fn a_database_is_a_case_and_a_line_of_dots() {
    let mut run = run();
    let measured = DatabaseRound { elapsed_ns: 1_000_000_000, transactions: 2311, ..DatabaseRound::default() };
    run.0.stages.extend([1, 2].map(|index| Stage { index, databases: vec![measured.clone()], ..Stage::default() }));
    let cases = rendered_run(Format::Junit, &run);
    assert!(cases.contains(&format!("name=\"{SQLITE}\"><system-out>2311 (2080 to 2542) transactions a second")), "{cases}");
    let page = rendered_run(Format::Html, &run);
    let (_, glance) = page.split_once(&format!("{SQLITE}</text>")).unwrap();
    assert_eq!(glance.split("</g>").next().unwrap().matches("2311 a second\"/>").count(), 2, "a dot for each turn");
    // Of one without a figure there is the error.
    run.1.results.layers.as_mut().unwrap().rows.truncate(1);
    run.0.stages.retain(|stage| stage.databases.is_empty());
    run.0.stages.push(Stage { databases: vec![DatabaseRound::failed(0, "disk full")], ..Stage::default() });
    let cases = rendered_run(Format::Junit, &run);
    assert!(cases.contains(&format!("name=\"{SQLITE}\"><error message=\"disk full\"")), "{cases}");
}

#[test]
fn two_directories_name_the_command_that_compares_them() {
    let mut run = run();
    let command = format!("ioproof compare {}", run.0.id);
    let is_named = |run: &_| [Format::Html, Format::Markdown].map(|format| rendered_run(format, run).contains(&command));
    assert_eq!(is_named(&run), [false; 2]);
    let second = run.0.targets[0].clone();
    run.0.targets.push(second);
    assert_eq!(is_named(&run), [true; 2]);
}

#[test]
fn columns_that_have_no_room_are_named() {
    let (record, judgement) = run();
    let at = |width| summary(&record, &judgement, Style { color: false, width });
    assert!(at(60).contains("not shown for want of columns: ") && !at(200).contains("not shown"), "{}", at(60));
}

#[test]
fn tables_have_each_figure_with_its_interval() {
    let run = run();
    let rows = rows(Table::Results, &run.0, &run.1);
    let of = |metric: &str| rows.iter().filter(|row| has(row, &[("metric", metric), ("workload", SQLITE)])).count();
    for metric in ["transactions", "commits", "share_of_layer_below", "flushes_per_commit", "drive_bytes_per_commit", "cpu_time_of_each"] {
        assert_eq!(of(metric), 1, "{metric}");
    }
}

#[test]
fn rounds_of_a_database_are_there_whole_and_by_the_second() {
    let mut run = run();
    let second = |n: u64, transactions| DatabaseSlice {
        end_ns: n * 1_000_000_000,
        length_ns: 1_000_000_000,
        transactions,
        latency_ns_mean: 200_000,
        latency_ns_max: 900_000,
    };
    let round = DatabaseRound {
        elapsed_ns: 2_000_000_000,
        transactions: 500,
        wal: Some(WalCounts { records: 9, full_page_images: 3, bytes: 4096 }),
        intervals: vec![second(1, 500), second(2, 0)],
        ..DatabaseRound::default()
    };
    run.0.stages.push(Stage { databases: vec![round], ..Stage::default() });
    let rows = rows(Table::Rounds, &run.0, &run.1);
    let value = |metric: &str, end: Option<&str>| {
        let is_of =
            |row: &&Row| has(row, &[("metric", metric), ("workload", SQLITE)]) && row.get("slice_end_ns").map(String::as_str) == end;
        rows.iter().find(is_of).map(|row| row["value"].parse::<f64>().unwrap())
    };
    let (first, second) = (Some("1000000000"), Some("2000000000"));
    assert_eq!(
        (value("transactions", None), value("transactions", first), value("transactions", second)),
        (Some(250.0), Some(500.0), Some(0.0))
    );
    assert_eq!((value("transaction_latency", first), value("transaction_latency", second)), (Some(200_000.0), None));
    assert_eq!((value("log_page_images", None), value("checkpoints", None)), (Some(3.0), None), "nobody counted checkpoints");
}

#[test]
fn a_workbook_has_a_sheet_of_them() {
    let run = run();
    let text = format!("{:?}", workbook::sheet(&run.0, &run.1, "Layers"));
    assert!(text.contains(SQLITE) && text.contains("flushes per commit"), "{text}");
}
