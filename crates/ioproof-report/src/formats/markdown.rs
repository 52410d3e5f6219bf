//! Markdown (GitHub's flavour), to paste into an issue or a wiki. `charts` draws what such pages can show.

mod charts;
pub(super) mod comparison;

use crate::view::{
    FindingGroup, FindingView, LimitView, OfRow, RoundGroup, RowView, STAGE_COLUMNS, STAGE_LEGEND, Section, Shared, StageView, View,
    counted, match_range, runs_text, share,
};
use ioproof_core::results::{Part, ResultTable, Unit};
use ioproof_core::verdict::Verdict;

/// Lines that a page in short has at most: what an issue or a mail can take.
const MOST_LINES: usize = 120;

/// The page in short: what was found, without charts, rounds, stages and facts.
pub(super) fn page_in_short(view: &View) -> String {
    let page = [
        head(view),
        all_results(view),
        claims(view),
        skipped(view),
        reasons(view, |row| row.verdict.is_some_and(|verdict| verdict != Verdict::Meets)),
        findings(view, in_short),
    ];
    let page = page.concat() + &latencies(view);
    let end = format!("{}Rounds, charts and all facts: `--verbose`, or `-o report.html`.\n", end(view));
    let most = MOST_LINES - end.lines().count() - 2;
    match page.lines().nth(most) {
        None => page + &end,
        Some(_) => page.split_inclusive('\n').take(most).collect::<String>() + "\nCut here.\n" + &end,
    }
}

/// The page with everything.
pub(super) fn page(view: &View) -> String {
    let parts = [
        head(view),
        all_results(view),
        charts::charts(view),
        claims(view),
        reasons(view, |_| true),
        skipped(view),
        latencies(view),
        findings(view, folded),
        view.round_groups().iter().map(rounds).collect(),
        stages(&view.stages),
        view.sections.iter().map(section).collect(),
        end(view),
    ];
    parts.concat()
}

/// Tables that belong to no run.
pub(super) fn of_results(heading: &str, tables: &[ResultTable]) -> String {
    let tables: String = tables.iter().map(results).collect();
    format!("# ioproof: {}\n\n{}\n", escape(heading), tables.trim_end())
}

fn end(view: &View) -> String {
    format!("\nRun {}, rules version {}, configuration {}\n", code(&view.run_id), view.judgement.rules_version, code(&view.config_sha256))
}

/// Takes the meaning from everything that Markdown or HTML would read as markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // An address or a mention would become a link.
            '@' => escaped.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' | '!' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A hash or a name of ours in code type; a backtick in it would end the code early.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

