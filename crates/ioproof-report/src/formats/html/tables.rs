//! The tables of results: claims with their reasons, latencies. On a phone each line becomes a card, labelled by `data-label`.

use super::gauge::gauge;
use super::results::of_part;
use super::{badge, element, escape, section};
use crate::view::{LimitView, RowView, Shared, View, match_range, runs_text, share};
use ioproof_core::results::Part;
use ioproof_core::units;

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
        text += &section("Claims", &(words(view) + &claim_table(view, &claimed)));
    }
    if !other.is_empty() {
        let heading = if claimed.is_empty() { "Measured" } else { "Also measured, nothing was promised" };
        let words = if claimed.is_empty() { words(view) } else { String::new() };
        text += &section(heading, &(words + &other_table(view, &other)));
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

fn legend(view: &View) -> String {
    format!("Queue depth: workers x depth per worker = in total. {}", view.interval_legend())
}

fn claim_table(view: &View, rows: &[&RowView]) -> String {
    let columns = [("Queue depth", ""), ("Datasheet", "n"), ("Measured", "n"), ("Runs (interval)", "n"), ("Match", ""), ("Verdict", "")];
    let names = [leading("Claim", rows).as_slice(), &columns].concat();
    let shared = Shared::of(rows);
    let bodies: String = rows.iter().map(|row| claim_row(view, row, rows, &shared)).collect();
    let caption = format!("{} The mark in the bar of a match is the threshold, {}.", legend(view), units::percent(view.threshold));
    once(&shared) + &table("claims", &caption, &names, &bodies)
}

fn claim_row(view: &View, row: &RowView, rows: &[&RowView], shared: &Shared) -> String {
    let cells = [
        row_head(row, rows),
        cell("Queue depth", "depth", &row.conditions.depth_formula()),
        cell("Datasheet", "n", &or_dash(row.claimed_text())),
        cell("Measured", "n", &measured(row)),
        cell("Runs (interval)", "n", &runs_text(row.measured)),
        cell("Match", "match", &matched(view, row)),
        cell("Verdict", "", &row.verdict.map_or_else(|| "-".into(), badge)),
    ];
    format!("<tbody><tr>{}</tr>{}</tbody>\n", cells.concat(), why(row, shared, leading("", rows).len() + 6))
}

/// The columns that name a row: its title, and its targets where the run has several.
fn leading(title: &'static str, rows: &[&RowView]) -> Vec<(&'static str, &'static str)> {
    let has_targets = rows.iter().any(|row| row.conditions.targets.is_some());
    [Some((title, "")), has_targets.then_some(("Target", ""))].into_iter().flatten().collect()
}

fn row_head(row: &RowView, rows: &[&RowView]) -> String {
    let head = format!("<th scope=\"row\">{}</th>", escape(&row.title()));
    match leading("", rows).len() {
        1 => head,
        _ => head + &cell("Target", "target", &or_dash(row.conditions.targets.clone())),
    }
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
    format!("{} <strong>{share}</strong> <span class=\"ends\">({range})</span>", gauge(m, view.threshold, row.verdict))
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

fn other_table(view: &View, rows: &[&RowView]) -> String {
    let names = [leading("Workload", rows).as_slice(), &[("Queue depth", ""), ("Measured", "n"), ("Runs (interval)", "n")]].concat();
    let shared = Shared::of(rows);
    let line = |row: &&RowView| {
        let cells = [
            row_head(row, rows),
            cell("Queue depth", "depth", &row.conditions.depth_formula()),
            cell("Measured", "n", &measured(row)),
            cell("Runs (interval)", "n", &runs_text(row.measured)),
        ];
        format!("<tbody><tr>{}</tr>{}</tbody>\n", cells.concat(), why(row, &shared, leading("", rows).len() + 3))
    };
    once(&shared) + &table("claims", &legend(view), &names, &rows.iter().map(line).collect::<String>())
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
fn describe_latency(view: &View) -> &'static str {
    let has = |part: &str| view.latencies.iter().any(|row| row.operation.ends_with(part));
    match (has("response"), has("submission")) {
        (false, false) => "Service time: from before the kernel is entered to when the completion is seen.",
        (true, false) => {
            "Service time: from before the kernel is entered to when the completion is seen. Response time: from when the I/O was to start."
        }
        (_, true) => {
            "Service time: from before the kernel is entered to when the completion is seen; submission is the part until the kernel has accepted the I/O, \
             completion the rest. Response time: from when the I/O was to start."
        }
    }
}
