//! A validator for those keywords of JSON Schema (draft 2020-12) that our schema uses. A keyword that it does not know is a failure, so that nothing passes
//! unlooked at; `xtask test --full` holds it against another validator.

use serde_json::Value;

/// Keywords that say something for people, or of no weight here.
const IGNORED: [&str; 6] = ["$schema", "$defs", "title", "description", "default", "format"];

/// Checks a value against a schema.
///
/// # Errors
/// The first place at which it does not fit.
pub fn validate(root: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let keywords = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(keywords) => keywords,
        _ => return Err(format!("{place}: {schema} allows nothing")),
    };
    keywords.iter().filter(|(name, _)| !IGNORED.contains(&name.as_str())).try_for_each(|(name, of)| {
        let fits = |schema: &Value| validate(root, schema, value, place);
        let holds = |is_so: bool| if is_so { Ok(()) } else { Err(format!("{place}: {value} against {name} {of}")) };
        match name.as_str() {
            "$ref" => fits(pointed_to(root, of)),
            "type" => holds(listed(of).iter().any(|kind| is_of(value, kind))),
            "const" => holds(of == value),
            "enum" => holds(listed(of).contains(&value)),
            "minimum" => holds(!value.is_number() || value.as_f64() >= of.as_f64()),
            "maximum" => holds(!value.is_number() || value.as_f64() <= of.as_f64()),
            "minItems" => holds(value.as_array().is_none_or(|items| items.len() as u64 >= of.as_u64().unwrap())),
            "maxItems" => holds(value.as_array().is_none_or(|items| items.len() as u64 <= of.as_u64().unwrap())),
            "allOf" => listed(of).iter().try_for_each(|schema| fits(schema)),
            "anyOf" => holds(listed(of).iter().any(|schema| fits(schema).is_ok())),
            "oneOf" => match listed(of).iter().filter(|schema| fits(schema).is_ok()).count() {
                1 => Ok(()),
                n => Err(format!("{place}: {value} fits {n} of {of}")),
            },
            "required" => holds(value.as_object().is_none_or(|map| listed(of).iter().all(|name| map.contains_key(name.as_str().unwrap())))),
            "properties" => members(value)
                .filter_map(|(name, value)| Some((name, of.get(name)?, value)))
                .try_for_each(|(name, schema, value)| validate(root, schema, value, &format!("{place}.{name}"))),
            "additionalProperties" => members(value)
                .filter(|(name, _)| keywords.get("properties").and_then(|known| known.get(name)).is_none())
                .try_for_each(|(name, value)| validate(root, of, value, &format!("{place}.{name}"))),
            "prefixItems" => items(value)
                .zip(listed(of))
                .enumerate()
                .try_for_each(|(at, (item, schema))| validate(root, schema, item, &format!("{place}[{at}]"))),
            "items" => {
                let first = keywords.get("prefixItems").map_or(0, |before| listed(before).len());
                items(value).enumerate().skip(first).try_for_each(|(at, item)| validate(root, of, item, &format!("{place}[{at}]")))
            }
            unknown => Err(format!("{place}: the keyword {unknown} is not known here")),
        }
    })
}

fn listed(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |items| items.iter().collect())
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn pointed_to<'a>(root: &'a Value, reference: &Value) -> &'a Value {
    let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).unwrap_or_else(|| panic!("{reference}"));
    root.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere"))
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("type {other}"),
    }
}
