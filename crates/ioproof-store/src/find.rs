//! A run by what a user calls it: its id or the beginning of one, its short id, its name, `last`, or a path.
//!
//! A short id is the end of an id: the digits that were drawn for the run, and the part before them where several runs drew the same. Deliberately absent: reading
//! a run (`store`).

use crate::labels::RunLabels;
use crate::layout::{RECORD, runs_folder};
use crate::load::{StoredRun, load};
use crate::run_file::read_report;
use crate::run_id::is_id;
use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use ioproof_target::output_file::store;
use ioproof_target::read_own;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Finds a run by id, the beginning of an id, short id, name, `last`, the path of its directory, or that of its report as JSON.
///
/// # Errors
/// When none or several match, or the run cannot be read.
pub fn find(name: &str) -> Result<StoredRun> {
    let path = Path::new(name);
    let is_report = path.extension().is_some_and(|ending| ending == "json") && path.is_file();
    if is_report {
        return read_report(path);
    }
    match folder_of(name) {
        Ok(folder) => load(&folder),
        Err(_) if path.is_file() => read_report(path),
        Err(error) => Err(error),
    }
}

/// The folder of a run that is called so, in the store or at a path.
///
/// # Errors
/// When none or several match.
pub fn folder_of(name: &str) -> Result<PathBuf> {
    if !name.is_empty() && Path::new(name).join(RECORD).is_file() {
        return Ok(PathBuf::from(name));
    }
    let folder = runs_folder()?;
    let ids = ids(&folder)?;
    let found = match name {
        "last" | "latest" => last(&folder, &ids),
        _ => one(&ids, name)?.or_else(|| ids.iter().find(|id| is_called(&folder.join(id), name))),
    };
    found.map(|id| folder.join(id)).ok_or_else(|| no_run(name, Path::new(name), &folder))
}

/// The run that began last, whatever the clock said; where that is gone, the last one by the clock. One that was imported may bear any date.
fn last<'a>(folder: &Path, ids: &'a [String]) -> Option<&'a String> {
    let began = folders::state().and_then(|state| Ok(read_own(&state.join(LAST), ID_BYTES_MAX)?)).unwrap_or_default();
    let is_from_here = |id: &&String| is_from_here(&folder.join(id));
    ids.iter().find(|id| id.as_bytes() == began).filter(is_from_here).or_else(|| ids.iter().rev().find(is_from_here))
}

/// Notes the run that began last.
///
/// # Errors
/// When the state folder cannot be written.
pub(crate) fn note_last(id: &str) -> Result<()> {
    Ok(store(&folders::state()?.join(LAST), id.as_bytes())?)
}

/// Name of the file with the id of the run that began last, beside the folder of runs.
const LAST: &str = "last-run";

/// No id is longer. Bytes.
const ID_BYTES_MAX: u64 = 256;

/// Says what is wrong with the name of a run that is none.
fn no_run(name: &str, path: &Path, folder: &Path) -> anyhow::Error {
    const HINT: &str = "name a run of `ioproof runs list`, its folder, or a report of `-o run.json`";
    if name.is_empty() {
        return complaint("the name of a run is empty", HINT);
    }
    if path.is_dir() {
        return complaint(format!("{name} is a folder without a run: there is no {RECORD} in it"), HINT);
    }
    if name.contains('/') || path.extension().is_some() {
        let why = path.metadata().map_or_else(|error| error.to_string(), |file| no_folder(&file).to_owned());
        return complaint(format!("there is no run to read in {name}: {why}"), HINT);
    }
    if matches!(name, "last" | "latest") {
        let text = format!("there is no run `{name}` in {} yet", folder.display());
        return complaint(text, "it stands for the newest run that was measured here; `ioproof verify` makes one");
    }
    complaint(format!("there is no run `{name}` in {}", folder.display()), "`ioproof runs list` shows them")
}

fn no_folder(file: &fs::Metadata) -> &'static str {
    if file.is_file() { "it is a file, and no folder of a run" } else { "it is no regular file" }
}

/// The id of a run that is to be removed: given in full, by a beginning of its own or as its short id. Names and `last` would be too easy to be wrong about.
///
/// # Errors
/// When none or several match.
pub fn id_of(text: &str) -> Result<String> {
    let folder = runs_folder()?;
    if let Some(id) = one(&ids(&folder)?, text)? {
        return Ok(id.clone());
    }
    let is_meant = folder_of(text).ok().filter(|path| path.starts_with(&folder));
    let hint = is_meant.and_then(|path| Some(format!("give its id: {}", path.file_name()?.to_str()?)));
    let text = format!("there is no run with the id `{text}` in {}", folder.display());
    Err(complaint(text, hint.unwrap_or_else(|| "`ioproof runs list` shows them".into())))
}

/// True for a run that was measured here. One whose labels cannot be read may be from anywhere.
pub fn is_from_here(folder: &Path) -> bool {
    RunLabels::read(folder).is_ok_and(|labels| labels.imported_at.is_none())
}

