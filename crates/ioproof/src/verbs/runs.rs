//! `ioproof runs`: what is in the run store. Here is which file does what; the store itself (`crate::store`) does it.

pub mod flags;
mod json;
mod name;
mod prune;
mod rows;
mod selection;
mod transfer;

use crate::reports::print;
use crate::verbs::report::judgement;
use crate::verbs::runs::flags::{Filter, RunsAction};
use anyhow::Result;
use ioproof_process::{messages, output};
use ioproof_report::Format;

/// Runs the verb.
///
/// # Errors
/// When there is no such run, or what is asked for cannot be done.
pub fn run(action: &RunsAction) -> Result<u8> {
    match action {
        RunsAction::List { filter, wide, json } => list(filter, None, *wide, *json),
        RunsAction::Find { text, filter, wide, json } => list(filter, Some(text), *wide, *json),
        RunsAction::Show { run, json } => show(run, *json),
        RunsAction::Name(args) => name::run(args),
        RunsAction::Export { run, output, json } => transfer::export(run, output.as_deref(), *json),
        RunsAction::Import { files, json } => transfer::import(files, *json),
        RunsAction::Prune { size, dry_run, json } => prune::prune(*size, *dry_run, *json),
        RunsAction::Rm { ids, json } => prune::rm(ids, *json),
    }
}

fn show(run: &str, as_json: bool) -> Result<u8> {
    let stored = ioproof_store::find(run)?;
    let judgement = judgement(&stored, false);
    if as_json {
        return print::print_report(Format::Json, false, &stored.record, &judgement).map(|()| 0);
    }
    if let Some(line) = ioproof_store::folder_of(run).ok().and_then(|folder| name::line_of(&folder)) {
        output::print_lines([line])?;
    }
    print::print_run(&stored.record, &judgement).map(|()| 0)
}

/// Lists the runs that fit; with a text those in which it is found, and then none is status 1.
fn list(filter: &Filter, text: Option<&String>, wide: bool, as_json: bool) -> Result<u8> {
    let (ids, others) = ioproof_store::all_ids_and_others()?;
    let runs = selection::selected(&ids, filter, text.map(String::as_str))?;
    let status = u8::from(text.is_some() && runs.is_empty());
    let short = ioproof_store::short_ids(&ids);
    if as_json {
        return json::print(&runs, &short).map(|()| status);
    }
    let others = others.filter(|_| text.is_none());
    match (ids.is_empty(), runs.is_empty()) {
        (true, _) => messages::say("no runs yet; `ioproof verify` makes one"),
        (false, true) => messages::say("no run fits"),
        _ => {}
    }
    output::print_lines(if wide { rows::wide(&runs) } else { rows::narrow(&runs, &short) })?;
    others.iter().for_each(|others| messages::note(others));
    Ok(status)
}
