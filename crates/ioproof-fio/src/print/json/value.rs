//! An ordered JSON document, printed as fio prints it: two spaces a level, `"key" : value`, six decimals.

use crate::print::number::finite;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    /// A whole number.
    Whole(u64),
    /// A whole number that may be negative.
    Signed(i64),
    /// Six decimals.
    Float(f64),
    /// A text.
    Text(String),
    /// One after the other.
    List(Vec<Json>),
    /// In the order in which they were added.
    Object(Object),
}

/// Keys and values in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Object(Vec<(String, Json)>);

impl Object {
    /// Adds a value.
    pub fn add(&mut self, key: impl Into<String>, value: impl Into<Json>) {
        self.0.push((key.into(), value.into()));
    }

    /// With one more value.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.add(key, value);
        self
    }

    /// Of pairs.
    pub fn of<K: Into<String>, V: Into<Json>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The document, with a line end.
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out.push('\n');
        out
    }

    fn write(&self, level: usize, out: &mut String) {
        let items = self.0.iter().map(|(key, value)| (Some(key.as_str()), value));
        enclose(('{', '}'), level, out, items);
    }
}

fn enclose<'a>(ends: (char, char), level: usize, out: &mut String, items: impl Iterator<Item = (Option<&'a str>, &'a Json)>) {
    out.push(ends.0);
    for (n, (key, value)) in items.enumerate() {
        out.push_str(if n == 0 { "\n" } else { ",\n" });
        indent(level + 1, out);
        if let Some(key) = key {
            quote(key, out);
            out.push_str(" : ");
        }
        value.write(level + 1, out);
    }
    out.push('\n');
    indent(level, out);
    out.push(ends.1);
}

impl Json {
    fn write(&self, level: usize, out: &mut String) {
        match self {
            Json::Whole(n) => out.push_str(&n.to_string()),
            Json::Signed(n) => out.push_str(&n.to_string()),
            Json::Float(n) => out.push_str(&format!("{:.6}", finite(*n))),
            Json::Text(text) => quote(text, out),
            Json::List(values) => enclose(('[', ']'), level, out, values.iter().map(|value| (None, value))),
            Json::Object(object) => object.write(level, out),
        }
    }
}

fn indent(level: usize, out: &mut String) {
    (0..level).for_each(|_| out.push_str("  "));
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl From<u64> for Json {
    fn from(n: u64) -> Self {
        Json::Whole(n)
    }
}

impl From<u32> for Json {
    fn from(n: u32) -> Self {
        Json::Whole(n.into())
    }
}

impl From<i32> for Json {
    fn from(n: i32) -> Self {
        Json::Signed(n.into())
    }
}

impl From<f64> for Json {
    fn from(n: f64) -> Self {
        Json::Float(n)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Json::Object(object)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(values: Vec<T>) -> Self {
        Json::List(values.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_as_fio_prints() {
        let object = Object::default().with("a", 1u64).with("b", Object::default()).with("c", vec![1.5, f64::NAN]).with("d", -3);
        assert_eq!(object.print(), "{\n  \"a\" : 1,\n  \"b\" : {\n  },\n  \"c\" : [\n    1.500000,\n    0.000000\n  ],\n  \"d\" : -3\n}\n");
    }

    #[test]
    fn any_text_is_valid() {
        let text = "q\"b\\n\nt\tz\0\u{1b}é\u{7f}";
        let printed = Object::default().with(text, text).print();
        let parsed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(parsed[text], text);
    }
}
