//! The findings: of each rule the first at length, further ones of the same rule behind a line to open.

use super::{element, escape, section};
use crate::view::{FindingGroup, FindingView, View};
use ioproof_core::finding::Severity;

pub(super) fn findings(view: &View) -> String {
    let items: String = FindingGroup::of(&view.findings).iter().map(item).collect();
    if items.is_empty() {
        return section("Findings", "<p>None.</p>\n");
    }
    section("Findings", &format!("<ul class=\"findings\">\n{items}</ul>\n"))
}

fn class(finding: &FindingView) -> &'static str {
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
    format!("<li class=\"{}\">{}{more}</li>\n", class(first), at_length(first))
}

fn at_length(finding: &FindingView) -> String {
    let class = class(finding);
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
