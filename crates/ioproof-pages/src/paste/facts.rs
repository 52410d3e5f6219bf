//! Facts of one drive from its pages, in the form that datasheets are matched with and records carry.

use crate::field::{Field, Page, Value, find};
use ioproof_core::facts::{DeviceFacts, DriveKind, Fact};

/// Facts of one drive from its pages; `None` where they do not name a model. Where nothing tells the capacity it is 0, by which catalogues are asked about a drive
/// of unknown size.
pub fn facts(pages: &[Page]) -> Option<DeviceFacts> {
    let model = text(pages, "model")?;
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

/// The namespace's or the drive's size; else that of the whole subsystem; else what a list rounded.
fn capacity(pages: &[Page]) -> Option<Fact<u64>> {
    let exact = ["capacity_bytes", "total_capacity_bytes"].iter().find_map(|key| number_fact(find(pages, key)?));
    exact.or_else(|| number_fact(find(pages, "capacity_rounded_bytes")?)).or_else(|| {
        let rounded = number_fact(find(pages, "capacity_mib")?)?;
        Some(Fact::new(rounded.value.checked_mul(1 << 20)?, rounded.source))
    })
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
