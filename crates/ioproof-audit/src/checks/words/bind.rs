//! Figures in words bound to the outputs that print them, and told from figures that somebody claims.

use crate::measured::{Kind, Measured};
use crate::number::Number;
use crate::prose::{Figure, Paragraph};
use crate::reading::Reading;

/// Words of a sentence whose figures are promises and not measurements.
const CLAIMS: [&str; 17] = [
    "claim",
    "spec",
    "datasheet",
    "data sheet",
    "up to",
    "rated",
    "advertis",
    "promis",
    "theoretic",
    "should ",
    "expect",
    "vendor",
    "intel says",
    "marketing",
    "according to",
    "capable of",
    "maximum of",
];

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
        let is_promise = |figure: &&Figure| (in_list || is_claim(paragraph.sentence(figure.at))) && figure.digits >= 2;
        all.extend(paragraph.figures.iter().filter(is_promise).map(|figure| figure.number.value));
    }
    for table in &reading.prose.tables {
        let columns = table.header.iter().enumerate().filter(|(_, name)| is_claim(name)).map(|(at, _)| at);
        for at in columns.filter(|at| *at > 0) {
            all.extend(table.rows.iter().filter_map(|row| row.cells.get(at - 1)?.as_ref()).map(|figure| figure.number.value));
        }
    }
    all
}

/// A printed figure that words may quote.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub line: u32,
    pub number: Number,
    pub measured: usize,
}

/// All figures of one kind that outputs print, with sums over the directions of each.
pub(super) fn candidates(reading: &Reading, kind: Kind) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (at, measured) in reading.measured.iter().enumerate() {
        all.extend(measured.figures(kind).into_iter().map(|(line, number)| Candidate { line, number, measured: at }));
        let (iops, bytes) = measured.total();
        let total = match kind {
            Kind::Iops => iops,
            Kind::BytesPerSecond => bytes,
            _ => None,
        };
        all.extend(total.map(|value| Candidate { line: measured.first, number: Number::exact(value), measured: at }));
    }
    all
}

/// The outputs that print a figure, by four digits or more.
pub(super) fn outputs<'a>(reading: &'a Reading, figure: &Figure) -> Vec<&'a Measured> {
    if figure.digits < 4 || figure.number.value < 1000.0 {
        return Vec::new();
    }
    let kind = if figure.kind == Kind::Plain { Kind::Iops } else { figure.kind };
    let mut found: Vec<&Measured> = Vec::new();
    for candidate in candidates(reading, kind).iter().filter(|candidate| figure.number.rounds(candidate.number.value)) {
        let measured = &reading.measured[candidate.measured];
        if !found.iter().any(|known| std::ptr::eq(*known, measured)) {
            found.push(measured);
        }
    }
    found
}

/// Figures of tables with the words that say what they are of: heading, caption, row.
pub(super) fn cells(reading: &Reading) -> impl Iterator<Item = (String, &Figure)> {
    reading.prose.tables.iter().flat_map(|table| {
        table.rows.iter().flat_map(move |row| {
            let words = format!("{} {} {} {}", table.heading, table.caption, table.header.join(" "), row.label);
            row.cells.iter().flatten().map(move |figure| (words.clone(), figure))
        })
    })
}

/// Words around a figure of a paragraph.
pub(super) fn around(paragraph: &Paragraph, figure: &Figure) -> String {
    paragraph.sentence(figure.at).to_owned()
}
