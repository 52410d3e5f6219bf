//! Several runs as a workbook: what differs, every figure of each run against the first, every round behind them, and the points of sweeps with their charts.

use super::cells::Look;
use super::charts::{Plot, Scale, draw, logarithmic, of_charts};
use super::sheet;
use super::table::{Column, column, heading, lines, listed};
use super::verdicts::unit;
use crate::tables::Cell;
use ioproof_core::compare::words::{self, AgainstFirst, ComparedLine as Line, ComparisonWords, is_per_second, letter};
use ioproof_core::compare::{Curve, CurvePoint, Row};
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The workbook; the same comparison gives the same bytes.
pub(crate) fn workbook(view: &ComparisonWords) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = sheet::workbook("ioproof: runs compared")?;
    workbook.push_worksheet(facts(view)?);
    workbook.push_worksheet(listed("Figures", 2, &figure_columns(), view.lines())?);
    workbook.push_worksheet(rounds(view)?);
    if !view.comparison.curves.is_empty() {
        let (points, charts) = curves(view)?;
        workbook.push_worksheet(points);
        workbook.push_worksheet(charts);
    }
    workbook.save_to_buffer()
}

/// The sheet `Runs`: which they are, and everything beside the figures in which they differ.
fn facts(view: &ComparisonWords) -> Result<Worksheet, XlsxError> {
    let runs = view.runs.iter().map(|run| (run.letter.clone(), format!("{}  {}", run.id, run.about), Look::Fact));
    let conditions = view.conditions.iter().map(|one| (format!("other conditions: {}", one.name), one.words(), Look::Warning));
    let differing = view.facts.iter().map(|one| (format!("differs: {}", one.name), one.words(), Look::Fact));
    let said = |block: &AgainstFirst, said: &String| (format!("{} against A", block.letter), said.clone(), Look::Fact);
    let says = view.blocks.iter().flat_map(|block| block.says.iter().map(move |text| said(block, text)));
    let alone = view.alone.iter().map(|text| ("not in all runs".to_owned(), text.clone(), Look::Fact));
    let legend = view.legend().into_iter().map(|text| (String::new(), text.to_owned(), Look::Remark));
    sheet::of_facts("Runs", "Runs compared", runs.chain(conditions).chain(differing).chain(says).chain(alone).chain(legend))
}

/// Columns of the sheet `Figures`: a line for each figure of each run but the first.
fn figure_columns<'v>() -> [Column<Line<'v>>; 24] {
    use Look::{Count, Figure, Share, Text, Wrapped};
    [
        column("run", 7, Text, |line| letter(line.run).into()),
        column("workload", 44, Text, |line| visible(&line.row.title()).into()),
        column("figure", 12, Text, |line| line.figure.into()),
        column("unit", 8, Text, |line| unit_of(line.row).into()),
        column("A", 13, Figure, |line| figure(line, 0, |e| e.median)),
        column("A, low", 13, Figure, |line| end(line, 0, |(low, _)| low)),
        column("A, high", 13, Figure, |line| end(line, 0, |(_, high)| high)),
        column("A, runs (n)", 8, Count, |line| line.row.measured[0].map(|e| e.runs).into()),
        column("this", 13, Figure, |line| figure(line, line.run, |e| e.median)),
        column("this, low", 13, Figure, |line| end(line, line.run, |(low, _)| low)),
        column("this, high", 13, Figure, |line| end(line, line.run, |(_, high)| high)),
        column("this, runs (n)", 8, Count, |line| line.row.measured[line.run].map(|e| e.runs).into()),
        column("change", 10, Share, |line| line.against.change.into()),
        column("change, low", 10, Share, |line| line.against.interval.map(|interval| interval.0).into()),
        column("change, high", 10, Share, |line| line.against.interval.map(|interval| interval.1).into()),
        column("answer", 13, Text, |line| line.answer.title().into()),
        column("runs that would tell", 10, Text, |line| line.needed.clone().into()),
        column("remarks", 50, Wrapped, remarks),
        column("A, flushes per commit", 10, Figure, |line| line.row.flushes_per_commit.first().copied().flatten().into()),
        column("this, flushes per commit", 10, Figure, |line| line.row.flushes_per_commit.get(line.run).copied().flatten().into()),
        column("A, bytes per commit", 10, Figure, |line| line.row.drive_bytes_per_commit.first().copied().flatten().into()),
        column("this, bytes per commit", 10, Figure, |line| line.row.drive_bytes_per_commit.get(line.run).copied().flatten().into()),
        column("A, of the layer below", 10, Share, |line| share(line, 0)),
        column("this, of the layer below", 10, Share, |line| share(line, line.run)),
    ]
}

