//! JUnit XML for CI systems: a case a row of the judgement and a database, one for the run itself, one for data that was read back, and one for what none of these says.
//!
//! A miss, lost data and an I/O that never came back are failures; a run that ended by an error of ours is an error; what cannot be told, and what was not
//! measured, is skipped. No case has a time: rounds of all cases are interleaved.

use super::html::escape;
use crate::view::{DatabaseView, FindingView, RowView, View, share};
use ioproof_core::describe::names;
use ioproof_core::record::RunStatus;
use ioproof_core::results::with_ends;
use ioproof_core::units::{percent, rate};
use ioproof_core::verdict::Verdict;

/// The way in which a case ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Passed,
    Failed,
    Error,
    Skipped,
}

impl End {
    /// The end of what is asked by itself and has this answer.
    fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Meets => Self::Passed,
            Verdict::Misses => Self::Failed,
            Verdict::CannotTell | Verdict::Indicative => Self::Skipped,
        }
    }
}

struct Case {
    name: String,
    end: End,
    /// In one line.
    message: String,
    /// All that is to be said of it.
    text: Vec<String>,
}

pub(super) fn document(view: &View) -> String {
    let cases = cases(view);
    let count = |end: End| cases.iter().filter(|case| case.end == end).count();
    let (failures, errors, skipped) = (count(End::Failed), count(End::Error), count(End::Skipped));
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"", cases.len());
    let name = xml(&format!("ioproof {} {}", view.verb, names(view.record)));
    let moment = view.started_at.get(..19).unwrap_or_default();
    let property = |(name, value): &(&str, String)| format!("<property name=\"{}\" value=\"{}\"/>\n", xml(name), xml(value));
    let properties: String = properties(view).iter().map(property).collect();
    let shown: String = cases.iter().map(|one| case(view, one)).collect();
    let said = xml(&said(view).join("\n"));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ioproof\" {counts}>\n\
         <testsuite name=\"{name}\" {counts} timestamp=\"{}\">\n<properties>\n{properties}</properties>\n\
         {shown}<system-out>{said}</system-out>\n</testsuite>\n</testsuites>\n",
        xml(moment)
    )
}

/// Escapes markup, and replaces the two characters that XML 1.0 has no way to hold and [`ioproof_core::text::visible`] leaves (section 2.2).
fn xml(text: &str) -> String {
    escape(&text.replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}"))
}

fn properties(view: &View) -> Vec<(&'static str, String)> {
    let known = [
        ("run_id", view.run_id.as_str()),
        ("run_status", view.status),
        ("started_at", &view.started_at),
        ("version", &view.program_version),
    ];
    let known = known.into_iter().map(|(name, value)| (name, value.to_owned()));
    known.chain([("exit_status", view.judgement.exit_status.to_string())]).chain(view.brief.iter().cloned()).collect()
}

fn case(view: &View, case: &Case) -> String {
    let head = format!("<testcase classname=\"ioproof.{}\" name=\"{}\">", xml(&view.verb), xml(&case.name));
    let (message, text) = (xml(&case.message), xml(&case.text.join("\n")));
    let result = match case.end {
        End::Passed => String::new(),
        End::Failed => format!("<failure message=\"{message}\" type=\"miss\">{text}</failure>"),
        End::Error => format!("<error message=\"{message}\" type=\"error\">{text}</error>"),
        End::Skipped => format!("<skipped message=\"{message}\"/>"),
    };
    format!("{head}{result}<system-out>{text}</system-out></testcase>\n")
}

fn cases(view: &View) -> Vec<Case> {
    let skipped = view.skipped.iter().map(|claim| Case {
        name: format!("{}, not measured", claim.claim),
        end: End::Skipped,
        message: claim.reason.to_owned(),
        text: Vec::new(),
    });
    let rows = view.rows.iter().map(of_row).chain(skipped);
    let answers = view.results.iter().flat_map(|results| &results.answers).map(|answer| Case {
        name: answer.expected.clone(),
        end: End::of(answer.verdict),
        message: answer.text.clone(),
        text: Vec::new(),
    });
    let cases: Vec<Case> = [of_run(view)].into_iter().chain(of_data(view)).chain(answers).chain(rows).chain(of_databases(view)).collect();
    let rest = of_rest(view, &cases);
    cases.into_iter().chain([rest]).collect()
}

