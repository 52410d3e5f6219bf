//! The tables of results: claims with their reasons, latencies; and the findings. On a phone each line becomes a card, labelled by `data-label`.

use super::results::of_part;
use super::{badge, class, element, escape, section};
use crate::view::{FindingGroup, FindingView, LimitView, OfRow, RowView, Shared, View, match_range, runs_text, share};
use ioproof_core::finding::Severity;
use ioproof_core::results::Part;
use ioproof_core::units;
use ioproof_core::verdict::{Match, Verdict};

/// A cell with the name of its column for the narrow layout.
pub(super) fn cell(label: &str, class: &str, markup: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<td data-label=\"{label}\"{class}>{markup}</td>")
}

pub(super) fn table(class: &str, caption: &str, names: &[(&str, &str)], bodies: &str) -> String {
    let head: String = names.iter().map(|(name, class)| format!("<th scope=\"col\" class=\"{class}\">{name}</th>")).collect();
    format!(
        "<div class=\"wide\"><table class=\"{class}\">\n{}\n<thead><tr>{head}</tr></thead>\n{bodies}</table></div>\n",
        element("caption", "", caption)
    )
}

pub(super) fn or_dash(text: Option<String>) -> String {
    text.map_or_else(|| "-".into(), |text| escape(&text))
}

pub(super) fn claims(view: &View) -> String {
    let (claimed, other) = view.claimed_and_other();
    let mut text = String::new();
    if view.rows.is_empty() {
        text += &section("Results", "<p>No workload has a result.</p>\n");
    }
    if !claimed.is_empty() {
        text += &section("Claims", &(words(view) + &row_table(view, "Claim", &claimed)));
    }
    if !other.is_empty() {
        let heading = if claimed.is_empty() { "Measured" } else { "Also measured, nothing was promised" };
        let words = if claimed.is_empty() { words(view) } else { String::new() };
        text += &section(heading, &(words + &row_table(view, "Workload", &other)));
    }
    text + &skipped(view)
}

/// The words that the table uses, each with its meaning.
fn words(view: &View) -> String {
    let word = |(word, meaning): (&str, String)| format!("<div><dt>{word}</dt>{}</div>", element("dd", "", &meaning));
    let words: String = view.words().into_iter().map(word).collect();
    if words.is_empty() { words } else { format!("<dl class=\"words\">{words}</dl>\n") }
}

/// Sentences that all rows would repeat.
fn once(shared: &Shared) -> String {
    let line = |(label, text): (String, String)| format!("<li><span class=\"label\">{label}:</span> {}</li>", escape(&text));
    let lines: String = shared.lines().into_iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("<ul class=\"once\">{lines}</ul>\n") }
}

/// Rows with a claim, or such that nothing was promised of; with their targets where the run has several.
fn row_table(view: &View, title: &str, rows: &[&RowView]) -> String {
    let (is_claimed, has_targets) = (title == "Claim", rows.iter().any(|row| row.conditions.targets.is_some()));
    let columns: [(&str, &str, bool, OfRow); 7] = [
        ("Target", "target", has_targets, &|row| or_dash(row.conditions.targets.clone())),
        ("Queue depth", "depth", true, &|row| row.conditions.depth_formula()),
        ("Datasheet", "n", is_claimed, &|row| or_dash(row.claimed_text())),
        ("Measured", "n", true, &|row| measured(row)),
        ("Runs (interval)", "n", true, &|row| runs_text(row.measured)),
        ("Match", "match", is_claimed, &|row| matched(view, row)),
        ("Verdict", "", is_claimed, &|row| row.verdict.map_or_else(|| "-".into(), badge)),
    ];
    let shown: Vec<_> = columns.into_iter().filter(|(_, _, is_shown, _)| *is_shown).collect();
    let of_figures = shown.iter().map(|(name, class, ..)| (*name, if *class == "n" { "n" } else { "" }));
    let names: Vec<(&str, &str)> = [(title, "")].into_iter().chain(of_figures).collect();
    let shared = Shared::of(rows);
    let line = |row: &&RowView| {
        let cells: String = shown.iter().map(|(name, class, _, text)| cell(name, class, &text(row))).collect();
        let why = why(row, &shared, names.len());
        format!("<tbody><tr><th scope=\"row\">{}</th>{cells}</tr>{why}</tbody>\n", escape(&row.title()))
    };
    let mut caption = format!("Queue depth: workers x depth per worker = in total. {}", view.interval_legend());
    if is_claimed {
        caption += &format!(" The mark in the bar of a match is the threshold, {}.", units::percent(view.judgement.threshold));
    }
    once(&shared) + &table("claims", &caption, &names, &rows.iter().map(line).collect::<String>())
}

fn measured(row: &RowView) -> String {
    let Some(text) = row.measured_text() else { return "not measured".into() };
    match text.split_once(" (") {
        Some((median, ends)) => format!("<strong>{}</strong> <span class=\"ends\">({}</span>", escape(median), escape(ends)),
        None => format!("<strong>{}</strong>", escape(&text)),
    }
}

fn matched(view: &View, row: &RowView) -> String {
    let (Some(m), Some(share), Some(range)) = (row.matched, share(row.matched), match_range(row.matched)) else { return "-".into() };
    format!("{} <strong>{share}</strong> <span class=\"ends\">({range})</span>", gauge(m, view.judgement.threshold, row.verdict))
}

/// Width of a gauge, and the share of a claim at its right end.
const GAUGE: (f64, f64) = (90.0, 1.15);

