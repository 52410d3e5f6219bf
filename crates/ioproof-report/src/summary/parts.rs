//! Head, latencies, findings and last lines of the summary.

use super::{Notes, Style, describe_special, heading};
use crate::layout::{Align, Cell, Column, Table, Tone, clip, elide, labelled, wrap};
use crate::view::{FindingGroup, FindingView, LatencyView, Scale, View};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::finding::{Finding, Severity};
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::units::latency;
use ioproof_core::verdict::Verdict;

/// More findings than this are counted, not shown.
const FINDINGS: usize = 3;
/// Columns from which on there is room for the host.
const WIDE: usize = 100;
/// A finding takes no more lines than this.
const FINDING_LINES: usize = 2;

pub(super) fn head(view: &View, style: Style) -> Vec<String> {
    let title = format!("ioproof {}, run {}, {}", view.program_version, view.run_id, view.status);
    let mut lines = vec![Tone::Dim.paint(&clip(&title, style.width), style.color)];
    for banner in view.banners.iter().filter(|banner| banner.grave) {
        lines.extend(labelled("!! ", &banner.text, style.width, 3).iter().map(|line| Tone::Bad.paint(line, style.color)));
    }
    lines.extend(wrap(&view.lead.speed, style.width).iter().map(|line| Tone::Bold.paint(line, style.color)));
    lines.extend(wrap(&view.lead.verdict, style.width));
    for banner in view.banners.iter().filter(|banner| !banner.grave) {
        lines.extend(labelled("note: ", &banner.text, style.width, 3).iter().map(|line| Tone::Doubt.paint(line, style.color)));
    }
    // A narrow screen has no room for the host.
    for (label, value) in view.brief.iter().filter(|(label, _)| *label != "host" || style.width >= WIDE) {
        let value = elide(value, (style.width - 11) * 2);
        lines.extend(labelled(&format!("{label:<11}"), &value, style.width, 3));
    }
    lines
}

pub(super) fn latencies(view: &View, notes: &mut Notes, style: Style) -> Vec<String> {
    if view.latencies.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new()];
    let mark = |row: &LatencyView| (!row.conditions.special.is_empty()).then(|| notes.mark(describe_special(&row.conditions)));
    let marks: Vec<Option<usize>> = view.latencies_in_short().map(mark).collect();
    let tables = [(2, true), (1, true), (1, false)].into_iter().map(|(gap, has_interval)| latency_table(view, &marks, gap, has_interval));
    if let Some(table) = tables.into_iter().find(|table| table.width() <= style.width) {
        lines.extend(table.lines(style.color));
    } else {
        let title = if alone(view) { "Latency, QD 1x1=1" } else { "Latency" };
        lines.extend(heading(title, style).into_iter().skip(1));
        lines.extend(view.latencies_in_short().flat_map(|row| stacked(row, style)));
    }
    let dash = format!("; -: fewer than {} I/Os lie beyond that percentile", view.record.policy.percentile_samples);
    let lacks_one = |row: &LatencyView| SHOWN.iter().any(|s| row.percentile(*s).is_none());
    let dash = if view.latencies_in_short().any(lacks_one) { dash } else { String::new() };
    lines.push(Tone::Dim.paint(&clip(&format!("all I/Os of all runs together{dash}"), style.width), style.color));
    lines
}

/// True where all rows are of one I/O at a time, so that the title can say it once.
fn alone(view: &View) -> bool {
    view.latencies_in_short().all(|row| row.conditions.outstanding == 1)
}

const SHOWN: [Statistic; 3] = [Statistic::P50, Statistic::P99, Statistic::P999];

fn latency_table(view: &View, marks: &[Option<usize>], gap: usize, has_interval: bool) -> Table {
    use Align::{Left, Right};
    let title = if alone(view) { "latency, QD 1x1=1" } else { "latency" };
    let columns: [Column<(&LatencyView, &Option<usize>)>; 8] = [
        (title, Left, true, &|(row, _)| operation(row).into()),
        ("IOPS", Right, true, &|(row, _)| rate(row).into()),
        ("mean", Left, true, &|(row, _)| mean(row, has_interval).into()),
        ("p50", Right, true, &|(row, _)| ns(row.percentile(Statistic::P50)).into()),
        ("p99", Right, true, &|(row, _)| ns(row.percentile(Statistic::P99)).into()),
        ("p99.9", Right, true, &|(row, _)| ns(row.percentile(Statistic::P999)).into()),
        ("max", Right, true, &|(row, _)| ns(row.max_ns).into()),
        ("see", Left, marks.iter().any(Option::is_some), &|(_, mark)| {
            Cell::new(mark.map(|mark| mark.to_string()).unwrap_or_default(), Tone::Dim)
        }),
    ];
    Table::of(gap, &columns, &view.latencies_in_short().zip(marks).collect::<Vec<_>>())
}

/// `rand read 4 KiB`; operation and queue depth are added where they are not those that the title and the head say.
fn operation(row: &LatencyView) -> String {
    let mut text = row.conditions.short.clone();
    if row.operation != row.conditions.direction {
        // A part of a durable write takes its place in the title.
        // Not the beginning of "write+sync_file_range".
        let part = text.replacen("write+sync ", &format!("{} ", row.operation), 1);
        text = if part == text { format!("{text}: {}", row.operation) } else { part };
    }
    text = row.conditions.distinct(&text);
    if row.conditions.outstanding != 1 {
        text += &format!(", QD {}", row.conditions.depth_formula().replace(' ', ""));
    }
    text
}

