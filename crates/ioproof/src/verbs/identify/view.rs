//! `ioproof identify` for people: a summary, the trees, then page by page each field with its source.

use crate::drives::{Drive, Health, kind_title};
use crate::output::plain;
use crate::verbs::identify::learned::Learned;
use crate::verbs::identify::tree::{above_lines, under_lines};
use crate::verbs::identify::values::{common_start, shown};
use anyhow::Result;
use ioproof_core::facts::FilesystemFacts;
use ioproof_core::field::{Field, Page};
use ioproof_core::units::decimal_size;
use std::io::{Write, stdout};

/// A title or a value that is wider pushes what follows aside instead of widening the whole column.
const WIDEST: usize = 42;
/// Digits of raw pages on a line.
const DIGITS: usize = 64;

/// Prints everything; what could not be told goes to standard error.
pub fn print(learned: &Learned, raw: bool) -> Result<()> {
    let mut lines = vec![format!("{}: {}", plain(&learned.given), learned.named.kind)];
    lines.extend(learned.named.filesystem.as_ref().map(filesystem));
    lines.extend(section("stands on it", learned.above.iter().filter(|_| learned.named.filesystem.is_none()).flat_map(above_lines)));
    let layered = learned.under.iter().filter(|node| !node.under.is_empty() || learned.named.filesystem.is_some());
    lines.extend(section("lies on", layered.flat_map(under_lines)));
    lines.extend(learned.layers.iter().flat_map(|page| page_lines(page, raw)));
    for drive in &learned.drives {
        lines.extend(summary(drive));
        let alike = failed_alike(&drive.pages);
        let is_alike = |page: &&Page| !alike.iter().any(|(reason, _)| failure(page) == Some(reason));
        lines.extend(drive.pages.iter().filter(is_alike).flat_map(|page| page_lines(page, raw)));
        lines.extend(alike.iter().flat_map(|(reason, names)| [String::new(), format!("! {}: {}", names.join(", "), plain(reason))]));
    }
    write_lines(&lines)?;
    let missing = learned.drives.iter().flat_map(|drive| &drive.missing);
    for note in learned.notes.iter().chain(missing) {
        // What root would add is said once for all, below.
        let own = note.split("; root would add").next().filter(|_| learned.root_would_add()).unwrap_or(note);
        eprintln!("note: {}", plain(own));
    }
    if learned.root_would_add() {
        eprintln!(
            "root would add: what the drive itself answers (health, wear, errors, temperatures, limits) and what it holds by its signatures"
        );
    }
    Ok(())
}

/// Prints what was read out of another tool's output.
pub fn print_pasted(pages: &[Page], health: Option<&Health>, raw: bool) -> Result<()> {
    let mut lines: Vec<String> = health.iter().flat_map(|health| health_lines(health)).collect();
    for page in pages {
        lines.extend(page_lines(page, raw));
    }
    write_lines(&lines)
}

fn write_lines(lines: &[String]) -> Result<()> {
    let mut out = std::io::BufWriter::new(stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

fn filesystem(filesystem: &FilesystemFacts) -> String {
    format!(
        "  on {} at {} ({}), {} free",
        plain(&filesystem.fs_type),
        plain(&filesystem.mount_point),
        plain(&filesystem.source),
        decimal_size(filesystem.free_bytes)
    )
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> Vec<String> {
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    if lines.is_empty() { lines } else { [vec![String::new(), title.to_owned()], lines].concat() }
}

fn summary(drive: &Drive) -> Vec<String> {
    let facts = &drive.facts;
    let mut lines = vec![String::new(), format!("drive {}: {}", plain(&facts.name), kind_title(facts.kind))];
    let texts = [("vendor", &facts.vendor), ("model", &facts.model), ("serial", &facts.serial), ("firmware", &facts.firmware)];
    lines.extend(texts.iter().filter_map(|(title, fact)| Some(format!("  {title:11} {}", plain(&fact.as_ref()?.value)))));
    lines.push(format!("  {:11} {}", "size", decimal_size(facts.capacity_bytes.value)));
    lines.extend(facts.link.iter().map(|link| format!("  {:11} {}", "link", plain(&link.title))));
    lines.extend(facts.temperature_celsius.iter().map(|fact| format!("  {:11} {} °C", "temperature", fact.value)));
    lines.extend(drive.health().iter().flat_map(health_lines));
    lines
}

fn health_lines(health: &Health) -> Vec<String> {
    let mut lines = vec![format!("  {:11} {}", "health", health.word)];
    lines.extend(health.reasons.iter().map(|reason| format!("  {:11}   {}", "", plain(reason))));
    lines
}

fn page_lines(page: &Page, raw: bool) -> Vec<String> {
    if page.fields.is_empty() && page.problems.is_empty() && page.raw.is_empty() {
        return Vec::new();
    }
    let start = common_start(&page.fields);
    let said = heading(page, &start);
    let mut lines = vec![String::new(), format!("{} [{}]", plain(&page.name), plain(&said))];
    let cells: Vec<(&str, String, &str)> = page.fields.iter().map(|field| cells(field, &start)).collect();
    let width = |of: fn(&(&str, String, &str)) -> usize| cells.iter().map(of).filter(|w| *w <= WIDEST).max().unwrap_or(0);
    let (title, value) = (width(|cell| cell.0.chars().count()), width(|cell| cell.1.chars().count()));
    lines.extend(cells.iter().map(|(t, v, source)| format!("  {:title$}  {v:value$}  {}", plain(t), plain(source)).trim_end().to_owned()));
    lines.extend(page.problems.iter().map(|problem| format!("  ! {}", plain(problem))));
    if raw && !page.raw.is_empty() {
        lines.extend(page.raw.as_bytes().chunks(DIGITS).map(|digits| format!("  {}", String::from_utf8_lossy(digits))));
    }
    lines
}

/// Why a page says nothing at all.
fn failure(page: &Page) -> Option<&str> {
    match page.problems.as_slice() {
        [only] if page.fields.is_empty() && page.raw.is_empty() => Some(only),
        _ => None,
    }
}

/// What several pages lack for one reason, as when the drive has gone, is one line.
fn failed_alike(pages: &[Page]) -> Vec<(&str, Vec<&str>)> {
    let mut alike: Vec<(&str, Vec<&str>)> = Vec::new();
    for (page, reason) in pages.iter().filter_map(|page| Some((page, failure(page)?))) {
        match alike.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(&page.name),
            None => alike.push((reason, vec![&page.name])),
        }
    }
    alike.retain(|(_, names)| names.len() > 1);
    alike
}

/// Where the page comes from, and what its fields' sources begin with where that is not the same.
fn heading(page: &Page, start: &str) -> String {
    if start.is_empty() || page.source.trim_end_matches('/') == start.trim_end_matches('/') {
        page.source.clone()
    } else {
        format!("{}; sources begin with {start}", page.source)
    }
}

fn cells<'a>(field: &'a Field, start: &str) -> (&'a str, String, &'a str) {
    (&field.title, shown(field), field.source.strip_prefix(start).unwrap_or(&field.source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_failed_for_one_reason_are_one_line() {
        let page = |name: &str, problem: &str| Page { name: name.into(), problems: vec![problem.into()], ..Page::default() };
        let other = Page { raw: "00".into(), ..page("short", "gone") };
        let pages = [page("smart-log", "gone"), page("x", "refused"), other, page("error-log", "gone")];
        assert_eq!(failed_alike(&pages), [("gone", vec!["smart-log", "error-log"])]);
    }
}
