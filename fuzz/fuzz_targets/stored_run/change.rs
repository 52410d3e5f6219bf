//! Changes of a record that leave it JSON, and often a record.

use crate::odd;
use crate::random::Random;
use crate::tree;
use ioproof_core::record::RunRecord;
use libfuzzer_sys::fuzzer_mutate;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One in so many changes is one of bytes.
const BYTES_EVERY: usize = 64;
/// Changes of fields at a time, at most.
const MOST_CHANGES: usize = 4;
/// Tries until a change leaves a record.
const MOST_TRIES: usize = 16;
/// Elements that a list is made to have, at most.
const LONG_LIST: usize = 300;

/// Changes `data[..size]` in place; returns its new length.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    let document = if random.below(BYTES_EVERY) == 0 { None } else { serde_json::from_slice::<Value>(&data[..size]).ok() };
    let Some(document) = document else { return fuzzer_mutate(data, size, max_size) };
    let room = max_size.min(data.len());
    let Some(changed) = (0..MOST_TRIES).find_map(|_| record_of(&document, room, &mut random)) else { return size };
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
}

/// The value with a few fields changed, where they make one; the seed tells which.
pub fn alike<T: Serialize + DeserializeOwned>(value: &T, seed: u32) -> Option<T> {
    let (document, mut random) = (serde_json::to_value(value).ok()?, Random::new(seed));
    (0..MOST_TRIES).find_map(|_| serde_json::from_value(with_changes(&document, &mut random)).ok())
}

fn with_changes(document: &Value, random: &mut Random) -> Value {
    let mut document = document.clone();
    for _ in 0..=random.below(MOST_CHANGES) {
        one_change(&mut document, random);
    }
    document
}

/// The document with a few changes, where it is still a record and not too long.
fn record_of(document: &Value, room: usize, random: &mut Random) -> Option<Vec<u8>> {
    let changed = serde_json::to_vec(&with_changes(document, random)).ok()?;
    (changed.len() <= room && serde_json::from_slice::<RunRecord>(&changed).is_ok()).then_some(changed)
}

fn one_change(document: &mut Value, random: &mut Random) {
    let whole = document.clone();
    let Some((value, name)) = tree::node(document, &mut random.below(tree::count(&whole)), "") else { return };
    if random.below(6) == 0 {
        let mut alike = Vec::new();
        tree::named(&whole, &name, "", &mut alike);
        *value = (*random.one(&alike)).clone();
        return;
    }
    match value {
        Value::Number(was) => *value = odd::number(was, random),
        Value::String(was) => *was = odd::text(was, random),
        Value::Bool(was) => *was = !*was,
        Value::Array(items) => list(items, random),
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            if !names.is_empty() {
                fields.remove(random.one(&names));
            }
        }
        Value::Null => *value = Value::from(0),
    }
}

fn list(items: &mut Vec<Value>, random: &mut Random) {
    if items.is_empty() {
        return;
    }
    let at = random.below(items.len());
    match random.below(5) {
        0 => items.clear(),
        1 => drop(items.remove(at)),
        2 => items.reverse(),
        3 => items.push(items[at].clone()),
        _ => {
            let item = items[at].clone();
            let length = items.len() + random.below(LONG_LIST);
            items.resize(length, item);
        }
    }
}
