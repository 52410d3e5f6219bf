//! JSON in fio's look: two spaces a level, `"key" : value`, every number with a fraction in six decimals.
//!
//! The structures of this folder derive `Serialize`; here is only the look. Deliberately absent: keys and figures.

use crate::print::number::finite;
use serde::ser::{Serialize, Serializer};
use serde_json::ser::{CharEscape, Formatter};
use std::io::{self, Write};

/// The document, with a line end.
pub(super) fn print(document: &impl Serialize) -> String {
    let mut out = Vec::new();
    let printed = document.serialize(&mut serde_json::Serializer::with_formatter(&mut out, FioFormatter::default()));
    // Memory takes everything, and all keys are texts.
    debug_assert!(printed.is_ok(), "{printed:?}");
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

/// A number with a fraction; what is no number becomes 0, because JSON has no word for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal(pub f64);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(finite(self.0))
    }
}

/// An object whose keys are data, in the order of the pairs.
#[derive(Debug, Clone)]
pub(super) struct Pairs<K, V>(pub Vec<(K, V)>);

impl<K, V> Pairs<K, V> {
    /// The pairs of names and values.
    pub fn of(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[derive(Debug, Default)]
struct FioFormatter {
    level: usize,
}

impl FioFormatter {
    fn open<W: Write + ?Sized>(&mut self, writer: &mut W, end: &[u8]) -> io::Result<()> {
        self.level += 1;
        writer.write_all(end)
    }

    /// Also of what is empty, the end stands on a line of its own.
    fn close<W: Write + ?Sized>(&mut self, writer: &mut W, end: &[u8]) -> io::Result<()> {
        self.level -= 1;
        self.line(writer)?;
        writer.write_all(end)
    }

    fn next<W: Write + ?Sized>(&self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.line(writer)
    }

    fn line<W: Write + ?Sized>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.level).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for FioFormatter {
    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b" : ")
    }

    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        write!(writer, "{value:.6}")
    }

    /// Control characters that JSON lets stand (DEL and those above) are escaped too.
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for part in fragment.split_inclusive(char::is_control) {
            match part.chars().next_back().filter(|last| last.is_control()) {
                Some(last) => write!(writer, "{}\\u{:04x}", &part[..part.len() - last.len_utf8()], u32::from(last))?,
                None => writer.write_all(part.as_bytes())?,
            }
        }
        Ok(())
    }

    fn write_char_escape<W: Write + ?Sized>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let code = match escape {
            CharEscape::Quote => return writer.write_all(b"\\\""),
            CharEscape::ReverseSolidus => return writer.write_all(b"\\\\"),
            CharEscape::Solidus => return writer.write_all(b"/"),
            CharEscape::LineFeed => return writer.write_all(b"\\n"),
            CharEscape::Tab => return writer.write_all(b"\\t"),
            CharEscape::Backspace => 0x08,
            CharEscape::FormFeed => 0x0c,
            CharEscape::CarriageReturn => 0x0d,
            CharEscape::AsciiControl(code) => code,
        };
        write!(writer, "\\u{code:04x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Serialize)]
    struct Document {
        a: u64,
        b: Pairs<String, u64>,
        c: Vec<Decimal>,
        d: i32,
        #[serde(skip_serializing_if = "Option::is_none")]
        e: Option<u64>,
    }

    #[test]
    fn printed_as_fio_prints() {
        let document = Document { a: 1, b: Pairs(vec![]), c: vec![Decimal(1.5), Decimal(f64::NAN)], d: -3, e: None };
        assert_eq!(
            print(&document),
            "{\n  \"a\" : 1,\n  \"b\" : {\n  },\n  \"c\" : [\n    1.500000,\n    0.000000\n  ],\n  \"d\" : -3\n}\n"
        );
    }

    #[test]
    fn any_text_is_valid_and_no_control_character_stands_as_it_is() {
        let text = "q\"b\\n\nt\tz\0r\rb\u{8}f\u{c}\u{1b}é\u{7f}x\u{9b}";
        let printed = print(&Pairs(vec![(text, text)]));
        let escaped = r#""q\"b\\n\nt\tz\u0000r\u000db\u0008f\u000c\u001bé\u007fx\u009b""#;
        assert_eq!(printed, format!("{{\n  {escaped} : {escaped}\n}}\n"));
        let parsed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(parsed[text], text);
    }
}