/// True if the run of this id bears this name.
pub fn bears_name(id: &str, name: &str) -> bool {
    crate::layout::place(id).is_ok_and(|folder| is_called(&folder, name))
}

/// The id of a run by its folder, where that is one of the store.
pub fn id_in(folder: &Path) -> Option<String> {
    let is_here = folder.parent()?.canonicalize().ok()? == runs_folder().ok()?.canonicalize().ok()?;
    is_here.then(|| folder.file_name()?.to_str().map(str::to_owned)).flatten()
}

fn is_called(folder: &Path, name: &str) -> bool {
    RunLabels::read(folder).is_ok_and(|labels| labels.name.as_deref() == Some(name))
}

/// The folders in which a record stands, whatever it is, and those of runs that were killed before they had one, in their order. None where there is no folder yet.
///
/// # Errors
/// When the folder cannot be read: it is not empty then, for all that is known.
pub(crate) fn ids(folder: &Path) -> Result<Vec<String>> {
    Ok(ids_and_others(folder)?.0)
}

/// The same, and the names of what lies there and is no run, each in its order.
pub(crate) fn ids_and_others(folder: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let text = format!("the runs in {} cannot be listed: {error}", folder.display());
            return Err(complaint(text, "mend that folder, or set XDG_STATE_HOME to the one that holds the runs"));
        }
    };
    let has = |entry: &fs::DirEntry, name: &str| entry.path().join(name).symlink_metadata().is_ok();
    let (mut ids, mut others) = (Vec::new(), Vec::new());
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_run = (has(&entry, RECORD) || has(&entry, crate::layout::LOCK)) && entry.file_name().to_str().is_some();
        // One that begins with a dot is on its way into the store, or out of it.
        if !name.starts_with('.') {
            if is_run { &mut ids } else { &mut others }.push(name);
        }
    }
    ids.sort();
    others.sort();
    Ok((ids, others))
}

/// The one run that an id, its beginning or its end stands for.
fn one<'a>(ids: &'a [String], text: &str) -> Result<Option<&'a String>> {
    if let Some(id) = ids.iter().find(|id| *id == text) {
        return Ok(Some(id));
    }
    let is_end = |id: &str| id.strip_suffix(text).is_some_and(|rest| rest.ends_with('-'));
    let fitting: Vec<&String> = ids.iter().filter(|id| !text.is_empty() && (id.starts_with(text) || is_end(id))).collect();
    match fitting.as_slice() {
        [] => Ok(None),
        [id] => Ok(Some(id)),
        several => Err(complaint(
            format!("`{text}` fits {} runs", several.len()),
            "give more of the id; `ioproof runs list --wide` shows ids in full",
        )),
    }
}

/// The short id of every run, by its id.
pub fn short_ids(ids: &[String]) -> HashMap<&str, &str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    ids.iter().flat_map(|id| ends(id)).for_each(|end| *counts.entry(end).or_default() += 1);
    let is_beginning = |end: &str| ids.get(ids.partition_point(|id| id.as_str() < end)).is_some_and(|id| id.starts_with(end) && id != end);
    let is_free = |end: &&str| counts.get(end) == Some(&1) && !is_beginning(end);
    ids.iter().map(|id| (id.as_str(), ends(id).into_iter().find(is_free).unwrap_or(id))).collect()
}

/// The ends of an id at its hyphens, the shortest first; of a name that ioproof did not give, only all of it.
fn ends(id: &str) -> Vec<&str> {
    if !is_id(id) {
        return vec![id];
    }
    let after = id.rmatch_indices('-').map(|(at, _)| &id[at + 1..]);
    after.chain([id]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_short_id_stands_for_one_run() {
        let ids = made(&[
            "20261121-031500-128-3f9a",
            "20261121-031500-129-3f9a",
            "20261121-031500-130-2026",
            "20261121-031500-131-00ff",
            "20261122-031500-00ff",
            "odd-name",
        ]);
        let short = short_ids(&ids);
        let all: Vec<&str> = ids.iter().map(|id| short[id.as_str()]).collect();
        assert_eq!(all, ["128-3f9a", "129-3f9a", "130-2026", "131-00ff", "031500-00ff", "odd-name"]);
        for id in &ids {
            assert_eq!(one(&ids, short[id.as_str()]).unwrap(), Some(id));
        }
    }

    #[test]
    fn an_id_goes_before_what_begins_like_it() {
        let ids = made(&["20261121-031500-3f9a", "20261121-031500-3f9ab", "20261121-041500-1111"]);
        let found = |text: &str| one(&ids, text).unwrap().map(String::as_str);
        assert_eq!(found("20261121-031500-3f9a"), Some("20261121-031500-3f9a"));
        assert_eq!(found("20261121-04"), Some("20261121-041500-1111"));
        assert_eq!(found("1111"), Some("20261121-041500-1111"));
        assert_eq!((found("111"), found(""), found("x")), (None, None, None), "half of a part is no short id");
        assert!(one(&ids, "20261121").is_err());
    }
}
