//! Rules between fields: a unit suits its metric, a capacity is one of the variants, the link carries what is claimed, no claim is
//! made twice, no model belongs to two families.

use super::catalogue::Catalogue;
use super::glob;
use super::link::most_bytes_per_second;
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

/// A model that fits patterns of two families belongs to the one whose pattern has more characters. That is meant only where this
/// pattern is part of the other; elsewhere the winner is chance.
pub(super) fn ambiguous(file: &DatasheetSection, name: Option<&str>, models: &[String], others: &Catalogue, sink: &mut Sink) {
    let others: Vec<_> = others.iter().filter(|other| Some(other.name.as_str()) != name).collect();
    for (index, model) in models.iter().enumerate() {
        let is_meant = |theirs: &str| glob::is_part_of(model, theirs) || glob::is_part_of(theirs, model);
        let shared = |theirs: &&String| glob::overlap(model, theirs) && !is_meant(theirs);
        let found = others.iter().find_map(|other| other.models.iter().find(shared).map(|theirs| (&other.name, theirs)));
        if let Some((other, theirs)) = found {
            let fault = Fault::new(format!("a model may fit both `{model}` and `{theirs}` of the datasheet {other}"));
            file.list_fault(
                sink,
                "models",
                index,
                fault.hint(format!("make it narrower; a file named {other} takes the place of that one")),
            );
        }
    }
}

/// Refuses a figure that the link cannot carry. Reads and writes go opposite ways, so the larger share counts.
pub(super) fn within_link(section: &DatasheetSection, claim: &Claim, link: Option<&str>, sink: &mut Sink) {
    let share = f64::from(claim.read_percent.max(100 - claim.read_percent)) / 100.0;
    let bytes_per_second = match claim.metric {
        Metric::Throughput => claim.value,
        Metric::Iops => claim.value * f64::from(claim.block_bytes),
        Metric::Latency => return,
    };
    if let Some((link, most)) = link.and_then(|link| Some((link, most_bytes_per_second(link)?)))
        && bytes_per_second * share > most
    {
        let (value, most) = (Metric::Throughput.show(bytes_per_second * share), Metric::Throughput.show(most));
        section.fault(sink, "value", Fault::new(format!("{value} one way is above the link: {link} carries {most}")));
    }
}

/// Refuses a figure for the whole family where a note tells its capacities apart: the smaller drives would miss it.
pub(super) fn capacity_named(section: &DatasheetSection, claim: &Claim, file_note: Option<&str>, sink: &mut Sink) {
    let is_told = [file_note, claim.note.as_deref()].into_iter().flatten().any(names_capacity);
    if is_told && claim.capacities_bytes.is_empty() {
        let fault = Fault::new("missing, though a note names a capacity");
        section.fault(sink, "capacity", fault.hint("list the capacities that the figure is for"));
    }
}

/// True where a text has a number with `GB` or `TB`, such as `960GB` or `1 TB`.
fn names_capacity(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric())).collect();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    words.iter().enumerate().any(|(index, word)| {
        let number = word.strip_suffix("GB").or_else(|| word.strip_suffix("TB"));
        number.is_some_and(|n| is_number(n) || n.is_empty() && index > 0 && is_number(words[index - 1]))
    })
}

pub(super) fn wrong_unit(unit: DatasheetUnit, metric: Metric) -> Fault {
    let suited: Vec<_> = UNITS.iter().filter(|u| u.metric == metric).map(|u| u.name).collect();
    Fault::new(format!("{} is no unit of {}", unit.name, metric.name())).hint(format!("write {}", suited.join(" or ")))
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
