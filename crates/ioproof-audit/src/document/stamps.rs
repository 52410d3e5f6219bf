//! Marks that a log puts before every line: time stamps, levels, the name of a container.

use super::Line;

/// Fewest lines in a row with a mark; fewer are words.
const RUN: usize = 3;
const LEVELS: [&str; 7] = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR"];

/// Takes the marks off lines that follow each other.
pub(super) fn remove(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        let is_part = |line: &&Line| line.text.trim().is_empty() || unmarked(&line.text).is_some();
        let end = at + lines[at..].iter().take_while(is_part).count();
        let run = &mut lines[at..end];
        if run.iter().filter(|line| !line.text.trim().is_empty()).count() >= RUN {
            for line in run {
                line.text = unmarked(&line.text).unwrap_or_default().trim_end().to_owned();
            }
        }
        at = end.max(at + 1);
    }
}

/// The text behind a mark, with the blanks that indent it.
fn unmarked(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    match container(bare) {
        Some(rest) => Some(clocked(rest).map_or(rest, after_level)),
        None => clocked(bare).map(after_level),
    }
}

/// `bench-1  | text`, as a group of containers prints.
fn container(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once('|')?;
    let word = name.trim_end();
    let is_name = word.len() < name.len() && word.contains(['-', '_']) && word.ends_with(|c: char| c.is_ascii_digit());
    let is_word = word.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'));
    (is_name && is_word).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// Rest of a line behind a clock: `2026-05-22T16:09:38.1Z x`, `[16:09:38] x`, `May 22 16:09:38 host name[1]: x`.
fn clocked(line: &str) -> Option<&str> {
    let bare = line.strip_prefix('[').unwrap_or(line);
    let clock = if has_shape(bare, "0000-00-00?00:00:00") { 19 } else { 8 };
    if clock == 19 || has_shape(bare, "00:00:00") {
        let rest = bare.get(clock..)?;
        let end = rest.find([' ', ']']).unwrap_or(rest.len());
        let rest = rest[end..].strip_prefix(']').unwrap_or(&rest[end..]);
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        // A clock of twelve hours is of a table.
        return Some(rest).filter(|rest| !rest.starts_with("AM ") && !rest.starts_with("PM "));
    }
    let (month, day) = line.split_at_checked(3)?;
    let is_month = month.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_date = is_month && (has_shape(day, " 00 00:00:00 ") || has_shape(day, "  0 00:00:00 "));
    let (_, said) = day.get(13..).filter(|_| is_date)?.split_once(": ")?;
    Some(said)
}

fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(own, wanted): (u8, u8)| match wanted {
        b'0' => own.is_ascii_digit(),
        b'?' => matches!(own, b'T' | b' '),
        _ => own == wanted,
    };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

/// The text behind a level and the name of a logger: `INFO x`, `- INFO - name - x`.
fn after_level(text: &str) -> &str {
    const NAME_BYTES: usize = 24;
    let bare = text.strip_prefix("- ").unwrap_or(text);
    let (word, rest) = bare.split_once(' ').unwrap_or((bare, ""));
    if !LEVELS.contains(&word.trim_matches(['[', ']', ':'])) {
        return text;
    }
    let Some(named) = rest.trim_start().strip_prefix("- ") else { return rest };
    named.split_once(" - ").filter(|(name, _)| name.len() <= NAME_BYTES).map_or(named, |(_, said)| said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let mut lines: Vec<Line> = text.lines().map(|text| Line { number: 1, text: text.into(), is_code: false }).collect();
        remove(&mut lines);
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn marks_of_a_log_go_where_lines_follow_each_other() {
        assert_eq!(
            texts("2026-05-22T16:09:38.12Z A  b :\n2026-05-22T16:09:38.13Z    c : 1\n\n2026-05-22T16:09:39Z d"),
            ["A  b :", "   c : 1", "", "d"]
        );
        assert_eq!(texts("[16:09:38] a\n[16:09:38]   b\n[16:09:39] INFO c"), ["a", "  b", "c"]);
        assert_eq!(texts("May 22 16:09:38 h e[1]: a\nMay 22 16:09:38 h e[1]:   b\nMay  2 16:09:38 h e[1]: c"), ["a", "  b", "c"]);
        assert_eq!(texts("09:30:52 - INFO     - cbt      - a\n09:30:52 - INFO     - cbt      -   b\n09:30:52 x"), ["a", "  b", "x"]);
        assert_eq!(texts("bench-1  | a\nbench-1  |   b\nbench-1  | c"), ["a", "  b", "c"]);
    }

    #[test]
    fn a_clock_that_few_lines_have_is_of_the_text() {
        for text in ["16:09:38 a\n16:09:39 b\nc", "16:09:38 AM sda\n16:09:39 AM sda\n16:09:40 AM sda", "a | b | c\nd | e | f\ng | h | i"] {
            assert_eq!(texts(text).join("\n"), text);
        }
    }
}
