//! `ioproof identify` for people: a summary, the trees, then page by page each field with its source.

use crate::columns::wrapped;
use crate::verbs::identify::tree::{above_lines, under_lines};
use crate::verbs::identify::values::{common_start, shown};
use crate::verbs::identify::{attributes, datasheet, summary};
use anyhow::Result;
use ioproof_core::datasheet::Catalogue;
use ioproof_core::drive_state;
use ioproof_core::facts::{DeviceFacts, FilesystemFacts};
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_inventory::drives::{health, pasted_facts};
use ioproof_inventory::inventory::Inventory;
use ioproof_pages::field::{Field, Page};
use ioproof_process::{messages, output};
use ioproof_session::datasheets;

/// A title or a value that is wider pushes what follows aside instead of widening the whole column.
const WIDEST: usize = 42;
/// Digits of raw pages on a line.
const DIGITS: usize = 64;
/// Columns by which what belongs to a heading is indented.
const SECTION: usize = 2;
/// Further columns of the reasons of a judgement.
const REASON: usize = 4;

/// Prints everything; what could not be told goes to standard error.
pub fn print(inventory: &Inventory, raw: bool) -> Result<()> {
    let width = output::columns();
    let mut lines = vec![format!("{}: {}", visible(&inventory.given), inventory.named.kind)];
    lines.extend(inventory.named.filesystem.as_ref().map(filesystem));
    let above = inventory.above.iter().filter(|_| inventory.named.filesystem.is_none());
    lines.extend(section("stands on it", above.flat_map(|above| above_lines(above, width.map(|width| width - SECTION)))));
    let layered = inventory.under.iter().filter(|node| !node.under.is_empty() || inventory.named.filesystem.is_some());
    lines.extend(section("lies on", layered.flat_map(under_lines)));
    lines.extend(inventory.file.iter().chain(&inventory.layers).flat_map(|page| page_lines(page, raw, width)));
    let catalogue = datasheets::catalogue();
    for drive in &inventory.drives {
        let past = drive.history.as_ref().and_then(|history| drive_state::describe(history, drive.facts.capacity_bytes.value));
        lines.extend(drive_lines(&catalogue, (Some(&drive.facts), past), &drive.pages, raw, width));
    }
    output::print_lines(lines)?;
    explain(inventory);
    Ok(())
}

fn explain(inventory: &Inventory) {
    let missing = inventory.drives.iter().flat_map(|drive| &drive.missing);
    for note in inventory.notes.iter().chain(missing) {
        // What root would add is said once for all, below.
        let own = note.split("; root would add").next().filter(|_| inventory.root_would_add()).unwrap_or(note);
        messages::note(own);
    }
    if inventory.root_would_add() {
        messages::say(
            "root would add: what the drive itself answers (health, wear, errors, temperatures, limits) and what it holds by its signatures",
        );
    }
}

/// Prints what was read out of other tools' output, drive by drive.
pub fn print_pasted(drives: &[Vec<Page>], raw: bool) -> Result<()> {
    let catalogue = datasheets::catalogue();
    let lines =
        drives.iter().flat_map(|pages| drive_lines(&catalogue, (pasted_facts(pages).as_ref(), None), pages, raw, output::columns()));
    // No empty line before the first drive.
    output::print_lines(lines.skip(1))
}

/// The summary, the pages, and the table of SMART attributes behind the last page that has any.
fn drive_lines(
    catalogue: &Catalogue,
    (facts, past): (Option<&DeviceFacts>, Option<String>),
    pages: &[Page],
    raw: bool,
    width: Option<usize>,
) -> Vec<String> {
    let health = health(facts.map_or("", |facts| &facts.name), pages);
    let mut summary = summary::lines(facts, pages, health.as_ref());
    summary.extend(past.map(|past| format!("  {:11} {past}", "state")));
    summary.push(datasheet::of(catalogue, facts).line());
    let mut lines: Vec<String> = summary.iter().flat_map(|line| wrapped(line, summary::INDENT + REASON, width)).collect();
    let alike = failed_alike(pages);
    let is_alike = |page: &&Page| !alike.iter().any(|(reason, _)| failure(page) == Some(reason));
    let last = pages.iter().rposition(|page| page.fields.iter().any(|field| attributes::figure(field).is_some()));
    for (at, page) in pages.iter().enumerate().filter(|(_, page)| is_alike(page)) {
        lines.extend(page_lines(page, raw, width));
        if last == Some(at) {
            lines.extend(attributes::lines(pages).iter().flat_map(|line| wrapped(line, SECTION, width)));
        }
    }
    for (reason, names) in &alike {
        lines.push(String::new());
        lines.extend(wrapped(&format!("! {}: {}", visible(&names.join(", ")), visible(reason)), SECTION, width));
    }
    lines
}

fn filesystem(filesystem: &FilesystemFacts) -> String {
    format!(
        "  on {} at {} ({}), {} free",
        visible(&filesystem.fs_type),
        visible(&filesystem.mount_point),
        visible(&filesystem.source),
        decimal_size(filesystem.free_bytes)
    )
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> Vec<String> {
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    if lines.is_empty() { lines } else { [vec![String::new(), title.to_owned()], lines].concat() }
}

fn page_lines(page: &Page, raw: bool, width: Option<usize>) -> Vec<String> {
    // Attributes have a table of their own.
    let fields: Vec<&Field> = page.fields.iter().filter(|field| attributes::figure(field).is_none()).collect();
    let says_nothing = fields.is_empty() && page.problems.is_empty();
    if says_nothing && (page.raw.is_empty() || !raw && !page.fields.is_empty()) {
        return Vec::new();
    }
    let start = common_start(&fields);
    let said = heading(page, &start);
    let mut lines = vec![String::new()];
    lines.extend(wrapped(&format!("{} [{}]", visible(&page.name), visible(&said)), SECTION, width));
    lines.extend(field_lines(&fields, &start, width));
    lines.extend(page.problems.iter().flat_map(|problem| wrapped(&format!("  ! {}", visible(problem)), SECTION * 2, width)));
    if raw && !page.raw.is_empty() {
        lines.extend(page.raw.as_bytes().chunks(DIGITS).map(|digits| format!("  {}", String::from_utf8_lossy(digits))));
    }
    lines
}

/// Title, value and source in columns; where the terminal is too narrow for a line, its source goes on below, behind the titles.
fn field_lines(fields: &[&Field], start: &str, terminal: Option<usize>) -> Vec<String> {
    let cells: Vec<(&str, String, &str)> = fields.iter().map(|field| cells(field, start)).collect();
    let width = |of: fn(&(&str, String, &str)) -> usize| cells.iter().map(of).filter(|w| *w <= WIDEST).max().unwrap_or(0);
    let (title, value) = (width(|cell| cell.0.chars().count()), width(|cell| cell.1.chars().count()));
    let line = |(t, v, source): &(&str, String, &str)| {
        let whole = format!("  {:title$}  {v:value$}  {}", visible(t), visible(source)).trim_end().to_owned();
        wrapped(&whole, title + SECTION * 2, terminal)
    };
    cells.iter().flat_map(line).collect()
}

/// Reason for which a page has neither fields nor bytes.
fn failure(page: &Page) -> Option<&str> {
    match page.problems.as_slice() {
        [only] if page.fields.is_empty() && page.raw.is_empty() => Some(only),
        _ => None,
    }
}

/// Pages that failed for one reason, as when the drive has gone; each reason becomes one line.
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
