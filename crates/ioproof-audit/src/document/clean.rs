//! Lines without the control sequences of terminals, the marks of quotation and the progress that a program overwrote.

use super::LINE_BYTES_MAX;
use std::borrow::Cow;

/// A mail whose text is quoted-printable as it was written. Lines that belong together are joined, and empty ones keep the numbers of those that follow.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !["=20\n", "=20\r\n", "=3D "].iter().any(|code| text.contains(code)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut joined = 0;
    for line in text.split('\n') {
        let line = line.trim_end_matches('\r');
        let own = line.strip_suffix('=').filter(|own| !own.ends_with('='));
        plain.push_str(&own.unwrap_or(line).replace("=3D", "=").replace("=20", " "));
        match own {
            Some(_) => joined += 1,
            None => plain.extend(std::iter::repeat_n('\n', 1 + std::mem::take(&mut joined))),
        }
    }
    Cow::Owned(plain)
}

/// The line up to its longest length.
pub(super) fn shortened(raw: &str) -> &str {
    if raw.len() <= LINE_BYTES_MAX {
        return raw;
    }
    let end = (0..=LINE_BYTES_MAX).rev().find(|at| raw.is_char_boundary(*at)).unwrap_or(0);
    &raw[..end]
}

/// The lines that a carriage return makes of one; progress that was overwritten keeps its last states only.
pub(super) fn lines(raw: &str) -> impl Iterator<Item = String> {
    const KEPT: usize = 8;
    let parts: Vec<String> = raw.trim_end_matches('\r').split('\r').map(plain).collect();
    let skipped = parts.len().saturating_sub(KEPT);
    parts.into_iter().skip(skipped)
}

fn plain(raw: &str) -> String {
    let text = without_escapes(raw);
    unquoted(&text).trim_end().to_owned()
}

/// Without `> ` in front, as mail and forums quote. A prompt of Windows has a letter before it.
fn unquoted(text: &str) -> &str {
    let mut rest = text;
    while let Some(after) = rest.trim_start().strip_prefix('>') {
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    rest
}

fn without_escapes(raw: &str) -> String {
    let mut plain = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\u{1b}' if chars.next_if_eq(&'[').is_some() => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            '\t' => plain.push_str("    "),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => plain.push(' '),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}
