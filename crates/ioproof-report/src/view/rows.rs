//! Rows: measured against claimed, with verdict and reasons.

use super::claim::claims_of;
use super::{Conditions, Scale};
use ioproof_core::claim::words::{capacities, describe, describe_conditions, describe_source};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::finding::Effect;
use ioproof_core::limited_by::{LimitConfidence, LimitWords, LimitedBy};
use ioproof_core::record::{Direction, Round, RunRecord};
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
    /// The same in a word: `drive` certain, `drive?` likely, `?` not told; a dash where nothing was measured.
    pub limit_short: String,
    /// The same at length; none for what was not measured, and in judgements of older versions.
    pub limit: Option<LimitWords>,
    /// The claim's own conditions and source, in a sentence; empty without a claim.
    pub claim: String,
    /// The same in two: conditions, and source.
    pub claim_parts: Option<(String, String)>,
    /// The capacities that the claim is made for, where the drive is of none that its datasheet knows.
    pub capacities: Option<String>,
    /// Reads and writes of a mix apart: `reads 27.3 kIOPS, writes 11.7 kIOPS`; none for a load of one direction.
    pub directions: Option<String>,
}

fn limit_short(limit: &LimitedBy) -> String {
    match limit.confidence {
        LimitConfidence::Certain => limit.place.short().to_owned(),
        LimitConfidence::Likely => format!("{}?", limit.place.short()),
        LimitConfidence::NotTold => "?".to_owned(),
    }
}

/// A condition or finding that bears on a verdict.
pub(crate) struct ReasonView {
    pub about: String,
    pub effect: Effect,
    pub text: String,
    /// True where a claim is what it makes easier or harder.
    has_claim: bool,
}

impl ReasonView {
    fn new(reason: &Reason, has_claim: bool) -> Self {
        Self { about: visible(&reason.about), effect: reason.effect, text: visible(&reason.text), has_claim }
    }

    /// The bearing in words; empty for none.
    pub(crate) fn effect_text(&self) -> &'static str {
        if self.has_claim { self.effect.describe() } else { self.effect.describe_alone() }
    }

    /// `queue depth: claim 256 in total, run 128 (harder than the claim)`.
    pub(crate) fn sentence(&self) -> String {
        match self.effect_text() {
            "" => format!("{}: {}", self.about, self.text),
            effect => format!("{}: {} ({effect})", self.about, self.text),
        }
    }
}

/// True where the datasheet was chosen with a capacity, which is then that of every claim.
fn is_of_known_capacity(job: Option<u32>, record: &RunRecord) -> bool {
    let used = job.and_then(|job| record.datasheet_of(record.jobs.get(job as usize)?));
    used.is_none_or(|used| used.capacity_bytes.is_some())
}

/// Median rates of the directions of a mix over its runs.
fn directions(job: u32, metric: Metric, record: &RunRecord) -> Option<String> {
    type Pick = fn(&Round) -> &Direction;
    let all: [(&str, Pick); 3] = [("reads", |r| &r.read), ("writes", |r| &r.write), ("trims", |r| &r.trim)];
    let rounds: Vec<&Round> = record.parts_of(job as usize).filter(|part| part.counts()).map(|part| part.round).collect();
    let rate = |pick: Pick| {
        let amount = |r: &&Round| if metric == Metric::Throughput { pick(r).bytes } else { pick(r).ios };
        let rates: Vec<f64> = rounds.iter().map(|r| amount(r) as f64 * 1e9 / r.elapsed_ns.max(1) as f64).collect();
        ioproof_core::stats::median(&rates).filter(|rate| *rate > 0.0)
    };
    let used: Vec<String> =
        all.into_iter().filter_map(|(name, pick)| rate(pick).map(|rate| format!("{name} {}", metric.show(rate)))).collect();
    (used.len() > 1).then(|| used.join(", "))
}

impl RowView {
    pub(crate) fn new(row: &Row, record: &RunRecord) -> Self {
        let of_job = row.job.and_then(|job| Conditions::of_job(job, record));
        let claim = row.claim.and_then(|index| claims_of(row.job, record).get(index));
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
            reasons: row.reasons.iter().map(|reason| ReasonView::new(reason, claim.is_some() || row.claimed.is_some())).collect(),
            limited_by: visible(&row.limited_by),
            limit_short: row.limit.as_ref().map_or_else(|| "-".to_owned(), limit_short),
            limit: row.limit.as_ref().map(LimitWords::new),
            claim: claim.map(describe).unwrap_or_default(),
            claim_parts: claim.map(|claim| (describe_conditions(claim), describe_source(claim))),
            capacities: claim.filter(|_| !is_of_known_capacity(row.job, record)).and_then(capacities),
            directions: row.job.filter(|_| row.metric != Metric::Latency).and_then(|job| directions(job, row.metric, record)),
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
        let capacities = self.capacities.as_ref().map(|all| format!(" (for {all})")).unwrap_or_default();
        match (self.metric, self.statistic) {
            (Metric::Latency, Some(statistic)) => format!("{title}, {}{capacities}", statistic.title()),
            _ => format!("{title}{capacities}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::limited_by::Place;

    #[test]
    fn only_what_is_certain_stands_without_a_question_mark() {
        let shown = |confidence| limit_short(&LimitedBy::plainly(Place::Drive, confidence, Vec::new()));
        let all = [LimitConfidence::Certain, LimitConfidence::Likely, LimitConfidence::NotTold].map(shown);
        assert_eq!(all, ["drive", "drive?", "?"]);
    }
}
