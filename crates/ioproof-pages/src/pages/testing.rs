//! What the tests of all command sets ask of a page.

use crate::field::{Page, Value};
use proptest::prelude::*;
use serde_json::Value as Json;

pub(super) fn json(page: &Page, key: &str) -> Json {
    page.field(key).map_or(Json::Null, |field| serde_json::to_value(&field.value).unwrap())
}

pub(super) fn hostile(page: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let random = proptest::collection::vec(any::<u8>(), 0..700);
    let near = (proptest::collection::vec((0..page.len(), any::<u8>()), 0..40), 0..=page.len()).prop_map(|(changes, length)| {
        let mut bytes = page.to_vec();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        bytes.truncate(length);
        bytes
    });
    prop_oneof![random, near]
}

pub(super) fn unique_keys(page: &Page) -> bool {
    let mut keys: Vec<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

/// True of every page that any bytes give.
pub(super) fn is_sound(page: &Page) -> bool {
    let is_finite = |value: &Value| !matches!(value, Value::Real(real) if !real.is_finite());
    unique_keys(page) && page.fields.iter().all(|field| !field.key.is_empty() && !field.source.is_empty() && is_finite(&field.value))
}
