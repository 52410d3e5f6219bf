//! Shares of each layer in the one below it, as numbers with a native chart of them: below the figures of a sheet.

use super::cells::Look;
use super::charts::literal;
use super::sheet;
use super::table::{Column, column, heading, lines};
use ioproof_core::results::{Bar, BarChart, BarGroup, top_of_shares};
use rust_xlsxwriter::{
    Chart, ChartErrorBars, ChartErrorBarsType, ChartFont, ChartFormat, ChartLegendPosition, ChartLine, ChartLineDashType, ChartPoint,
    ChartRange, ChartSolidFill, ChartType, Color, Worksheet, XlsxError,
};

/// Columns of the name, of the share, of what policy asks, and of the lengths of a whisker.
const NAME: u16 = 0;
const SHARE: u16 = 2;
const ASKED: u16 = 5;
const BELOW: u16 = 6;
const ABOVE: u16 = 7;
/// Pixels: width of a chart, what it takes beside its bars, and each bar; bars of the highest chart, and a row of the sheet.
const WIDTH: u32 = 900;
const AROUND: u32 = 120;
const EACH: u32 = 28;
const MOST: u32 = 60;
const ROW: u32 = 20;

/// The bar of 100 %, and those that are held against it.
const WHOLE: Color = Color::RGB(0xD9_D9_D9);
const BAR: Color = Color::RGB(0x56_B4_E9);
const INK: Color = Color::RGB(0x40_40_40);
const MARK: Color = Color::RGB(0xD5_5E_00);

/// One line of the numbers.
struct Line {
    name: String,
    place: String,
    bar: Bar,
    asked: Option<f64>,
}

/// Writes the numbers and the chart of each of these from a row of the sheet of this name on.
pub(super) fn shares(sheet: &mut Worksheet, first: u32, name: &str, charts: &[&BarChart]) -> Result<(), XlsxError> {
    let (top, mut row) = (top_of_shares(charts), first);
    for data in charts {
        sheet::line(sheet, row, &format!("{}: {}", data.title, data.about), Look::Part)?;
        let columns = columns();
        heading(sheet, row + 1, &columns)?;
        let all: Vec<Line> = data.groups.iter().flat_map(of_group).collect();
        let behind = lines(sheet, row + 2, &columns, all.iter())?;
        let cells = |column| ChartRange::new_from_range(name, row + 2, column, behind - 1, column);
        let chart = draw(data, &cells, all.len() as u32, top);
        sheet.insert_chart(behind + 1, 0, &chart)?;
        row = behind + 2 + height(all.len() as u32).div_ceil(ROW);
    }
    Ok(())
}

fn of_group(group: &BarGroup) -> impl Iterator<Item = Line> + '_ {
    group.bars.iter().map(|bar| Line {
        name: if group.place.is_empty() { bar.name.clone() } else { format!("{}, {}", bar.name, group.place) },
        place: group.place.clone(),
        bar: bar.clone(),
        asked: group.mark.filter(|_| !bar.is_whole),
    })
}

/// Their widths are those of the figures above.
fn columns() -> [Column<Line>; 8] {
    use Look::{Share, Wrapped};
    [
        column("bar", 36, Wrapped, |line| line.name.as_str().into()),
        column("target", 24, Wrapped, |line| line.place.as_str().into()),
        column("share", 11, Share, |line| line.bar.value.into()),
        column("low", 11, Share, |line| line.bar.ends.map(|(low, _)| low).into()),
        column("high", 11, Share, |line| line.bar.ends.map(|(_, high)| high).into()),
        column("asked by policy", 12, Share, |line| line.asked.into()),
        column("share - low", 11, Share, |line| line.bar.ends.map(|(low, _)| (line.bar.value - low).max(0.0)).into()),
        column("high - share", 11, Share, |line| line.bar.ends.map(|(_, high)| (high - line.bar.value).max(0.0)).into()),
    ]
}

fn height(bars: u32) -> u32 {
    AROUND + EACH * bars.min(MOST)
}

/// The numbers of a chart in this column.
type Cells<'a> = &'a dyn Fn(u16) -> ChartRange;

/// A chart of the numbers in these rows, on a scale from zero to `top`.
fn draw(data: &BarChart, cells: Cells, bars: u32, top: f64) -> Chart {
    let has_mark = data.groups.iter().any(|group| group.mark.is_some());
    let mut chart = Chart::new(ChartType::Bar);
    chart.set_width(WIDTH).set_height(height(bars));
    chart.title().set_name(&literal(&format!("{}: {}", data.title, data.about))).set_font(ChartFont::new().set_size(12));
    add_shares(&mut chart, cells, data);
    // Where policy asks, a bar without a fill ends at its mark.
    if has_mark {
        add_marks(&mut chart, cells);
    }
    // Of bars the axes change places: categories stand along the vertical one, from the top down.
    chart.y_axis().set_reverse();
    let grid = ChartLine::new().set_color(Color::RGB(0xD9_D9_D9)).clone();
    chart
        .x_axis()
        .set_min(0)
        .set_max(top)
        .set_major_unit(0.25)
        .set_num_format("0%")
        .set_major_gridlines(true)
        .set_major_gridlines_line(&grid);
    chart.legend().set_position(ChartLegendPosition::Bottom);
    if !has_mark {
        chart.legend().set_hidden();
    }
    chart
}

fn add_shares(chart: &mut Chart, cells: Cells, data: &BarChart) {
    let whiskers = ChartErrorBarsType::Custom(cells(ABOVE), cells(BELOW));
    let fill = |color: Color| ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(color)).clone();
    let bars = data.groups.iter().flat_map(|group| &group.bars);
    let points: Vec<ChartPoint> = bars.map(|bar| ChartPoint::new().set_format(&mut fill(if bar.is_whole { WHOLE } else { BAR }))).collect();
    let series = chart.add_series().set_name("share").set_categories(&cells(NAME)).set_values(&cells(SHARE));
    series.set_format(&mut fill(BAR)).set_points(&points).set_overlap(100).set_gap(60);
    series.set_x_error_bars(ChartErrorBars::new().set_type(whiskers).set_format(ChartLine::new().set_color(INK).set_width(1.25)));
}

fn add_marks(chart: &mut Chart, cells: Cells) {
    let dashed = ChartLine::new().set_color(MARK).set_width(1.5).set_dash_type(ChartLineDashType::Dash).clone();
    let series = chart.add_series().set_name("asked by policy").set_categories(&cells(NAME)).set_values(&cells(ASKED));
    series.set_format(ChartFormat::new().set_no_fill().set_border(&dashed)).set_overlap(100).set_gap(60);
}
