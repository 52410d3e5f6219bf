//! From a record to verdicts. Pure: the record carries the claims, the policy and everything measured, so any stored run can be judged again.
//!
//! `conditions` compares what the maker promised with what was run, `findings` looks for what explains or invalidates a number, `limit` says what
//! limits it; here they are put together by the words of ARCHITECTURE.md.

mod average;
mod bound;
mod conditions;
mod exit;
mod latencies;
mod limit;

pub use average::AVERAGE;
pub use latencies::{BesideLatency, latencies};

use crate::RULES_VERSION;
use crate::claim::{Claim, Confidence, Metric, Statistic};
use crate::facts::Layer;
use crate::finding::{Effect, Evidence, Finding, Severity, Subject, Unit};
use crate::findings;
use crate::judgement::{Judgement, LatencyRow};
use crate::measured::{Context, Measured};
use crate::plan::SkipReason;
use crate::record::RunRecord;
use crate::results::Results;
use crate::stats::{Estimate, IntervalMethod};
use crate::units::percent;
use crate::verdict::{Match, Reason, Row, Verdict};
use crate::workload::{Durability, Workload};

pub fn judge(record: &RunRecord) -> Judgement {
    let context = Context::new(record);
    let mut findings = findings::find(&context);
    let mut rows = claim_rows(&context, &findings);
    rows.extend(unclaimed_rows(&context, &findings));
    findings.extend(rows.iter().filter_map(|row| above_claim(row, record)));
    findings.extend(record.warnings.iter().cloned());
    findings.sort_by_key(|f| f.severity);
    let mut judgement = Judgement {
        rules_version: RULES_VERSION,
        layer: record.layer(),
        threshold: record.policy.threshold(record.layer()),
        latencies: context.counted().map(latency_row).collect(),
        results: Results::of(&context, &rows, &findings),
        rows,
        findings,
        exit_status: 0,
        exit_reason: String::new(),
    };
    (judgement.exit_status, judgement.exit_reason) = exit::status(&context, &judgement);
    judgement
}

/// One row for every claim that concerns a drive of the run, in the order of targets and of their datasheets.
fn claim_rows(context: &Context, findings: &[Finding]) -> Vec<Row> {
    let datasheets = (0..).zip(&context.record.targets).filter_map(|(target, of)| Some((target, &of.datasheet.as_ref()?.datasheet)));
    let claims = datasheets.flat_map(|(target, sheet)| sheet.claims.iter().enumerate().map(move |(index, claim)| (target, index, claim)));
    let row = |(target, index, claim): (u32, usize, &Claim)| match context
        .measured
        .iter()
        .find(|m| m.job.targets == [target] && m.job.claims.contains(&index))
    {
        Some(measured) => Some(claim_row(context, measured, index, claim, findings)),
        None => skipped_row(context.record, index, claim),
    };
    claims.filter_map(row).collect()
}

/// The row of a load with its figure in this metric. Nothing is held against it yet.
fn row_of(context: &Context, measured: &Measured, (metric, statistic): (Metric, Option<Statistic>), findings: &[Finding]) -> Row {
    let (limited_by, limit) = limit::limited_by(context, measured, findings);
    Row {
        job: Some(measured.index),
        name: measured.job.name.clone(),
        target: target_of(context.record, measured),
        workload: measured.workload().clone(),
        metric,
        statistic,
        claim: None,
        claimed: None,
        measured: measured.estimate(metric, statistic),
        averaged: average::averaged(measured, metric),
        matched: None,
        verdict: None,
        reasons: Reason::of_findings(findings, measured.index),
        limited_by,
        limit,
    }
}

