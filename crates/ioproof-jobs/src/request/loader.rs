//! Loader of what job files ask for from outside: other files and variables.

use ioproof_fio::complaint::SourcePlace;
use ioproof_fio::grammar::Loader;
use ioproof_fio::jobs::JobFileTexts;
use std::cell::RefCell;
use std::io::Read;
use std::path::Path;

/// Largest job file that is read. Bytes.
const MOST_BYTES: u64 = 16 << 20;

const TOO_LARGE: &str = "it is larger than 16 MiB, so it is no job file";

const MOST_UNSET: usize = 1000;

/// Files of this machine and variables of this process.
#[derive(Debug, Default)]
pub struct HostLoader {
    /// Variables that were request for and are unset, each with where it stands.
    pub unset: RefCell<Vec<String>>,
}

impl Loader for HostLoader {
    fn include(&self, name: &str, _from: &str) -> Result<String, String> {
        read(Path::new(name)).map_err(|error| format!("the included file {name} cannot be read: {error}"))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn unset(&self, name: &str, place: &SourcePlace) {
        let mut unset = self.unset.borrow_mut();
        if unset.len() < MOST_UNSET {
            unset.push(format!("{place}: ${{{name}}} is unset, and nothing stands in its place"));
        }
    }
}

impl JobFileTexts for HostLoader {
    fn job_file(&self, name: &str) -> Result<String, String> {
        if name == "-" { text(std::io::stdin()) } else { read(Path::new(name)) }
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = ioproof_target::read_input(path, MOST_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => TOO_LARGE.to_owned(),
        _ => error.to_string(),
    })?;
    decoded(bytes)
}

/// A file of jobs as text. Only comments may be anything else than UTF-8: a name that is made readable would be that of another file.
fn decoded(bytes: Vec<u8>) -> Result<String, String> {
    let is_comment = |line: &[u8]| line.trim_ascii_start().first().is_none_or(|first| matches!(first, b'#' | b';'));
    let mut lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    match lines.find(|(line, _)| !is_comment(line) && std::str::from_utf8(line).is_err()) {
        Some((_, number)) => Err(format!("line {number} is no UTF-8 text")),
        None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn text(source: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(TOO_LARGE.into());
    }
    decoded(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_may_be_no_text() {
        assert_eq!(decoded(b"; caf\xe9\n[a]\n # \xff\nrw=read\n".to_vec()).unwrap().lines().count(), 4);
        assert_eq!(decoded(b"[a]\nfilename=\xff\n".to_vec()).unwrap_err(), "line 2 is no UTF-8 text");
    }
}
