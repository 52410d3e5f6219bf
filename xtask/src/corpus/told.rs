//! Texts of other people, read by a verb of ioproof: recognised or not, what it says of each, and lines that were not understood.

use super::{files_below, frequent};
use crate::command::{self, list};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub struct Reader {
    arguments: &'static [&'static str],
    /// Larger files are no such texts. Bytes.
    most_bytes: u64,
    read: fn(&Value, &[&str]) -> Told,
}

pub const PASTE: Reader = Reader { arguments: &["identify", "--json", "--from"], most_bytes: 4 << 20, read: pasted };
pub const AUDIT: Reader = Reader { arguments: &["audit", "--json"], most_bytes: 64 << 20, read: audited };

const FACTS: &str = "model serial firmware capacity_bytes power_on_hours temperature_celsius reallocated_sectors pending_sectors
    uncorrectable_sectors media_errors available_spare_percent percentage_used_percent life_left_percent media_wearout_left_percent";

#[derive(Default)]
struct Told {
    /// Health of each drive, or the tool of each measurement; nothing where the text is not recognised.
    counted: Vec<String>,
    lines: Vec<String>,
    unread: Vec<String>,
}

pub fn table(folder: &Path, reader: &Reader) -> Result<String> {
    let files = files_below(folder, reader.most_bytes, |_| true)?;
    let program = command::ioproof(false)?;
    let all = files.iter().map(|path| Ok((path, read(&program, path, reader)?))).collect::<Result<Vec<_>>>()?;
    let recognised = all.iter().filter(|(_, told)| !told.counted.is_empty()).count();
    let mut text = format!("files {}\nrecognised {recognised} ({:.1} %)\n", all.len(), 100.0 * recognised as f64 / all.len() as f64);
    text += &by_frequency(all.iter().flat_map(|(_, told)| &told.counted));
    for (path, told) in &all {
        let remark = if told.counted.is_empty() { ": not recognised" } else { "" };
        text += &format!("\n{}{remark}\n", path.strip_prefix(folder).unwrap_or(path).display());
        told.lines.iter().for_each(|line| text += &format!("  {line}\n"));
    }
    let unread = by_frequency(all.iter().flat_map(|(_, told)| &told.unread));
    Ok(text + if unread.is_empty() { "" } else { "\nLines not understood\n" } + &unread)
}

fn by_frequency<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    frequent(texts).into_iter().map(|(text, count)| format!("  {count:>6}  {text}\n")).collect()
}

fn read(program: &Path, path: &Path, reader: &Reader) -> Result<Told> {
    let said = command::finish(Command::new(program).args(reader.arguments).arg(path))?;
    let Ok(document) = serde_json::from_slice::<Value>(&said.stdout) else {
        let complaint = String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or_default().to_owned();
        return Ok(Told { lines: vec![complaint], ..Told::default() });
    };
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut told = (reader.read)(&document, &String::from_utf8_lossy(&bytes).split('\n').collect::<Vec<_>>());
    told.unread.iter_mut().for_each(|line| *line = general(line));
    Ok(told)
}

/// Drives with their facts, what speaks against them, and problems of the text.
fn pasted(document: &Value, _: &[&str]) -> Told {
    let mut told = Told::default();
    for drive in list(&document["drives"]) {
        let state = text(&drive["health"]["state"]);
        let fields: Vec<&Value> = list(&drive["pages"]).flat_map(|page| list(&page["fields"])).collect();
        let fact = |key: &str| Some(format!("{key}={}", text(&fields.iter().find(|field| field["key"] == key)?["value"])));
        told.lines.push(format!("{state}: {}", FACTS.split_whitespace().filter_map(fact).collect::<Vec<_>>().join(" ")));
        told.lines.extend(list(&drive["health"]["reasons"]).map(|reason| format!("  {}", text(reason))));
        for problem in list(&drive["pages"]).flat_map(|page| list(&page["problems"])).map(text) {
            // `2 lines were not understood: line 3: x: 1; line 9: y`
            match problem.split_once("not understood: ") {
                None => told.lines.push(format!("  ! {problem}")),
                Some((_, lines)) => told.unread.extend(lines.split("; ").filter_map(|part| Some(part.split_once(": ")?.1.to_owned()))),
            }
        }
        told.counted.push(state);
    }
    told
}

/// Measurements by tool, and the findings.
fn audited(document: &Value, lines: &[&str]) -> Told {
    let measured = &document["documents"][0];
    let [weight, check, line, title] = ["weight", "check", "line", "title"];
    let finding =
        |found: &Value| format!("{} {} line {}: {}", text(&found[weight]), text(&found[check]), text(&found[line]), text(&found[title]));
    let quoted = |number: &Value| Some(lines.get(usize::try_from(number.as_u64()?).ok()?.checked_sub(1)?)?.trim().to_owned());
    Told {
        counted: list(&measured["measured"]).map(|one| text(&one["tool"])).collect(),
        lines: list(&document["findings"]["found"]).map(finding).collect(),
        unread: list(&measured["lines_not_understood"]).filter_map(quoted).collect(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A line with every number a `#`, so that lines that differ in nothing else count as one.
fn general(line: &str) -> String {
    let words = line.split(|c: char| c.is_ascii_digit()).collect::<Vec<_>>();
    let kept = words.iter().enumerate().filter(|(at, word)| *at == 0 || !word.is_empty() || *at + 1 == words.len());
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join("#")
}
