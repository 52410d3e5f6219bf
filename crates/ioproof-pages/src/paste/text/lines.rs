//! Lines as people paste them, without what mail, forums and terminals put around them.
//!
//! What surrounds every line of a text is taken off by `dress`. Removed here are quote marks (`>`, `|`), frames of tables, comment signs, indentation, colours of the terminal and carriage returns. The number of a line stays that of the
//! file, so that every fact and every complaint can be found again.

use super::dress::undressed;
use super::flattened;
use std::borrow::Cow;

/// A line without what was added to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastedLine {
    /// Its number in the file, counted from 1.
    pub number: usize,
    pub text: String,
    /// True where an empty line came before it.
    pub after_gap: bool,
}

/// The lines of a text that hold anything.
pub fn lines(text: &str) -> Vec<PastedLine> {
    let mut after_gap = false;
    let mut found = Vec::new();
    for (number, raw) in undressed(text.trim_start_matches('\u{feff}')) {
        let text = clean(&raw);
        if text.is_empty() {
            after_gap = true;
        } else {
            let gap = std::mem::take(&mut after_gap);
            match flattened::lines(&text) {
                Some(texts) => {
                    let broken = texts.into_iter().enumerate();
                    found.extend(broken.map(|(at, text)| PastedLine { number, text, after_gap: gap && at == 0 }));
                }
                None => found.push(PastedLine { number, text, after_gap: gap }),
            }
        }
    }
    found
}

pub(super) fn clean(raw: &str) -> String {
    let plain = if raw.bytes().any(|byte| byte < b' ' || byte == 0x7f || byte == 0xc2) {
        Cow::Owned(without_escapes(raw))
    } else {
        Cow::Borrowed(raw)
    };
    let text = without_quoting(plain.trim());
    without_markup(text.trim_end_matches(is_frame).trim())
}

/// Without the escapes of Markdown (`Current\_Pending\_Sector`) and the tags of HTML that mark words or cells.
fn without_markup(text: &str) -> String {
    const ESCAPED: [&str; 4] = ["\\_", "\\#", "\\[", "\\*"];
    const MARKS: [&str; 8] = ["mark", "b", "i", "em", "strong", "span", "font", "code"];
    const CELLS: [&str; 4] = ["tr", "td", "th", "br"];
    if !text.contains(['\\', '<']) {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '<']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let inner = rest[1..].trim_start_matches('/');
        let name = &inner[..inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len())];
        let end = rest.find('>').filter(|_| rest.starts_with('<'));
        let taken = match end {
            Some(end) if CELLS.contains(&name) => {
                plain.push(' ');
                end + 1
            }
            Some(end) if MARKS.contains(&name) => end + 1,
            _ if ESCAPED.iter().any(|escape| rest.starts_with(escape)) => 1,
            _ => 0,
        };
        // Another sign stays, as the one behind an escape does.
        let kept = if taken > 1 { "" } else { &rest[taken..taken + 1] };
        plain.push_str(kept);
        rest = &rest[taken + kept.len()..];
    }
    plain.push_str(rest);
    plain.trim().to_owned()
}

/// A mark that stands before each line of a quotation or around the cells of a table.
fn is_frame(mark: char) -> bool {
    matches!(mark, '|' | '│' | '┃' | '║')
}

fn without_quoting(text: &str) -> &str {
    let mut rest = text;
    while let Some(mark) = rest.chars().next().filter(|mark| *mark == '>' || is_frame(*mark) || is_comment(rest)) {
        rest = rest[mark.len_utf8()..].trim_start();
    }
    rest
}

/// A `#` right before a word is a comment sign; before a blank it is the prompt of root, and several are a heading.
fn is_comment(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_alphabetic() || next == '='))
}

/// Without the control sequences of a terminal (ECMA-48) and other control characters; tabs become blanks.
fn without_escapes(raw: &str) -> String {
    let mut plain = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\u{1b}' if chars.next_if_eq(&'[').is_some() => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            '\t' => plain.push(' '),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

/// Label and value on the two sides of a sign, without the blanks around both.
pub(crate) fn labelled(text: &str, sign: char) -> Option<(&str, &str)> {
    text.split_once(sign).map(|(label, value)| (label.trim(), value.trim()))
}

/// A word that ends in a colon is a key, and the words up to the next one are its value.
pub(crate) fn pairs(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in text.split_whitespace() {
        match (word.strip_suffix(':'), found.last_mut()) {
            (Some(key), _) => found.push((key, Vec::new())),
            (None, Some((_, value))) => value.push(word),
            (None, None) => {}
        }
    }
    found.into_iter().map(|(key, value)| (key, value.join(" "))).collect()
}

/// A line that separates or underlines, or `[...]` where somebody left something out.
pub(crate) fn is_decoration(text: &str) -> bool {
    const RULES: &str = "=-_*+ ~.";
    const ELISIONS: &str = "[]()<>.… ";
    [RULES, ELISIONS].iter().any(|signs| text.chars().all(|c| signs.contains(c)))
}

/// `...` and the like, where somebody left something out.
pub(crate) fn is_elision(text: &str) -> bool {
    matches!(text, "..." | "[...]" | "(...)" | "<...>" | "…" | "[…]" | "[snip]" | "<snip>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(raw: &str) -> String {
        clean(raw)
    }

    #[test]
    fn what_mail_and_forums_add_is_removed() {
        assert_eq!(cleaned("> > Model Number:  X  \r"), "Model Number:  X");
        assert_eq!(cleaned("| Temperature: 36 C       |"), "Temperature: 36 C");
        assert_eq!(cleaned("\u{a0}\u{a0}│ vid : 0x144d"), "vid : 0x144d");
        assert_eq!(cleaned("#Serial number:        WMC"), "Serial number:        WMC");
        assert_eq!(cleaned("\u{1b}[1;32mnvme0\u{1b}[0m:\tX\u{7}"), "nvme0: X");
    }

    #[test]
    fn what_the_tools_print_stays() {
        assert_eq!(cleaned("# nvme list"), "# nvme list");
        assert_eq!(cleaned("# 1  Short offline"), "# 1  Short offline");
        assert_eq!(cleaned("           fast | delayed   rewrites"), "fast | delayed   rewrites");
        assert_eq!(cleaned("#### Heading"), "#### Heading");
        assert_eq!(cleaned("nvme0: <INTEL x> C:\\n a\\nb"), "nvme0: <INTEL x> C:\\n a\\nb");
    }

    #[test]
    fn markup_of_pages_is_removed() {
        assert_eq!(cleaned("> 197 <mark style=\"x\">Current\\_Pending\\_Sector</mark> - <b>1</b>"), "197 Current_Pending_Sector - 1");
        assert_eq!(cleaned("<tr><td>197</td><td>Current_Pending_Sector</td></tr>"), "197  Current_Pending_Sector");
    }

    #[test]
    fn decoration_is_told_from_words() {
        assert!(["=====", "- - -", "[...]", "…", "+----+"].iter().all(|text| is_decoration(text)));
        assert!(["=== START", "[1]", "-5"].iter().all(|text| !is_decoration(text)));
    }

    #[test]
    fn numbers_are_those_of_the_file() {
        let read = lines("\u{feff}a\r\n\r\n> \n  b\n");
        assert_eq!(
            read.iter().map(|line| (line.number, line.text.as_str(), line.after_gap)).collect::<Vec<_>>(),
            [(1, "a", false), (4, "b", true)]
        );
    }
}