/// A match as a bar with its interval and a mark at the threshold. The number beside it says the same, so readers skip it.
fn gauge(matched: Match, threshold: f64, verdict: Option<Verdict>) -> String {
    let x = |share: f64| if share.is_finite() { share.clamp(0.0, GAUGE.1) / GAUGE.1 * GAUGE.0 } else { 0.0 };
    let (low, share, high, mark, all) = (x(matched.low), x(matched.share), x(matched.high), x(threshold), x(1.0));
    format!(
        "<svg class=\"gauge {class}\" viewBox=\"0 0 {w} 14\" width=\"{w}\" height=\"14\" aria-hidden=\"true\">\
         <rect class=\"track\" y=\"4\" width=\"{all:.1}\" height=\"6\" rx=\"1\"/><rect class=\"bar\" y=\"4\" width=\"{share:.1}\" height=\"6\" rx=\"1\"/>\
         <path class=\"whisker\" d=\"M{low:.1} 7H{high:.1}M{low:.1} 4V10M{high:.1} 4V10\"/><path class=\"mark\" d=\"M{mark:.1} 0V14\"/></svg>",
        class = class(verdict),
        w = GAUGE.0
    )
}

/// Reasons, limit and the claim's own words, in a line under the row.
fn why(row: &RowView, shared: &Shared, columns: usize) -> String {
    let labelled = |label: &str, text: &str| format!("<li><span class=\"label\">{label}</span> {}</li>", escape(text));
    let directions = row.directions.as_ref().map(|text| labelled("of which", text));
    let average = row.averaged_text().map(|text| labelled("average", &text));
    let reasons = shared.reasons_of(row).into_iter().map(|reason| element("li", "", &reason));
    let mut items: Vec<String> = directions.into_iter().chain(average).chain(reasons).collect();
    if !row.limited_by.is_empty() {
        let more = row.limit.as_ref().map(limit_list).unwrap_or_default();
        items.push(format!("<li><span class=\"label\">limited by</span> {}{more}</li>", escape(&row.limited_by)));
    }
    items.extend(shared.claim_of(row).map(|claim| labelled("claim", &claim)));
    if items.is_empty() {
        String::new()
    } else {
        format!("<tr class=\"why\"><td colspan=\"{columns}\"><ul>{}</ul></td></tr>", items.concat())
    }
}

/// The limit at length, behind a line to open.
fn limit_list(limit: &LimitView) -> String {
    let part = |(label, text): &(&str, String)| format!("<li><span class=\"label\">{label}</span> {}</li>", escape(text));
    let parts: String = limit.parts.iter().map(part).collect();
    let told = |(command, outcomes): &(String, String)| {
        format!("<li><span class=\"label\">to tell</span> <code>{}</code><br>{}</li>", escape(command), escape(outcomes))
    };
    let to_tell: String = limit.to_tell.iter().map(told).collect();
    format!("<details><summary>{}, because</summary><ul>{parts}{to_tell}</ul></details>", limit.confidence)
}

fn skipped(view: &View) -> String {
    if view.skipped.is_empty() {
        return String::new();
    }
    let items: String = view.skipped.iter().map(|s| element("li", "", &format!("{}: {}", s.claim, s.reason))).collect();
    section("Claims not measured", &format!("<ul>{items}</ul>\n"))
}

pub(super) fn latencies(view: &View) -> String {
    let caption = format!("{} {}", describe_latency(view), view.latency_dash());
    let table = |part: &Part| section("Latency", &of_part(&view.latency_table, part, &caption));
    view.latency_table.parts.iter().filter(|part| !part.rows.is_empty()).map(table).collect()
}

/// Definitions of the latencies in the table. Without parts it is all service time.
fn describe_latency(view: &View) -> String {
    let has = |part: &str| view.latencies.iter().any(|row| row.operation.ends_with(part));
    let parts = if has("submission") { "; submission is the part until the kernel has accepted the I/O, completion the rest" } else { "" };
    let response = if has("submission") || has("response") { " Response time: from when the I/O was to start." } else { "" };
    format!("Service time: from before the kernel is entered to when the completion is seen{parts}.{response}")
}

/// Of each rule the first finding at length, further ones of the same rule behind a line to open.
pub(super) fn findings(view: &View) -> String {
    let items: String = FindingGroup::of(&view.findings).iter().map(item).collect();
    if items.is_empty() {
        return section("Findings", "<p>None.</p>\n");
    }
    section("Findings", &format!("<ul class=\"findings\">\n{items}</ul>\n"))
}

fn weight_class(finding: &FindingView) -> &'static str {
    match finding.severity {
        Severity::Block => "misses",
        Severity::Warn => "doubt",
        Severity::Info => "aside",
    }
}

/// The findings of one rule and weight.
fn item(group: &FindingGroup) -> String {
    let FindingGroup { first, others } = group;
    let more: String = others.iter().map(|finding| format!("<li>{}</li>", at_length(finding))).collect();
    let more = match others.len() as u64 {
        0 => String::new(),
        n => format!("<details><summary>{n} more of this rule</summary><ul class=\"more\">{more}</ul></details>"),
    };
    format!("<li class=\"{}\">{}{more}</li>\n", weight_class(first), at_length(first))
}

fn at_length(finding: &FindingView) -> String {
    let class = weight_class(finding);
    let evidence: String = finding
        .evidence
        .iter()
        .map(|(name, value)| format!("<div>{}{}</div>", element("dt", "", name), element("dd", "", value)))
        .collect();
    let evidence = if evidence.is_empty() { evidence } else { format!("<dl class=\"evidence\">{evidence}</dl>") };
    let remedy = if finding.remedy.is_empty() { String::new() } else { element("p", "remedy", &format!("To do: {}", finding.remedy)) };
    format!(
        "<p><span class=\"badge {class}\">{}</span> <strong>{}</strong></p><p class=\"about\">{}, rule {}</p>{evidence}{remedy}",
        finding.weight(),
        escape(&finding.title),
        escape(&finding.about()),
        element("code", "", &finding.rule)
    )
}
