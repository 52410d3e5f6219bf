//! Targets alone and all at once: a table for each workload, and what it means.

use super::tables::{cell, table};
use super::{element, escape, section};
use crate::view::{LineView, TOGETHER_COLUMNS, TOGETHER_LEGEND, TogetherView, WorkloadView};

pub(super) fn together(view: &TogetherView) -> String {
    let tables: String = view.workloads.iter().map(one).collect();
    let says: String = view.says.iter().map(|text| element("li", "", text)).collect();
    section("Each alone and all at once", &format!("{tables}{}<ul>{says}</ul>\n", element("p", "", TOGETHER_LEGEND)))
}

fn one(workload: &WorkloadView) -> String {
    let names: Vec<(&str, &str)> = std::iter::once(("target", "")).chain(TOGETHER_COLUMNS.iter().map(|name| (*name, "n"))).collect();
    let line = |line: &LineView| {
        let figures: String = TOGETHER_COLUMNS.iter().zip(&line.cells).map(|(name, text)| cell(name, "n", &escape(text))).collect();
        format!("<tr>{}{figures}</tr>\n", cell("target", "", &escape(&line.name)))
    };
    let bodies: String = workload.lines.iter().map(line).collect();
    table("plain", &workload.title, &names, &format!("<tbody>\n{bodies}</tbody>\n"))
}
