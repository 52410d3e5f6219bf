//! The tables: claims, what was not measured, latencies, findings and rounds.

use super::{Conditions, Scale};
use ioproof_core::claim::{Claim, ClaimSpan, Confidence, DriveState, Metric, Qualifier, Statistic};
use ioproof_core::finding::{Effect, Finding, Severity};
use ioproof_core::plan::SkipReason;
use ioproof_core::record::{CheckResult, DatasheetUse, Part, RoundOutcome, RunRecord};
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, decimal_size, three_digits};
use ioproof_core::verdict::{LatencyRow, Match, Reason, Row, Verdict};
use std::fmt::Write;

/// One line of the table of claims.
pub(crate) struct RowView {
    pub conditions: Conditions,
    pub metric: Metric,
    pub statistic: Option<Statistic>,
    pub claimed: Option<f64>,
    pub measured: Option<Estimate>,
    pub matched: Option<Match>,
    pub verdict: Option<Verdict>,
    pub reasons: Vec<ReasonView>,
    pub limited_by: String,
    /// The claim's own conditions and source, in a sentence; empty without a claim.
    pub claim: String,
}

/// Why a verdict is what it is.
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
        match effect_words(self.effect) {
            "" => format!("{}: {}", self.about, self.text),
            effect => format!("{}: {} ({effect})", self.about, self.text),
        }
    }
}

fn claims_of<'a>(row: &Row, record: &'a RunRecord) -> &'a [Claim] {
    let of_job = row.job.and_then(|job| record.datasheet_of(record.jobs.get(job as usize)?));
    of_job.or_else(|| record.targets.iter().find_map(|target| target.datasheet.as_ref())).map(claims).unwrap_or_default()
}

fn claims(used: &DatasheetUse) -> &[Claim] {
    &used.datasheet.claims
}

fn effect_words(effect: Effect) -> &'static str {
    match effect {
        Effect::Easier => "easier than the claim",
        Effect::Harder => "harder than the claim",
        Effect::Incomparable => "not comparable",
        Effect::Invalid => "not the drive's number",
        Effect::Unsteady => "not steady",
        Effect::None => "",
    }
}

impl RowView {
    pub(crate) fn new(row: &Row, record: &RunRecord) -> Self {
        let claims = claims_of(row, record);
        Self {
            conditions: Conditions::new(&row.workload),
            metric: row.metric,
            statistic: row.statistic,
            claimed: row.claimed,
            measured: row.measured,
            matched: row.matched,
            verdict: row.verdict,
            reasons: row.reasons.iter().map(ReasonView::new).collect(),
            limited_by: visible(&row.limited_by),
            claim: row.claim.and_then(|index| claims.get(index)).map(claim_words).unwrap_or_default(),
        }
    }

    /// Whether the run left it out on purpose.
    pub(crate) fn is_skipped(&self) -> bool {
        self.measured.is_none() && self.verdict.is_none() && self.claimed.is_some()
    }

    /// Whether the figure is not the drive's.
    pub(crate) fn is_invalid(&self) -> bool {
        self.measured.is_some() && self.reasons.iter().any(|reason| reason.effect == Effect::Invalid)
    }

    /// The title without what is special, which a footnote then says.
    pub(crate) fn plain_title(&self) -> String {
        self.with_statistic(&self.conditions.plain_title)
    }

    /// `random read 4 KiB`, and which statistic where it is a latency.
    pub(crate) fn title(&self) -> String {
        self.with_statistic(&self.conditions.title)
    }

    /// The same for narrow columns.
    pub(crate) fn short(&self) -> String {
        self.with_statistic(&self.conditions.short)
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

    /// Median with unit and interval.
    pub(crate) fn measured_text(&self) -> Option<String> {
        self.measured.map(|e| Scale::of(self.metric, e.median).with_interval(&e))
    }
}

/// `typical, random, 100/0, 4 KiB, queue depth 128 in total over 4 workers, full span; source: page 7`. What the maker leaves open is
/// said to be open.
fn claim_words(claim: &Claim) -> String {
    let mut words = format!("{}, {}", qualifier(claim.qualifier), claim_depth(claim));
    let _ = write!(words, ", {}, {}", claim_span(claim.span), claim_state(claim.state));
    if let Some(tool) = &claim.tool {
        let _ = write!(words, ", {}", visible(tool));
    }
    let _ = write!(words, "; source: {}", visible(&claim.source));
    if claim.confidence != Confidence::High {
        words.push_str(if claim.confidence == Confidence::Low { " (doubtful)" } else { " (second hand)" });
    }
    if let Some(note) = &claim.note {
        let _ = write!(words, "; {}", visible(note));
    }
    words
}

fn qualifier(qualifier: Qualifier) -> &'static str {
    match qualifier {
        Qualifier::UpTo => "up to",
        Qualifier::Typical => "typical",
        Qualifier::Maximum => "maximum",
    }
}