/// The rate below a heading that says IOPS: `13.6 k`.
fn rate(row: &LatencyView) -> String {
    row.iops_text().map_or_else(|| "-".into(), |text| text.replace("IOPS", "").trim().to_owned())
}

fn mean(row: &LatencyView, has_interval: bool) -> String {
    let text = |e: Estimate| if has_interval { Scale::of(Metric::Latency, e.median).short_interval(&e) } else { latency(e.median) };
    row.mean_ns.map_or_else(|| "-".into(), text)
}

fn ns(value: Option<u64>) -> String {
    value.map_or_else(|| "-".into(), |ns| latency(ns as f64))
}

fn stacked(row: &LatencyView, style: Style) -> Vec<String> {
    let percentiles: Vec<String> = SHOWN.iter().map(|s| format!("{} {}", s.title(), ns(row.percentile(*s)))).collect();
    let rate = row.iops_text().map(|rate| format!("{rate}, ")).unwrap_or_default();
    let text = format!("{rate}mean {}, {}, max {}", mean(row, true), percentiles.join(", "), ns(row.max_ns));
    let mut lines = wrap(&operation(row), style.width);
    lines.extend(labelled("  ", &text, style.width, 3));
    lines
}

pub(super) fn findings(view: &View, style: Style) -> Vec<String> {
    // The verdict has said what spoils all rows.
    let is_said = |group: &FindingGroup| view.lead.spoilt_by.is_some_and(|rule| rule == group.first.rule);
    let groups: Vec<FindingGroup> = FindingGroup::of(&view.findings).into_iter().filter(|group| !is_said(group)).collect();
    if groups.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<String> = vec![String::new()];
    lines.extend(groups.iter().take(FINDINGS).flat_map(|group| finding_lines(group, style)));
    if groups.len() > FINDINGS {
        lines.push(format!("and {} more in the report", groups.len() - FINDINGS));
    }
    lines
}

fn finding_lines(group: &FindingGroup, style: Style) -> Vec<String> {
    let weight = group.first.weight();
    let tone = match group.first.severity {
        Severity::Block => Tone::Bad,
        Severity::Warn => Tone::Doubt,
        Severity::Info => Tone::Aside,
    };
    let mut lines = labelled(&format!("{weight:<8}"), &finding_text(group), style.width, FINDING_LINES);
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(weight, &tone.paint(weight, style.color), 1);
    }
    lines
}

/// One text for findings of one rule.
fn finding_text(group: &FindingGroup) -> String {
    let about = group.first.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
    let also = group.also().map(|also| format!("; {also}")).unwrap_or_default();
    format!("{about}{}{also}", group.first.title.trim_end_matches('.'))
}

/// Findings as the summary words them, those of one rule together, each with its weight and the word for that.
#[must_use]
pub fn findings_in_words(record: &RunRecord, findings: &[Finding]) -> Vec<(Severity, &'static str, String)> {
    let views: Vec<FindingView> = findings.iter().map(|finding| FindingView::new(finding, record)).collect();
    FindingGroup::of(&views).iter().map(|group| (group.first.severity, group.first.weight(), finding_text(group))).collect()
}

/// Stands for the id of a run that cannot be asked for.
pub(crate) const NOT_STORED: &str = "not stored";

pub(super) fn tail(view: &View, style: Style) -> Vec<String> {
    let mut lines = vec![String::new()];
    lines.extend(skipped(view, style));
    lines.extend(next(view).iter().flat_map(|next| labelled("next: ", next, style.width, 2)));
    lines.extend(labelled("", view.exit_text().trim_end_matches(": "), style.width, 2));
    lines
}

/// The one command that helps most now.
fn next(view: &View) -> Option<String> {
    if view.lead.spoilt_by.is_some() {
        return Some("ioproof doctor   (finds what distorts a measurement on this machine)".to_owned());
    }
    let misses = view.rows.iter().filter(|row| row.verdict == Some(Verdict::Misses));
    let telling = misses.filter_map(|row| row.limit.as_ref()?.to_tell.as_ref()).map(|(command, _)| command.clone()).next();
    let report = || format!("ioproof report {} -o report.html   (all figures, reasons and plots)", view.run_id);
    telling.or_else(|| (view.run_id != NOT_STORED).then(report))
}

/// `claims not measured: 2 (needs writing)`.
fn skipped(view: &View, style: Style) -> Vec<String> {
    let left_out: Vec<_> = view.rows.iter().filter(|row| row.is_skipped()).collect();
    let of_rows = left_out.iter().flat_map(|row| &row.reasons).map(|reason| reason.text.as_str());
    let mut reasons: Vec<&str> = view.skipped.iter().map(|s| s.reason).chain(of_rows).collect();
    reasons.sort_unstable();
    reasons.dedup();
    match view.skipped.len() + left_out.len() {
        0 => Vec::new(),
        n => labelled("", &format!("claims not measured: {n} ({})", reasons.join("; ")), style.width, 2),
    }
}
