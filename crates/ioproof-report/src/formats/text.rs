//! Plain text: the summary, wider and without colour, followed by reasons, facts with sources, rounds and stages. On a terminal it is as wide as that, and tables
//! leave out columns that have no room.

pub(crate) mod comparison;

use crate::fleet::FleetReport;
use crate::layout::{Align, Table, Tone, clip, labelled, wrap};
use crate::summary::parts::NOT_STORED;
use crate::summary::{Style, of_view, results};
use crate::view::{FindingView, LimitView, RoundView, RowView, STAGE_COLUMNS, STAGE_LEGEND, STAGE_WORDS, Section, StageView, View};
use ioproof_core::fleet::{Fault, FaultyDrive, SlowNode, tables};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;

/// Room for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Page {
    /// Columns of a line.
    width: usize,
    /// True where tables must not be wider.
    is_terminal: bool,
}

impl Page {
    /// A file, which somebody reads in a window of his own.
    const FILE: Self = Self { width: 120, is_terminal: false };

    /// A terminal of so many columns; of fewer than 40 as one of 40.
    fn of(columns: Option<usize>) -> Self {
        columns.map_or(Self::FILE, |columns| Self { width: columns.max(40), is_terminal: true })
    }

    /// Columns of a cell that has so many in a file; the results have the whole of it.
    fn cell(self, columns: usize) -> usize {
        if self.is_terminal { columns.min(self.width / 3) } else { columns }
    }

    fn fitted(self, table: Table, first_to_go: &[&str]) -> Vec<String> {
        if self.is_terminal { table.within(self.width, first_to_go) } else { table }.lines(false)
    }
}

/// The whole report for a terminal of so many columns, or for a file.
#[must_use]
pub fn text(record: &RunRecord, judgement: &Judgement, columns: Option<usize>) -> String {
    of_whole(&View::new(record, judgement), Page::of(columns))
}

/// The whole report of a run that is kept nowhere, so that nothing of it is lost.
#[must_use]
pub fn text_of_unstored(record: &RunRecord, judgement: &Judgement, columns: Option<usize>) -> String {
    of_whole(&View { run_id: NOT_STORED.into(), ..View::new(record, judgement) }, Page::of(columns))
}

fn of_whole(view: &View, page: Page) -> String {
    let mut lines = vec![of_view(view, Style::of_file(page.width))];
    lines.push("Claims and reasons".into());
    lines.extend(view.rows.iter().flat_map(|row| row_lines(row, page)));
    lines.extend(view.skipped.iter().flat_map(|s| labelled("  ", &format!("{}: not measured, {}", s.claim, s.reason), page.width, 3)));
    lines.push("\nFindings".into());
    lines.extend(view.findings.iter().flat_map(|finding| finding_lines(finding, page)));
    lines.extend(view.sections.iter().flat_map(|section| section_lines(section, page)));
    for group in view.round_groups() {
        lines.push(format!("\n{}", group.heading));
        lines.extend(page.fitted(round_table(&group.rounds, page), &ROUND_COLUMNS_TO_GO));
    }
    lines.extend(stage_lines(&view.stages, page));
    if page.width < Page::FILE.width {
        lines.push(String::new());
        lines.extend(wrap("The tables lack columns that have no room here; a file has them: ioproof report RUN -o NAME.txt", page.width));
    }
    lines.push(String::new());
    lines.extend(wrap(&format!("rules version {}, configuration {}", view.judgement.rules_version, view.config_sha256), page.width));
    lines.join("\n") + "\n"
}

fn row_lines(row: &RowView, page: Page) -> Vec<String> {
    let c = &row.conditions;
    let verdict = row.verdict.map(|v| format!(": {}", v.title())).unwrap_or_default();
    let targets = c.targets.as_ref().map(|targets| format!(", on {targets}")).unwrap_or_default();
    let mut lines = labelled("  ", &format!("{}, {}{targets}{verdict}", row.title(), c.depth_sentence()), page.width, 4);
    if !row.claim.is_empty() {
        lines.extend(labelled("    claim: ", &row.claim, page.width, 4));
    }
    lines.extend(row.averaged_text().iter().flat_map(|text| labelled("    average: ", text, page.width, 4)));
    lines.extend(row.reasons.iter().flat_map(|reason| labelled("    ", &reason.sentence(), page.width, 4)));
    if !row.limited_by.is_empty() {
        lines.extend(labelled("    limit: ", &row.limited_by, page.width, 4));
    }
    lines.extend(row.limit.iter().flat_map(|limit| limit_lines(limit, page)));
    lines
}

