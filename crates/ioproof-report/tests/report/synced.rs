//! A made-up run of `sync`: one writer over blocks that are there and to a growing file, and the limit of etcd. No figure of it was measured here.

use crate::layered::estimate;
use crate::stored::{rendered_run, version_1};
use crate::tables::{has, rows};
use crate::workbook;
use ioproof_core::claim::Statistic;
use ioproof_core::finding::Effect;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::Results;
use ioproof_core::shape::{Growth, Shape};
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::syncs::{Goal, GoalResult, Syncs, Times, VERB, Way};
use ioproof_core::verdict::{Reason, Row, Verdict};
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_report::{Format, Style, Table, summary};

fn way(growth: Growth, durability: Durability) -> Way {
    let shape = Shape { growth, buffered: growth != Growth::Overwrite, ..Shape::PLAIN };
    let times = |p50: u64| Times { samples: 6000, p50_ns: Some(p50), p99_ns: Some(p50 * 3), p999_ns: None, max_ns: Some(p50 * 9) };
    Way {
        job: 0,
        workload: Workload { durability, shape, ..Workload::plain(Pattern::Sequential, 0, 4096, 1, 1) },
        writes_per_s: estimate(4887.0),
        commits_per_s: Some(estimate(4887.0)),
        write: times(3000),
        sync: Some(times(201_000)),
        flushes_per_commit: Some(1.5),
        bytes_at_drives_per_byte: None,
        mixed_bytes_per_s: None,
    }
}

fn run(verdict: Verdict) -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = version_1().clone();
    record.targets.iter_mut().for_each(|target| target.datasheet = None);
    judgement.rows.retain(|row| row.claimed.is_none());
    let ways = vec![
        way(Growth::Overwrite, Durability::FdatasyncEach),
        way(Growth::AppendReserved, Durability::FdatasyncEach),
        way(Growth::Overwrite, Durability::FdatasyncEvery(8)),
    ];
    let workload = ways[1].workload.clone();
    let goal = Goal { name: "etcd".into(), workload, statistic: Statistic::P99, most_ns: 10_000_000, source: "its documentation".into() };
    let reasons = vec![Reason { about: "cached-layer".into(), effect: Effect::Invalid, text: "a loop device".into() }];
    let goals = vec![GoalResult { goal, measured_ns: Some(603_000), share_beyond: Some(estimate(0.001)), verdict, reasons }];
    let syncs = Syncs { ways, goals, says: vec!["one writer makes 4887 commits a second".into()] };
    (
        RunRecord { verb: VERB.into(), ..record },
        Judgement { results: Results { syncs: Some(syncs), sweep: None, ..judgement.results }, ..judgement },
    )
}

fn table_of(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !line.contains("Durable writes")).skip(1);
    lines.take_while(|line| !line.contains("etcd")).collect()
}

#[test]
fn each_width_has_the_columns_that_it_has_room_for() {
    let (record, judgement) = run(Verdict::Meets);
    let at = |width| summary(&record, &judgement, Style { color: false, width });
    for (width, has, has_not) in [
        (
            200,
            vec!["writes/s", "write p50", "4887 (4398 to 5376)  4887 (4398 to 5376)", "fdatasync, appended in reserved space, buffered"],
            vec![],
        ),
        (120, vec!["writes/s", "write p50", "sync p50", "p99", "flushes", "4887 (4398 to 5376)"], vec!["4887 (4398 to 5376)  4887 (4"]),
        (100, vec!["writes/s", "commits/s", "sync p50", "flushes", "4887  4887 (4398 to 5376)"], vec!["p99"]),
        (80, vec!["way", "block", "writers", "commits/s", "sync p50", "flushes", "4887 (4398 to 5376)", "1.50"], vec!["writes/s", "p99"]),
        (40, vec!["way", "commits/s"], vec!["writes/s"]),
    ] {
        let text = at(width);
        let table = table_of(&text).join("\n");
        has.iter().for_each(|part| assert!(table.contains(part), "{width}: {part}: {table}"));
        has_not.iter().for_each(|part| assert!(!table.contains(part), "{width}: {part}: {table}"));
        assert!(table.lines().all(|line| line.chars().count() <= width), "{width}: {table}");
        assert!(width < 80 || table.lines().any(|line| line.ends_with("  6")), "{width}: runs: {table}");
    }
    assert!(table_of(&rendered_run(Format::Text, &(record, judgement))).join("\n").contains("write p50"));
}

