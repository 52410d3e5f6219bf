//! A fleet as a workbook: the sheets of its tables with all drives, every value of every figure, and charts in which each drive is a point.

use super::cells::Look;
use super::charts::{Plot, Scale, draw, of_charts};
use super::results;
use super::sheet;
use super::table::{Column, column, heading, lines};
use super::verdicts::unit;
use crate::fleet::FleetReport;
use ioproof_core::fleet::{DriveRun, Group, GroupFigure, Problem, tables};
use rust_xlsxwriter::{Chart, Worksheet, XlsxError};

/// A spreadsheet has 1,048,576 rows.
const MOST_VALUES: u32 = 1_000_000;
/// Charts of one workbook.
const MOST_CHARTS: usize = 60;

/// The workbook; the same fleet gives the same bytes.
pub(crate) fn workbook(report: &FleetReport) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = sheet::workbook("ioproof: fleet")?;
    workbook.push_worksheet(summary(report)?);
    for table in tables(report.fleet, report.runs, true) {
        workbook.push_worksheet(results::sheet(&report.heading(), &[], &table)?.0);
    }
    let (values, charts) = values(report)?;
    workbook.push_worksheet(values);
    if !charts.is_empty() {
        workbook.push_worksheet(of_charts("Each drive of a figure, from the lowest to the highest value", &charts)?);
    }
    workbook.save_to_buffer()
}

/// The sheet `Summary`: sentences.
fn summary(report: &FleetReport) -> Result<Worksheet, XlsxError> {
    let fleet = report.fleet;
    let slow_nodes = fleet.slow_nodes.iter().map(|node| ("slow node".to_owned(), node.sentence(), Look::Warning));
    let notes = fleet.notes.iter().map(|text| ("note".to_owned(), text.clone(), Look::Fact));
    let problem =
        |problem: &Problem| (problem.place.clone(), problem.text.clone(), if problem.is_missing { Look::Warning } else { Look::Note });
    let method = fleet.method.iter().map(|text| ("method".to_owned(), text.clone(), Look::Remark));
    sheet::of_facts("Summary", &report.heading(), slow_nodes.chain(notes).chain(fleet.problems.iter().map(problem)).chain(method))
}

/// One value of one drive.
struct DriveValue<'a> {
    group: &'a Group,
    figure: &'a GroupFigure,
    run: &'a DriveRun,
    rank: u32,
    value: f64,
}

/// Columns of `Values` that charts are drawn of.
const RANK: u16 = 4;
const VALUE: u16 = 5;

fn columns<'a>() -> [Column<DriveValue<'a>>; 8] {
    [
        column("figure", 52, Look::Text, |of| of.figure.name.as_str().into()),
        column("model", 26, Look::Text, |of| of.group.model.as_str().into()),
        column("drive", 22, Look::Text, |of| of.run.name().into()),
        column("node", 16, Look::Text, |of| of.run.node.as_str().into()),
        column("rank", 8, Look::Count, |of| of.rank.into()),
        column("value", 14, Look::Figure, |of| (of.value / unit(of.figure.metric).0).into()),
        column("unit", 8, Look::Text, |of| unit(of.figure.metric).1.into()),
        column("share of the median", 12, Look::Share, |of| (of.value / of.figure.median).into()),
    ]
}

/// The sheet `Values`, and a chart for each figure.
fn values(report: &FleetReport) -> Result<(Worksheet, Vec<Chart>), XlsxError> {
    let mut sheet = sheet::new("Values")?;
    let columns = columns();
    heading(&mut sheet, 0, &columns)?;
    sheet::keep_headings(&mut sheet, 0, 3)?;
    let (mut row, mut charts) = (1, Vec::new());
    for (group, figure) in report.fleet.groups.iter().flat_map(|group| group.figures.iter().map(move |figure| (group, figure))) {
        let mut sorted = figure.values.clone();
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
        let values =
            (1..).zip(&sorted).map(|(rank, (run, value))| DriveValue { group, figure, run: &report.runs[*run], rank, value: *value });
        let values: Vec<DriveValue> = values.collect();
        if row + values.len() as u32 > MOST_VALUES {
            break;
        }
        let end = lines(&mut sheet, row, &columns, values.iter())?;
        if charts.len() < MOST_CHARTS {
            let plot = Plot {
                title: format!("{}: {}", group.model, figure.name),
                sheet: "Values",
                x: (RANK, Scale { name: "drives by rank".into(), log: None }),
                y: (VALUE, Scale { name: unit(figure.metric).1.into(), log: None }),
                whiskers: None,
            };
            charts.push(draw(&plot, &[((row, end - 1), group.model.clone())]));
        }
        row = end;
    }
    sheet.autofilter(0, 0, row.max(2) - 1, columns.len() as u16 - 1)?;
    Ok((sheet, charts))
}
