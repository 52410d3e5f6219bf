//! Scripts as they are typed, `FILE` or `FILE@WEIGHT` as pgbench has them, and their content.

use anyhow::Result;
use ioproof_core::record::ScriptRecord;
use ioproof_core::text::visible;
use ioproof_database::postgres::{PgbenchScript, SCRIPT_BYTES_MAX};
use ioproof_process::complaint::complaint;
use ioproof_process::digest::sha256;
use rustix::fs::{Mode, OFlags, open};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Most scripts of a run, of the 128 that pgbench takes.
const MOST: usize = 100;
const WEIGHT_MAX: u32 = 10_000;
const HINT: &str = "a script has SQL and \\set, \\sleep, \\if of pgbench: --script FILE, or --script FILE@WEIGHT beside others";

/// Reads all of them, each once, so that what is run is what was read.
pub fn read_all(typed: &[OsString]) -> Result<Vec<PgbenchScript>> {
    if typed.len() > MOST {
        return Err(complaint(format!("{} scripts are more than the {MOST} that are taken", typed.len()), HINT));
    }
    typed
        .iter()
        .map(|typed| read(typed).map_err(|error| complaint(format!("{} {error}", visible(&typed.to_string_lossy())), HINT)))
        .collect()
}

fn read(typed: &OsStr) -> Result<PgbenchScript, String> {
    let (file, weight) = parts(typed)?;
    let bytes = content(file).map_err(|error| format!("cannot be read: {error}"))?;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    PgbenchScript::new(ScriptRecord { name: visible(&name).to_string(), weight, sha256: sha256(&[&bytes]) }, bytes)
}

/// File and weight. Only a number behind the last `@` is a weight.
fn parts(typed: &OsStr) -> Result<(&Path, u32), String> {
    let bytes = typed.as_bytes();
    let at =
        bytes.iter().rposition(|byte| *byte == b'@').filter(|at| bytes.len() > at + 1 && bytes[at + 1..].iter().all(u8::is_ascii_digit));
    let Some(at) = at else { return Ok((Path::new(typed), 1)) };
    let weight = std::str::from_utf8(&bytes[at + 1..]).ok().and_then(|digits| digits.parse().ok());
    match weight.filter(|weight| (1..=WEIGHT_MAX).contains(weight)) {
        Some(weight) => Ok((Path::new(OsStr::from_bytes(&bytes[..at])), weight)),
        None => Err(format!("has no weight from 1 to {WEIGHT_MAX} behind its @")),
    }
}

/// As much of a regular file as tells whether it is too long. A fifo is not waited for.
fn content(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = File::from(open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(SCRIPT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_behind_the_last_sign_is_a_weight() {
        let of = |text: &'static str| parts(OsStr::new(text));
        assert_eq!(of("a.sql"), Ok((Path::new("a.sql"), 1)));
        assert_eq!(of("a.sql@3"), Ok((Path::new("a.sql"), 3)));
        assert_eq!([of("a@b.sql"), of("a@"), of("@")], ["a@b.sql", "a@", "@"].map(|path| Ok((Path::new(path), 1))));
        assert_eq!(of("a@2@10000"), Ok((Path::new("a@2"), 10_000)));
        assert!(["a@0", "a@10001", "a@99999999999999999999"].into_iter().all(|text| of(text).is_err()));
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| read_all(&[path.into()]).unwrap_err().to_string();
        assert!(error(folder.path()).contains("no regular file") && error(&folder.path().join("none")).contains("cannot be read"));
        let file = folder.path().join("a.sql");
        std::fs::write(&file, "SELECT 1;").unwrap();
        let read = read_all(&[file.clone().into(), [file.as_os_str(), OsStr::new("@2")].iter().copied().collect()]).unwrap();
        assert_eq!(read.iter().map(|script| script.record().weight).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((read[0].record().name.as_str(), read[0].record().sha256.len()), ("a.sql", 64));
        assert!(read_all(&vec![file.into(); MOST + 1]).is_err());
    }
}
