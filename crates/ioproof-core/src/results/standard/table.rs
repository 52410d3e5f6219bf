//! The tables of the specification: steady-state convergence with its determination, and the matrix of each test.

use super::{SegmentResult, StandardCell, StandardResults, SteadyState, TestResult};
use crate::metric::Metric;
use crate::results::chart::{ChartLine, LineChart};
use crate::results::table::{Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::standard::{MOST_ROUNDS, Test, Window};
use crate::text::counted;
use crate::units::three_digits;

/// Rounds that a table shows at most; of more it shows them at even distances.
const SHOWN_ROUNDS: usize = 40;

/// A matrix: its name, its tests, and the figure of a cell.
struct Matrix {
    id: &'static str,
    title: &'static str,
    tests: &'static [Test],
    unit: Unit,
    of: fn(&StandardCell) -> Option<f64>,
}

const MATRICES: [Matrix; 4] = [
    Matrix { id: "IOPS", title: "IOPS: all R/W mixes and block sizes", tests: &[Test::Iops], unit: Unit::PerSecond, of: average },
    Matrix {
        id: "TP",
        title: "Throughput, MB/s",
        tests: &[Test::Throughput128, Test::Throughput1024],
        unit: Unit::Throughput,
        of: average,
    },
    Matrix { id: "LAT average", title: "Average response time", tests: &[Test::Latency], unit: Unit::Time, of: average },
    Matrix { id: "LAT maximum", title: "Maximum response time", tests: &[Test::Latency], unit: Unit::Time, of: longest },
];

fn average(cell: &StandardCell) -> Option<f64> {
    Some(cell.average)
}

fn longest(cell: &StandardCell) -> Option<f64> {
    cell.max_ns.map(|ns| ns as f64)
}

impl StandardResults {
    /// Matrices first, then how each test came to its steady state. Conditions and deviations stand under the first of them.
    #[must_use]
    pub fn tables(&self) -> Vec<ResultTable> {
        let matrices = MATRICES.iter().filter_map(|matrix| self.matrix(matrix));
        let mut tables: Vec<ResultTable> = matrices.chain(self.tests.iter().map(convergence)).collect();
        if let Some(first) = tables.first_mut() {
            let deviations = self.deviations.iter().map(|text| format!("Deviates from {}: {text}.", self.specification));
            first.says.extend(self.conditions.iter().cloned().chain(deviations));
            first.replaces_rows = true;
        }
        tables
    }

    /// Blocks from small to large, R/W mixes from writes to reads; `None` where no round of its tests is whole.
    fn matrix(&self, matrix: &Matrix) -> Option<ResultTable> {
        let tests: Vec<&TestResult> = self.tests.iter().filter(|of| matrix.tests.contains(&of.test)).collect();
        let cells: Vec<&StandardCell> = tests.iter().flat_map(|of| &of.cells).collect();
        let mut mixes: Vec<u8> = cells.iter().map(|cell| cell.read_percent).collect();
        let mut blocks: Vec<u32> = cells.iter().map(|cell| cell.block_bytes).collect();
        mixes.sort_unstable();
        blocks.sort_unstable();
        mixes.dedup();
        blocks.dedup();
        let row = |block: &u32| {
            let of = |read: &u8| cells.iter().find(|cell| (cell.block_bytes, cell.read_percent) == (*block, *read));
            let figures = mixes.iter().map(|read| Figure::from(of(read).and_then(|cell| (matrix.of)(cell))));
            let names = [Figure::from(block_name(*block)), (*block).into()];
            ResultRow { figures: names.into_iter().chain(figures).collect(), ..ResultRow::default() }
        };
        let rows: Vec<ResultRow> = blocks.iter().map(row).collect();
        let line = |read: &u8| {
            let value = |block: &u32| {
                cells.iter().find(|cell| (cell.block_bytes, cell.read_percent) == (*block, *read)).and_then(|cell| (matrix.of)(cell))
            };
            let points = (1..).zip(&blocks).filter_map(|(at, block)| Some((f64::from(at), value(block)?)));
            ChartLine { name: mix(*read), points: points.collect() }
        };
        let chart = LineChart {
            id: format!("{}-matrix", matrix.id.to_lowercase().replace(' ', "-")),
            title: matrix.title.to_owned(),
            about: "a line for each R/W mix",
            metric: tests.first()?.metric,
            rounds: blocks.len() as u32,
            names: Some(("block size", blocks.iter().map(|block| block_name(*block)).collect())),
            lines: mixes.iter().map(line).collect(),
            window: None,
            levels: Vec::new(),
        };
        let mixes = mixes.iter().map(|read| column(mix(*read), mix_number(*read), matrix.unit));
        let names = [column("Block size", "", Unit::Text), column("", "Block size (KiB)", Unit::Block)];
        let columns: Vec<Column> = names.into_iter().chain(mixes).collect();
        let shown = (0..columns.len()).filter(|at| *at != 1).collect();
        let caption = "Block sizes down, R/W mixes across.".to_owned();
        (!rows.is_empty()).then(|| ResultTable {
            id: matrix.id,
            title: matrix.title.to_owned(),
            row_name: "block size",
            parts: vec![Part { caption, columns: shown, rows: 0..rows.len(), lines: vec![chart], ..Part::default() }],
            says: vec![format!("{}.", rounds_of(&tests))],
            columns,
            rows,
            ..ResultTable::default()
        })
    }
}

/// `0.5 KiB`, `1024 KiB`: as the specification writes them.
fn block_name(bytes: u32) -> String {
    format!("{} KiB", three_digits(f64::from(bytes) / 1024.0))
}

/// `0/100` of writes alone.
fn mix(read_percent: u8) -> String {
    format!("{read_percent}/{}", 100 - read_percent.min(100))
}

fn mix_number(read_percent: u8) -> &'static str {
    match read_percent {
        0 => "R/W 0/100",
        5 => "R/W 5/95",
        35 => "R/W 35/65",
        50 => "R/W 50/50",
        65 => "R/W 65/35",
        95 => "R/W 95/5",
        _ => "R/W 100/0",
    }
}

