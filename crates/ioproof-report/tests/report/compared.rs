//! Runs held against one another, in every format.

use crate::golden::check;
use crate::stored::version_1;
use ioproof_core::claim::Metric;
use ioproof_core::compare::{Comparison, Curve, CurvePoint, compare};
use ioproof_core::histogram::Histogram;
use ioproof_core::record::{DatabaseKind, DatabaseRecord, DatabaseRound, DeviceCounters, Direction, RunRecord, Stage};
use ioproof_core::sweep::Axis;
use ioproof_core::workload::Durability;
use ioproof_report::{Format, Style, comparison_text, render_comparison};

/// The stored run; the same by another kernel, a quarter slower; and one of which a workload is another's.
fn records() -> [RunRecord; 3] {
    let first = version_1().0.clone();
    let mut slower = first.clone();
    slower.id = "20261204-101500-slow".into();
    slower.host.kernel.value = "9.9 <b>&".into();
    slower.stages.iter_mut().flat_map(|stage| &mut stage.rounds).for_each(|round| round.elapsed_ns = round.elapsed_ns * 5 / 4);
    let mut other = first.clone();
    other.id = "20261205-101500-else".into();
    other.config.faults = Some("delay_us=1".into());
    other.jobs[0].workload.depth = 77;
    [first, slower, other]
}

fn compared() -> Comparison {
    let records = records();
    let mut comparison = compare(&records.iter().collect::<Vec<_>>());
    let point = |at: u32, slow: f64| CurvePoint {
        at,
        outstanding: at,
        rate: 1e4 * f64::from(at).sqrt() / slow,
        latency_ns: 1e5 * slow * f64::from(at).sqrt(),
    };
    let points = [1.0, 1.25].map(|slow| [1, 2, 4, 8].map(|at| point(at, slow)).to_vec());
    let points = points.into_iter().chain([Vec::new()]).collect();
    comparison.curves = vec![Curve { axis: Axis::Depth, workload: records[0].jobs[0].workload.clone(), metric: Metric::Iops, points }];
    comparison
}

/// Two runs of `sync`: the second drive takes four times as long for each sync, and is sent a flush for each where the first gets none; the ramp has a fifth of the writes.
fn of_syncs() -> Comparison {
    let of = |id: &str, sync_ns: u64, flushes: u64| {
        let mut run = RunRecord { verb: ioproof_core::syncs::VERB.into(), id: id.into(), ..version_1().0.clone() };
        let writes: Vec<usize> = (0..run.jobs.len()).filter(|job| run.jobs[*job].workload.writes()).collect();
        for (at, durability) in writes.iter().zip([Durability::FdatasyncEach, Durability::None, Durability::Dsync]) {
            run.jobs[*at].workload.durability = durability;
        }
        run.stages.retain(|stage| stage.rounds.iter().all(|round| writes[..3].contains(&(round.job as usize))));
        for stage in &mut run.stages {
            let round = &mut stage.rounds[0];
            let has_sync = round.job as usize == writes[0];
            let ios = round.write.ios;
            let mut latency = Histogram::default();
            (0..ios.min(20_000)).for_each(|at| latency.record(sync_ns + at));
            if has_sync {
                round.elapsed_ns = round.elapsed_ns * sync_ns / 100_000;
                round.sync = Direction { ios, latency, ..Direction::default() };
            }
            let name = "nvme0n1".to_owned();
            let drive = DeviceCounters { name, is_drive: true, write_ios: ios, flush_ios: ios * flushes, ..DeviceCounters::default() };
            stage.devices = Some(vec![drive]);
        }
        run
    };
    compare(&[&of("20261206-101500-fast", 100_000, 0), &of("20261207-101500-slow", 400_000, 1)])
}

