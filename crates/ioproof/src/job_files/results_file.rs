//! Where the formats go: standard output, a plain file that is replaced whole, or what keeps nothing (a pipe, a terminal, `/dev/null`).
//!
//! A plain file is first written in this run when there is something whole to say, to a file beside it that takes its name; a program that is ended before
//! leaves what was there. What follows (results so far) goes below in one piece, so that it can be watched.

use super::output_path;
use crate::complaint::complaint;
use anyhow::Result;
use ioproof_target::folder_of;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where the formats go; until it is opened, standard output.
#[derive(Debug, Default)]
pub struct ResultsFile(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    to: To,
    /// What is to stand before the first results.
    before: String,
}

#[derive(Debug, Default)]
enum To {
    #[default]
    Standard,
    /// Held open, since a pipe ends when nobody has it open.
    Open(File),
    Plain {
        path: PathBuf,
        /// Whether it holds something of this run.
        begun: bool,
    },
}

impl ResultsFile {
    /// Looks whether `--output` can be written, before anything runs.
    ///
    /// # Errors
    /// When it cannot be, or holds something else than older results.
    pub fn open(&self, name: Option<&str>) -> Result<()> {
        if let Some(name) = name {
            let to = if output_path::is_plain(Path::new(name)) {
                plain(Path::new(name))?
            } else {
                To::Open(output_path::open(Path::new(name), output_path::is_results)?)
            };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).to = to;
        }
        Ok(())
    }

    /// What stands before all results.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&self, text: String) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.to {
            To::Plain { .. } => state.before = text,
            _ => state.put(&text).map_err(|error| state.fail(&error))?,
        }
        Ok(())
    }

    /// Results, whole.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn put(&self, text: &str) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut state.before);
        state.put(&(before + text)).map_err(|error| state.fail(&error))
    }
}

impl State {
    fn put(&mut self, text: &str) -> io::Result<()> {
        match &mut self.to {
            To::Standard => {
                if ioproof_target::output_was_closed() {
                    return Err(io::Error::other("it is closed"));
                }
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes()).and_then(|()| out.flush())
            }
            To::Open(file) => file.write_all(text.as_bytes()),
            To::Plain { path, begun: true } => File::options().create(true).append(true).open(path)?.write_all(text.as_bytes()),
            To::Plain { path, begun } => {
                replace(path, text)?;
                *begun = true;
                Ok(())
            }
        }
    }

    /// Somebody who stops reading must not take a measurement for one that went well.
    fn fail(&self, error: &io::Error) -> anyhow::Error {
        let (to, hint) = match &self.to {
            To::Plain { path, .. } => (path.display().to_string(), "--output= names a file in a folder that you may write"),
            To::Open(_) => ("--output".to_owned(), "name a file"),
            To::Standard => ("standard output".to_owned(), "--output=FILE keeps them in a file"),
        };
        complaint(format!("the results could not be written to {to}: {error}"), hint)
    }
}

/// A regular file, or one that is not there yet: nothing is made so far.
fn plain(path: &Path) -> Result<To> {
    output_path::check(path, output_path::is_results)?;
    tempfile::tempfile_in(folder_of(path)).map_err(|error| {
        complaint(format!("cannot write {}: {error}", path.display()), "give a file in a folder that is there and that you may write")
    })?;
    Ok(To::Plain { path: path.to_path_buf(), begun: false })
}

/// The whole file at once, with the permissions of the one before.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // What was an older result before the run may be something else now.
    output_path::check(path, output_path::is_results).map_err(|error| io::Error::other(error.to_string()))?;
    let permissions = fs::metadata(path).map_or_else(|_| Permissions::from_mode(0o644), |meta| meta.permissions());
    let mut file = tempfile::Builder::new().prefix(".ioproof-").tempfile_in(folder_of(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "{\n  \"fio version\" : \"fio-3.33\"\n}\n";

    #[test]
    fn a_file_is_replaced_whole_and_stays_until_then() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, JSON).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let sink = ResultsFile::default();
        sink.open(path.to_str()).unwrap();
        sink.begin("head\n".into()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), JSON, "nothing is lost before there is something new");
        sink.put("one\n").unwrap();
        sink.put("two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "head\none\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_became_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let sink = ResultsFile::default();
        sink.open(path.to_str()).unwrap();
        assert!(!path.exists(), "it is made when there is something to write");
        fs::write(&path, "dear diary").unwrap();
        assert!(sink.put(JSON).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "dear diary");
        assert!(ResultsFile::default().open(path.to_str()).is_err());
        assert!(ResultsFile::default().open(folder.path().join("no/folder").to_str()).is_err());
        assert!(ResultsFile::default().open(folder.path().to_str()).is_err());
    }
}
