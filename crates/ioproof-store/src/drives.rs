//! The past of drives, a file for each serial number: `<state>/drives/<serial>.json`. It is kept between runs, and no run fails by it: what cannot be read begins anew, and
//! what cannot be kept is left.

use crate::locks::lock_store;
use anyhow::{Context, Result};
use ioproof_core::record::DriveHistory;
use ioproof_core::text::visible;
use ioproof_process::complaint::describe;
use ioproof_process::digest::sha256;
use ioproof_process::folders;
use ioproof_target::output_file::{make_folders, store};
use ioproof_target::read_own;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const FOLDER: &str = "drives";

/// No such file is larger. Bytes.
const MOST_BYTES: u64 = 1 << 16;

/// Longest serial number that names its file itself. NVMe's have 20 characters, those of ATA too.
const MOST_CHARACTERS: usize = 40;

/// The past of a drive, with what there is to say of it.
#[derive(Debug)]
pub struct DrivePast {
    pub history: DriveHistory,
    /// A file that is damaged, so that the past begins anew.
    pub damage: Option<String>,
    /// The reason for which it is not kept.
    pub unkept: Option<String>,
}

/// The past of a drive; `None` of one that was never looked at, or whose past cannot be used.
pub fn known(serial: &str) -> Option<DriveHistory> {
    read(&place(serial).ok()?, serial).0
}

/// Changes the past of a drive, and keeps it.
pub fn update(serial: &str, change: impl FnOnce(&mut DriveHistory)) -> DrivePast {
    // Of two runs that end at once, the second goes on from what the first has kept.
    let lock = place(serial).and_then(|path| {
        make_folders(path.parent().unwrap_or(Path::new("/")))?;
        lock_store()
    });
    let (known, damage) = place(serial).map(|path| read(&path, serial)).unwrap_or_default();
    let mut history = known.unwrap_or_else(|| DriveHistory::new(serial, &ioproof_runner::now().rfc3339));
    change(&mut history);
    let kept = lock.and_then(|_held| write(&place(serial)?, &history));
    DrivePast { history, damage, unkept: kept.err().map(|error| describe(&error)) }
}

fn place(serial: &str) -> Result<PathBuf> {
    Ok(folders::state()?.join(FOLDER).join(file_name(serial)))
}

/// The serial number itself where it can be a name, else its digest.
fn file_name(serial: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    match serial.len() {
        1..=MOST_CHARACTERS if serial.bytes().all(is_plain) => format!("{serial}.json"),
        _ => format!("sha256-{}.json", sha256(&[serial.as_bytes()])),
    }
}

/// The past in a file, or why it cannot be used.
fn read(path: &Path, serial: &str) -> (Option<DriveHistory>, Option<String>) {
    let parsed = || -> Result<Option<DriveHistory>> {
        let bytes = match read_own(path, MOST_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let history: DriveHistory = serde_json::from_slice(&bytes).context("it is no record of this format")?;
        anyhow::ensure!(history.serial == serial, "it is of another drive");
        Ok(Some(history))
    };
    match parsed() {
        Ok(history) => (history, None),
        Err(error) => {
            let (serial, path, why) = (visible(serial), path.display(), describe(&error));
            let text = format!("the past of drive {serial} begins anew: {path} cannot be used: {why}");
            (None, Some(text))
        }
    }
}

fn write(path: &Path, history: &DriveHistory) -> Result<()> {
    Ok(store(path, &serde_json::to_vec_pretty(history)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_past_is_read_as_it_was_kept_and_a_damaged_one_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file_name("S1"));
        assert_eq!(read(&path, "S1"), (None, None), "never looked at");
        let mut history = DriveHistory::new("S1", "2026-11-28T17:00:00.000Z");
        history.begin_purge("discard", "2026-11-28T18:00:00.000Z");
        write(&path, &history).unwrap();
        assert_eq!(read(&path, "S1"), (Some(history.clone()), None));
        let whole = std::fs::read(&path).unwrap();
        for damaged in [&whole[..40], b"", b"{}"] {
            let why = "no record of this format";
            std::fs::write(&path, damaged).unwrap();
            let (anew, damage) = read(&path, "S1");
            assert!(anew.is_none() && damage.is_some_and(|text| text.contains(why)), "{damaged:?}");
        }
        write(&path, &history).unwrap();
        assert!(read(&path, "S2").1.unwrap().contains("of another drive"));
    }

    #[test]
    fn no_serial_number_names_a_file_elsewhere() {
        assert_eq!(file_name("S4EVNX0M-1_2"), "S4EVNX0M-1_2.json");
        for odd in ["", "../x", "a b", ".", "a/b", "s\u{e9}", &"x".repeat(41), "x.json"] {
            assert!(file_name(odd).starts_with("sha256-") && !file_name(odd).contains('/'), "{odd}");
        }
    }
}
