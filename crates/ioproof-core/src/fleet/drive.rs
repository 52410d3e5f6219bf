//! The facts that a fleet keeps of the run of one drive: what it is, how it is, and its figures. No histograms.

use crate::claim::{Metric, Statistic};
use crate::facts::Link;
use crate::finding::{Effect, Severity, Subject};
use crate::judgement::Judgement;
use crate::record::{DriveState, RunHead, RunStatus};
use crate::stats::Estimate;
use crate::text::visible;
use crate::verdict::{Match, Row, Verdict};
use serde::Serialize;

/// The run of one drive on one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriveRun {
    pub node: String,
    /// Name of the run file, without its ending.
    pub file: String,
    pub run_id: String,
    /// Version of the program that measured it.
    pub program_version: String,
    /// When it began, RFC 3339, by the node's clock.
    pub started_at: String,
    pub ended_at: Option<String>,
    /// Model as the drive spells it; `unknown` of one that does not tell.
    pub model: String,
    /// Empty where it is not told.
    pub firmware: String,
    /// Empty where it is not told.
    pub serial: String,
    pub capacity_bytes: u64,
    pub link: Option<Link>,
    /// Endurance used, by the drive's own count. Percent; it may exceed 100.
    pub used_percent: Option<f64>,
    /// Health in a word: `OK`, `OK as far as told`, `watch`, `worn`, `failing`; empty where it is not told.
    pub health: String,
    /// Reasons for failing health.
    pub failing: Vec<String>,
    /// Exit status of its judgement.
    pub exit_status: u8,
    pub exit_reason: String,
    /// The reason for which the run did not come to its end.
    pub broken: Option<String>,
    pub figures: Vec<DriveFigure>,
}

/// A row of the judgement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriveFigure {
    /// Load and queue depth (workers x depth), of a latency with its statistic: `random read 4 KiB, QD 4x32`.
    pub name: String,
    pub metric: Metric,
    pub statistic: Option<Statistic>,
    /// In the metric's stored unit; `None` where it was not measured.
    pub measured: Option<Estimate>,
    pub claimed: Option<f64>,
    #[serde(rename = "match")]
    pub matched: Option<Match>,
    pub verdict: Option<Verdict>,
    /// Rules that take the figure away from the drive.
    pub doubts: Vec<String>,
}

impl DriveRun {
    /// The facts of a run file: the node that it lies under, its name without the ending, and its content.
    pub fn new(node: &str, file: &str, head: &RunHead, judgement: &Judgement) -> Self {
        let drive = head.drive();
        let told = |fact: Option<&crate::facts::Fact<String>>| fact.map_or_else(String::new, |fact| visible(&fact.value));
        let model = told(drive.and_then(|drive| drive.model.as_ref()));
        let state = state(head);
        let failing =
            |finding: &&crate::finding::Finding| finding.severity == Severity::Block && matches!(finding.subject, Subject::Drive(_));
        let broken = match &head.status {
            RunStatus::Complete => None,
            RunStatus::Hung { reason } | RunStatus::Failed { reason } => Some(visible(reason)),
            RunStatus::Running | RunStatus::Interrupted => Some(head.status.title().to_owned()),
        };
        Self {
            node: visible(node),
            file: visible(file),
            run_id: visible(&head.id),
            program_version: visible(&head.program_version),
            started_at: visible(&head.started_at),
            ended_at: head.ended_at.as_deref().map(visible),
            model: if model.is_empty() { UNKNOWN.to_owned() } else { model },
            firmware: told(drive.and_then(|drive| drive.firmware.as_ref())),
            serial: told(drive.and_then(|drive| drive.serial.as_ref())),
            capacity_bytes: drive
                .map_or_else(|| head.targets.first().map_or(0, |target| target.facts.size_bytes), |drive| drive.capacity_bytes.value),
            link: drive.and_then(|drive| drive.link.clone()),
            used_percent: state.and_then(|state| state.used_percent),
            health: state.and_then(|state| state.health.clone()).unwrap_or_default(),
            failing: head.warnings.iter().filter(failing).map(|finding| visible(&finding.title)).collect(),
            exit_status: judgement.exit_status,
            exit_reason: visible(&judgement.exit_reason),
            broken,
            figures: judgement.rows.iter().map(DriveFigure::new).collect(),
        }
    }

    /// The serial number, else the name of its file.
    pub fn name(&self) -> &str {
        if self.serial.is_empty() { &self.file } else { &self.serial }
    }

    /// The day on which it began, in the node's own writing: `2026-11-28`.
    pub fn day(&self) -> &str {
        let day = self.started_at.get(..10).unwrap_or_default();
        if day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && !day.is_empty() { day } else { UNKNOWN }
    }

    /// Rows with this verdict.
    pub(super) fn with_verdict(&self, verdict: Verdict) -> impl Iterator<Item = &DriveFigure> {
        self.figures.iter().filter(move |figure| figure.verdict == Some(verdict))
    }

    /// True where the drive itself says that it fails.
    pub fn is_failing(&self) -> bool {
        self.health == "failing"
    }
}

/// A word for what is not told.
pub const UNKNOWN: &str = "unknown";

/// The drive after the run, else before it: a drive that is gone tells nothing any more.
fn state(head: &RunHead) -> Option<&DriveState> {
    let name = &head.drive()?.name;
    let bracket = head.health.iter().find(|bracket| bracket.name == *name)?;
    Some(if bracket.after.health.is_some() || bracket.after.used_percent.is_some() { &bracket.after } else { &bracket.before })
}

impl DriveFigure {
    fn new(row: &Row) -> Self {
        let title = row.name.as_deref().map_or_else(|| row.workload.title(), visible);
        let depth = match (row.workload.workers, row.workload.depth) {
            (1, depth) => depth.to_string(),
            (workers, depth) => format!("{workers}x{depth}"),
        };
        let statistic = row.statistic.filter(|_| row.metric == Metric::Latency);
        let statistic = statistic.map_or_else(String::new, |statistic| format!(", {} latency", statistic.title()));
        Self {
            name: format!("{title}, QD {depth}{statistic}"),
            metric: row.metric,
            statistic: row.statistic,
            measured: row.measured,
            claimed: row.claimed,
            matched: row.matched,
            verdict: row.verdict,
            doubts: row.reasons.iter().filter(|reason| reason.effect == Effect::Invalid).map(|reason| visible(&reason.about)).collect(),
        }
    }

    /// A value that has a logarithm.
    pub(super) fn value(&self) -> Option<f64> {
        self.measured.map(|measured| measured.median).filter(|value| value.is_finite() && *value > 0.0)
    }
}
