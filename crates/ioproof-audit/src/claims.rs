//! Compares outputs with a datasheet: one row a claim. A row has a verdict, or the reason why it has none.
//!
//! A text shows one run of each load and no interval, so it proves less than a measurement of our own: near the threshold nothing can be told, and what is above it
//! is indicative where the run had it easier than the claim.

use crate::finding::Findings;
use crate::measured::{Direction, Measured, Order, Side};
use crate::reading::Reading;
use crate::show;
use ioproof_core::claim::words::describe_source;
use ioproof_core::claim::{Claim, Datasheet, Metric, Statistic};
use ioproof_core::datasheet::{matches_model, superseded, variant_of};
use ioproof_core::facts::DeviceFacts;
use ioproof_core::policy::Policy;
use ioproof_core::units::{binary_size, block_size, decimal_size};
use ioproof_core::verdict::Verdict;
use ioproof_core::workload::Pattern;
use serde::Serialize;

/// Relative distance to the threshold within which one run decides nothing.
const NOISE: f64 = 0.1;
/// Share of a claim above which the figure is not the drive's own.
const TOO_GOOD: f64 = 1.05;

/// A claim and the output that answers it.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimRow {
    pub datasheet: String,
    /// The load: `random read 4 KiB`.
    pub load: String,
    /// Promised figure as shown.
    pub claimed: String,
    /// Promised figure in IOPS, bytes per second or nanoseconds.
    pub claimed_value: f64,
    /// Place where the promise was found.
    pub source: String,
    /// The output that answers it, where one does.
    pub answer: Option<ClaimAnswer>,
}

/// An output held against a claim.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimAnswer {
    pub file: String,
    pub line: u32,
    /// Measured figure as shown.
    pub measured: String,
    pub value: f64,
    /// Share of the claim that was delivered.
    pub share: f64,
    pub verdict: Verdict,
    /// Differences of the conditions, a clause each.
    pub reasons: Vec<String>,
    /// Earlier outputs of the same load: line, share.
    pub others: Vec<(u32, f64)>,
}

/// All claims of a datasheet for the drive that the documents measured, with the outputs that answer them.
#[must_use]
pub fn table(readings: &[Reading], sheet: &Datasheet, sole: bool) -> Vec<ClaimRow> {
    let drive = readings
        .iter()
        .flat_map(|reading| &reading.drives)
        .filter(|drive| is_its(sheet, drive))
        .max_by_key(|drive| drive.capacity_bytes.value);
    let model = drive.and_then(|drive| drive.model.as_ref()).map_or("", |model| model.value.as_str());
    let capacity = drive.map_or(0, |drive| drive.capacity_bytes.value);
    let variant = variant_of(sheet, model, capacity).map(|variant| variant.capacity_bytes);
    let applies = |index: usize, claim: &Claim| {
        let of_size = claim.capacities_bytes.is_empty() || variant.is_none_or(|size| claim.capacities_bytes.contains(&size));
        of_size && !superseded(sheet, index, variant)
    };
    let claims = sheet.claims.iter().enumerate().filter(|(index, claim)| applies(*index, claim));
    claims.map(|(_, claim)| row(readings, sheet, claim, capacity, sole)).collect()
}

/// True where an output may be of the datasheet's drive: the text says so, or names no drive and there is one datasheet.
fn is_its(sheet: &Datasheet, drive: &DeviceFacts) -> bool {
    drive.model.as_ref().is_some_and(|model| sheet.models.iter().any(|pattern| matches_model(pattern, &model.value)))
}

fn row(readings: &[Reading], sheet: &Datasheet, claim: &Claim, capacity: u64, sole: bool) -> ClaimRow {
    let mut found: Vec<(&Reading, &Measured, f64)> = Vec::new();
    for reading in readings {
        for measured in &reading.measured {
            let belongs = reading.drive(&measured.target).map_or(sole, |drive| is_its(sheet, drive));
            let value = side(measured, claim).and_then(|side| value(side, claim));
            if let Some(value) = value.filter(|value| belongs && fits(measured, claim) && *value > 0.0) {
                found.push((reading, measured, value));
            }
        }
    }
    let share = |value: f64| if claim.metric == Metric::Latency { claim.value / value } else { value / claim.value };
    // Of several outputs the last one is what a text ends with; an exact block size goes before another one.
    let exact = |measured: &Measured| measured.load.block_bytes == Some(u64::from(claim.block_bytes));
    let chosen = found.iter().rev().find(|(_, measured, _)| exact(measured)).or_else(|| found.iter().max_by(|a, b| a.2.total_cmp(&b.2)));
    let answer = chosen.map(|(reading, measured, value)| {
        let others = found.iter().filter(|(_, other, _)| !std::ptr::eq(*other, *measured) && exact(other) == exact(measured));
        let (verdict, reasons) = judged(reading, measured, claim, share(*value), capacity);
        ClaimAnswer {
            file: reading.file().to_owned(),
            line: measured.first,
            measured: shown(claim.metric, *value),
            value: *value,
            share: share(*value),
            verdict,
            reasons,
            others: others.map(|(_, other, value)| (other.first, share(*value))).collect(),
        }
    });
    ClaimRow {
        datasheet: sheet.name.clone(),
        load: load(claim),
        claimed: claim.metric.show(claim.value),
        claimed_value: claim.value,
        source: describe_source(claim),
        answer,
    }
}

fn shown(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Iops => show::iops(value),
        Metric::Throughput => show::rate(value),
        Metric::Latency => show::time(value),
    }
}

