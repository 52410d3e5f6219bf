//! `ioproof powercut` as a writer and a checker: what it says of a drive is held against the truth about it.
//!
//! Each cut is a further session of one campaign, and what the last check says of the drive is said of all of them.

use super::found::{self, CORRUPT, Found};
use super::prover::{self, Prover, Target};
use super::witness::Witness;
use crate::command::{self, Background, LIMIT, tool, wait_until};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Sentence with which `write` says that all is made and that the cut may come.
pub const READY: &str = "cut the power now";

/// Exit status of `check` where acknowledged writes are lost, and where all are there.
const LOST: i32 = 1;
const CLEAN: i32 = 0;
/// Exit status where nothing can be told, as where blocks hold what was never written there.
const UNTOLD: i32 = 3;

pub struct Proven {
    program: PathBuf,
    folder: PathBuf,
    witness: Witness,
    /// Operations on names in a directory; blocks otherwise.
    has_names: bool,
    campaign: Option<String>,
    writer: Option<Background>,
}

impl Proven {
    pub fn new(program: &Path, folder: &Path, has_names: bool) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let witness = Witness::start(program, folder)?;
        Ok(Self { program: program.to_owned(), folder: folder.to_owned(), witness, has_names, campaign: None, writer: None })
    }

    fn said(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Waits until it writes, behind everything that it does first.
    fn wait_until_it_writes(&mut self) -> Result<()> {
        let mut writer = self.writer.take().context("no writer was started")?;
        let is_ready = || self.said("stderr").contains(READY);
        wait_until("a writer that writes", || is_ready() || writer.has_ended())?;
        if !is_ready() {
            bail!("the writer ended before it wrote: {}", self.said("stderr").trim());
        }
        self.writer = Some(writer);
        Ok(())
    }
}

impl Prover for Proven {
    fn begin(&mut self, target: &Target) -> Result<()> {
        let place = target.place(self.has_names)?;
        if let Some(words) = target.filling(self.has_names) {
            tool("dd", &words.each_ref().map(String::as_str))?;
        }
        let mut command = prover::proven_write(&self.program, &self.folder, &self.witness.address, place, self.has_names, None);
        command.args(self.campaign.iter().flat_map(|id| ["--campaign", id]));
        let (out, errors) = (File::create(self.folder.join("stdout"))?, File::create(self.folder.join("stderr"))?);
        let child = command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().context("cannot start a writer")?;
        self.writer = Some(Background(child));
        self.wait_until_it_writes()
    }

    fn end(&mut self) -> Result<()> {
        let mut writer = self.writer.take().context("no writer was started")?;
        wait_until("the end of a writer whose drive is dead", || writer.has_ended())?;
        if !writer.0.wait()?.success() {
            bail!("the writer failed: {}", self.said("stderr").trim());
        }
        let document = document(&self.said("stdout"))?;
        if document["ended"].as_array().is_none_or(Vec::is_empty) {
            bail!("the writer does not say that the drive failed: {document}");
        }
        if document["stored"] != document["acknowledged"] {
            bail!("the witness has not stored everything within {} s: {document}", LIMIT.as_secs());
        }
        self.campaign = document["campaign"].as_str().map(str::to_owned);
        document["stored"].as_u64().filter(|stored| *stored > 0).context("nothing was acknowledged").map(drop)
    }

    fn check(&mut self, target: &Target) -> Result<Found> {
        let campaign = self.campaign.as_deref().context("no campaign was written")?;
        let place = target.place(self.has_names)?;
        let mut command = prover::proven_check(&self.program, &self.folder, &self.witness.address, place, campaign);
        // This machine was never down.
        let output = command::finish(command.arg("--drive-alone"))?;
        let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        judged(output.status.code(), &out, &errors, target)
    }
}

/// Findings of a check that ended with this exit status and said this.
pub fn judged(status: Option<i32>, out: &str, errors: &str, target: &Target) -> Result<Found> {
    match status {
        Some(code @ (CLEAN | LOST | UNTOLD)) => {
            let document = document(out)?;
            let found = found_in(&document);
            // Here nobody else writes, so what is foreign is the doing of the drive or of what stands on it.
            if code == UNTOLD && !found.kinds.contains_key(CORRUPT) {
                bail!("the check cannot tell: {document}");
            }
            if found.is_clean() != (code == CLEAN) {
                bail!("the exit status is {code}, and the document says {found:?}");
            }
            Ok(found)
        }
        // It is the filesystem that lost the file; the drive cannot lose itself.
        _ if !target.is_device && errors.contains("no such target") => Ok(Found::all_gone("file missing")),
        code => bail!("the check ended with {code:?}: {}", errors.trim()),
    }
}

fn document(text: &str) -> Result<Value> {
    serde_json::from_str(text).with_context(|| format!("no document: {text}"))
}

/// Findings of a document of `check`.
fn found_in(document: &Value) -> Found {
    let streams = document["streams"].as_array().cloned().unwrap_or_default();
    let sum = |name: &str| streams.iter().filter_map(|stream| stream[name].as_u64()).sum::<u64>();
    // Nobody else writes here, so what is foreign is corrupt.
    let kinds = ["lost", "stale", "torn", "misplaced", CORRUPT, "returned", "unreadable"];
    let count = |kind| sum(kind) + if kind == CORRUPT { sum("foreign") } else { 0 };
    let kinds = kinds.map(|kind| (kind, count(kind))).into_iter().filter(|(_, count)| *count > 0).collect();
    let habit = found::habit(&document["habit"]);
    Found { acknowledged: document["acknowledged"].as_u64().unwrap_or(0), kinds, overtaken: sum("out_of_order"), habit }
}
