//! Percentages and factors against the two numbers that they are made of.

use super::bind::paragraphs;
use crate::checks::{Figure, Findings, Kind, Number, Paragraph, Reading, Table, show};

const NAME: &str = "ratio";

/// A percentage or factor with its two numbers.
pub(super) struct Ratio {
    pub stated: Figure,
    pub above: Figure,
    pub below: Figure,
    /// The exact value in the unit of the statement.
    pub exact: f64,
}

/// Ways of saying how two numbers compare: `a / b`, `a / b - 1`, `1 - a / b`, in the unit of the statement.
fn forms(kind: Kind, words: &str) -> Vec<fn(f64, f64) -> f64> {
    let text = words.to_lowercase();
    let grows =
        ["speed", "faster", "higher", "more", "gain", "improve", "increase", "better", "above"].iter().any(|word| text.contains(word));
    let shrinks =
        ["less", "lower", "drop", "slower", "decrease", "fewer", "below", "worse", "loss", "reduc"].iter().any(|word| text.contains(word));
    let mut all: Vec<fn(f64, f64) -> f64> = Vec::new();
    if kind == Kind::Factor {
        all.push(|a, b| a / b);
        return all;
    }
    all.push(|a, b| 100.0 * a / b);
    if grows {
        all.push(|a, b| 100.0 * (a / b - 1.0));
    }
    if shrinks {
        all.push(|a, b| 100.0 * (1.0 - a / b));
    }
    all
}

/// All statements whose numbers are found: in the same sentence, the same row, or in the columns of the table above.
pub(super) fn ratios(reading: &Reading) -> Vec<Ratio> {
    let mut all = Vec::new();
    for paragraph in paragraphs(reading) {
        for stated in paragraph.figures.iter().filter(|figure| matches!(figure.kind, Kind::Percent | Kind::Factor)) {
            let words = paragraph.sentence(stated.at);
            let operands: Vec<&Figure> = paragraph.figures_beside(stated.at).filter(|figure| is_operand(figure)).collect();
            let found = matching(stated, &operands, words).or_else(|| in_table(reading, paragraph, stated, words));
            all.extend(found);
        }
    }
    for table in reading.prose.tables.iter().take(5000) {
        for (stated, operands, words) in rows(table) {
            all.extend(matching(stated, &operands, &words));
        }
    }
    all
}

fn is_operand(figure: &Figure) -> bool {
    matches!(figure.kind, Kind::Iops | Kind::BytesPerSecond) || figure.kind == Kind::Plain && figure.number.value >= 100.0
}

/// Percentages of a table's rows with the other figures of the row.
fn rows(table: &Table) -> Vec<(&Figure, Vec<&Figure>, String)> {
    let mut all = Vec::new();
    for row in &table.rows {
        let figures: Vec<&Figure> = row.cells.iter().flatten().collect();
        for stated in figures.iter().filter(|figure| figure.kind == Kind::Percent) {
            let operands = figures.iter().copied().filter(|figure| is_operand(figure)).collect();
            all.push((*stated, operands, table.header.join(" ")));
        }
    }
    all
}

/// The pair whose ratio rounds to the statement.
fn matching(stated: &Figure, operands: &[&Figure], words: &str) -> Option<Ratio> {
    // The words are read once, and not for each pair.
    let forms = if operands.len() > 1 { forms(stated.kind, words) } else { Vec::new() };
    pairs(operands).find_map(|(above, below)| {
        let exact = forms.iter().map(|form| form(above.number.value, below.number.value)).find(|exact| stated.number.rounds(*exact))?;
        Some(Ratio { stated: stated.clone(), above: above.clone(), below: below.clone(), exact })
    })
}

fn pairs<'a>(operands: &[&'a Figure]) -> impl Iterator<Item = (&'a Figure, &'a Figure)> {
    const MOST: usize = 12;
    let all: Vec<&Figure> = operands.iter().copied().take(MOST).collect();
    let count = all.len();
    (0..count * count).filter_map(move |index| {
        let (a, b) = (all[index / count], all[index % count]);
        let is_pair = !std::ptr::eq(a, b) && b.number.value > 0.0 && (a.kind == b.kind || a.kind == Kind::Plain || b.kind == Kind::Plain);
        is_pair.then_some((a, b))
    })
}

