//! Runs as lines: narrow ones that fit a terminal, with what tells runs apart, and wide ones with everything that a summary has.

use crate::columns::{clip, columns};
use ioproof_core::record::RunStatus;
use ioproof_core::text::visible;
use ioproof_core::verdict::Verdict;
use ioproof_process::complaint::describe;
use ioproof_process::output;
use ioproof_store::{ListedRun, Summary, place};
use jiff::Timestamp;
use std::collections::HashMap;
use std::io::{IsTerminal, stdout};

/// Columns of a line where there is no terminal.
const USUAL_WIDTH: usize = 80;

/// Least widths of the columns that give way, and the width that the last is left.
const LEAST_DRIVE: usize = 12;
const LEAST_FIGURE: usize = 26;
const MOST_LABEL: usize = 12;

/// One line a run, in the width of the terminal.
pub fn narrow(runs: &[ListedRun], short: &HashMap<&str, &str>) -> Vec<String> {
    let width = if stdout().is_terminal() { output::width() } else { USUAL_WIDTH };
    let ids: Vec<String> = runs.iter().map(|run| visible(short.get(run.id.as_str()).unwrap_or(&run.id.as_str()))).collect();
    let mut rows: Vec<[String; 7]> = runs.iter().zip(&ids).filter_map(|(run, id)| cells(run, id)).collect();
    let id_width = ids.iter().map(|id| id.chars().count()).max().unwrap_or(0);
    if rows.is_empty() {
        return runs.iter().zip(&ids).map(|(run, id)| unreadable(run, id, id_width, width)).collect();
    }
    rows.insert(0, ["id", "began", "verb", "drive", "name", "exit", "figure"].map(str::to_owned));
    fit(&mut rows, width);
    let mut lines = lines(&rows, width).into_iter();
    let head: Vec<String> = lines.next().into_iter().collect();
    let line = |(run, id): (&ListedRun, &String)| match run.summary {
        Ok(_) => lines.next().unwrap_or_default(),
        Err(_) => unreadable(run, id, id_width, width),
    };
    head.into_iter().chain(runs.iter().zip(&ids).map(line)).collect()
}

/// One line a run, of any length.
pub fn wide(runs: &[ListedRun]) -> Vec<String> {
    let row = |run: &ListedRun| match &run.summary {
        Ok(summary) => {
            let label = [label(run, summary), tags(run)].join(" ").trim().to_owned();
            let (drive, host) =
                (visible(summary.model.as_deref().unwrap_or_default()), visible(summary.host.as_deref().unwrap_or_default()));
            let status = summary.status.title().to_owned();
            [
                visible(&run.id),
                began(summary),
                visible(&summary.verb),
                status,
                exit(summary),
                target(summary),
                jobs(&summary.jobs),
                drive,
                host,
                label,
                figure(summary),
                verdicts(summary),
            ]
        }
        Err(error) => {
            let mut row: [String; 12] = Default::default();
            (row[0], row[3], row[11]) = (visible(&run.id), "unreadable".into(), visible(&describe(error)));
            row
        }
    };
    columns(&runs.iter().map(row).collect::<Vec<_>>(), None)
}

/// A run that can be read: id, when, verb, drive, name, exit status and verdict, figure.
fn cells(run: &ListedRun, id: &str) -> Option<[String; 7]> {
    let summary = run.summary.as_ref().ok()?;
    let drive = summary.model.as_deref().or(summary.drive.as_deref()).map_or_else(|| target(summary), visible);
    let state = match &summary.status {
        RunStatus::Complete => String::new(),
        other => format!("{}; ", other.title()),
    };
    let short = figure(summary).replace("sequential ", "seq ").replace("random ", "rand ");
    let text = format!("{state}{short} {}", jobs(&summary.jobs));
    let text = text.trim().trim_end_matches(';').to_owned();
    Some([id.to_owned(), short_time(summary), visible(&summary.verb), drive, label(run, summary), exit(summary), text])
}

/// Aligned; a column of names in which there is none goes.
fn lines(rows: &[[String; 7]], width: usize) -> Vec<String> {
    if has_names(rows) {
        return columns(rows, Some(width));
    }
    let without = |[id, began, verb, drive, _, exit, figure]: [String; 7]| [id, began, verb, drive, exit, figure];
    columns(&rows.iter().cloned().map(without).collect::<Vec<_>>(), Some(width))
}

fn has_names(rows: &[[String; 7]]) -> bool {
    rows.iter().skip(1).any(|row| !row[4].is_empty())
}

