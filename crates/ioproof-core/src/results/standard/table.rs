//! The tables of the specification: after the matrices, each test's convergence to its steady state, with the determination.

use super::{SegmentResult, StandardResults, SteadyState, TestResult};
use crate::metric::Metric;
use crate::results::chart::LineChart;
use crate::results::table::{Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::standard::{Test, Window};
use crate::text::counted;
use crate::units::three_digits;

/// Rounds that a table shows at most; of more it shows them at even distances.
const SHOWN_ROUNDS: usize = 40;

impl StandardResults {
    /// Matrices first, then how each test came to its steady state. Conditions and deviations stand under the first of them.
    pub fn tables(&self) -> Vec<ResultTable> {
        let mut tables: Vec<ResultTable> = self.matrices().chain(self.tests.iter().map(convergence)).collect();
        if let Some(first) = tables.first_mut() {
            let deviations = self.deviations.iter().map(|text| format!("Deviates from {}: {text}.", self.specification));
            first.says.extend(self.conditions.iter().cloned().chain(deviations));
            first.replaces_rows = true;
        }
        tables
    }
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
        Test::DemandSaturation => "DIRTH precond. steady state",
        Test::DemandIntensity => "DIRTH steady state",
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
            SteadyState::NotSteady => format!("not steady in {rounds} rounds"),
            SteadyState::Failed => format!("ended by failed I/O after {rounds} whole rounds"),
            SteadyState::Unfinished => format!("unfinished, {rounds} whole rounds"),
        }
    }
}
