//! The answer of policy to a filesystem: reads through it have to be so much of reads of the same blocks past it (`Policy::threshold_filesystem`).

use super::{LayerKind, LayerRow};
use crate::finding::{Effect, Finding};
use crate::record::RunRecord;
use crate::stats::Estimate;
use crate::units::percent;
use crate::verdict::{Reason, Verdict};
use serde::{Deserialize, Serialize};

/// The answer for one filesystem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesystemVerdict {
    /// Position of its target in the run's list.
    pub target: u32,
    /// The least share of reads of the same blocks past it. 0 to 1.
    pub threshold: f64,
    /// The answer.
    pub verdict: Verdict,
    /// Findings that bear on it: on the reads through the filesystem, or on those past it. What bears on both alike and leaves both figures the drive's is none of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// The answers for all filesystems past which reads were measured.
pub(super) fn of(rows: &[LayerRow], record: &RunRecord, findings: &[Finding]) -> Vec<FilesystemVerdict> {
    let reads = rows.iter().filter(|row| row.kind == LayerKind::FilesystemReads);
    reads.filter_map(|row| one(row, rows, record.policy.threshold_filesystem, findings)).collect()
}

fn blocks<'r>(rows: &'r [LayerRow], row: &LayerRow) -> Option<&'r LayerRow> {
    rows.iter().find(|below| below.kind == LayerKind::BlockReads && below.target == row.target)
}

fn one(row: &LayerRow, rows: &[LayerRow], threshold: f64, findings: &[Finding]) -> Option<FilesystemVerdict> {
    let (own, below) = (Reason::of_findings(findings, row.job?), Reason::of_findings(findings, blocks(rows, row)?.job?));
    let (own, below) = (apart(&own, &below), apart(&below, &own));
    let verdict = verdict(row.share, threshold, &own, &below);
    Some(FilesystemVerdict { target: row.target, threshold, verdict, reasons: [own, below].concat() })
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
pub(super) fn words(verdicts: &[FilesystemVerdict], rows: &[LayerRow], record: &RunRecord) -> Vec<String> {
    let asked = percent(record.policy.threshold_filesystem);
    let of_row = |row: &LayerRow| {
        let given = &record.targets.get(row.target as usize)?.facts.given;
        let answer = match verdicts.iter().find(|told| told.target == row.target) {
            Some(told) => format!("{}{}", told.verdict.title(), told.why()),
            None => "no verdict, since reads past it were not measured".to_owned(),
        };
        Some(format!("{given}: reads through the filesystem are to be at least {asked} of reads of the same blocks past it: {answer}"))
    };
    let mut all: Vec<String> = rows.iter().filter(|row| row.kind == LayerKind::FilesystemReads).filter_map(of_row).collect();
    // Of several numbers of readers it is the same.
    all.dedup();
    all
}

impl FilesystemVerdict {
    /// The rules that bear on it, each once: ` (page-cache, cached-layer)`; empty where there are none.
    #[must_use]
    pub fn why(&self) -> String {
        let mut rules: Vec<&str> = Vec::new();
        for rule in self.reasons.iter().map(|reason| reason.about.as_str()) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) }
    }
}
