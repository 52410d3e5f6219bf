//! Promises that a document sets out to check and never measures.

use super::bind::is_claim;
use crate::checks::{Findings, Kind, Reading};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    if reading.measured.is_empty() {
        return;
    }
    let mut missing: Vec<String> = Vec::new();
    let mut line = 0;
    for paragraph in &reading.prose.paragraphs {
        let is_goal =
            is_claim(&paragraph.text) || paragraph.text.starts_with(|c: char| c.is_ascii_digit()) && paragraph.text.contains("IOPS");
        let has_rate =
            paragraph.figures.iter().any(|figure| matches!(figure.kind, Kind::Iops | Kind::BytesPerSecond) && figure.digits >= 4);
        if !(is_goal && has_rate) || paragraph.text.len() > 200 {
            continue;
        }
        if let Some(words) = absent(reading, &paragraph.text) {
            line = if line == 0 { paragraph.line } else { line };
            let rates: Vec<&str> =
                paragraph.figures.iter().filter(|figure| figure.kind == Kind::Iops).map(|figure| figure.text.as_str()).collect();
            missing.push(format!("line {}: {words} ({})", paragraph.line, rates.join(", ")));
        }
    }
    let goal = reading
        .prose
        .paragraphs
        .iter()
        .find(|paragraph| paragraph.text.contains("pgbench") && paragraph.text.to_lowercase().contains("goal"));
    if goal.is_some() && !reading.measured.iter().any(|measured| measured.tool == "pgbench") {
        missing.push(format!("line {}: pgbench", goal.map_or(0, |goal| goal.line)));
        line = if line == 0 { goal.map_or(0, |goal| goal.line) } else { line };
    }
    if !missing.is_empty() {
        let title = format!("{} that the text sets out to check have no output", missing.len());
        let because = missing.join("; ");
        findings.note("not-measured", reading.at(line), title, because);
    }
}

/// The load of a promise that no output has: a mix, or a block size.
fn absent(reading: &Reading, text: &str) -> Option<String> {
    let has_mix = text.contains("70/30");
    let any_mix = reading.measured.iter().any(|measured| measured.load.word.ends_with("rw"));
    if has_mix && !any_mix {
        return Some("70/30".into());
    }
    let lower = text.to_lowercase();
    let kib = [("8kb", 8192), ("16kb", 16384), ("64kb", 65536), ("128kb", 131_072)]
        .into_iter()
        .find(|(word, _)| lower.replace(' ', "").contains(&format!("m{word}")) || lower.contains(&format!(" {word}")));
    let (word, block) = kib?;
    let measured = reading.measured.iter().any(|measured| measured.load.block_bytes == Some(block));
    (!measured).then(|| format!("blocks of {word}"))
}
