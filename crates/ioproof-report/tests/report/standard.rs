//! Made-up tests of a standard: one that is steady and one that is not. No figure of them was measured here.

use crate::stored::{self, version_1};
use crate::workbook;
use ioproof_core::judgement::Judgement;
use ioproof_core::metric::Metric;
use ioproof_core::record::RunRecord;
use ioproof_core::results::Results;
use ioproof_core::standard::{Class, Test, Window};
use ioproof_core::standard_results::{Convergence, Demand, StandardCell, StandardResults, SteadyState, TestResult};
use ioproof_report::Format;

fn test(test: Test, metric: Metric, rounds: Vec<f64>, state: SteadyState) -> TestResult {
    let cell = |read_percent, block_bytes, average| StandardCell {
        job: 0,
        read_percent,
        block_bytes,
        average,
        max_ns: Some(9_000_000),
        demand: None,
    };
    let last = *rounds.last().unwrap();
    TestResult {
        test,
        metric,
        tracking_variable: test.tracking_variable().into(),
        window: Window::last_of(&rounds),
        state,
        convergence: [4096, 8192].map(|block_bytes| Convergence { block_bytes, rounds: rounds.clone() }).to_vec(),
        cells: vec![cell(100, 8192, last * 2.0), cell(100, 4096, last * 3.0), cell(0, 8192, last / 2.0), cell(0, 4096, last)],
        segments: Vec::new(),
        rounds,
    }
}

fn run() -> (RunRecord, Judgement) {
    let (record, judgement) = version_1().clone();
    let steady = vec![90_000.0, 40_000.0, 10_100.0, 9_900.0, 10_000.0, 10_050.0, 9_950.0];
    let falling = (0..25).map(|round| 1e6 / f64::from(round + 1)).collect();
    let standard = StandardResults {
        specification: "SNIA SSS PTS 2.0.2".into(),
        class: Class::Enterprise,
        tests: vec![
            test(Test::Iops, Metric::Iops, steady, SteadyState::Steady),
            test(Test::Latency, Metric::Latency, falling, SteadyState::NotSteady),
        ],
        conditions: vec!["Class PTS-E.".into()],
        deviations: vec!["the drive was not purged".into()],
    };
    (record, Judgement { results: Results { standard: Some(standard), sweep: None, ..judgement.results }, ..judgement })
}

#[test]
fn text_has_the_matrix_the_determination_and_each_deviation() {
    let (record, judgement) = run();
    for format in [Format::Text, Format::Markdown] {
        let text = stored::rendered(format, &record, &judgement);
        for part in [
            "0/100",
            "Averages of rounds: IOPS 3 to 7",
            "LAT 21 to 25, not of a steady state",
            "rounds 3 to 7",
            "2000 IOPS (20 % of the average)",
            "steady after 7 rounds",
            "not steady in 25 rounds",
            "Deviates from SNIA SSS PTS 2.0.2: the drive was not purged.",
        ] {
            assert!(text.contains(part), "{part} in {format:?}:\n{text}");
        }
    }
}

#[test]
fn the_page_draws_rounds_with_their_window_and_bounds() {
    let (record, judgement) = run();
    let page = stored::rendered(Format::Html, &record, &judgement);
    for id in ["iops-convergence", "iops-window", "lat-window", "iops-matrix", "iops-matrix-heat", "lat-maximum-matrix-heat"] {
        assert!(page.contains(&format!("aria-labelledby=\"{id}-t {id}-d\"")), "{id}");
    }
    assert!(page.contains("class=\"window\"") && page.contains("average ± 10 %") && page.contains("least squares linear fit"));
    assert!(page.contains("measurement window: rounds 3 to 7"), "the plot in words");
}

#[test]
fn the_workbook_has_a_sheet_for_each_table() {
    let (record, judgement) = run();
    for (name, rows) in [("IOPS", 2), ("IOPS steady state", 7 + 8), ("LAT average", 2), ("LAT maximum", 2), ("LAT steady state", 25 + 8)] {
        assert!(workbook::sheet(&record, &judgement, name).len() >= rows + 3, "{name}");
    }
    let charts = workbook::charts_of(&record, &judgement);
    let with = |text: &str| charts.iter().filter(|chart| chart.contains(text)).count();
    assert_eq!((with("<c:lineChart>"), with("upper bound")), (3, 2), "matrices of IOPS and twice of LAT, and a window of each test");
    assert!(format!("{:?}", workbook::sheet(&record, &judgement, "LAT steady state")).contains("upper bound"));
}

/// Demand intensity on a drive that does a thousand I/Os a second for each that is outstanding, up to a limit.
fn demand() -> (RunRecord, Judgement) {
    let (record, judgement) = run();
    let mut standard = judgement.results.standard.clone().unwrap();
    let cell = |workers: u32, depth: u32| {
        let average = (1000.0 * f64::from(workers * depth)).min(90_000.0);
        let demand = Some(Demand { workers, depth, response_ns: f64::from(workers * depth) / average * 1e9 });
        StandardCell { job: 0, read_percent: 65, block_bytes: 8192, average, max_ns: None, demand }
    };
    let grid = [1, 2, 4, 6, 8, 16, 32];
    let cells = grid.iter().flat_map(|workers| grid.map(|depth| cell(*workers, depth))).collect();
    let plain = test(Test::DemandIntensity, Metric::Iops, vec![90_000.0; 5], SteadyState::Steady);
    standard.tests = vec![TestResult { cells, ..plain }];
    (record, Judgement { results: Results { standard: Some(standard), ..judgement.results }, ..judgement })
}

#[test]
fn demand_intensity_is_a_grid_three_points_and_curves() {
    let (record, judgement) = demand();
    let text = stored::rendered(Format::Text, &record, &judgement);
    for part in
        ["TC 32", "OIO/thread (QD)", "MaxIOPS below 5 ms: 90 kIOPS", "MinIOPS: 1000 IOPS at an average response time of 1 ms (TC 1, QD 1)"]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let page = stored::rendered(Format::Html, &record, &judgement);
    for id in ["dirth-iops-matrix-heat", "dirth-response-matrix", "sweep-0-mean-latency-against-throughput"] {
        assert!(page.contains(&format!("aria-labelledby=\"{id}-t {id}-d\"")), "{id}");
    }
    assert!(page.contains("thread count") && !page.contains("R/W mix"));
    assert_eq!(workbook::sheet(&record, &judgement, "DIRTH IOPS")[3].len(), 8, "a depth, and seven thread counts");
}
