//! Texts of a corpus of published measurements, read by `ioproof audit`: recognised or not, who is blamed for what, and lines that were not understood.

use crate::command;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Larger files are no texts of people. Bytes.
pub const MOST_BYTES: u64 = 64 << 20;

/// One file as it was read.
#[derive(Debug, Default)]
pub struct AuditedFile {
    path: PathBuf,
    /// Measurements by tool.
    tools: BTreeMap<String, usize>,
    /// Findings: weight, check, line, title.
    blames: Vec<[String; 4]>,
    /// Text of the lines that were not understood.
    unknown: Vec<String>,
}

/// Reads one file with the program. One in which nothing is found has no measurement.
pub fn read(program: &Path, path: PathBuf) -> Result<AuditedFile> {
    let said = command::finish(Command::new(program).args(["audit", "--json"]).arg(&path))?;
    let Ok(document) = serde_json::from_slice::<Value>(&said.stdout) else { return Ok(AuditedFile { path, ..AuditedFile::default() }) };
    let mut file = AuditedFile { path, ..AuditedFile::default() };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for measured in list(&document["documents"][0]["measured"]) {
        *file.tools.entry(text_of(&measured["tool"])).or_default() += 1;
    }
    for found in list(&document["findings"]["found"]) {
        file.blames.push([&found["weight"], &found["check"], &found["line"], &found["title"]].map(text_of));
    }
    let bytes = std::fs::read(&file.path).with_context(|| format!("{} cannot be read", file.path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    let numbers = list(&document["documents"][0]["lines_not_understood"]);
    let quoted = numbers.iter().filter_map(|number| lines.get(usize::try_from(number.as_u64()?).ok()?.checked_sub(1)?));
    file.unknown = quoted.map(|line| line.trim().to_owned()).collect();
    Ok(file)
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The table: recognised, measurements by tool, each file with its blames, lines not understood by frequency.
pub fn table(folder: &Path, all: &[AuditedFile]) -> String {
    let recognised = all.iter().filter(|file| !file.tools.is_empty()).count();
    let mut text = format!("files {}\nrecognised {recognised}\n", all.len());
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    all.iter().flat_map(|file| &file.tools).for_each(|(tool, count)| *tools.entry(tool).or_default() += count);
    for (tool, count) in &tools {
        let _ = writeln!(text, "  {tool:<24} {count:>6}");
    }
    for file in all {
        let name = file.path.strip_prefix(folder).unwrap_or(&file.path).display();
        let _ = writeln!(text, "\n{name}{}", if file.tools.is_empty() { ": not recognised" } else { "" });
        for [weight, check, line, title] in &file.blames {
            let _ = writeln!(text, "  {weight} {check} line {line}: {title}");
        }
    }
    text.push_str(&by_frequency(all));
    text
}

/// Lines that were not understood, alike but for their digits, the most frequent first.
fn by_frequency(all: &[AuditedFile]) -> String {
    let mut shapes: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for line in all.iter().flat_map(|file| &file.unknown) {
        let shape: String = line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        shapes.entry(shape).or_insert((0, line)).0 += 1;
    }
    let mut rows: Vec<(usize, &str)> = shapes.into_values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.0));
    if rows.is_empty() {
        return String::new();
    }
    let lines = rows.iter().map(|(count, line)| format!("  {count:>6}  {line}\n"));
    std::iter::once("\nLines not understood\n".to_owned()).chain(lines).collect()
}
