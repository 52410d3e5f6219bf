//! Rates in tables above what the link of their drive carries, which only a cache can give.

use crate::checks::{Figure, Findings, Kind, Paragraph, Reading, Row, Table, show};

const NAME: &str = "above-link";

/// A drive that words name with its link.
struct Linked {
    tokens: Vec<String>,
    words: String,
    bytes_per_s: f64,
}

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let linked: Vec<Linked> = reading.prose.paragraphs.iter().filter_map(link).collect();
    if linked.is_empty() {
        return;
    }
    for table in &reading.prose.tables {
        for drive in &linked {
            if let Some(column) = column(table, drive, &linked) {
                hold(reading, table, column, drive, findings);
            }
        }
    }
}

/// The link that a short paragraph names: `SATA ..., 6 Gb/s`, `PCIe 3.0 x4`.
fn link(paragraph: &Paragraph) -> Option<Linked> {
    const BYTES_MAX: usize = 200;
    let text = &paragraph.text;
    if text.len() > BYTES_MAX {
        return None;
    }
    let bytes_per_s = if text.contains("SATA") {
        let gbit = paragraph.figures.iter().find(|figure| figure.kind == Kind::BytesPerSecond && figure.unit.starts_with("Gb"))?;
        // Eight data bits in ten of the line.
        gbit.number.value * 0.8
    } else {
        pcie(text)?
    };
    let is_token = |word: &&str| word.len() >= 3 && word.chars().any(|c| c.is_ascii_digit()) && word.chars().all(char::is_alphanumeric);
    let tokens = text.split(|c: char| !c.is_alphanumeric()).filter(is_token).map(str::to_owned).collect();
    Some(Linked { tokens, words: text.trim_start_matches(['-', '*', '•', ' ']).trim_end_matches([';', '.']).to_owned(), bytes_per_s })
}

fn pcie(text: &str) -> Option<f64> {
    let rest = text.split("PCIe").nth(1).or_else(|| text.split("PCI-E").nth(1))?.trim_start();
    let generation = rest.chars().find(char::is_ascii_digit)?;
    let lanes: f64 = rest.split(['x', 'х', '×']).nth(1)?.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()?;
    let lane = match generation {
        '1' => 0.25e9,
        '2' => 0.5e9,
        '3' => 0.985e9,
        '4' => 1.969e9,
        '5' => 3.938e9,
        _ => return None,
    };
    Some(lane * lanes)
}

/// The column of a drive: by its own header, or by the order in which one header names all drives.
fn column(table: &Table, drive: &Linked, all: &[Linked]) -> Option<usize> {
    let own = |tokens: &[String], text: &str| {
        tokens
            .iter()
            .filter(|token| all.iter().filter(|other| other.tokens.contains(token)).nth(1).is_none())
            .filter_map(|token| text.find(token.as_str()))
            .min()
    };
    if table.header.len() > 1 {
        return table.header.iter().skip(1).position(|name| own(&drive.tokens, name).is_some());
    }
    let header = table.header.first()?;
    let place = own(&drive.tokens, header)?;
    Some(all.iter().filter_map(|other| own(&other.tokens, header)).filter(|other| *other < place).count())
}

fn hold(reading: &Reading, table: &Table, column: usize, drive: &Linked, findings: &mut Findings) {
    let rate = |row: &Row| row.cells.get(column).and_then(Option::as_ref).filter(|figure| figure.kind == Kind::BytesPerSecond).cloned();
    let rates: Vec<(Figure, &Row)> = table.rows.iter().filter_map(|row| Some((rate(row)?, row))).collect();
    let above: Vec<&(Figure, &Row)> = rates.iter().filter(|(figure, _)| figure.number.value > drive.bytes_per_s).collect();
    let Some((worst, row)) = above.iter().max_by(|a, b| a.0.number.value.total_cmp(&b.0.number.value)).map(|found| (&found.0, found.1))
    else {
        return;
    };
    let times = worst.number.value / drive.bytes_per_s;
    let title = format!("{} ({}) is {times:.1} times what the link carries: a cache's figure", worst.text, row.label);
    // Reads and writes of one run share the link.
    let sum: f64 = above.iter().map(|(figure, _)| figure.number.value).sum();
    let both =
        if above.len() > 1 { format!("; together {} or {:.1} times", show::rate(sum), sum / drive.bytes_per_s) } else { String::new() };
    let because = format!("{} against {} of \"{}\"{both}", show::rate(worst.number.value), show::rate(drive.bytes_per_s), drive.words);
    findings.wrong(NAME, reading.at(row.line), title, because).mend("open with O_DIRECT, or use more data than memory");
}
