//! Verdicts and the rows that bear them. A verdict is about the drive; an error of ours is never one. Findings are in [`crate::finding`].

use crate::claim::{Metric, Statistic};
use crate::finding::{Effect, Finding};
use crate::limited_by::LimitedBy;
use crate::stats::Estimate;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// The answer to one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The lower end of the match reaches the threshold.
    Meets,
    /// The upper end of the match is below the threshold.
    Misses,
    /// The run cannot carry a verdict.
    CannotTell,
    /// A condition differs in a way that decides nothing.
    Indicative,
}

impl Verdict {
    pub fn title(self) -> &'static str {
        match self {
            Verdict::Meets => "meets",
            Verdict::Misses => "misses",
            Verdict::CannotTell => "cannot tell",
            Verdict::Indicative => "indicative",
        }
    }
}

/// Share of a claim that was delivered; 1 is all of it. Larger is better, for latency too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Match {
    /// From the median.
    pub share: f64,
    /// From the worse end of the interval.
    pub low: f64,
    /// From the better end of the interval.
    pub high: f64,
}

/// One reason that bears on a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reason {
    /// The condition or the rule: `queue depth`, `page-cache`.
    pub about: String,
    /// Whom it favours.
    pub effect: Effect,
    /// In words: `claim 128 in total, run 32`.
    pub text: String,
}

impl Reason {
    /// Those among findings that concern this job and bear on a verdict.
    pub(crate) fn of_findings(findings: &[Finding], job: u32) -> Vec<Self> {
        let concern = findings.iter().filter(|f| f.subject.concerns(job) && f.effect != Effect::None);
        concern.map(|f| Self { about: f.rule.clone(), effect: f.effect, text: f.title.clone() }).collect()
    }
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Position of its job in the run's list; none for a claim that no job answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<u32>,
    /// Name of its job in a job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its targets as they were given, where the run has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The conditions it was measured under.
    pub workload: Workload,
    /// Metric that is compared.
    pub metric: Metric,
    /// Statistic, for latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// Index into the datasheet's claims; `None`: nothing was promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<usize>,
    /// The claimed value in the metric's stored unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<f64>,
    /// The measured value; `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Estimate>,
    /// The rate over all measured time together, in the metric's stored unit; none for a latency, and in judgements of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub averaged: Option<f64>,
    /// Measured against claimed.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "match")]
    pub matched: Option<Match>,
    /// The answer; `None` where nothing was promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Every difference and finding that bore on it.
    pub reasons: Vec<Reason>,
    /// Limit of the number, in a few words with its evidence.
    pub limited_by: String,
    /// The same as data; none for what was not measured, and in judgements of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitedBy>,
}
