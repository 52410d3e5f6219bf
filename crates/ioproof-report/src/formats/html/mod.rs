//! One self-contained page: nothing loaded, readable on a phone, on paper, in the dark and by a screen reader.
//!
//! `tables` and `rounds` print the numbers, `glance`, `curves`, `over_time` and `percentiles` draw them with `plot`, and `bars` and `lines` those of results. `style.css` is the
//! look. `script.js`, a small script that is part of the page, shows the values under the pointer; without it nothing is missing. Everything from outside goes
//! through [`escape`].

mod bars;
pub(super) mod comparison;
mod curves;
mod glance;
mod lines;
mod over_time;
mod percentiles;
mod plot;
mod results;
mod rounds;
mod strips;
mod tables;

use crate::fleet::FleetReport;
use crate::view::{Fact, Section, View};
use ioproof_core::fleet::{SlowNode, tables as tables_of};
use ioproof_core::results::ResultTable;
use ioproof_core::verdict::Verdict;

const STYLE: &str = include_str!("style.css");
/// The look of dots of a fleet, beside that of every page.
const FLEET: &str = include_str!("fleet.css");
const SCRIPT: &str = include_str!("script.js");
/// Charts that the run's facts may stand behind.
const MOST_FIRST: usize = 6;
/// Rights of the page: to draw and run what it holds, and to ask nobody for anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Tables that belong to no run.
pub(super) fn of_results(heading: &str, tables: &[ResultTable]) -> String {
    let head = format!("<header>\n<p class=\"kicker\">ioproof</p>\n{}\n</header>\n", element("h1", "", heading));
    let body = head + &tables.iter().map(results::results).collect::<String>() + &version();
    document(&format!("ioproof: {}", escape(heading)), STYLE, &body)
}

/// A fleet: what is at fault, verdicts by model and firmware, every figure with a dot for each drive, and what is missing.
pub(super) fn fleet(report: &FleetReport) -> String {
    let nodes = report.fleet.slow_nodes.iter().map(SlowNode::sentence);
    let nodes: String = nodes.map(|text| banner("Slow node", &text)).collect();
    let head = format!("<header>\n<p class=\"kicker\">ioproof: fleet</p>\n{}\n{nodes}</header>\n", element("h1", "", &report.heading()));
    let tables: String = tables_of(report.fleet, report.runs, false).iter().map(results::results).collect();
    let lists: String = report.lists().map(|(title, texts)| section(title, &results::list(&texts))).collect();
    document(&escape(&format!("ioproof: {}", report.heading())), &[STYLE, FLEET].concat(), &(head + &tables + &lists + &version()))
}

/// A sentence that takes weight from the numbers.
fn banner(label: &str, text: &str) -> String {
    format!("<p class=\"banner grave\"><strong>{label}:</strong> {}</p>\n", escape(text))
}

/// The last line of a page without a run.
fn version() -> String {
    foot(&format!("ioproof {}", env!("CARGO_PKG_VERSION")))
}

fn foot(text: &str) -> String {
    format!("<footer>{}</footer>\n", element("p", "", text))
}

pub(super) fn page(view: &View) -> String {
    let title = format!("ioproof: {}", escape(&view.heading));
    let body = body(view);
    let rules = view.judgement.rules_version;
    let last = format!("ioproof {}, rules version {rules}, configuration {}", view.program_version, view.config_sha256);
    document(&title, STYLE, &[head(view), contents(&body), body, foot(&last)].concat())
}

/// A page with this look around its content.
fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// The sections. The first one is a chart: of a sweep or of demand intensity its curves, else all runs at a glance, or where nothing was run twice what happened over time.
fn body(view: &View) -> String {
    let over_time = over_time::over_time(view);
    let glance = if view.curves().is_empty() { glance::glance(view) } else { curves::curves(view.curves()) };
    let (first, later) = if glance.is_empty() && view.curves().is_empty() { (over_time, String::new()) } else { (glance, over_time) };
    let brief = self::brief(view);
    // Behind many charts nobody would find it.
    let (before, after) = if first.matches("<figure>").count() > MOST_FIRST { (brief, String::new()) } else { (String::new(), brief) };
    let parts = [
        before,
        first,
        after,
        view.results.iter().map(results::results).collect(),
        folded_of_sweep(view, "Claims and limits, cell by cell", tables::claims(view)),
        tables::findings(view),
        folded_of_sweep(view, "Latency, cell by cell", tables::latencies(view) + &percentiles::percentiles(view)),
        folded_of_sweep(view, "Over time, cell by cell", later),
        sections(view),
        rounds::rounds(view),
        rounds::stages(view),
    ];
    parts.concat()
}

