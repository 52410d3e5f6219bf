//! `runs name`: what a user calls a run.

use crate::verbs::runs::flags::NameFlags;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_process::output;
use ioproof_store::labels::RunLabels;
use ioproof_store::lock_store;
use serde::Serialize;
use std::path::Path;

/// The document of `--json`.
#[derive(Serialize)]
struct LabelsDocument<'a> {
    id: &'a str,
    name: Option<&'a str>,
    tags: &'a [String],
}

/// Runs the verb.
///
/// # Errors
/// When there is no such run, another one bears the name, or it cannot be written.
pub fn run(args: &NameFlags) -> Result<u8> {
    let folder = ioproof_store::folder_of(&args.run)?;
    let id = ioproof_store::id_in(&folder).ok_or_else(|| {
        complaint(format!("{} is not in the store", folder.display()), "names are of runs in the store: ioproof runs list")
    })?;
    let asks = args.none || args.name.is_some() || !args.tag.is_empty() || !args.untag.is_empty();
    let labels = if asks { change(args, &folder, &id)? } else { RunLabels::read(&folder)? };
    if args.json {
        let (name, tags) = (labels.name.as_deref(), labels.tags.as_slice());
        output::print_document(&LabelsDocument { id: &id, name, tags })?;
    } else {
        output::print_lines([format!("{}: {}", visible(&id), describe(&labels).unwrap_or_else(|| "no name and no tags".into()))])?;
    }
    Ok(0)
}

/// Changes labels while no other process does, so that a name stays of one run.
fn change(args: &NameFlags, folder: &Path, id: &str) -> Result<RunLabels> {
    let _lock = lock_store()?;
    let mut labels = RunLabels::read(folder)?;
    if let Some(name) = &args.name {
        if let Some(other) = ioproof_store::all_ids()?.iter().find(|other| *other != id && ioproof_store::bears_name(other, name)) {
            let text = format!("run {other} has the name `{name}`");
            return Err(complaint(text, format!("take it away first: ioproof runs name {name} --none")));
        }
        labels.name = Some(name.clone());
    } else if args.none {
        labels.name = None;
    }
    labels.tag(&args.tag, &args.untag)?;
    labels.write(folder)?;
    Ok(labels)
}

/// The name and tags of a run, and when it was imported, in a line; none where it has none.
pub fn line_of(folder: &Path) -> Option<String> {
    let labels = RunLabels::read(folder).ok()?;
    let imported = labels.imported_at.as_ref().map(|at| format!("imported {}", visible(at)));
    let all: Vec<String> = describe(&labels).into_iter().chain(imported).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn describe(labels: &RunLabels) -> Option<String> {
    let name = labels.name.as_ref().map(|name| format!("name {}", visible(name)));
    let tags = (!labels.tags.is_empty()).then(|| format!("tags {}", visible(&labels.tags.join(", "))));
    let all: Vec<String> = name.into_iter().chain(tags).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
