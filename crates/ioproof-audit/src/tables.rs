//! An audit as tables of results, which every format of reports renders alike.

use crate::claims::{ClaimAnswer, ClaimRow};
use crate::finding::{Findings, Found, Weight};
use crate::measured::{Measured, Side};
use crate::reading::Reading;
use crate::show::place;
use ioproof_core::results::{Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use ioproof_core::text::visible;
use std::ops::Range;

/// Findings, claims, measurements and lines that were not understood; a table without rows is left out.
#[must_use]
pub fn tables(readings: &[Reading], findings: &Findings, claims: &[ClaimRow]) -> Vec<ResultTable> {
    let is_sole = readings.len() == 1;
    let all = [of_findings(findings, is_sole), of_claims(claims, is_sole), of_measured(readings, is_sole), of_unknown(readings, is_sole)];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn of_findings(findings: &Findings, is_sole: bool) -> ResultTable {
    let columns = ["line", "finding", "because", "mend", "check"];
    let mut table = table("findings", "Findings", "finding", columns.map(text).into());
    for weight in [Weight::Wrong, Weight::Doubt, Weight::Note] {
        let found = findings.found.iter().filter(|found| found.weight == weight);
        let cells = |found: &Found| {
            row([
                place(is_sole, &found.file, found.line),
                found.title.clone(),
                found.because.clone(),
                found.remedy.clone(),
                found.check.into(),
            ])
        };
        add(&mut table, weight.title(), &[0, 1, 2, 3, 4], found.map(cells));
    }
    let sound = findings.sound.iter().map(|sound| row([place(is_sole, &sound.file, sound.line), sound.text.clone()]));
    add(&mut table, "sound", &[0, 1], sound);
    table
}

fn of_claims(claims: &[ClaimRow], is_sole: bool) -> ResultTable {
    let columns = ["load", "claimed", "measured", "match", "verdict", "line", "why"].map(text);
    let mut table = table("claims", "Claims", "claim", columns.into());
    table.columns[3].unit = Unit::Share;
    for rows in claims.chunk_by(|a, b| a.datasheet == b.datasheet) {
        add(&mut table, &rows[0].datasheet, &[0, 1, 2, 3, 4, 5, 6], rows.iter().map(|claim| of_claim(claim, is_sole)));
    }
    table
}

fn of_claim(claim: &ClaimRow, is_sole: bool) -> ResultRow {
    let answer = |of: &dyn Fn(&ClaimAnswer) -> Figure| claim.answer.as_ref().map_or(Figure::None, of);
    let figures = vec![
        words(&claim.load),
        words(&claim.claimed),
        answer(&|answer| words(&answer.measured)),
        answer(&|answer| answer.share.into()),
        claim.answer.as_ref().map_or("not measured", |answer| answer.verdict.title()).into(),
        answer(&|answer| words(&place(is_sole, &answer.file, answer.line))),
        answer(&|answer| words(&answer.reasons.join("; "))),
    ];
    ResultRow { figures, ..ResultRow::default() }
}

fn of_measured(readings: &[Reading], is_sole: bool) -> ResultTable {
    let mut columns: Vec<Column> = ["line", "tool", "test", "load", "direction"].map(text).into();
    columns.extend([
        column("IOPS", "iops", Unit::Count),
        column("throughput", "mb_per_s", Unit::Throughput),
        column("mean latency", "mean_us", Unit::Time),
    ]);
    let mut table = table("measured", "Measurements as they were read", "measurement", columns);
    let all = readings.iter().flat_map(|reading| reading.measured.iter().map(move |measured| (reading, measured)));
    let rows = all.flat_map(|(reading, measured)| measured.sides.iter().map(move |side| of_side(reading, measured, side, is_sole)));
    add(&mut table, "", &[0, 1, 2, 3, 4, 5, 6, 7], rows);
    table
}

fn of_side(reading: &Reading, measured: &Measured, side: &Side, is_sole: bool) -> ResultRow {
    let mut row = row([
        place(is_sole, reading.file(), side.line),
        measured.tool.to_owned(),
        measured.name.clone(),
        measured.words(),
        side.direction.word().to_owned(),
    ]);
    // A count is printed without its fraction.
    let iops = side.iops.map(|number| number.value.round());
    row.figures.extend([iops, side.bytes_per_s.map(|number| number.value), side.latency.mean.map(|number| number.value)].map(Figure::from));
    row
}

fn of_unknown(readings: &[Reading], is_sole: bool) -> ResultTable {
    let mut table = table("not-understood", "Not understood", "line", ["line", "text"].map(text).into());
    let rows = readings
        .iter()
        .flat_map(|reading| reading.not_understood().map(move |(line, text)| row([place(is_sole, reading.file(), line), text])));
    add(&mut table, "", &[0, 1], rows);
    table
}

fn table(id: &'static str, title: &str, row_name: &'static str, columns: Vec<Column>) -> ResultTable {
    ResultTable { id, title: title.to_owned(), row_name, columns, ..ResultTable::default() }
}

fn text(name: &'static str) -> Column {
    column(name, name, Unit::Note)
}

fn words(text: &str) -> Figure {
    if text.is_empty() { Figure::None } else { visible(text).into() }
}

/// A row of texts; cells that are missing at its end have a dash.
fn row<const N: usize>(texts: [String; N]) -> ResultRow {
    ResultRow { figures: texts.iter().map(|text| words(text)).collect(), ..ResultRow::default() }
}

/// Adds a part with these rows under a heading that has their number.
fn add(table: &mut ResultTable, heading: &str, columns: &[usize], rows: impl Iterator<Item = ResultRow>) {
    let first = table.rows.len();
    table.rows.extend(rows);
    let rows: Range<usize> = first..table.rows.len();
    if !rows.is_empty() {
        let heading = if heading.is_empty() { String::new() } else { format!("{}: {}", visible(heading), rows.len()) };
        table.parts.push(Part { caption: heading.clone(), heading, columns: columns.into(), rows, ..Part::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_weight_is_a_part_and_what_was_not_printed_is_a_dash() {
        let text = "# T\n\nfio measures 84,647 IOPS\n\n```\na: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=32\nfio-2.1.9\n\
            a: (groupid=0, jobs=1): err= 0: pid=1: Mon Mar 30 23:42:25 2015\n  read : io=10216MB, bw=348685KB/s, iops=87171, runt= 30002msec\n```\n";
        let readings = [Reading::new("a.md", text.as_bytes())];
        let tables = tables(&readings, &crate::audit(&readings), &[]);
        let parts: Vec<&str> = tables[0].parts.iter().map(|part| part.heading.as_str()).collect();
        assert!(parts[0].starts_with("wrong: ") && tables[0].cells(&tables[0].parts[0])[0][1].contains("84,647 IOPS"), "{parts:?}");
        let measured = tables.iter().find(|table| table.id == "measured").expect("a table");
        let cells = measured.cells(&measured.parts[0]);
        assert_eq!(cells[0][1..6], ["fio", "a", "randread, 4 KiB, 1 x depth 32", "read", "87\u{202f}171"].map(str::to_owned), "{cells:?}");
        assert_eq!(cells[0][7], "-");
    }
}
