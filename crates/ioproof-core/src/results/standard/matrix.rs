//! The matrices of the specification: figures of cells, with one condition of theirs down and another one across.

use super::{StandardCell, StandardResults, TestResult, demand};
use crate::metric::Metric;
use crate::results::chart::{ChartLine, ChartNames, LineChart};
use crate::results::table::{Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::standard::Test;
use crate::units::three_digits;
use std::collections::BTreeSet;

/// A matrix: its name, its tests, its conditions, and the figure of a cell.
struct Matrix {
    id: &'static str,
    title: &'static str,
    tests: &'static [Test],
    by: &'static By,
    unit: Unit,
    of: fn(&StandardCell) -> Option<f64>,
}

/// Conditions of cells as rows and columns.
struct By {
    /// The one down, and the one across.
    place: fn(&StandardCell) -> (u32, u32),
    /// Names of the one down: in tables of text, and of numbers with its unit.
    heading: &'static str,
    number: (&'static str, Unit),
    /// Names of both in charts, and of the lines.
    charts: (&'static str, &'static str),
    about: &'static str,
    row: fn(u32) -> String,
    column: fn(u32) -> String,
    column_number: fn(u32) -> &'static str,
    caption: &'static str,
}

const BLOCKS_BY_MIXES: By = By {
    place: |cell| (cell.block_bytes, cell.read_percent.into()),
    heading: "Block size",
    number: ("Block size (KiB)", Unit::Block),
    charts: ("block size", "R/W mix"),
    about: "a line for each R/W mix",
    row: block_name,
    column: mix,
    column_number: mix_number,
    caption: "Block sizes down, R/W mixes across.",
};

const DEPTHS_BY_THREADS: By = By {
    place: |cell| cell.demand.map_or((0, 0), |of| (of.depth, of.workers)),
    heading: "OIO/thread (QD)",
    number: ("OIO/thread (QD)", Unit::Count),
    charts: ("OIO of each thread", "thread count"),
    about: "a line for each thread count",
    row: |depth| depth.to_string(),
    column: |threads| format!("TC {threads}"),
    column_number: threads_number,
    caption: "Outstanding I/Os of each thread down, thread counts across.",
};

const THROUGHPUT: &[Test] = &[Test::Throughput128, Test::Throughput1024];

const MATRICES: [Matrix; 6] = [
    Matrix {
        id: "IOPS",
        title: "IOPS: all R/W mixes and block sizes",
        tests: &[Test::Iops],
        by: &BLOCKS_BY_MIXES,
        unit: Unit::PerSecond,
        of: average,
    },
    Matrix { id: "TP", title: "Throughput, MB/s", tests: THROUGHPUT, by: &BLOCKS_BY_MIXES, unit: Unit::Throughput, of: average },
    Matrix {
        id: "LAT average",
        title: "Average response time",
        tests: &[Test::Latency],
        by: &BLOCKS_BY_MIXES,
        unit: Unit::Time,
        of: average,
    },
    Matrix {
        id: "LAT maximum",
        title: "Maximum response time",
        tests: &[Test::Latency],
        by: &BLOCKS_BY_MIXES,
        unit: Unit::Time,
        of: |cell| cell.max_ns.map(|ns| ns as f64),
    },
    Matrix {
        id: "DIRTH IOPS",
        title: "Demand variation: IOPS, RND 8 KiB, R/W 65/35",
        tests: &[Test::DemandIntensity],
        by: &DEPTHS_BY_THREADS,
        unit: Unit::PerSecond,
        of: average,
    },
    Matrix {
        id: "DIRTH response",
        title: "Demand variation: average response time, RND 8 KiB, R/W 65/35",
        tests: &[Test::DemandIntensity],
        by: &DEPTHS_BY_THREADS,
        unit: Unit::Time,
        of: |cell| cell.demand.map(|of| of.response_ns),
    },
];

fn average(cell: &StandardCell) -> Option<f64> {
    Some(cell.average)
}

impl StandardResults {
    /// All that have cells.
    pub(super) fn matrices(&self) -> impl Iterator<Item = ResultTable> {
        MATRICES.iter().filter_map(|matrix| matrix.table(self))
    }
}

impl Matrix {
    /// Rows and columns from small to large; `None` where no round of its tests is whole.
    fn table(&self, results: &StandardResults) -> Option<ResultTable> {
        let By { row: row_name, column: column_name, .. } = self.by;
        let tests: Vec<&TestResult> = results.tests.iter().filter(|of| self.tests.contains(&of.test)).collect();
        let cells: Vec<&StandardCell> = tests.iter().flat_map(|of| &of.cells).collect();
        let (down, across): (BTreeSet<u32>, BTreeSet<u32>) = cells.iter().map(|cell| (self.by.place)(cell)).unzip();
        let value = |place: (u32, u32)| cells.iter().find(|cell| (self.by.place)(cell) == place).and_then(|cell| (self.of)(cell));
        let row = |at: &u32| {
            let figures = across.iter().map(|of| Figure::from(value((*at, *of))));
            let names = [Figure::from(row_name(*at)), (*at).into()];
            ResultRow { figures: names.into_iter().chain(figures).collect(), ..ResultRow::default() }
        };
        let rows: Vec<ResultRow> = down.iter().map(row).collect();
        let line = |of: &u32| {
            let points = (1..).zip(&down).filter_map(|(at, row)| Some((f64::from(at), value((*row, *of))?)));
            ChartLine { name: column_name(*of), points: points.collect() }
        };
        let lines = across.iter().map(line).collect();
        let chart = self.chart(lines, down.iter().map(|at| row_name(*at)).collect());
        let figures = across.iter().map(|of| column(column_name(*of), (self.by.column_number)(*of), self.unit));
        let names = [column(self.by.heading, "", Unit::Text), column("", self.by.number.0, self.by.number.1)];
        let columns: Vec<Column> = names.into_iter().chain(figures).collect();
        let shown = (0..columns.len()).filter(|at| *at != 1).collect();
        let points = tests.iter().filter(|_| self.unit == Unit::PerSecond).flat_map(|of| demand::points(of));
        (!rows.is_empty()).then(|| ResultTable {
            id: self.id,
            title: self.title.to_owned(),
            row_name: self.by.charts.0,
            parts: vec![Part {
                caption: self.by.caption.to_owned(),
                columns: shown,
                rows: 0..rows.len(),
                lines: vec![chart],
                ..Part::default()
            }],
            says: points.chain([format!("{}.", rounds_of(&tests))]).collect(),
            columns,
            rows,
            ..ResultTable::default()
        })
    }

    /// A line for each column, over the names of rows.
    fn chart(&self, lines: Vec<ChartLine>, names: Vec<String>) -> LineChart {
        let (axis, of_lines) = self.by.charts;
        LineChart {
            id: format!("{}-matrix", self.id.to_lowercase().replace(' ', "-")),
            title: self.title.to_owned(),
            about: self.by.about,
            metric: match self.unit {
                Unit::Throughput => Metric::Throughput,
                Unit::Time => Metric::Latency,
                _ => Metric::Iops,
            },
            rounds: names.len() as u32,
            names: Some(ChartNames { axis, lines: of_lines, places: names }),
            lines,
            window: None,
            levels: Vec::new(),
        }
    }
}

/// `0.5 KiB`, `1024 KiB`: as the specification writes them.
fn block_name(bytes: u32) -> String {
    format!("{} KiB", three_digits(f64::from(bytes) / 1024.0))
}

/// `0/100` of writes alone.
fn mix(read_percent: u32) -> String {
    format!("{read_percent}/{}", 100 - read_percent.min(100))
}

fn mix_number(read_percent: u32) -> &'static str {
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

fn threads_number(threads: u32) -> &'static str {
    match threads {
        1 => "TC 1",
        2 => "TC 2",
        4 => "TC 4",
        6 => "TC 6",
        8 => "TC 8",
        16 => "TC 16",
        _ => "TC 32",
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
