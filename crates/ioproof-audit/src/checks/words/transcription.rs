//! Figures that words and tables quote, against the outputs: digits that changed on the way, digits cut instead of rounded, and units mixed up.

use super::bind::{Candidate, around, candidates, claimed, is_claim, paragraphs};
use crate::checks::{Comma, Figure, Findings, Kind, Reading, leading, show};

const NAME: &str = "transcription";
/// Relative distance up to which a figure is taken for another one with a slip.
const NEAR: f64 = 0.05;
/// The same where one digit differs.
const NEAR_DIGIT: f64 = 0.1;
/// Words of a sentence about a run that is not shown.
const OF_ANOTHER: [&str; 13] =
    ["old ", "older", "previous", "earlier", "before", "last ", "another", "other", "average", "baseline", "instead", "compared", "than "];
/// Words of a sentence that divides a figure, or adds it up.
const OF_SEVERAL: [&str; 5] = ["each", "per ", "eight", "all ", "total"];

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    if reading.measured.is_empty() {
        return;
    }
    let claimed = claimed(reading);
    let is_claimed = |figure: &Figure| claimed.iter().any(|value| (figure.number.value / value - 1.0).abs() < 1e-6);
    let all = [Kind::Iops, Kind::BytesPerSecond, Kind::Nanoseconds].map(|kind| (kind, candidates(reading, kind)));
    let mut held = Vec::new();
    for paragraph in paragraphs(reading) {
        for figure in &paragraph.figures {
            let sentence = around(paragraph, figure);
            if !is_claimed(figure) && !is_claim(&sentence) && quote(reading, figure, &sentence, &all, findings) {
                held.push(figure);
            }
        }
    }
    for table in reading.prose.tables.iter().take(2000) {
        let measures = table
            .header
            .iter()
            .any(|name| ["fio", "measure", "result", "iops", "mb/s", "mib/s"].iter().any(|word| name.to_lowercase().contains(word)));
        for figure in table.rows.iter().flat_map(|row| &row.cells).flatten().filter(|figure| measures && !is_claimed(figure)) {
            if quote(reading, figure, &table.header.join(" "), &all, findings) {
                held.push(figure);
            }
        }
    }
    if let Some(first) = held.first() {
        let list = held.iter().take(8).map(|figure| figure.text.as_str()).collect::<Vec<_>>().join(", ");
        findings.holds(NAME, reading.at(first.line), format!("{} quoted figures are as printed: {list}", held.len()));
    }
}

/// Holds a figure against the outputs; true where one prints it.
fn quote(reading: &Reading, figure: &Figure, words: &str, printed: &[(Kind, Vec<Candidate>)], findings: &mut Findings) -> bool {
    let kind = match figure.kind {
        // A bare number in a table, or one of thousands, may be a rate.
        Kind::Plain if figure.number.value >= 1000.0 && figure.digits >= 4 => Kind::Iops,
        kind @ (Kind::Iops | Kind::BytesPerSecond | Kind::Nanoseconds) => kind,
        _ => return false,
    };
    if figure.digits < 2 || is_year(figure) {
        return false;
    }
    let Some((_, all)) = printed.iter().find(|(of, _)| *of == kind) else { return false };
    if all.iter().any(|candidate| figure.number.rounds(candidate.number.value)) {
        return figure.digits >= 3 || kind == Kind::Nanoseconds;
    }
    let words = words.to_lowercase();
    let is_explained = cut(reading, figure, all, findings) || units(reading, figure, &words, all, findings);
    if !is_explained {
        slip(reading, figure, kind, &words, all, findings);
    }
    false
}

fn has_any(words: &str, of: &[&str]) -> bool {
    of.iter().any(|word| words.contains(word))
}

fn is_year(figure: &Figure) -> bool {
    figure.kind == Kind::Plain && (1970.0..2100.0).contains(&figure.number.value) && figure.digits == 4
}

/// `9.7us` of 9.76: the digits behind are cut.
fn cut(reading: &Reading, figure: &Figure, all: &[Candidate], findings: &mut Findings) -> bool {
    if figure.kind == Kind::Plain {
        return false;
    }
    let Some(candidate) =
        all.iter().find(|candidate| figure.number.truncates(candidate.number.value) && candidate.number.step < figure.number.step)
    else {
        return false;
    };
    let unit = figure.number.step;
    let rounded = (candidate.number.value / unit).round() * unit;
    // Only where the words have fewer digits than the output, and a cut is not what the unit's own factor makes.
    let decimals = |value: f64| show_in(figure, value);
    let title = format!("{} is cut and not rounded: the output says {}", figure.text, decimals(candidate.number.value));
    let because = format!("{} (line {}) rounds to {}", decimals(candidate.number.value), candidate.line, decimals(rounded));
    findings.note("cut-not-rounded", reading.at(figure.line), title, because);
    true
}

/// A value in the unit in which the words have it.
fn show_in(figure: &Figure, value: f64) -> String {
    let factor = figure.number.value / leading_value(&figure.text);
    let text = format!("{:.2}", value / factor);
    format!("{} {}", text.trim_end_matches('0').trim_end_matches('.'), figure.unit).trim().to_owned()
}

