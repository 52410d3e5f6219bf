//! The tables of rounds, by the purpose of their stages, and of the counters around stages.

use super::tables::{cell, table};
use super::{escape, section};
use crate::view::{RoundGroup, RoundView, STAGE_COLUMNS, STAGE_LEGEND, STAGE_WORDS, StageView, View, counted};
use ioproof_core::units::duration;
use std::time::Duration;

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
    let row = |round: &&RoundView| {
        let cell = |(name, class): (&str, &str)| match name {
            "Workload" => format!("<th scope=\"row\">{}</th>", escape(&round.cell(name))),
            "Queue depth" => cell(name, "depth", &round.cell(name)),
            "Time" => cell(name, class, &time(round)),
            "Errors" if !round.error().is_empty() => cell(name, class, &format!("{} ({})", round.cell(name), escape(&round.error()))),
            _ => cell(name, class, &escape(&round.cell(name))),
        };
        format!("<tr>{}</tr>\n", names.map(cell).concat())
    };
    let bodies: String = group.rounds.iter().map(row).collect();
    let table = table("plain rounds", "Every round in the order of time.", &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    format!("<details><summary>{}</summary>\n{table}</details>\n", group.title())
}

/// `9.6 s`, and of which it is warm-up, where some was found.
fn time(round: &RoundView) -> String {
    let warm_up = round.warm_up_ns().filter(|ns| *ns > 0).map(|ns| format!(", {} of it warm-up", duration(Duration::from_nanos(ns))));
    round.cell("time") + &warm_up.unwrap_or_default()
}

/// The counters around each stage.
pub(super) fn stages(view: &View) -> String {
    if view.stages.is_empty() {
        return String::new();
    }
    let names = STAGE_COLUMNS.map(|name| (name, if STAGE_WORDS.contains(&name) { "" } else { "n" }));
    let line = |line: [String; STAGE_COLUMNS.len()]| {
        let cells: String = names.iter().zip(&line).map(|((name, class), text)| cell(name, class, &escape(text))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let bodies: String = view.stages.iter().flat_map(StageView::lines).map(line).collect();
    let table = table("plain rounds", STAGE_LEGEND, &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    let summary = format!("Counters of {}", counted(view.stages.len() as u64, "stage"));
    section("Stages", &format!("<details><summary>{summary}</summary>\n{table}</details>\n"))
}
