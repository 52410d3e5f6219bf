//! `ioproof sync --show-loss` as a writer and a checker: what had an fsync must be there, and what had none must not.
//!
//! It bears its own number of steps and needs no witness, so a drive that lies may take that number with the rest: it is for honest drives.

use super::found::Found;
use super::proven::READY;
use super::prover::{self, Prover, Target};
use crate::command::{Background, finish, wait_until};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Exit status where all that was promised is there, where some of it is not, and where this machine was never down.
const ENDS: [i32; 3] = [0, 1, 3];

pub struct Shown {
    program: PathBuf,
    folder: PathBuf,
    writer: Option<Background>,
}

impl Shown {
    pub fn new(program: &Path, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { program: program.to_owned(), folder: folder.to_owned(), writer: None })
    }
}

impl Prover for Shown {
    fn begin(&mut self, target: &Target) -> Result<()> {
        let errors = self.folder.join("stderr");
        let mut command = prover::shown(&self.program, &self.folder, target.place(true)?, &[]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&errors)?).spawn();
        self.writer = Some(Background(child.context("cannot start a writer")?));
        let said = || fs::read_to_string(&errors).unwrap_or_default();
        wait_until("a writer that writes", || said().contains(READY)).with_context(said)
    }

    /// It ends by the first error of the drive.
    fn end(&mut self) -> Result<()> {
        let mut writer = self.writer.take().context("no writer was started")?;
        wait_until("the end of a writer whose drive is dead", || writer.has_ended())
    }

    fn check(&mut self, target: &Target) -> Result<Found> {
        let output = finish(&mut prover::shown(&self.program, &self.folder, target.place(true)?, &["--after"]))?;
        let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        judged(output.status.code(), &out, &errors)
    }
}

/// Findings of a look that ended with this exit status and said this. That nothing is gone of what was never synced is a failure of the rig.
pub fn judged(status: Option<i32>, out: &str, errors: &str) -> Result<Found> {
    if status.is_none_or(|status| !ENDS.contains(&status)) {
        bail!("the look ended with {status:?}: {}", errors.trim());
    }
    let document: Value = serde_json::from_str(out).with_context(|| format!("no document: {out}"))?;
    let steps = |name: &str| document[name].as_u64().with_context(|| format!("no {name} in {document}"));
    let (done, buffered, fsynced) = (steps("done")?, steps("buffered")?, steps("fsynced")?);
    if done == 0 || buffered >= done {
        bail!("nothing is gone that was never synced: {document}");
    }
    let lost = done.saturating_sub(fsynced);
    let kinds = (lost > 0).then_some(("lost", lost)).into_iter().collect();
    Ok(Found { acknowledged: done, kinds, ..Found::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_had_an_fsync_must_be_there_and_what_had_none_must_not() {
        let judged = |done: u64, buffered: u64, fsynced: u64| {
            let document = serde_json::json!({ "done": done, "buffered": buffered, "fsynced": fsynced, "renamed": done });
            judged(Some(0), &document.to_string(), "")
        };
        assert!(judged(9, 0, 9).unwrap().is_clean() && judged(9, 4, 10).unwrap().is_clean());
        assert_eq!(judged(9, 0, 7).unwrap().kinds.get("lost"), Some(&2));
        assert!(judged(9, 9, 9).is_err() && judged(0, 0, 0).is_err());
        assert!(super::judged(Some(2), "", "no").unwrap_err().to_string().contains("no"));
    }
}
