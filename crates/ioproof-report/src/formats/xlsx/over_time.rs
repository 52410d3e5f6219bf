//! The sheet `Charts` of a run that is no sweep: throughput over the measured time of each workload, one run beside the next. The numbers stand to the right.

use super::cells::{Look, put};
use super::charts::{DRAWN, MOST_SERIES, empty, framed, insert};
use super::sheet;
use super::verdicts::unit;
use crate::layout::elide;
use crate::tables::Cell;
use crate::view::{Chart as Data, View};
use rust_xlsxwriter::{Chart, ChartLine, ChartLineDashType, ChartMarker, Color, Worksheet, XlsxError};

/// The row of the headings of the numbers.
const HEADINGS: u32 = 2;
/// A run with more workloads shows the first ones.
const MOST_CHARTS: usize = 100;
/// Columns of a title.
const TITLE_COLUMNS: usize = 80;
/// Runs beside each other differ in colour.
const COLORS: [u32; 2] = [0x00_72_B2, 0x56_B4_E9];
const CLAIM: u32 = 0xD5_5E_00;

/// A piece of a curve: seconds, and a rate in the unit of the metric.
type Piece = Vec<(f64, f64)>;

pub(super) fn sheet(view: &View) -> Result<Option<Worksheet>, XlsxError> {
    let drawn: Vec<&Data> = view.charts.iter().filter(|chart| chart.traces.iter().any(|trace| !trace.points.is_empty())).collect();
    if drawn.is_empty() {
        return Ok(None);
    }
    let mut sheet = empty(drawn.len().min(MOST_CHARTS))?;
    sheet::line(&mut sheet, 0, &format!("Throughput over the measured time, one run beside the next: {}", view.heading), Look::Title)?;
    for (at, data) in drawn.iter().take(MOST_CHARTS).enumerate() {
        chart(&mut sheet, at, data)?;
    }
    Ok(Some(sheet))
}

fn chart(sheet: &mut Worksheet, at: usize, data: &Data) -> Result<(), XlsxError> {
    let column = DRAWN + 1 + 3 * at as u16;
    let title = elide(&format!("{}, queue depth {}", data.conditions.full_title(), data.conditions.depth_formula()), TITLE_COLUMNS);
    put(sheet, HEADINGS - 1, column, &title.as_str().into(), &Look::Label.format())?;
    put(sheet, HEADINGS, column, &"time (s)".into(), &Look::NumberHeading.format())?;
    put(sheet, HEADINGS, column + 1, &format!("rate ({})", unit(data.metric).1).into(), &Look::NumberHeading.format())?;
    let mut chart = framed(rust_xlsxwriter::ChartType::ScatterStraightWithMarkers, &title, "measured time (s)", unit(data.metric).1);
    chart.legend().set_hidden();
    chart.x_axis().set_min(0);
    chart.y_axis().set_min(0);
    let mut row = HEADINGS + 1;
    for (n, piece) in pieces(data).iter().enumerate().take(MOST_SERIES) {
        let first = row;
        for (seconds, rate) in piece {
            put(sheet, row, column, &Cell::from(*seconds), &Look::Seconds.format())?;
            put(sheet, row, column + 1, &Cell::from(*rate), &Look::Figure.format())?;
            row += 1;
        }
        if row > first {
            draw(&mut chart, n, (first, row - 1), column);
        }
    }
    insert(sheet, at, &chart)
}

/// Adds the piece whose numbers stand in these rows; the first one is the claim.
fn draw(chart: &mut Chart, n: usize, (first, last): (u32, u32), column: u16) {
    let cells = |column| ("Charts", first, column, last, column);
    let (name, mut line) = match n {
        0 => ("claim".to_owned(), ChartLine::new().set_color(Color::RGB(CLAIM)).set_dash_type(ChartLineDashType::Dash).clone()),
        n => (format!("run {n}"), ChartLine::new().set_color(Color::RGB(COLORS[n % 2])).set_width(1.5).clone()),
    };
    let series = chart.add_series().set_name(&name).set_categories(cells(column)).set_values(cells(column + 1));
    series.set_format(&mut line).set_marker(ChartMarker::new().set_none());
}

/// The claim, which may be nothing, then a piece a run.
fn pieces(data: &Data) -> Vec<Piece> {
    let factor = unit(data.metric).0;
    let total_s: f64 = data.traces.iter().map(|trace| trace.length_s).sum();
    let mut pieces = vec![data.claimed.map_or_else(Vec::new, |claimed| vec![(0.0, claimed / factor), (total_s, claimed / factor)])];
    let mut start_s = 0.0;
    for trace in &data.traces {
        // A slice is a mean over its length, so it is drawn as a step and not as a point.
        let starts = std::iter::once(0.0).chain(trace.points.iter().map(|(end_s, _)| *end_s));
        let steps = starts.zip(&trace.points);
        pieces.push(
            steps.flat_map(|(from_s, (end_s, rate))| [(start_s + from_s, rate / factor), (start_s + end_s, rate / factor)]).collect(),
        );
        start_s += trace.length_s;
    }
    pieces
}
