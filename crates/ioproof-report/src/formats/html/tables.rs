//! The tables of the page: claims with their reasons, latencies, rounds. On a phone each line becomes a card, labelled by `data-label`.

use super::svg::gauge;
use super::{badge, element, escape, section};
use crate::view::{LatencyView, RoundView, RowView, View, grouped, match_range, runs_text, share};
use ioproof_core::claim::Statistic;
use ioproof_core::units;

/// A cell with the name of its column for the narrow layout.
fn cell(label: &str, class: &str, markup: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<td data-label=\"{label}\"{class}>{markup}</td>")
}

fn table(class: &str, caption: &str, names: &[(&str, &str)], bodies: &str) -> String {
    let head: String = names.iter().map(|(name, class)| format!("<th scope=\"col\" class=\"{class}\">{name}</th>")).collect();
    format!(
        "<div class=\"wide\"><table class=\"{class}\">\n{}\n<thead><tr>{head}</tr></thead>\n{bodies}</table></div>\n",
        element("caption", "", caption)
    )
}

fn or_dash(text: Option<String>) -> String {
    text.map_or_else(|| "-".into(), |text| escape(&text))
}

pub(super) fn claims(view: &View) -> String {
    let (claimed, other) = view.claimed_and_other();
    let mut text = String::new();
    if view.rows.is_empty() {
        text += &section("Results", "<p>No workload has a result.</p>\n");
    }
    if !claimed.is_empty() {
        text += &section("Claims", &claim_table(view, &claimed));
    }
    if !other.is_empty() {
        let heading = if claimed.is_empty() { "Measured" } else { "Also measured, nothing was promised" };
        text += &section(heading, &other_table(view, &other));
    }
    text + &skipped(view)
}

fn legend(view: &View) -> String {
    format!("Queue depth: workers x depth per worker = in total. {}", view.interval_legend())
}

fn claim_table(view: &View, rows: &[&RowView]) -> String {
    let names = [
        ("Claim", ""),
        ("Queue depth", ""),
        ("Datasheet", "n"),
        ("Measured", "n"),
        ("Runs (interval)", "n"),
        ("Match", ""),
        ("Verdict", ""),
    ];
    let bodies: String = rows.iter().map(|row| claim_row(view, row)).collect();
    let threshold = format!(
        "{} Match: share of the claim delivered; the mark in its bar is the threshold, {}.",
        legend(view),
        units::percent(view.threshold)
    );
    table("claims", &threshold, &names, &bodies)
}

fn claim_row(view: &View, row: &RowView) -> String {
    let cells = [
        row_head(row),
        cell("Queue depth", "depth", &row.conditions.depth_formula()),
        cell("Datasheet", "n", &or_dash(row.claimed_text())),
        cell("Measured", "n", &measured(row)),
        cell("Runs (interval)", "n", &runs_text(row.measured)),
        cell("Match", "match", &matched(view, row)),
        cell("Verdict", "", &row.verdict.map_or_else(|| "-".into(), badge)),
    ];
    format!("<tbody><tr>{}</tr>{}</tbody>\n", cells.concat(), why(row, 7))
}

fn row_head(row: &RowView) -> String {
    format!("<th scope=\"row\">{}</th>", escape(&row.title()))
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
fn why(row: &RowView, columns: usize) -> String {
    let mut items: Vec<String> = row.reasons.iter().map(|reason| element("li", "", &reason.sentence())).collect();
    if !row.limited_by.is_empty() {
        items.push(format!("<li><span class=\"label\">limited by</span> {}</li>", escape(&row.limited_by)));
    }
    if !row.claim.is_empty() {
        items.push(format!("<li><span class=\"label\">claim</span> {}</li>", escape(&row.claim)));
    }
    if items.is_empty() {
        String::new()
    } else {
        format!("<tr class=\"why\"><td colspan=\"{columns}\"><ul>{}</ul></td></tr>", items.concat())
    }
}

fn other_table(view: &View, rows: &[&RowView]) -> String {
    let names = [("Workload", ""), ("Queue depth", ""), ("Measured", "n"), ("Runs (interval)", "n")];
    let line = |row: &&RowView| {
        let cells = [
            row_head(row),
            cell("Queue depth", "depth", &row.conditions.depth_formula()),
            cell("Measured", "n", &measured(row)),
            cell("Runs (interval)", "n", &runs_text(row.measured)),
        ];
        format!("<tbody><tr>{}</tr>{}</tbody>\n", cells.concat(), why(row, 4))
    };
    table("claims", &legend(view), &names, &rows.iter().map(line).collect::<String>())
}

fn skipped(view: &View) -> String {
    if view.skipped.is_empty() {
        return String::new();
    }
    let items: String = view.skipped.iter().map(|s| element("li", "", &format!("{}: {}", s.claim, s.reason))).collect();
    section("Claims not measured", &format!("<ul>{items}</ul>\n"))
}

pub(super) fn latencies(view: &View) -> String {
    let Some(first) = view.latencies.first() else { return String::new() };
    let statistics: Vec<Statistic> = first.percentiles_ns.iter().map(|(s, _)| *s).collect();
    let mut names = vec![("Workload", ""), ("Operation", ""), ("Queue depth", ""), ("I/Os", "n"), ("Mean", "n")];
    names.extend(statistics.iter().map(|s| (s.title(), "n")));
    names.push(("max", "n"));
    let caption = format!("{} A dash: fewer than {} samples lie beyond.", latency_words(view), view.percentile_samples);
    let bodies: String = view.latencies.iter().map(|row| latency_row(row, &statistics)).collect();
    section("Latency", &table("plain", &caption, &names, &format!("<tbody>\n{bodies}</tbody>\n")))
}

/// What the table shows. Without parts it is all service time.
fn latency_words(view: &View) -> &'static str {
    let has = |part: &str| view.latencies.iter().any(|row| row.operation.ends_with(part));
    match (has("response"), has("submission")) {
        (false, false) => "Service time, one I/O at a time: from before the kernel is entered to when the completion is seen.",
        (true, false) => {
            "Service time: from before the kernel is entered to when the completion is seen. Response time: from when the I/O was to start."
        }
        (_, true) => {
            "Service time: from before the kernel is entered to when the completion is seen; submission is the part until the kernel has accepted the I/O, \
             completion the rest. Response time: from when the I/O was to start."
        }
    }
}

