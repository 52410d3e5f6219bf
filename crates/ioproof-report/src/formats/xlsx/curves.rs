//! Lines of results, as numbers with a native chart of them: below the figures of a sheet. The numbers of a matrix are coloured by their size as well.

use super::cells::{Look, put};
use super::charts::{ROWS, framed, literal};
use super::sheet;
use crate::tables::Cell;
use crate::view::Scale;
use ioproof_core::results::{ChartLine, LineChart};
use rust_xlsxwriter::{Chart, ChartType, Color, ConditionalFormat2ColorScale, Worksheet, XlsxError};

const PALE: Color = Color::RGB(0xFF_FF_FF);
const DEEP: Color = Color::RGB(0x56_B4_E9);

/// A line: its name, and a value for each place of the axis.
type Named = (String, Vec<Option<f64>>);

/// Writes the numbers and the chart of each of these from a row of the sheet of this name on.
pub(super) fn draw<'a>(
    sheet: &mut Worksheet,
    first: u32,
    name: &str,
    charts: impl Iterator<Item = &'a LineChart>,
) -> Result<(), XlsxError> {
    let mut row = first;
    for chart in charts.filter(|chart| !chart.lines.is_empty()) {
        sheet::line(sheet, row, &format!("{}: {}", chart.title, chart.about), Look::Part)?;
        let (lines, unit) = columns(chart);
        numbers(sheet, row + 1, chart, &lines)?;
        let (top, last, columns) = (row + 2, row + 1 + chart.rounds, lines.len() as u16);
        if chart.names.is_some() {
            let scale = ConditionalFormat2ColorScale::new().set_minimum_color(PALE).set_maximum_color(DEEP);
            sheet.add_conditional_format(top, 1, last, columns, &scale)?;
        }
        sheet.insert_chart(last + 1, 0, &drawn(chart, &lines, unit, (name, top, last)))?;
        row = last + 2 + ROWS;
    }
    Ok(())
}

/// A value for each place of the axis, by name; levels are lines too. In the unit, whose name is the second.
fn columns(chart: &LineChart) -> (Vec<Named>, &'static str) {
    let most = chart.lines.iter().flat_map(|line| &line.points).map(|(_, value)| *value).fold(0.0, f64::max);
    let scale = Scale::of(chart.metric, most);
    let at =
        |line: &ChartLine, place: u32| line.points.iter().find(|(at, _)| *at == f64::from(place)).map(|(_, value)| value / scale.factor);
    let of_line = |line: &ChartLine| (line.name.clone(), (1..=chart.rounds).map(|place| at(line, place)).collect());
    let of_level = |(at, (level, _)): (usize, &(f64, &str))| {
        let name = if at == 0 { "upper bound" } else { "lower bound" };
        (name.to_owned(), vec![Some(level / scale.factor); chart.rounds as usize])
    };
    let lines = chart.lines.iter().map(of_line).chain(chart.levels.iter().enumerate().map(of_level));
    (lines.collect(), scale.unit)
}

fn numbers(sheet: &mut Worksheet, first: u32, chart: &LineChart, lines: &[Named]) -> Result<(), XlsxError> {
    let (heading, figure, size) = (Look::NumberHeading.format(), Look::Figure.format(), Look::Size.format());
    put(sheet, first, 0, &chart.names.as_ref().map_or("round", |names| names.axis).into(), &Look::Heading.format())?;
    for place in 1..=chart.rounds {
        let name = chart.names.as_ref().and_then(|names| names.places.get(place as usize - 1).cloned());
        put(sheet, first + place, 0, &name.map_or(Cell::from(place), Cell::from), &size)?;
    }
    for (column, (name, values)) in (1..).zip(lines) {
        put(sheet, first, column, &name.as_str().into(), &heading)?;
        for (row, value) in (first + 1..).zip(values) {
            put(sheet, row, column, &(*value).into(), &figure)?;
        }
    }
    Ok(())
}

/// The chart of numbers in these rows of the sheet.
fn drawn(of: &LineChart, lines: &[Named], unit: &str, (name, first, last): (&str, u32, u32)) -> Chart {
    let axis = of.names.as_ref().map_or("round", |names| names.axis);
    let kind = if of.names.is_some() { ChartType::Line } else { ChartType::ScatterStraight };
    let mut chart = framed(kind, &of.title, axis, unit);
    for (column, (title, _)) in (1..).zip(lines) {
        let cells = |column: u16| (name, first, column, last, column);
        chart.add_series().set_name(&literal(title)).set_categories(cells(0)).set_values(cells(column));
    }
    chart
}
