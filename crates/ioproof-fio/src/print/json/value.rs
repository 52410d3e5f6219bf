//! JSON in fio's look: two spaces a level, `"key" : value`, every number with a fraction in six decimals.

use crate::print::number::finite;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonValue {
    Absent,
    Number(String),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

pub(super) fn object<K: Into<String>>(pairs: impl IntoIterator<Item = (K, JsonValue)>) -> JsonValue {
    JsonValue::Object(pairs.into_iter().filter(|(_, value)| *value != JsonValue::Absent).map(|(key, value)| (key.into(), value)).collect())
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {
        $(impl From<$number> for JsonValue {
            fn from(number: $number) -> Self {
                Self::Number(number.to_string())
            }
        })*
    };
}
whole_numbers!(u32 u64 i32);

/// A number that is none (NaN, infinity) becomes 0, because JSON has no word for it.
impl From<f64> for JsonValue {
    fn from(number: f64) -> Self {
        Self::Number(format!("{:.6}", finite(number)))
    }
}

impl From<&str> for JsonValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Self>> From<Vec<T>> for JsonValue {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Self>> From<Option<T>> for JsonValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

impl JsonValue {
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out.push('\n');
        out
    }

    fn write(&self, level: usize, out: &mut String) {
        match self {
            Self::Absent => {}
            Self::Number(number) => out.push_str(number),
            Self::Text(text) => write_text(text, out),
            Self::List(values) => enclosed(['[', ']'], values, level, out, |value, out| value.write(level + 1, out)),
            Self::Object(pairs) => enclosed(['{', '}'], pairs, level, out, |(key, value), out| {
                write_text(key, out);
                out.push_str(" : ");
                value.write(level + 1, out);
            }),
        }
    }
}

/// Also of what is empty, the closing bracket stands on a line of its own.
fn enclosed<T>([open, close]: [char; 2], parts: &[T], level: usize, out: &mut String, write: impl Fn(&T, &mut String)) {
    out.push(open);
    for (at, part) in parts.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(level + 1));
        write(part, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(level));
    out.push(close);
}

/// Control characters that JSON lets stand (DEL and those above) are escaped too.
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_as_fio_prints() {
        let empty: [(&str, JsonValue); 0] = [];
        let document = object([
            ("a", 1u64.into()),
            ("b", object(empty)),
            ("c", vec![1.5, f64::NAN].into()),
            ("d", (-3i32).into()),
            ("e", None::<u64>.into()),
        ]);
        assert_eq!(
            document.print(),
            "{\n  \"a\" : 1,\n  \"b\" : {\n  },\n  \"c\" : [\n    1.500000,\n    0.000000\n  ],\n  \"d\" : -3\n}\n"
        );
    }

    #[test]
    fn any_text_is_valid_and_no_control_character_stands_as_it_is() {
        let text = "q\"b\\n\nt\tz\0r\rb\u{8}f\u{c}\u{1b}é\u{7f}x\u{9b}";
        let printed = object([(text, text.into())]).print();
        let escaped = r#""q\"b\\n\nt\tz\u0000r\u000db\u0008f\u000c\u001bé\u007fx\u009b""#;
        assert_eq!(printed, format!("{{\n  {escaped} : {escaped}\n}}\n"));
        let parsed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(parsed[text], text);
    }
}
