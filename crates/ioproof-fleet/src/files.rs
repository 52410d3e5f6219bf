//! Run files in the folder of a node: their names, and a look at whether one is whole.

use anyhow::{Context, Result};
use ioproof_process::complaint::complaint;
use ioproof_process::digest::sha256;
use ioproof_store::run_file::STAMP;
use ioproof_target::read_regular;
use serde::Deserialize;
use std::path::Path;

/// No run file is larger. Bytes.
const MOST_BYTES: u64 = 1 << 30;

/// The part of a run file that the end of a node tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFile {
    /// SHA-256 of the whole file in hexadecimal.
    pub sha256: String,
    /// Exit status of its judgement.
    pub exit_status: u8,
    /// Reason for it, in a few words.
    pub exit_reason: String,
    /// When the run began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub ended_at: String,
}

#[derive(Deserialize)]
struct Document {
    run: Run,
    judgement: Judged,
}

#[derive(Deserialize)]
struct Run {
    started_at: String,
    #[serde(default)]
    ended_at: Option<String>,
}

#[derive(Deserialize)]
struct Judged {
    exit_status: u8,
    exit_reason: String,
}

/// Reads a run file that must be whole.
///
/// # Errors
/// When it cannot be read, does not fit its digest, or is no run file.
pub fn check_run_file(path: &Path) -> Result<RunFile> {
    let bytes = read_regular(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    if !STAMP.fits(&bytes) {
        return Err(complaint(
            format!("{} is damaged: it does not fit its SHA-256", path.display()),
            "`ioproof fleet collect` fetches it again",
        ));
    }
    let Document { run, judgement } = serde_json::from_slice(&bytes).with_context(|| format!("{} is no run file", path.display()))?;
    let ended_at = run.ended_at.unwrap_or_else(|| run.started_at.clone());
    let Judged { exit_status, exit_reason } = judgement;
    Ok(RunFile { sha256: sha256(&[&bytes]), exit_status, exit_reason, started_at: run.started_at, ended_at })
}

/// Name of the run file of a drive: its serial number, or the name of its path where it has none or where another drive has the same.
pub fn run_file_name(serial: Option<&str>, name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let plain = |text: &str| text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect::<String>();
    let own = name.strip_prefix("/dev/").unwrap_or_else(|| name.rsplit('/').next().unwrap_or_default());
    let own = plain(own).trim_start_matches('.').to_owned();
    let serial = serial.map(plain).map(|serial| serial.trim_start_matches('.').to_owned()).filter(|serial| !serial.is_empty());
    let with_both = serial.as_ref().map(|serial| format!("{serial}-{own}"));
    let names = serial.into_iter().chain(with_both).chain([own.clone()]).map(|name| format!("{name}.json"));
    let is_free = |file: &String| file != "end.json" && !is_taken(file);
    names.clone().find(is_free).unwrap_or_else(|| {
        let numbered = |number: u32| format!("{own}-{number}.json");
        (2..).map(numbered).find(is_free).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_file_has_the_serial_number_for_its_name() {
        let free = |_: &str| false;
        assert_eq!(run_file_name(Some("S4 YP/1"), "/dev/sda", free), "S4_YP_1.json");
        assert_eq!(run_file_name(None, "/dev/loop1", free), "loop1.json");
        assert_eq!(run_file_name(Some("S1"), "/dev/nvme0n2", |name| name == "S1.json"), "S1-nvme0n2.json");
        assert_eq!(run_file_name(Some("end"), "/dev/sda", free), "end-sda.json");
        assert_eq!(run_file_name(None, "/dev/mapper/x", free), "mapper_x.json");
        assert_eq!(run_file_name(None, "/mnt/a", |name| name == "a.json"), "a-2.json");
    }

    #[test]
    fn a_damaged_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let text = br#"{"run":{"started_at":"a","ended_at":"b"},"judgement":{"exit_status":3,"exit_reason":"c"}}"#;
        let mut bytes = STAMP.stamped([&text[..], b"\n"].concat());
        std::fs::write(&path, &bytes).unwrap();
        let read = check_run_file(&path).unwrap();
        assert_eq!((read.exit_status, read.ended_at.as_str(), read.sha256.len()), (3, "b", 64));
        bytes[30] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(check_run_file(&path).unwrap_err().to_string().contains("SHA-256"));
    }
}