/// Two figures of one column of the table above the paragraph.
fn in_table(reading: &Reading, paragraph: &Paragraph, stated: &Figure, words: &str) -> Option<Ratio> {
    const NEAR_LINES: u32 = 12;
    let tables = &reading.prose.tables;
    let above = tables.partition_point(|table| table.line < paragraph.line).checked_sub(1)?;
    let table = tables.get(above).filter(|table| paragraph.line - table.line <= NEAR_LINES)?;
    let columns = table.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    (0..columns).find_map(|column| {
        let operands: Vec<&Figure> =
            table.rows.iter().filter_map(|row| row.cells.get(column)?.as_ref()).filter(|figure| is_operand(figure)).collect();
        matching(stated, &operands, words)
    })
}

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let held = ratios(reading);
    for ratio in &held {
        let (above, below) = (&ratio.above.text, &ratio.below.text);
        findings.holds(
            NAME,
            reading.at(ratio.stated.line),
            format!("{above} / {below} is {:.2}, as {} says", ratio.exact, ratio.stated.text),
        );
    }
    for paragraph in paragraphs(reading) {
        for stated in paragraph.figures.iter().filter(|figure| figure.kind == Kind::Percent) {
            let words = paragraph.sentence(stated.at);
            let operands: Vec<&Figure> = paragraph.figures_beside(stated.at).filter(|figure| is_operand(figure)).collect();
            if matching(stated, &operands, words).is_none() {
                off(reading, stated, &operands, words, findings);
            }
        }
    }
    for table in reading.prose.tables.iter().take(5000) {
        let is_match = table
            .header
            .iter()
            .any(|name| ["match", "%", "percent", "ratio", "share", "of spec"].iter().any(|word| name.to_lowercase().contains(word)));
        for (stated, operands, words) in rows(table).into_iter().filter(|_| is_match) {
            if operands.len() == 2 && matching(stated, &operands, &words).is_none() {
                off(reading, stated, &operands, &format!("{words} / of"), findings);
            }
        }
    }
}

/// Reports a percentage that follows from no pair of numbers: as cut off, or as wrong where the sentence names the pair.
fn off(reading: &Reading, stated: &Figure, operands: &[&Figure], words: &str, findings: &mut Findings) {
    let place = reading.at(stated.line);
    let forms = if operands.len() > 1 { forms(stated.kind, words) } else { Vec::new() };
    let all = || pairs(operands).flat_map(|(a, b)| forms.iter().map(move |form| (a, b, form(a.number.value, b.number.value))));
    if let Some((a, b, exact)) = all().find(|(.., exact)| stated.number.truncates(*exact)) {
        let title = format!("{} / {} is {exact:.1} %, which rounds to {:.0} %: {} is cut", a.text, b.text, exact, stated.text);
        findings.note("cut-not-rounded", place, title, arithmetic(a.number, b.number, exact));
        return;
    }
    let is_plain = words.contains(" / ") || words.contains("% of the ") || words.contains("% of ");
    let is_rough = ["rough", "about", "around", "~", "approx", "almost", "nearly", "over ", "less than", "more than", "at least", "up to"]
        .iter()
        .any(|word| words.to_lowercase().contains(word));
    let mut values: Vec<f64> = operands.iter().map(|operand| operand.number.value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let exactly_two = values.len() == 2 && words.matches('%').count() <= 1;
    if !is_plain || !exactly_two || is_rough {
        return;
    }
    let Some((a, b, exact)) = all().min_by(|a, b| (a.2 - stated.number.value).abs().total_cmp(&(b.2 - stated.number.value).abs())) else {
        return;
    };
    // Far off it may be of other numbers than these.
    if (exact / stated.number.value - 1.0).abs() < 0.3 {
        let title = format!("{} / {} is {exact:.1} %, not {}", a.text, b.text, stated.text);
        let because = arithmetic(a.number, b.number, exact);
        findings.wrong(NAME, place, title, because);
    }
}

fn arithmetic(a: Number, b: Number, exact: f64) -> String {
    format!("{} / {} = {:.4} ({exact:.2} %)", show::whole(a.value), show::whole(b.value), a.value / b.value)
}
