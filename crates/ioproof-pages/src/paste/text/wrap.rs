//! Joins a line that a mailer or a terminal wrapped. Mailers break at a blank, terminals at a column, so a join is tried with a blank and without one.

use super::lines::PastedLine;

/// Further lines that one line is at most wrapped into.
const MOST_LINES: usize = 4;

/// The line with as many of the next ones as make it whole, and how many those are. `may_follow` refuses a line that begins something else.
pub fn joined(
    line: &PastedLine,
    next: &[PastedLine],
    may_follow: impl Fn(&PastedLine) -> bool,
    is_whole: impl Fn(&str) -> bool,
) -> Option<(PastedLine, usize)> {
    let mut ways = vec![line.text.clone()];
    for (at, own) in next.iter().take(MOST_LINES).enumerate() {
        if !may_follow(own) {
            return None;
        }
        ways = ways.iter().flat_map(|way| [format!("{way} {}", own.text), format!("{way}{}", own.text)]).collect();
        if let Some(text) = ways.iter().find(|way| is_whole(way)) {
            return Some((PastedLine { text: text.clone(), ..line.clone() }, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(texts: &[&str]) -> Vec<PastedLine> {
        texts.iter().enumerate().map(|(at, text)| PastedLine { number: at + 1, text: (*text).to_owned(), after_gap: false }).collect()
    }

    #[test]
    fn a_row_is_joined_at_a_blank_and_within_a_word() {
        let is_whole = |text: &str| text.split(' ').count() == 4 && text.contains("Always");
        let join = |texts: &[&str]| {
            let lines = numbered(texts);
            joined(&lines[0], &lines[1..], |line| line.text != "END", is_whole).map(|(line, taken)| (line.number, line.text, taken))
        };
        assert_eq!(join(&["5 Always", "- 13"]), Some((1, "5 Always - 13".to_owned(), 1)));
        assert_eq!(join(&["5 Alw", "ays - 13"]), Some((1, "5 Always - 13".to_owned(), 1)));
        assert_eq!(join(&["5", "Always", "-", "13", "x"]), Some((1, "5 Always - 13".to_owned(), 3)));
        assert_eq!(join(&["5 Always", "END", "- 13"]), None);
    }
}
