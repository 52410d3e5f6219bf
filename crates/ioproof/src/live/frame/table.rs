//! The table of figures: a row for the moment and one for the run under way, of each direction that is used.

use super::Paint;
use crate::live::meter::MeterFigures;
use crate::live::state::{FigurePeriod, FigureRow, LiveState};
use ioproof_core::units::{iops, latency, throughput};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

/// Width of the first column.
const NAME: usize = 14;

struct FigureColumn {
    title: &'static str,
    width: usize,
    /// Place among the others when room is scarce: 0 stays longest.
    rank: usize,
    show: fn(&MeterFigures) -> Option<String>,
}

const COLUMNS: [FigureColumn; 7] = [
    FigureColumn { title: "IOPS", width: 10, rank: 0, show: |of| Some(iops(of.iops)) },
    FigureColumn { title: "MB/s", width: 9, rank: 2, show: |of| Some(throughput(of.bytes_per_s)) },
    FigureColumn { title: "mean", width: 8, rank: 4, show: |of| of.mean_ns.map(latency) },
    FigureColumn { title: "p50", width: 8, rank: 3, show: |of| of.percentiles_ns[0].map(shown) },
    FigureColumn { title: "p99", width: 8, rank: 1, show: |of| of.percentiles_ns[1].map(shown) },
    FigureColumn { title: "p99.9", width: 8, rank: 5, show: |of| of.percentiles_ns[2].map(shown) },
    FigureColumn { title: "max", width: 8, rank: 6, show: |of| of.max_ns.map(shown) },
];

fn shown(ns: u64) -> String {
    latency(ns as f64)
}

/// The table; nothing where nothing is measured.
pub fn rows(state: &LiveState, width: usize, paint: Paint) -> Vec<Line<'static>> {
    if state.rows.is_empty() {
        return Vec::new();
    }
    let columns = fitting(width);
    let titles: String = columns.iter().map(|column| format!(" {:>1$}", column.title, column.width)).collect();
    let heading = Line::styled(format!("{:NAME$}{titles}", ""), paint.dim());
    let before = state.before.as_ref().map(|name| Line::styled(clipped(&format!("before: {name}"), width), paint.dim()));
    let rows = state.rows.iter().map(|row| line(row, before.is_some(), &columns, paint));
    let mut lines: Vec<Line<'static>> = before.iter().cloned().chain([heading]).chain(rows).collect();
    lines.resize(state.most_rows.max(state.rows.len()) + 1, Line::default());
    lines
}

fn clipped(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

/// A row; `is_before`: of another workload, which has been named.
fn line(row: &FigureRow, is_before: bool, columns: &[&FigureColumn], paint: Paint) -> Line<'static> {
    let (piece, style) = match row.piece {
        FigurePeriod::LastRun if is_before => ("before", paint.dim()),
        FigurePeriod::Now => ("now", paint.bold()),
        FigurePeriod::ThisRun => ("this run", Style::new()),
        FigurePeriod::LastRun => ("last run", paint.dim()),
    };
    let name = format!("{:<NAME$}", format!("{} {piece}", row.direction));
    let cells: String =
        columns.iter().map(|column| format!(" {:>1$}", (column.show)(&row.figures).unwrap_or_else(|| "-".into()), column.width)).collect();
    Line::from(vec![Span::raw(name), Span::styled(cells, style)])
}

fn fitting(width: usize) -> Vec<&'static FigureColumn> {
    let mut by_rank: Vec<&FigureColumn> = COLUMNS.iter().collect();
    by_rank.sort_by_key(|column| column.rank);
    let mut used = NAME;
    let fits = |column: &&FigureColumn| {
        used += column.width + 1;
        used <= width
    };
    let kept: Vec<usize> = by_rank.into_iter().take_while(fits).map(|column| column.rank).collect();
    COLUMNS.iter().filter(|column| kept.contains(&column.rank)).collect()
}
