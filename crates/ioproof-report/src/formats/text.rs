//! Plain text: the summary, wider and without colour, followed by reasons, facts with sources, rounds and stages. On a terminal it is as wide as that, and tables
//! leave out columns that have no room.

pub(crate) mod comparison;
pub(crate) mod fleet;

use crate::ReportError;
use crate::layout::{Align, Table, clip, labelled, wrap};
use crate::summary::parts::NOT_STORED;
use crate::summary::{Style, of_view};
use crate::view::{FindingView, LimitView, RoundView, RowView, STAGE_COLUMNS, STAGE_LEGEND, Section, StageView, View};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::units;
use std::io::Write;

/// Room for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Page {
    /// Columns of a line.
    width: usize,
    /// Columns of a workload's title in the table of rounds; the results have the whole of it.
    round_title: usize,
    /// Columns that a cell of the table of stages takes at most.
    stage_cell: usize,
    /// True where tables must not be wider.
    is_terminal: bool,
}

impl Page {
    /// A file, which somebody reads in a window of his own.
    const FILE: Self = Self { width: 120, round_title: 60, stage_cell: 40, is_terminal: false };

    /// A terminal of so many columns; of fewer than 40 as one of 40.
    fn of(columns: Option<usize>) -> Self {
        columns.map_or(Self::FILE, |columns| {
            let width = columns.max(40);
            Self {
                width,
                round_title: Self::FILE.round_title.min(width / 3),
                stage_cell: Self::FILE.stage_cell.min(width / 3),
                is_terminal: true,
            }
        })
    }

    fn fitted(self, table: Table, first_to_go: &[&str]) -> Vec<String> {
        if self.is_terminal { table.within(self.width, first_to_go) } else { table }.lines(false)
    }
}

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(text(record, judgement, None).as_bytes())?)
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
    let mut lines = vec![of_view(view, Style { color: false, width: page.width })];
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
    lines.extend(wrap(&format!("rules version {}, configuration {}", view.rules_version, view.config_sha256), page.width));
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
    use Align::{Left, Right};
    let columns = [
        ("round", Right),
        ("workload", Left),
        ("QD", Left),
        ("run", Right),
        ("outcome", Left),
        ("time", Right),
        ("IOPS", Right),
        ("throughput", Right),
        ("mean", Right),
        ("p99", Right),
        ("max", Right),
        ("depth", Right),
        ("errors", Right),
    ];
    let mut table = Table::new(2, &columns);
    for r in rounds {
        let time = units::duration(std::time::Duration::from_nanos(r.elapsed_ns));
        let latency = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), units::latency);
        table.push(vec![
            r.number.to_string().into(),
            clip(&r.conditions.short_special(), page.round_title).into(),
            r.conditions.depth_formula().replace(' ', "").into(),
            (u64::from(r.repetition) + 1).to_string().into(),
            r.outcome.into(),
            time.into(),
            units::iops(r.iops).into(),
            units::throughput(r.bytes_per_s).into(),
            latency(r.latency_mean_ns).into(),
            latency(r.latency_p99_ns.map(|ns| ns as f64)).into(),
            latency(r.latency_max_ns.map(|ns| ns as f64)).into(),
            r.depth_text().into(),
            r.errors.to_string().into(),
        ]);
    }
    table
}

/// Columns of the table of stages that a narrow terminal does without.
const STAGE_COLUMNS_TO_GO: [&str; 9] = ["purpose", "flushes", "busy", "waited", "°C", "CPU busy", "drive", "remarks", "written"];

fn stage_lines(stages: &[StageView], page: Page) -> Vec<String> {
    if stages.is_empty() {
        return Vec::new();
    }
    let left = ["purpose", "drive", "jobs on it", "remarks"];
    let columns = STAGE_COLUMNS.map(|name| (name, if left.contains(&name) { Align::Left } else { Align::Right }));
    let mut table = Table::new(2, &columns);
    for line in stages.iter().flat_map(StageView::lines) {
        table.push(line.iter().map(|cell| clip(cell, page.stage_cell).into()).collect());
    }
    let mut lines = vec!["\nStages".to_owned()];
    lines.extend(wrap(STAGE_LEGEND, page.width));
    lines.extend(page.fitted(table, &STAGE_COLUMNS_TO_GO));
    lines
}