fn claim_depth(claim: &Claim) -> String {
    match (claim.queue_depth_total, claim.workers) {
        (Some(depth), Some(1)) => format!("queue depth {depth} in total, 1 worker"),
        (Some(depth), Some(workers)) => format!("queue depth {depth} in total over {workers} workers"),
        (Some(depth), None) => format!("queue depth {depth} in total, workers not stated"),
        (None, Some(workers)) => format!("queue depth not stated, {workers} workers"),
        (None, None) => "queue depth and workers not stated".into(),
    }
}

fn claim_span(span: Option<ClaimSpan>) -> String {
    match span {
        Some(ClaimSpan::Full) => "full span".into(),
        Some(ClaimSpan::Bytes(bytes)) if bytes % (1 << 30) == 0 => format!("span {}", binary_size(bytes)),
        Some(ClaimSpan::Bytes(bytes)) => format!("span {}", decimal_size(bytes)),
        None => "span not stated".into(),
    }
}

fn claim_state(state: Option<DriveState>) -> &'static str {
    match state {
        Some(DriveState::Fresh) => "fresh drive",
        Some(DriveState::SlcCached) => "into the fast cache",
        Some(DriveState::AfterSlc) => "after the fast cache",
        Some(DriveState::Steady) => "steady state",
        None => "state not stated",
    }
}

/// A claim that the run did not measure.
pub(crate) struct SkippedView {
    pub claim: String,
    pub reason: &'static str,
}

/// The skipped claims that have no row of their own. A figure for another capacity is not about this drive and is left out.
pub(crate) fn skipped(record: &RunRecord, rows: &[Row]) -> Vec<SkippedView> {
    let claims = record.targets.iter().find_map(|target| target.datasheet.as_ref()).map(claims).unwrap_or_default();
    let of_this_drive = record.plan.iter().flat_map(|plan| &plan.skipped).filter(|s| s.reason != SkipReason::OtherCapacity);
    let without_row = of_this_drive.filter(|s| !rows.iter().any(|row| row.claim == Some(s.claim)));
    without_row
        .map(|s| SkippedView {
            claim: claims.get(s.claim).map_or_else(|| format!("claim {}", s.claim), skipped_title),
            reason: s.reason.title(),
        })
        .collect()
}

fn skipped_title(claim: &Claim) -> String {
    let pattern = if claim.pattern == ioproof_core::workload::Pattern::Random { "random" } else { "sequential" };
    let direction = match claim.read_percent {
        100.. => "read".to_owned(),
        0 => "write".to_owned(),
        r => format!("{r}/{} mix", 100 - r),
    };
    format!("{pattern} {direction} {}, {}", binary_size(claim.block_bytes.into()), claim.metric.show(claim.value))
}

/// Latency of one workload.
pub(crate) struct LatencyView {
    pub conditions: Conditions,
    pub operation: String,
    pub samples: u64,
    pub mean_ns: Option<Estimate>,
    pub percentiles_ns: Vec<(Statistic, Option<u64>)>,
    pub max_ns: Option<u64>,
}

impl LatencyView {
    pub(crate) fn new(row: &LatencyRow) -> Self {
        Self {
            conditions: Conditions::new(&row.workload),
            operation: visible(&row.operation),
            samples: row.samples,
            mean_ns: row.mean_ns,
            percentiles_ns: row.percentiles_ns.clone(),
            max_ns: row.max_ns,
        }
    }

    pub(crate) fn percentile(&self, statistic: Statistic) -> Option<u64> {
        self.percentiles_ns.iter().find(|(s, _)| *s == statistic).and_then(|(_, ns)| *ns)
    }

    pub(crate) fn mean_text(&self) -> Option<String> {
        self.mean_ns.map(|e| Scale::of(Metric::Latency, e.median).with_interval(&e))
    }
}