fn share(line: &Line, run: usize) -> Cell {
    line.row.shares.get(run).copied().flatten().map(|share| share.median).into()
}

/// Commits are told per second, and are no I/Os.
fn unit_of(row: &Row) -> &'static str {
    if is_per_second(row) { "1/s" } else { unit(row.metric).1 }
}

fn figure(line: &Line, run: usize, of: fn(&Estimate) -> f64) -> Cell {
    line.row.measured[run].as_ref().map(|estimate| of(estimate) / unit(line.row.metric).0).into()
}

fn end(line: &Line, run: usize, of: fn((f64, f64)) -> f64) -> Cell {
    line.row.interval(run).map(|ends| of(ends) / unit(line.row.metric).0).into()
}

fn remarks(line: &Line) -> Cell {
    [line.flushes.clone(), line.why(), line.doubted()].into_iter().flatten().collect::<Vec<_>>().join("; ").into()
}

/// One round of one run: its number, and its value.
type RoundValue<'a> = (usize, &'a Row, u32, f64);

/// The sheet `Rounds`: a line for each value that was tested.
fn rounds(view: &ComparisonWords) -> Result<Worksheet, XlsxError> {
    let columns: [Column<RoundValue>; 6] = [
        column("run", 7, Look::Text, |(run, ..)| letter(*run).into()),
        column("workload", 44, Look::Text, |(_, row, ..)| visible(&row.title()).into()),
        column("figure", 12, Look::Text, |(_, row, ..)| words::figure(row).into()),
        column("unit", 8, Look::Text, |(_, row, ..)| unit_of(row).into()),
        column("repetition", 11, Look::Count, |(_, _, number, _)| (*number).into()),
        column("value", 14, Look::Figure, |(_, row, _, value)| (value / unit(row.metric).0).into()),
    ];
    let mut values: Vec<RoundValue> = Vec::new();
    for row in &view.comparison.rows {
        for (run, rounds) in row.rounds.iter().enumerate() {
            values.extend((1..).zip(rounds).map(|(number, value)| (run, row, number, *value)));
        }
    }
    listed("Rounds", 2, &columns, values.iter().take(MOST_ROUNDS))
}

/// A spreadsheet has 1,048,576 rows.
const MOST_ROUNDS: usize = 1_000_000;

/// One cell of a sweep of one run.
type Point<'a> = (usize, &'a Curve, CurvePoint);

/// Columns of `Points` that charts are drawn of.
const AT: u16 = 3;
const RATE: u16 = 4;
const AVERAGE: u16 = 5;

/// The sheets `Points` and `Charts`: the curves of sweeps over each other.
fn curves(view: &ComparisonWords) -> Result<(Worksheet, Worksheet), XlsxError> {
    let mut sheet = sheet::new("Points")?;
    let columns: [Column<Point>; 6] = [
        column("run", 7, Look::Text, |(run, ..)| letter(*run).into()),
        column("series", 44, Look::Text, |(_, curve, _)| curve.title().into()),
        column("outstanding in total", 12, Look::Count, |(.., point)| point.outstanding.into()),
        column("what rises", 12, Look::Count, |(.., point)| point.at.into()),
        column("rate (IOPS, or MB/s)", 14, Look::Figure, |(_, curve, point)| (point.rate / unit(curve.metric).0).into()),
        column("average (µs)", 14, Look::Figure, |(.., point)| (point.latency_ns / 1e3).into()),
    ];
    heading(&mut sheet, 0, &columns)?;
    sheet::keep_headings(&mut sheet, 0, 2)?;
    let (mut row, mut charts) = (1, Vec::new());
    for curve in &view.comparison.curves {
        let mut drawn = Vec::new();
        for (run, points) in curve.points.iter().enumerate() {
            let points: Vec<Point> = points.iter().map(|point| (run, curve, *point)).collect();
            let end = lines(&mut sheet, row, &columns, points.iter())?;
            drawn.extend((end > row).then(|| ((row, end - 1), letter(run))));
            row = end;
        }
        charts.extend(plots(curve).map(|plot| draw(&plot, &drawn)));
    }
    Ok((sheet, of_charts("Charts", &charts)?))
}

fn plots(curve: &Curve) -> [Plot; 2] {
    let places = curve.points.iter().flatten().map(|point| f64::from(point.at));
    let sides = [(format!("rate ({})", unit(curve.metric).1), RATE), ("average latency (µs)".to_owned(), AVERAGE)];
    sides.map(|(name, column)| Plot {
        title: curve.title(),
        whiskers: None,
        sheet: "Points",
        x: (AT, Scale { name: curve.axis.title().to_owned(), log: logarithmic(2, places.clone()) }),
        y: (column, Scale { name, log: None }),
    })
}