#[test]
fn the_first_lines_say_commits_and_the_answer_to_a_limit() {
    for (verdict, says) in [
        (Verdict::Meets, "It is fast enough for etcd, which asks for syncs of at most 10 ms (p99)."),
        (Verdict::Misses, "It is too slow for etcd, which asks"),
        (Verdict::CannotTell, "It cannot be told whether it is fast enough for etcd, which asks"),
    ] {
        let run = run(verdict);
        for format in [Format::Html, Format::Markdown] {
            let text = rendered_run(format, &run);
            for part in [says, "One writer makes 4887 commits a second, of 4 KiB with fdatasync; half of the syncs take at most 201 µs"] {
                assert!(text.contains(part), "{format:?}: {part}: {}", &text[..text.len().min(9000)]);
            }
            assert!(!text.contains("No datasheet, so no verdict"), "{format:?}");
            assert!(text.contains("What bears on it: a loop device"), "{format:?}");
        }
    }
}

#[test]
fn the_exit_status_is_of_the_limit() {
    for (exit_status, verdict, says) in [(0, Verdict::Meets, "no limit was missed"), (1, Verdict::Misses, "a limit was missed")] {
        let (record, judgement) = run(verdict);
        let text = rendered_run(Format::Text, &(record, Judgement { exit_status, ..judgement }));
        assert!(text.contains(says) && text.contains("none: what is judged is the limit of etcd"), "{text}");
    }
}

#[test]
fn the_table_of_results_has_the_answer_to_a_limit() {
    let (record, judgement) = run(Verdict::CannotTell);
    let found = rows(Table::Results, &record, &judgement);
    let answer = [
        ("metric", "sync_latency"),
        ("statistic", "p99"),
        ("value", "603000"),
        ("claimed", "10000000"),
        ("unit", "ns"),
        ("verdict", "cannot tell"),
        ("reasons", "a loop device"),
        ("claim", "etcd: its documentation"),
    ];
    assert_eq!(found.iter().filter(|row| has(row, &answer)).count(), 1, "{found:?}");
    let text = rendered_run(Format::OpenMetrics, &(record, judgement));
    let is_verdict = |line: &&str| line.starts_with("ioproof_verdict{") && line.contains("verdict=\"cannot tell\"") && line.ends_with(" 1");
    assert_eq!(text.lines().filter(is_verdict).count(), 1, "{text}");
    assert!(text.contains("ioproof_claimed_sync_latency_seconds{") && text.contains("ioproof_result_sync_latency_seconds{"), "{text}");
}

#[test]
fn the_order_is_that_of_the_verb() {
    let (record, judgement) = run(Verdict::Meets);
    let told = |verb: &str| rendered_run(Format::Markdown, &(RunRecord { verb: verb.into(), ..record.clone() }, judgement.clone()));
    let (of_sync, of_sweep, of_verify) = (told(VERB), told(ioproof_core::sweep::VERB), told("verify"));
    assert!(of_sync.contains("each once, then again in passes of random order") && !of_sync.contains("reads interleaved"), "{of_sync}");
    assert!(of_sweep.contains("the series are climbed") && !of_sweep.contains("reads interleaved"), "{of_sweep}");
    assert!(of_verify.contains("reads interleaved at random"), "{of_verify}");
}

#[test]
fn the_workbook_names_the_sheet_of_ways() {
    let (record, judgement) = run(Verdict::Meets);
    let summary = format!("{:?}", workbook::sheet(&record, &judgement, "Summary"));
    assert!(summary.contains("on the sheet Durable writes") && !summary.contains("Matrix"), "{summary}");
}

#[test]
fn what_takes_weight_from_a_way_stands_beside_its_commits() {
    let (record, mut judgement) = run(Verdict::CannotTell);
    let reason = Reason { about: "cached-layer".into(), effect: Effect::Invalid, text: "a loop device".into() };
    let measured = version_1().1.rows.iter().find(|row| row.measured.is_some()).unwrap().clone();
    judgement.rows =
        vec![Row { job: Some(0), claim: None, claimed: None, matched: None, verdict: None, reasons: vec![reason], ..measured }];
    let found = rows(Table::Results, &record, &judgement);
    for metric in ["commits", "flushes_per_commit"] {
        let doubted =
            [("metric", metric), ("doubt", "not the drive's number"), ("reasons", "cached-layer: a loop device (not the drive's number)")];
        assert_eq!(found.iter().filter(|row| has(row, &doubted)).count(), 3, "{metric}: {found:?}");
    }
    let text = rendered_run(Format::OpenMetrics, &(record, judgement));
    let commits = text.lines().filter(|line| line.starts_with("ioproof_result_commits_per_second{"));
    assert!(commits.clone().count() == 3 && commits.clone().all(|line| line.contains("doubt=\"not the drive's number\"")), "{text}");
}

