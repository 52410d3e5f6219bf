//! Rows: measured against claimed, with verdict and reasons.

use super::claim::{claims_of, describe};
use super::{Conditions, LimitView, Scale};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::finding::Effect;
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::verdict::{Match, Reason, Row, Verdict};

/// One line of the table of claims.
pub(crate) struct RowView {
    /// Position of its job; none for a claim that no job answers.
    pub job: Option<u32>,
    pub conditions: Conditions,
    pub metric: Metric,
    pub statistic: Option<Statistic>,
    pub claimed: Option<f64>,
    pub measured: Option<Estimate>,
    /// The rate over all measured time together.
    pub averaged: Option<f64>,
    pub matched: Option<Match>,
    pub verdict: Option<Verdict>,
    pub reasons: Vec<ReasonView>,
    pub limited_by: String,
    /// The same at length; none for what was not measured, and in judgements of older versions.
    pub limit: Option<LimitView>,
    /// The claim's own conditions and source, in a sentence; empty without a claim.
    pub claim: String,
}

/// A condition or finding that bears on a verdict.
pub(crate) struct ReasonView {
    pub about: String,
    pub effect: Effect,
    pub text: String,
}

impl ReasonView {
    fn new(reason: &Reason) -> Self {
        Self { about: visible(&reason.about), effect: reason.effect, text: visible(&reason.text) }
    }

    /// `queue depth: claim 256 in total, run 128 (harder than the claim)`.
    pub(crate) fn sentence(&self) -> String {
        match describe_effect(self.effect) {
            "" => format!("{}: {}", self.about, self.text),
            effect => format!("{}: {} ({effect})", self.about, self.text),
        }
    }
}

pub(super) fn describe_effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Easier => "easier than the claim",
        Effect::Harder => "harder than the claim",
        Effect::HeldBack => "held back by a limit of our own",
        Effect::Incomparable => "not comparable",
        Effect::Invalid => "not the drive's number",
        Effect::Unsteady => "not steady",
        Effect::None => "",
    }
}

impl RowView {
    pub(crate) fn new(row: &Row, record: &RunRecord) -> Self {
        let of_job = row.job.and_then(|job| Conditions::of_job(job, record));
        Self {
            job: row.job,
            conditions: of_job.unwrap_or_else(|| Conditions::new(&row.workload)),
            metric: row.metric,
            statistic: row.statistic,
            claimed: row.claimed,
            measured: row.measured,
            averaged: row.averaged,
            matched: row.matched,
            verdict: row.verdict,
            reasons: row.reasons.iter().map(ReasonView::new).collect(),
            limited_by: visible(&row.limited_by),
            limit: row.limit.as_ref().map(LimitView::new),
            claim: row.claim.and_then(|index| claims_of(row.job, record).get(index)).map(describe).unwrap_or_default(),
        }
    }

    /// True where the run left it out on purpose.
    pub(crate) fn is_skipped(&self) -> bool {
        self.measured.is_none() && self.verdict.is_none() && self.claimed.is_some()
    }

    /// True where the figure is not the drive's.
    pub(crate) fn is_invalid(&self) -> bool {
        self.measured.is_some() && self.reasons.iter().any(|reason| reason.effect == Effect::Invalid)
    }

    /// The title without special conditions, which a footnote then gives.
    pub(crate) fn plain_title(&self) -> String {
        self.with_statistic(&self.conditions.named(&self.conditions.plain_title))
    }

    /// `oltp: random read 4 KiB`, and the statistic where it is a latency.
    pub(crate) fn title(&self) -> String {
        self.with_statistic(&self.conditions.named(&self.conditions.title))
    }

    /// The same for narrow columns.
    pub(crate) fn short(&self) -> String {
        self.with_statistic(&self.conditions.named(&self.conditions.short))
    }

    fn with_statistic(&self, title: &str) -> String {
        match (self.metric, self.statistic) {
            (Metric::Latency, Some(statistic)) => format!("{title}, {}", statistic.title()),
            _ => title.to_owned(),
        }
    }

    /// The claimed value with its unit.
    pub(crate) fn claimed_text(&self) -> Option<String> {
        self.claimed.map(|value| self.metric.show(value))
    }

    /// The rate over all measured time with its unit.
    pub(crate) fn averaged_text(&self) -> Option<String> {
        self.averaged.map(|average| format!("{}, all completions over all measured time", self.metric.show(average)))
    }

    /// Median with unit and interval.
    pub(crate) fn measured_text(&self) -> Option<String> {
        self.measured.map(|e| Scale::of(self.metric, e.median).with_interval(&e))
    }
}
