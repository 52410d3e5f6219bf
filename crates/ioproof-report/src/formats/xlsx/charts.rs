//! The sheet `Charts` of a sweep: throughput and latency against what rises, and against each other, a line a series. They refer to the cells of `Matrix`.

use super::cells::Look;
use super::sheet;
use crate::view::View;
use ioproof_core::sweep::{Axis, Cell, SeriesLine};
use rust_xlsxwriter::{
    Chart, ChartAxisCrossing, ChartErrorBars, ChartErrorBarsType, ChartFont, ChartFormat, ChartLegendPosition, ChartLine, ChartMarker,
    ChartMarkerType, ChartRange, ChartSolidFill, ChartType, Color, Worksheet, XlsxError,
};

/// Columns of `Matrix` that charts are drawn of.
const AT: u16 = 0;
pub(super) const IOPS: u16 = 2;
const MB_PER_S: u16 = 3;
const AVERAGE: u16 = 4;
/// Columns of the lengths of whiskers of IOPS, down and up.
const WHISKERS: (u16, u16) = (15, 16);
/// Pixels of a chart, and the columns and rows of the sheet that it takes.
const SIZE: (u32, u32) = (740, 420);
const COLUMNS: u16 = 12;
pub(super) const ROWS: u32 = 22;
/// Numbers along an axis.
const NUMBERS: &str = "[>=1000]#,##0;General";
/// Pixels above a chart, so that a page that ends there shows nothing of it.
const GAP: u32 = 8;
/// Charts beside each other.
const ABREAST: usize = 2;
/// The row of the first charts.
const FIRST: u32 = 2;
/// Columns of the charts.
pub(super) const DRAWN: u16 = COLUMNS * ABREAST as u16;
/// Charts on a page of paper, the rows of these, and the size at which they fit.
const ON_A_PAGE: usize = 4;
const PAGE_ROWS: u32 = ROWS * 2;
const PRINTED_PERCENT: u16 = 52;
/// A spreadsheet draws no more series in one chart.
pub(super) const MOST_SERIES: usize = 255;

/// Colours that are told apart without seeing red or green (Okabe and Ito), without yellow, which is hard to see on white.
const COLORS: [u32; 7] = [0x00_72_B2, 0xD5_5E_00, 0x00_9E_73, 0xCC_79_A7, 0x56_B4_E9, 0xE6_9F_00, 0x00_00_00];

/// An axis: its name, and where it is logarithmic its base and its ends.
pub(super) struct Scale {
    pub name: String,
    pub log: Option<(u16, f64, f64)>,
}

/// One chart: its title, its axes and the columns of the sheet behind them.
pub(super) struct Plot {
    pub title: String,
    pub sheet: &'static str,
    pub x: (u16, Scale),
    pub y: (u16, Scale),
    /// Columns of the lengths of whiskers, down and up.
    pub whiskers: Option<(u16, u16)>,
}

/// Rows of a line, and its name.
pub(super) type Named = ((u32, u32), String);

/// A series, in the rows of its cells.
type Block<'a> = (&'a SeriesLine, (u32, u32));

/// The sheet, of series whose cells stand in these rows; none where no series has a cell.
pub(super) fn sheet(view: &View, rows: &[(u32, u32)]) -> Result<Option<Worksheet>, XlsxError> {
    let blocks: Vec<Block> = view.series.iter().zip(rows.iter().copied()).filter(|(of, _)| !of.points.is_empty()).collect();
    let Some((first, _)) = blocks.first() else { return Ok(None) };
    let (shared, names) = names(&blocks);
    let lines: Vec<Named> = blocks.iter().map(|(_, rows)| *rows).zip(names).collect();
    let titled = |plot: Plot| match &shared {
        Some(shared) => Plot { title: format!("{}: {shared}", plot.title), ..plot },
        None => plot,
    };
    let plots = plots(first.axis, &view.cells).map(|plot| draw(&titled(plot), &lines));
    Ok(Some(of_charts(&format!("Charts: {}", view.heading), &plots)?))
}

