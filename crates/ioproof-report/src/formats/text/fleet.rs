//! A fleet as plain text, as the terminal shows it and as a file: what is at fault first, then verdicts, figures, notes, and the method.

use crate::ReportError;
use crate::fleet::FleetReport;
use crate::layout::{Tone, labelled};
use crate::summary::{Style, results};
use ioproof_core::fleet::{FaultyDrive, SlowNode, tables};
use std::io::Write;

/// Columns of a file.
const WIDTH: usize = 120;
/// Lines of a sentence.
const MOST_LINES: usize = 6;
/// Drives and problems that a terminal shows; a page has all.
const MOST_SHOWN: usize = 40;

/// A fleet for people; its text may change between versions.
#[must_use]
pub fn fleet_text(report: &FleetReport, style: Style) -> String {
    of_report(report, Style { width: style.width.max(40), ..style }, MOST_SHOWN)
}

pub(crate) fn write(report: &FleetReport, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(of_report(report, Style { color: false, width: WIDTH }, usize::MAX).as_bytes())?)
}

fn of_report(report: &FleetReport, style: Style, most: usize) -> String {
    let fleet = report.fleet;
    let bold = |text: &str| Tone::Bold.paint(text, style.color);
    let mut lines = vec![bold(&report.heading())];
    let bad = |label: &str, text: &str| -> Vec<String> {
        labelled(label, text, style.width, MOST_LINES).into_iter().map(|line| Tone::Bad.paint(&line, style.color)).collect()
    };
    lines.extend(fleet.slow_nodes.iter().map(SlowNode::sentence).flat_map(|text| bad("  ", &text)));
    lines.extend(fleet.faulty.iter().take(most).flat_map(|drive| faults(drive, style)));
    lines.extend(rest(fleet.faulty.len(), most, "drives at fault"));
    // The faults are told above.
    let tables = tables(fleet, report.runs, false);
    lines.extend(tables.iter().filter(|table| table.id != "Faults").flat_map(|table| results::results(table, style)));
    for (title, texts) in [("Notes", &fleet.notes), ("Results that are missing or in doubt", &problems(report)), ("Method", &fleet.method)]
    {
        if !texts.is_empty() {
            lines.extend([String::new(), bold(title)]);
            lines.extend(texts.iter().take(most).flat_map(|text| labelled("  ", text, style.width, MOST_LINES)));
            lines.extend(rest(texts.len(), most, "of them"));
        }
    }
    lines.join("\n") + "\n"
}

fn problems(report: &FleetReport) -> Vec<String> {
    report.fleet.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.text)).collect()
}

fn faults(drive: &FaultyDrive, style: Style) -> Vec<String> {
    let head = format!("  {} on {} ({} {})", drive.drive, drive.node, drive.model, drive.firmware);
    let head = Tone::Bad.paint(&head.replace(" )", ")"), style.color);
    let fault =
        |fault: &ioproof_core::fleet::Fault| labelled(&format!("    {}: ", fault.kind.title()), &fault.text, style.width, MOST_LINES);
    std::iter::once(head).chain(drive.faults.iter().flat_map(fault)).collect()
}

/// A line on what is not shown.
fn rest(all: usize, most: usize, what: &str) -> Option<String> {
    (all > most).then(|| format!("  and {} more {what}: -o fleet.html has all", all - most))
}
