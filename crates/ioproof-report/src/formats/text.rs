//! Plain text: the summary, wider and without colour, followed by reasons, facts with sources, rounds and stages.

use crate::ReportError;
use crate::layout::{Align, Table, clip, labelled, wrap};
use crate::summary::parts::NOT_STORED;
use crate::summary::{Style, of_view};
use crate::view::{FindingView, LimitView, RoundView, RowView, STAGE_COLUMNS, STAGE_LEGEND, Section, StageView, View};
use ioproof_core::record::RunRecord;
use ioproof_core::units;
use ioproof_core::verdict::Judgement;
use std::io::Write;

const WIDTH: usize = 120;
/// Columns of a workload's title in the table of rounds; the results have the whole of it.
const ROUND_TITLE: usize = 60;
/// Columns that a cell of the table of stages takes at most.
const STAGE_CELL: usize = 40;

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(of_whole(&View::new(record, judgement)).as_bytes())?)
}

/// The whole report of a run that is kept nowhere, so that nothing of it is lost.
#[must_use]
pub fn text_of_unstored(record: &RunRecord, judgement: &Judgement) -> String {
    of_whole(&View { run_id: NOT_STORED.into(), ..View::new(record, judgement) })
}

fn of_whole(view: &View) -> String {
    let mut lines = vec![of_view(view, Style { color: false, width: WIDTH })];
    lines.push("Claims and reasons".into());
    lines.extend(view.rows.iter().flat_map(row_lines));
    lines.extend(view.skipped.iter().map(|s| format!("  {}: not measured, {}", s.claim, s.reason)));
    lines.push("\nFindings".into());
    lines.extend(view.findings.iter().flat_map(finding_lines));
    lines.extend(view.sections.iter().flat_map(section_lines));
    for group in view.round_groups() {
        lines.push(format!("\n{}", group.heading));
        lines.extend(round_table(&group.rounds).lines(false));
    }
    lines.extend(stage_lines(&view.stages));
    lines.push(format!("\nrules version {}, configuration {}", view.rules_version, view.config_sha256));
    lines.join("\n") + "\n"
}

fn row_lines(row: &RowView) -> Vec<String> {
    let c = &row.conditions;
    let verdict = row.verdict.map(|v| format!(": {}", v.title())).unwrap_or_default();
    let targets = c.targets.as_ref().map(|targets| format!(", on {targets}")).unwrap_or_default();
    let mut lines = labelled("  ", &format!("{}, {}{targets}{verdict}", row.title(), c.depth_sentence()), WIDTH, 4);
    if !row.claim.is_empty() {
        lines.extend(labelled("    claim: ", &row.claim, WIDTH, 4));
    }
    lines.extend(row.averaged_text().iter().flat_map(|text| labelled("    average: ", text, WIDTH, 4)));
    lines.extend(row.reasons.iter().flat_map(|reason| labelled("    ", &reason.sentence(), WIDTH, 4)));
    if !row.limited_by.is_empty() {
        lines.extend(labelled("    limit: ", &row.limited_by, WIDTH, 4));
    }
    lines.extend(row.limit.iter().flat_map(limit_lines));
    lines
}

/// The limit at length; a command stands on a line of its own, unbroken, so that it can be pasted.
fn limit_lines(limit: &LimitView) -> Vec<String> {
    let mut lines = vec![format!("      sureness: {}", limit.confidence)];
    lines.extend(limit.parts.iter().flat_map(|(label, text)| labelled(&format!("      {label}: "), text, WIDTH, 8)));
    if let Some((command, outcomes)) = &limit.to_tell {
        lines.extend(labelled("      to tell: ", outcomes, WIDTH, 8));
        lines.push(format!("        {command}"));
    }
    lines
}

fn finding_lines(finding: &FindingView) -> Vec<String> {
    let mut lines = labelled(&format!("  {:<8}", finding.weight()), &format!("{} [{}]", finding.title, finding.rule), WIDTH, 4);
    lines.push(format!("          about: {}", finding.about()));
    for (label, text) in [("evidence: ", finding.evidence_text()), ("to do: ", finding.remedy.clone())] {
        if !text.is_empty() {
            lines.extend(labelled(&format!("          {label}"), &text, WIDTH, 6));
        }
    }
    lines
}

fn section_lines(section: &Section) -> Vec<String> {
    let mut lines = vec![format!("\n{}", section.title)];
    for fact in &section.facts {
        let source = if fact.source.is_empty() { String::new() } else { format!(" ({})", fact.source) };
        lines.extend(labelled(&format!("  {:<20} ", fact.name), &format!("{}{source}", fact.value), WIDTH, 6));
    }
    lines
}

fn round_table(rounds: &[&RoundView]) -> Table {
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
            clip(&r.conditions.short_special(), ROUND_TITLE).into(),
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

fn stage_lines(stages: &[StageView]) -> Vec<String> {
    if stages.is_empty() {
        return Vec::new();
    }
    let left = ["purpose", "drive", "jobs on it", "remarks"];
    let columns = STAGE_COLUMNS.map(|name| (name, if left.contains(&name) { Align::Left } else { Align::Right }));
    let mut table = Table::new(2, &columns);
    for line in stages.iter().flat_map(StageView::lines) {
        table.push(line.iter().map(|cell| clip(cell, STAGE_CELL).into()).collect());
    }
    let mut lines = vec!["\nStages".to_owned()];
    lines.extend(wrap(STAGE_LEGEND, WIDTH));
    lines.extend(table.lines(false));
    lines
}
