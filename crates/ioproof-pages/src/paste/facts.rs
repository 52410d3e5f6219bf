//! Facts of one drive from its pages, in the form that datasheets are matched with and records carry.

use crate::field::{Field, Page, Value, find};
use ioproof_core::facts::{DeviceFacts, DriveKind, Fact};

/// Facts of one drive from its pages; `None` where they do not name a model. Where nothing tells the capacity it is 0, by which catalogues are asked about a drive
/// of unknown size.
pub fn facts(pages: &[Page]) -> Option<DeviceFacts> {
    let model = model(pages)?;
    let number = |key: &str| find(pages, key).and_then(number_fact);
    let small = |key: &str| number(key).and_then(|fact| Some(Fact::new(u32::try_from(fact.value).ok()?, fact.source)));
    let capacity_bytes = capacity(pages).unwrap_or_else(|| Fact::new(0, "not told"));
    Some(DeviceFacts {
        name: text(pages, "device_name").map_or_else(|| model.value.clone(), |name| name.value),
        kind: kind(pages),
        vendor: text(pages, "vendor"),
        serial: text(pages, "serial"),
        firmware: text(pages, "firmware"),
        capacity_bytes,
        logical_block_bytes: small("logical_block_bytes"),
        physical_block_bytes: small("physical_block_bytes"),
        rotational: number("rotation_rate_rpm").map(|rpm| Fact::new(rpm.value > 0, rpm.source)),
        write_cache: write_cache(pages),
        fua: None,
        scheduler: None,
        nr_requests: None,
        max_request_bytes: None,
        numa_node: None,
        link: None,
        upstream: Vec::new(),
        temperature_celsius: find(pages, "temperature_celsius").and_then(real_fact),
        utilized_bytes: utilized(pages),
        model: Some(model),
    })
}

fn text(pages: &[Page], key: &str) -> Option<Fact<String>> {
    let field = find(pages, key)?;
    match &field.value {
        Value::Text(text) => Some(Fact::new(text.clone(), &field.source)),
        _ => None,
    }
}

/// The model; where a page has it cut to SCSI's field, that of a page that has the rest.
fn model(pages: &[Page]) -> Option<Fact<String>> {
    const FIELD_CHARS: usize = 16;
    let first = text(pages, "model")?;
    let is_cut = first.value.chars().count() + 1 >= FIELD_CHARS;
    let others = pages.iter().filter_map(|page| text(std::slice::from_ref(page), "model"));
    let longer = others.filter(|other| is_cut && other.value.starts_with(&first.value)).max_by_key(|other| other.value.len());
    Some(longer.unwrap_or(first))
}

fn number_fact(field: &Field) -> Option<Fact<u64>> {
    match field.value {
        Value::Number(number) => Some(Fact::new(number, &field.source)),
        _ => None,
    }
}

fn real_fact(field: &Field) -> Option<Fact<f64>> {
    match field.value {
        Value::Number(number) => Some(Fact::new(number as f64, &field.source)),
        Value::Real(number) => Some(Fact::new(number, &field.source)),
        _ => None,
    }
}

/// The drive's size: its only namespace's, or that of all where there are several; else what a list rounded.
fn capacity(pages: &[Page]) -> Option<Fact<u64>> {
    let told = |key: &str| number_fact(find(pages, key)?);
    let one = told("capacity_bytes");
    let total = told("total_capacity_bytes");
    let has_others = one.as_ref().zip(total.as_ref()).is_some_and(|(one, total)| is_part(pages, one.value, total.value));
    let several = namespaces(pages, "capacity_bytes");
    if let Some(total) = total.clone().filter(|_| has_others || several.is_some()) {
        return Some(total);
    }
    several.or(one).or(total).or_else(|| namespaces(pages, "capacity_rounded_bytes")).or_else(|| told("capacity_rounded_bytes")).or_else(
        || {
            let rounded = told("capacity_mib")?;
            Some(Fact::new(rounded.value.checked_mul(1 << 20)?, rounded.source))
        },
    )
}

/// True where a namespace is smaller than what namespaces have of the drive, so that there are others.
fn is_part(pages: &[Page], namespace: u64, total: u64) -> bool {
    const NEARLY_ALL: f64 = 0.9;
    let unallocated = find(pages, "unallocated_capacity_bytes").and_then(number_fact);
    unallocated.is_some_and(|unallocated| (namespace as f64) < total.saturating_sub(unallocated.value) as f64 * NEARLY_ALL)
}

/// The sizes of several namespaces together; none where there is one.
fn namespaces(pages: &[Page], key: &str) -> Option<Fact<u64>> {
    let mut told: Vec<(u64, Fact<u64>)> = Vec::new();
    for page in pages {
        let (Some(id), Some(size)) = (page.number("namespace_id"), page.field(key).and_then(number_fact)) else { continue };
        if !told.iter().any(|(known, _)| *known == id) {
            told.push((id, size));
        }
    }
    let sum = told.iter().try_fold(0_u64, |sum, (_, size)| sum.checked_add(size.value))?;
    let sources: Vec<&str> = told.iter().map(|(_, size)| size.source.as_str()).collect();
    (told.len() > 1).then(|| Fact::new(sum, format!("{} namespaces together: {}", told.len(), sources.join("; "))))
}

fn kind(pages: &[Page]) -> DriveKind {
    const NVME_PAGES: [&str; 5] = ["identify-controller", "identify-namespace", "smart-log", "devlist", "list"];
    match text(pages, "protocol").map(|protocol| protocol.value).as_deref() {
        Some("NVMe") => DriveKind::Nvme,
        Some("ATA") => DriveKind::Sata,
        Some("SCSI") => DriveKind::Scsi,
        _ if pages.iter().any(|page| NVME_PAGES.contains(&page.name.as_str())) => DriveKind::Nvme,
        _ => DriveKind::Other,
    }
}

/// In the kernel's words; a cache that is there may still be off, so that alone says nothing.
fn write_cache(pages: &[Page]) -> Option<Fact<String>> {
    let flag = |key: &str| {
        find(pages, key).and_then(|field| match field.value {
            Value::Flag(flag) => Some((flag, field.source.clone())),
            _ => None,
        })
    };
    let on = flag("write_cache_enabled").or_else(|| flag("volatile_write_cache").filter(|(is_there, _)| !is_there));
    on.map(|(on, source)| Fact::new(if on { "write back" } else { "write through" }.to_owned(), source))
}

fn utilized(pages: &[Page]) -> Option<Fact<u64>> {
    let page = pages.iter().find(|page| page.number("namespace_used_blocks").is_some())?;
    let block =
        page.number("logical_block_bytes").or_else(|| find(pages, "logical_block_bytes").and_then(number_fact).map(|fact| fact.value))?;
    let used = number_fact(page.field("namespace_used_blocks")?)?;
    Some(Fact::new(used.value.checked_mul(block)?, used.source))
}
