//! Whose pages they are, and what they say in the form that datasheets are matched with and records carry.

use crate::facts::{DeviceFacts, DriveKind, Fact};
use crate::field::{Field, Page, Value, find};

/// The pages sorted by drive, in the order in which the drives appear.
///
/// Two pages are about one drive where they name the same serial number, or the same device while neither serial number nor model differ. A page that names nothing, such
/// as a SMART log alone, belongs to the drive before it.
#[must_use]
pub fn drives(pages: &[Page]) -> Vec<Vec<Page>> {
    let mut drives: Vec<Vec<Page>> = Vec::new();
    for page in pages {
        let own = drives.iter().position(|drive| belongs(page, drive));
        match own.or_else(|| drives.len().checked_sub(1).filter(|last| follows(page, &drives[*last]))) {
            Some(index) => drives[index].push(page.clone()),
            None => drives.push(vec![page.clone()]),
        }
    }
    drives
}

fn belongs(page: &Page, drive: &[Page]) -> bool {
    match (page.text("serial"), serial(drive)) {
        (Some(own), Some(known)) => own == known,
        _ => device(page).is_some_and(|name| drive.iter().any(|other| device(other) == Some(name))) && models_agree(page, drive),
    }
}

/// A page that does not say whose it is, or the drive before it does not: they were pasted together.
fn follows(page: &Page, last: &[Page]) -> bool {
    let has_name = page.text("serial").is_some() || page.text("model").is_some();
    let names_differ = device(page).is_some() && last.iter().any(|other| device(other).is_some());
    !has_name && !names_differ
}

fn serial(drive: &[Page]) -> Option<&str> {
    drive.iter().find_map(|page| page.text("serial"))
}

fn models_agree(page: &Page, drive: &[Page]) -> bool {
    let known = drive.iter().find_map(|other| other.text("model"));
    page.text("model").is_none_or(|own| known.is_none_or(|known| own == known))
}

/// The controller that a page's device belongs to: `nvme0` of `nvme0ns1`, `nvme0n1` and `nvme0n1p2`.
fn device(page: &Page) -> Option<&str> {
    let name = page.text("device_name")?;
    let unit = |rest: &str| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some(name.strip_prefix("nvme").map_or(name, |rest| &name[.."nvme".len() + unit(rest)]))
}

/// What the pages of one drive say of it; `None` where they do not name a model. Where nothing tells the capacity it is 0, which is how catalogues are asked about a drive
/// of unknown size.
#[must_use]
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

/// The namespace's or the drive's size; else that of the whole subsystem; else what a list rounded down to mebibytes.
fn capacity(pages: &[Page]) -> Option<Fact<u64>> {
    let exact = ["capacity_bytes", "total_capacity_bytes"].iter().find_map(|key| number_fact(find(pages, key)?));
    exact.or_else(|| {
        let rounded = number_fact(find(pages, "capacity_mib")?)?;
        Some(Fact::new(rounded.value.checked_mul(1 << 20)?, rounded.source))
    })
}

fn kind(pages: &[Page]) -> DriveKind {
    const NVME_PAGES: [&str; 4] = ["identify-controller", "identify-namespace", "smart-log", "devlist"];
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