fn load(claim: &Claim) -> String {
    let pattern = if claim.pattern == Pattern::Random { "random" } else { "sequential" };
    let mix = match claim.read_percent {
        100 => "read".to_owned(),
        0 => "write".to_owned(),
        reads => format!("{reads}/{}", 100 - reads),
    };
    let statistic = claim.statistic.map_or(", mean".into(), |statistic| format!(", {}", statistic.title()));
    let statistic = if claim.metric == Metric::Latency { statistic } else { String::new() };
    format!("{pattern} {mix} {}{statistic}", block_size(claim.block_bytes.into()))
}

/// True where the order, the mix and the block size are those of the claim. Of a sequential rate the block may be another one.
fn fits(measured: &Measured, claim: &Claim) -> bool {
    let order = match claim.pattern {
        Pattern::Random => Order::Random,
        Pattern::Sequential => Order::Sequential,
    };
    let is_mixed = measured.side(Direction::Read).is_some() && measured.side(Direction::Write).is_some();
    let block = measured.load.block_bytes == Some(u64::from(claim.block_bytes))
        || claim.metric == Metric::Throughput && order == Order::Sequential && measured.load.block_bytes.is_some();
    let depth = claim.metric != Metric::Latency || measured.load.outstanding() == claim.queue_depth_total.map(u64::from).or(Some(1));
    measured.load.order == Some(order) && !is_mixed && block && depth && measured.tool != "dd" && measured.tool != "hdparm"
}

fn side<'a>(measured: &'a Measured, claim: &Claim) -> Option<&'a Side> {
    match claim.read_percent {
        100 => measured.side(Direction::Read),
        0 => measured.side(Direction::Write),
        _ => None,
    }
}

fn value(side: &Side, claim: &Claim) -> Option<f64> {
    match claim.metric {
        Metric::Iops => side.iops.map(|iops| iops.value),
        Metric::Throughput => side.bytes_per_s.map(|rate| rate.value),
        Metric::Latency => match claim.statistic.unwrap_or(Statistic::Mean) {
            Statistic::Mean => side.latency.mean.map(|mean| mean.value),
            Statistic::Max => side.latency.max.map(|max| max.value),
            statistic => {
                let share = statistic.quantile()? * 100.0;
                side.latency.percentiles.iter().find(|(at, _)| (at - share).abs() < 1e-6).map(|(_, value)| value.value)
            }
        },
    }
}

/// The verdict, with the conditions that differ.
fn judged(reading: &Reading, measured: &Measured, claim: &Claim, share: f64, capacity: u64) -> (Verdict, Vec<String>) {
    let (mut easier, mut harder, mut reasons) = (false, false, Vec::new());
    if let Some(span) = span(reading, measured).filter(|span| capacity > 0 && (*span as f64) < 0.95 * capacity as f64) {
        easier = true;
        reasons.push(format!("easier: {} of {} were used", binary_size(span), decimal_size(capacity)));
    }
    let run = measured.load.outstanding();
    match (claim.queue_depth_total.map(u64::from), run) {
        (None, Some(run)) if claim.metric != Metric::Latency => {
            harder = true;
            reasons.push(format!("the claim names no queue depth, the run had {run}"));
        }
        (Some(claimed), Some(run)) if run > claimed => {
            easier = true;
            reasons.push(format!("easier: queue depth {run}, the claim's is {claimed}"));
        }
        (Some(claimed), Some(run)) if run < claimed => {
            harder = true;
            reasons.push(format!("harder: queue depth {run}, the claim's is {claimed}"));
        }
        _ => {}
    }
    if let Some(block) = measured.load.block_bytes.filter(|block| *block != u64::from(claim.block_bytes)) {
        harder |= block < u64::from(claim.block_bytes);
        reasons.push(format!("blocks of {}, the claim's are of {}", block_size(block), block_size(claim.block_bytes.into())));
    }
    if measured.cpu_percent.is_some_and(|(user, system)| user + system >= 95.0) {
        harder = true;
        reasons.push("the workers used all of their CPUs".into());
    }
    if measured.load.direct == Some(false) {
        reasons.push("through the page cache".into());
        return (Verdict::CannotTell, reasons);
    }
    reasons.push("one run, no interval".into());
    let threshold = Policy::default().threshold_block;
    let verdict = if share > TOO_GOOD {
        reasons.insert(0, "more than the maker promises: a cache or a small span".into());
        Verdict::Indicative
    } else if (share / threshold - 1.0).abs() < NOISE {
        Verdict::CannotTell
    } else if share >= threshold {
        if easier { Verdict::Indicative } else { Verdict::Meets }
    } else if harder {
        Verdict::Indicative
    } else {
        Verdict::Misses
    };
    (verdict, reasons)
}

/// Bytes that the job was confined to.
fn span(reading: &Reading, measured: &Measured) -> Option<u64> {
    let index = reading.measured.iter().position(|other| std::ptr::eq(other, measured))?;
    let (file, job) = reading.job_of(index)?;
    match reading.jobs[file].jobs[job].settings.region.size? {
        ioproof_fio::values::Amount::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// Figures above the datasheet, which no drive gives under the maker's conditions.
pub fn too_good(rows: &[ClaimRow], findings: &mut Findings) {
    for row in rows {
        let Some(answer) = row.answer.as_ref().filter(|answer| answer.share > TOO_GOOD) else { continue };
        let title = format!("{} is {:.0} % of the datasheet's {} for {}", answer.measured, answer.share * 100.0, row.claimed, row.load);
        findings
            .doubt("above-datasheet", (&answer.file, answer.line), title, answer.reasons.join("; "))
            .mend("write the whole drive twice before, and use all of it");
    }
}
