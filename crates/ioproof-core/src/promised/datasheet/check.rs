//! Rules between fields: a unit suits its metric, a capacity is one of the variants, no claim is made twice.

use super::problem::{Fault, Sink};
use super::section::DatasheetSection;
use super::values::{DatasheetUnit, UNITS};
use crate::claim::{Claim, Confidence, Metric, Variant};
use crate::units::decimal_size;

/// The name is how `--datasheet` asks for the file, so it must be the file's own.
pub(super) fn name(file: &DatasheetSection, name: Option<&str>, sink: &mut Sink) {
    let stem = sink.stem();
    if let Some(name) = name.filter(|name| *name != stem) {
        file.fault(sink, "name", Fault::new(format!("`{name}` differs from the file's name, `{stem}`")));
    }
}

pub(super) fn wrong_unit(unit: DatasheetUnit, metric: Metric) -> Fault {
    let suited: Vec<_> = UNITS.iter().filter(|u| u.metric == metric).map(|u| u.name).collect();
    let metric = match metric {
        Metric::Iops => "iops",
        Metric::Throughput => "throughput",
        Metric::Latency => "latency",
    };
    Fault::new(format!("{} is no unit of {metric}", unit.name)).hint(format!("write {}", suited.join(" or ")))
}

pub(super) fn no_such_variant(capacity: u64, variants: &[Variant]) -> Fault {
    let fault = Fault::new(format!("no variant has a capacity of {}", decimal_size(capacity)));
    let known: Vec<_> = variants.iter().map(|v| decimal_size(v.capacity_bytes)).collect();
    match known.is_empty() {
        true => fault.hint("add it under [[variant]]"),
        false => fault.hint(format!("variants: {}", known.join(", "))),
    }
}

/// The total queue depth is divided evenly among the workers.
pub(super) fn concurrency(section: &DatasheetSection, depth: Option<u32>, workers: Option<u32>, sink: &mut Sink) {
    if let (Some(depth), Some(workers)) = (depth, workers)
        && !depth.is_multiple_of(workers.max(1))
    {
        let fault = Fault::new(format!("a queue depth of {depth} cannot be divided evenly among {workers} workers"));
        section.fault(sink, "queue_depth", fault.hint("queue_depth is the total over all workers"));
    }
}

/// Two figures for one thing: sources that disagree may stand side by side, but only as doubtful ones.
pub(super) fn duplicates(claims: &[(&DatasheetSection, Claim)], sink: &mut Sink) {
    for (index, (section, claim)) in claims.iter().enumerate() {
        let both_low = |other: &Claim| claim.confidence == Confidence::Low && other.confidence == Confidence::Low;
        let twin = claims[..index].iter().find(|(_, other)| same_thing(claim, other) && !both_low(other));
        if let Some((other, _)) = twin {
            let message = format!("promises the same as {}, under the same conditions", other.field("").trim_end_matches('.'));
            let hint = "where sources disagree, keep both with confidence = \"low\"";
            section.fault(sink, "metric", Fault::new(message).hint(hint));
        }
    }
}

fn same_thing(a: &Claim, b: &Claim) -> bool {
    let shared = a.capacities_bytes.iter().any(|c| b.capacities_bytes.contains(c));
    let both_family = a.capacities_bytes.is_empty() && b.capacities_bytes.is_empty();
    (shared || both_family) && same_conditions(a, b) && a.qualifier == b.qualifier && a.tool == b.tool
}

/// True where two claims promise the same metric for the same workload, span and state, whatever the capacity.
pub(super) fn same_conditions(a: &Claim, b: &Claim) -> bool {
    (a.metric, a.statistic, a.pattern, a.read_percent, a.block_bytes) == (b.metric, b.statistic, b.pattern, b.read_percent, b.block_bytes)
        && (a.queue_depth_total, a.workers, a.span, a.state) == (b.queue_depth_total, b.workers, b.span, b.state)
}
