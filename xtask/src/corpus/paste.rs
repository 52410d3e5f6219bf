//! One text of a corpus of pastes, read by `ioproof identify --from`: recognised or not, its drives, their health, and lines that were not understood.

use crate::command;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Larger files are no pastes. Bytes.
pub const MOST_BYTES: u64 = 4 << 20;

/// Fields that a reader of the table wants to see of each drive.
#[rustfmt::skip]
const FACTS: [&str; 14] = [
    "model", "serial", "firmware", "capacity_bytes", "power_on_hours", "temperature_celsius", "reallocated_sectors", "pending_sectors",
    "uncorrectable_sectors", "media_errors", "available_spare_percent", "percentage_used_percent", "life_left_percent",
    "media_wearout_left_percent",
];

/// Drives that were read out of one file.
pub struct ReadPaste {
    path: PathBuf,
    /// Its drives, or the program's complaint.
    drives: Result<Vec<ReadDrive>, String>,
}

struct ReadDrive {
    state: String,
    facts: Vec<String>,
    alarms: Vec<String>,
    problems: Vec<String>,
    unread: Vec<String>,
}

/// Reads one file with the program.
pub fn read(program: &Path, path: PathBuf) -> Result<ReadPaste> {
    let said = command::finish(Command::new(program).args(["identify", "--json", "--from"]).arg(&path))?;
    let drives = if said.status.success() {
        let document: Value = serde_json::from_slice(&said.stdout).with_context(|| format!("of {}", path.display()))?;
        Ok(document["drives"].as_array().into_iter().flatten().map(drive).collect())
    } else {
        Err(String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or_default().to_owned())
    };
    Ok(ReadPaste { path, drives })
}

fn drive(drive: &Value) -> ReadDrive {
    let texts = |value: &Value| value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
    let pages: Vec<&Value> = drive["pages"].as_array().into_iter().flatten().collect();
    let fields: Vec<&Value> = pages.iter().flat_map(|page| page["fields"].as_array().into_iter().flatten()).collect();
    let fact = |key: &&str| {
        let field = fields.iter().find(|field| field["key"] == **key)?;
        Some(format!("{key}={}", field["value"].as_str().map_or_else(|| field["value"].to_string(), str::to_owned)))
    };
    let (unread, problems) = pages.iter().flat_map(|page| texts(&page["problems"])).partition(|text| text.contains("not understood"));
    ReadDrive {
        state: drive["health"]["state"].as_str().unwrap_or("unknown").to_owned(),
        facts: FACTS.iter().filter_map(fact).collect(),
        alarms: texts(&drive["health"]["reasons"]),
        problems,
        unread,
    }
}

/// The table of all files, then the lines not understood by frequency.
pub fn table(folder: &Path, all: &[ReadPaste]) -> String {
    let recognised = all.iter().filter(|file| file.drives.is_ok()).count();
    let share = 100.0 * recognised as f64 / all.len() as f64;
    let drives: Vec<&ReadDrive> = all.iter().filter_map(|file| file.drives.as_ref().ok()).flatten().collect();
    let mut text = format!("files {}\nrecognised {recognised} ({share:.1} %)\ndrives {}\n", all.len(), drives.len());
    for (state, count) in frequent(drives.iter().map(|drive| drive.state.clone())) {
        let _ = writeln!(text, "  {count:>5}  {state}");
    }
    for file in all {
        let _ = writeln!(text, "\n{}", file.path.strip_prefix(folder).unwrap_or(&file.path).display());
        match &file.drives {
            Err(complaint) => drop(writeln!(text, "  not recognised: {complaint}")),
            Ok(drives) => drives.iter().for_each(|drive| text.push_str(&drive_lines(drive))),
        }
    }
    let unread = frequent(drives.iter().flat_map(|drive| &drive.unread).flat_map(|said| quoted(said)));
    text.push_str(if unread.is_empty() { "" } else { "\nLines not understood\n" });
    for (line, count) in unread {
        let _ = writeln!(text, "  {count:>5}  {line}");
    }
    text
}

fn drive_lines(drive: &ReadDrive) -> String {
    let lines =
        drive.alarms.iter().map(|alarm| format!("    {alarm}\n")).chain(drive.problems.iter().map(|said| format!("    ! {said}\n")));
    format!("  {}: {}\n{}", drive.state, drive.facts.join(" "), lines.collect::<String>())
}

/// Each text with how often it is there, the most frequent first.
fn frequent(texts: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    let mut rows: Vec<(String, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rows
}

/// The lines that a problem quotes, with every number a `#`: `2 lines were not understood: line 3: x: 1; line 9: y`.
fn quoted(problem: &str) -> Vec<String> {
    let Some((_, lines)) = problem.split_once("not understood: ") else { return Vec::new() };
    let quoted = lines.split("; ").filter_map(|part| part.strip_prefix("line ")?.split_once(": ")).map(|(_, line)| general(line));
    quoted.collect()
}

fn general(line: &str) -> String {
    let mut text = String::new();
    for c in line.chars() {
        match c {
            c if c.is_ascii_digit() && text.ends_with('#') => {}
            c if c.is_ascii_digit() => text.push('#'),
            c => text.push(c),
        }
    }
    text
}