/// The limit at length; a command stands on a line of its own, unbroken, so that it can be pasted.
fn limit_lines(limit: &LimitView, page: Page) -> Vec<String> {
    let mut lines = vec![format!("      sureness: {}", limit.confidence)];
    lines.extend(limit.parts.iter().flat_map(|(label, text)| labelled(&format!("      {label}: "), text, page.width, 8)));
    if let Some((command, outcomes)) = &limit.to_tell {
        lines.extend(labelled("      to tell: ", outcomes, page.width, 8));
        lines.push(format!("        {command}"));
    }
    lines
}

fn finding_lines(finding: &FindingView, page: Page) -> Vec<String> {
    let mut lines = labelled(&format!("  {:<8}", finding.weight()), &format!("{} [{}]", finding.title, finding.rule), page.width, 4);
    lines.extend(labelled("          about: ", &finding.about(), page.width, 4));
    for (label, text) in [("evidence: ", finding.evidence_text()), ("to do: ", finding.remedy.clone())] {
        if !text.is_empty() {
            lines.extend(labelled(&format!("          {label}"), &text, page.width, 6));
        }
    }
    lines
}

fn section_lines(section: &Section, page: Page) -> Vec<String> {
    let mut lines = vec![format!("\n{}", section.title)];
    for fact in &section.facts {
        let source = if fact.source.is_empty() { String::new() } else { format!(" ({})", fact.source) };
        lines.extend(labelled(&format!("  {:<20} ", fact.name), &format!("{}{source}", fact.value), page.width, 6));
    }
    lines
}

/// Columns of the table of rounds that a narrow terminal does without.
const ROUND_COLUMNS_TO_GO: [&str; 10] = ["outcome", "errors", "depth", "time", "max", "throughput", "run", "p99", "round", "mean"];

fn round_table(rounds: &[&RoundView], page: Page) -> Table {
    let names = ["round", "workload", "QD", "run", "outcome", "time", "IOPS", "throughput", "mean", "p99", "max", "depth", "errors"];
    let mut table = Table::new(2, &names.map(|name| aligned(name, &["workload", "QD", "outcome"])));
    for round in rounds {
        let cell = |name| match name {
            "workload" => clip(&round.conditions.short_special(), page.cell(60)),
            _ => round.cell(name),
        };
        table.push(names.map(|name| cell(name).into()).into());
    }
    table
}

/// A column that is flush left where it is one of these, else right.
fn aligned<'a>(name: &'a str, left: &[&str]) -> (&'a str, Align) {
    (name, if left.contains(&name) { Align::Left } else { Align::Right })
}

/// Columns of the table of stages that a narrow terminal does without.
const STAGE_COLUMNS_TO_GO: [&str; 9] = ["purpose", "flushes", "busy", "waited", "°C", "CPU busy", "drive", "remarks", "written"];

fn stage_lines(stages: &[StageView], page: Page) -> Vec<String> {
    if stages.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new(2, &STAGE_COLUMNS.map(|name| aligned(name, &STAGE_WORDS)));
    for line in stages.iter().flat_map(StageView::lines) {
        table.push(line.iter().map(|cell| clip(cell, page.cell(40)).into()).collect());
    }
    let mut lines = vec!["\nStages".to_owned()];
    lines.extend(wrap(STAGE_LEGEND, page.width));
    lines.extend(page.fitted(table, &STAGE_COLUMNS_TO_GO));
    lines
}

/// Lines of a sentence.
const MOST_LINES: usize = 6;
/// Drives and problems that a terminal shows; a page has all.
const MOST_SHOWN: usize = 40;

/// A fleet for people; its text may change between versions.
#[must_use]
pub fn fleet_text(report: &FleetReport, style: Style) -> String {
    of_fleet(report, style.on_screen(), MOST_SHOWN)
}

pub(crate) fn fleet(report: &FleetReport) -> String {
    of_fleet(report, Style::of_file(Page::FILE.width), usize::MAX)
}

fn of_fleet(report: &FleetReport, style: Style, most: usize) -> String {
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
    for (title, texts) in report.lists() {
        lines.extend([String::new(), bold(title)]);
        lines.extend(texts.iter().take(most).flat_map(|text| labelled("  ", text, style.width, MOST_LINES)));
        lines.extend(rest(texts.len(), most, "of them"));
    }
    lines.join("\n") + "\n"
}

fn faults(drive: &FaultyDrive, style: Style) -> Vec<String> {
    let head = format!("  {} on {} ({} {})", drive.drive, drive.node, drive.model, drive.firmware);
    let head = Tone::Bad.paint(&head.replace(" )", ")"), style.color);
    let fault = |fault: &Fault| labelled(&format!("    {}: ", fault.kind.title()), &fault.text, style.width, MOST_LINES);
    std::iter::once(head).chain(drive.faults.iter().flat_map(fault)).collect()
}

/// A line on what is not shown.
fn rest(all: usize, most: usize, what: &str) -> Option<String> {
    (all > most).then(|| format!("  and {} more {what}: -o fleet.html has all", all - most))
}