/// A sheet of charts.
pub(super) fn of_charts(title: &str, charts: &[Chart]) -> Result<Worksheet, XlsxError> {
    let mut sheet = empty(charts.len())?;
    sheet::line(&mut sheet, 0, title, Look::Title)?;
    charts.iter().enumerate().try_for_each(|(at, chart)| insert(&mut sheet, at, chart))?;
    Ok(sheet)
}

/// The sheet for so many charts, of which paper shows whole ones.
pub(super) fn empty(charts: usize) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Charts")?;
    let pages = charts.div_ceil(ON_A_PAGE) as u32;
    let breaks: Vec<u32> = (1..pages).map(|page| FIRST + page * PAGE_ROWS).collect();
    sheet.set_print_scale(PRINTED_PERCENT).set_page_breaks(&breaks)?;
    sheet.set_print_area(0, 0, FIRST + pages * PAGE_ROWS - 1, DRAWN - 1)?;
    Ok(sheet)
}

fn plots(axis: Axis, cells: &[Cell]) -> [Plot; 3] {
    let places = || {
        logarithmic(2, cells.iter().map(|cell| f64::from(axis.value(&cell.workload)) / if axis == Axis::BlockSize { 1024.0 } else { 1.0 }))
    };
    let latency =
        || Scale { name: "average latency (µs)".into(), log: logarithmic(10, cells.iter().map(|cell| cell.latency_ns.median / 1e3)) };
    let (place, rate, rate_column) = match axis {
        Axis::Depth => ("queue depth per worker", "IOPS", IOPS),
        Axis::Workers => ("workers", "IOPS", IOPS),
        Axis::BlockSize => ("block size (KiB)", "MB/s", MB_PER_S),
    };
    let place = || Scale { name: place.into(), log: places() };
    let rate = || Scale { name: rate.into(), log: None };
    let plot = |title: &str, x, y: (u16, Scale)| {
        let whiskers = (y.0 == IOPS).then_some(WHISKERS);
        Plot { title: title.into(), sheet: "Matrix", x, y, whiskers }
    };
    [
        plot("Throughput", (AT, place()), (rate_column, rate())),
        plot("Latency", (AT, place()), (AVERAGE, latency())),
        plot("Latency against throughput", (rate_column, rate()), (AVERAGE, latency())),
    ]
}

/// A logarithmic axis between the powers of the base around all values; none where one of them has no logarithm.
pub(super) fn logarithmic(base: u16, values: impl Iterator<Item = f64> + Clone) -> Option<(u16, f64, f64)> {
    let has_log = |value: f64| value.is_finite() && value > 0.0;
    let power = |value: f64| value.log(base.into());
    let low = values.clone().reduce(f64::min).filter(|low| has_log(*low)).map(|low| (power(low) + 1e-9).floor())?;
    let high = values.reduce(f64::max).filter(|high| has_log(*high)).map(|high| (power(high) - 1e-9).ceil())?;
    let of = |power: f64| f64::from(base).powf(power);
    Some((base, of(low), of(high.max(low + 1.0))))
}

/// The conditions that all series share, and those of each beyond them.
fn names(blocks: &[Block]) -> (Option<String>, Vec<String>) {
    let whole = |(of, _): &Block| format!("{}, {}", of.group, of.name);
    match blocks {
        [] => (None, Vec::new()),
        [only] => (Some(whole(only)), vec![whole(only)]),
        [(first, _), others @ ..] if others.iter().all(|(other, _)| other.group == first.group) => {
            (Some(first.group.clone()), blocks.iter().map(|(of, _)| of.name.clone()).collect())
        }
        several => (None, several.iter().map(whole).collect()),
    }
}