fn leading_value(text: &str) -> f64 {
    leading(text, Comma::Groups).map_or(1.0, |(number, _)| number.value).max(f64::MIN_POSITIVE)
}

/// MB for MiB, bits for bytes.
fn units(reading: &Reading, figure: &Figure, sentence: &str, all: &[Candidate], findings: &mut Findings) -> bool {
    if figure.kind != Kind::BytesPerSecond || figure.digits < 3 {
        return false;
    }
    let place = reading.at(figure.line);
    if let Some(candidate) = figure.in_binary().and_then(|binary| all.iter().find(|candidate| binary.rounds(candidate.number.value))) {
        let title = format!("{} are binary: it is {}", figure.text, show::rate(candidate.number.value));
        findings
            .note("mb-against-mib", place, title, format!("line {}: {:.0} bytes/s", candidate.line, candidate.number.value))
            .mend("write MiB/s, or count in 1000");
        return true;
    }
    if has_any(sentence, &OF_SEVERAL) {
        return false;
    }
    for (factor, words) in [(8.0, "bytes, not bits"), (0.125, "bits, not bytes")] {
        let other = figure.number.times(factor);
        if let Some(candidate) = all.iter().find(|candidate| other.rounds(candidate.number.value)) {
            let title = format!("{} should be {words}: the output says {}", figure.text, show::rate(candidate.number.value));
            let because = format!("line {}: {:.0} bytes/s, 8 times off", candidate.line, candidate.number.value);
            findings.wrong("gbit-against-gb", place, title, because);
            return true;
        }
    }
    false
}

/// A number of four digits or more that no output prints, near one that an output does.
fn slip(reading: &Reading, figure: &Figure, kind: Kind, words: &str, all: &[Candidate], findings: &mut Findings) {
    if kind != Kind::Iops || figure.kind == Kind::Plain && !figure.text.contains(',') || figure.digits < 5 || figure.number.step > 1.0 {
        return;
    }
    let printed = all.iter().filter(|candidate| candidate.number.value >= 1000.0);
    let Some(nearest) = printed.min_by(|a, b| distance(figure, a).total_cmp(&distance(figure, b))) else { return };
    let off = figure.number.off(nearest.number.value);
    let is_digit = one_digit(figure.number.value, nearest.number.value);
    if off > NEAR && !is_digit || off > NEAR_DIGIT || appears(reading, figure) {
        return;
    }
    if !is_digit && has_any(words, &OF_ANOTHER) {
        return;
    }
    let how = if is_digit { "one digit differs".to_owned() } else { format!("{} off", show::percent(off)) };
    let title = format!("{} is in no output; line {} prints {}", figure.text, nearest.line, show::whole(nearest.number.value));
    let mut because = format!(
        "{how}: {} / {} = {:.3}",
        show::whole(figure.number.value),
        show::whole(nearest.number.value),
        figure.number.value / nearest.number.value
    );
    because.push_str(&followers(reading, figure, nearest.number.value));
    findings.wrong(NAME, reading.at(figure.line), title, because);
}

/// The distance of a figure, where a digit that differs counts for near.
fn distance(figure: &Figure, candidate: &Candidate) -> f64 {
    let off = figure.number.off(candidate.number.value);
    if one_digit(figure.number.value, candidate.number.value) { off * 0.1 } else { off }
}

fn one_digit(a: f64, b: f64) -> bool {
    let (a, b) = (format!("{a:.0}"), format!("{b:.0}"));
    a.len() == b.len() && a.bytes().zip(b.bytes()).filter(|(a, b)| a != b).count() == 1
}

/// True where the digits stand in some output anyway, as a figure that readers do not take.
fn appears(reading: &Reading, figure: &Figure) -> bool {
    const LINES_MAX: usize = 50_000;
    if reading.document.lines.len() > LINES_MAX {
        return true;
    }
    let plain = format!("{:.0}", figure.number.value);
    let in_range = |number: u32| reading.measured.iter().any(|measured| (measured.first..=measured.last).contains(&number));
    reading.document.lines.iter().filter(|line| line.text.contains(&plain)).any(|line| in_range(line.number))
}

/// Rounded forms of a wrong figure that the words go on with: `80k / 450k`.
fn followers(reading: &Reading, figure: &Figure, right: f64) -> String {
    for paragraph in reading.prose.paragraphs.iter().filter(|paragraph| paragraph.line >= figure.line && paragraph.line < figure.line + 12)
    {
        let all = &paragraph.figures;
        for pair in all.windows(2) {
            let follows = pair[0].kind == Kind::Plain && pair[0].number.step >= 100.0 && pair[0].number.rounds(figure.number.value);
            if follows && pair[1].number.value > 0.0 {
                let (wrong, by_output) = (pair[0].number.value / pair[1].number.value, right / pair[1].number.value);
                return format!(
                    "; {} of line {} follows from it: {}, by the output {}",
                    pair[0].text,
                    pair[0].line,
                    show::percent(wrong),
                    show::percent(by_output)
                );
            }
        }
    }
    String::new()
}
