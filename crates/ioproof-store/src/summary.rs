//! A run in a few lines, in a file of its own, so that thousands are listed without reading what they measured.

use crate::layout::{RECORD, SUMMARY};
use ioproof_core::facts::DeviceFacts;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::verdict::Verdict;
use ioproof_process::digest::sha256;
use ioproof_target::read_own;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file; one of another version is made anew.
const VERSION: u32 = 3;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    summary_version: u32,
    /// Size of the record that it was made of, by which a record that somebody changed is told. Bytes.
    pub record_bytes: u64,
    pub id: String,
    pub verb: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    pub status: RunStatus,
    pub targets: Vec<String>,
    /// Names of the jobs of a job file, each once; none of a plan.
    pub jobs: Vec<String>,
    /// Model of its drive, where there is one drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Kernel name of its drive, where there is one drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
    /// By what else its drives and targets are found: models, serial numbers, kernel names, and paths after links were followed.
    #[serde(default)]
    pub drives: Vec<String>,
    /// Name of the machine that measured it, where the record tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// By what else that machine is found: its CPU and its kernel.
    #[serde(default)]
    pub machine: Vec<String>,
    pub rounds: usize,
    /// The first figure of its table: `random read 4 KiB: 412 kIOPS`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// Counts of verdicts that there are any of, in the order of the report.
    pub verdicts: Vec<(Verdict, usize)>,
    /// True where digests of its files were stored, or are about to be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_digests: bool,
    pub exit_status: u8,
    pub exit_reason: String,
    /// SHA-256 of all else, by which one that was changed is told.
    #[serde(default)]
    sha256: String,
}

impl Summary {
    pub fn new(record: &RunRecord, judgement: Option<&Judgement>, record_bytes: u64) -> Self {
        let made = judgement.is_none().then(|| judge(record));
        let judgement = judgement.or(made.as_ref());
        let count = |verdict: Verdict| Some((verdict, judgement?.count(verdict))).filter(|(_, count)| *count > 0);
        Self {
            summary_version: VERSION,
            record_bytes,
            id: record.id.clone(),
            verb: record.verb.clone(),
            started_at: record.started_at.clone(),
            status: record.status.clone(),
            targets: record.targets.iter().map(|target| target.facts.given.clone()).collect(),
            jobs: names(record),
            model: record.drive().and_then(|drive| drive.model.as_ref()).map(|model| model.value.clone()),
            drive: record.drive().map(|drive| drive.name.clone()),
            drives: drives(record),
            host: record.host.name.as_ref().map(|name| name.value.clone()),
            machine: vec![record.host.cpu_model.value.clone(), record.host.kernel.value.clone()],
            rounds: record.stages.len(),
            headline: judgement.and_then(headline),
            verdicts: [Verdict::Meets, Verdict::Misses, Verdict::CannotTell, Verdict::Indicative].into_iter().filter_map(count).collect(),
            has_digests: false,
            sha256: String::new(),
            exit_status: judgement.map_or(0, |judgement| judgement.exit_status),
            exit_reason: judgement.map_or_else(String::new, |judgement| judgement.exit_reason.clone()),
        }
    }

    /// The same of a run of which digests are kept, or are about to be.
    pub fn with_digests(self, has_digests: bool) -> Self {
        Self { has_digests, ..self }
    }

    /// The file, with a digest of what stands in it.
    pub fn to_file(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Self { sha256: self.digest()?, ..self.clone() })
    }

    fn digest(&self) -> serde_json::Result<String> {
        Ok(sha256(&[&serde_json::to_vec(&Self { sha256: String::new(), ..self.clone() })?]))
    }

    /// True if it was made by this version of a record of this size, and is as it was stored.
    pub fn is_of(&self, record_bytes: u64) -> bool {
        let is_whole = || self.digest().is_ok_and(|digest| digest == self.sha256);
        self.summary_version == VERSION && self.record_bytes == record_bytes && is_whole()
    }
}

/// No summary is larger; a larger one is made anew. Bytes.
const MOST_BYTES: u64 = 1 << 24;

/// The summary that is kept of a run, where it is of the record that stands there.
pub(crate) fn kept_of(folder: &Path) -> Option<Summary> {
    let record_bytes = folder.join(RECORD).symlink_metadata().ok()?.len();
    kept(folder).filter(|kept| kept.is_of(record_bytes))
}

fn kept(folder: &Path) -> Option<Summary> {
    serde_json::from_slice(&read_own(&folder.join(SUMMARY), MOST_BYTES).ok()?).ok()
}

/// Names of the jobs of a job file, each once; none of a plan.
fn names(record: &RunRecord) -> Vec<String> {
    let mut names: Vec<String> = record.jobs.iter().filter_map(|job| job.name.clone()).collect();
    names.dedup();
    names
}

fn drives(record: &RunRecord) -> Vec<String> {
    let of_drive = |drive: &DeviceFacts| {
        let facts = [&drive.model, &drive.serial].into_iter().flatten().map(|fact| fact.value.clone());
        facts.chain([drive.name.clone()]).collect::<Vec<_>>()
    };
    let paths = record.targets.iter().map(|target| target.facts.resolved.clone());
    each_once(paths.chain(record.drives().into_iter().flat_map(of_drive)).collect())
}

fn each_once(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

fn headline(judgement: &Judgement) -> Option<String> {
    let (row, value) = judgement.rows.iter().find_map(|row| Some((row, row.measured.as_ref()?)))?;
    let statistic = row.statistic.map_or(String::new(), |statistic| format!(" {}", statistic.title()));
    Some(format!("{}{statistic}: {}", row.workload.title(), row.metric.show(value.median)))
}