/// The head of the page: what the drive does in a sentence, the verdict, and the reasons.
fn head(view: &View) -> String {
    let lead = &view.lead;
    let mut text = String::from("<header>\n<p class=\"kicker\">ioproof: what this drive really does</p>\n");
    text += &format!("{}\n", element("h1", "", &view.heading));
    text += &view.grave().map(|text| banner("Warning", text)).collect::<String>();
    text += &format!("{}\n", element("p", "speed", &lead.speed));
    text += &format!("{}\n{}", element("p", "verdict", &lead.verdict), tally(view));
    let why: String = lead.why.iter().map(|reason| element("li", "", reason)).collect();
    if !why.is_empty() {
        text += &format!("<ul class=\"because\" aria-label=\"Why\">{why}</ul>\n");
    }
    let notes = view.banners.iter().filter(|banner| !banner.grave);
    text += &notes.map(|note| format!("<p class=\"banner\"><strong>Note:</strong> {}</p>\n", escape(&note.text))).collect::<String>();
    text + "</header>\n"
}

fn tally(view: &View) -> String {
    let count = |(verdict, n): (Verdict, usize)| format!("<li><span class=\"count\">{n}</span> {}</li>", badge(verdict));
    let counts: String = view.tally().into_iter().map(count).collect();
    if counts.is_empty() { counts } else { format!("<ul class=\"tally\">{counts}</ul>\n") }
}

/// Target, drive, host and run in short.
fn brief(view: &View) -> String {
    let run = format!("{}, started {}, {}", view.run_id, view.started_at, view.status);
    let exit = format!("{}, {}", view.judgement.exit_status, view.exit_meaning());
    let lines = view.brief.iter().map(|(label, value)| (*label, value)).chain([("run", &run), ("exit status", &exit)]);
    let lines: String = lines.map(|(label, value)| format!("<div><dt>{label}</dt>{}</div>\n", element("dd", "", value))).collect();
    format!("<dl class=\"brief\">\n{lines}</dl>\n")
}

/// Links to the sections of what was written, by their headings.
fn contents(body: &str) -> String {
    let heading = |part: &str| {
        let (id, rest) = part.split_once("\">")?;
        let (title, _) = rest.split_once("</h2>")?;
        Some(format!("<li><a href=\"#{id}\">{title}</a></li>"))
    };
    let links: String = body.split("<h2 id=\"").skip(1).filter_map(heading).collect();
    format!("<nav aria-label=\"Contents\"><ul>{links}</ul></nav>\n")
}

/// Of a sweep the matrix says it in short, so that what is said of each cell is folded; unless claims are among it.
fn folded_of_sweep(view: &View, summary: &str, markup: String) -> String {
    let has_claims = view.rows.iter().any(|row| row.claimed.is_some());
    match !view.has_own_table() || has_claims || markup.is_empty() {
        true => markup,
        false => format!("<details><summary>{}</summary>\n{markup}</details>\n", escape(summary)),
    }
}

/// Takes the meaning from characters that HTML reads as markup, in text and in quoted attributes.
pub(in crate::formats) fn escape(text: &str) -> String {
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
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<{name}{class}>{}</{name}>", escape(text))
}

/// Charts beside each other; nothing for none.
fn charts(figures: &str) -> String {
    if figures.is_empty() { String::new() } else { format!("<div class=\"charts\">\n{figures}</div>\n") }
}

/// A part of the page under its heading.
pub(super) fn section(heading: &str, markup: &str) -> String {
    format!("<section>\n<h2 id=\"{}\">{}</h2>\n{markup}</section>\n", anchor(heading), escape(heading))
}

/// The name by which a link finds a heading: `over-time`.
fn anchor(heading: &str) -> String {
    heading.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// A word behind its sign, so that it needs no colour.
fn signed(class: &str, sign: &str, word: &str) -> String {
    format!("<span class=\"badge {class}\"><span aria-hidden=\"true\">{sign}</span> {word}</span>")
}

/// A verdict as a sign and its word.
pub(super) fn badge(verdict: Verdict) -> String {
    let (class, sign) = match verdict {
        Verdict::Meets => ("meets", "✓"),
        Verdict::Misses => ("misses", "✕"),
        Verdict::CannotTell => ("doubt", "?"),
        Verdict::Indicative => ("aside", "≈"),
    };
    signed(class, sign, verdict.title())
}

/// CSS class that colours a verdict.
pub(super) fn class(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Meets) => "meets",
        Some(Verdict::Misses) => "misses",
        Some(Verdict::CannotTell) => "doubt",
        Some(Verdict::Indicative) | None => "aside",
    }
}

fn sections(view: &View) -> String {
    let tables: String = view.sections.iter().map(facts).collect();
    section("What was tested, and how", &tables)
}

fn facts(part: &Section) -> String {
    let line = |fact: &Fact| {
        let source = if fact.source.is_empty() { String::new() } else { element("span", "source", &fact.source) };
        format!("<div><dt>{}</dt><dd>{} {source}</dd></div>\n", escape(&fact.name), escape(&fact.value))
    };
    let lines: String = part.facts.iter().map(line).collect();
    format!("<details><summary>{}</summary>\n<dl class=\"facts\">\n{lines}</dl>\n</details>\n", escape(&part.title))
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
    fn style_and_script_load_nothing_and_make_no_markup() {
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
        for word in ["fetch", "XMLHttpRequest", "import", "innerHTML", "eval", "http", "</"] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
