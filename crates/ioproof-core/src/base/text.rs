//! Text from outside (paths, serial numbers, names of jobs, strings of datasheets, captures) as it is shown to people.
//!
//! Everything that prints for people goes through [`visible`]. Commands that are to be typed have their words from [`shell_word`]. Deliberately absent: escaping for a format (JSON, HTML, Markdown, fio's terse lines), which is that format's
//! own business.

/// The text with every character visible that could move the cursor, colour the terminal, break the line, change the order in which text is read, or hide in a name.
///
/// Each becomes an escape as Rust writes it, `\n` or `\u{202e}`. Such an escape holds none of them, so text that goes through twice stays the same.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_format(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// Bidirectional controls (Unicode Standard Annex 9, table 1), line and paragraph separators, and characters without a width that only format what stands beside them
/// (general category Cf; tags are U+E0000 to U+E007F).
fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
    )
}

/// A word as a shell takes it for one, for commands that are printed to be typed. What a terminal would not show stands in it byte by byte, as bash, zsh and ksh read it.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,%@".contains(c);
    match () {
        () if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        () if visible(word) == word => format!("'{}'", word.replace('\'', r"'\''")),
        () => format!("$'{}'", word.chars().map(in_ansi_c_quotes).collect::<String>()),
    }
}

/// A character between `$'` and `'`.
fn in_ansi_c_quotes(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        _ if visible(&c.to_string()) == c.to_string() => c.to_string(),
        _ => c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect(),
    }
}

/// `1 turn is too few`, `3 turns are too few`.
pub(crate) fn too_few_turns(turns: u32) -> String {
    if turns == 1 { "1 turn is too few".to_owned() } else { format!("{turns} turns are too few") }
}

/// `1 run`, `2 runs`.
pub fn counted(n: u64, thing: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", grouped(n))
}

/// A count with a narrow space between thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join("\u{202f}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    }

    #[test]
    fn words_of_a_shell() {
        let words = ["a-b=1", "a b", "it's", ""].map(shell_word);
        assert_eq!(words, ["a-b=1", "'a b'", r"'it'\''s'", "''"]);
        assert_eq!(["n\nl", "it's \\\u{1b}"].map(shell_word), [r"$'n\012l'", r"$'it\'s \\\033'"]);
    }

    #[test]
    fn control_characters_are_shown_as_escapes() {
        assert_eq!(visible("a\u{1b}[31m\nb\tc\0\u{7f}\u{9b}"), "a\\u{1b}[31m\\nb\\tc\\u{0}\\u{7f}\\u{9b}");
        assert_eq!(visible("a\u{1b}[31m\nb\u{202e}c"), "a\\u{1b}[31m\\nb\\u{202e}c");
    }

    #[test]
    fn characters_that_reorder_or_hide_text_are_shown_as_escapes() {
        let reordering = ('\u{202A}'..='\u{202E}').chain('\u{2066}'..='\u{2069}').chain(['\u{200E}', '\u{200F}', '\u{61C}']);
        let hidden = ['\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FEFF}', '\u{2028}', '\u{2029}', '\u{AD}', '\u{E0041}'];
        for c in reordering.chain(hidden) {
            assert_eq!(visible(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
    }

    #[test]
    fn ordinary_text_of_any_script_stays() {
        for text in ["", "/dev/nvme0n1", "東芝 µs é", "مرحبا", "e\u{301}", r"C:\new"] {
            assert_eq!(visible(text), text);
        }
    }

    proptest! {
        #[test]
        fn text_that_goes_through_twice_stays_the_same(text in any::<String>()) {
            let once = visible(&text);
            prop_assert!(!once.contains(|c: char| c.is_control() || is_format(c)));
            prop_assert_eq!(visible(&once), once);
        }
    }
}
