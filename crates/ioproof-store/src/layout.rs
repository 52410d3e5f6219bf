//! Names of the files and folders of a run.

use anyhow::Result;
use ioproof_core::record::SCHEMA_VERSION;
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const RECORD: &str = "run.json";
pub(crate) const JUDGEMENT: &str = "judgement.json";
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const LOCK: &str = "lock";
pub(crate) const STAGES: &str = "stages";

/// No file of a run is larger. Bytes.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// The folder of a run, whether or not it is there.
///
/// # Errors
/// When there is no state folder.
pub fn place(id: &str) -> Result<PathBuf> {
    Ok(runs_folder()?.join(id))
}

pub(crate) fn runs_folder() -> Result<PathBuf> {
    Ok(folders::state()?.join("runs"))
}

pub(crate) fn check_version(path: &Path, version: u32) -> Result<()> {
    if version == 0 {
        return Err(complaint(format!("{} is of format 0, which no version of ioproof wrote", path.display()), "name another run"));
    }
    if version < SCHEMA_VERSION {
        let text = format!("{} is of format {version}, which was of a development version and is no longer read", path.display());
        return Err(complaint(text, "measure again"));
    }
    if version > SCHEMA_VERSION {
        let text = format!("{} is of format {version}, this version reads {SCHEMA_VERSION}", path.display());
        return Err(complaint(text, "use a newer ioproof"));
    }
    Ok(())
}

/// True for `run.json` and `stages/0007.json`: by these files of a run all else is made.
pub(crate) fn is_measured(path: &str) -> bool {
    let number = path.strip_prefix("stages/").and_then(|name| name.strip_suffix(".json")?.parse::<u32>().ok());
    // `+7` and `00007` are numbers too.
    path == RECORD || number.is_some_and(|number| stage_file(number) == path)
}

pub(crate) fn stage_file(index: u32) -> String {
    format!("{STAGES}/{index:04}.json")
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    files
}
