//! "Beyond" a number that is larger.

use crate::checks::{Figure, Findings, Kind, Reading};

const NAME: &str = "comparison";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    const REACH: usize = 120;
    for paragraph in &reading.prose.paragraphs {
        let text = paragraph.text.to_lowercase();
        if text.len() != paragraph.text.len() {
            continue;
        }
        for (at, word) in ["beyond the", "above the", "exceeds the", "exceeding the"].iter().flat_map(|word| text.match_indices(word)) {
            let below = paragraph.figures.iter().find(|figure| figure.at > at && figure.at < at + REACH);
            let above = paragraph.figures.iter().rev().find(|figure| figure.at < at && figure.at + REACH > at);
            let (Some(above), Some(below)) = (above, below) else { continue };
            let is_count = |figure: &Figure| figure.kind == Kind::Plain;
            let limit = &text[at..below.at];
            let is_limit = ["depth", "limit", "size", "count", "number"].iter().any(|word| limit.contains(word)) && !limit.contains(". ");
            let counted = text[above.at..].split_whitespace().nth(1).unwrap_or_default().trim_end_matches(['.', ',']);
            let is_counted = ["threads", "jobs", "clients", "processes", "requests", "workers", "outstanding"].contains(&counted);
            if is_count(above) && is_count(below) && is_limit && is_counted && above.number.value < below.number.value {
                let title = format!("{} {counted} are not {} {}: they are fewer", above.text, word.trim_end_matches(" the"), below.text);
                let because = format!(
                    "{} < {}; each of {} {counted} with one I/O keeps {} outstanding",
                    above.text, below.text, above.text, above.text
                );
                findings.wrong(NAME, reading.at(above.line), title, because);
            }
        }
    }
}
