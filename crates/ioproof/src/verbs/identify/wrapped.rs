//! Lines that fit the terminal: broken at blanks, never cut, what goes on indented.
//!
//! Where standard output is no terminal, lines are as long as they are, as in `list`: a program or a pager takes them whole.

/// Columns of the terminal; `None` where there is none.
pub fn width() -> Option<usize> {
    ioproof_process::output::columns()
}

/// The text in lines of at most `width` columns, those after the first behind `indent` blanks. A word that is longer stands alone and is kept whole.
pub fn wrapped(text: &str, indent: usize, width: Option<usize>) -> Vec<String> {
    let Some(width) = width.filter(|width| text.chars().count() > *width) else { return vec![text.to_owned()] };
    let indent = indent.min(width / 2);
    let start = text.len() - text.trim_start().len();
    let mut lines = vec![text[..start].to_owned()];
    let mut is_first_word = true;
    // Blanks between columns belong to the word before them.
    for word in text[start..].split_inclusive(' ') {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if !is_first_word && used + word.trim_end().chars().count() > width {
            lines.push(" ".repeat(indent));
            is_first_word = true;
        }
        if let Some(line) = lines.last_mut().filter(|_| !(is_first_word && word == " ")) {
            line.push_str(word);
            is_first_word = false;
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_lose_nothing() {
        let text = "  title  value  where it was read in the specification";
        assert_eq!(wrapped(text, 9, Some(30)), ["  title  value  where it was", "         read in the", "         specification"]);
        assert_eq!((wrapped(text, 9, None), wrapped(text, 9, Some(200))), (vec![text.to_owned()], vec![text.to_owned()]));
        assert_eq!(wrapped("  a-word-that-is-longer-than-a-line b", 4, Some(20)), ["  a-word-that-is-longer-than-a-line", "    b"]);
    }

    #[test]
    fn no_line_is_wider_than_asked_unless_a_word_is() {
        let text = (0..60).map(|n| format!("w{n}")).collect::<Vec<_>>().join("  ");
        let lines = wrapped(&text, 6, Some(40));
        assert!(lines.len() > 5 && lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
        assert_eq!(lines.join(" ").split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }
}
