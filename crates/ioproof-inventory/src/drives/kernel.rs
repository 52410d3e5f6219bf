//! The kernel's facts about a drive as a page, so that they stand beside what the drive says, under the same keys.

use ioproof_core::facts::{DeviceFacts, Fact, Link};
use ioproof_pages::field::{Field, Page, Value};

pub fn page(facts: &DeviceFacts) -> Page {
    let mut fields = Vec::new();
    names(facts, &mut fields);
    numbers(facts, &mut fields);
    switches(facts, &mut fields);
    fields.extend(facts.link.iter().flat_map(link));
    Page { name: "kernel".into(), source: "sysfs and procfs".into(), fields, ..Page::default() }
}

fn names(facts: &DeviceFacts, fields: &mut Vec<Field>) {
    let rows = [
        ("vendor", &facts.vendor),
        ("model", &facts.model),
        ("serial", &facts.serial),
        ("firmware", &facts.firmware),
        ("write_cache", &facts.write_cache),
        ("scheduler", &facts.scheduler),
    ];
    fields.extend(rows.into_iter().filter_map(|(key, fact)| Some(row(key, "", fact.as_ref()?, |text| Value::Text(text.clone())))));
}

fn numbers(facts: &DeviceFacts, fields: &mut Vec<Field>) {
    fields.push(row("capacity_bytes", "bytes", &facts.capacity_bytes, |bytes| Value::Number(*bytes)));
    let rows = [("logical_block_bytes", &facts.logical_block_bytes), ("physical_block_bytes", &facts.physical_block_bytes)];
    fields.extend(rows.into_iter().filter_map(|(key, fact)| Some(row(key, "bytes", fact.as_ref()?, |n| Value::Number(u64::from(*n))))));
    fields.extend(facts.max_request_bytes.iter().map(|fact| row("max_request_bytes", "bytes", fact, |n| Value::Number(*n))));
    fields.extend(facts.utilized_bytes.iter().map(|fact| row("utilized_bytes", "bytes", fact, |n| Value::Number(*n))));
    fields.extend(facts.nr_requests.iter().map(|fact| row("nr_requests", "", fact, |n| Value::Number(u64::from(*n)))));
    fields.extend(facts.numa_node.iter().map(|fact| row("numa_node", "", fact, |n| Value::Number(u64::try_from(*n).unwrap_or(0)))));
    fields.extend(facts.temperature_celsius.iter().map(|fact| row("temperature_celsius", "celsius", fact, |n| Value::Real(*n))));
}

fn switches(facts: &DeviceFacts, fields: &mut Vec<Field>) {
    let rows = [("rotational", &facts.rotational), ("fua", &facts.fua)];
    fields.extend(rows.into_iter().filter_map(|(key, fact)| Some(row(key, "", fact.as_ref()?, |flag| Value::Flag(*flag)))));
}

fn link(link: &Link) -> Vec<Field> {
    let fact = |value| Fact::new(value, link.source.clone());
    let mut fields = vec![
        row("link", "", &fact(0.0), |_| Value::Text(link.title.clone())),
        row("link_limit_bytes_per_s", "bytes per second", &fact(link.limit_bytes_per_s), |n| Value::Real(*n)),
    ];
    let capable = link.capable_bytes_per_s.map(fact);
    fields.extend(capable.iter().map(|fact| row("link_capable_bytes_per_s", "bytes per second", fact, |n| Value::Real(*n))));
    fields
}

fn row<T>(key: &str, unit: &str, fact: &Fact<T>, value: impl Fn(&T) -> Value) -> Field {
    let words = ["_bytes_per_s", "_bytes", "_celsius"].iter().find_map(|end| key.strip_suffix(end)).unwrap_or(key);
    Field {
        key: key.to_owned(),
        title: words.replace('_', " "),
        value: value(&fact.value),
        unit: (!unit.is_empty()).then(|| unit.to_owned()),
        source: fact.source.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::facts::DriveKind;

    #[test]
    fn every_fact_that_is_there_is_a_field() {
        let json = serde_json::json!({
            "name": "sda", "kind": "sata", "capacity_bytes": { "value": 512, "source": "/sys/block/sda/size" },
            "model": { "value": "X", "source": "/sys/m" }, "rotational": { "value": false, "source": "/sys/r" },
            "link": { "title": "SATA 6.0 Gb/s", "limit_bytes_per_s": 6e8, "source": "/sys/l" },
        });
        let facts: DeviceFacts = serde_json::from_value(json).unwrap();
        assert_eq!(facts.kind, DriveKind::Sata);
        let page = page(&facts);
        let keys: Vec<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["model", "capacity_bytes", "rotational", "link", "link_limit_bytes_per_s"]);
        assert_eq!((page.text("model"), page.number("capacity_bytes")), (Some("X"), Some(512)));
        assert_eq!(page.fields[4].title, "link limit");
    }
}
