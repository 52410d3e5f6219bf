//! Nodes of a JSON document, by number.

use serde_json::Value;

/// Nodes of a document with the document itself.
pub fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// The node of this number, depth first, with the name of its field; elements of a list have that of the list.
pub fn node<'a>(value: &'a mut Value, number: &mut usize, name: &str) -> Option<(&'a mut Value, String)> {
    if *number == 0 {
        return Some((value, name.to_owned()));
    }
    *number -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| node(item, number, name)),
        Value::Object(fields) => fields.iter_mut().find_map(|(name, field)| node(field, number, name)),
        _ => None,
    }
}

/// Every value of fields with this name.
pub fn named<'a>(value: &'a Value, wanted: &str, name: &str, found: &mut Vec<&'a Value>) {
    if name == wanted {
        found.push(value);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| named(item, wanted, name, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| named(field, wanted, name, found)),
        _ => {}
    }
}