pub(super) fn draw(plot: &Plot, lines: &[Named]) -> Chart {
    let mut chart = framed(ChartType::ScatterStraightWithMarkers, &plot.title, &plot.x.1.name, &plot.y.1.name);
    for (at, ((first, last), name)) in lines.iter().take(MOST_SERIES).enumerate() {
        let column = |column| (plot.sheet, *first, column, *last, column);
        let color = Color::RGB(COLORS[at % COLORS.len()]);
        let fill = ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(color)).clone();
        let series = chart.add_series().set_name(&literal(name)).set_categories(column(plot.x.0)).set_values(column(plot.y.0));
        series.set_format(ChartLine::new().set_color(color).set_width(2));
        series.set_marker(ChartMarker::new().set_type(ChartMarkerType::Circle).set_size(6).set_format(&mut fill.clone()));
        if let Some((down, up)) = plot.whiskers {
            let of = |column| ChartRange::new_from_range(plot.sheet, *first, column, *last, column);
            let lengths = ChartErrorBarsType::Custom(of(up), of(down));
            series.set_y_error_bars(ChartErrorBars::new().set_type(lengths).set_format(ChartLine::new().set_color(color).set_width(1)));
        }
    }
    if let Some((base, low, high)) = plot.x.1.log {
        chart.x_axis().set_log_base(base).set_min(low).set_max(high).set_major_unit(base);
    }
    if let Some((base, low, high)) = plot.y.1.log {
        chart.y_axis().set_log_base(base).set_min(low).set_max(high).set_crossing(ChartAxisCrossing::Min);
    }
    chart.x_axis().set_crossing(ChartAxisCrossing::Min);
    if lines.len() == 1 {
        chart.legend().set_hidden();
    }
    chart
}

/// An empty chart of points that are joined, with the looks that all charts share.
pub(super) fn framed(kind: ChartType, title: &str, x_name: &str, y_name: &str) -> Chart {
    let line = ChartLine::new().set_color(Color::RGB(0xD9_D9_D9)).clone();
    let mut chart = Chart::new(kind);
    chart.set_width(SIZE.0).set_height(SIZE.1);
    chart.title().set_name(&literal(title)).set_font(ChartFont::new().set_size(12));
    chart.x_axis().set_name(x_name).set_num_format(NUMBERS).set_major_gridlines(true).set_major_gridlines_line(&line);
    chart.y_axis().set_name(y_name).set_num_format(NUMBERS).set_major_gridlines(true).set_major_gridlines_line(&line);
    chart.legend().set_position(ChartLegendPosition::Bottom);
    chart
}

/// A name that is never read as a reference to cells.
pub(super) fn literal(name: &str) -> String {
    name.replace('!', "\u{ff01}").trim_start_matches('=').to_owned()
}

/// Puts a chart in its place among the others.
pub(super) fn insert(sheet: &mut Worksheet, at: usize, chart: &Chart) -> Result<(), XlsxError> {
    let (down, right) = ((at / ABREAST) as u32, (at % ABREAST) as u16);
    sheet.insert_chart_with_offset(FIRST + down * ROWS, right * COLUMNS, chart, 0, GAP)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_runs_between_powers() {
        assert_eq!(logarithmic(2, [1.0, 256.0].into_iter()), Some((2, 1.0, 256.0)));
        assert_eq!(logarithmic(10, [9.5, 403.0].into_iter()), Some((10, 1.0, 1000.0)));
        assert_eq!(logarithmic(2, [8.0].into_iter()), Some((2, 8.0, 16.0)));
        assert_eq!(logarithmic(10, [0.0, 403.0].into_iter()), None);
        assert_eq!(logarithmic(10, [].into_iter()), None);
    }

    #[test]
    fn a_legend_says_what_differs() {
        let line = |group: &str, name: &str| SeriesLine {
            title: String::new(),
            group: group.into(),
            name: name.into(),
            backend: None,
            axis: Axis::Depth,
            points: Vec::new(),
            metric: ioproof_core::claim::Metric::Iops,
            full: None,
        };
        let rows = (1, 2);
        let both = [line("random read 4 KiB", "psync, 1 worker"), line("random read 4 KiB", "psync, 4 workers")];
        let told = (Some("random read 4 KiB".into()), vec!["psync, 1 worker".into(), "psync, 4 workers".into()]);
        assert_eq!(names(&[(&both[0], rows), (&both[1], rows)]), told);
        let other = [line("random read 4 KiB", "1 worker"), line("sequential read 4 KiB", "1 worker")];
        let other = [(&other[0], rows), (&other[1], rows)];
        let whole = ["random read 4 KiB, 1 worker", "sequential read 4 KiB, 1 worker"];
        assert_eq!(names(&other), (None, whole.map(str::to_owned).to_vec()));
        assert_eq!(names(&other[..1]).0.as_deref(), Some(whole[0]));
    }
}
