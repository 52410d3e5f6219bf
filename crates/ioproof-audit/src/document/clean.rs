//! Lines without the control sequences of terminals, the marks of quotation and the progress that a program overwrote.

use super::LINE_BYTES_MAX;
use std::borrow::Cow;

/// A mail whose text is quoted-printable as it was written. Lines that belong together are joined, and empty ones keep the numbers of those that follow.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !is_quoted_printable(text) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut joined = 0;
    for line in text.split('\n') {
        let line = line.trim_end_matches('\r');
        let own = line.strip_suffix('=').filter(|own| !own.ends_with('='));
        // The sign itself comes last: what follows it was not coded.
        plain.push_str(&own.unwrap_or(line).replace("=20", " ").replace("=C2=A0", " ").replace("=09", "\t").replace("=3D", "="));
        match own {
            Some(_) => joined += 1,
            None => plain.extend(std::iter::repeat_n('\n', 1 + std::mem::take(&mut joined))),
        }
    }
    Cow::Owned(plain)
}

/// True where signs that no other text has say so: a coded `=`, a blank coded at the end of a line, lines broken at their longest length.
fn is_quoted_printable(text: &str) -> bool {
    const BREAKS: usize = 2;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ends_in_blank = |line: &str| line.strip_suffix("=20").is_some_and(|before| !before.ends_with(is_name));
    let is_broken = |line: &str| {
        let fills = (66..=76).contains(&line.len());
        fills && line.trim().contains(' ') && line.strip_suffix('=').is_some_and(|before| !before.ends_with(['=', '-']))
    };
    let lines = || text.split('\n').map(|line| line.trim_end_matches('\r'));
    let has_code = text.contains("=3D");
    text.contains("=3D ")
        || text.contains("Encoding: quoted-printable")
        || lines().any(ends_in_blank)
        || lines().any(|line| has_code && line.ends_with("=20"))
        || lines().filter(|line| is_broken(line)).take(BREAKS).count() == BREAKS
        || has_code && lines().any(is_broken)
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
