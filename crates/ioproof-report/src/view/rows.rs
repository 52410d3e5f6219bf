//! Rows: measured against claimed, with verdict and reasons, and the claims that the run did not measure.

use super::{Conditions, Scale, View, each_once};
use ioproof_core::claim::words::{self, capacities, describe, describe_conditions, describe_source};
use ioproof_core::claim::{Claim, Metric};
use ioproof_core::finding::Effect;
use ioproof_core::limited_by::{LimitConfidence, LimitWords, LimitedBy};
use ioproof_core::plan::SkipReason;
use ioproof_core::record::{Direction, Round, RunRecord};
use ioproof_core::text::visible;
use ioproof_core::units::percent;
use ioproof_core::verdict::{Reason, Row, Verdict};
use std::ops::Deref;

/// The cell of a column, of each row.
pub(crate) type OfRow<'f> = &'f dyn Fn(&RowView) -> String;

/// One line of the table of claims: a row, and its words.
pub(crate) struct RowView<'a> {
    row: &'a Row,
    pub conditions: Conditions,
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
    capacities: Option<String>,
    /// Reads and writes of a mix apart: `reads 27.3 kIOPS, writes 11.7 kIOPS`; none for a load of one direction.
    pub directions: Option<String>,
}

impl Deref for RowView<'_> {
    type Target = Row;

    fn deref(&self) -> &Row {
        self.row
    }
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

impl<'a> RowView<'a> {
    pub(crate) fn new(row: &'a Row, record: &RunRecord) -> Self {
        let of_job = row.job.and_then(|job| Conditions::of_job(job, record));
        let claim = row.claim.and_then(|index| claims_of(row.job, record).get(index));
        let datasheet = row.job.and_then(|job| record.datasheet_of(record.jobs.get(job as usize)?));
        Self {
            row,
            conditions: of_job.unwrap_or_else(|| Conditions::new(&row.workload)),
            reasons: row.reasons.iter().map(|reason| ReasonView::new(reason, claim.is_some() || row.claimed.is_some())).collect(),
            limited_by: visible(&row.limited_by),
            limit_short: row.limit.as_ref().map_or_else(|| "-".to_owned(), limit_short),
            limit: row.limit.as_ref().map(LimitWords::new),
            claim: claim.map(describe).unwrap_or_default(),
            claim_parts: claim.map(|claim| (describe_conditions(claim), describe_source(claim))),
            capacities: claim.filter(|_| datasheet.is_some_and(|used| used.capacity_bytes.is_none())).and_then(capacities),
            directions: row.job.filter(|_| row.metric != Metric::Latency).and_then(|job| directions(job, row.metric, record)),
        }
    }

    /// True where the run left it out on purpose.
    pub(crate) fn is_skipped(&self) -> bool {
        self.measured.is_none() && self.verdict.is_none() && self.claimed.is_some()
    }

