//! The tables of rounds, by the purpose of their stages, and of the counters around stages.

use super::tables::{cell, or_dash, table};
use super::{escape, section};
use crate::view::{RoundGroup, RoundView, STAGE_COLUMNS, STAGE_LEGEND, StageView, View, counted};
use ioproof_core::units;

pub(super) fn rounds(view: &View) -> String {
    let groups: String = view.round_groups().iter().map(group).collect();
    if groups.is_empty() { groups } else { section("Rounds", &groups) }
}

fn group(group: &RoundGroup) -> String {
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
    let bodies: String = group.rounds.iter().map(|round| round_row(round)).collect();
    let table = table("plain rounds", "Every round in the order of time.", &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    format!("<details><summary>{}</summary>\n{table}</details>\n", group.title())
}

fn round_row(round: &RoundView) -> String {
    let latency = |ns: Option<f64>| or_dash(ns.map(units::latency));
    let errors = if round.error.is_empty() { round.errors.to_string() } else { format!("{} ({})", round.errors, escape(&round.error)) };
    let cells = [
        cell("Round", "n", &round.number.to_string()),
        format!("<th scope=\"row\">{}</th>", escape(&round.conditions.full_title())),
        cell("Queue depth", "depth", &round.conditions.depth_formula()),
        cell("Run", "n", &(u64::from(round.repetition) + 1).to_string()),
        cell("After", "", &or_dash((!round.previous.is_empty()).then(|| round.previous.clone()))),
        cell("Outcome", "", round.outcome),
        cell("Time", "n", &time(round)),
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

/// `9.6 s`, and of which it is warm-up, where some was found.
fn time(round: &RoundView) -> String {
    let shown = |ns| units::duration(std::time::Duration::from_nanos(ns));
    let warm_up = round.warm_up_ns.filter(|ns| *ns > 0).map(|ns| format!(", {} of it warm-up", shown(ns)));
    shown(round.elapsed_ns) + &warm_up.unwrap_or_default()
}

/// The counters around each stage.
pub(super) fn stages(view: &View) -> String {
    if view.stages.is_empty() {
        return String::new();
    }
    let class = |name: &str| if ["purpose", "drive", "jobs on it", "remarks"].contains(&name) { "" } else { "n" };
    let names = STAGE_COLUMNS.map(|name| (name, class(name)));
    let line = |line: [String; STAGE_COLUMNS.len()]| {
        let cells: String = names.iter().zip(&line).map(|((name, class), text)| cell(name, class, &escape(text))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let bodies: String = view.stages.iter().flat_map(StageView::lines).map(line).collect();
    let table = table("plain rounds", STAGE_LEGEND, &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    let summary = format!("Counters of {}", counted(view.stages.len() as u64, "stage"));
    section("Stages", &format!("<details><summary>{summary}</summary>\n{table}</details>\n"))
}