fn latency_row(row: &LatencyView, statistics: &[Statistic]) -> String {
    let ns = |value: Option<u64>| or_dash(value.map(|ns| units::latency(ns as f64)));
    let mut cells = vec![
        format!("<th scope=\"row\">{}</th>", escape(&row.conditions.title)),
        cell("Operation", "", &escape(&row.operation)),
        cell("Queue depth", "depth", &row.conditions.depth_formula()),
        cell("I/Os", "n", &grouped(row.samples)),
        cell("Mean", "n", &or_dash(row.mean_text())),
    ];
    cells.extend(statistics.iter().map(|s| cell(s.title(), "n", &ns(row.percentile(*s)))));
    cells.push(cell("max", "n", &ns(row.max_ns)));
    format!("<tr>{}</tr>\n", cells.concat())
}

pub(super) fn rounds(view: &View) -> String {
    if view.rounds.is_empty() {
        return String::new();
    }
    let names = [
        ("Round", "n"),
        ("Workload", ""),
        ("Queue depth", ""),
        ("Run", "n"),
        ("After", ""),
        ("Outcome", ""),
        ("Time", "n"),
        ("IOPS", "n"),
        ("Throughput", "n"),
        ("Mean", "n"),
        ("p99", "n"),
        ("max", "n"),
        ("Depth", "n"),
        ("Errors", "n"),
        ("°C", "n"),
    ];
    let bodies: String = view.rounds.iter().map(round_row).collect();
    let table = table("plain rounds", "Every round in the order of time.", &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    section("Rounds", &format!("<details><summary>All {} rounds</summary>\n{table}</details>\n", view.rounds.len()))
}

fn round_row(round: &RoundView) -> String {
    let latency = |ns: Option<f64>| or_dash(ns.map(units::latency));
    let errors = if round.error.is_empty() { round.errors.to_string() } else { format!("{} ({})", round.errors, escape(&round.error)) };
    let cells = [
        cell("Round", "n", &round.index.to_string()),
        format!("<th scope=\"row\">{}</th>", escape(&round.conditions.title)),
        cell("Queue depth", "depth", &round.conditions.depth_formula()),
        cell("Run", "n", &(u64::from(round.repetition) + 1).to_string()),
        cell("After", "", &or_dash((!round.previous.is_empty()).then(|| round.previous.clone()))),
        cell("Outcome", "", round.outcome),
        cell("Time", "n", &units::duration(std::time::Duration::from_nanos(round.elapsed_ns))),
        cell("IOPS", "n", &units::iops(round.iops)),
        cell("Throughput", "n", &units::throughput(round.bytes_per_s)),
        cell("Mean", "n", &latency(round.latency_mean_ns)),
        cell("p99", "n", &latency(round.latency_p99_ns.map(|ns| ns as f64))),
        cell("max", "n", &latency(round.latency_max_ns.map(|ns| ns as f64))),
        cell("Depth", "n", &round.depth_text()),
        cell("Errors", "n", &errors),
        cell("°C", "n", &or_dash(round.temperature_celsius.map(|c| format!("{c:.0}")))),
    ];
    format!("<tr>{}</tr>\n", cells.concat())
}
