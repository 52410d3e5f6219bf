//! From a record to verdicts. Pure: the record carries the claims, the policy and everything measured, so any stored run can be judged again.
//!
//! `conditions` compares what the maker promised with what was run, `findings` looks for what explains or invalidates a number, `limit` says what
//! limits it; here they are put together by the words of ARCHITECTURE.md.

mod conditions;
mod limit;

use crate::RULES_VERSION;
use crate::claim::{Claim, Confidence, Metric, Statistic};
use crate::facts::Layer;
use crate::findings::{self, Context, Measured};
use crate::plan::SkipReason;
use crate::record::{RoundOutcome, RunRecord, RunStatus};
use crate::stats::Estimate;
use crate::units::percent;
use crate::verdict::{Effect, Evidence, Finding, Judgement, LatencyRow, Match, Reason, Row, Severity, Verdict};
use crate::workload::Workload;

/// Judges a run.
#[must_use]
pub fn judge(record: &RunRecord) -> Judgement {
    let context = Context::new(record);
    let mut findings = findings::find(&context);
    let mut rows = claim_rows(&context, &findings);
    rows.extend(unclaimed_rows(&context, &findings));
    findings.extend(rows.iter().filter_map(|row| too_good(row, record)));
    findings.sort_by_key(|f| f.severity);
    let (exit_status, exit_reason) = exit(record, &rows, &findings);
    Judgement {
        rules_version: RULES_VERSION,
        layer: record.target.layer,
        threshold: record.policy.threshold(record.target.layer),
        latencies: latency_rows(&context),
        rows,
        findings,
        exit_status,
        exit_reason,
    }
}

/// One row for every claim that concerns this drive, in the datasheet's order.
fn claim_rows(context: &Context, findings: &[Finding]) -> Vec<Row> {
    let Some(used) = &context.record.datasheet else { return Vec::new() };
    let rows = used.datasheet.claims.iter().enumerate().filter_map(|(index, claim)| {
        match context.measured.iter().find(|m| m.planned.claims.contains(&index)) {
            Some(measured) => Some(claim_row(context, measured, index, claim, findings)),
            None => skipped_row(context.record, index, claim),
        }
    });
    rows.collect()
}

fn claim_row(context: &Context, measured: &Measured, index: usize, claim: &Claim, findings: &[Finding]) -> Row {
    let record = context.record;
    let statistic = (claim.metric == Metric::Latency).then(|| claim.statistic.unwrap_or(Statistic::Mean));
    let estimate = measured.estimate(claim.metric, statistic);
    let matched = estimate.map(|e| match_of(claim, &e));
    let mut reasons = conditions::differences(record, claim, measured.workload());
    reasons.extend(findings_as_reasons(findings, measured));
    if claim.confidence == Confidence::Low {
        reasons.push(reason("confidence", Effect::Incomparable, "the claimed figure itself is unsure"));
    }
    if matched.is_some_and(|m| m.share > record.policy.too_good) {
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
    let threshold = record.policy.threshold(record.target.layer);
    Row {
        workload: measured.workload().clone(),
        metric: claim.metric,
        statistic,
        claim: Some(index),
        claimed: Some(claim.value),
        measured: estimate,
        matched,
        verdict: Some(verdict(matched, threshold, &reasons)),
        reasons,
        limited_by: limit::limited_by(context, measured, findings),
    }
}

fn no_figure(measured: &Measured) -> &'static str {
    if measured.rounds.is_empty() { "no run counts" } else { "too few samples beyond the percentile" }
}

fn skipped_row(record: &RunRecord, index: usize, claim: &Claim) -> Option<Row> {
    let skipped = record.plan.skipped.iter().find(|s| s.claim == index)?;
    // A figure for another capacity is not about this drive at all.
    if skipped.reason == SkipReason::OtherCapacity {
        return None;
    }
    Some(Row {
        workload: crate::plan::workload_of(claim),
        metric: claim.metric,
        statistic: claim.statistic,
        claim: Some(index),
        claimed: Some(claim.value),
        measured: None,
        matched: None,
        verdict: None,
        reasons: vec![reason("not measured", Effect::None, skipped.reason.title())],
        limited_by: String::new(),
    })
}