/// Case of all that speaks against the run and is said of none of its cases, as that figures are not steady: whoever reads the cases alone must not take it for passed where its exit
/// status says something else.
fn of_rest(view: &View, cases: &[Case]) -> Case {
    let end = match view.judgement.exit_status {
        0 => End::Passed,
        1 => End::Failed,
        2 => End::Error,
        _ => End::Skipped,
    };
    let is_told = end == End::Passed || cases.iter().any(|case| matches!(case.end, End::Failed | End::Error) || case.end == end);
    let text = if is_told { Vec::new() } else { vec![view.exit_reason.clone()] };
    let name = "nothing else speaks against the run".into();
    Case { name, end: if is_told { End::Passed } else { end }, message: text.concat(), text }
}

/// The run as a whole: that it came to its end.
fn of_run(view: &View) -> Case {
    let end = match view.record.status {
        RunStatus::Complete => End::Passed,
        RunStatus::Interrupted => End::Skipped,
        RunStatus::Hung { .. } => End::Failed,
        RunStatus::Running | RunStatus::Failed { .. } => End::Error,
    };
    let text: Vec<String> = view.grave().map(str::to_owned).collect();
    Case { name: "the run comes to its end".into(), end, message: text.first().cloned().unwrap_or_default(), text }
}

/// The rate of each database, which nothing was promised of; one without any, and one that failed, ends by an error.
fn of_databases<'a>(view: &'a View) -> impl Iterator<Item = Case> + 'a {
    let case = |name: &String, end, message: String| Case { name: name.clone(), end, text: vec![message.clone()], message };
    let measured = move |database: &DatabaseView| {
        let rate = format!("{} transactions a second", with_ends(database.per_s, rate));
        match &database.failed {
            Some(why) => case(&database.name, End::Error, format!("{why}; until then {rate}")),
            None => case(&database.name, End::Passed, rate),
        }
    };
    let without = view.databases.without_figure.iter().map(move |(name, why)| case(name, End::Error, why.clone()));
    view.databases.measured.iter().map(measured).chain(without)
}

/// Data that was read back; none where nothing was checked.
fn of_data(view: &View) -> Option<Case> {
    let mut checks = view.rounds.iter().filter_map(|round| round.check.as_ref()).peekable();
    checks.peek()?;
    let end = if checks.any(|check| check.bad() > 0) { End::Failed } else { End::Passed };
    let text: Vec<String> = view.grave().map(str::to_owned).collect();
    Some(Case { name: "data reads back as it was written".into(), end, message: text.join(" "), text })
}

fn of_row(row: &RowView) -> Case {
    let c = &row.conditions;
    let targets = c.targets.as_ref().map(|targets| format!(" on {targets}")).unwrap_or_default();
    let claimed = row.claimed_text().map(|claimed| format!(", {claimed} claimed")).unwrap_or_default();
    let (end, why) = end_of(row);
    let figures =
        [row.measured_text().map(|text| format!("measured {text}")), share(row.matched).map(|share| format!("{share} of the claim"))];
    let figures = figures.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let mut text = vec![format!("{}, {}", row.title(), c.depth_sentence())];
    text.extend([figures.clone(), row.claim.clone()]);
    text.extend(row.sentences());
    text.push(if row.limited_by.is_empty() { String::new() } else { format!("limit: {}", row.limited_by) });
    text.retain(|line| !line.is_empty());
    let message = [why.to_owned(), figures].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    Case { name: format!("{}, {}{targets}{claimed}", row.title(), c.depth_formula()), end, message, text }
}

fn end_of(row: &RowView) -> (End, &'static str) {
    match row.verdict {
        Some(verdict) => (End::of(verdict), verdict.title()),
        None if row.measured.is_none() => (End::Skipped, "not measured"),
        None if row.is_invalid() => (End::Skipped, "the figure is not the drive's"),
        None => (End::Passed, ""),
    }
}

/// Warnings, notes and findings; the threshold of the verdicts.
fn said(view: &View) -> Vec<String> {
    let banners = view.banners.iter().map(|banner| format!("{}: {}", if banner.grave { "warning" } else { "note" }, banner.text));
    let threshold = (!view.tally().is_empty()).then(|| format!("threshold of the verdicts: {}", percent(view.judgement.threshold)));
    banners.chain(view.findings.iter().map(finding)).chain(threshold).chain([view.exit_text()]).collect()
}

fn finding(finding: &FindingView) -> String {
    let parts = [("evidence: ", finding.evidence_text()), ("to do: ", finding.remedy.clone())];
    let parts: String = parts.iter().filter(|(_, text)| !text.is_empty()).map(|(label, text)| format!("; {label}{text}")).collect();
    format!("{}: {} [{}], {}{parts}", finding.weight(), finding.title, finding.rule, finding.about())
}
