//! Which fields a datasheet has, and the types of `claim` made of them.
//!
//! All fields of a table are read before any is found missing, so that one pass tells every problem. What concerns several
//! fields or claims together is in `check`.

use super::catalogue::Catalogue;
use super::check;
use super::problem::{Fault, Sink};
use super::section::DatasheetSection;
use super::values;
use crate::claim::{Claim, Datasheet, Metric, Statistic, Variant};
use toml::Spanned;
use toml::de::DeTable;

const FILE_FIELDS: [&str; 12] =
    ["name", "vendor", "family", "models", "interface", "link", "plp", "drive_writes_per_day", "endurance", "note", "variant", "claim"];
const VARIANT_FIELDS: [&str; 3] = ["capacity", "models", "endurance"];
const CLAIM_FIELDS: [&str; 17] = [
    "metric",
    "value",
    "unit",
    "qualifier",
    "pattern",
    "mix",
    "block_size",
    "queue_depth",
    "workers",
    "span",
    "state",
    "tool",
    "statistic",
    "capacity",
    "source",
    "confidence",
    "note",
];

/// Facts of the whole family, which claims are held against.
struct Family<'a> {
    link: Option<&'a str>,
    note: Option<&'a str>,
    variants: &'a [Variant],
}

/// The whole file; `None` where a required field is missing or unreadable.
pub(super) fn datasheet(document: &Spanned<DeTable>, others: &Catalogue, sink: &mut Sink) -> Option<Datasheet> {
    let file = DatasheetSection::root(document, &FILE_FIELDS, sink);
    let name = file.required(sink, "name", values::text);
    let vendor = file.required(sink, "vendor", values::text);
    let sold_as = file.required(sink, "family", values::text);
    let interface = file.required(sink, "interface", values::interface);
    let link = file.optional(sink, "link", values::link);
    let plp = file.optional(sink, "plp", values::flag);
    let drive_writes_per_day = file.optional(sink, "drive_writes_per_day", values::writes_per_day);
    let endurance_bytes = file.optional(sink, "endurance", values::endurance);
    let note = file.optional(sink, "note", values::text);
    let models = models(&file, sink);
    check::name(&file, name.as_deref(), sink);
    check::ambiguous(&file, name.as_deref(), &models, others, sink);
    let variants = variants(&file, sink);
    let family = Family { link: link.as_deref(), note: note.as_deref(), variants: &variants };
    let claims = claims(&file, &family, sink);
    let (name, vendor, family, interface) = (name?, vendor?, sold_as?, interface?);
    Some(Datasheet { name, vendor, family, models, interface, link, plp, drive_writes_per_day, endurance_bytes, note, variants, claims })
}

fn models(section: &DatasheetSection, sink: &mut Sink) -> Vec<String> {
    section.list(sink, "models", values::model).into_iter().map(|(_, model)| model).collect()
}

fn variants(file: &DatasheetSection, sink: &mut Sink) -> Vec<Variant> {
    let sections = file.tables(sink, "variant", &VARIANT_FIELDS);
    let mut variants: Vec<Variant> = Vec::new();
    for section in &sections {
        let capacity = section.required(sink, "capacity", values::capacity);
        let models = models(section, sink);
        let endurance_bytes = section.optional(sink, "endurance", values::endurance);
        let Some(capacity_bytes) = capacity else { continue };
        if variants.iter().any(|v| v.capacity_bytes == capacity_bytes) {
            section.fault(sink, "capacity", Fault::new("a variant of this capacity is there already"));
        }
        variants.push(Variant { capacity_bytes, models, endurance_bytes });
    }
    variants
}