/// What was measured without a claim.
fn unclaimed_rows(context: &Context, findings: &[Finding]) -> Vec<Row> {
    let unclaimed = context.measured.iter().filter(|m| m.planned.claims.is_empty() && !m.all.is_empty());
    let row = |m: &Measured| {
        let metric = m.workload().main_metric();
        let statistic = (metric == Metric::Latency).then_some(Statistic::Mean);
        Row {
            workload: m.workload().clone(),
            metric,
            statistic,
            claim: None,
            claimed: None,
            measured: m.estimate(metric, statistic),
            matched: None,
            verdict: None,
            reasons: findings_as_reasons(findings, m),
            limited_by: limit::limited_by(context, m, findings),
        }
    };
    unclaimed.map(row).collect()
}

fn findings_as_reasons(findings: &[Finding], measured: &Measured) -> Vec<Reason> {
    let concern = findings.iter().filter(|f| f.workload.as_ref().is_none_or(|w| w == measured.workload()));
    concern.filter(|f| f.effect != Effect::None).map(|f| reason(&f.rule, f.effect, &f.title)).collect()
}

fn reason(about: &str, effect: Effect, text: &str) -> Reason {
    Reason { about: about.to_owned(), effect, text: text.to_owned() }
}

/// How much of the claim was delivered. Of latency, smaller is better, so the ends change places.
fn match_of(claim: &Claim, estimate: &Estimate) -> Match {
    match claim.metric {
        Metric::Latency => {
            Match { share: claim.value / estimate.median, low: claim.value / estimate.high, high: claim.value / estimate.low }
        }
        _ => Match { share: estimate.median / claim.value, low: estimate.low / claim.value, high: estimate.high / claim.value },
    }
}

/// The verdict by interval, threshold and everything that bears on it.
fn verdict(matched: Option<Match>, threshold: f64, reasons: &[Reason]) -> Verdict {
    let any = |effect| reasons.iter().any(|r| r.effect == effect);
    let Some(matched) = matched.filter(|_| !any(Effect::Invalid)) else { return Verdict::CannotTell };
    let (easier, harder) = (any(Effect::Easier), any(Effect::Harder));
    match () {
        () if any(Effect::Incomparable) => Verdict::Indicative,
        () if matched.low >= threshold && easier => Verdict::Indicative,
        () if matched.low >= threshold && any(Effect::Unsteady) => Verdict::CannotTell,
        () if matched.low >= threshold => Verdict::Meets,
        () if matched.high < threshold && harder => Verdict::Indicative,
        () if matched.high < threshold => Verdict::Misses,
        () if easier || harder => Verdict::Indicative,
        () => Verdict::CannotTell,
    }
}

const TOO_GOOD: &str = "above-claim";

/// More than was promised is a finding, not a pass: a cache, a small span or a fresh drive.
fn too_good(row: &Row, record: &RunRecord) -> Option<Finding> {
    let (matched, claimed) = (row.matched?, row.claimed?);
    row.reasons.iter().find(|r| r.about == TOO_GOOD)?;
    let share_of_drive = record.drive().map(|d| record.plan.span.length_bytes as f64 / d.capacity_bytes.value as f64);
    let figures = [
        Some(("claim", row.metric.show(claimed))),
        row.measured.map(|e| ("measured", row.metric.show(e.median))),
        share_of_drive.map(|s| ("span", percent(s) + " of the drive")),
    ];
    Some(Finding {
        rule: TOO_GOOD.to_owned(),
        severity: Severity::Warn,
        workload: Some(row.workload.clone()),
        title: format!("{} of the claim: a cache, a small span or a fresh drive", percent(matched.share)),
        evidence: figures.into_iter().flatten().map(|(name, value)| Evidence { name: name.to_owned(), value }).collect(),
        effect: Effect::Easier,
        remedy: "use the whole drive, written in full and steady".to_owned(),
    })
}

