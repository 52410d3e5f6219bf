//! The sheet `Summary`: what must be known before any number, the run, the table of verdicts, findings, facts.

use super::cells::{Look, put};
use super::findings;
use super::rounds::started;
use super::sheet::{self, Across, across};
use super::verdicts::{self, LAST, WIDTH};
use crate::tables::Cell;
use crate::view::{Fact, View};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The start of the title of a drive's section.
const DRIVE: &str = "Drive ";
/// Facts of a drive that its line in the head has not.
const OF_DRIVES: [&str; 2] = ["serial", "firmware"];
/// Facts of the method.
const OF_METHOD: [&str; 6] = ["command", "runs", "a round", "order", "time asked for", "engine"];
/// Columns and their width of name, value and source.
const PARTS: [((u16, u16), usize); 3] = [((0, 1), 49), ((2, 13), 117), ((14, 16), 105)];

pub(super) fn sheet(view: &View) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Summary")?;
    sheet::line(&mut sheet, 0, &format!("ioproof: {}", view.heading), Look::Title)?;
    sheet::keep_headings(&mut sheet, 0, 0)?;
    let row = banners(&mut sheet, 1, view)?;
    let row = run(&mut sheet, row + 1, view)?;
    let row = verdicts::table(&mut sheet, row + 1, view)?;
    let row = findings::table(&mut sheet, row + 1, view)?;
    sections(&mut sheet, row + 1, view)?;
    Ok(sheet)
}

/// Everything known about targets, drives, host and method, each fact with its source.
fn sections(sheet: &mut Worksheet, first: u32, view: &View) -> Result<(), XlsxError> {
    let mut row = first;
    for section in &view.sections {
        sheet::line(sheet, row, &section.title, Look::Part)?;
        for fact in &section.facts {
            row += 1;
            let texts = [(fact.name.as_str(), Look::Label), (fact.value.as_str(), Look::Fact), (fact.source.as_str(), Look::Label)];
            let part = |((columns, width), (text, look))| Across { columns, width, text, look };
            across(sheet, row, &PARTS.into_iter().zip(texts).map(part).collect::<Vec<_>>())?;
        }
        row += 2;
    }
    Ok(())
}

/// Writes the sentences that stand before any number, and gives the row behind them.
fn banners(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    let mut row = first;
    for banner in &view.banners {
        let (label, look) = if banner.grave { ("warning", Look::Warning) } else { ("note", Look::Note) };
        put(sheet, row, 0, &label.into(), &look.format())?;
        across(sheet, row, &[beside_label(&banner.text, look)])?;
        row += 1;
    }
    Ok(row)
}

fn run(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    let mut row = first;
    for (label, value) in lines(view) {
        put(sheet, row, 0, &label.into(), &Look::Label.format())?;
        match &value {
            Cell::Text(text) => across(sheet, row, &[beside_label(text, Look::Fact)])?,
            other => put(sheet, row, 1, other, &Look::Date.format())?,
        }
        row += 1;
    }
    Ok(row)
}

/// Text from the second column on.
fn beside_label(text: &str, look: Look) -> Across<'_> {
    Across { columns: (1, LAST), width: WIDTH, text, look }
}

fn lines(view: &View) -> Vec<(String, Cell)> {
    let text = |label: &str, text: String| (label.to_owned(), Cell::from(text));
    let exit = format!("Exit status {}, {}: {}", view.judgement.exit_status, view.exit_meaning(), view.exit_reason);
    let mut lines = vec![
        text("program", format!("ioproof {}, rules version {}", view.program_version, view.judgement.rules_version)),
        text("run", view.run_id.clone()),
        ("started (UTC)".to_owned(), started(&view.started_at)),
        text("verb", view.verb.clone()),
        text("status", view.status.to_owned()),
        text("result", exit.trim_end_matches(": ").to_owned()),
    ];
    lines.extend(view.brief.iter().map(|(label, value)| text(label, value.clone())));
    lines.extend(facts_of(view, DRIVE, &OF_DRIVES).map(|(drive, fact)| text(&fact.name, format!("{} ({drive})", fact.value))));
    lines.extend(facts_of(view, "Conditions", &OF_METHOD).map(|(_, fact)| text(&fact.name, fact.value.clone())));
    lines.extend(view.interval_methods.clone().map(|methods| text("low and high", methods)));
    lines.push(text("configuration", view.config_sha256.clone()));
    lines
}

/// The facts of these names, of each section whose title begins so, with the rest of the title.
fn facts_of<'a>(view: &'a View, title: &'a str, names: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a Fact)> {
    let sections = view.sections.iter().filter_map(move |section| Some((section.title.strip_prefix(title)?, &section.facts)));
    let facts = sections.flat_map(|(rest, facts)| facts.iter().map(move |fact| (rest, fact)));
    facts.filter(|(_, fact)| names.contains(&fact.name.as_str()))
}