    /// The reasons, a sentence each.
    pub(crate) fn sentences(&self) -> Vec<String> {
        self.reasons.iter().map(ReasonView::sentence).collect()
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

/// The claims that a job is judged by; without a job those of the first datasheet.
fn claims_of(job: Option<u32>, record: &RunRecord) -> &[Claim] {
    let of_job = job.and_then(|job| record.datasheet_of(record.jobs.get(job as usize)?));
    let used = of_job.or_else(|| record.targets.iter().find_map(|target| target.datasheet.as_ref()));
    used.map(|used| used.datasheet.claims.as_slice()).unwrap_or_default()
}

/// A claim that the run did not measure.
pub(crate) struct SkippedView {
    pub claim: String,
    pub reason: &'static str,
}

/// The skipped claims that have no row of their own. A figure for another capacity is not about this drive and is left out.
pub(super) fn skipped(record: &RunRecord, rows: &[Row]) -> Vec<SkippedView> {
    let claims = claims_of(None, record);
    let of_this_drive = record.plan.iter().flat_map(|plan| &plan.skipped).filter(|s| s.reason != SkipReason::OtherCapacity);
    let without_row = of_this_drive.filter(|s| !rows.iter().any(|row| row.claim == Some(s.claim)));
    without_row
        .map(|s| SkippedView {
            claim: claims.get(s.claim).map_or_else(|| format!("claim {}", s.claim), words::describe_figure),
            reason: s.reason.title(),
        })
        .collect()
}

/// Sentences that several rows of a table would repeat, said once above it: reasons that all of them have, and the sources of their claims.
pub(crate) struct Shared {
    reasons: Vec<String>,
    sources: Vec<String>,
}

impl Shared {
    pub(crate) fn of(rows: &[&RowView]) -> Self {
        let mut reasons = rows.first().filter(|_| rows.len() > 1).map(|row| row.sentences()).unwrap_or_default();
        rows.iter().for_each(|row| reasons.retain(|reason| row.sentences().contains(reason)));
        Self { reasons, sources: each_once(rows.iter().filter_map(|row| Some(row.claim_parts.as_ref()?.1.clone()))) }
    }

    /// Sentences for above the table, each under a label.
    pub(crate) fn lines(&self) -> Vec<(String, String)> {
        let reasons = self.reasons.iter().map(|reason| ("all of them".to_owned(), reason.clone()));
        let several = self.sources.len() > 1;
        let label = |n: usize| if several { format!("source {}", n + 1) } else { "source of the claims".to_owned() };
        reasons.chain(self.sources.iter().enumerate().map(|(n, source)| (label(n), source.clone()))).collect()
    }

    /// The reasons that this row has alone.
    pub(crate) fn reasons_of(&self, row: &RowView) -> Vec<String> {
        row.sentences().into_iter().filter(|reason| !self.reasons.contains(reason)).collect()
    }

    /// The conditions of this row's claim, with the number of its source where there are several.
    pub(crate) fn claim_of(&self, row: &RowView) -> Option<String> {
        let (conditions, source) = row.claim_parts.as_ref()?;
        let at = self.sources.iter().position(|known| known == source).filter(|_| self.sources.len() > 1);
        Some(at.map_or_else(|| conditions.clone(), |at| format!("{conditions}; source {}", at + 1)))
    }
}

impl View<'_> {
    /// The words that the table of claims uses, each with its meaning in a sentence.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        let has = |verdict| self.rows.iter().any(|row| row.verdict == Some(verdict));
        let bears = |effect| self.rows.iter().flat_map(|row| &row.reasons).any(|reason| reason.effect == effect);
        let is_judged = self.rows.iter().any(|row| row.matched.is_some());
        let is_repeated = self.rows.iter().any(|row| row.measured.is_some_and(|e| e.runs > 1));
        let threshold = percent(self.judgement.threshold);
        let words = [
            (
                is_judged,
                "match",
                format!("the share of the promise that was delivered; 100 % is all of it, and {threshold} is enough here"),
            ),
            (is_repeated, "interval", "the range in which the median of another such run would lie while nothing else changes".into()),
            (has(Verdict::Meets), "meets", "even the worse end of the interval is enough".into()),
            (has(Verdict::Misses), "misses", "even the better end of the interval is not enough".into()),
            (has(Verdict::CannotTell), "cannot tell", "the interval is too wide, or something else took part".into()),
            (
                has(Verdict::Indicative),
                "indicative",
                "measured under other conditions than the promise's, in a way that neither passes nor fails it".into(),
            ),
            (
                bears(Effect::Easier),
                "easier",
                "a condition that helps the drive more than the promise's would: meeting it then proves nothing".into(),
            ),
            (bears(Effect::Harder), "harder", "a condition that helps it less: missing it then proves nothing".into()),
        ];
        words.into_iter().filter(|(is_used, ..)| *is_used).map(|(_, word, meaning)| (word, meaning)).collect()
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
