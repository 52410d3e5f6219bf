//! Finds the output that prints a figure of the text. A figure that no output prints is a claim.

use crate::checks::{Figure, Kind, Measured, Number, Paragraph, Reading, Side};

/// Words of a sentence whose figures are promises and not measurements.
#[rustfmt::skip]
const CLAIMS: [&str; 17] = [
    "claim", "spec", "datasheet", "data sheet", "up to", "rated", "advertis", "promis", "theoretic", "should ", "expect", "vendor",
    "intel says", "marketing", "according to", "capable of", "maximum of",
];

/// Most outputs that words are held against, and most values that count as promises.
const OUTPUTS_MAX: usize = 500;
const CLAIMED_MAX: usize = 1000;
/// Most paragraphs and tables of a document that are held against its outputs.
const WORDS_MAX: usize = 2000;

/// The paragraphs that are held against outputs.
pub(super) fn paragraphs(reading: &Reading) -> &[Paragraph] {
    let all = &reading.prose.paragraphs;
    &all[..all.len().min(WORDS_MAX)]
}

/// True where a sentence is about promises.
pub(super) fn is_claim(sentence: &str) -> bool {
    let text = sentence.to_lowercase();
    CLAIMS.iter().any(|word| text.contains(word))
}

/// Values that the document calls promises somewhere.
pub(super) fn claimed(reading: &Reading) -> Vec<f64> {
    let mut all = Vec::new();
    // A list belongs to the sentence that introduces it: "the specification lists:".
    let mut in_list = false;
    for paragraph in &reading.prose.paragraphs {
        if !paragraph.is_item() {
            in_list = paragraph.text.ends_with(':') && is_claim(&paragraph.text);
        }
        let is_any = is_claim(&paragraph.text);
        let is_promise = |figure: &&Figure| (in_list || is_any && is_claim(paragraph.sentence(figure.at))) && figure.digits >= 2;
        all.extend(paragraph.figures.iter().filter(is_promise).map(|figure| figure.number.value));
    }
    for table in &reading.prose.tables {
        let columns = table.header.iter().enumerate().filter(|(_, name)| is_claim(name)).map(|(at, _)| at);
        for at in columns.filter(|at| *at > 0) {
            all.extend(table.rows.iter().filter_map(|row| row.cells.get(at - 1)?.as_ref()).map(|figure| figure.number.value));
        }
    }
    all.truncate(CLAIMED_MAX);
    all
}

/// A printed figure that words may quote.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub line: u32,
    pub number: Number,
}

/// All figures of one kind that outputs print, with sums over the directions of each.
pub(super) fn candidates(reading: &Reading, kind: Kind) -> Vec<Candidate> {
    let mut all = Vec::new();
    for measured in reading.measured.iter().take(OUTPUTS_MAX) {
        all.extend(measured.figures(kind).into_iter().map(|(line, number)| Candidate { line, number }));
        let (iops, bytes) = measured.total();
        let total = match kind {
            Kind::Iops => iops,
            Kind::BytesPerSecond => bytes,
            _ => None,
        };
        all.extend(total.map(|value| Candidate { line: measured.first, number: Number::exact(value) }));
    }
    all
}

/// The outputs that print a figure, by four digits or more.
pub(super) fn outputs<'a>(reading: &'a Reading, figure: &Figure) -> Vec<&'a Measured> {
    if figure.digits < 4 || figure.number.value < 1000.0 {
        return Vec::new();
    }
    let kind = if figure.kind == Kind::Plain { Kind::Iops } else { figure.kind };
    let all = reading.measured.iter().take(OUTPUTS_MAX);
    all.filter(|measured| prints(measured, kind, &figure.number)).collect()
}

/// True where an output prints the figure, or the sum over its directions gives it.
fn prints(measured: &Measured, kind: Kind, number: &Number) -> bool {
    let of = |side: &Side| if kind == Kind::BytesPerSecond { side.bytes_per_s } else { side.iops };
    if !matches!(kind, Kind::Iops | Kind::BytesPerSecond) {
        return measured.figures(kind).iter().any(|(_, printed)| number.rounds(printed.value));
    }
    let (iops, bytes) = measured.total();
    let total = if kind == Kind::BytesPerSecond { bytes } else { iops };
    let quoted = measured.quotable.iter().filter(|figure| figure.kind == kind).map(|figure| figure.number.value);
    measured.sides.iter().filter_map(of).map(|printed| printed.value).chain(quoted).chain(total).any(|value| number.rounds(value))
}

/// Figures of tables with the words that say what they are of: heading, caption, row.
pub(super) fn cells(reading: &Reading) -> impl Iterator<Item = (String, &Figure)> {
    reading.prose.tables.iter().take(WORDS_MAX).flat_map(|table| {
        table.rows.iter().flat_map(move |row| {
            let words = format!("{} {} {} {}", table.heading, table.caption, table.header.join(" "), row.label);
            row.cells.iter().flatten().map(move |figure| (words.clone(), figure))
        })
    })
}

pub(super) fn around(paragraph: &Paragraph, figure: &Figure) -> String {
    paragraph.sentence(figure.at).to_owned()
}
