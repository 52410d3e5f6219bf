//! Just enough of Rust's grammar to look at code without being misled by comments, strings and tests.
//!
//! Text is blanked in place, so every offset and line number stays true.

/// Blanks comments, strings and character literals; line breaks stay.
pub fn blank_text(source: &str) -> String {
    let mut out = source.as_bytes().to_vec();
    let mut at = 0;
    while at < out.len() {
        let end = skip(source.as_bytes(), at);
        blank(&mut out, at, end);
        at = end.max(at + 1);
    }
    into_text(out)
}

/// Blanks every item under `#[cfg(test)]`, which ends after its braces or after a semicolon that comes first. Takes blanked code.
pub fn blank_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    for (at, attribute) in code.match_indices("#[cfg(test)]") {
        let mut depth = 0_usize;
        let is_end = |byte: u8| {
            depth = if byte == b'{' { depth + 1 } else { depth.saturating_sub(usize::from(byte == b'}')) };
            depth == 0 && matches!(byte, b'}' | b';')
        };
        let item = at + attribute.len();
        let end = code.bytes().skip(item).position(is_end).map_or(code.len(), |offset| item + offset + 1);
        blank(&mut out, at, end);
    }
    into_text(out)
}

/// The offsets at which a word or path stands, not as a part of a longer one.
pub fn find_word<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = at.checked_sub(1).is_some_and(|i| is_ident(bytes[i]));
        let after = bytes.get(at + word.len()).copied().is_some_and(is_ident);
        !before && !after
    })
}

pub fn line_of(code: &str, offset: usize) -> usize {
    code.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count() + 1
}

/// True for a byte that can stand in a name. Bytes beyond ASCII count as letters.
pub fn is_ident(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// The end of the comment or literal that begins at `at`; `at` itself where none does.
fn skip(source: &[u8], at: usize) -> usize {
    let rest = &source[at..];
    let in_name = at.checked_sub(1).is_some_and(|i| is_ident(source[i]));
    let length = match rest {
        [b'/', b'/', ..] => rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => quoted(rest),
        [b'r', b'"' | b'#', ..] if !in_name => raw_string(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !in_name => raw_string(rest, 2),
        [b'\'', b'\\', ..] => quoted(rest),
        // A character; any other quote begins a lifetime.
        [b'\'', ..] => (2..6)
            .find(|end| rest.get(*end) == Some(&b'\'') && std::str::from_utf8(&rest[1..*end]).is_ok_and(is_one))
            .map_or(0, |end| end + 1),
        _ => 0,
    };
    at + length
}

fn is_one(text: &str) -> bool {
    text.chars().count() == 1
}

/// The length of a block comment; they nest.
fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != rest[0] {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The length of a raw string whose hashes begin after `prefix` bytes; 0 for a raw name such as `r#type`.
fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|b| **b == b'#').count();
    let body = prefix + hashes + 1;
    if rest.get(body - 1) != Some(&b'"') {
        return 0;
    }
    let end = [&b"\""[..], &rest[prefix..prefix + hashes]].concat();
    rest[body..].windows(end.len()).position(|w| w == end).map_or(rest.len(), |offset| body + offset + end.len())
}

fn blank(bytes: &mut [u8], from: usize, to: usize) {
    bytes[from..to].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// Only whole characters were blanked, so the bytes are still text.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}
