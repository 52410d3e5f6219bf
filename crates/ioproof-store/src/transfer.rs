//! Runs on their way between machines: one file, whose head (`ioproof_core::export`) says all that is in it, and the files of the run behind that.
//!
//! `write.rs` makes one, `read.rs` looks whether one is whole, `import.rs` takes one into the store. What is carried is what was measured: the judgement is made
//! anew by whoever imports it, and names and tags are those of a store. A file that is not as it was stored is not carried, and the table has the digests that the
//! run is stored with where it is imported.

mod import;
mod read;
mod write;

pub use import::{Imported, import};
pub use write::export;

use crate::kept_files::kept_files;
use crate::layout::{MOST_BYTES, RECORD, ROUNDS, STAGES, check_version, files};
use anyhow::{Context, Result, bail};
use ioproof_core::export::{Contents, ExportedFile, FileName, MOST_FILE_BYTES};
use ioproof_core::record::{Stage, version_of};
use ioproof_process::digest::sha256;
use ioproof_target::read_own;
use serde::Deserialize;
use std::path::Path;

/// The table of the run in a folder, and the files that are left out because they are damaged or changed.
fn contents_of(folder: &Path) -> Result<(Contents, Vec<String>)> {
    /// The part of a record that every version has.
    #[derive(Deserialize)]
    struct Identified {
        id: String,
    }
    let (kept, unread) = kept_files(folder);
    let path = folder.join(RECORD);
    let record = read_own(&path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    let no_record = || format!("{} is no record of this format", path.display());
    let version = version_of(&record).with_context(no_record)?;
    check_version(folder, version)?;
    let Identified { id } = serde_json::from_slice(&record).with_context(no_record)?;
    kept.check(RECORD, &record)?;
    let part = |name: FileName| -> Result<ExportedFile> {
        let bytes = read_part(folder, name)?;
        kept.check(&name.to_string(), &bytes)?;
        Ok(described(name, &bytes))
    };
    let (mut found, mut left_out) = (vec![described(FileName::Record, &record)], Vec::from_iter(unread));
    for file in files(&folder.join(if version == 1 { ROUNDS } else { STAGES })) {
        match named(folder, &file).and_then(part) {
            Ok(part) => found.push(part),
            Err(error) => left_out.push(ioproof_process::complaint::describe(&error)),
        }
    }
    Ok((Contents { id, files: found }, left_out))
}

fn named(folder: &Path, file: &Path) -> Result<FileName> {
    let below = file.strip_prefix(folder).ok().and_then(Path::to_str);
    below.and_then(FileName::of).with_context(|| format!("{} is no file of a run", file.display()))
}

fn read_part(folder: &Path, name: FileName) -> Result<Vec<u8>> {
    let path = folder.join(name.to_string());
    let bytes = read_own(&path, MOST_FILE_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    check_part(name, &bytes).with_context(|| format!("{} is damaged", path.display()))?;
    Ok(bytes)
}

fn described(name: FileName, bytes: &[u8]) -> ExportedFile {
    ExportedFile { name, size_bytes: bytes.len() as u64, sha256: sha256(&[bytes]) }
}

/// Looks whether a file is what its name says. Rounds of format 1 are understood with their record alone.
fn check_part(name: FileName, bytes: &[u8]) -> Result<()> {
    let FileName::Stage(number) = name else { return Ok(()) };
    let stage: Stage = serde_json::from_slice(bytes).context("it is no stage of this format")?;
    if stage.index != number || stage.started_at.is_empty() {
        bail!("it holds another stage, or none");
    }
    Ok(())
}
