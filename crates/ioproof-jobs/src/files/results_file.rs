//! Where the formats go: standard output, a plain file that is replaced whole, or what keeps nothing (a pipe, a terminal, `/dev/null`).
//!
//! A plain file is first written in this run when there is something whole to say, to a file beside it that takes its name; a program that is ended
//! before leaves what was there. What follows (results so far) goes below in one piece, so that it can be watched. While jobs run nobody waits for a reader.

use crate::files::place::{self, OutputPlace};
use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_process::stream::PatientStream;
use ioproof_process::written_file::found;
use ioproof_process::{named_pipe, output};
use ioproof_target::output_file::{OutputError, Standing, Written};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where the formats go; until it is opened, standard output.
#[derive(Debug, Default)]
pub struct ResultsFile(Mutex<ResultsState>);

#[derive(Debug, Default)]
struct ResultsState {
    to: To,
    before: String,
    /// Error of a stream that did not take what came before the last results. It tells it once.
    lost: Option<io::Error>,
}

#[derive(Debug, Default)]
enum To {
    #[default]
    Standard,
    /// Held open until the last results, since a pipe ends when nobody has it open.
    Open {
        file: Option<File>,
        stream: PatientStream,
        path: PathBuf,
    },
    Plain(Box<PlainResults>),
}

#[derive(Debug)]
struct PlainResults {
    place: OutputPlace,
    /// As it was seen before anything ran.
    standing: Standing,
    /// The file of this run, once there is something in it.
    written: Option<Written>,
}

impl ResultsFile {
    /// Looks whether `--output` can be written, before anything runs. Files of `overwrite` may be replaced whosever they are.
    ///
    /// # Errors
    /// When it cannot be, or holds something else than results that an earlier run wrote.
    pub fn open(&self, name: Option<&str>, overwrite: &[String]) -> Result<()> {
        let Some(path) = name.map(Path::new) else { return Ok(()) };
        let to = if place::is_plain(path) {
            let place = OutputPlace::at(path, overwrite)?;
            let standing = place.check()?;
            To::Plain(Box::new(PlainResults { place, standing, written: None }))
        } else {
            To::Open { file: Some(place::open_stream(path)?), stream: PatientStream::new(), path: path.to_path_buf() }
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).to = to;
        Ok(())
    }

    /// Takes what stands before all results. A standard output that does not take it is told with the results, which are stored by then: it keeps
    /// no job from running and no log from being written.
    ///
    /// # Errors
    /// When `--output` cannot be written.
    pub fn begin(&self, text: String) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.to {
            To::Plain { .. } => state.before = text,
            To::Standard => state.lost = state.put_early(&text).err(),
            _ => state.put_early(&text).map_err(|error| state.fail(&error))?,
        }
        Ok(())
    }

    /// Takes results so far, whole. Who does not read them gets them later.
    pub fn put_so_far(&self, text: &str) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut state.before);
        let put = state.put_early(&(before + text));
        if let (Err(error), To::Standard | To::Open { .. }) = (&put, &state.to) {
            state.lost = Some(io::Error::new(error.kind(), error.to_string()));
        }
        put.map_err(|error| state.fail(&error))
    }

    /// Takes the last results, whole, and waits until they are read.
    pub fn put(&self, text: &str) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.lost.take() {
            return Err(state.fail(&error));
        }
        let before = std::mem::take(&mut state.before);
        let put = state.put_early(&(before + text)).and_then(|()| state.finish());
        put.map_err(|error| state.fail(&error))?;
        match &state.to {
            To::Plain(plain) => found(plain.place.file()),
            _ => Ok(()),
        }
    }
}

impl ResultsState {
    fn put_early(&mut self, text: &str) -> io::Result<()> {
        match &mut self.to {
            To::Standard => output::print_early(text),
            To::Open { file: Some(file), stream, .. } => stream.put(file, text.as_bytes()),
            To::Open { .. } => Err(io::Error::other("it was closed")),
            To::Plain(plain) => plain.put(text).map_err(|error| io::Error::other(ioproof_process::complaint::describe(&error))),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Standard => output::write(b""),
            To::Open { file, stream, path } => file.take().map_or(Ok(()), |file| named_pipe::finish(file, stream, path)),
            To::Plain(_) => Ok(()),
        }
    }

    /// Somebody who stops reading must not take a measurement for one that went well.
    fn fail(&self, error: &io::Error) -> anyhow::Error {
        let (to, hint) = match &self.to {
            To::Plain(plain) => (plain.place.file().path().display().to_string(), "--output= names a file in a folder that you may write"),
            To::Open { path, .. } => (path.display().to_string(), "name a file, or read the pipe while the jobs run"),
            To::Standard => ("standard output".to_owned(), "--output=FILE keeps them in a file"),
        };
        complaint(format!("the results could not be written to {to}: {error}"), hint)
    }
}

impl PlainResults {
    fn put(&mut self, text: &str) -> Result<()> {
        let file = self.place.file();
        if let Some(written) = &mut self.written {
            return Ok(file.append_own(written, text.as_bytes())?);
        }
        let mut new = file.begin()?;
        let fail = |source| OutputError::Io { path: file.path().to_path_buf(), doing: "write", source };
        new.write_all(text.as_bytes()).map_err(fail)?;
        self.written = Some(file.put(new, &self.standing)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    const JSON: &str = "{\n  \"fio version\" : \"fio-3.33\"\n}\n";

    /// A folder on a drive, where files can bear marks.
    fn folder() -> tempfile::TempDir {
        let parent = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tmp");
        fs::create_dir_all(parent).unwrap();
        tempfile::tempdir_in(parent).unwrap()
    }

    fn opened(path: &Path) -> Result<ResultsFile> {
        let file = ResultsFile::default();
        file.open(path.to_str(), &[])?;
        Ok(file)
    }

    #[test]
    fn a_file_is_replaced_whole_and_stays_until_then() {
        let folder = folder();
        let path = folder.path().join("out");
        opened(&path).unwrap().put("older\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let sink = opened(&path).unwrap();
        sink.begin("head\n".into()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "older\n", "nothing is lost before there is something new");
        sink.put_so_far("one\n").unwrap();
        sink.put("two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "head\none\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_not_ours_or_became_something_else_is_left_alone() {
        let folder = folder();
        let path = folder.path().join("out");
        let sink = opened(&path).unwrap();
        assert!(!path.exists(), "it is made when there is something to write");
        fs::write(&path, "dear diary").unwrap();
        assert!(sink.put(JSON).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "dear diary");
        assert!(opened(&path).is_err());
        fs::write(&path, JSON).unwrap();
        assert!(opened(&path).is_err(), "fio's own results are not ours");
        assert!(opened(&folder.path().join("no/folder")).is_err() && opened(folder.path()).is_err());
    }

    #[test]
    fn results_so_far_do_not_go_through_a_link_that_was_put_there() {
        let folder = folder();
        let (path, precious) = (folder.path().join("out"), folder.path().join("precious"));
        let sink = opened(&path).unwrap();
        sink.put_so_far("one\n").unwrap();
        fs::write(&precious, "precious").unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        assert!(sink.put_so_far("two\n").is_err() && sink.put("three\n").is_err());
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    }
}
