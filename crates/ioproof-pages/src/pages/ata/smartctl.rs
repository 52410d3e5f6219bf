//! The attributes as smartmontools' drive database names and scales them: the output of `smartctl --json --attributes`.
//!
//! Only what the maker's own meaning adds is read here: the name and the reading of each attribute, and what smartctl concludes from them. The bytes themselves are read
//! by `smart`, whether smartmontools is there or not.

use crate::pages::{Field, Page, Value, field};
use serde_json::Value as Json;

const CONCLUSIONS: &[(&str, &str, &str, &str)] = &[
    ("/temperature/current", "temperature_celsius", "temperature", "celsius"),
    ("/power_on_time/hours", "power_on_hours", "power-on hours", "hours"),
    ("/power_cycle_count", "power_cycles", "power cycles", "cycles"),
    ("/spare_available/current_percent", "available_spare_percent", "available spare", "percent"),
    ("/spare_available/threshold_percent", "available_spare_threshold_percent", "available spare's threshold", "percent"),
    ("/endurance_used/current_percent", "percentage_used_percent", "endurance used", "percent"),
];

pub fn smartctl_attributes(text: &str, source: impl Into<String>) -> Page {
    let mut page = Page { name: "smartctl".to_owned(), source: source.into(), ..Page::default() };
    let told = match serde_json::from_str::<Json>(text) {
        Ok(told) if told.get("smartctl").is_some() => told,
        Ok(_) => return problem(page, "this is not the output of smartctl".to_owned()),
        Err(error) => return problem(page, format!("the output of smartctl is cut or no JSON: {error}")),
    };
    let tool = tool(&told);
    page.fields.extend(
        told.get("model_family")
            .and_then(Json::as_str)
            .map(|family| field("model_family", "family in smartmontools' drive database", Value::Text(family.to_owned()), "", &*tool)),
    );
    page.fields.extend(CONCLUSIONS.iter().filter_map(|conclusion| concluded(&told, conclusion, &tool)));
    page.fields.extend(attributes(&told, &tool));
    page.problems.extend(messages(&told));
    page
}

fn problem(page: Page, problem: String) -> Page {
    Page { problems: vec![problem], ..page }
}

/// `smartctl 7.3 with drive database 7.3/5319`.
fn tool(told: &Json) -> String {
    let number = |place: &str| told.pointer(place).map_or_else(|| "?".to_owned(), Json::to_string);
    let version = format!("smartctl {}.{}", number("/smartctl/version/0"), number("/smartctl/version/1"));
    match told.pointer("/smartctl/drive_database_version/string").and_then(Json::as_str) {
        Some(database) => format!("{version} with drive database {database}"),
        None => version,
    }
}

fn concluded(told: &Json, (place, key, title, unit): &(&str, &str, &str, &str), tool: &str) -> Option<Field> {
    let number = told.pointer(place)?;
    let value = number.as_u64().map(Value::Number).or_else(|| number.as_f64().map(Value::Real))?;
    Some(field(key, title, value, unit, format!("{tool}: {}", place.trim_start_matches('/'))))
}

fn attributes(told: &Json, tool: &str) -> Vec<Field> {
    let mut found: Vec<Field> = Vec::new();
    let rows = told.pointer("/ata_smart_attributes/table").and_then(Json::as_array);
    for row in rows.into_iter().flatten() {
        let made = attribute(row, tool).filter(|made| !found.iter().any(|field| field.key == made.key));
        found.extend(made);
    }
    found
}

fn attribute(row: &Json, tool: &str) -> Option<Field> {
    let id = u8::try_from(row.get("id")?.as_u64()?).ok()?;
    let reading = row.pointer("/raw/string")?.as_str()?;
    let name = row.get("name")?.as_str()?.replace('_', " ");
    let place = format!("{tool}: ata_smart_attributes, attribute {id}");
    Some(field(&format!("attribute_{id}_reading"), &name, Value::Text(reading.to_owned()), "", place))
}

fn messages(told: &Json) -> Vec<String> {
    let all = told.pointer("/smartctl/messages").and_then(Json::as_array);
    all.into_iter().flatten().filter_map(|message| message.get("string")?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RIG: &str = include_str!("../../../../../fixtures/pages/sata-smartctl.json");

    #[test]
    fn the_rigs_drive_by_its_names() {
        let page = smartctl_attributes(RIG, "test");
        assert_eq!(page.problems, Vec::<String>::new());
        let temperature = page.field("attribute_190_reading").unwrap();
        assert_eq!(
            (temperature.title.as_str(), page.text("attribute_190_reading")),
            ("Airflow Temperature Cel", Some("31 (Min/Max 31/31)"))
        );
        assert_eq!(temperature.source, "smartctl 7.3 with drive database 7.3/5319: ata_smart_attributes, attribute 190");
        assert_eq!(["temperature_celsius", "power_on_hours", "power_cycles"].map(|key| page.number(key)), [Some(31), Some(1), Some(0)]);
        assert_eq!(page.fields.iter().filter(|field| field.key.starts_with("attribute_")).count(), 7);
    }

    #[test]
    fn what_smartctl_complains_of_is_a_problem() {
        let text = r#"{"smartctl":{"version":[7,4],"messages":[{"string":"Permission denied","severity":"error"}]},"endurance_used":{"current_percent":3}}"#;
        let page = smartctl_attributes(text, "test");
        assert_eq!((page.number("percentage_used_percent"), page.problems), (Some(3), vec!["Permission denied".to_owned()]));
        assert_eq!(smartctl_attributes("{}", "test").problems, ["this is not the output of smartctl"]);
        assert!(smartctl_attributes(&RIG[..500], "test").problems[0].contains("cut or no JSON"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_page(text in "\\PC{0,80}", cut in 0..RIG.len(), id: u64, reading in "\\PC{0,9}") {
            let _ = smartctl_attributes(&text, "x");
            let _ = smartctl_attributes(&RIG[..cut], "x");
            let row = serde_json::json!({"smartctl": 1, "ata_smart_attributes": {"table": [{"id": id, "name": reading, "raw": {"string": reading}}, 7]}});
            let page = smartctl_attributes(&row.to_string(), "x");
            prop_assert_eq!(page.fields.len(), usize::from(id <= 255));
        }
    }
}
