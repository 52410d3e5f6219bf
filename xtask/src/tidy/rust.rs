//! Just enough of Rust's grammar to look at code without being misled by comments, strings and tests.
//!
//! Text is blanked in place, so every offset and line number stays true.

/// Blanks comments, strings and character literals; line breaks stay.
pub fn blank_text(source: &str) -> String {
    let mut out = source.as_bytes().to_vec();
    let mut at = 0;
    while at < out.len() {
        let end = skip(source.as_bytes(), at);
        if end > at {
            blank(&mut out, at, end);
        }
        at = end.max(at + 1);
    }
    into_text(out)
}

/// Blanks every item under `#[cfg(test)]`. Takes blanked code.
pub fn blank_tests(code: &str) -> String {
    const ATTRIBUTE: &str = "#[cfg(test)]";
    let mut out = code.as_bytes().to_vec();
    for (at, _) in code.match_indices(ATTRIBUTE) {
        let end = item_end(code.as_bytes(), at + ATTRIBUTE.len());
        blank(&mut out, at, end);
    }
    into_text(out)
}

/// Where an item that begins here ends: after its braces, or after a semicolon that comes first.
fn item_end(code: &[u8], start: usize) -> usize {
    match code[start..].iter().position(|b| matches!(b, b'{' | b';')) {
        Some(offset) if code[start + offset] == b'{' => closing_brace(code, start + offset) + 1,
        Some(offset) => start + offset + 1,
        None => code.len(),
    }
}

/// The brace that closes the one at `open`, or the last byte where there is none.
pub fn closing_brace(code: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code[open..].iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return open + offset;
        }
    }
    code.len() - 1
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
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, b'"'),
        [b'r', b'"' | b'#', ..] if !in_name => at + raw_string(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !in_name => at + raw_string(rest, 2),
        [b'\'', ..] => at + char_literal(rest),
        _ => at,
    }
}

/// The length of a block comment; they nest.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a literal with escapes, both quotes included.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a raw string whose hashes begin after `prefix` bytes; 0 for a raw name such as `r#type`.
fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|b| **b == b'#').count();
    let body = prefix + hashes + 1;
    if rest.get(body - 1) != Some(&b'"') {
        return 0;
    }
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let found = rest[body..].windows(end.len()).position(|w| w == end);
    found.map_or(rest.len(), |offset| body + offset + end.len())
}

/// The length of a character literal; 0 for a lifetime.
fn char_literal(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        return quoted(rest, b'\'');
    }
    let Some(text) = rest.get(1..).map(String::from_utf8_lossy) else { return 0 };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), Some('\'')) => c.len_utf8() + 2,
        _ => 0,
    }
}

fn blank(bytes: &mut [u8], from: usize, to: usize) {
    let to = to.min(bytes.len());
    bytes[from..to].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// Only whole characters were blanked, so the bytes are still text.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_literals_and_tests_go_and_lines_stay() {
        let blanked = |source: &str| blank_text(source).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(blanked("a // unsafe\nb /* x /* y */ z */ c"), "a b c");
        assert_eq!(blanked(r##"f("unsafe \" {", b"x", r#"}" unsafe"#, '{', '\'') d"##), "f( , b , , , ) d");
        assert_eq!(blanked("fn f<'a>(x: &'a str) {}"), "fn f<'a>(x: &'a str) {}");
        let kept = blank_tests("fn a() {}\n#[cfg(test)]\nmod tests { fn b() { {} } }\nfn c() {}\n#[cfg(test)]\nmod t;\nfn d() {}");
        assert!(["fn a", "fn c", "fn d"].iter().all(|name| kept.contains(name)) && !kept.contains("fn b") && !kept.contains("mod t"));
        assert_eq!(kept.lines().count(), 7);
    }
}
