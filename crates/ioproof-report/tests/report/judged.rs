//! The judgement of the made-up run: its figures follow from its rounds, its findings are invented.

use super::builder::cases;
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::facts::Layer;
use ioproof_core::histogram::Histogram;
use ioproof_core::record::{Round, RunRecord};
use ioproof_core::stats::Estimate;
use ioproof_core::verdict::*;
use ioproof_core::workload::Workload;

const THRESHOLD: f64 = 0.80;

/// Judges what [`super::builder::record`] made.
pub fn judgement(record: &RunRecord) -> Judgement {
    let mut rows: Vec<Row> = Vec::new();
    for case in cases() {
        let claim = case.claimed.map(|_| rows.iter().filter(|row| row.claim.is_some()).count());
        rows.push(row(record, &case.workload, case.metric, claim, case.claimed));
    }
    Judgement {
        rules_version: ioproof_core::RULES_VERSION,
        layer: Layer::Block,
        threshold: THRESHOLD,
        latencies: latencies(record),
        findings: findings(record),
        exit_status: 1,
        exit_reason: "random write 4 KiB misses its claim".into(),
        rows,
    }
}

fn row(record: &RunRecord, workload: &Workload, metric: Metric, claim: Option<usize>, claimed: Option<f64>) -> Row {
    let values: Vec<f64> = record.rounds_of(workload).map(|round| value(round, metric)).collect();
    let measured = Estimate::of(&values, 0.95);
    let matched = measured.zip(claimed).map(|(e, claimed)| matched(&e, claimed, metric));
    let reasons = reasons(workload);
    Row {
        workload: workload.clone(),
        metric,
        statistic: (metric == Metric::Latency).then_some(Statistic::Mean),
        claim,
        claimed,
        measured,
        matched,
        verdict: matched.map(|m| if reasons.is_empty() { verdict(&m) } else { Verdict::Indicative }),
        reasons,
        limited_by: limit(workload).into(),
    }
}

fn value(round: &Round, metric: Metric) -> f64 {
    match metric {
        Metric::Iops => round.iops(),
        Metric::Throughput => round.bytes_per_s(),
        Metric::Latency => round.latency().mean_ns().unwrap_or(0.0),
    }
}

fn matched(e: &Estimate, claimed: f64, metric: Metric) -> Match {
    match metric {
        Metric::Latency => Match { share: claimed / e.median, low: claimed / e.high, high: claimed / e.low },
        _ => Match { share: e.median / claimed, low: e.low / claimed, high: e.high / claimed },
    }
}

fn verdict(m: &Match) -> Verdict {
    match m {
        m if m.low >= THRESHOLD => Verdict::Meets,
        m if m.high < THRESHOLD => Verdict::Misses,
        _ => Verdict::CannotTell,
    }
}

fn reasons(workload: &Workload) -> Vec<Reason> {
    if workload.block_bytes != 8192 || !workload.writes() {
        return Vec::new();
    }
    vec![Reason { about: "queue depth".into(), effect: Effect::Harder, text: "claim 256 in total, run 128".into() }]
}

fn limit(workload: &Workload) -> &'static str {
    match (workload.read_percent, workload.block_bytes, workload.outstanding()) {
        (100, 131_072, _) => "the link: 78 % of what PCIe 8.0 GT/s x4 carries",
        (_, _, 1) => "one I/O at a time: the drive's own latency",
        (0 | 70, 4096 | 8192, _) => "the drive: full queue, host and link idle, garbage collection under steady writes",
        _ => "the drive: full queue, host and link idle",
    }
}

fn merged(record: &RunRecord, workload: &Workload, of: impl Fn(&Round) -> Histogram) -> Histogram {
    let mut all = Histogram::default();
    record.rounds_of(workload).for_each(|round| all.merge(&of(round)));
    all
}

fn latencies(record: &RunRecord) -> Vec<LatencyRow> {
    let unloaded = cases().into_iter().map(|case| case.workload).filter(Workload::is_unloaded);
    unloaded.flat_map(|workload| latency_rows(record, &workload)).collect()
}

fn latency_rows(record: &RunRecord, workload: &Workload) -> Vec<LatencyRow> {
    let whole = latency_row(record, workload, &workload.direction(), Round::latency);
    let sync = latency_row(record, workload, "fdatasync", |round| round.sync.latency.clone());
    if sync.samples == 0 { vec![whole] } else { vec![whole, sync] }
}

fn latency_row(record: &RunRecord, workload: &Workload, operation: &str, of: impl Fn(&Round) -> Histogram) -> LatencyRow {
    let all = merged(record, workload, &of);
    let means: Vec<f64> = record.rounds_of(workload).filter_map(|round| of(round).mean_ns()).collect();
    let asked = [Statistic::P50, Statistic::P99, Statistic::P999, Statistic::P9999, Statistic::P99999];
    let percentile = |s: Statistic| s.quantile().filter(|q| all.samples_beyond(*q) >= 100).and_then(|q| all.quantile_ns(q));
    LatencyRow {
        workload: workload.clone(),
        operation: operation.into(),
        samples: all.count(),
        mean_ns: Estimate::of(&means, 0.95),
        percentiles_ns: asked.into_iter().map(|s| (s, percentile(s))).collect(),
        max_ns: all.max_ns(),
    }
}

fn finding(rule: &str, severity: Severity, workload: Option<&Workload>, title: &str, evidence: &[(&str, &str)], remedy: &str) -> Finding {
    Finding {
        rule: rule.into(),
        severity,
        workload: workload.cloned(),
        title: title.into(),
        evidence: evidence.iter().map(|(name, value)| Evidence { name: (*name).into(), value: (*value).into() }).collect(),
        effect: if rule == "not-steady" { Effect::Unsteady } else { Effect::None },
        remedy: remedy.into(),
    }
}

fn findings(record: &RunRecord) -> Vec<Finding> {
    let mixed = record.plan.all().map(|p| &p.workload).find(|w| w.read_percent == 70);
    let synced = record.plan.all().map(|p| &p.workload).find(|w| w.writes() && w.is_unloaded());
    vec![
        finding(
            "not-steady",
            Severity::Warn,
            mixed,
            "The throughput of the runs still moves.",
            &[("range", "6.1 % of the mean"), ("slope", "-3.2 %")],
            "Give it more time: --time 30m",
        ),
        finding(
            "request-split",
            Severity::Warn,
            None,
            "The kernel splits requests above the largest that the driver takes.",
            &[("largest request", "128 KiB")],
            "",
        ),
        finding(
            "write-through",
            Severity::Info,
            synced,
            "The drive reports no volatile write cache, so a flush costs nothing.",
            &[("write cache", "write through")],
            "",
        ),
    ]
}
