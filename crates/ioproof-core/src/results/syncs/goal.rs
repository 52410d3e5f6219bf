//! Limits that people hold durable writes against, and the answers to them.

use crate::finding::{Effect, Finding};
use crate::histogram::Histogram;
use crate::measured::Measured;
use crate::planned::plan::Goal;
use crate::stats::Estimate;
use crate::verdict::{Reason, Verdict};
use serde::{Deserialize, Serialize};

/// The answer to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GoalResult {
    /// The limit.
    pub goal: Goal,
    /// The percentile of all rounds together; none where too few samples lie beyond. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_ns: Option<u64>,
    /// Share of the syncs that took longer than the limit, by rounds; none without any. 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_beyond: Option<Estimate>,
    /// The answer.
    pub verdict: Verdict,
    /// Findings that bear on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

impl Goal {
    /// The answer that the rounds of its load give. The share of syncs beyond the limit is held against the share that may be, round by round: that has an
    /// interval even where a round has too few syncs for a percentile of its own.
    pub(super) fn held_against(&self, measured: Option<&Measured>, confidence: f64, findings: &[Finding]) -> GoalResult {
        let rounds: Vec<&Histogram> = measured.map(|m| m.rounds.iter().map(|part| &part.round.sync.latency).collect()).unwrap_or_default();
        let beyond = |all: &&Histogram| all.at_least(self.most_ns.saturating_add(1)).0 as f64 / all.count() as f64;
        let shares: Vec<f64> = rounds.iter().copied().filter(|all| all.count() > 0).map(|all| beyond(&all)).collect();
        let share_beyond = Estimate::of(&shares, confidence);
        let all = rounds.into_iter().collect();
        let measured_ns = measured.and_then(|m| m.statistic_ns(&all, self.statistic)).map(|ns| ns as u64);
        let reasons = measured.map(|m| Reason::of_findings(findings, m.index)).unwrap_or_default();
        GoalResult { goal: self.clone(), measured_ns, share_beyond, verdict: self.verdict(share_beyond, &reasons), reasons }
    }

    /// The answer of the interval, as far as nothing bears on it: what had it easier than the load meets nothing, and what had it harder misses nothing.
    fn verdict(&self, share_beyond: Option<Estimate>, reasons: &[Reason]) -> Verdict {
        let any = |effects: &[Effect]| reasons.iter().any(|reason| effects.contains(&reason.effect));
        let may_be = 1.0 - self.statistic.quantile().unwrap_or(1.0);
        match share_beyond.filter(Estimate::is_interval) {
            _ if any(&[Effect::Invalid, Effect::Incomparable]) => Verdict::CannotTell,
            Some(share) if share.high <= may_be && !any(&[Effect::Easier, Effect::Unsteady]) => Verdict::Meets,
            Some(share) if share.low > may_be && !any(&[Effect::Harder, Effect::HeldBack]) => Verdict::Misses,
            _ => Verdict::CannotTell,
        }
    }
}