/// The run with its rates from so few rounds.
fn of_runs(runs: u32) -> (RunRecord, Judgement) {
    let (record, mut judgement) = run(Verdict::CannotTell);
    let few = |rate: &mut Estimate| {
        (rate.runs, rate.method) = (runs, IntervalMethod::Spread);
        (rate.low, rate.high) = if runs == 1 { (rate.median, rate.median) } else { (rate.low, rate.high) };
    };
    let syncs = judgement.results.syncs.as_mut().unwrap();
    for way in &mut syncs.ways {
        few(&mut way.writes_per_s);
        way.commits_per_s.iter_mut().for_each(few);
    }
    syncs.goals.iter_mut().for_each(|goal| goal.share_beyond.iter_mut().for_each(few));
    (record, judgement)
}

#[test]
fn one_run_has_no_interval_and_a_spread_is_none() {
    let width = |run: &(RunRecord, Judgement)| summary(&run.0, &run.1, Style { color: false, width: 120 });
    let (one, two, six) = (width(&of_runs(1)), width(&of_runs(2)), width(&run(Verdict::Meets)));
    assert!(!table_of(&one).join("\n").contains("4887 (") && !one.contains(" to 4887"), "{one}");
    assert!(two.contains("4887 [4398 to 5376]") && two.contains("In square brackets"), "{two}");
    assert!(six.contains("4887 (4398 to 5376)") && !six.contains("square brackets"), "{six}");
    let ends = |run: &(RunRecord, Judgement)| -> Vec<String> {
        let text = rendered_run(Format::OpenMetrics, run);
        text.lines().filter(|line| line.starts_with("ioproof_result_low_commits")).map(str::to_owned).collect()
    };
    assert!(ends(&of_runs(1)).is_empty());
    assert!(ends(&of_runs(2)).len() == 3 && ends(&of_runs(2)).iter().all(|line| line.contains("interval_method=\"spread\"")));
    assert!(ends(&run(Verdict::Meets)).iter().all(|line| line.contains("interval_method=\"rank\"")));
}

/// The answer to the limit in the text report.
fn answer_of(share: Estimate, verdict: Verdict, reasons: bool) -> String {
    let (record, mut judgement) = run(verdict);
    let goal = &mut judgement.results.syncs.as_mut().unwrap().goals[0];
    (goal.share_beyond, goal.measured_ns) = (Some(share), None);
    goal.reasons.retain(|_| reasons);
    let lines = summary(&record, &judgement, Style { color: false, width: 400 });
    lines.lines().find(|line| line.contains("etcd") && line.contains("asks for at most")).unwrap().trim().to_owned()
}

#[test]
fn an_answer_to_a_limit_says_what_decides_it() {
    let far = Estimate { low: 0.09, high: 0.652, ..estimate(0.266) };
    let doubted = answer_of(far, Verdict::CannotTell, true);
    for part in [
        "1.0 % of the syncs may take longer, and 26.6 % did",
        "the figures are doubted",
        "bears on it (`ioproof rules NAME`): cached-layer",
    ] {
        assert!(doubted.contains(part), "{part}: {doubted}");
    }
    let met = answer_of(Estimate { low: 0.0009, high: 0.0011, ..estimate(0.001) }, Verdict::Meets, false);
    assert!(met.contains("0.1 % did") && ![&doubted, &met].iter().any(|text| text.contains("too few syncs")), "{met}");
    let few = Estimate { runs: 3, method: IntervalMethod::Spread, ..far };
    assert!(answer_of(few, Verdict::CannotTell, false).contains("too few runs for an interval"));
    let wide = Estimate { low: 0.001, ..far };
    assert!(answer_of(wide, Verdict::CannotTell, false).contains("more runs would narrow it"));
}

#[test]
fn a_write_that_is_durable_by_itself_has_its_latency_at_100_columns_and_one_rate() {
    let (record, mut judgement) = run(Verdict::Meets);
    let syncs = judgement.results.syncs.as_mut().unwrap();
    syncs.ways.truncate(1);
    syncs.ways[0].workload.durability = Durability::Dsync;
    (syncs.ways[0].sync, syncs.ways[0].write) = (None, Times { p50_ns: Some(77_000), ..syncs.ways[0].write });
    let text = summary(&record, &judgement, Style { color: false, width: 100 });
    let table = table_of(&text).join("\n");
    assert!(table.contains("77 µs") && table.matches("4887").count() == 1 && text.contains("A dash:"), "{text}");
}
