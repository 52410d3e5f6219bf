//! `ioproof compare`: stored runs held against the first of them.

use crate::cli::Compare;
use crate::complaint::complaint;
use crate::output;
use crate::store;
use crate::verbs::columns::columns;
use anyhow::Result;
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::compare::{Against, Answer, Comparison, Row, compare};
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::units::percent;
use serde::Serialize;

/// Runs the verb and gives the exit status.
///
/// # Errors
/// When there is no such run, a run is held against itself, or the runs have no figure in common.
pub fn run(args: &Compare) -> Result<u8> {
    let records = args.runs.iter().map(|run| Ok(store::find(run)?.record)).collect::<Result<Vec<RunRecord>>>()?;
    if let Some(twice) = (1..records.len()).find(|at| records[..*at].iter().any(|earlier| earlier.id == records[*at].id)) {
        return Err(complaint(format!("run {} is held against itself", records[twice].id), "name two different runs: ioproof runs list"));
    }
    let comparison = compare(&records.iter().collect::<Vec<_>>());
    if comparison.rows.is_empty() {
        return Err(complaint("these runs have no figure in common", "compare runs of the same workloads: ioproof runs list"));
    }
    match args.json {
        true => output::print_json(&Document { schema_version: super::SCHEMA_VERSION, comparison: &comparison })?,
        false => output::print_lines(lines(&comparison))?,
    }
    Ok(if args.fail_if.is_some() && comparison.has_worse() { 1 } else { 0 })
}

/// The document of `compare --json`.
#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

fn lines(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![format!("runs: {}", comparison.runs.iter().map(|id| visible(id)).collect::<Vec<_>>().join(", "))];
    lines.extend(differing(comparison));
    for number in 1..comparison.runs.len() {
        lines.push(String::new());
        lines.push(format!("{} against {}", visible(&comparison.runs[number]), visible(&comparison.runs[0])));
        let head = ["workload", "figure", "first", "this", "change", "answer"].map(str::to_owned);
        let rows = comparison.rows.iter().filter_map(|row| cells(row, number));
        lines.extend(columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), None));
    }
    lines.extend(comparison.alone.iter().map(|(title, run)| format!("only in {}: {}", visible(run), visible(title))));
    lines
}

/// Facts in which the runs differ, first those that make figures of other conditions.
fn differing(comparison: &Comparison) -> Vec<String> {
    let line = |one: &ioproof_core::compare::Differing| {
        let values: Vec<String> = one.values.iter().map(|value| visible(value)).collect();
        let bears = if one.bears { " (other conditions: a difference is no sign of a better or worse drive)" } else { "" };
        format!("differs: {}: {}{bears}", one.name, values.join(" | "))
    };
    let (bears, others): (Vec<_>, Vec<_>) = comparison.differing.iter().partition(|one| one.bears);
    bears.into_iter().chain(others).map(line).collect()
}

fn cells(row: &Row, number: usize) -> Option<[String; 6]> {
    let against = row.against.get(number - 1)?.as_ref()?;
    let shown = |measured: &Option<Estimate>| measured.map_or_else(|| "-".to_owned(), |estimate| row.metric.show(estimate.median));
    Some([visible(&row.title()), figure(row), shown(&row.measured[0]), shown(&row.measured[number]), change(against), answer(against)])
}

fn figure(row: &Row) -> String {
    match (row.metric, row.statistic) {
        (Metric::Iops, _) => "IOPS".into(),
        (Metric::Throughput, _) => "throughput".into(),
        (Metric::Latency, statistic) => statistic.unwrap_or(Statistic::Mean).title().into(),
    }
}

/// `+12.3 % (+10.1 % to +14 %)`.
fn change(against: &Against) -> String {
    let signed = |share: f64| if share < 0.0 { format!("-{}", percent(-share)) } else { format!("+{}", percent(share)) };
    format!("{} ({} to {})", signed(against.change), signed(against.low), signed(against.high))
}

fn answer(against: &Against) -> String {
    let answer = match (against.answer, against.runs_needed) {
        (Answer::CannotTell, Some(runs)) => format!("cannot tell ({runs} runs would)"),
        (answer, _) => answer.title().to_owned(),
    };
    if against.doubts.is_empty() { answer } else { format!("{answer}; doubted: {}", against.doubts.join(", ")) }
}
