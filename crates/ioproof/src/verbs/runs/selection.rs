//! The runs that fit what was asked for.

use crate::verbs::runs::flags::Filter;
use anyhow::Result;
use ioproof_process::complaint::describe;
use ioproof_process::messages;
use ioproof_store::{ListedRun, Summary};
use jiff::Timestamp;

/// The runs that meet a filter and hold a text, the newest last. One that cannot be read meets none, which is said.
pub fn selected(ids: &[String], filter: &Filter, text: Option<&str>) -> Result<Vec<ListedRun>> {
    let most = filter.last.map_or(usize::MAX, |n| n as usize);
    let fitting = ioproof_store::newest_first(ids)?.filter(|run| fits(run, filter, text));
    let mut runs: Vec<ListedRun> = fitting.take(most).collect();
    runs.reverse();
    for (run, error) in runs.iter().filter_map(|run| Some((run, run.unlabelled.as_ref()?))) {
        messages::note(&format!("the name and tags of run {} cannot be read: {}", run.id, describe(error)));
    }
    Ok(runs)
}

fn fits(run: &ListedRun, filter: &Filter, text: Option<&str>) -> bool {
    match &run.summary {
        Ok(summary) => meets(summary, run, filter) && text.is_none_or(|text| holds(summary, run, text)),
        Err(_) if text.is_none() && is_open(filter) => true,
        Err(error) => {
            messages::note(&format!("run {} is left out: {}", run.id, describe(error)));
            false
        }
    }
}

/// True for a filter that every run meets.
fn is_open(filter: &Filter) -> bool {
    let Filter { last: _, drive, host, verb, since, until, tag } = filter;
    drive.is_none() && host.is_none() && verb.is_none() && since.is_none() && until.is_none() && tag.is_empty()
}

fn meets(summary: &Summary, run: &ListedRun, filter: &Filter) -> bool {
    let began: Option<Timestamp> = summary.started_at.parse().ok();
    let is_in_time = |bound: Option<Timestamp>, holds: fn(Timestamp, Timestamp) -> bool| {
        bound.is_none_or(|bound| began.is_some_and(|began| holds(began, bound)))
    };
    filter.drive.as_ref().is_none_or(|text| any_holds(drive(summary), text))
        && filter.host.as_ref().is_none_or(|text| any_holds(host(summary), text))
        && filter.verb.as_ref().is_none_or(|verb| summary.verb == *verb)
        && is_in_time(filter.since, |began, bound| began >= bound)
        && is_in_time(filter.until, |began, bound| began <= bound)
        && filter.tag.iter().all(|tag| run.labels.tags.contains(tag))
}

/// True where a run has the text somewhere by which people know it.
fn holds(summary: &Summary, run: &ListedRun, text: &str) -> bool {
    let labels = run.labels.name.iter().chain(&run.labels.tags);
    any_holds(drive(summary).chain(host(summary)).chain(&summary.jobs).chain(labels), text)
}

fn drive(summary: &Summary) -> impl Iterator<Item = &String> {
    summary.drives.iter().chain(&summary.targets)
}

fn host(summary: &Summary) -> impl Iterator<Item = &String> {
    summary.host.iter().chain(&summary.machine)
}

fn any_holds<'a>(mut texts: impl Iterator<Item = &'a String>, part: &str) -> bool {
    let part = part.to_lowercase();
    texts.any(|text| text.to_lowercase().contains(&part))
}
