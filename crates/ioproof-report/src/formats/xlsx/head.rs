//! The head of the sheet `Summary`: banners, then the run, the drive, the host and the method, a line each.

use super::cells::{Look, Value, put};
use super::sheet::{Across, across};
use super::verdicts::{LAST, WIDTH};
use crate::view::{Fact, View};
use ioproof_core::moment;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The start of the title of a drive's section.
const DRIVE: &str = "Drive ";
/// Facts of a drive that its line in the head has not.
const OF_DRIVES: [&str; 2] = ["serial", "firmware"];
/// Facts of the method.
const OF_METHOD: [&str; 6] = ["command", "runs", "a round", "order", "time asked for", "engine"];

/// Writes the sentences that stand before any number, and gives the row behind them.
pub(super) fn banners(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    let mut row = first;
    for banner in &view.banners {
        let (label, look) = if banner.grave { ("warning", Look::Warning) } else { ("note", Look::Note) };
        put(sheet, row, 0, &label.into(), &look.format())?;
        across(sheet, row, &[beside_label(&banner.text, look)])?;
        row += 1;
    }
    Ok(row)
}

pub(super) fn run(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    let mut row = first;
    for (label, value) in lines(view) {
        put(sheet, row, 0, &label.into(), &Look::Label.format())?;
        match &value {
            Value::Text(text) => across(sheet, row, &[beside_label(text, Look::Fact)])?,
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

fn lines(view: &View) -> Vec<(String, Value)> {
    let text = |label: &str, text: String| (label.to_owned(), Value::from(text));
    let started = moment::serial(&view.started_at).map_or_else(|| view.started_at.as_str().into(), Value::from);
    let exit = format!("Exit status {}, {}: {}", view.exit_status, view.exit_meaning(), view.exit_reason);
    let mut lines = vec![
        text("program", format!("ioproof {}, rules version {}", view.program_version, view.rules_version)),
        text("run", view.run_id.clone()),
        ("started (UTC)".to_owned(), started),
        text("verb", view.verb.clone()),
        text("status", view.status.clone()),
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