fn claims(file: &DatasheetSection, family: &Family, sink: &mut Sink) -> Vec<Claim> {
    let before = sink.count();
    let sections = file.tables(sink, "claim", &CLAIM_FIELDS);
    if sections.is_empty() && sink.count() == before && family.note.is_none() {
        let hint = "a datasheet without a claim promises nothing; add one under [[claim]], or give the reason as `note`";
        file.fault(sink, "claim", Fault::new("missing").hint(hint));
    }
    let whole: Vec<_> = sections.iter().filter_map(|section| Some((section, claim_without_problem(section, family, sink)?))).collect();
    check::duplicates(&whole, sink);
    whole.into_iter().map(|(_, claim)| claim).collect()
}

/// A claim whose conditions could not all be read is none that others can be compared with.
fn claim_without_problem(section: &DatasheetSection, family: &Family, sink: &mut Sink) -> Option<Claim> {
    let before = sink.count();
    let claim = claim(section, family.variants, sink)?;
    check::within_link(section, &claim, family.link, sink);
    check::capacity_named(section, &claim, family.note, sink);
    (sink.count() == before).then_some(claim)
}

fn claim(section: &DatasheetSection, variants: &[Variant], sink: &mut Sink) -> Option<Claim> {
    let metric = section.required(sink, "metric", values::metric);
    let value = value(section, metric, sink);
    let qualifier = section.required(sink, "qualifier", values::qualifier);
    let pattern = section.required(sink, "pattern", values::pattern);
    let read_percent = section.required(sink, "mix", values::mix);
    let block_bytes = section.required(sink, "block_size", values::block_size);
    let source = section.required(sink, "source", values::text);
    let confidence = section.required(sink, "confidence", values::confidence);
    let queue_depth_total = section.optional(sink, "queue_depth", values::queue_depth);
    let workers = section.optional(sink, "workers", values::workers);
    check::concurrency(section, queue_depth_total, workers, sink);
    let span = section.optional(sink, "span", values::span);
    let state = section.optional(sink, "state", values::state);
    let tool = section.optional(sink, "tool", values::text);
    let statistic = statistic(section, metric, sink);
    let capacities_bytes = capacities(section, variants, sink);
    let note = section.optional(sink, "note", values::text);
    Some(Claim {
        metric: metric?,
        value: value?,
        qualifier: qualifier?,
        pattern: pattern?,
        read_percent: read_percent?,
        block_bytes: block_bytes?,
        queue_depth_total,
        workers,
        span,
        state,
        tool,
        statistic,
        capacities_bytes,
        source: source?,
        confidence: confidence?,
        note,
    })
}

/// The value in the stored unit of its metric.
fn value(section: &DatasheetSection, metric: Option<Metric>, sink: &mut Sink) -> Option<f64> {
    let number = section.required(sink, "value", values::number);
    let unit = section.required(sink, "unit", values::unit);
    let (number, unit, metric) = (number?, unit?, metric?);
    if unit.metric != metric {
        section.fault(sink, "unit", check::wrong_unit(unit, metric));
        return None;
    }
    values::plausible(metric, number * unit.factor).map_err(|fault| section.fault(sink, "value", fault)).ok()
}

/// Required for latency, and out of place elsewhere.
fn statistic(section: &DatasheetSection, metric: Option<Metric>, sink: &mut Sink) -> Option<Statistic> {
    if metric == Some(Metric::Latency) {
        return section.required(sink, "statistic", values::statistic);
    }
    let statistic = section.optional(sink, "statistic", values::statistic);
    if statistic.is_some() && metric.is_some() {
        section.fault(sink, "statistic", Fault::new("only a latency has one"));
    }
    statistic
}

fn capacities(section: &DatasheetSection, variants: &[Variant], sink: &mut Sink) -> Vec<u64> {
    let mut capacities = Vec::new();
    for (index, capacity) in section.list(sink, "capacity", values::capacity) {
        if !variants.iter().any(|v| v.capacity_bytes == capacity) {
            section.list_fault(sink, "capacity", index, check::no_such_variant(capacity, variants));
        } else if capacities.contains(&capacity) {
            section.list_fault(sink, "capacity", index, Fault::new("is named twice"));
        } else {
            capacities.push(capacity);
        }
    }
    capacities
}
