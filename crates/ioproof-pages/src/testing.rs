//! Pages and values that tests are made of, and what they ask of every page.

use crate::field::{Field, Page, Value};
use proptest::prelude::*;
use serde_json::Value as Json;

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub(crate) fn number(number: u64) -> Value {
    Value::Number(number)
}

pub(crate) fn list(words: &[&str]) -> Value {
    Value::List(words.iter().map(|word| (*word).to_owned()).collect())
}

pub(crate) fn page(fields: &[(&str, Value)]) -> Page {
    let field = |(key, value): &(&str, Value)| Field {
        key: (*key).to_owned(),
        title: key.replace('_', " "),
        value: value.clone(),
        unit: None,
        source: format!("where {key} stands"),
    };
    Page { name: "test".to_owned(), fields: fields.iter().map(field).collect(), ..Page::default() }
}

/// The fields of `key = value; key = value`: numbers, `true` and `false`, lists such as `[a | b]`, texts, and texts in quotes that would be something else.
pub(crate) fn fields(told: &str) -> Vec<(&str, Value)> {
    told.split("; ")
        .filter(|field| !field.is_empty())
        .map(|field| field.split_once(" = ").unwrap())
        .map(|(key, told)| (key, value(told)))
        .collect()
}

fn value(told: &str) -> Value {
    let inside = |open, close| told.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    match (told.parse(), told.parse(), told.parse()) {
        (Ok(number), _, _) => Value::Number(number),
        (_, Ok(flag), _) => Value::Flag(flag),
        (_, _, Ok(real)) => Value::Real(real),
        _ if told == "[]" => list(&[]),
        _ => inside('[', ']')
            .map(|words| list(&words.split(" | ").collect::<Vec<_>>()))
            .unwrap_or_else(|| text(inside('"', '"').unwrap_or(told))),
    }
}

pub(crate) fn json(page: &Page, key: &str) -> Json {
    page.field(key).map_or(Json::Null, |field| serde_json::to_value(&field.value).unwrap())
}

pub(crate) fn hostile(page: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let random = proptest::collection::vec(any::<u8>(), 0..700);
    let near = (proptest::collection::vec((0..page.len(), any::<u8>()), 0..40), 0..=page.len()).prop_map(|(changes, length)| {
        let mut bytes = page.to_vec();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        bytes.truncate(length);
        bytes
    });
    prop_oneof![random, near]
}

pub(crate) fn unique_keys(page: &Page) -> bool {
    let mut keys: Vec<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

/// True of every page that any bytes give.
pub(crate) fn is_sound(page: &Page) -> bool {
    let is_finite = |value: &Value| !matches!(value, Value::Real(real) if !real.is_finite());
    unique_keys(page) && page.fields.iter().all(|field| !field.key.is_empty() && !field.source.is_empty() && is_finite(&field.value))
}
