//! Writes a run as one file. The run is read twice, a file of it at a time: for the table, and to be copied.

use super::read::Reader;
use super::{contents_of, read_part};
use crate::layout::{MOST_BYTES, RECORD};
use crate::locks::is_locked;
use anyhow::{Context, Result, bail};
use ioproof_core::export::{Contents, ExportedFile, FileName, is_id};
use ioproof_process::complaint::complaint;
use ioproof_process::digest::sha256;
use ioproof_process::folders;
use ioproof_process::written_file::found;
use ioproof_target::output_file::{OutputError, OutputFile, Standing};
use ioproof_target::read_own;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Exported {
    pub id: String,
    pub file: PathBuf,
    /// Its length. Bytes.
    pub size_bytes: u64,
    /// Files of the run that are damaged, and why.
    pub left_out: Vec<String>,
}

/// Writes the run in a folder to a file, `ID.ioproof` in this folder where none is named.
///
/// # Errors
/// When the run cannot be read or is still going on, something else than an export stands there, or the disk is full.
pub fn export(folder: &Path, to: Option<&Path>) -> Result<Exported> {
    if to == Some(Path::new("-")) {
        return Err(complaint("an export does not go to standard output", "name a file: -o run.ioproof"));
    }
    if is_locked(folder) {
        return Err(complaint(format!("the run in {} is still going on", folder.display()), "wait until it has ended"));
    }
    let (contents, left_out) = contents_of(folder)?;
    let id = contents.id.clone();
    let file = match to {
        Some(file) => file.to_owned(),
        None if is_id(&id) => PathBuf::from(format!("{id}.ioproof")),
        None => bail!("the run in {} has no id that ioproof gives", folder.display()),
    };
    contents.check().with_context(|| format!("the run in {} cannot be exported", folder.display()))?;
    let size_bytes = write(folder, &contents, &file).with_context(|| format!("run {id} is not exported"))?;
    Ok(Exported { id, file, size_bytes, left_out })
}

fn write(folder: &Path, contents: &Contents, to: &Path) -> Result<u64> {
    folders::spare_state(to)?;
    let output = OutputFile::open_folder(to)?;
    let standing = output.look(&|file| is_export(file))?;
    if standing == Standing::Stream {
        return Err(complaint(format!("{} exists and is no regular file", to.display()), "name a file"));
    }
    let mut new = output.begin()?;
    let mut length_bytes = 0;
    let mut put = |bytes: &[u8]| {
        length_bytes += bytes.len() as u64;
        new.write_all(bytes).map_err(|source| OutputError::Io { path: to.to_path_buf(), doing: "write", source })
    };
    let text = contents.text();
    put(text.as_bytes())?;
    put(Contents::last_line(&sha256(&[text.as_bytes()])).as_bytes())?;
    for file in &contents.files {
        put(&copied(folder, file)?)?;
    }
    output.put(new, &standing)?;
    found(&output)?;
    Ok(length_bytes)
}

/// A file of the run, as it was when the table was made.
fn copied(folder: &Path, file: &ExportedFile) -> Result<Vec<u8>> {
    let bytes = match file.name {
        FileName::Record => read_own(&folder.join(RECORD), MOST_BYTES)?,
        name => read_part(folder, name)?,
    };
    if sha256(&[&bytes]) != file.sha256 {
        bail!("{} was changed meanwhile", folder.join(file.name.to_string()).display());
    }
    Ok(bytes)
}

/// True for a file that is an export by all its digests: one that bears no mark of ours is replaced by that alone.
fn is_export(file: &File) -> bool {
    let whole = || -> Result<()> {
        let reader = Reader::of(file.try_clone()?)?;
        reader.contents().files.iter().enumerate().try_for_each(|(at, _)| reader.read(at).map(drop))
    };
    whole().is_ok()
}
