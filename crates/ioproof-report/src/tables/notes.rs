//! Notes: what takes weight from the figures, what must be known, findings, and claims that were not measured.

use super::Lines;
use super::line::Line;
use crate::view::{FindingView, View};

pub(super) fn lines<'a>(lines: &Lines<'a>, view: &View) -> Vec<Line<'a>> {
    let note = |kind: &str, text: &str| lines.of_run(view).text("kind", kind).text("text", text);
    let banners = view.banners.iter().map(|banner| note(if banner.grave { "warning" } else { "note" }, &banner.text));
    let findings = view.findings.iter().map(|finding| of_finding(lines.of_run(view), finding));
    let skipped = view.skipped.iter().map(|skipped| note("not measured", &skipped.claim).text("evidence", skipped.reason));
    banners.chain(findings).chain(skipped).collect()
}

fn of_finding<'a>(line: Line<'a>, finding: &FindingView) -> Line<'a> {
    line.text("kind", "finding")
        .text("severity", finding.weight())
        .text("subject", finding.subject_in_full())
        .text("rule", &finding.rule)
        .text("text", &finding.title)
        .text("evidence", &finding.evidence_text())
        .text("effect", finding.effect_text())
        .text("remedy", &finding.remedy)
}
