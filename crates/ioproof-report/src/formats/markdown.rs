//! Markdown (GitHub's flavour), to paste into an issue or a wiki. `charts` draws what such pages can show.

mod charts;
pub(super) mod comparison;

use crate::ReportError;
use crate::view::{
    FindingGroup, FindingView, LimitView, RoundGroup, RoundView, RowView, STAGE_COLUMNS, STAGE_LEGEND, Section, Shared, StageView, View,
    counted, match_range, runs_text, share,
};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::{Part, ResultTable, Unit};
use ioproof_core::units;
use ioproof_core::verdict::Verdict;
use std::io::Write;

/// Lines that a page in short has at most: what an issue or a mail can take.
const MOST_LINES: usize = 120;

/// The page in short: what was found, without charts, rounds, stages and facts.
pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    let view = View::new(record, judgement);
    let page = [head(&view), all_results(&view), claims(&view), skipped(&view), reasons(&view, is_in_question), findings(&view, in_short)];
    let page = page.concat() + &latencies(&view);
    let end = format!("{}Rounds, charts and all facts: `--verbose`, or `-o report.html`.\n", end(&view));
    let most = MOST_LINES - end.lines().count() - 2;
    let text = match page.lines().nth(most) {
        None => page + &end,
        Some(_) => page.split_inclusive('\n').take(most).collect::<String>() + "\nCut here.\n" + &end,
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// The page with everything.
pub(crate) fn write_in_full(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    let view = View::new(record, judgement);
    let mut page = head(&view) + &all_results(&view);
    page += &charts::charts(&view);
    page += &claims(&view);
    page += &reasons(&view, |_| true);
    page += &skipped(&view);
    page += &latencies(&view);
    page += &findings(&view, folded);
    page += &view.round_groups().iter().map(rounds).collect::<String>();
    page += &stages(&view.stages);
    page += &view.sections.iter().map(section).collect::<String>();
    page += &end(&view);
    out.write_all(page.as_bytes())?;
    Ok(())
}

/// Tables that belong to no run.
pub(crate) fn write_results(heading: &str, tables: &[ResultTable], out: &mut dyn Write) -> Result<(), ReportError> {
    let tables: String = tables.iter().map(results).collect();
    out.write_all(format!("# ioproof: {}\n\n{}\n", escape(heading), tables.trim_end()).as_bytes())?;
    Ok(())
}

fn end(view: &View) -> String {
    format!("\nRun {}, rules version {}, configuration {}\n", code(&view.run_id), view.rules_version, code(&view.config_sha256))
}

/// True for a row whose verdict asks for a reason.
fn is_in_question(row: &RowView) -> bool {
    row.verdict.is_some_and(|verdict| verdict != Verdict::Meets)
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
    let tally = Some(tally(view)).filter(|tally| !tally.is_empty()).map(|tally| format!(" ({tally})")).unwrap_or_default();
    text += &format!("{}\n\n**{}**{tally}\n\n", escape(&lead.speed), escape(&lead.verdict));
    text += &lead.why.iter().map(|reason| format!("- {}\n", escape(reason))).collect::<String>();
    text += if lead.why.is_empty() { "" } else { "\n" };
    text += "| | |\n| --- | --- |\n";
    for (label, value) in &view.brief {
        text += &cells(&[(*label).to_owned(), escape(value)]);
    }
    text += &cells(&["run".into(), format!("{}, started {}, {}", escape(&view.run_id), escape(&view.started_at), view.status)]);
    text += &cells(&["exit status".into(), format!("{}, {}", view.exit_status, view.exit_meaning())]);
    text + "\n"
}

/// `6 meets, 1 misses`; empty where nothing was judged.
fn tally(view: &View) -> String {
    let counts: Vec<String> = view.tally().into_iter().map(|(verdict, n)| format!("{n} {}", verdict.title())).collect();
    counts.join(", ")
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
    let mut text = String::new();
    if !claimed.is_empty() {
        text += "## Claims\n\n";
        let columns = ["queue depth", "datasheet", "measured (interval)", "runs (interval)", "match (range)", "verdict"];
        text += &rows_head("claim", &columns, &claimed);
        text += &claimed.iter().map(|row| claim_line(row, &claimed)).collect::<String>();
        text.push('\n');
    }
    if !other.is_empty() {
        text += if claimed.is_empty() { "## Measured\n\n" } else { "## Also measured, nothing was promised\n\n" };
        text += &rows_head("workload", &["queue depth", "measured (interval)", "runs (interval)"], &other);
        text += &other.iter().map(|row| other_line(row, &other)).collect::<String>();
        text.push('\n');
    }
    text + &legend(view) + &words(view)
}

/// The words of the tables, each with its meaning.
fn words(view: &View) -> String {
    let lines: String = view.words().into_iter().map(|(word, meaning)| format!("- *{word}*: {}\n", escape(&meaning))).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

fn legend(view: &View) -> String {
    format!("Queue depth is workers x depth per worker = in total. {}\n\n", view.interval_legend())
}

fn measured(row: &RowView) -> String {
    row.measured_text().map_or_else(|| "not measured".into(), |text| escape(&text))
}

/// The head of a table of rows, with a column for targets where the run has several.
fn rows_head(title: &str, columns: &[&str], rows: &[&RowView]) -> String {
    let leading: &[&str] = if has_targets(rows) { &[title, "target"] } else { &[title] };
    table_head(&[leading, columns].concat(), leading.len() + 1)
}

fn has_targets(rows: &[&RowView]) -> bool {
    rows.iter().any(|row| row.conditions.targets.is_some())
}

fn row_cells(row: &RowView, rows: &[&RowView], others: &[String]) -> String {
    let targets = has_targets(rows).then(|| or_dash(row.conditions.targets.clone()));
    let leading: Vec<String> = [Some(escape(&row.title())), targets].into_iter().flatten().collect();
    cells(&[leading.as_slice(), others].concat())
}

fn claim_line(row: &RowView, rows: &[&RowView]) -> String {
    let matched = share(row.matched).zip(match_range(row.matched)).map(|(share, range)| format!("{share} ({range})"));
    let verdict = row.verdict.map(|verdict| format!("**{}**", verdict.title())).unwrap_or_else(|| "-".into());
    let depth = row.conditions.depth_formula();
    let others = [depth, or_dash(row.claimed_text()), measured(row), runs_text(row.measured), or_dash(matched), verdict];
    row_cells(row, rows, &others)
}

fn other_line(row: &RowView, rows: &[&RowView]) -> String {
    row_cells(row, rows, &[row.conditions.depth_formula(), measured(row), runs_text(row.measured)])
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
    let lines: String = group.rounds.iter().map(|round| round_line(round)).collect();
    format!("<details><summary>{}</summary>\n\n{}{lines}\n</details>\n\n", group.title(), table_head(&names, 4))
}

fn round_line(round: &RoundView) -> String {
    let latency = |ns: Option<f64>| or_dash(ns.map(units::latency));
    cells(&[
        round.number.to_string(),
        escape(&round.conditions.full_title()),
        round.conditions.depth_formula(),
        round.outcome.to_owned(),
        (u64::from(round.repetition) + 1).to_string(),
        units::iops(round.iops),
        units::throughput(round.bytes_per_s),
        latency(round.latency_mean_ns),
        latency(round.latency_p99_ns.map(|ns| ns as f64)),
        round.depth_text(),
        round.errors.to_string(),
    ])
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