#[test]
fn durable_writes_stand_side_by_side() {
    let comparison = of_syncs();
    for (format, ending) in [(Format::Markdown, "md"), (Format::Csv, "csv"), (Format::Html, "html"), (Format::Text, "txt")] {
        let mut out = Vec::new();
        render_comparison(format, &comparison, &mut out).unwrap();
        check("compared", &format!("syncs.{ending}"), &String::from_utf8(out).unwrap());
    }
    for width in [60, 80, 100] {
        let text = comparison_text(&comparison, Style { color: false, width });
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        check("compared", &format!("syncs-{width}.txt"), &text);
    }
    let text = comparison_text(&comparison, Style { color: false, width: 100 });
    for part in ["B/A", "A commits/s", "0.25", "flushes at the drive for each: A 0.00, B 0.80", "sync p50"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

/// Two runs of `layers`: on the second filesystem durable writes and the commits of SQLite take twice as long; only the first has reads of SQLite.
fn of_layers() -> Comparison {
    let of = |id: &str, slow: u64| {
        let mut run = RunRecord { verb: ioproof_core::layers::VERB.into(), id: id.into(), ..version_1().0.clone() };
        let writes = run.jobs.iter().position(|job| job.workload.writes()).unwrap() as u32;
        run.jobs[writes as usize].workload.durability = Durability::Dsync;
        run.stages.retain(|stage| stage.rounds[0].job == writes);
        run.stages.iter_mut().for_each(|stage| stage.rounds[0].elapsed_ns *= slow);
        run.targets[0].facts.given = format!("/mnt/{id}");
        let database = DatabaseRecord {
            title: "SQLite, WAL, synchronous FULL".into(),
            kind: DatabaseKind::Sqlite,
            version: "3.54.1".into(),
            // As many as the writers of the stored run.
            clients: 4,
            page_bytes: 4096,
            scale: 16,
            ..DatabaseRecord::default()
        };
        run.databases = vec![database.clone(), DatabaseRecord { clients: 16 * slow as u32, ..database }];
        let rounds = [0, 1].into_iter().flat_map(|database| (0..8).map(move |turn| (database, turn)));
        run.stages.extend(rounds.map(|(database, repetition)| of_database(database, repetition, slow)));
        run
    };
    compare(&[&of("fast", 1), &of("slow", 2)])
}

/// About 5,000 commits in a second, each with a flush.
fn of_database(database: u32, repetition: u32, slow: u64) -> Stage {
    let transactions = 5000 + u64::from(repetition) * 10;
    let of = |ns: u64| {
        let mut all = Histogram::default();
        (0..transactions).for_each(|at| all.record(ns * slow + at));
        all
    };
    let round = DatabaseRound {
        database,
        elapsed_ns: 1_000_000_000 * slow,
        transactions,
        total_transactions: transactions,
        latency: of(200_000),
        commit: Some(of(150_000)),
        ..DatabaseRound::default()
    };
    let drive = DeviceCounters {
        name: "nvme0n1".into(),
        is_drive: true,
        write_bytes: transactions * 8192,
        flush_ios: transactions,
        ..DeviceCounters::default()
    };
    Stage { repetition, devices: Some(vec![drive]), databases: vec![round], ..Stage::default() }
}

#[test]
fn layers_stand_side_by_side_with_their_answer() {
    let comparison = of_layers();
    for (format, ending) in [(Format::Markdown, "md"), (Format::Csv, "csv"), (Format::Html, "html"), (Format::Text, "txt")] {
        let mut out = Vec::new();
        render_comparison(format, &comparison, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        check("compared", &format!("layers.{ending}"), &text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(format == Format::Csv || text.contains("on /mnt/slow are 0.5 (0.49"), "{format:?}: {text}");
        assert!(text.contains("tpcb-like, 4 clients, pages of 4 KiB, scale 16"), "{format:?}: {text}");
    }
    for width in [60, 80, 140] {
        let text = comparison_text(&comparison, Style { color: false, width });
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
    }
    let accounts: Vec<(usize, usize)> = comparison.accounts.iter().map(|of| (of.run, of.account.bars.len())).collect();
    assert_eq!(accounts, [(0, 1), (1, 1)], "databases with as many clients as there are writers");
    let text = comparison_text(&comparison, Style { color: false, width: 140 }).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["B/A", "A of layer below", "commits/s", "commit p50", "the nearest elsewhere differs in clients: 16, 32", "only in B"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let mut book = Vec::new();
    render_comparison(Format::Xlsx, &comparison, &mut book).unwrap();
    use calamine::{Reader as _, Xlsx};
    let mut book: Xlsx<_> = Xlsx::new(std::io::Cursor::new(book)).unwrap();
    let (runs, figures) = (format!("{:?}", book.worksheet_range("Runs")), format!("{:?}", book.worksheet_range("Figures")));
    assert!(runs.contains("B against A") && figures.contains("this, of the layer below") && figures.contains("8192"), "{figures}");
}

fn bytes(format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    render_comparison(format, &compared(), &mut out).unwrap();
    out
}

fn text(format: Format) -> String {
    String::from_utf8(bytes(format)).unwrap()
}

#[test]
fn formats_are_as_expected() {
    for (format, name) in
        [(Format::Markdown, "compared.md"), (Format::Csv, "compared.csv"), (Format::Html, "compared.html"), (Format::Text, "compared.txt")]
    {
        check("compared", name, &text(format));
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [60, 80, 140] {
        let text = comparison_text(&compared(), Style { color: false, width });
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        check("compared", &format!("terminal-{width}.txt"), &text);
    }
}

#[test]
fn every_format_tells_every_answer_and_what_differs() {
    for format in [Format::Markdown, Format::Html, Format::Text, Format::Json, Format::Csv] {
        let text = text(format);
        for id in ["20261204-101500-slow", "20261205-101500-else"] {
            assert!(text.contains(id), "{format:?}: {id}");
        }
        assert!(text.contains("worse") && text.contains("injected faults"), "{format:?}");
    }
    assert!(!text(Format::Html).contains("9.9 <b>&") && text(Format::Html).contains("9.9 &lt;b&gt;&amp;"));
}

#[test]
fn the_document_holds_all_of_the_comparison() {
    let document: serde_json::Value = serde_json::from_str(&text(Format::Json)).unwrap();
    let compared = serde_json::to_value(compared()).unwrap();
    for (key, value) in compared.as_object().unwrap() {
        assert_eq!(document[key], *value, "{key}");
    }
}

#[test]
fn a_percentile_of_all_rounds_together_has_no_ends_and_the_backend_is_told() {
    let lines = crate::tables::read_csv(&text(Format::Csv));
    let cell = |line: &[String], name: &str| line[lines[0].iter().position(|column| column == name).unwrap()].clone();
    let few: Vec<_> = lines.iter().filter(|line| cell(line, "why").contains("too few I/Os in each run")).collect();
    assert!(!few.is_empty());
    for line in few {
        let ends = ["first_low", "first_high", "this_low", "this_high"].map(|name| cell(line, name));
        assert_eq!((ends.concat().as_str(), cell(line, "first_runs").as_str(), cell(line, "this_runs").as_str()), ("", "6", "6"));
    }
    assert!(lines[1..].iter().filter(|line| line.len() > 1).all(|line| cell(line, "backend") == "io_uring"));
}

#[test]
fn curves_are_told_apart_without_colours() {
    let page = text(Format::Html);
    for (look, letter) in ["A", "B"].into_iter().enumerate() {
        let (line, key) = (format!("class=\"line l{look}\" d="), format!("class=\"line l{look}\" d=\"M0 4H22\"/></svg> {letter}</li>"));
        assert!(page.matches(&line).count() > 2 && page.contains(&key), "{letter} has a line of its own, and its key says so");
    }
    assert!(page.contains(".l1 { stroke: var(--l1); stroke-dasharray:") && !page.contains("url("));
}

#[test]
fn a_workbook_has_a_line_for_each_figure_and_each_round() {
    use calamine::{Reader as _, Xlsx};
    let mut book: Xlsx<_> = Xlsx::new(std::io::Cursor::new(bytes(Format::Xlsx))).unwrap();
    assert_eq!(book.sheet_names(), ["Runs", "Figures", "Rounds", "Points", "Charts"]);
    let comparison = compared();
    let figures = comparison.rows.iter().flat_map(|row| &row.against).flatten().count();
    let rounds = comparison.rows.iter().flat_map(|row| &row.rounds).map(Vec::len).sum::<usize>();
    for (sheet, lines) in [("Figures", figures), ("Rounds", rounds), ("Points", 8)] {
        assert_eq!(book.worksheet_range(sheet).unwrap().rows().count(), lines + 1, "{sheet}");
    }
    assert_eq!(bytes(Format::Xlsx), bytes(Format::Xlsx), "one comparison gives the same bytes each time");
}
