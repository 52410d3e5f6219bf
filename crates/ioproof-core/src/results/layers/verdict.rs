//! The answer of policy to a filesystem: reads through it have to be so much of what is below it (`Policy::threshold_filesystem`): of reads of the same blocks past it,
//! or where several drives are below, of what these gave all at once before it was made.

use super::{LayerKind, LayerRow, PoolShare, PoolWay};
use crate::base::distinct::distinct;
use crate::finding::{Effect, Finding};
use crate::record::RunRecord;
use crate::stats::Estimate;
use crate::units::percent;
use crate::verdict::{Reason, Verdict};
use serde::{Deserialize, Serialize};

/// The reads below a filesystem that its own are held against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Below {
    /// Of the same blocks past it, in the same turns.
    #[default]
    SameBlocks,
    /// Of all of its drives at once, before it was made.
    DrivesAtOnce,
}

/// The answer for one filesystem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesystemVerdict {
    /// Position of its target in the run's list.
    pub target: u32,
    /// The reads that its own are held against.
    #[serde(default, skip_serializing_if = "Below::is_same_blocks")]
    pub below: Below,
    /// The least share of these. 0 to 1.
    pub threshold: f64,
    /// The answer.
    pub verdict: Verdict,
    /// Findings that bear on it: on the reads through the filesystem, or on those below it. What bears on both alike and leaves both figures the drive's is none of
    /// them where both were measured in the same turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

impl Below {
    /// In words behind `of`.
    pub fn title(self) -> &'static str {
        match self {
            Self::SameBlocks => "reads of the same blocks past it",
            Self::DrivesAtOnce => "those of all its drives at once before it was made",
        }
    }

    fn is_same_blocks(&self) -> bool {
        *self == Self::SameBlocks
    }
}

/// The answers for all filesystems below which reads were measured.
pub(super) fn verdicts(rows: &[LayerRow], pool: &[PoolShare], record: &RunRecord, findings: &[Finding]) -> Vec<FilesystemVerdict> {
    let reads = rows.iter().filter(|row| row.kind == LayerKind::FilesystemReads);
    let threshold = record.policy.threshold_filesystem;
    reads.filter_map(|row| one(row, rows, threshold, findings).or_else(|| of_pool(row, pool, record, findings))).collect()
}

/// The answer for a filesystem on several drives, of the ends of both figures: they were measured one behind the other, so that whatever bears on either counts.
fn of_pool(row: &LayerRow, pool: &[PoolShare], record: &RunRecord, findings: &[Finding]) -> Option<FilesystemVerdict> {
    let threshold = record.policy.threshold_filesystem;
    let at_once = pool.iter().find(|share| share.way == PoolWay::AtOnce && Some(share.job) == row.job)?;
    let of_drives = jobs_of_drives(record, row.target);
    let (own, drives) =
        (Reason::of_findings(findings, row.job?), of_drives.flat_map(|job| Reason::of_findings(findings, job)).collect::<Vec<_>>());
    let verdict = verdict(Some(at_once.estimate()).filter(|_| row.per_s.is_interval()), threshold, &own, &drives);
    Some(FilesystemVerdict { target: row.target, below: Below::DrivesAtOnce, threshold, verdict, reasons: [own, drives].concat() })
}

/// The jobs on the drives of a filesystem before it was made.
pub(super) fn jobs_of_drives(record: &RunRecord, filesystem: u32) -> impl Iterator<Item = u32> + Clone {
    let is_drive = move |target: &u32| record.targets.get(*target as usize).is_some_and(|of| of.is_raw && of.below == Some(filesystem));
    (0..).zip(&record.jobs).filter(move |(_, job)| job.targets.iter().any(is_drive)).map(|(job, _)| job)
}

/// The reads of the blocks below the reads of a filesystem.
pub(super) fn blocks<'r>(rows: &'r [LayerRow], row: &LayerRow) -> Option<&'r LayerRow> {
    rows.iter().find(|below| below.kind == LayerKind::BlockReads && below.target == row.target)
}

fn one(row: &LayerRow, rows: &[LayerRow], threshold: f64, findings: &[Finding]) -> Option<FilesystemVerdict> {
    let (own, below) = (Reason::of_findings(findings, row.job?), Reason::of_findings(findings, blocks(rows, row)?.job?));
    let (own, below) = (apart(&own, &below), apart(&below, &own));
    let verdict = verdict(row.share, threshold, &own, &below);
    Some(FilesystemVerdict { target: row.target, below: Below::SameBlocks, threshold, verdict, reasons: [own, below].concat() })
}

/// The reasons that the other has not too: layers take turns, and what meets both alike makes neither of them faster.
fn apart(all: &[Reason], other: &[Reason]) -> Vec<Reason> {
    let takes_away = |reason: &Reason| matches!(reason.effect, Effect::Invalid | Effect::Incomparable);
    let is_shared = |reason: &Reason| other.iter().any(|same| (&same.about, same.effect) == (&reason.about, reason.effect));
    all.iter().filter(|reason| takes_away(reason) || !is_shared(reason)).cloned().collect()
}

/// The answer of the interval, as far as nothing bears on it: what makes reads past the filesystem slower helps it as what makes its own faster does.
fn verdict(share: Option<Estimate>, threshold: f64, own: &[Reason], below: &[Reason]) -> Verdict {
    let any = |reasons: &[Reason], effects: &[Effect]| reasons.iter().any(|reason| effects.contains(&reason.effect));
    let (slower, faster) = ([Effect::Harder, Effect::HeldBack], [Effect::Easier]);
    let is_taken = [own, below].iter().any(|all| any(all, &[Effect::Invalid, Effect::Incomparable]));
    let is_unsteady = [own, below].iter().any(|all| any(all, &[Effect::Unsteady]));
    match share.filter(Estimate::is_interval) {
        _ if is_taken => Verdict::CannotTell,
        Some(share) if share.low >= threshold && !is_unsteady && !any(own, &faster) && !any(below, &slower) => Verdict::Meets,
        Some(share) if share.high < threshold && !any(own, &slower) && !any(below, &faster) => Verdict::Misses,
        _ => Verdict::CannotTell,
    }
}

/// A sentence on each filesystem; of one past which nothing was measured, that there is no answer.
pub(super) fn describe(verdicts: &[FilesystemVerdict], rows: &[LayerRow], record: &RunRecord) -> Vec<String> {
    let asked = percent(record.policy.threshold_filesystem);
    let of_row = |row: &LayerRow| {
        let given = &record.targets.get(row.target as usize)?.facts.given;
        let (below, answer) = match verdicts.iter().find(|told| told.target == row.target) {
            Some(told) => (told.below, format!("{}{}", told.verdict.title(), told.why())),
            None if jobs_of_drives(record, row.target).next().is_some() => {
                (Below::DrivesAtOnce, "no verdict, since the two cannot be held against each other".to_owned())
            }
            None => (Below::SameBlocks, "no verdict, since reads past it were not measured".to_owned()),
        };
        Some(format!("{given}: reads through the filesystem are to be at least {asked} of {}: {answer}", below.title()))
    };
    let mut all: Vec<String> = rows.iter().filter(|row| row.kind == LayerKind::FilesystemReads).filter_map(of_row).collect();
    // Of several numbers of readers it is the same.
    all.dedup();
    all
}

impl FilesystemVerdict {
    /// The rules that bear on it, each once: ` (page-cache, cached-layer)`; empty where there are none.
    pub fn why(&self) -> String {
        let rules = distinct(self.reasons.iter().map(|reason| reason.about.as_str()));
        if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) }
    }
}