fn claim_row(context: &Context, measured: &Measured, index: usize, claim: &Claim, findings: &[Finding]) -> Row {
    let record = context.record;
    let statistic = (claim.metric == Metric::Latency).then(|| claim.statistic.unwrap_or(Statistic::Mean));
    let row = row_of(context, measured, (claim.metric, statistic), findings);
    let estimate = if bound::is_bound(claim) { row.measured.map(|e| bound::worst(measured, statistic, e)) } else { row.measured };
    let matched = estimate.map(|e| match_of(claim, &e));
    let mut reasons = conditions::differences(record, measured, claim);
    reasons.extend(row.reasons);
    if claim.confidence == Confidence::Low {
        reasons.push(reason("confidence", Effect::Incomparable, "the claimed figure itself is unsure"));
    }
    if bound::is_bound(claim) {
        reasons.extend(bound::hosts_own(context, estimate));
    } else if matched.is_some_and(|m| m.share > record.policy.too_good) {
        let text = format!("more than {} of the claim is too good to pass", percent(record.policy.too_good));
        reasons.push(reason(TOO_GOOD, Effect::Easier, &text));
    }
    match estimate {
        None => reasons.push(reason("samples", Effect::Invalid, no_figure(measured))),
        Some(e) if (e.runs as usize) < measured.rounds.len() => {
            let text = "too few samples beyond the percentile in each run: taken once from all runs together, so without an interval";
            reasons.push(reason("runs", Effect::Invalid, text));
        }
        Some(e) if !e.is_interval() => reasons.push(reason("runs", Effect::Invalid, &format!("{}: no interval", e.describe()))),
        Some(_) => {}
    }
    let layer = record.layer_of(measured.job);
    let threshold = Threshold { meets: record.policy.threshold(layer), misses: record.policy.threshold(layer) };
    let threshold = if bound::is_bound(claim) { bound::threshold(layer, threshold) } else { threshold };
    let is_missed = matched.is_some_and(|m| m.high < threshold.misses);
    reasons.extend(row.limit.as_ref().filter(|_| is_missed).and_then(|limit| conditions::depth_untold(limit, claim, measured.workload())));
    reasons.extend(average::differs(measured, claim.metric, estimate, Some((claim.value, threshold))));
    let verdict = Some(verdict(matched, threshold, &reasons));
    Row { claim: Some(index), claimed: Some(claim.value), measured: estimate, matched, verdict, reasons, ..row }
}

fn no_figure(measured: &Measured) -> &'static str {
    if measured.rounds.is_empty() { "no run counts" } else { "too few samples beyond the percentile" }
}

fn skipped_row(record: &RunRecord, index: usize, claim: &Claim) -> Option<Row> {
    let skipped = record.plan.as_ref()?.skipped.iter().find(|s| s.claim == index)?;
    // A figure for another capacity is not about this drive at all.
    if skipped.reason == SkipReason::OtherCapacity {
        return None;
    }
    Some(Row {
        job: None,
        name: None,
        target: None,
        workload: crate::plan::workload_of(claim),
        metric: claim.metric,
        statistic: claim.statistic,
        claim: Some(index),
        claimed: Some(claim.value),
        measured: None,
        averaged: None,
        matched: None,
        verdict: None,
        reasons: vec![reason("not measured", Effect::None, skipped.reason.title())],
        limited_by: String::new(),
        limit: None,
    })
}

/// A row of something that was measured without a claim.
fn unclaimed_rows(context: &Context, findings: &[Finding]) -> Vec<Row> {
    let unclaimed = context.measured.iter().filter(|m| m.job.claims.is_empty() && !m.all.is_empty());
    let row = |m: &Measured| {
        // Where nothing was timed, the rate is what there is.
        let timed = m.rounds.iter().any(|round| round.latency().count() > 0);
        let metric = if timed { m.workload().main_metric() } else { Metric::Iops };
        let statistic = (metric == Metric::Latency).then_some(Statistic::Mean);
        let mut row = row_of(context, m, (metric, statistic), findings);
        row.reasons.extend(average::differs(m, metric, row.measured, None));
        row
    };
    unclaimed.map(row).collect()
}

fn reason(about: &str, effect: Effect, text: &str) -> Reason {
    Reason { about: about.to_owned(), effect, text: text.to_owned() }
}

/// Share of the claim that was delivered. Of latency, smaller is better, so the ends change places.
fn match_of(claim: &Claim, estimate: &Estimate) -> Match {
    match claim.metric {
        Metric::Latency => {
            Match { share: claim.value / estimate.median, low: claim.value / estimate.high, high: claim.value / estimate.low }
        }
        _ => Match { share: estimate.median / claim.value, low: estimate.low / claim.value, high: estimate.high / claim.value },
    }
}

/// Shares of a claim from which on it is met, and below which it is missed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Threshold {
    meets: f64,
    misses: f64,
}