/// Latencies of the workloads at depth 1, and of those that the user named.
fn latency_rows(context: &Context) -> Vec<LatencyRow> {
    let asked = context.record.plan.asked;
    let told = context.measured.iter().filter(|m| (asked || m.workload().is_unloaded()) && !m.rounds.is_empty());
    told.map(latency_row).collect()
}

fn latency_row(measured: &Measured) -> LatencyRow {
    let merged = measured.merged_latency();
    let percentile = |s| (s, measured.statistic_ns(&merged, s).map(|ns| ns as u64));
    LatencyRow {
        workload: measured.workload().clone(),
        operation: measured.workload().direction(),
        samples: merged.count(),
        mean_ns: measured.estimate(Metric::Latency, Some(Statistic::Mean)),
        percentiles_ns: [Statistic::P50, Statistic::P99, Statistic::P999].map(percentile).to_vec(),
        max_ns: merged.max_ns(),
    }
}

/// The exit status: 1 when data was lost or a claim is missed; else 3 when something cannot be told, the run ended early or is not steady; 2 when there is nothing to judge; else 0.
fn exit(record: &RunRecord, rows: &[Row], findings: &[Finding]) -> (u8, String) {
    let count = |v| rows.iter().filter(|r| r.verdict == Some(v)).count();
    // Several findings may be of one workload.
    let is_unsteady = |w: &Workload| findings.iter().any(|f| f.effect == Effect::Unsteady && f.workload.as_ref().is_none_or(|of| of == w));
    let unsteady = record.plan.all().filter(|p| is_unsteady(&p.workload)).count();
    let invalid =
        rows.iter().filter(|r| r.measured.is_some() && r.reasons.iter().any(|r| r.effect == Effect::Invalid && r.about != "runs")).count();
    let nothing = !rows.iter().any(|r| r.measured.is_some());
    let failed = record.rounds.iter().any(|r| r.outcome == RoundOutcome::Failed);
    if let Some(lost) = findings::lost(record) {
        return (1, lost.bad_words());
    }
    match &record.status {
        RunStatus::Interrupted if nothing => (3, "interrupted before anything was measured".into()),
        RunStatus::Failed { reason } | RunStatus::Hung { reason } if nothing => (2, reason.clone()),
        _ if nothing => (2, "nothing was measured".into()),
        _ if count(Verdict::Misses) > 0 => (1, format!("{} missed", claims(count(Verdict::Misses)))),
        RunStatus::Interrupted | RunStatus::Running => (3, "interrupted".into()),
        RunStatus::Hung { reason } | RunStatus::Failed { reason } => (3, reason.clone()),
        _ if failed => (3, "I/O failed".into()),
        _ if count(Verdict::CannotTell) > 0 => (3, format!("{} cannot be told", claims(count(Verdict::CannotTell)))),
        _ if invalid > 0 => (3, format!("{invalid} of {} figures are not the drive's", rows.len())),
        _ if unsteady > 0 => (3, format!("{unsteady} of {} workloads not steady", record.plan.all().count())),
        RunStatus::Complete if record.datasheet.is_none() => (0, "measured; no datasheet to judge by".into()),
        RunStatus::Complete if count(Verdict::Meets) > 0 => (0, format!("{} met, none missed", claims(count(Verdict::Meets)))),
        RunStatus::Complete => (0, "nothing that could pass or fail".into()),
    }
}

fn claims(n: usize) -> String {
    if n == 1 { "1 claim".into() } else { format!("{n} claims") }
}

/// The layer decides the threshold and nothing else.
#[must_use]
pub fn layer_name(layer: Layer) -> &'static str {
    match layer {
        Layer::Block => "block device",
        Layer::Filesystem => "filesystem",
        Layer::Generator => "generator",
    }
}

#[cfg(test)]
mod tests;
