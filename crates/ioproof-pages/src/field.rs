//! Answers of a drive about itself as a list of named fields: each with its value, unit and the place of its specification.
//!
//! A page (a structure of bytes, or the text that another tool made of it) is decoded into fields by a table, so that a further field is a further row. Fields of the
//! same meaning bear the same key wherever they were read, so that what `nvme id-ctrl` printed on another machine can be judged as if it had been read here.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Flag(bool),
    /// A whole number, in the field's unit. Counters of 128 bits that do not fit are given as [`Value::Text`] in decimal.
    Number(u64),
    /// A number with a sign or a fraction, in the field's unit.
    Real(f64),
    Text(String),
    List(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Stable, for programs: lower case with underscores, the unit last: `temperature_celsius`.
    pub key: String,
    pub title: String,
    pub value: Value,
    /// Unit of a number: `bytes`, `celsius`, `hours`, `percent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Where it was read: `Identify Controller bytes 4-23 (NVM Express Base Specification 2.0c, figure 275)`, or the tool's output and its line.
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Page {
    pub name: String,
    pub source: String,
    /// As it came, in hexadecimal digits; empty where it came as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub raw: String,
    pub fields: Vec<Field>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl Page {
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    pub fn number(&self, key: &str) -> Option<u64> {
        match self.field(key)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.field(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

pub fn find<'a>(pages: &'a [Page], key: &str) -> Option<&'a Field> {
    pages.iter().find_map(|page| page.field(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_they_look_like_in_json() {
        let page = Page {
            name: "smart-log".into(),
            fields: vec![
                Field {
                    key: "spare_percent".into(),
                    title: "spare".into(),
                    value: Value::Number(100),
                    unit: Some("percent".into()),
                    source: "x".into(),
                },
                Field { key: "warnings".into(), title: "warnings".into(), value: Value::List(vec![]), unit: None, source: "x".into() },
            ],
            ..Page::default()
        };
        let json = serde_json::to_value(&page).unwrap();
        assert_eq!(json["fields"][0]["value"], 100);
        assert_eq!(json["fields"][1]["value"], serde_json::json!([]));
        assert_eq!(page.number("spare_percent"), Some(100));
        assert_eq!(serde_json::from_value::<Page>(json).unwrap(), page);
    }
}
