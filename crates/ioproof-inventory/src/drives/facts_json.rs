//! The facts of a drive as JSON: each value with its unit, where it has one, and its source, as in the pages.

use ioproof_core::facts::{DeviceFacts, DriveKind, Fact, Link, Upstream};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct FactReading<'a, T: ?Sized> {
    value: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    source: &'a str,
}

/// The facts; name and kind are no readings and stand alone. The link is several readings of one source.
#[derive(Debug, Serialize)]
pub struct FactsJson<'a> {
    name: &'a str,
    kind: DriveKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    vendor: Option<FactReading<'a, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<FactReading<'a, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    serial: Option<FactReading<'a, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    firmware: Option<FactReading<'a, String>>,
    capacity_bytes: FactReading<'a, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_block_bytes: Option<FactReading<'a, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_block_bytes: Option<FactReading<'a, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rotational: Option<FactReading<'a, bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_cache: Option<FactReading<'a, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fua: Option<FactReading<'a, bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduler: Option<FactReading<'a, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nr_requests: Option<FactReading<'a, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_request_bytes: Option<FactReading<'a, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numa_node: Option<FactReading<'a, i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<FactReading<'a, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link_limit_bytes_per_s: Option<FactReading<'a, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link_capable_bytes_per_s: Option<FactReading<'a, f64>>,
    #[serde(skip_serializing_if = "<[Upstream]>::is_empty")]
    upstream: &'a [Upstream],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature_celsius: Option<FactReading<'a, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utilized_bytes: Option<FactReading<'a, u64>>,
}

const BYTES: Option<&str> = Some("bytes");
const BYTES_PER_S: Option<&str> = Some("bytes per second");

impl<'a> FactsJson<'a> {
    /// The facts of one drive. They are taken apart completely, so that a new fact cannot be forgotten here.
    pub fn new(facts: &'a DeviceFacts) -> Self {
        let DeviceFacts {
            name,
            kind,
            vendor,
            model,
            serial,
            firmware,
            capacity_bytes,
            logical_block_bytes,
            physical_block_bytes,
            rotational,
            write_cache,
            fua,
            scheduler,
            nr_requests,
            max_request_bytes,
            numa_node,
            link,
            upstream,
            temperature_celsius,
            utilized_bytes,
        } = facts;
        Self {
            name,
            kind: *kind,
            vendor: optional(vendor, None),
            model: optional(model, None),
            serial: optional(serial, None),
            firmware: optional(firmware, None),
            capacity_bytes: reading(capacity_bytes, BYTES),
            logical_block_bytes: optional(logical_block_bytes, BYTES),
            physical_block_bytes: optional(physical_block_bytes, BYTES),
            rotational: optional(rotational, None),
            write_cache: optional(write_cache, None),
            fua: optional(fua, None),
            scheduler: optional(scheduler, None),
            nr_requests: optional(nr_requests, None),
            max_request_bytes: optional(max_request_bytes, BYTES),
            numa_node: optional(numa_node, None),
            link: of_link(link, None, |link| Some(&link.title)),
            link_limit_bytes_per_s: of_link(link, BYTES_PER_S, |link| Some(&link.limit_bytes_per_s)),
            link_capable_bytes_per_s: of_link(link, BYTES_PER_S, |link| link.capable_bytes_per_s.as_ref()),
            upstream,
            temperature_celsius: optional(temperature_celsius, Some("celsius")),
            utilized_bytes: optional(utilized_bytes, BYTES),
        }
    }
}

fn reading<'a, T>(fact: &'a Fact<T>, unit: Option<&'static str>) -> FactReading<'a, T> {
    FactReading { value: &fact.value, unit, source: &fact.source }
}

fn optional<'a, T>(fact: &'a Option<Fact<T>>, unit: Option<&'static str>) -> Option<FactReading<'a, T>> {
    fact.as_ref().map(|fact| reading(fact, unit))
}

fn of_link<'a, T>(
    link: &'a Option<Link>,
    unit: Option<&'static str>,
    value: impl FnOnce(&'a Link) -> Option<&'a T>,
) -> Option<FactReading<'a, T>> {
    let link = link.as_ref()?;
    Some(FactReading { value: value(link)?, unit, source: &link.source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn every_value_has_its_source_and_numbers_have_units() {
        let facts: DeviceFacts = serde_json::from_value(json!({
            "name": "sda", "kind": "sata", "capacity_bytes": { "value": 512, "source": "/s" }, "model": { "value": "X", "source": "/m" },
            "temperature_celsius": { "value": 31.0, "source": "/t" }, "nr_requests": { "value": 64, "source": "/n" },
            "link": { "title": "SATA 6.0 Gb/s", "limit_bytes_per_s": 6e8, "source": "/l" },
        }))
        .unwrap();
        let all = serde_json::to_value(FactsJson::new(&facts)).unwrap();
        assert_eq!(all["capacity_bytes"], json!({ "value": 512, "unit": "bytes", "source": "/s" }));
        assert_eq!((&all["temperature_celsius"]["unit"], &all["model"]["unit"]), (&json!("celsius"), &Value::Null));
        assert_eq!(all["link"], json!({ "value": "SATA 6.0 Gb/s", "source": "/l" }));
        assert_eq!(all["link_limit_bytes_per_s"], json!({ "value": 6e8, "unit": "bytes per second", "source": "/l" }));
        let readings = all.as_object().unwrap().iter().filter(|(key, _)| !matches!(key.as_str(), "name" | "kind"));
        assert!(readings.clone().count() == 6 && readings.into_iter().all(|(_, fact)| fact["source"].is_string()), "{all}");
    }
}