/// The verdict by interval, threshold and everything that bears on it.
fn verdict(matched: Option<Match>, threshold: Threshold, reasons: &[Reason]) -> Verdict {
    let any = |effect| reasons.iter().any(|r| r.effect == effect);
    let Some(matched) = matched.filter(|_| !any(Effect::Invalid)) else { return Verdict::CannotTell };
    let (easier, harder) = (any(Effect::Easier), any(Effect::Harder));
    match () {
        () if any(Effect::Incomparable) => Verdict::Indicative,
        () if matched.low >= threshold.meets && easier => Verdict::Indicative,
        () if matched.low >= threshold.meets && any(Effect::Unsteady) => Verdict::CannotTell,
        () if matched.low >= threshold.meets => Verdict::Meets,
        () if any(Effect::HeldBack) => Verdict::CannotTell,
        () if matched.high < threshold.misses && harder => Verdict::Indicative,
        () if matched.high < threshold.misses => Verdict::Misses,
        () if easier || harder => Verdict::Indicative,
        () => Verdict::CannotTell,
    }
}

const TOO_GOOD: &str = "above-claim";

/// From this share of a claim on, the row bears a note.
const NOTED: f64 = 1.05;

/// More than was promised: a note, and from policy's share on a doubt.
fn above_claim(row: &Row, record: &RunRecord) -> Option<Finding> {
    let (matched, claimed) = (row.matched?, row.claimed?);
    let is_too_good = row.reasons.iter().any(|r| r.about == TOO_GOOD);
    if matched.share <= NOTED || row.measured.is_some_and(|e| e.method == IntervalMethod::Worst) {
        return None;
    }
    let job = record.jobs.get(row.job? as usize)?;
    let share_of_drive = record.drive_of(job).map(|d| job.span.length_bytes as f64 / d.capacity_bytes.value as f64);
    let figures = [
        row.measured.map(|e| Evidence::number("measured", e.median, Unit::of(row.metric)).against(claimed)),
        Some(Evidence::number("share of the claim", matched.share, Unit::Share).against(record.policy.too_good)),
        share_of_drive.map(|share| Evidence::number("share of the drive that was used", share, Unit::Share)),
    ];
    let (about, remedy) = if is_too_good {
        ("a cache, a small span or a fresh drive", "use the whole drive, written in full and steady")
    } else {
        ("more than promised", "a longer run tells whether it lasts (--time)")
    };
    Some(Finding {
        rule: TOO_GOOD.to_owned(),
        severity: if is_too_good { Severity::Warn } else { Severity::Info },
        subject: Subject::Job(row.job?),
        title: format!("{} of the claim: {about}", percent(matched.share)),
        evidence: figures.into_iter().flatten().collect(),
        effect: if is_too_good { Effect::Easier } else { Effect::None },
        remedy: remedy.to_owned(),
    })
}

/// Latency of one workload over all its runs.
pub fn latency_row(measured: &Measured) -> LatencyRow {
    let merged = measured.merged_latency();
    let percentile = |s| (s, measured.statistic_ns(&merged, s).map(|ns| ns as u64));
    LatencyRow {
        job: measured.index,
        name: measured.job.name.clone(),
        workload: measured.workload().clone(),
        operation: operation(measured),
        samples: merged.count(),
        mean_ns: measured.estimate(Metric::Latency, Some(Statistic::Mean)),
        percentiles_ns: [Statistic::P50, Statistic::P99, Statistic::P999].map(percentile).to_vec(),
        max_ns: merged.max_ns(),
    }
}

/// The operation whose latency is that of a job: a write without its sync, where that is of several writes and timed apart.
fn operation(measured: &Measured) -> String {
    let workload = measured.workload();
    let is_apart = measured.rounds.iter().any(|part| part.round.sync.ios > 0 && part.round.durable.is_none());
    let bare = || Workload { durability: Durability::None, ..workload.clone() }.direction();
    if is_apart && workload.durability != Durability::None { format!("{}, sync apart", bare()) } else { workload.direction() }
}

/// The target of a row, where the run has several.
fn target_of(record: &RunRecord, measured: &Measured) -> Option<String> {
    let given: Vec<&str> = record.targets_of(measured.job).map(|target| target.facts.given.as_str()).collect();
    (record.targets.len() > 1 && !given.is_empty()).then(|| given.join(", "))
}

/// The layer decides the threshold and nothing else.
pub fn layer_name(layer: Layer) -> &'static str {
    match layer {
        Layer::Block => "block device",
        Layer::Filesystem => "filesystem",
        Layer::Generator => "generator",
    }
}

#[cfg(test)]
mod tests;
