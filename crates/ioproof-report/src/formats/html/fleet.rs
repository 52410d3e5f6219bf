//! One page of a fleet: what is at fault, verdicts by model and firmware, every figure with a dot for each drive, and what is missing.

use super::results::{list, results};
use super::{STYLE, document, element, escape, section};
use crate::ReportError;
use crate::fleet::FleetReport;
use ioproof_core::fleet::{SlowNode, tables};
use std::io::Write;

/// The look of dots, beside that of every page.
const FLEET: &str = include_str!("fleet.css");

pub(crate) fn write(report: &FleetReport, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(page(report).as_bytes())?)
}

fn page(report: &FleetReport) -> String {
    let fleet = report.fleet;
    let problems: Vec<String> = fleet.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.text)).collect();
    let of_texts = |title: &str, texts: &[String]| if texts.is_empty() { String::new() } else { section(title, &list(texts)) };
    let body = [
        head(report),
        tables(fleet, report.runs, false).iter().map(results).collect(),
        of_texts("Notes", &fleet.notes),
        of_texts("Results that are missing or in doubt", &problems),
        of_texts("Method", &fleet.method),
        format!("<footer>{}</footer>\n", element("p", "", &format!("ioproof {}", env!("CARGO_PKG_VERSION")))),
    ];
    document(&escape(&format!("ioproof: {}", report.heading())), &[STYLE, FLEET].concat(), &body.concat())
}

fn head(report: &FleetReport) -> String {
    let nodes = report.fleet.slow_nodes.iter().map(SlowNode::sentence);
    let nodes: String =
        nodes.map(|text| format!("<p class=\"banner grave\"><strong>Slow node:</strong> {}</p>\n", escape(&text))).collect();
    format!("<header>\n<p class=\"kicker\">ioproof: fleet</p>\n{}\n{nodes}</header>\n", element("h1", "", &report.heading()))
}