/// Shortens names and drives until there is room for the figure.
fn fit(rows: &mut [[String; 7]], width: usize) {
    let widest = |rows: &[[String; 7]], at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    rows.iter_mut().for_each(|row| row[4] = clip(&row[4], MOST_LABEL));
    let others: &[usize] = if has_names(rows) { &[0, 1, 2, 4, 5] } else { &[0, 1, 2, 5] };
    let taken: usize = others.iter().map(|at| widest(rows, *at) + 2).sum::<usize>() + 2;
    let most = width.saturating_sub(taken + widest(rows, 6).min(LEAST_FIGURE)).max(LEAST_DRIVE);
    rows.iter_mut().for_each(|row| row[3] = clip(&row[3], most));
}

/// A run that cannot be read, and why, without the folder that its id tells.
fn unreadable(run: &ListedRun, id: &str, id_width: usize, width: usize) -> String {
    let why = run.summary.as_ref().err().map(describe).unwrap_or_default();
    let folder = place(&run.id).map(|folder| folder.display().to_string()).unwrap_or_default();
    let why = if folder.is_empty() { why } else { why.replace(&format!("{folder}/"), "").replace(&folder, "it") };
    clip(&format!("{id:id_width$}  unreadable: {}", visible(&why)), width)
}

/// Local time to the minute; what is no time stays as it is.
fn began(summary: &Summary) -> String {
    let local = |time: Timestamp| time.to_zoned(ioproof_process::zone::local()).strftime("%Y-%m-%d %H:%M").to_string();
    summary.started_at.parse().map_or_else(|_| clip(&visible(&summary.started_at), 16), local)
}

/// The same without the year where it was in these months.
fn short_time(summary: &Summary) -> String {
    const MONTHS: jiff::SignedDuration = jiff::SignedDuration::from_hours(24 * 180);
    let local = |time: Timestamp| time.to_zoned(ioproof_process::zone::local());
    let is_recent = |time: &Timestamp| time.duration_since(Timestamp::now()).abs() < MONTHS;
    let form = |time: Timestamp| if is_recent(&time) { "%m-%d %H:%M" } else { "%Y-%m-%d" };
    let short = |time: Timestamp| local(time).strftime(form(time)).to_string();
    summary.started_at.parse().map_or_else(|_| clip(&visible(&summary.started_at), 11), short)
}

/// `1 misses`: the exit status and the gravest verdict; a question mark where a claim could not be judged.
fn exit(summary: &Summary) -> String {
    if summary.status == RunStatus::Running {
        return String::new();
    }
    let has = |verdict: Verdict| summary.verdicts.iter().any(|(one, _)| *one == verdict);
    let words = [(Verdict::Misses, " misses"), (Verdict::CannotTell, " ?"), (Verdict::Indicative, " ?"), (Verdict::Meets, " meets")];
    let word = words.into_iter().find(|(verdict, _)| has(*verdict)).map_or("", |(_, word)| word);
    format!("{}{word}", summary.exit_status)
}

/// The name of a run, and the machine that an imported one comes from.
fn label(run: &ListedRun, summary: &Summary) -> String {
    let name = run.labels.name.as_deref().unwrap_or_default();
    let host = run.labels.imported_at.as_ref().map(|_| format!("@{}", visible(summary.host.as_deref().unwrap_or("elsewhere"))));
    [visible(name), host.unwrap_or_default()].join(" ").trim().to_owned()
}

fn tags(run: &ListedRun) -> String {
    run.labels.tags.iter().map(|tag| format!("#{}", visible(tag))).collect::<Vec<_>>().join(" ")
}

/// The first figure with the value first, which is what a narrow line must not lose.
fn figure(summary: &Summary) -> String {
    let headline = visible(summary.headline.as_deref().unwrap_or_default());
    headline.rsplit_once(": ").map_or(headline.clone(), |(what, value)| format!("{value} {what}"))
}

/// The first file, and how many more there are.
fn target(run: &Summary) -> String {
    let first = run.targets.first().map_or_else(|| "no file".to_owned(), |target| visible(target));
    match run.targets.len().saturating_sub(1) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The names of the jobs of job files, as far as they fit a line.
fn jobs(names: &[String]) -> String {
    const MOST: usize = 3;
    let named = names.iter().take(MOST).map(|name| visible(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 if named.is_empty() => String::new(),
        0 => format!("[{named}]"),
        more => format!("[{named} and {more} more]"),
    }
}

fn verdicts(run: &Summary) -> String {
    let counted: Vec<String> = run.verdicts.iter().map(|(verdict, count)| format!("{count} {}", verdict.title())).collect();
    match (&run.status, counted.is_empty()) {
        (RunStatus::Running, _) => String::new(),
        (_, true) => visible(&run.exit_reason),
        _ => counted.join(", "),
    }
}