fn cells(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Head and rule of a table; columns after the first `left` are flush right.
fn table_head(names: &[&str], left: usize) -> String {
    let rules: Vec<&str> = (0..names.len()).map(|i| if i < left { "---" } else { "--:" }).collect();
    format!("| {} |\n| {} |\n", names.join(" | "), rules.join(" | "))
}

fn or_dash(text: Option<String>) -> String {
    text.map_or_else(|| "-".into(), |text| escape(&text))
}

fn head(view: &View) -> String {
    let mut text = format!("# ioproof: {}\n\n", escape(&view.heading));
    for banner in &view.banners {
        let kind = if banner.grave { "Warning" } else { "Note" };
        text += &format!("> **{kind}:** {}\n>\n", escape(&banner.text));
    }
    if !view.banners.is_empty() {
        text.push('\n');
    }
    let lead = &view.lead;
    let counts: Vec<String> = view.tally().into_iter().map(|(verdict, n)| format!("{n} {}", verdict.title())).collect();
    let tally = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    text += &format!("{}\n\n**{}**{tally}\n\n", escape(&lead.speed), escape(&lead.verdict));
    text += &lead.why.iter().map(|reason| format!("- {}\n", escape(reason))).collect::<String>();
    text += if lead.why.is_empty() { "" } else { "\n" };
    text += "| | |\n| --- | --- |\n";
    for (label, value) in &view.brief {
        text += &cells(&[(*label).to_owned(), escape(value)]);
    }
    text += &cells(&["run".into(), format!("{}, started {}, {}", escape(&view.run_id), escape(&view.started_at), view.status)]);
    text += &cells(&["exit status".into(), format!("{}, {}", view.judgement.exit_status, view.exit_meaning())]);
    text + "\n"
}

fn all_results(view: &View) -> String {
    view.results.iter().map(results).collect()
}

fn results(results: &ResultTable) -> String {
    let level = if results.is_parted { "##" } else { "###" };
    let part = |part: &Part| {
        let heading = if part.heading.is_empty() { String::new() } else { format!("{level} {}\n\n", escape(&part.heading)) };
        let says = if part.says.is_empty() { String::new() } else { items(&part.says) + "\n" };
        format!("{heading}{}\n{says}", table(results, part))
    };
    let tables: String = results.parts.iter().map(part).collect();
    if results.is_parted {
        return tables;
    }
    let answers: String = results.separate_answers().map(|one| format!("- **{}**: {}\n", one.verdict.title(), escape(&one.text))).collect();
    format!("## {}\n\n{tables}{}\n\n{answers}{}\n", results.title, results.legend, items(&results.sentences("md")))
}

/// A part of results as a table.
fn table(results: &ResultTable, part: &Part) -> String {
    let line = |row: Vec<String>| cells(&row.iter().map(|text| escape(text)).collect::<Vec<_>>());
    let lines: String = results.cells(part).into_iter().map(line).collect();
    let is_left = |(at, column): &(usize, &usize)| *at == 0 || results.columns[**column].unit == Unit::Note;
    let left = part.columns.iter().enumerate().take_while(is_left).count();
    table_head(&results.names(part).collect::<Vec<_>>(), left) + &lines
}

/// A list of sentences.
fn items(texts: &[String]) -> String {
    texts.iter().map(|text| format!("- {}\n", escape(text))).collect()
}

fn claims(view: &View) -> String {
    let (claimed, other) = view.claimed_and_other();
    let heading = if claimed.is_empty() { "Measured" } else { "Also measured, nothing was promised" };
    let words: String = view.words().into_iter().map(|(word, meaning)| format!("- *{word}*: {}\n", escape(&meaning))).collect();
    let words = if words.is_empty() { words } else { words + "\n" };
    let legend = format!("Queue depth is workers x depth per worker = in total. {}\n\n", view.interval_legend());
    row_table("Claims", "claim", &claimed) + &row_table(heading, "workload", &other) + &legend + &words
}

/// Rows with a claim, or such that nothing was promised of; with a column for targets where the run has several.
fn row_table(heading: &str, name: &str, rows: &[&RowView]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (is_claimed, has_targets) = (name == "claim", rows.iter().any(|row| row.conditions.targets.is_some()));
    let matched = |row: &RowView| share(row.matched).zip(match_range(row.matched)).map(|(share, range)| format!("{share} ({range})"));
    let verdict = |row: &RowView| row.verdict.map_or_else(|| "-".into(), |verdict| format!("**{}**", verdict.title()));
    let columns: [(&str, bool, OfRow); 8] = [
        (name, true, &|row| escape(&row.title())),
        ("target", has_targets, &|row| or_dash(row.conditions.targets.clone())),
        ("queue depth", true, &|row| row.conditions.depth_formula()),
        ("datasheet", is_claimed, &|row| or_dash(row.claimed_text())),
        ("measured (interval)", true, &|row| row.measured_text().map_or_else(|| "not measured".into(), |text| escape(&text))),
        ("runs (interval)", true, &|row| runs_text(row.measured)),
        ("match (range)", is_claimed, &|row| or_dash(matched(row))),
        ("verdict", is_claimed, &verdict),
    ];
    let shown: Vec<_> = columns.into_iter().filter(|(_, is_shown, _)| *is_shown).collect();
    let names: Vec<&str> = shown.iter().map(|(name, ..)| *name).collect();
    let line = |row: &&RowView| cells(&shown.iter().map(|(.., cell)| cell(row)).collect::<Vec<_>>());
    format!("## {heading}\n\n{}{}\n", table_head(&names, 2 + usize::from(has_targets)), rows.iter().map(line).collect::<String>())
}

/// The reasons of each verdict, the limit of each number, and the source of the claim, of the rows for which this is true.
fn reasons(view: &View, is_told: fn(&RowView) -> bool) -> String {
    let (claimed, other) = view.claimed_and_other();
    let of = |rows: Vec<&RowView>| reasons_of(&rows.into_iter().filter(|row| is_told(row)).collect::<Vec<_>>());
    let text = of(claimed) + &of(other);
    if text.is_empty() { text } else { format!("### Why\n\n{text}\n") }
}

/// Those of the rows of one table; what all of them have in common comes first.
fn reasons_of(rows: &[&RowView]) -> String {
    let shared = Shared::of(rows);
    let once: String = shared.lines().iter().map(|(label, text)| format!("- *{}*: {}\n", escape(label), escape(text))).collect();
    once + &rows.iter().map(|row| row_reasons(row, &shared)).collect::<String>()
}

fn row_reasons(row: &RowView, shared: &Shared) -> String {
    let directions = row.directions.as_ref().map(|text| format!("of which {}", escape(text)));
    let average = row.averaged_text().map(|text| format!("average: {}", escape(&text)));
    let reasons = shared.reasons_of(row).into_iter().map(|reason| escape(&reason));
    let mut lines: Vec<String> = directions.into_iter().chain(average).chain(reasons).collect();
    if !row.limited_by.is_empty() {
        lines.push(format!("limited by: {}", escape(&row.limited_by)));
    }
    lines.extend(row.limit.iter().flat_map(limit_lines));
    lines.extend(shared.claim_of(row).map(|claim| format!("claim: {}", escape(&claim))));
    if lines.is_empty() {
        return String::new();
    }
    let verdict = row.verdict.map(|verdict| format!(": **{}**", verdict.title())).unwrap_or_default();
    let targets = row.conditions.targets.as_ref().map(|targets| format!(", on {}", escape(targets))).unwrap_or_default();
    let head = format!("- {}, {}{targets}{verdict}\n", escape(&row.title()), row.conditions.depth_sentence());
    let item = |line: &String| if line.starts_with("  - ") { format!("  {line}\n") } else { format!("  - {line}\n") };
    head + &lines.iter().map(item).collect::<String>()
}

/// The limit at length, under its line.
fn limit_lines(limit: &LimitView) -> Vec<String> {
    let mut lines = vec![format!("  - sureness: {}", limit.confidence)];
    lines.extend(limit.parts.iter().map(|(label, text)| format!("  - {label}: {}", escape(text))));
    lines.extend(limit.to_tell.iter().map(|(command, outcomes)| format!("  - to tell: {} ({})", code(command), escape(outcomes))));
    lines
}

fn skipped(view: &View) -> String {
    if view.skipped.is_empty() {
        return String::new();
    }
    let lines: String = view.skipped.iter().map(|s| format!("- {}: {}\n", escape(&s.claim), escape(s.reason))).collect();
    format!("## Claims not measured\n\n{lines}\n")
}

fn latencies(view: &View) -> String {
    let table = |part: &Part| format!("## Latency\n\n{}\n{}\n\n", table(&view.latency_table, part), view.latency_dash());
    view.latency_table.parts.iter().filter(|part| !part.rows.is_empty()).map(table).collect()
}

/// Findings of one rule.
type OfRule = fn(&FindingGroup) -> String;

fn findings(view: &View, of_rule: OfRule) -> String {
    if view.findings.is_empty() {
        return "## Findings\n\nNone.\n\n".into();
    }
    format!("## Findings\n\n{}\n", FindingGroup::of(&view.findings).iter().map(of_rule).collect::<String>())
}

/// The first at length, further ones counted.
fn in_short(group: &FindingGroup) -> String {
    let more = Some(group.others.len()).filter(|n| *n > 0).map(|n| format!("  - {n} more of this rule\n"));
    finding(group.first) + &more.unwrap_or_default()
}

/// The first at length, further ones folded.
fn folded(group: &FindingGroup) -> String {
    let more: String = group.others.iter().map(|other| finding(other)).collect();
    let more: String = more.lines().map(|line| format!("    {line}\n")).collect();
    match group.others.len() {
        0 => finding(group.first),
        n => format!("{}  - <details><summary>{n} more of this rule</summary>\n\n{more}\n    </details>\n", finding(group.first)),
    }
}

fn finding(finding: &FindingView) -> String {
    let mut text =
        format!("- **{}** {} ({}; {})\n", finding.weight(), escape(&finding.title), code(&finding.rule), escape(&finding.about()));
    if !finding.evidence.is_empty() {
        text += &format!("  - evidence: {}\n", escape(&finding.evidence_text()));
    }
    if !finding.remedy.is_empty() {
        text += &format!("  - to do: {}\n", escape(&finding.remedy));
    }
    text
}

fn rounds(group: &RoundGroup) -> String {
    let names = ["round", "workload", "queue depth", "outcome", "run", "IOPS", "throughput", "mean", "p99", "depth", "errors"];
    let lines: String = group.rounds.iter().map(|round| cells(&names.map(|name| escape(&round.cell(name))))).collect();
    format!("<details><summary>{}</summary>\n\n{}{lines}\n</details>\n\n", group.title(), table_head(&names, 4))
}

fn stages(stages: &[StageView]) -> String {
    if stages.is_empty() {
        return String::new();
    }
    let lines: String = stages.iter().flat_map(StageView::lines).map(|line| cells(&line.map(|cell| escape(&cell)))).collect();
    let summary = counted(stages.len() as u64, "stage");
    format!("<details><summary>{summary}</summary>\n\n{STAGE_LEGEND}\n\n{}{lines}\n</details>\n\n", table_head(&STAGE_COLUMNS, 4))
}

fn section(section: &Section) -> String {
    let line = |fact: &crate::view::Fact| cells(&[escape(&fact.name), escape(&fact.value), escape(&fact.source)]);
    let lines: String = section.facts.iter().map(line).collect();
    let head = table_head(&["fact", "value", "source"], 3);
    format!("<details><summary>{}</summary>\n\n{head}{lines}\n</details>\n\n", escape(&section.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_name_stays_text() {
        assert_eq!(escape("a|b `x` <img> _y_ @all"), "a\\|b \\`x\\` &lt;img&gt; \\_y\\_ &#64;all");
        assert_eq!(code("a`b"), "`a'b`");
    }
}