/// `Averages of rounds 3 to 7 (IOPS)`, with a word where these are not of a steady state.
fn rounds_of(tests: &[&TestResult]) -> String {
    let of = |of: &&TestResult| {
        let last = of.rounds.len();
        let rounds = format!("{} {} to {last}", of.test.title(), last.saturating_sub(4).max(1));
        if of.is_steady() { rounds } else { format!("{rounds}, not of a steady state") }
    };
    format!("Averages of rounds: {}", tests.iter().map(of).collect::<Vec<_>>().join("; "))
}

/// The rounds, the window in them, and its determination.
fn convergence(of: &TestResult) -> ResultTable {
    let unit = match of.metric {
        Metric::Iops => Unit::PerSecond,
        Metric::Throughput => Unit::Throughput,
        Metric::Latency => Unit::Time,
    };
    let in_window = |round: usize| {
        let is_between = |window: Window| (window.first_round as usize..=window.last_round as usize).contains(&round);
        round.is_multiple_of(of.test.looks_every()) && of.window.is_some_and(is_between)
    };
    let every = of.rounds.len().div_ceil(SHOWN_ROUNDS).max(1);
    let shown = |round: &usize| (round - 1).is_multiple_of(every) || in_window(*round);
    let rounds = (1..=of.rounds.len()).filter(shown).map(|round| {
        let mark = if in_window(round) { "window" } else { "" };
        let figures = vec![Figure::from(round as u64), of.rounds[round - 1].into(), mark.into(), Figure::None, Figure::None];
        ResultRow { figures, ..ResultRow::default() }
    });
    let mut rows: Vec<ResultRow> = rounds.collect();
    let first = rows.len();
    let is_in_rounds = of.test.segments().is_empty();
    let (title, name, lines_of) = match is_in_rounds {
        true => ("Steady state convergence", "Steady state determination", owned(determination(of))),
        false => ("Cells", "Segments", segments(of)),
    };
    rows.extend(lines_of.into_iter().map(|(name, figure)| {
        let figures = vec![Figure::None, Figure::None, Figure::None, name.into(), figure.into()];
        ResultRow { figures, ..ResultRow::default() }
    }));
    let part =
        |caption: &str, columns, rows| Part { caption: caption.to_owned(), heading: String::new(), columns, rows, ..Part::default() };
    let lines = LineChart::of_test(of);
    ResultTable {
        id: sheet(of.test),
        title: format!("{title}: {}", of.test.title()),
        row_name: if is_in_rounds { "round" } else { "cell" },
        columns: vec![
            column("Round", "Round", Unit::Count),
            column(of.tracking_variable.clone(), "Tracked variable", unit),
            column("Measurement window", "Measurement window", Unit::Note),
            column(name, name, Unit::Text),
            column("Value", "Value", Unit::Note),
        ],
        parts: vec![
            Part { lines, ..part(title, if is_in_rounds { vec![0, 1, 2] } else { vec![0, 1] }, 0..first) },
            part(name, vec![3, 4], first..rows.len()),
        ],
        rows,
        ..ResultTable::default()
    }
}

