//! One self-contained page: no script, nothing loaded, readable on a phone, on paper, in the dark and by a screen reader.
//!
//! `tables` and `rounds` print the numbers, `charts` and `svg` draw them, `style.css` is the look. Everything from outside goes through [`escape`].

mod charts;
mod curves;
mod matrix;
mod rounds;
mod svg;
mod tables;

use crate::ReportError;
use crate::view::{Banner, FindingView, Section, View};
use ioproof_core::finding::Severity;
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::{Judgement, Verdict};
use std::io::Write;

const STYLE: &str = include_str!("style.css");

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    let view = View::new(record, judgement);
    out.write_all(page(&view).as_bytes())?;
    Ok(())
}

fn page(view: &View) -> String {
    let title = format!("ioproof: {}", escape(&view.heading));
    let body = [
        head(view),
        matrix::matrices(view),
        folded_of_sweep(view, "Claims and limits, cell by cell", tables::claims(view)),
        findings(view),
        folded_of_sweep(view, "Latency, cell by cell", tables::latencies(view) + &charts::latency(view)),
        folded_of_sweep(view, "Throughput over time, cell by cell", charts::throughput(view)),
        sections(view),
        rounds::rounds(view),
        rounds::stages(view),
        foot(view),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        body.concat()
    )
}

/// Of a sweep the matrix says it in short, so that what is said of each cell is folded; unless claims are among it.
fn folded_of_sweep(view: &View, summary: &str, markup: String) -> String {
    let has_claims = view.rows.iter().any(|row| row.claimed.is_some());
    match view.matrices.is_empty() || has_claims || markup.is_empty() {
        true => markup,
        false => format!("<details><summary>{}</summary>\n{markup}</details>\n", escape(summary)),
    }
}

/// Takes the meaning from characters that HTML reads as markup, in text and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// An element with escaped text; `class` may be empty.
pub(super) fn element(name: &str, class: &str, text: &str) -> String {
    around(name, class, &escape(text))
}

/// An element around markup.
pub(super) fn around(name: &str, class: &str, markup: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<{name}{class}>{markup}</{name}>")
}

/// A part of the page under its heading.
pub(super) fn section(heading: &str, markup: &str) -> String {
    format!("<section>\n<h2>{}</h2>\n{markup}</section>\n", escape(heading))
}

/// A verdict as a sign and its word, so that it needs no colour.
pub(super) fn badge(verdict: Verdict) -> String {
    let (class, sign) = match verdict {
        Verdict::Meets => ("meets", "✓"),
        Verdict::Misses => ("misses", "✕"),
        Verdict::CannotTell => ("doubt", "?"),
        Verdict::Indicative => ("aside", "≈"),
    };
    format!("<span class=\"badge {class}\"><span aria-hidden=\"true\">{sign}</span> {}</span>", verdict.title())
}

fn head(view: &View) -> String {
    let mut text = String::from("<header>\n<p class=\"kicker\">ioproof: what this drive really does</p>\n");
    text += &format!("{}\n", element("h1", "", &view.heading));
    text += &view.banners.iter().map(banner).collect::<String>();
    text += &tally(view);
    text += "<dl class=\"brief\">\n";
    let run = format!("{}, started {}, {}", view.run_id, view.started_at, view.status);
    for (label, value) in view.brief.iter().map(|(l, v)| (*l, v)).chain([("run", &run)]) {
        text += &format!("<div><dt>{label}</dt>{}</div>\n", element("dd", "", value));
    }
    text + "</dl>\n</header>\n"
}

fn banner(banner: &Banner) -> String {
    let (class, label) = if banner.grave { ("banner grave", "Warning") } else { ("banner", "Note") };
    format!("<p class=\"{class}\"><strong>{label}:</strong> {}</p>\n", escape(&banner.text))
}

fn tally(view: &View) -> String {
    let count = |(verdict, n): (Verdict, usize)| format!("<li><span class=\"count\">{n}</span> {}</li>", badge(verdict));
    let counts: String = view.tally().into_iter().map(count).collect();
    let counts = if counts.is_empty() { "<li>No verdict</li>".to_owned() } else { counts };
    let exit = format!("Exit status {}, {}: {}", view.exit_status, view.exit_meaning(), view.exit_reason);
    format!("<ul class=\"tally\">{counts}</ul>\n{}\n", element("p", "exit", exit.trim_end_matches(": ")))
}

fn findings(view: &View) -> String {
    if view.findings.is_empty() {
        return section("Findings", "<p>None.</p>\n");
    }
    let items: String = view.findings.iter().map(finding).collect();
    section("Findings", &format!("<ul class=\"findings\">\n{items}</ul>\n"))
}

fn finding(finding: &FindingView) -> String {
    let class = match finding.severity {
        Severity::Block => "misses",
        Severity::Warn => "doubt",
        Severity::Info => "aside",
    };
    let evidence: String = finding
        .evidence
        .iter()
        .map(|(name, value)| format!("<div>{}{}</div>", element("dt", "", name), element("dd", "", value)))
        .collect();
    let evidence = if evidence.is_empty() { evidence } else { format!("<dl class=\"evidence\">{evidence}</dl>") };
    let remedy = if finding.remedy.is_empty() { String::new() } else { element("p", "remedy", &format!("To do: {}", finding.remedy)) };
    format!(
        "<li class=\"{class}\"><p><span class=\"badge {class}\">{}</span> <strong>{}</strong></p><p class=\"about\">{}, rule {}</p>{evidence}{remedy}</li>\n",
        finding.weight(),
        escape(&finding.title),
        escape(&finding.about()),
        element("code", "", &finding.rule)
    )
}

fn sections(view: &View) -> String {
    let tables: String = view.sections.iter().map(facts).collect();
    section("What was tested, and how", &tables)
}

fn facts(part: &Section) -> String {
    let line = |fact: &crate::view::Fact| {
        let source = if fact.source.is_empty() { String::new() } else { element("span", "source", &fact.source) };
        format!("<div><dt>{}</dt><dd>{} {source}</dd></div>\n", escape(&fact.name), escape(&fact.value))
    };
    let lines: String = part.facts.iter().map(line).collect();
    format!("<details><summary>{}</summary>\n<dl class=\"facts\">\n{lines}</dl>\n</details>\n", escape(&part.title))
}

fn foot(view: &View) -> String {
    let text = format!("ioproof {}, rules version {}, configuration {}", view.program_version, view.rules_version, view.config_sha256);
    format!("<footer>{}</footer>\n", element("p", "", &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_name_stays_text() {
        let hostile = "\"><script>alert('x')</script>&";
        assert_eq!(element("p", "", hostile), "<p>&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>");
    }

    #[test]
    fn the_style_loads_nothing() {
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