/// Something that explains or invalidates a number.
pub(crate) struct FindingView {
    pub rule: String,
    pub severity: Severity,
    pub conditions: Option<Conditions>,
    pub title: String,
    pub evidence: Vec<(String, String)>,
    pub effect: Effect,
    pub remedy: String,
}

impl FindingView {
    pub(crate) fn new(finding: &Finding, record: &RunRecord) -> Self {
        Self {
            rule: visible(&finding.rule),
            severity: finding.severity,
            conditions: finding.subject.job().and_then(|job| record.jobs.get(job as usize)).map(|job| Conditions::new(&job.workload)),
            title: visible(&finding.title),
            evidence: finding.evidence.iter().map(|e| (visible(&e.name), visible(&e.describe()))).collect(),
            effect: finding.effect,
            remedy: visible(&finding.remedy),
        }
    }

    /// The workload that it is about, or the whole run, and how it bears on verdicts.
    pub(crate) fn about(&self) -> String {
        let about = self.conditions.as_ref().map_or_else(|| "whole run".to_owned(), |c| format!("{}, {}", c.title, c.depth_formula()));
        match effect_words(self.effect) {
            "" => about,
            effect => format!("{about}: {effect}"),
        }
    }

    /// How much it matters, in a word.
    pub(crate) fn weight(&self) -> &'static str {
        match self.severity {
            Severity::Block => "invalid",
            Severity::Warn => "doubt",
            Severity::Info => "note",
        }
    }

    /// `bytes at the device 0.3 %, page cache grew 1.2 GB`.
    pub(crate) fn evidence_text(&self) -> String {
        self.evidence.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    }
}

/// One run of one workload.
pub(crate) struct RoundView {
    pub index: u32,
    pub conditions: Conditions,
    pub repetition: u32,
    pub started_at: String,
    pub outcome: &'static str,
    pub elapsed_ns: u64,
    pub ios: u64,
    pub iops: f64,
    pub bytes_per_s: f64,
    pub latency_mean_ns: Option<f64>,
    pub latency_p99_ns: Option<u64>,
    pub latency_max_ns: Option<u64>,
    /// I/Os outstanding on average; `None` where nothing was timed.
    pub depth_mean: Option<f64>,
    pub sync_ios: u64,
    pub trim_ios: u64,
    pub check: Option<CheckResult>,
    pub errors: u64,
    pub temperature_celsius: Option<f64>,
    pub previous: String,
    pub error: String,
}

impl RoundView {
    pub(crate) fn new(part: Part, record: &RunRecord) -> Self {
        let (stage, round) = (part.stage, part.round);
        let latency = round.latency();
        let enough = latency.samples_beyond(0.99) >= record.policy.percentile_samples;
        Self {
            index: stage.index,
            conditions: Conditions::new(&part.job.workload),
            repetition: stage.repetition,
            started_at: visible(&stage.started_at),
            outcome: outcome(round.outcome),
            elapsed_ns: round.elapsed_ns,
            ios: round.ios(),
            iops: round.iops(),
            bytes_per_s: round.bytes_per_s(),
            latency_mean_ns: latency.mean_ns(),
            latency_p99_ns: latency.quantile_ns(0.99).filter(|_| enough),
            latency_max_ns: latency.max_ns(),
            depth_mean: (latency.count() > 0).then(|| round.outstanding()).filter(|depth| depth.is_finite()),
            sync_ios: round.sync.ios,
            trim_ios: round.trim.ios,
            check: round.check.clone(),
            errors: round.errors.total(),
            temperature_celsius: stage.drives.iter().find_map(|drive| drive.after.temperature_celsius),
            previous: stage.state_before.previous_workload.as_deref().map(visible).unwrap_or_default(),
            error: round
                .errors
                .first
                .as_ref()
                .map(|e| visible(&format!("{} at byte {}: {}", e.operation, e.offset_bytes, e.message)))
                .unwrap_or_default(),
        }
    }
}

impl RoundView {
    /// `31.9`: I/Os outstanding on average.
    pub(crate) fn depth_text(&self) -> String {
        self.depth_mean.map_or_else(|| "-".to_owned(), three_digits)
    }
}

fn outcome(outcome: RoundOutcome) -> &'static str {
    match outcome {
        RoundOutcome::Complete => "complete",
        RoundOutcome::Interrupted => "interrupted",
        RoundOutcome::Failed => "failed",
        RoundOutcome::Hung => "hung",
    }
}
