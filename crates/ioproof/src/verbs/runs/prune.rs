//! `runs prune` and `runs rm`: which runs go.

use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_process::complaint::{self, complaint, describe};
use ioproof_process::{messages, output};
use ioproof_store::ListedRun;
use serde::Serialize;

/// The document of `--json`.
#[derive(Serialize)]
struct PruneDocument {
    removed: Vec<RemovedJson>,
    /// Room that all runs take afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_bytes: Option<u64>,
    /// True where nothing was done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct RemovedJson {
    id: String,
    freed_bytes: u64,
}

#[derive(Debug, Clone)]
struct Sized {
    id: String,
    used_bytes: u64,
    /// False for one that stays whatever it takes.
    may_go: bool,
}

/// The exit status where something stays that was to go.
const FAILED: u8 = 2;

/// The end of a run that was to go.
enum Gone {
    /// It is removed, and this was freed. Bytes.
    Freed(u64),
    /// Another process removed it.
    ByOthers,
    Stays,
}

/// Removes the oldest runs until all take no more than a size.
pub fn prune(most_bytes: u64, dry_run: bool, as_json: bool) -> Result<u8> {
    let mut stays = swept_or_said();
    let ids = ioproof_store::all_ids()?;
    let mut runs: Vec<Sized> = ioproof_store::newest_first(&ids)?.map(|run| sized(&run, &mut stays)).collect();
    runs.reverse();
    let mut removed = Vec::new();
    for run in going(&runs, most_bytes) {
        match if dry_run { Gone::Freed(run.used_bytes) } else { removed_or_said(&run.id, false) } {
            Gone::Freed(freed_bytes) => removed.push(RemovedJson { id: run.id.clone(), freed_bytes }),
            Gone::ByOthers => {}
            Gone::Stays => stays = true,
        }
    }
    let freed_bytes = removed.iter().map(|run| run.freed_bytes).sum();
    let left_bytes = if dry_run { used_bytes(&ids).saturating_sub(freed_bytes) } else { used_bytes(&ioproof_store::all_ids()?) };
    let word = if dry_run { "would remove" } else { "removed" };
    let last = format!("{word} {} of {} runs; the others take {}", removed.len(), runs.len(), binary_size(left_bytes));
    print(PruneDocument { removed, left_bytes: Some(left_bytes), dry_run }, word, Some(last), as_json)?;
    if left_bytes > most_bytes {
        let text = format!("{} are left, more than {}", binary_size(left_bytes), binary_size(most_bytes));
        return Err(complaint(
            text,
            "runs with a name, that still go on or cannot be read stay: `ioproof runs list`, then `ioproof runs rm ID`",
        ));
    }
    Ok(if stays { FAILED } else { 0 })
}

/// Takes away what is left of runs; true where something of it stays, which is said.
fn swept_or_said() -> bool {
    let left = ioproof_store::sweep();
    for (path, error) in &left {
        messages::warning(&format!("{} is what is left of a run, and cannot be removed: {error}", path.display()));
    }
    !left.is_empty()
}

/// Room that these runs take, as far as they are there. Bytes.
fn used_bytes(ids: &[String]) -> u64 {
    ids.iter().filter_map(|id| ioproof_store::used_bytes(id).ok().flatten()).fold(0, u64::saturating_add)
}

/// Removes runs by their ids. All are looked for before the first is removed.
///
/// # Errors
/// When one is not there; of those that cannot be removed it is said.
pub fn rm(ids: &[String], as_json: bool) -> Result<u8> {
    swept_or_said();
    let mut found = ids.iter().map(|id| ioproof_store::id_of(id)).collect::<Result<Vec<String>>>()?;
    found.sort();
    found.dedup();
    let all = found.len();
    let freed = |id: String| match removed_or_said(&id, true) {
        Gone::Freed(freed_bytes) => Some(RemovedJson { id, freed_bytes }),
        Gone::ByOthers => {
            complaint::print(&complaint(format!("run {id} is not there any more"), "another process removed it"));
            None
        }
        Gone::Stays => None,
    };
    let removed: Vec<RemovedJson> = found.into_iter().filter_map(freed).collect();
    let status = if removed.len() < all { FAILED } else { 0 };
    print(PruneDocument { removed, left_bytes: None, dry_run: false }, "removed", None, as_json)?;
    Ok(status)
}

/// Removes a run, and says what stays of it and why. Nothing is said of one that others removed: to some that is what was wanted.
fn removed_or_said(id: &str, even_named: bool) -> Gone {
    match ioproof_store::remove(id, even_named) {
        Ok(Some(done)) => {
            if !done.left.is_empty() {
                let names: Vec<String> = done.left.iter().map(|path| path.display().to_string()).collect();
                messages::warning(&format!("not of ioproof, and still in the folder of run {id}: {}", names.join(", ")));
            }
            Gone::Freed(done.freed_bytes)
        }
        Ok(None) => Gone::ByOthers,
        Err(error) => {
            complaint::print(&error);
            Gone::Stays
        }
    }
}

fn print(document: PruneDocument, word: &str, last: Option<String>, as_json: bool) -> Result<()> {
    if as_json {
        return output::print_document(&document);
    }
    let lines = document.removed.iter().map(|run| format!("{word} {} ({})", visible(&run.id), binary_size(run.freed_bytes)));
    output::print_lines(lines.chain(last))
}

/// Looks at a run; `stays` is set where its folder cannot be looked at, which is said.
fn sized(run: &ListedRun, stays: &mut bool) -> Sized {
    let used_bytes = ioproof_store::used_bytes(&run.id).unwrap_or_else(|error| {
        complaint::print(&error);
        *stays = true;
        None
    });
    let is_over = match &run.summary {
        Ok(summary) => summary.status != RunStatus::Running,
        Err(error) => {
            messages::note(&format!("run {} cannot be read and stays: {}", run.id, describe(error)));
            false
        }
    };
    if let Some(error) = &run.unlabelled {
        messages::note(&format!("the name of run {} cannot be read, so it stays: {}", run.id, describe(error)));
    }
    let may_go = is_over && used_bytes.is_some() && run.unlabelled.is_none() && run.labels.name.is_none();
    Sized { id: run.id.clone(), used_bytes: used_bytes.unwrap_or(0), may_go }
}

/// The runs that go, of runs in the order of time.
fn going(runs: &[Sized], most_bytes: u64) -> Vec<&Sized> {
    let mut left_bytes: u64 = runs.iter().map(|run| run.used_bytes).fold(0, u64::saturating_add);
    let mut going = Vec::new();
    for run in runs.iter().filter(|run| run.may_go) {
        if left_bytes <= most_bytes {
            break;
        }
        left_bytes -= run.used_bytes;
        going.push(run);
    }
    going
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_until_the_rest_fits() {
        let run = |id: &str, used_bytes, may_go| Sized { id: id.into(), used_bytes, may_go };
        let runs = [run("1", 10, true), run("2", 10, false), run("3", 10, true), run("4", 10, true)];
        let ids = |most| going(&runs, most).iter().map(|run| run.id.as_str()).collect::<String>();
        assert_eq!([ids(40), ids(39), ids(30), ids(29), ids(10), ids(0)], ["", "1", "1", "13", "134", "134"]);
        assert!(going(&[], 0).is_empty());
    }
}
