//! The facts of a drive as JSON: each value with its unit, where it has one, and its source, as in the pages.

use ioproof_core::facts::{DeviceFacts, Link};
use serde_json::{Map, Value, json};

/// End of a key, and the unit that it stands for; the longer ends first.
const UNITS: [(&str, &str); 3] = [("_bytes_per_s", "bytes per second"), ("_bytes", "bytes"), ("_celsius", "celsius")];

/// The facts; name and kind are no readings and stand alone.
pub fn facts_json(facts: &DeviceFacts) -> Value {
    let Ok(Value::Object(mut all)) = serde_json::to_value(facts) else { return Value::Null };
    for (key, fact) in &mut all {
        if let (Some(unit), Value::Object(fact)) = (unit(key), fact) {
            fact.insert("unit".to_owned(), unit.into());
        }
    }
    all.remove("link");
    all.extend(facts.link.iter().flat_map(link));
    Value::Object(all)
}

fn unit(key: &str) -> Option<&'static str> {
    UNITS.iter().find(|(end, _)| key.ends_with(end)).map(|(_, unit)| *unit)
}

/// The link is several readings of one source.
fn link(link: &Link) -> Map<String, Value> {
    let reading = |value: Value, unit: Option<&str>| {
        let mut reading = json!({ "value": value, "source": link.source });
        if let (Some(unit), Value::Object(reading)) = (unit, &mut reading) {
            reading.insert("unit".to_owned(), unit.into());
        }
        reading
    };
    let speeds = [("link_limit_bytes_per_s", Some(link.limit_bytes_per_s)), ("link_capable_bytes_per_s", link.capable_bytes_per_s)];
    let speeds = speeds.into_iter().filter_map(|(key, speed)| Some((key.to_owned(), reading(speed?.into(), unit(key)))));
    std::iter::once(("link".to_owned(), reading(link.title.clone().into(), None))).chain(speeds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_source_and_numbers_have_units() {
        let facts: DeviceFacts = serde_json::from_value(json!({
            "name": "sda", "kind": "sata", "capacity_bytes": { "value": 512, "source": "/s" }, "model": { "value": "X", "source": "/m" },
            "temperature_celsius": { "value": 31.0, "source": "/t" }, "nr_requests": { "value": 64, "source": "/n" },
            "link": { "title": "SATA 6.0 Gb/s", "limit_bytes_per_s": 6e8, "source": "/l" },
        }))
        .unwrap();
        let all = facts_json(&facts);
        assert_eq!(all["capacity_bytes"], json!({ "value": 512, "unit": "bytes", "source": "/s" }));
        assert_eq!((&all["temperature_celsius"]["unit"], &all["model"]["unit"]), (&json!("celsius"), &Value::Null));
        assert_eq!(all["link"], json!({ "value": "SATA 6.0 Gb/s", "source": "/l" }));
        assert_eq!(all["link_limit_bytes_per_s"], json!({ "value": 6e8, "unit": "bytes per second", "source": "/l" }));
        let readings = all.as_object().unwrap().iter().filter(|(key, _)| !matches!(key.as_str(), "name" | "kind"));
        assert!(readings.clone().count() == 6 && readings.into_iter().all(|(_, fact)| fact["source"].is_string()), "{all}");
    }
}