fn owned(lines: Vec<(&'static str, String)>) -> Vec<(String, String)> {
    lines.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect()
}

fn sheet(test: Test) -> &'static str {
    match test {
        Test::Iops => "IOPS steady state",
        Test::Throughput128 => "TP 128 steady state",
        Test::Throughput1024 => "TP 1024 steady state",
        Test::Latency => "LAT steady state",
        Test::WriteSaturation => "WSAT steady state",
        Test::HostIdleSaturation => "HIR steady state",
        Test::HostIdle => "HIR",
        Test::CrossStimulus => "XSR",
    }
}

/// The averages of segments, line by line.
fn segments(of: &TestResult) -> Vec<(String, String)> {
    let line = |segment: &SegmentResult| {
        let (average, last) = (of.metric.show(segment.average), of.metric.show(segment.last));
        let cells = counted(segment.cells.into(), "cell");
        (segment.name.clone(), format!("{average} on average of {cells}, {last} over the last tenth"))
    };
    of.segments.iter().map(line).chain([("Result".to_owned(), of.result())]).collect()
}

/// The determination of the steady state, line by line as the specification reports it.
fn determination(of: &TestResult) -> Vec<(&'static str, String)> {
    let show = |value: f64| of.metric.show(value);
    let result = ("Steady state", of.result());
    let Some(Window {
        first_round,
        last_round,
        average,
        allowed_range,
        measured_range,
        slope,
        intercept,
        allowed_excursion,
        measured_excursion,
        ..
    }) = of.window
    else {
        return vec![result];
    };
    let share = |of: f64| format!(" ({} % of the average)", three_digits(100.0 * of / average));
    vec![
        ("Measurement window", rounds(of.test.looks_every(), first_round, last_round)),
        ("Average over the window", show(average)),
        ("Allowed maximum data excursion", show(allowed_range) + &share(allowed_range)),
        ("Measured maximum data excursion", show(measured_range) + &share(measured_range)),
        ("Least squares linear fit", fit(of.metric, slope, intercept)),
        ("Allowed maximum slope excursion", show(allowed_excursion) + &share(allowed_excursion)),
        ("Measured maximum slope excursion", show(measured_excursion) + &share(measured_excursion)),
        result,
    ]
}

/// `rounds 3 to 7`, `one round of 31, from 31 to 155`.
fn rounds(every: usize, first: u32, last: u32) -> String {
    if every == 1 { format!("rounds {first} to {last}") } else { format!("one round of {every}, from {first} to {last}") }
}

/// `-35 * R + 3030`, in the unit of tables.
fn fit(metric: Metric, slope: f64, intercept: f64) -> String {
    let (factor, unit) = match metric {
        Metric::Iops => (1.0, "IOPS"),
        Metric::Throughput => (1e6, "MB/s"),
        Metric::Latency => (1e3, "µs"),
    };
    format!("{:.3} * R + {:.3} {unit}", slope / factor, intercept / factor)
}

impl TestResult {
    /// The end of the test in words.
    #[must_use]
    pub fn result(&self) -> String {
        let rounds = self.rounds.len();
        if !self.test.segments().is_empty() {
            let cells = counted(rounds as u64, "cell");
            return match self.state {
                SteadyState::Failed => format!("ended by failed I/O after {cells}"),
                SteadyState::Unfinished => format!("unfinished, {cells}"),
                _ => format!("ran through, {cells}"),
            };
        }
        match self.state {
            SteadyState::Ended => format!("ended after {rounds} rounds, not steady: by bytes or by time, as the specification has it"),
            SteadyState::Steady => format!("steady after {rounds} rounds"),
            SteadyState::NotSteady => format!("not steady in {MOST_ROUNDS} rounds"),
            SteadyState::Failed => format!("ended by failed I/O after {rounds} whole rounds"),
            SteadyState::Unfinished => format!("unfinished, {rounds} whole rounds"),
        }
    }
}
