//! One line of a job file: a section's head, an `include`, an option, or nothing.
//!
//! `;` and `#` begin a comment wherever they stand: inside a value and inside quotes too, and no backslash protects them.

use crate::complaint::shortened;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum JobFileLine<'a> {
    Nothing,
    Head(&'a str),
    Include(&'a str),
    /// `key`, or `key=value`. Blanks before the value are kept: a few kinds of values mind them.
    Option(&'a str, Option<&'a str>),
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

pub(super) fn read(raw: &str) -> Result<JobFileLine<'_>, String> {
    let line = raw.split([';', '#']).next().unwrap_or_default().trim_matches(is_blank);
    if let Some(problem) = foreign(line) {
        return Err(problem);
    }
    if line.is_empty() {
        return Ok(JobFileLine::Nothing);
    }
    if let Some(rest) = line.strip_prefix('[') {
        return head(line, rest).map(JobFileLine::Head);
    }
    if let Some(name) = included(line) {
        return name.map(JobFileLine::Include);
    }
    option(line)
}

fn foreign(line: &str) -> Option<String> {
    if line.contains('\0') {
        Some("a byte of zero stands in the line; is this a text file?".to_owned())
    } else if line.contains('\u{fffd}') {
        Some("the line has bytes that are no UTF-8 text".to_owned())
    } else if line.contains('\r') {
        Some("a carriage return stands in the middle of the line; lines end with a line feed".to_owned())
    } else {
        None
    }
}

/// The name of a section. It may hold blanks and brackets; it ends before the last character of the line.
///
/// That character should be `]`. Without any `]` fio drops the last character all the same.
fn head<'a>(line: &str, rest: &'a str) -> Result<&'a str, String> {
    match rest.strip_suffix(']') {
        Some(name) => Ok(name),
        None if rest.contains(']') => Err(format!("text follows the section's name in \"{}\"; the line ends with ]", shortened(line))),
        None => {
            let last = rest.chars().next_back().map_or(0, char::len_utf8);
            Ok(&rest[..rest.len() - last])
        }
    }
}

fn included(line: &str) -> Option<Result<&str, String>> {
    let rest = line.strip_prefix("include")?;
    if !(rest.is_empty() || rest.starts_with(|c| is_blank(c) || c == '=')) {
        return None;
    }
    let name = rest.trim_start_matches(is_blank);
    let name = name.strip_prefix('=').unwrap_or(name).trim_matches(is_blank);
    Some(if name.is_empty() { Err("include without the name of a file".to_owned()) } else { Ok(name) })
}

fn option(line: &str) -> Result<JobFileLine<'_>, String> {
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (key.trim_end_matches(is_blank), Some(value)),
        None => (line, None),
    };
    if key.is_empty() { Err(format!("no option's name before = in \"{}\"", shortened(line))) } else { Ok(JobFileLine::Option(key, value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_begin_anywhere() {
        assert_eq!(read("bs=4k ; x"), Ok(JobFileLine::Option("bs", Some("4k"))));
        assert_eq!(read("filename=a#b"), Ok(JobFileLine::Option("filename", Some("a"))));
        assert_eq!(read("description=\"a;b\""), Ok(JobFileLine::Option("description", Some("\"a"))));
        assert_eq!(read("description=a\\;b"), Ok(JobFileLine::Option("description", Some("a\\"))));
        assert_eq!(read("thread;yes"), Ok(JobFileLine::Option("thread", None)));
        assert_eq!(read("  \t; only a comment with \u{fffd}"), Ok(JobFileLine::Nothing));
        assert_eq!(read(" \r"), Ok(JobFileLine::Nothing));
    }

    #[test]
    fn keys_and_values() {
        assert_eq!(read(" \x0b size  =  4k \x0c\r"), Ok(JobFileLine::Option("size", Some("  4k"))));
        assert_eq!(read("filename="), Ok(JobFileLine::Option("filename", Some(""))));
        assert_eq!(read("a=b=c"), Ok(JobFileLine::Option("a", Some("b=c"))));
        assert_eq!(read("bs 4k"), Ok(JobFileLine::Option("bs 4k", None)));
        assert!(read("=4").is_err());
    }

    #[test]
    fn heads() {
        assert_eq!(read("  [x] ; y"), Ok(JobFileLine::Head("x")));
        assert_eq!(read("[a b]c]"), Ok(JobFileLine::Head("a b]c")));
        assert_eq!(read("[ x ]"), Ok(JobFileLine::Head(" x ")));
        assert_eq!(read("[]"), Ok(JobFileLine::Head("")));
        assert_eq!(read("[bs=64K"), read("[bs=64]"), "as fio reads it");
        assert!(read("[x] bs=4k").is_err_and(|text| text.contains("text follows")));
    }

    #[test]
    fn includes() {
        for text in ["include a b", "include\ta b", "include=a b", " include   a b ; c"] {
            assert_eq!(read(text), Ok(JobFileLine::Include("a b")), "{text}");
        }
        assert_eq!(read("included=1"), Ok(JobFileLine::Option("included", Some("1"))));
        assert!(read("include").is_err());
        assert!(read("include =").is_err());
    }

    #[test]
    fn foreign_bytes_are_named() {
        assert!(read("size=1m\0bs=8k").is_err());
        assert!(read("[j\u{fffd}]").is_err());
        assert!(read("[j]\rsize=1m").is_err());
    }
}
